/* series: a run over time.  Layer 8.
 *
 * Facts belong to the caller; documents follow jansson's reference rules. */
#ifndef SERIES_H
#define SERIES_H

#include "tally.h"

/* Offered, completed, accepted and output tokens per second, and requests in flight at its end, for each of at most 120
 * equal bins of [start, start + span_s), no more than requests, their width 1, 2 or 5 times a power of ten of seconds.
 * Tokens are those of the requests that completed in the bin, null where one does not tell them.  A new array. */
json_t *series_json(const struct fact *const *f, size_t n, int64_t start_ns, double span_s, int64_t cutoff_ns);

#endif
