/* stat_traps: the cases in which a plausible implementation of a statistic is wrong, with the values written out.
 *
 * Prints "ok NAME" or "not ok NAME: got wanted"; status 1 if one failed.  Needs no file. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "interval.h"
#include "quantile.h"
#include "trend.h"

#define N_MAX 1500
#define COUNT(a) (sizeof(a) / sizeof *(a))

static unsigned failed;
static struct trend_work *work;

static void near_by(const char *name, double got, double want, double tolerance) {
    if (got == want || fabs(got - want) <= tolerance || (isnan(want) && isnan(got))) {
        printf("ok %s\n", name);
    } else {
        failed++;
        printf("not ok %s: %.17g %.17g\n", name, got, want);
    }
}

static void is(const char *name, double got, double want) { near_by(name, got, want, 0); }

static void about(const char *name, double got, double want) { near_by(name, got, want, 1e-9 * fabs(want)); }

/* Uniform in [0, 1), the same everywhere. */
static double uniform(void) {
    static uint64_t s = 42;
    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s >> 11) / 9007199254740992.;
}

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentiles(void) {
    static double x[40000], sorted[40000];
    for (size_t i = 0; i < 101; i++)
        x[i] = (double)(100 - i);
    is("percentile: 29 % of 101 values is the 30th, though .29 * 100 < 29", quantile_floor(x, 101, 29, 100), 29);
    is("percentile: floor, not nearest", quantile_floor(x, 5, 1, 2), 98);
    is("percentile: 1 of 1", quantile_floor(x, 1, 99, 100), 100);
    is("percentile: none of none", quantile_floor(x, 0, 1, 2), NAN);
    is("nearest rank: 99 % of 100 is the 99th", (double)quantile_rank_nearest(100, 99, 100), 98);
    is("nearest rank: 99 % of 101 is the 100th", (double)quantile_rank_nearest(101, 99, 100), 99);
    is("nearest rank: 0 % is the first", (double)quantile_rank_nearest(7, 0, 100), 0);
    is("median: mean of the middle two", quantile_median((double[]){1, 100, 2, 3}, 4), 2.5);
    is("select: minus zero and zero are one value",
       quantile_select((double[]){0., -0., 1}, 3, 0) == 0 && quantile_select((double[]){0., -0., 1}, 3, 1) == 0, 1);
    is("select: infinity sorts last", quantile_floor((double[]){INFINITY, 1, 2}, 3, 1, 1), INFINITY);
    bool good = true;
    for (int kind = 0; kind < 5; kind++) {
        size_t n = COUNT(x);
        for (size_t i = 0; i < n; i++) {
            double u = uniform();
            x[i] = kind == 0   ? 2e7 * (1 + u / 20)
                   : kind == 1 ? floor(3 * u)
                   : kind == 2 ? (u - .5) * 1e300
                   : kind == 3 ? (i % 100 ? 5 : u)
                               : -DBL_MIN * u;
        }
        memcpy(sorted, x, sizeof x);
        qsort(sorted, n, sizeof *sorted, up);
        for (size_t q = 0; q <= 100; q++)
            good &= quantile_floor(x, n, (unsigned)q, 100) == sorted[quantile_rank(n, (unsigned)q, 100)];
    }
    is("select: equals a sort on 40 000 values of five kinds", good, 1);
}

static void moments(void) {
    struct quantile_moments m = quantile_moments((double[]){7}, 1);
    is("cov: one value is no verdict", quantile_cov(&m), NAN);
    m = quantile_moments((double[]){-1, 1}, 2);
    is("cov: mean 0 is no verdict", quantile_cov(&m), NAN);
    m = quantile_moments((double[]){-2, -4}, 2);
    about("cov: population sd over |mean|", quantile_cov(&m), 1. / 3);
    m = quantile_moments((double[]){1e15 + 1, 1e15 + 2, 1e15 + 3}, 3);
    about("sd: no cancellation", quantile_sd(&m), sqrt(2. / 3));
    double scratch[5];
    is("mad: unscaled", quantile_mad((double[]){1, 2, 3, 4, 100}, 5, 3, scratch), 1);
    size_t counts[9];
    is("ks: ties are stepped over together", quantile_ks((double[]){1, 1, 2}, 3, (double[]){1, 2, 2}, 3, counts),
       1. / 3);
    is("ks: the second in any order",
       quantile_ks((double[]){1, 3, 3, 5}, 4, (double[]){6, 2, 4, 2, 0, 3, 2, 4}, 8, counts), 0.25);
    is("ks: apart", quantile_ks((double[]){1, 2}, 2, (double[]){3}, 1, counts), 1);
    is("ks: the same", quantile_ks((double[]){1, 2, 2}, 3, (double[]){1, 2, 2}, 3, counts), 0);
    is("ks: nothing to compare", quantile_ks((double[]){1}, 1, NULL, 0, counts), NAN);
}

