#include "shift.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "quantile.h"

const double shift_least = 0.05;

double shift_level(const double *y, const double *w, size_t lo, size_t hi) {
    double sum = 0, weight = 0;
    for (size_t i = lo; i < hi; i++) {
        sum += w[i] * y[i];
        weight += w[i];
    }
    return sum / weight;
}

double shift_between(double level, double base) { return trend_rel(level - base, base); }
bool shift_differs(double level, double base) { return fabs(shift_between(level, base)) > shift_least; }

static double squares_from_levels(const double *y, const struct shift_plateau *p, size_t k) {
    double sse = 0;
    for (size_t j = 0; j < k; j++)
        sse += quantile_moments(y + p[j].lo, p[j].hi - p[j].lo).m2;
    return sse;
}

static double squares_from_line(const double *y, const struct shift_plateau *p, size_t k) {
    struct quantile_moments t = {0}, v = {0};
    for (size_t j = 0; j < k; j++)
        for (size_t i = p[j].lo; i < p[j].hi; i++) {
            quantile_moments_add(&t, (double)i);
            quantile_moments_add(&v, y[i]);
        }
    double ctv = 0;
    for (size_t j = 0; j < k; j++)
        for (size_t i = p[j].lo; i < p[j].hi; i++)
            ctv += ((double)i - t.mean) * (y[i] - v.mean);
    double slope = ctv / t.m2, sse = 0;
    for (size_t j = 0; j < k; j++)
        for (size_t i = p[j].lo; i < p[j].hi; i++) {
            double e = y[i] - v.mean - slope * ((double)i - t.mean);
            sse += e * e;
        }
    return sse;
}

struct shift_fit shift_fit(const double *y, const struct shift_plateau *p, size_t k) {
    size_t passes = 0;
    for (size_t j = 0; j < k; j++)
        passes += p[j].hi - p[j].lo;
    /* cppcheck-suppress invalidFunctionArg; k >= 1 and no plateau is empty */
    double n = (double)passes, per_parameter = log(n);
    return (struct shift_fit){
        .levels = n * log(squares_from_levels(y, p, k) / n) + (double)(2 * k - 1) * per_parameter,
        .line = n * log(squares_from_line(y, p, k) / n) + 2 * per_parameter,
    };
}

/* The values of y[lo..n) that are not missing, and where each stood.  Returns how many. */
static size_t known(const double *y, size_t lo, size_t n, double *v, size_t *at) {
    size_t k = 0;
    for (size_t i = lo; i < n; i++)
        if (!isnan(y[i])) {
            v[k] = y[i];
            at[k++] = i;
        }
    return k;
}

struct shift shift_find(const double *y, size_t n, const struct shift_plateau *p, size_t k, size_t base, double alpha,
                        bool robust, struct trend_work *work) {
    struct shift s = {0};
    size_t lo = p[base].lo;
    double *v = xcalloc(n - lo, sizeof *v);
    size_t *at = xcalloc(n - lo, sizeof *at);
    size_t m = known(y, lo, n, v, at);
    s.pettitt = trend_pettitt(v, m, work);
    s.change = at[s.pettitt.change];
    free(v);
    free(at);

    bool differs = false;
    for (size_t j = base + 1; j < k; j++) {
        double delta = shift_between(p[j].level, p[base].level);
        if (!shift_differs(p[j].level, p[base].level)) continue;
        differs = true;
        if (fabs(delta) > fabs(s.delta)) s.delta = delta;
    }
    s.found = differs && s.pettitt.p < alpha && (!robust || shift_levels_win(shift_fit(y, p + base, k - base)));
    return s;
}

/* Medians of up to four (at least two) passes on either side of c, within 3 passes of `first`, shift_least of the level apart. */
static bool jumps(const double *y, size_t n, size_t first, double level) {
    for (size_t c = first > 3 ? first - 3 : 0; c <= first + 3 && c < n; c++) {
        size_t before = c < 4 ? c : 4, after = n - c < 4 ? n - c : 4;
        double sum = 0;
        for (size_t i = c - before; i < c + after; i++)
            sum += y[i];
        if (before < 2 || after < 2 || isnan(sum)) continue;
        double apart = quantile_median(y + c, after) - quantile_median(y + c - before, before);
        if (fabs(apart) >= shift_least * fabs(level)) return true;
    }
    return false;
}

struct shift_end shift_end(const double *const *gate, size_t n_gates, const double *y, size_t n,
                           struct shift_plateau plateau) {
    size_t k = plateau.hi - plateau.lo, first = plateau.lo;
    double *work = xcalloc(k, sizeof *work);
    double base = quantile_median(gate[0] + plateau.lo, k);
    for (size_t g = 0; g < n_gates; g++) {
        const double *x = gate[g] + plateau.lo;
        double median = quantile_median(x, k), mad = quantile_mad(x, k, median, work);
        size_t i = n;
        while (i > first && fabs(gate[g][i - 1] - median) > fmax(shift_least * fabs(median), 4 * mad))
            i--;
        first = i;
    }
    free(work);

    struct shift_end end = {.first = first};
    if (n - first < 2 || !jumps(y, n, first, plateau.level)) return end;
    end.found = true;
    end.delta = shift_between(quantile_moments(gate[0] + first, n - first).mean, base);
    return end;
}
