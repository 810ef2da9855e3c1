/* totals: the whole run in figures, nothing cut away.  Layer 7.
 *
 * What steady figures are compared with.  New jansson references; nothing else is kept. */
#ifndef TOTALS_H
#define TOTALS_H

#include <stdint.h>

#include "doc.h"
#include "request.h"

/* {n_issued, span_ns, metrics.{ttft,tpot,e2e}.{n,mean_ns,p50_ns,p90_ns,p99_ns}, output_tokens, tps}.  wall_ns: first
 * issue to last event, INT_NONE = unknown.  TTFT of every request with a first token, TPOT and E2E of completed ones,
 * all tokens recorded. */
json_t *totals_of(const struct requests *r, int64_t wall_ns);

/* {isl,osl}.{n,mean,p50,p90,p99} in tokens, of completed requests: the same population as a pass's lengths. */
json_t *totals_lengths(const struct requests *r);

#endif