static void histogram(void) {
    static struct quantile_histogram h;
    double x[] = {0, 1, 9.99, 10, 1e7, 0, 0, 0};
    x[5] = quantile_edge(146);
    x[6] = nextafter(x[5], 0);
    x[7] = 1e300;
    quantile_histogram(&h, x, 7);
    is("histogram: zero is no logarithm", (double)h.zero, 1);
    is("histogram: an edge opens its bin", (double)h.count[146 - QUANTILE_BIN_MIN], 1);
    is("histogram: just below an edge", (double)h.count[145 - QUANTILE_BIN_MIN], 1);
    is("histogram: 10 is in bin 20", (double)h.count[20 - QUANTILE_BIN_MIN], 1);
    is("histogram: first", h.lo, 0);
    is("histogram: end", h.hi, 147);
    quantile_histogram(&h, x, 8);
    is("histogram: beyond the last bin", h.hi, QUANTILE_BIN_MIN + QUANTILE_BINS);
    about("histogram: edge", quantile_edge(145), 17782794.100389227);
}

/* The statistics of pairs by their definitions. */
static double sen_by_pairs(const double *x, size_t n) {
    static double slope[N_MAX * (N_MAX - 1) / 2];
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            slope[m++] = (x[j] - x[i]) / (double)(j - i);
    qsort(slope, m, sizeof *slope, up);
    return m % 2 ? slope[m / 2] : (slope[m / 2 - 1] + slope[m / 2]) / 2;
}

static double s_by_pairs(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            s += (x[j] > x[i]) - (x[j] < x[i]);
    return s;
}

static void pairs(void) {
    static double x[N_MAX];
    bool sen = true, s = true;
    for (int kind = 0; kind < 8; kind++)
        for (size_t n = 363; n <= N_MAX; n = n * 5 / 4 + 3) {
            for (size_t i = 0; i < n; i++) {
                double u = uniform(), t = (double)i;
                x[i] = kind == 0   ? 2e7 * (1 + u / 20)
                       : kind == 1 ? floor(3 * u)
                       : kind == 2 ? 5 + (i == n - 1)
                       : kind == 3 ? 100 + .1 * t
                       : kind == 4 ? t * t + u
                       : kind == 5 ? (i < n / 3 ? 1 : 2) + u * 1e-9
                       : kind == 6 ? -3 * t + floor(2 * u)
                                   : (i % 2 ? t : -t);
            }
            sen &= trend_theil_sen(x, n, work) == sen_by_pairs(x, n);
            s &= (double)trend_mann_kendall(x, n, work).s == s_by_pairs(x, n);
        }
    is("theil-sen: many points, the same bits as all pairs sorted", sen, 1);
    is("mann-kendall: many points, the same S as all pairs", s, 1);
}

/* c of hamed-rao-raw by its definition. */
static double c_by_lags(const double *x, size_t n) {
    static double d[N_MAX];
    double d2 = 0, sum = 0, m = (double)n;
    for (size_t i = 0; i < n; i++) {
        d[i] = 0;
        for (size_t j = 0; j < n; j++)
            d[i] += .5 * ((x[j] < x[i]) - (x[j] > x[i]));
        d2 += d[i] * d[i];
    }
    for (size_t k = 1; k < n; k++) {
        double r = 0, left = (double)(n - k);
        for (size_t t = k; t < n; t++)
            r += d[t] * d[t - k];
        if (fabs(r / d2) > 1.96 / sqrt(m)) sum += left * (left - 1) * (left - 2) * (r / d2);
    }
    double c = 1 + 2 * sum / (m * (m - 1) * (m - 2));
    return c > 0 ? c : 1;
}

