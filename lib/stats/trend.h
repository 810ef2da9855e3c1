/* trend: is a series still moving?  Layer 2.
 *
 * Pure: no I/O; the only memory is the workspace, made once by trend_work_new and owned by the caller.  Series are
 * plain arrays without NAN, x[0..n), one value per super-pass, taken at t = 0..n-1.  p-values are two-sided.
 *
 * Which test to trust, and when
 * -----------------------------
 * Super-passes follow each other: a slow one is followed by a slow one.  Every test below that ignores this sees drift
 * where there is none.  Share of perfectly stationary series called drifting at alpha .05, n = 20, lag-1 correlation
 * 0 / .3 / .6 / .8:
 *
 *     plain Mann-Kendall        5 / 13 / 28 / 44 %   assumes independence; the honest baseline, not a gate
 *     TREND_HAMED_RAO_RAW       5 / 11 / 16 / 22 %   corrects with ranks of the series itself: a real trend looks like
 *                                                    correlation to it and is missed
 *     TREND_HAMED_RAO           8 / 16 / 28 / 38 %   the 1998 paper: detrended ranks, significant lags only; c may fall
 *                                                    below 1, and at small n it does so by chance
 *     TREND_HAMED_RAO_AR1       3 /  6 /  9 / 13 %   one lag, bias-corrected, c never below 1: keeps its level best
 *     Newey-West, normal p     16 / 22 / 34 / 47 %   needs hundreds of points; corroborates, never decides
 *
 * TREND_HAMED_RAO_AR1 is therefore the default.  Its price is power on short series: a 10 % drift in 3 % white noise is
 * found in 40 / 70 / 94 % of series of n = 8 / 12 / 20 (plain: 55 / 85 / 98 %).  No form can reject at n = 4, where
 * p >= .089: below n = 4 the answer is "insufficient", and up to 6 it should not be believed.
 *
 * A level step is not a trend.  Every Hamed-Rao form reads a step as correlation and forgives it (a 10 % step in the
 * middle is flagged 32 % of the time at n = 40, 20 % at n = 100): trend_pettitt is there for steps, and cannot reach
 * .05 for n <= 10.
 *
 * Significant is not large.  With enough passes any slope is significant, so a rule that breaks windows asks for an
 * effect as well: trend_rel (end to end change over |median|) against a floor.  trend_scatters asks the opposite
 * question, whether the change stands out of the scatter; at its bound of .15 it is blind to a 5 % drift. */
#ifndef TREND_H
#define TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trend_test { TREND_HAMED_RAO_AR1, TREND_HAMED_RAO, TREND_HAMED_RAO_RAW, TREND_MANN_KENDALL, TREND_N_TESTS };
extern const char *const trend_test_name[TREND_N_TESTS]; /* "hamed-rao-ar1" ... "mann-kendall" */

enum trend_state { TREND_INSUFFICIENT, TREND_PLATEAU, TREND_UP, TREND_DOWN };
extern const char *const trend_state_name[]; /* "insufficient" "plateau" "up" "down" */

#define TREND_MIN_N 4 /* fewest points any verdict is given for */

/* Scratch for series of up to n_max points; one per thread.  trend_work_free(NULL) is nothing. */
struct trend_work;
struct trend_work *trend_work_new(size_t n_max);
void trend_work_free(struct trend_work *w);

/* Mann-Kendall (Mann 1945, Kendall 1975): S, its variance with ties, z with continuity correction.  No variance (all
 * values equal, n < 2): z = 0, p = 1.  O(n log n). */
struct trend_mk {
    int64_t s;
    double var, z, p;
};
struct trend_mk trend_mann_kendall(const double *x, size_t n, struct trend_work *w);

/* The same from a known S and sum of t (t - 1)(2t + 5) over groups of t equal values, for growing windows. */
struct trend_mk trend_mk_of(int64_t s, size_t n, double ties);

/* Mann-Kendall with the variance multiplied by c for autocorrelation (Hamed & Rao 1998); c = 1 for TREND_MANN_KENDALL.
 * Residuals from the Sen slope within 64 ulp of each other are ties: the pair that is the slope would otherwise be
 * ordered by rounding, and the residuals of an exact line would be noise.  TREND_HAMED_RAO_AR1 departs from the paper:
 * lag 1 only, bias-corrected and carried on as an AR(1) process.  O(n^2). */
struct trend_hr {
    double c, z, p;
};
struct trend_hr trend_hamed_rao(const double *x, size_t n, enum trend_test test, struct trend_work *w);

