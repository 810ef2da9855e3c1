#include "trend.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "quantile.h"

#define LEVEL_FLOOR 1e-9 /* keeps a quotient by a median or a residual sd of 0 finite */
#define TIE_ULPS 64 /* what rounding may put between residuals that are equal */
#define DIRECT_N 256 /* up to here sums over lags are taken one by one */
#define PAIRS 65536 /* slopes held at once: all of them up to n = 362, a sample or a narrow range beyond */

const char *const trend_test_name[TREND_N_TESTS] = {
    [TREND_HAMED_RAO_AR1] = "hamed-rao-ar1",
    [TREND_HAMED_RAO] = "hamed-rao",
    [TREND_HAMED_RAO_RAW] = "hamed-rao-raw",
    [TREND_MANN_KENDALL] = "mann-kendall",
};

const char *const trend_state_name[] = {
    [TREND_INSUFFICIENT] = "insufficient",
    [TREND_PLATEAU] = "plateau",
    [TREND_UP] = "up",
    [TREND_DOWN] = "down",
};

/* A value and where it stood; lo is what a rounded value lost (0 for data). */
struct point {
    double v, lo;
    size_t i;
};

struct trend_work {
    struct point *a, *b;
    double *x, *slope;
    double *lag; /* [lags_room(n_max)] */
    double near, width; /* where the last slope lay; only how soon the next is found depends on it */
};

/* Sums over lags by Fourier transform need the next power of two from 2 n on. */
static size_t lags_room(size_t n) {
    size_t room = 1;
    while (room < 2 * n)
        room *= 2;
    return room;
}

struct trend_work *trend_work_new(size_t n_max) {
    struct trend_work *w = xmalloc(sizeof *w);
    size_t n = n_max ? n_max : 1;
    w->a = xrealloc(NULL, n, sizeof *w->a);
    w->b = xrealloc(NULL, n, sizeof *w->b);
    w->x = xrealloc(NULL, n, sizeof *w->x);
    w->slope = xrealloc(NULL, PAIRS, sizeof *w->slope);
    w->lag = xrealloc(NULL, lags_room(n), sizeof *w->lag);
    w->near = w->width = 0;
    return w;
}

void trend_work_free(struct trend_work *w) {
    if (w == NULL) return;
    free(w->a);
    free(w->b);
    free(w->x);
    free(w->slope);
    free(w->lag);
    free(w);
}

static inline bool below(const struct point *p, const struct point *q) {
    return p->v < q->v || (p->v == q->v && p->lo < q->lo);
}

/* Takes the slopes of pairs that a sort finds in the wrong order. */
struct emitter {
    size_t stride, skip; /* keep one pair in `stride`; pairs to pass over before the next one kept */
    double *out;
    size_t n;
    const double *x;
};

static void emit(struct emitter *e, const struct point *left, size_t n, const struct point *right) {
    for (; e->skip < n; e->skip += e->stride) {
        size_t i = left[e->skip].i, j = right->i;
        if (e->n < PAIRS) e->out[e->n++] = (e->x[j] - e->x[i]) / ((double)j - (double)i);
    }
    e->skip -= n;
}

/* Stable merge sort of a[0..n) upwards, b of the same size as scratch.  Returns how many pairs stood in the wrong
 * order; with `equal` pairs of equals count too, and are given to e when there is one. */
static int64_t sort_points(struct point *a, struct point *b, size_t n, bool equal, struct emitter *e) {
    int64_t inversions = 0;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo + width < n; lo += 2 * width) {
            size_t mid = lo + width, hi = n - mid < width ? n : mid + width;
            size_t i = lo, k = lo;
            size_t j = mid;
            if (equal) { /* counted ahead of the merge, which takes the left of two equals first */
                size_t s = lo;
                for (size_t r = mid; r < hi; r++) {
                    while (s < mid && below(&a[s], &a[r]))
                        s++;
                    inversions += (int64_t)(mid - s);
                    if (e) emit(e, a + s, mid - s, &a[r]);
                }
            }
            while (i < mid && j < hi) {
                if (below(&a[j], &a[i])) {
                    if (!equal) inversions += (int64_t)(mid - i);
                    b[k++] = a[j++];
                } else {
                    b[k++] = a[i++];
                }
            }
            memcpy(b + k, a + i, (mid - i) * sizeof *a);
            k += mid - i;
            memcpy(a + lo, b + lo, (k - lo) * sizeof *a); /* what is left of the right run stands where it belongs */
        }
    }
    return inversions;
}