static void lags(void) {
    static double x[N_MAX];
    bool same = true;
    for (size_t n = 250; n <= N_MAX; n = n * 4 / 3 + 1)
        for (int kind = 0; kind < 3; kind++) {
            double e = 0;
            for (size_t i = 0; i < n; i++) {
                e = .9 * e + uniform() - .5;
                x[i] = kind == 0 ? e : kind == 1 ? floor(4 * e) : (double)i + e;
            }
            same &= trend_hamed_rao(x, n, TREND_HAMED_RAO_RAW, work).c == c_by_lags(x, n);
        }
    is("hamed-rao: many points, the same bits as lag by lag", same, 1);
}

static void mann_kendall(void) {
    double x[60];
    for (size_t i = 0; i < 60; i++)
        x[i] = (double)i;
    struct trend_mk r = trend_mann_kendall(x, 60, work);
    near_by("mann-kendall: p keeps its digits far out", r.p / 1.6003001648355988e-29, 1, 1e-7);
    r = trend_mann_kendall((double[]){5, 5, 5, 5}, 4, work);
    is("mann-kendall: no variance, z", r.z, 0);
    is("mann-kendall: no variance, p", r.p, 1);
    r = trend_mann_kendall((double[]){1, 2, 3, 4}, 4, work);
    about("mann-kendall: cannot reject at n = 4", r.p, 0.08942935902899359);
    r = trend_mann_kendall((double[]){1, 2, 2, 3}, 4, work);
    about("mann-kendall: ties lessen the variance", r.var, 138. / 18);
    r = trend_mann_kendall(NULL, 0, work);
    is("mann-kendall: nothing", r.p, 1);
}

static void hamed_rao(void) {
    /* 45 pairs: the Sen slope is that of one pair, whose residuals are equal and which rounding orders at random. */
    double alternating[] = {10, 12.3, 10.6, 12.9, 11.2, 13.5, 11.8, 14.1, 12.4, 14.7}, moved[10], line[40], x[20],
           y[20];
    struct trend_hr r = trend_hamed_rao(alternating, 10, TREND_HAMED_RAO, work);
    about("hamed-rao: residuals that are equal up to rounding tie", r.c, 0.07833333333333325);
    bool steady = true;
    for (int k = 1; k <= 40; k++) {
        for (size_t i = 0; i < 10; i++)
            moved[i] = alternating[i] * (1 + k / 7.) + k / 3.;
        steady &= fabs(trend_hamed_rao(moved, 10, TREND_HAMED_RAO, work).c - r.c) < 1e-9;
    }
    is("hamed-rao: c does not move with scale and origin", steady, 1);

    for (size_t i = 0; i < 40; i++)
        line[i] = .3 + .1 * (double)i;
    is("hamed-rao: an exact line leaves no residuals", trend_hamed_rao(line, 40, TREND_HAMED_RAO, work).c, 1);
    is("hamed-rao-ar1: all residuals tie before the bias is put back",
       trend_hamed_rao(line, 40, TREND_HAMED_RAO_AR1, work).c, 1);
    is("newey-west: an exact line is degenerate", trend_newey_west(line, 40).degenerate, 1);
    is("newey-west: degenerate has no p", trend_newey_west(line, 40).p, NAN);

    for (size_t i = 0; i < 20; i++) {
        x[i] = (double)(i * 7 % 5);
        y[19 - i] = x[i];
    }
    about("hamed-rao-raw: midranks do not depend on the order of ties",
          trend_hamed_rao(x, 20, TREND_HAMED_RAO_RAW, work).c, trend_hamed_rao(y, 20, TREND_HAMED_RAO_RAW, work).c);
    double teeth[] = {2, 9, 1, 10, 1, 9, 2}; /* c would be -.035 */
    is("hamed-rao-raw: c <= 0 counts as 1", trend_hamed_rao(teeth, 7, TREND_HAMED_RAO_RAW, work).c, 1);
    is("hamed-rao-ar1: n = 4 is left alone", trend_hamed_rao((double[]){1, 1, 5, 5}, 4, TREND_HAMED_RAO_AR1, work).c,
       1);
    double one[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6};
    about("hamed-rao-ar1: bias-corrected lag 1", trend_hamed_rao(one, 12, TREND_HAMED_RAO_AR1, work).c,
          1.4361914092927013);
    for (size_t i = 0; i < 40; i++)
        line[i] = exp((double)i / 10);
    struct trend_mk mk = trend_mann_kendall(line, 40, work);
    is("mann-kendall as a form: c = 1", trend_hamed_rao(line, 40, TREND_MANN_KENDALL, work).z, mk.z);
}