/* The same for a window that grows at its end, bit for bit, from what is left of the window before: mk is the plain test of
 * x[0..n), and x[0..n') is what it was when last asked for n' < n.  restart: the next window has another beginning.  O(n log
 * n) where it was asked for almost the same before. */
struct trend_growth;
struct trend_growth *trend_growth_new(void);
void trend_growth_free(struct trend_growth *g);
void trend_growth_restart(struct trend_growth *g);
struct trend_hr trend_growth_hamed_rao(struct trend_growth *g, const double *x, size_t n, enum trend_test test,
                                       const struct trend_mk *mk, struct trend_work *w);

/* Median of all pairwise slopes, per step (Theil 1950, Sen 1968); NAN for n < 2. */
double trend_theil_sen(const double *x, size_t n, struct trend_work *w);

/* Least squares, one point at a time: adding x[0], x[1]... in turn gives the same bits as trend_ols.  {0} is empty. */
struct trend_line {
    size_t n;
    double mean, cxt; /* of x; sum of (t - mean t)(x - mean x) */
};
static inline void trend_line_add(struct trend_line *l, double x) {
    double d = x - l->mean;
    l->cxt += d * (double)l->n / 2; /* the new t stands n/2 above the mean of all */
    l->mean += d / (double)++l->n;
}
double trend_line_slope(const struct trend_line *l); /* per step; NAN for n < 2 */

/* delta over |level|; a level nearer 0 than 1e-9 counts as 1e-9.  The sign is that of delta, whatever that of level. */
double trend_rel(double delta, double level);

/* Least squares line.  rel_drift: change from first to last point over |median|, signed by the slope; snr: |change|
 * over resid_sd + 1e-9, resid_sd the population sd of the residuals.  All NAN for n < 2. */
struct trend_ols {
    double slope, mean, resid_sd, change, rel_drift, snr;
};
struct trend_ols trend_ols(const double *x, size_t n);

/* Slope against scatter: |rel_drift| >= .15 and snr >= 2. */
bool trend_scatters(const struct trend_ols *o);

/* t of the least squares slope with Bartlett weights (Newey & West 1987), lag max(1, floor(4 (n/100)^(2/9))), no
 * small-sample correction, p from the normal law.  degenerate: residuals at rounding level (or n < 3), t and p NAN. */
struct trend_nw {
    double t, p;
    bool degenerate;
};
struct trend_nw trend_newey_west(const double *x, size_t n);

/* Change point (Pettitt 1979) from midranks.  change: size of the first segment, which is the index of the first value
 * after the change (the first maximum of |U|; 0 when k = 0); p is the usual approximation, at most 1. */
struct trend_pettitt {
    int64_t k;
    size_t change;
    double p;
};
struct trend_pettitt trend_pettitt(const double *x, size_t n, struct trend_work *w);
double trend_pettitt_p(int64_t k, size_t n);

/* Truncation point (MSER, White 1997): the d <= n/2 that minimises sum (x_i - mean)^2 / (n - d)^2 over i >= d, the
 * smallest on ties.  d = n/2 (rounded down) means that none was found.  stat is the minimum; NAN for n = 0. */
struct trend_mser {
    size_t d;
    double stat;
};
struct trend_mser trend_mser(const double *x, size_t n);

/* The same on means of 5 consecutive values, an incomplete last batch dropped; d counts batches. */
struct trend_mser trend_mser5(const double *x, size_t n, struct trend_work *w);

/* Lag-1 autocorrelation sum d_t d_{t-1} / sum d^2 of deviations from the mean; NAN for n < 3 or a constant series. */
double trend_lag1(const double *x, size_t n);

/* Everything above, and what it says: state by significance of the primary test alone (p < alpha), and how many of the
 * two corroborating tests (slope against scatter, Newey-West) come to the same state, 0..2.  n < TREND_MIN_N:
 * insufficient, agree 0, the figures as far as they exist. */
struct trend_summary {
    size_t n;
    enum trend_test primary;
    enum trend_state state;
    int agree;
    struct trend_mk mk;
    struct trend_hr hamed_rao;
    struct trend_ols ols;
    struct trend_nw newey_west;
    double sen;
    struct trend_pettitt pettitt;
};
void trend_summarise(const double *x, size_t n, enum trend_test primary, double alpha, struct trend_work *w,
                     struct trend_summary *out);

#endif
