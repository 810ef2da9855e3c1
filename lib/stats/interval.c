#include "interval.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "quantile.h"

#define CONFIDENCE .95
#define RHO_MAX .95
#define RHO_MIN_K 8 /* fewer passes say nothing about their correlation */
#define CLUSTERS_MIN 10

const char *const interval_cluster_name[] = {
    [INTERVAL_CLUSTER_OK] = NULL,
    [INTERVAL_CLUSTER_FEW] = "few_clusters",
    [INTERVAL_CLUSTER_NO_VARIANCE] = "zero_variance",
};

static const struct interval none = {NAN, NAN};

double interval_t(double p, double df) { return gsl_cdf_tdist_Pinv(p, df); }

static struct interval around(double value, double half) { return (struct interval){value - half, value + half}; }

struct interval interval_mean(const double *x, size_t k, double *mean) {
    struct quantile_moments m = quantile_moments(x, k);
    *mean = k ? m.mean : NAN;
    if (k < 2) return none;
    double n = (double)k;
    return around(m.mean, interval_t((1 + CONFIDENCE) / 2, n - 1) * sqrt(m.m2 / (n - 1) / n));
}

struct interval_ratio interval_ratio(const double *y, const double *x, size_t k) {
    struct interval_ratio r = {NAN, NAN, none, none};
    double sum_y = 0, sum_x = 0, squares = 0, cross = 0, before = 0;
    for (size_t i = 0; i < k; i++) {
        sum_y += y[i];
        sum_x += x[i];
    }
    if (sum_x == 0) return r;
    r.value = sum_y / sum_x;
    for (size_t i = 0; i < k; i++) {
        double e = y[i] - r.value * x[i];
        squares += e * e;
        cross += e * before;
        before = e;
    }
    if (k < 2) return r;
    if (k >= 3 && squares > 0) r.lag1 = cross / squares;
    double m = (double)k, se = sqrt(squares / (m * (m - 1))) / fabs(sum_x / m), p = (1 + CONFIDENCE) / 2;
    double rho = k < RHO_MIN_K || isnan(r.lag1) ? 0 : fmin(RHO_MAX, fmax(0, (m * r.lag1 + 1) / (m - 4)));
    double inflation = (1 + rho) / (1 - rho);
    r.ci = around(r.value, interval_t(p, m - 1) * se);
    r.adjusted = around(r.value, interval_t(p, fmax(2, m / inflation - 1)) * se * sqrt(inflation));
    return r;
}

enum interval_cluster interval_cluster(const double *y, const double *x, size_t k, struct interval *ci) {
    *ci = none;
    if (k < CLUSTERS_MIN) return INTERVAL_CLUSTER_FEW;
    bool varies = false;
    for (size_t i = 1; i < k; i++)
        varies |= y[i] * x[0] != y[0] * x[i]; /* residuals of equal shares are rounding */
    if (!varies) return INTERVAL_CLUSTER_NO_VARIANCE;
    struct interval_ratio r = interval_ratio(y, x, k);
    *ci = (struct interval){fmax(0, r.ci.lo), fmin(1, r.ci.hi)};
    return INTERVAL_CLUSTER_OK;
}

/* Quantile of the beta law by halving: it cannot fail to converge, and ends at the last bit. */
static double beta_quantile(double p, double a, double b) {
    double lo = 0, hi = 1;
    for (;;) {
        double mid = lo + (hi - lo) / 2;
        if (mid <= lo || mid >= hi) return mid;
        if (gsl_cdf_beta_P(mid, a, b) < p)
            lo = mid;
        else
            hi = mid;
    }
}

double interval_overdispersion(const double *y, const double *x, size_t k) {
    double sum_y = 0, sum_x = 0, chi2 = 0;
    for (size_t i = 0; i < k; i++) {
        sum_y += y[i];
        sum_x += x[i];
    }
    double share = sum_y / sum_x;
    if (k < 2 || !(share > 0 && share < 1)) return NAN;
    for (size_t i = 0; i < k; i++)
        if (x[i] > 0) chi2 += (y[i] - x[i] * share) * (y[i] - x[i] * share) / (x[i] * share * (1 - share));
    return chi2 / (double)(k - 1);
}

struct interval interval_clopper_pearson(int64_t successes, int64_t n, double confidence) {
    if (n <= 0) return none;
    double tail = (1 - confidence) / 2, k = (double)successes, m = (double)n;
    return (struct interval){
        .lo = successes == 0 ? 0 : beta_quantile(tail, k, m - k + 1),
        .hi = successes == n ? 1 : beta_quantile(1 - tail, k + 1, m - k),
    };
}

struct interval interval_wilson(int64_t successes, int64_t n, double confidence) {
    if (n <= 0) return none;
    double z = gsl_cdf_ugaussian_Pinv((1 + confidence) / 2), m = (double)n, p = (double)successes / m;
    double centre = (p + z * z / (2 * m)) / (1 + z * z / m);
    double half = z / (1 + z * z / m) * sqrt(p * (1 - p) / m + z * z / (4 * m * m));
    return (struct interval){
        .lo = successes == 0 ? 0 : centre - half,
        .hi = successes == n ? 1 : centre + half,
    };
}

struct interval interval_difference(double a, struct interval of_a, double b, struct interval of_b) {
    return (struct interval){
        .lo = a - b - hypot(a - of_a.lo, of_b.hi - b),
        .hi = a - b + hypot(of_a.hi - a, b - of_b.lo),
    };
}

double interval_binomial_pmf(int64_t k, int64_t n, double p) {
    return k < 0 || k > n ? 0 : gsl_ran_binomial_pdf((unsigned)k, p, (unsigned)n);
}

double interval_binomial_cdf(int64_t k, int64_t n, double p) {
    if (k < 0) return 0;
    return k >= n ? 1 : gsl_cdf_beta_Q(p, (double)k + 1, (double)(n - k));
}

/* h(t) + t <= n says that n draws see at most t misses with a chance below 1 - confidence: h itself is never needed. */
static bool unlikely(size_t t, size_t n, double miss, double confidence) {
    return interval_binomial_cdf((int64_t)t, (int64_t)n, miss) < 1 - confidence;
}

struct interval_stopping interval_early_stopping(size_t n, unsigned num, unsigned den, double confidence) {
    struct interval_stopping r = {0};
    double miss = (double)(den - num) / (double)den;
    size_t low = 1, high = 2; /* one miss in `high` draws becomes unlikely somewhere in (low, high] */
    if (miss <= 0) return r;
    while (!unlikely(1, high, miss, confidence))
        low = high, high *= 2;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (unlikely(1, mid, miss, confidence))
            high = mid;
        else
            low = mid;
    }
    r.min_queries = high;
    r.ok = n >= high;
    if (!r.ok) return r;
    low = 1;
    high = n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (unlikely(mid, n, miss, confidence))
            low = mid;
        else
            high = mid;
    }
    r.t = low;
    r.index = n - low;
    return r;
}
