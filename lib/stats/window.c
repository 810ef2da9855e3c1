#include "window.h"

#include <math.h>

#include "quantile.h"
#include "trend.h"

const char *const window_term_name[] = {"precision", "relaxation", "floor"};
const char *const window_confidence_name[] = {"none", "low", "full"};

static const double half_width = 0.05; /* of the mean, that precision asks for */
enum { BATCH = 5 };

struct window_duration window_duration(const double *gate, const double *span_ns, size_t k, double l_p90_s,
                                       double floor_s) {
    struct quantile_moments m = quantile_moments(gate, k);
    struct window_duration d = {.cov_b = quantile_cov(&m),
                                .tau_s = quantile_median(span_ns, k) / 1e9,
                                .l_p90_s = l_p90_s,
                                .relaxation_s = 5 * l_p90_s,
                                .floor_s = floor_s,
                                .k_star = WINDOW_MIN_PASSES};
    for (size_t i = 0; i < k; i++)
        d.span_ns += span_ns[i];
    d.window_s = d.span_ns / 1e9;

    double wanted = ceil(pow(1.96 * d.cov_b / half_width, 2));
    if (wanted > WINDOW_MIN_PASSES) {
        d.k_star = wanted < 1e15 ? (int64_t)wanted : (int64_t)1e15;
        d.precision_s = (double)d.k_star * d.tau_s;
    }
    const double term[] = {d.precision_s, d.relaxation_s, d.floor_s};
    for (int i = WINDOW_PRECISION; i <= WINDOW_FLOOR; i++)
        if (term[i] > d.min_s) {
            d.min_s = term[i];
            d.dominant = (enum window_term)i;
        }
    d.long_enough = d.window_s >= d.min_s;
    return d;
}

double window_se(const double *gate, size_t k) {
    struct quantile_moments m = quantile_moments(gate, k);
    return quantile_sd(&m) / sqrt((double)k);
}

double window_se5(const double *gate, size_t k) {
    struct quantile_moments batches = {0};
    if (k < 2 * BATCH) return NAN;
    for (size_t i = 0; i + BATCH <= k; i += BATCH)
        quantile_moments_add(&batches, quantile_moments(gate + i, BATCH).mean);
    return quantile_sd(&batches) / sqrt((double)batches.n);
}

enum window_confidence window_confidence(const double *gate, size_t k, size_t n_body) {
    struct quantile_moments m = quantile_moments(gate, k);
    if (k < 6) return WINDOW_NONE;
    return n_body < 20 || quantile_cov(&m) > .025 || trend_lag1(gate, k) > .5 ? WINDOW_LOW : WINDOW_FULL;
}
