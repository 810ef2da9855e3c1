/* progress: how far a long read has come, for a person who waits.  Layer 1.
 *
 * One line on stderr, rewritten at most four times a second, only where stderr is a terminal that can rewrite a line,
 * never with -q.  Nothing is shown in the first second. */
#ifndef PROGRESS_H
#define PROGRESS_H

/* bytes read so far of total (-1 = unknown).  Cheap enough to be called for every block. */
void progress_show(const char *what, long long bytes, long long total);
void progress_clear(void); /* wipe the line, before anything else is written to the terminal */

#endif
