/* quantile: order statistics, moments, distance and histograms of plain arrays.  Layer 0.
 *
 * Pure: no I/O, no allocation, the caller owns every array and keeps NAN out of it.  Infinities are values like any
 * other and sort last and first.  Percentiles are given as an integer ratio num/den (99.9 % = 999/1000), because n - 1
 * times a binary .9 is not what the definition means.
 *
 * One rule for percentiles is used everywhere, sorted[floor(p (n - 1))]: it always is an observed value, never one made
 * by interpolation.  The exception is a contract's percentile, which is tested at the nearest rank ceil(p n), because
 * "99 % of the requests within X" is a count. */
#ifndef QUANTILE_H
#define QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Index into the sorted values: floor(num (n - 1) / den), and ceil(num n / den) - 1 (at least 0).  n >= 1. */
size_t quantile_rank(size_t n, unsigned num, unsigned den);
size_t quantile_rank_nearest(size_t n, unsigned num, unsigned den);

/* sorted[rank] of x[0..n) without sorting: O(n), x is not moved.  rank < n < 2^32. */
double quantile_select(const double *x, size_t n, size_t rank);

/* The value at quantile_rank, or at quantile_rank_nearest; NAN when n = 0. */
double quantile_floor(const double *x, size_t n, unsigned num, unsigned den);
double quantile_nearest(const double *x, size_t n, unsigned num, unsigned den);

/* Mean of the middle two (of the middle one when n is odd); NAN when n = 0. */
double quantile_median(const double *x, size_t n);

/* Median absolute deviation from `centre`, unscaled (times 1.4826 it would estimate a normal sd); NAN when n = 0.
 * work: n doubles. */
double quantile_mad(const double *x, size_t n, double centre, double *work);

/* Running mean and sum of squared deviations (Welford 1962).  {0} is empty. */
struct quantile_moments {
    size_t n;
    double mean, m2;
};
static inline void quantile_moments_add(struct quantile_moments *m, double x) {
    double d = x - m->mean;
    m->mean += d / (double)++m->n;
    m->m2 += d * (x - m->mean);
}
struct quantile_moments quantile_moments(const double *x, size_t n);
double quantile_sd(const struct quantile_moments *m); /* population sd; NAN when n = 0 */
double quantile_cov(const struct quantile_moments *m); /* population sd / |mean|; NAN when n < 2 or the mean is 0 */

/* Largest distance between the two empirical distribution functions (Kolmogorov, Smirnov), 0..1, ties stepped over
 * together.  a sorted upwards, b in any order (the larger one: O(nb log na)), work [2 na + 1]; NAN when
 * either is empty. */
double quantile_ks(const double *a, size_t na, const double *b, size_t nb, size_t *work);

/* Histogram with 20 bins per decade: bin i holds 10^(i/20) <= x < 10^((i+1)/20), so the bins of all runs are the same.
 * Values of any unit; those <= 0 are counted in `zero`, those outside 10^-10..10^20 in the outermost bins. */
#define QUANTILE_BINS_PER_DECADE 20
#define QUANTILE_BIN_MIN (-10 * QUANTILE_BINS_PER_DECADE)
#define QUANTILE_BINS (30 * QUANTILE_BINS_PER_DECADE)
struct quantile_histogram {
    int64_t zero;
    int lo, hi; /* bins lo..hi-1 hold something at both ends; lo = hi when none does */
    int64_t count[QUANTILE_BINS]; /* of bin i at [i - QUANTILE_BIN_MIN] */
};
void quantile_histogram(struct quantile_histogram *h, const double *x, size_t n);
double quantile_edge(int i); /* 10^(i/20) */

#endif
