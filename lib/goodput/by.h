/* by: which segment of a run a request belongs to.  Layer 7.
 *
 * A key is a column, or bands of prompt or reply length.  Segments are numbered per key; by_order sorts them once all rows
 * are in.  A struct by owns its names. */
#ifndef BY_H
#define BY_H

#include "ledger.h"
#include "names.h"

enum by_what { BY_COLUMN, BY_ISL, BY_OSL };

struct by {
    const char *key; /* as reports name it: "tenant", "osl" */
    enum by_what what;
    VEC(int64_t) edge; /* ascending, the first is 0 */
    int column; /* in the open ledger */
    bool optional; /* the column may be absent */
    struct names segment; /* "chat", "[0,128)", "missing" */
    VEC(uint32_t) of; /* segment of each row given, in order */
    char *text;
};

/* "tenant", or "osl:0,128,512": bands [0,128) [128,512) [512,inf); one from 0 is added where the first edge is above it.
 * Edges that are no ascending non-negative integers die. */
void by_init(struct by *b, const char *spec);
/* Before the rows of a ledger.  A column it lacks dies, or, if it is optional, is missing in every row. */
void by_open(struct by *b, const struct table_in *ledger);
void by_row(struct by *b, const struct table_in *ledger, const struct ledger_row *row);
void by_free(struct by *b);

/* Numbers of the segments, in the order to report them: bands upwards, values as bytes, `missing` last.  The caller frees
 * the array of b->segment.name.n elements. */
uint32_t *by_order(const struct by *b);

#endif
