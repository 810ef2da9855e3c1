/* gnuplot: the program, as a child that reads a script and answers with drawings.  Layer 2. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stdbool.h>

#include "buf.h"

/* Run gnuplot (found by PATH; no shell, no settings of the user, an environment of its own) on a script and append what it
 * writes to answer.  False: why says what is wrong, in a few words.  The script may hold no text of somebody else but in
 * single quotes. */
bool gnuplot_run(struct buf *answer, const struct buf *script, char why[160]);

#endif
