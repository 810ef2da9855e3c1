/* interval: how far a number can be trusted.  Layer 1.
 *
 * Pure: no I/O, no allocation, nothing is kept.  Intervals are two-sided at 95 % unless a confidence is asked for; an
 * interval that cannot be given has NAN at both ends.
 *
 * Passes follow each other and are alike in what disturbs them, so an interval from requests as if they were
 * independent is far too narrow.  All intervals of means and rates here take passes (or clusters of requests) as the
 * unit.  Even that covers only 68 % at a lag-1 correlation of .6; interval_ratio therefore gives the lag-1 it saw and a
 * second, adjusted interval that covers 91..95 % from 12 passes on. */
#ifndef INTERVAL_H
#define INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double lo, hi;
};

/* Quantile of Student's t, 0 < p < 1, df > 0 and not necessarily whole. */
double interval_t(double p, double df);

/* Mean of k batch values and mean -+ t(k-1) s/sqrt(k) (batch means, Schmeiser 1982); NAN interval for k < 2. */
struct interval interval_mean(const double *x, size_t k, double *mean);

/* R = sum y / sum x over k passes, with var R = sum (y - R x)^2 / (k (k - 1)) / mean(x)^2 and Student t, k - 1 df
 * (ratio estimator, Cochran 1977).  tokens over spans gives tokens/s; n_i over the TPOT sums of the passes gives tokens
 * per second and user, 1 / mean TPOT, without inverting an interval.
 * lag1: of the residuals y - R x; NAN for k < 3 or when all of them are 0.
 * adjusted: rho = min(.95, (k lag1 + 1)/(k - 4)), 0 when negative or k < 8; half width times sqrt((1 + rho)/(1 - rho))
 * with Student t at max(2, k (1 - rho)/(1 + rho) - 1) df.
 * value is NAN when sum x = 0; both intervals are NAN for k < 2. */
struct interval_ratio {
    double value, lag1;
    struct interval ci, adjusted;
};
struct interval_ratio interval_ratio(const double *y, const double *x, size_t k);

/* Share of successes over k clusters, y successes of x requests each, by the ratio estimator, clipped to [0, 1].  NAN
 * and a reason below 10 clusters or when all clusters have the same share. */
enum interval_cluster { INTERVAL_CLUSTER_OK, INTERVAL_CLUSTER_FEW, INTERVAL_CLUSTER_NO_VARIANCE };
extern const char *const interval_cluster_name[]; /* NULL "few_clusters" "zero_variance" */
enum interval_cluster interval_cluster(const double *y, const double *x, size_t k, struct interval *ci);

/* How much more the shares of k clusters scatter than independent successes would: the sum of (y - x R)^2/(x R (1 - R)),
 * R = sum y/sum x, over its k - 1 degrees of freedom (Pearson's dispersion, McCullagh & Nelder 1989); about 1 when requests
 * are independent, and the factor by which a binomial variance is too small.  NAN for k < 2, R = 0 or R = 1. */
double interval_overdispersion(const double *y, const double *x, size_t k);

/* Exact interval of a binomial share, successes of n (Clopper & Pearson 1934); 0 at no success, 1 at no failure; NAN
 * for n = 0. */
struct interval interval_clopper_pearson(int64_t successes, int64_t n, double confidence);

/* Score interval of a binomial share (Wilson 1927); NAN for n = 0. */
struct interval interval_wilson(int64_t successes, int64_t n, double confidence);

/* Interval of a - b from the two values and their own intervals, which need not be symmetric.  From two Wilson
 * intervals this is method 10 of Newcombe (1998); from others it is the same argument (Zou & Donner 2008). */
struct interval interval_difference(double a, struct interval of_a, double b, struct interval of_b);

/* P(Bin(n, p) = k) and P(Bin(n, p) <= k), 0 <= p <= 1. */
double interval_binomial_pmf(int64_t k, int64_t n, double p);
double interval_binomial_cdf(int64_t k, int64_t n, double p);

/* Early stopping (Reddi et al. 2020): the order statistic that, with the confidence given, is not below the percentile
 * p = num/den, so that a tail figure from few requests errs upwards.  h(t) is the least h >= 1 with
 * P(Bin(h + t, 1 - p) <= t) < 1 - confidence; min_queries = h(1) + 1; t is the largest with h(t) + t <= n.
 * ok: n >= min_queries; then sorted[index], index = n - t, is the estimate the t - 1 values above are dropped. */
struct interval_stopping {
    bool ok;
    size_t min_queries, t, index;
};
struct interval_stopping interval_early_stopping(size_t n, unsigned num, unsigned den, double confidence);

#endif
