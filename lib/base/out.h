/* out: stdout, buffered and checked.  Layer 2.
 *
 * A failed write ends the program with status 2 and one line (SIGPIPE keeps its default and ends it silently).
 * Every path of a tool ends in out_close. */
#ifndef OUT_H
#define OUT_H

#include <stddef.h>

void out_add(const void *p, size_t n);
void out_str(const char *s);
void out_char(char c);
void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *out_room(size_t n); /* n bytes to be written in place, n <= 64 KiB; then out_took(bytes used) */
void out_took(size_t n);
void out_flush(void);
void out_close(void); /* flush, close, check */

#endif