static void lines(void) {
    double falling[] = {-1, -2, -3.5, -4, -5};
    struct trend_ols o = trend_ols(falling, 5);
    is("ols: a falling negative series drifts down", o.rel_drift < 0, 1);
    about("ols: relative to |median|", o.rel_drift, o.change / 3.5);
    o = trend_ols((double[]){-2, -1, 0, 1, 2}, 5);
    about("ols: median 0 counts as 1e-9", o.rel_drift, 4e9);
    o = trend_ols((double[]){5, 5, 5}, 3);
    is("ols: a constant has no drift", o.rel_drift, 0);
    is("ols: nor a signal", o.snr, 0);
    is("ols: one point has no slope", trend_ols(falling, 1).slope, NAN);
    struct trend_line l = {0};
    bool grows = true;
    for (size_t i = 0; i < 5; i++) {
        trend_line_add(&l, falling[i]);
        if (i) grows &= trend_line_slope(&l) == trend_ols(falling, i + 1).slope;
    }
    is("ols: growing by a point gives the same bits", grows, 1);
    o = (struct trend_ols){.rel_drift = -.15, .snr = 2};
    is("slope against scatter: both bounds included", trend_scatters(&o), 1);
    o.snr = 1.99;
    is("slope against scatter: lost in the scatter", trend_scatters(&o), 0);
}

