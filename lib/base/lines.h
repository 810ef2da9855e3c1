/* lines: input as lines.  Layer 3.
 *
 * A line is a view into the reader's buffer, without its LF, valid until the next call.  The buffer grows to the longest
 * line.  Before a read that may wait for a writer, stdout is flushed, so that a live pipeline never lags behind. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "in.h"

struct lines {
    struct in in;
    char *s;
    size_t from, to, cap;
    long long bytes; /* read so far */
    long long line; /* number of the last line handed out, from 1 */
    bool eof;
    bool terminated; /* the last line handed out ended in LF */
    bool keep; /* set by the caller: hold every line, so that lines_rewind can start over */
};

void lines_open(struct lines *l, const char *path); /* NULL or "-" = stdin */
bool lines_next(struct lines *l, struct view *line);
int lines_peek(struct lines *l); /* first byte that is not blank, CR or LF (a BOM is passed over), or -1 for none */
void lines_rewind(struct lines *l); /* back to the first line; only with keep set since the beginning */
void lines_close(struct lines *l);

#endif
