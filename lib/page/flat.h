/* flat: a run as one flat row of figures, for machines and for the table of many runs.  Layer 7. */
#ifndef FLAT_H
#define FLAT_H

#include "doc.h"
#include "runs.h"

/* Column names and values in their order: text, numbers, truths or null.  Spans are ms or s and say so in the name.  The
 * first column, status, is the verdict, or "unreadable: reason"; certified says whether the steady figures are a result.  A new object; the same keys for every run. */
json_t *flat_row(const struct run *run);

/* Rows of all runs as TSV with a header row, or as a JSON object a line. */
void flat_tsv(struct buf *b, const struct runs *runs);
void flat_json(struct buf *b, const struct runs *runs);

#endif
