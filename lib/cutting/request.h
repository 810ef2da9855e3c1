/* request: what the super-passes need of a ledger row, small enough to hold millions.  Layer 2.
 *
 * Stamps and spans are ns, INT_NONE or NAN where missing; token counts are -1 where missing.  A struct requests owns
 * its array. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define TOKENS_NONE (-1)

struct request {
    int64_t issued_ns, done_ns; /* first send, terminal event */
    int64_t latest_ns; /* the latest stamp it has of any kind */
    int64_t ttft_ns, e2e_ns; /* e2e and tpot of completed requests only */
    double tpot_ns;
    int32_t isl, osl;
    uint32_t seq; /* rank its own ledger gave it, 0 where none: orders equal stamps */
    uint32_t at; /* place in the order of reading */
    uint16_t file, run; /* which ledger, and which value of its `run` column, both from 0 */
    bool ended, completed; /* had a terminal event; ended well */
};

struct requests {
    struct request *v;
    size_t n, cap;
};

/* Sort by (issue, id, rank in its ledger, reading).  id[at] is the request's name, or id is NULL and names are passed
 * over.  Requests without an issue stamp come first, in the order of reading. */
void requests_sort(struct requests *r, const char *const *id);

/* Move every request of a ledger in time so that all ledgers start with the first issue of ledger 0.  n_files: ledgers.
 * */
void requests_align(struct requests *r, size_t n_files);

/* Drop the requests without an issue stamp, unless none has one; the number dropped. */
size_t requests_drop_unplaced(struct requests *r);

/* The requests of one run, in order: a new array, the caller's. */
struct requests requests_of_run(const struct requests *r, uint16_t run);

#endif