/* sum of t (t - 1)(2t + 5) and, in *pairs, of t (t - 1)/2 over groups of equal values of sorted a. */
static double tie_sum(const struct point *a, size_t n, int64_t *pairs) {
    double sum = 0;
    *pairs = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && a[j].v == a[i].v;)
            j++;
        double t = (double)(j - i);
        sum += t * (t - 1) * (2 * t + 5);
        *pairs += (int64_t)(j - i) * (int64_t)(j - i - 1) / 2;
    }
    return sum;
}

static void points_of(struct point *a, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        a[i] = (struct point){x[i], 0, i};
}

/* z with continuity correction and its two-sided p.  erfc keeps its digits where 2 (1 - Phi) has none left. */
static void significance(int64_t s, double var, double *z, double *p) {
    *z = s == 0 || var <= 0 ? 0 : ((double)s - (s > 0 ? 1 : -1)) / sqrt(var);
    *p = erfc(fabs(*z) / M_SQRT2);
}

struct trend_mk trend_mk_of(int64_t s, size_t n, double ties) {
    double m = (double)n;
    struct trend_mk r = {.s = s, .var = n < 2 ? 0 : (m * (m - 1) * (2 * m + 5) - ties) / 18};
    significance(s, r.var, &r.z, &r.p);
    return r;
}

struct trend_mk trend_mann_kendall(const double *x, size_t n, struct trend_work *w) {
    points_of(w->a, x, n);
    int64_t discordant = sort_points(w->a, w->b, n, false, NULL), tied;
    double ties = tie_sum(w->a, n, &tied);
    int64_t pairs = n ? (int64_t)(n * (n - 1) / 2) : 0;
    return trend_mk_of(pairs - tied - 2 * discordant, n, ties);
}

/* x_i - theta i to twice double precision, so that comparing two of them compares a slope with theta exactly. */
static struct point lean(double x, size_t i, double theta) {
    double t = (double)i, p = theta * t, p_lo = fma(theta, t, -p);
    double s = x - p, back = s - x, s_lo = (x - (s - back)) - (p + back);
    double lo = s_lo - p_lo, v = s + lo;
    return (struct point){v, lo - (v - s), i};
}

/* Pairs whose slope is < theta, or <= theta. */
static int64_t slopes_below(const double *x, size_t n, double theta, bool equal, struct trend_work *w) {
    for (size_t i = 0; i < n; i++)
        w->a[i] = lean(x[i], i, theta);
    return sort_points(w->a, w->b, n, equal, NULL);
}

/* One in `stride` of the slopes in [lo, hi] into w->slope: between the two leans exactly these pairs change order. */
static size_t slopes_within(const double *x, size_t n, double lo, double hi, size_t stride, struct trend_work *w) {
    struct emitter e = {.stride = stride, .skip = stride / 2, .out = w->slope, .x = x};
    for (size_t i = 0; i < n; i++)
        w->a[i] = lean(x[i], i, lo);
    sort_points(w->a, w->b, n, false, NULL);
    for (size_t k = 0; k < n; k++)
        w->a[k] = lean(x[w->a[k].i], w->a[k].i, hi);
    sort_points(w->a, w->b, n, true, &e);
    return e.n;
}

/* A bound beside a slope, on the side of `sign`: slopes that differ by rounding alone stay together. */
static double outside(double slope, double sign) { return slope + sign * 1e-13 * fabs(slope); }

/* Slopes in [lo, hi] are those of rank under..end-1. */
struct range {
    double lo, hi;
    int64_t under, end;
};

