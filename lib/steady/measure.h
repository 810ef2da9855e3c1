/* measure: what a stretch of super-passes amounts to: rates, percentiles, lengths.  Layer 7.
 *
 * Pure over passes, which stay their owner's; nothing here allocates beyond the call.  A figure the passes do not yield
 * (no samples, no tokens, a missing span) is NAN, a count INT_NONE; times are ns, rates per second. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "interval.h"
#include "passes.h"
#include "quantile.h"

/* Pooled samples of a metric, without those marked as tail.  The means survive a table without samples. */
struct measure_metric {
    int64_t n;
    double mean, p50, p90, p99;
    struct interval p50_ci, p90_ci, p99_ci; /* 95 %, passes as clusters; NAN where the samples do not reach its ends */
    double early_p90, early_p99; /* the upper estimates of interval_early_stopping at 99 % confidence */
    struct quantile_histogram histogram;
};

struct measure {
    size_t n_passes;
    int64_t n_requests, n_samples; /* issued; with a TPOT, uncut */
    double span_ns;
    /* Passes are the batches of every interval. */
    struct interval_ratio per_user; /* samples over their TPOT: 1 / mean TPOT, tokens/s */
    struct interval_ratio system; /* tokens of the requests issued here, over the span */
    struct interval_ratio delivered; /* tokens of the requests that ended in this time, over the same span */
    struct interval_ratio qps; /* requests issued here that ended, over the span */
    struct measure_metric metric[N_METRICS];
    double isl_mean, osl_mean, osl_p50, osl_p99; /* of the requests issued here, cut or not */
    int64_t osl_n;
};

/* Of the passes v[0..k), k >= 1, in order; s: the whole run, whose requests may have ended in their time. */
void measure_of(const struct passes *s, const struct pass *const *v, size_t k, struct measure *out);

/* p90 of the time in the system of all requests of the passes, cut or not, ns: E2E; in service only (offline): E2E - TTFT,
 * for there the wait in the queue is part of the method.  Without samples the median of e2e_p90, offline none (NAN). */
double measure_l_p90(const struct passes *s, const struct pass *const *v, size_t k, bool in_service);

#endif