static void change_points(void) {
    double step[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, ties[] = {1, 2, 2, 3};
    struct trend_pettitt r = trend_pettitt(step, 10, work);
    is("pettitt: K of a clean step", (double)r.k, 25);
    is("pettitt: change is the first index after it", (double)r.change, 5);
    about("pettitt: cannot reach .05 at n = 10", r.p, 2 * exp(-6. * 625 / 1100));
    r = trend_pettitt(ties, 4, work);
    is("pettitt: midranks", (double)r.k, 3);
    is("pettitt: the first of equal maxima", (double)r.change, 1);
    r = trend_pettitt((double[]){3, 3, 3}, 3, work);
    is("pettitt: no change in a constant", (double)r.change, 0);
    is("pettitt: p at most 1", r.p, 1);

    struct trend_mser m = trend_mser((double[]){5, 5, 5, 5}, 4);
    is("mser: smallest d on ties", (double)m.d, 0);
    m = trend_mser((double[]){1, 2, 3, 4, 5}, 5);
    is("mser: n/2 means none found", (double)m.d, 2);
    m = trend_mser((double[]){50, 10, 11, 10, 11, 10}, 6);
    is("mser: cuts the transient", (double)m.d, 1);
    double eleven[] = {9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 777};
    m = trend_mser5(eleven, 11, work);
    is("mser-5: tail dropped, batches counted", (double)m.d, 1);
    is("lag 1: undefined for a constant", trend_lag1((double[]){2, 2, 2, 2}, 4), NAN);
    about("lag 1", trend_lag1((double[]){1, 2, 3, 4}, 4), .25);
}

static void summaries(void) {
    struct trend_summary s;
    double x[30];
    for (size_t i = 0; i < 30; i++)
        x[i] = 100 + (double)i + (i % 3 == 1) * .1;
    trend_summarise(x, 30, TREND_MANN_KENDALL, .05, work, &s);
    is("summary: up", s.state, TREND_UP);
    is("summary: both others agree", s.agree, 2);
    is("summary: sen", s.sen, sen_by_pairs(x, 30));
    for (size_t i = 0; i < 30; i++)
        x[i] = -x[i];
    trend_summarise(x, 30, TREND_HAMED_RAO_AR1, .05, work, &s);
    is("summary: down", s.state, TREND_DOWN);
    trend_summarise(x, 3, TREND_HAMED_RAO_AR1, .05, work, &s);
    is("summary: insufficient below 4", s.state, TREND_INSUFFICIENT);
    trend_summarise(x, 0, TREND_HAMED_RAO_AR1, .05, work, &s);
    is("summary: nothing at all", s.state, TREND_INSUFFICIENT);
}

static void means_and_ratios(void) {
    near_by("t: beyond the printed tables", interval_t(.975, 31), 2.0395134463964077, 1e-9);
    near_by("t: fractional df", interval_t(.975, 2.37), 3.7189208397974571, 1e-9);
    near_by("t: many df", interval_t(.975, 1e6), 1.9599663568, 1e-9);
    double mean;
    struct interval ci = interval_mean((double[]){5, 7, 6}, 3, &mean);
    near_by("batch means: true t at 2 df", ci.lo, 3.51586228824967, 1e-9);
    is("batch means: one batch has no interval", interval_mean((double[]){5}, 1, &mean).lo, NAN);
    is("batch means: but a mean", mean, 5);

    /* A wandering ratio: y = 2x plus residuals 1 1 1 1 -1 -1 -1 -1, lag 1 = 5/8. */
    double x[] = {4, 4, 4, 4, 4, 4, 4, 4}, y[8];
    for (size_t i = 0; i < 8; i++)
        y[i] = 8 + (i < 4 ? 1 : -1);
    struct interval_ratio r = interval_ratio(y, x, 8);
    is("ratio: value", r.value, 2);
    about("ratio: lag 1 of the residuals", r.lag1, 5. / 8);
    double half = interval_t(.975, 7) * sqrt(8. / 56) / 4;
    about("ratio: half width", r.ci.hi - 2, half);
    about("ratio: centred on the value", 2 - r.ci.lo, half);
    about("ratio: adjusted, rho .95 at most, 2 df at least", r.adjusted.hi - 2,
          interval_t(.975, 2) * sqrt(8. / 56) / 4 * sqrt(1.95 / .05));
    r = interval_ratio(y, x, 7);
    is("ratio: below 8 passes no correlation is believed", r.adjusted.hi, r.ci.hi);
    for (size_t i = 0; i < 8; i++)
        y[i] = 8 + (i % 2 ? 1 : -1);
    r = interval_ratio(y, x, 8);
    is("ratio: a negative correlation narrows nothing", r.adjusted.hi, r.ci.hi);
    is("ratio: no lag 1 of two", interval_ratio(y, x, 2).lag1, NAN);
    is("ratio: no interval of one", interval_ratio(y, x, 1).ci.lo, NAN);
    is("ratio: over nothing", interval_ratio(y, (double[]){0, 0}, 2).value, NAN);
    for (size_t i = 0; i < 8; i++)
        y[i] = 8;
    r = interval_ratio(y, x, 8);
    is("ratio: no residuals, no lag 1", r.lag1, NAN);
    is("ratio: no residuals, no width", r.adjusted.hi, 2);
    double n[] = {1, 2}, tpot[] = {1, 4};
    is("ratio: of sums, not mean of ratios", interval_ratio(n, tpot, 2).value, .6);
}

static void shares(void) {
    is("clopper-pearson: 0 at no success", interval_clopper_pearson(0, 10, .95).lo, 0);
    about("clopper-pearson: 0 of 10", interval_clopper_pearson(0, 10, .95).hi, 0.308497107818761);
    is("clopper-pearson: 1 at no failure", interval_clopper_pearson(10, 10, .95).hi, 1);
    is("clopper-pearson: of none", interval_clopper_pearson(0, 0, .95).lo, NAN);
    bool tails = true;
    for (int64_t n = 1; n <= 10000000; n *= 10)
        for (int64_t k = 1; k < n; k += 1 + n / 7) {
            struct interval ci = interval_clopper_pearson(k, n, .95);
            tails &= fabs(interval_binomial_cdf(k, n, ci.hi) / .025 - 1) < 1e-6;
            tails &= fabs((1 - interval_binomial_cdf(k - 1, n, ci.lo)) / .025 - 1) < 1e-6;
        }
    is("clopper-pearson: both tails hold 2.5 % up to 10^7", tails, 1);

    double y[12], x[12];
    struct interval ci;
    for (size_t i = 0; i < 12; i++) {
        x[i] = 10;
        y[i] = i % 2 ? 10 : 9;
    }
    is("cluster: too few", interval_cluster(y, x, 9, &ci), INTERVAL_CLUSTER_FEW);
    is("cluster: no interval then", ci.lo, NAN);
    is("cluster: enough", interval_cluster(y, x, 10, &ci), INTERVAL_CLUSTER_OK);
    about("cluster: lower end", ci.lo, .95 - interval_t(.975, 9) * .05 / 3);
    for (size_t i = 0; i < 12; i++)
        y[i] = i ? 10 : 2;
    interval_cluster(y, x, 12, &ci);
    is("cluster: clipped at 1", ci.hi, 1);
    for (size_t i = 0; i < 12; i++)
        y[i] = 3;
    is("cluster: all alike", interval_cluster(y, x, 12, &ci), INTERVAL_CLUSTER_NO_VARIANCE);

    /* Newcombe 1998, table II, method 10. */
    ci = interval_difference(56. / 70, interval_wilson(56, 70, .95), 48. / 80, interval_wilson(48, 80, .95));
    near_by("newcombe: 56/70 - 48/80, lower", ci.lo, .0524, 5e-5);
    near_by("newcombe: 56/70 - 48/80, upper", ci.hi, .3339, 5e-5);
    ci = interval_difference(9. / 10, interval_wilson(9, 10, .95), 3. / 10, interval_wilson(3, 10, .95));
    near_by("newcombe: 9/10 - 3/10, lower", ci.lo, .1705, 5e-5);
    near_by("newcombe: 9/10 - 3/10, upper", ci.hi, .8090, 5e-5);
    is("wilson: 0 at no success", interval_wilson(0, 10, .95).lo, 0);
}

static void binomials(void) {
    about("binomial: deep in the tail", interval_binomial_pmf(2, 7, 1e-9), 2.0999999895000003e-17);
    about("binomial: n = 20, p = .8, k = 0", interval_binomial_pmf(0, 20, .8), 1.048576e-14);
    is("binomial: certain", interval_binomial_pmf(5, 5, 1), 1);
    is("binomial: outside", interval_binomial_pmf(6, 5, .5), 0);
    about("binomial: cdf n = 20, p = .8, k = 16", interval_binomial_cdf(16, 20, .8), 0.5885511380434315);
    is("binomial: cdf at n", interval_binomial_cdf(5, 5, .3), 1);
    bool sums = true;
    double sum = 0;
    for (int64_t k = 0; k < 3000; k++) {
        sum += interval_binomial_pmf(k, 3000, .01);
        sums &= fabs(interval_binomial_cdf(k, 3000, .01) / sum - 1) < 1e-9;
    }
    is("binomial: cdf is the sum of pmf", sums, 1);
    struct interval_stopping s = interval_early_stopping(64, 90, 100, .99);
    is("early stopping: 64 queries are just enough for p90", s.ok && s.t == 1 && s.index == 63, 1);
    is("early stopping: 63 are not", interval_early_stopping(63, 90, 100, .99).ok, 0);
    is("early stopping: and the count wanted is told", (double)interval_early_stopping(0, 99, 100, .99).min_queries,
       662);
    s = interval_early_stopping(270336, 99, 100, .99);
    is("early stopping: many", (double)s.t, 2583);
    is("early stopping: p99.9", (double)interval_early_stopping(6636, 999, 1000, .99).t, 1);
}

int main(void) {
    die_init("stat_traps");
    work = trend_work_new(N_MAX);
    percentiles();
    moments();
    histogram();
    pairs();
    lags();
    mann_kendall();
    hamed_rao();
    lines();
    change_points();
    summaries();
    means_and_ratios();
    shares();
    binomials();
    trend_work_free(work);
    return failed != 0;
}