/* The middle of the range, or what lies below or above it: whichever holds the rank.  True when it is the middle. */
static bool narrow(struct range *r, const double *x, size_t n, int64_t rank, double low, double high,
                   struct trend_work *w) {
    low = fmax(low, r->lo);
    high = fmin(high, r->hi);
    int64_t below_low = slopes_below(x, n, low, false, w), to_high = slopes_below(x, n, high, true, w);
    if (rank < below_low) { /* without those at 0, which may be most of all, or a sample never sees the others */
        double end = low == 0 ? nextafter(low, -1) : low;
        *r = (struct range){r->lo, end, r->under, slopes_below(x, n, end, true, w)};
    } else if (rank >= to_high) {
        double begin = high == 0 ? nextafter(high, 1) : high;
        *r = (struct range){begin, r->hi, slopes_below(x, n, begin, false, w), r->end};
    } else {
        *r = (struct range){low, high, below_low, to_high};
        return true;
    }
    return false;
}

/* Slopes of any pairs.  Fixed seed: same input, same work. */
static size_t sample_pairs(const double *x, size_t n, double *slope) {
    size_t m = 0;
    for (uint64_t lcg = 1; m < PAIRS / 8;) {
        lcg = lcg * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t i = (size_t)((lcg >> 33) % n), j = (size_t)((lcg >> 11 & 0xffffffff) % n);
        if (i != j) slope[m++] = (x[j] - x[i]) / ((double)j - (double)i);
    }
    return m;
}

/* The rank-th of the n (n - 1)/2 slopes, n too large to hold them: a range that holds it is narrowed by samples until
 * all slopes in it fit (after Matousek 1991).  It is begun round the slope found last, since callers that grow a window
 * ask for almost the same again.  *next is set to the slope after it where that one is at hand.  *held is the range whose
 * slopes are in w->slope at the end; left alone when they are not. */
static double slope_of_rank(const double *x, size_t n, int64_t rank, struct trend_work *w, double *next,
                            struct range *held) {
    double least = x[0], most = x[0];
    for (size_t i = 1; i < n; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    struct range r = {least - most, most - least, 0, (int64_t)(n * (n - 1) / 2)};
    if (w->width > 0) narrow(&r, x, n, rank, w->near - w->width, w->near + w->width, w);
    for (bool first = w->width == 0;; first = false) {
        size_t stride = (size_t)((r.end - r.under - 1) / PAIRS) + 1;
        size_t m = first ? sample_pairs(x, n, w->slope) : slopes_within(x, n, r.lo, r.hi, stride, w);
        if (!first && stride == 1) {
            size_t at = (size_t)(rank - r.under);
            if (at + 1 < m) *next = quantile_select(w->slope, m, at + 1);
            w->near = quantile_select(w->slope, m, at);
            w->width = fmax(w->near - r.lo, r.hi - w->near);
            *held = r;
            return w->near;
        }
        size_t at = (size_t)((double)(rank - r.under) / (double)(r.end - r.under) * (double)m);
        size_t slack = (size_t)(2 * sqrt((double)m)) + 1;
        at = at < m ? at : m - 1;
        double s = quantile_select(w->slope, m, at > slack ? at - slack : 0);
        double t = quantile_select(w->slope, m, at + slack < m ? at + slack : m - 1);
        if (outside(s, -1) <= r.lo && outside(t, 1) >= r.hi) /* many equal slopes: split at one of them */
            s = t = quantile_select(w->slope, m, at);
        if (narrow(&r, x, n, rank, outside(s, -1), outside(t, 1), w) && s == t) {
            if (rank + 1 < r.end) *next = s;
            return s;
        }
    }
}

double trend_theil_sen(const double *x, size_t n, struct trend_work *w) {
    if (n < 2) return NAN;
    size_t pairs = n * (n - 1) / 2, m = 0;
    struct range held;
    if (pairs > PAIRS) {
        double next = NAN, lower = slope_of_rank(x, n, (int64_t)((pairs - 1) / 2), w, &next, &held);
        if (pairs % 2) return lower;
        if (isnan(next)) next = slope_of_rank(x, n, (int64_t)(pairs / 2), w, &next, &held);
        return (lower + next) / 2;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            w->slope[m++] = (x[j] - x[i]) / (double)(j - i);
    return quantile_median(w->slope, m);
}

static double ulp(double x) { return nextafter(x, INFINITY) - x; }

/* Centred midranks of sorted a into d; values within `tie` of the first of their group are one group. */
static void ranks_of(const struct point *a, size_t n, double tie, double *d) {
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && a[j].v - a[i].v <= tie;)
            j++;
        double rank = (double)(i + j - 1) / 2 - (double)(n - 1) / 2;
        for (size_t k = i; k < j; k++)
            d[a[k].i] = rank;
    }
}

