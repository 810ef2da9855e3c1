/* account: the report of a run under one contract, every offered request accounted for.  Layer 10.
 *
 * The whole run, a cohort of it and its segments each get the block of tally; here stands what is said about them.
 * Borrows everything in a struct account; documents follow jansson's reference rules. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "extent.h"
#include "offered.h"

struct account {
    const struct offered *offered;
    const struct scoring *scoring; /* one of them */
    size_t n; /* the requests of the run: scoring->in_order[0..n), as extent_of_run left them */
    struct extent extent;
    double drain_s, level_rps; /* NAN: not stated */
    int64_t cluster; /* requests per cluster; 0: not stated */
    const double *cohort; /* [2], from and to in seconds; NULL = none */
    const char *window; /* the name of plateau's report; NULL = none */
    const json_t *steady; /* that report */
    const double *threshold; /* [n_thresholds] scores */
    size_t n_thresholds;
    bool unobserved_fails;
};

/* The document of kind "goodput", listed in steadytools-report(5).  Its warnings go to stderr as well. */
json_t *account_report(const struct account *a);

#endif
