/* annotate: a ledger with what became of each request: its columns through unchanged, then `disposition` and `miss`.
 * Layer 6.
 *
 * Rows go out as they come, or, when nothing can be said before the end of the ledger, are held until they can.  Columns of
 * those names that the ledger had are replaced.  A struct annotate owns what it holds. */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "contract.h"
#include "table.h"

struct annotate {
    struct table_out out;
    struct column *column; /* [out.n], the last two ours; names are the ledger's, which must stay open */
    int *from; /* [out.n - 2]: the ledger's column */
    VEC(struct view) held; /* out.n - 2 cells a row */
    struct arena text;
};

/* Names of the misses, comma-joined, into text; returns the bytes (<= ANNOTATE_MISSES). */
#define ANNOTATE_MISSES 160
size_t annotate_misses(char text[ANNOTATE_MISSES], unsigned misses);

void annotate_begin(struct annotate *a, const struct table_in *ledger, enum spelling spelling, bool header,
                    const json_t *pg);
/* The ledger's current row; an untracked row, and one that is no part of the run, has no disposition (-1). */
void annotate_row(struct annotate *a, const struct table_in *ledger, int disposition, unsigned misses);
void annotate_hold(struct annotate *a, const struct table_in *ledger);
void annotate_held(struct annotate *a, size_t row, int disposition, unsigned misses); /* of the row-th held */
/* The ledger's own trailer, with the facts of its run and the count of each disposition. */
void annotate_end(struct annotate *a, const struct table_in *ledger, const int64_t dispositions[N_DISPOSITIONS]);

#endif