/* Of x - slope t. */
static void centred_ranks(const double *x, size_t n, double slope, double tie, double *d, struct trend_work *w) {
    for (size_t i = 0; i < n; i++)
        w->a[i] = (struct point){x[i] - slope * (double)i, 0, i};
    sort_points(w->a, w->b, n, false, NULL);
    ranks_of(w->a, n, tie, d);
}

static double autocovariance(const double *d, size_t n, size_t k) {
    double sum = 0;
    for (size_t t = k; t < n; t++)
        sum += d[t] * d[t - k];
    return sum;
}

/* (n - k)(n - k - 1)(n - k - 2), the weight of lag k. */
static double lag_weight(size_t n, size_t k) {
    double m = (double)(n - k);
    return m * (m - 1) * (m - 2);
}

/* All of them into r.  Centred midranks are halves, so four times a sum is whole and rounding makes it exact. */
static void autocovariances(const double *d, size_t n, double *r) {
    if (n <= DIRECT_N) {
        for (size_t k = 0; k < n; k++)
            r[k] = autocovariance(d, n, k);
        return;
    }
    size_t room = lags_room(n);
    memcpy(r, d, n * sizeof *r);
    memset(r + n, 0, (room - n) * sizeof *r);
    gsl_fft_real_radix2_transform(r, 1, room);
    r[0] *= r[0];
    r[room / 2] *= r[room / 2];
    for (size_t k = 1; k < room / 2; k++) {
        r[k] = r[k] * r[k] + r[room - k] * r[room - k];
        r[room - k] = 0;
    }
    gsl_fft_halfcomplex_radix2_inverse(r, 1, room);
    for (size_t k = 0; k < n; k++)
        r[k] = nearbyint(4 * r[k]) / 4;
}

/* c of the 1998 paper from centred ranks d: every lag whose correlation is significant by itself, with its sign. */
static double correction_significant(const double *d, size_t n, double d2, double *lag) {
    double sum = 0, bound = 1.96 / sqrt((double)n);
    autocovariances(d, n, lag);
    for (size_t k = 1; k + 2 < n; k++) {
        double r = lag[k] / d2;
        if (fabs(r) > bound) sum += lag_weight(n, k) * r;
    }
    double c = 1 + 2 * sum / lag_weight(n, 0);
    return c > 0 ? c : 1;
}

/* c from lag 1 alone: its bias put back, taken from ranks to values (2 sin(pi r/6)) and, lag by lag, back to ranks. */
static double correction_ar1(const double *d, size_t n, double d2) {
    if (n <= TREND_MIN_N) return 1;
    double r = autocovariance(d, n, 1) / d2, m = (double)n, rc = (m * r + 2) / (m - 4);
    if (rc <= 0) return 1;
    double rho = fmin(.95, 2 * sin(M_PI * fmin(1, rc) / 6)), power = 1, sum = 0;
    for (size_t k = 1; k + 3 <= n && power > 1e-20; k++) {
        power *= rho;
        sum += lag_weight(n, k) * (6 / M_PI) * asin(power / 2);
    }
    return 1 + 2 * sum / lag_weight(n, 0);
}

/* ---- a window that grows ---- */

#define BUCKETS 1024
#define LARGE_GROWTH 64 /* points at once, from which on it is no less work to start anew */

struct trend_growth {
    /* The slopes of x[0..n) in [range.lo, range.hi], in buckets of equal width; n = 0: none are held. */
    size_t n;
    struct range range;
    double near, width; /* of struct trend_work, for these slopes */
    double per_width; /* buckets per unit of slope */
    struct held {
        double slope;
        uint32_t next; /* in its bucket: index + 1, 0 = the last */
    } * held;
    size_t n_held, cap;
    uint32_t first[BUCKETS], count[BUCKETS];
    /* The points in the order of their residuals when last asked. */
    struct point *order;
    size_t n_order, order_cap;
};

struct trend_growth *trend_growth_new(void) {
    return xcalloc(1, sizeof(struct trend_growth));
}

