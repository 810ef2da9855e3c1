/* tsv: the cells of a tab-separated line.  Layer 2; the only user of libcsv.
 *
 * Quotes count at the start of a cell only.  A line without a quote is split directly, with the same result as libcsv. */
#ifndef TSV_H
#define TSV_H

#include <stdbool.h>

#include "buf.h"

struct tsv {
    VEC(struct view) cell; /* of the last line; views into the line, or into text where a cell was quoted */
    bool odd; /* a cell may hold bytes beyond printable ASCII, or control characters */
    struct buf text;
    struct csv_parser *csv; /* made when the first quote is seen */
};

/* Split a line (no LF) into t->cell; the cells live as long as the line and until the next call. */
void tsv_split(struct tsv *t, struct view line);
void tsv_free(struct tsv *t);
/* Append a cell, quoted when it begins with '#' or '"'. */
void tsv_put(struct buf *b, struct view cell);

#endif
