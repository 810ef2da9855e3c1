/* blocks: requests to super-passes.  Layer 7.
 *
 * Two ways to cut a run: blocks of equal size in issue order, which is what the method means by a super-pass, and bins
 * of equal completion time for runs that issue everything at once.  A pass handed out belongs to the struct blocks and
 * lives until the next call. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "passes.h"
#include "request.h"

struct blocks {
    int64_t size; /* requests per pass */
    int64_t concurrency; /* what active_pct is a percentage of; INT_NONE = unknown */
    struct pass pass; /* the one handed out last */
    struct requests open; /* the requests of the pass being filled */
    int64_t n_in; /* requests taken in */
    int64_t in_flight; /* just after the last of them */
    int64_t next_pass; /* number of the next pass handed out */
    size_t room; /* elements the sample vectors hold */
};

/* pass numbers start at `from`. */
void blocks_init(struct blocks *b, int64_t size, int64_t concurrency, int64_t from);
void blocks_free(struct blocks *b);

/* Take in the next request, in_flight just after it (INT_NONE = unknown).  When it begins a pass, the one before it is
 * complete and returned, otherwise NULL. */
const struct pass *blocks_add(struct blocks *b, const struct request *r, int64_t in_flight);
/* After the last request: the pass still open, not full if requests are missing from it; NULL if there is none. */
const struct pass *blocks_last(struct blocks *b);

/* Bins of completion time, [start_ns + i width_ns, …) up to the last end.  Members are the requests that ended in the
 * bin, in order of issue.  A bin that reaches beyond last_event_ns is not full and stops there.  An empty bin delivered
 * 0 tokens where the run records token counts.  r in order of issue. */
struct bins {
    struct blocks b;
    struct requests sorted; /* by bin, then rank, which `at` holds */
    size_t at;
    int64_t start_ns, width_ns, last_event_ns, i, n;
    bool has_tokens;
};
void bins_init(struct bins *s, const struct requests *r, int64_t start_ns, int64_t width_ns, int64_t last_event_ns,
               int64_t from);
/* How many of them will be full. */
int64_t bins_full(const struct requests *r, int64_t start_ns, int64_t width_ns, int64_t last_event_ns);
const struct pass *bins_next(struct bins *s); /* NULL after the last */
void bins_free(struct bins *s);

#endif