void trend_growth_free(struct trend_growth *g) {
    free(g->held);
    free(g->order);
    free(g);
}

void trend_growth_restart(struct trend_growth *g) {
    g->n = g->n_order = 0;
    g->width = 0;
}

static void hold_slope(struct trend_growth *g, double slope) {
    size_t bucket = (size_t)((slope - g->range.lo) * g->per_width);
    if (bucket >= BUCKETS) bucket = BUCKETS - 1;
    if (g->n_held == g->cap) g->held = vec_grow(g->held, &g->cap, g->n_held + 1, sizeof *g->held);
    g->held[g->n_held++] = (struct held){slope, g->first[bucket]};
    g->first[bucket] = (uint32_t)g->n_held;
    g->count[bucket]++;
}

/* Take in the slopes of x[0..n) from where they were found. */
static void hold_slopes(struct trend_growth *g, size_t n, const struct range *r, const struct trend_work *w) {
    g->range = *r;
    g->n = n;
    g->n_held = 0;
    double scale = BUCKETS / (r->hi - r->lo);
    g->per_width = isfinite(scale) ? scale : 0;
    memset(g->first, 0, sizeof g->first);
    memset(g->count, 0, sizeof g->count);
    for (int64_t k = 0; k < r->end - r->under; k++)
        hold_slope(g, w->slope[k]);
}

/* Add the slopes of the points up to n. */
static void extend_slopes(struct trend_growth *g, const double *x, size_t n) {
    const double lo = g->range.lo, hi = g->range.hi;
    for (size_t j = g->n; j < n; j++) {
        int64_t under = 0;
        for (size_t i = 0; i < j; i++) {
            double slope = (x[j] - x[i]) / ((double)j - (double)i);
            under += slope < lo;
            if (slope >= lo && slope <= hi) hold_slope(g, slope);
        }
        g->range.under += under;
    }
    g->n = n;
    g->range.end = g->range.under + (int64_t)g->n_held;
}

/* The slope of that rank; NAN unless it is held, and so far from the ends of the range that rounding cannot have put
 * another one in or out. */
static double held_slope(const struct trend_growth *g, int64_t rank, struct trend_work *w) {
    if (rank < g->range.under || rank >= g->range.end) return NAN;
    size_t at = (size_t)(rank - g->range.under), b = 0, m = 0;
    for (; at >= g->count[b]; b++)
        at -= g->count[b];
    if (g->count[b] > PAIRS) return NAN;
    for (uint32_t k = g->first[b]; k; k = g->held[k - 1].next)
        w->slope[m++] = g->held[k - 1].slope;
    double slope = quantile_select(w->slope, m, at);
    return slope > outside(g->range.lo, 1) && slope < outside(g->range.hi, -1) ? slope : NAN;
}

/* The same as trend_theil_sen. */
static double grown_theil_sen(struct trend_growth *g, const double *x, size_t n, struct trend_work *w) {
    size_t pairs = n * (n - 1) / 2;
    int64_t rank = (int64_t)((pairs - 1) / 2);
    if (pairs <= PAIRS) return trend_theil_sen(x, n, w);
    if (g->n > 0 && g->n <= n && n - g->n <= LARGE_GROWTH && g->n_held <= 2 * PAIRS) {
        extend_slopes(g, x, n);
        double lower = held_slope(g, rank, w), upper = pairs % 2 ? lower : held_slope(g, rank + 1, w);
        if (!isnan(lower) && !isnan(upper)) return pairs % 2 ? lower : (lower + upper) / 2;
    }
    struct range r = {0};
    double next = NAN;
    w->near = g->near;
    w->width = g->width;
    double lower = slope_of_rank(x, n, rank, w, &next, &r);
    g->n = 0;
    if (r.end > 0) hold_slopes(g, n, &r, w);
    if (pairs % 2 == 0 && isnan(next)) next = slope_of_rank(x, n, rank + 1, w, &next, &r);
    g->near = w->near;
    g->width = w->width;
    return pairs % 2 ? lower : (lower + next) / 2;
}

/* Sort x - slope t, beginning with the order it had with another slope and fewer points. */
static const struct point *grown_order(struct trend_growth *g, const double *x, size_t n, double slope,
                                       struct trend_work *w) {
    while (g->order_cap < n)
        g->order = vec_grow(g->order, &g->order_cap, n, sizeof *g->order);
    if (g->n_order > n) g->n_order = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = k < g->n_order ? g->order[k].i : k;
        g->order[k] = (struct point){x[i] - slope * (double)i, 0, i};
    }
    g->n_order = n;
    size_t moves = 0;
    for (size_t k = 1; k < n && moves < 16 * n; k++) {
        struct point p = g->order[k];
        size_t at = k;
        for (; at > 0 && p.v < g->order[at - 1].v; at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = p;
        moves += k - at;
    }
    if (moves >= 16 * n) sort_points(g->order, w->b, n, false, NULL);
    return g->order;
}

/* `mk` is the plain test of x; g: of the window that x is, or NULL. */
static struct trend_hr corrected(const double *x, size_t n, enum trend_test test, const struct trend_mk *mk, double sen,
                                 struct trend_growth *g, struct trend_work *w) {
    struct trend_hr r = {1, mk->z, mk->p};
    if (test == TREND_MANN_KENDALL || n < 3) return r;
    double slope = 0, tie = 0;
    if (test != TREND_HAMED_RAO_RAW) {
        slope = sen;
        double scale = fabs(slope) * (double)(n - 1);
        for (size_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(x[i]));
        tie = TIE_ULPS * ulp(scale);
    }
    double *d = w->x;
    if (g)
        ranks_of(grown_order(g, x, n, slope, w), n, tie, d);
    else
        centred_ranks(x, n, slope, tie, d, w);
    double d2 = autocovariance(d, n, 0);
    if (d2 == 0) return r; /* all residuals tie: nothing is left to be correlated */
    r.c = test == TREND_HAMED_RAO_AR1 ? correction_ar1(d, n, d2) : correction_significant(d, n, d2, w->lag);
    significance(mk->s, r.c * mk->var, &r.z, &r.p);
    return r;
}

static bool detrends(enum trend_test test) { return test == TREND_HAMED_RAO || test == TREND_HAMED_RAO_AR1; }

struct trend_hr trend_hamed_rao(const double *x, size_t n, enum trend_test test, struct trend_work *w) {
    struct trend_mk mk = trend_mann_kendall(x, n, w);
    return corrected(x, n, test, &mk, detrends(test) ? trend_theil_sen(x, n, w) : 0, NULL, w);
}

struct trend_hr trend_growth_hamed_rao(struct trend_growth *g, const double *x, size_t n, enum trend_test test,
                                       const struct trend_mk *mk, struct trend_work *w) {
    return corrected(x, n, test, mk, detrends(test) && n > 1 ? grown_theil_sen(g, x, n, w) : 0, g, w);
}

double trend_line_slope(const struct trend_line *l) {
    double n = (double)l->n;
    return l->n < 2 ? NAN : l->cxt / (n * (n * n - 1) / 12);
}

double trend_rel(double delta, double level) { return delta / fmax(fabs(level), LEVEL_FLOOR); }

struct trend_ols trend_ols(const double *x, size_t n) {
    if (n < 2) return (struct trend_ols){NAN, NAN, NAN, NAN, NAN, NAN};
    struct trend_line l = {0};
    for (size_t i = 0; i < n; i++)
        trend_line_add(&l, x[i]);
    struct trend_ols r = {.slope = trend_line_slope(&l), .mean = l.mean};
    double middle = (double)(n - 1) / 2, sse = 0;
    for (size_t i = 0; i < n; i++) {
        double e = x[i] - r.mean - r.slope * ((double)i - middle);
        sse += e * e;
    }
    r.resid_sd = sqrt(sse / (double)n);
    r.change = r.slope * (double)(n - 1);
    r.rel_drift = trend_rel(r.change, quantile_median(x, n));
    r.snr = fabs(r.change) / (r.resid_sd + LEVEL_FLOOR);
    return r;
}

bool trend_scatters(const struct trend_ols *o) { return fabs(o->rel_drift) >= .15 && o->snr >= 2; }

struct trend_nw trend_newey_west(const double *x, size_t n) {
    const struct trend_nw none = {NAN, NAN, true};
    if (n < 3) return none;
    struct trend_ols o = trend_ols(x, n);
    double m = (double)n, middle = (m - 1) / 2, most = 0, scale = fabs(o.change);
    size_t lags = (size_t)fmax(1, floor(4 * pow(m / 100, 2. / 9)));
    double cross[64] = {0}, recent[64] = {0}; /* lag 64 would need n of more than 10^7 */
    if (lags > 63) lags = 63;
    for (size_t i = 0; i < n; i++) {
        double t = (double)i - middle, e = x[i] - o.mean - o.slope * t, u = t * e;
        most = fmax(most, fabs(e));
        scale = fmax(scale, fabs(x[i]));
        cross[0] += u * u;
        for (size_t l = 1; l <= lags && l <= i; l++)
            cross[l] += u * recent[(i - l) % 64];
        recent[i % 64] = u;
    }
    double sum = cross[0], sxx = m * (m * m - 1) / 12;
    for (size_t l = 1; l <= lags; l++)
        sum += 2 * (1 - (double)l / (double)(lags + 1)) * cross[l];
    if (most <= TIE_ULPS * ulp(scale) || sum <= 0) return none;
    struct trend_nw r = {.t = o.slope * sxx / sqrt(sum)};
    r.p = erfc(fabs(r.t) / M_SQRT2);
    return r;
}

double trend_pettitt_p(int64_t k, size_t n) {
    double m = (double)n, u = (double)k;
    return n < 2 ? 1 : fmin(1, 2 * exp(-6 * u * u / (m * m * m + m * m)));
}

struct trend_pettitt trend_pettitt(const double *x, size_t n, struct trend_work *w) {
    struct trend_pettitt r = {0, 0, 1};
    centred_ranks(x, n, 0, 0, w->x, w);
    int64_t u = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        u += (int64_t)(2 * w->x[i]); /* twice a midrank is whole */
        if (llabs(u) > r.k) {
            r.k = llabs(u);
            r.change = i + 1;
        }
    }
    r.p = trend_pettitt_p(r.k, n);
    return r;
}

struct trend_mser trend_mser(const double *x, size_t n) {
    if (n == 0) return (struct trend_mser){0, NAN};
    struct trend_mser best = {0, INFINITY};
    struct quantile_moments m = {0};
    for (size_t d = n; d-- > 0;) { /* from the end, where adding a point is all it takes */
        quantile_moments_add(&m, x[d]);
        double stat = m.m2 / ((double)m.n * (double)m.n);
        if (d <= n / 2 && stat <= best.stat) best = (struct trend_mser){d, stat};
    }
    return best;
}

struct trend_mser trend_mser5(const double *x, size_t n, struct trend_work *w) {
    for (size_t b = 0; b < n / 5; b++)
        w->x[b] = quantile_moments(x + 5 * b, 5).mean;
    return trend_mser(w->x, n / 5);
}

double trend_lag1(const double *x, size_t n) {
    if (n < 3) return NAN;
    struct quantile_moments m = quantile_moments(x, n);
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += (x[i] - m.mean) * (x[i - 1] - m.mean);
    return m.m2 > 0 ? sum / m.m2 : NAN;
}

static enum trend_state direction(bool drifts, double sign) {
    if (!drifts) return TREND_PLATEAU;
    return sign > 0 ? TREND_UP : TREND_DOWN;
}

void trend_summarise(const double *x, size_t n, enum trend_test primary, double alpha, struct trend_work *w,
                     struct trend_summary *out) {
    struct trend_summary r = {.n = n, .primary = primary, .state = TREND_INSUFFICIENT};
    r.mk = trend_mann_kendall(x, n, w);
    r.sen = trend_theil_sen(x, n, w);
    r.hamed_rao = corrected(x, n, primary, &r.mk, r.sen, NULL, w);
    r.ols = trend_ols(x, n);
    r.newey_west = trend_newey_west(x, n);
    r.pettitt = trend_pettitt(x, n, w);
    if (n >= TREND_MIN_N) {
        r.state = direction(r.hamed_rao.p < alpha, (double)r.mk.s);
        r.agree = (direction(trend_scatters(&r.ols), r.ols.slope) == r.state) +
                  (!r.newey_west.degenerate && direction(r.newey_west.p < alpha, r.newey_west.t) == r.state);
    }
    *out = r;
}
