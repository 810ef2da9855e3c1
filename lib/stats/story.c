#include "story.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "quantile.h"

enum { N_PHI = 20 };
static const double phi_step = .05;

/* ---- one story under every phi ---- */

/* Its likelihoods are summed, and its effect weighted by them, as shares of the greatest so far. */
struct pool {
    double most, sum, effect;
};

static void pool_add(struct pool *p, double log_l, double effect) {
    if (p->sum == 0 || log_l > p->most) {
        double shrink = p->sum == 0 ? 0 : exp(p->most - log_l);
        p->most = log_l;
        p->sum *= shrink;
        p->effect *= shrink;
    }
    double share = exp(log_l - p->most);
    p->sum += share;
    p->effect += share * effect;
}

static double pool_log(const struct pool *p) { return p->most + log(p->sum); }

/* ---- a series under one phi ---- */

/* Whitened: z_0 = sqrt(1 - phi^2) y_0, z_t = y_t - phi y_(t-1), and a constant likewise: sqrt(1 - phi^2), then d = 1 - phi. */
struct white {
    const double *y; /* x less its mean */
    size_t n;
    double phi, d, first; /* first: 1 - phi^2 */
    double cc, cz, level; /* products of the constant with itself and z; squares that are left by the best level */
    double rounding; /* squares below this are none */
};

static double white_at(const struct white *w, size_t t) { return w->y[t] - w->phi * w->y[t - 1]; }

static void whiten(struct white *w, double phi) {
    w->phi = phi;
    w->d = 1 - phi;
    w->first = 1 - phi * phi;
    w->cc = w->first + (double)(w->n - 1) * w->d * w->d;
    w->cz = w->first * w->y[0];
    double zz = w->first * w->y[0] * w->y[0];
    for (size_t t = 1; t < w->n; t++) {
        double z = white_at(w, t);
        w->cz += w->d * z;
        zz += z * z;
    }
    w->level = zz - w->cz * w->cz / w->cc;
}

static double log_likelihood(const struct white *w, double squares) {
    return (log(w->first) - (double)w->n * log(fmax(squares, w->rounding))) / 2;
}

/* Add a story of a constant and one column more, of which the products with the constant, itself and z are given. */
static void tell(struct pool *p, const struct white *w, double constant, double self, double z, double scale) {
    double across = z - constant * w->cz / w->cc;
    double slope = across / (self - constant * constant / w->cc);
    pool_add(p, log_likelihood(w, w->level - slope * across), slope * scale);
}

/* The column min(t, bend): a line, and level from `bend` on.  Visits every bend >= 1, the last of which is a line all along:
 * ramp[k], k < n - 1, and *line. */
static void tell_ramps(struct pool *ramp, struct pool *line, const struct white *w) {
    double constant = 0, self = 0, with_z = 0,
           after = (w->cz - w->first * w->y[0]) / w->d; /* after: sum of z beyond k */
    for (size_t k = 1; k < w->n; k++) {
        double z = white_at(w, k), climb = w->d * (double)k + w->phi, top = w->d * (double)k,
               rest = (double)(w->n - 1 - k);
        constant += w->d * climb;
        self += climb * climb;
        with_z += climb * z;
        after -= z;
        if (k == w->n - 1)
            tell(line, w, constant, self, with_z, (double)k);
        else if (ramp && k + 1 >= STORY_SIDE && k + STORY_SIDE <= w->n)
            tell(&ramp[k], w, constant + rest * w->d * top, self + rest * top * top, with_z + after * top, 1);
    }
}

/* The column that is 0 before k and 1 from there on, for every k. */
static void tell_steps(struct pool *step, const struct white *w) {
    double after = 0;
    for (size_t k = w->n - 1; k >= STORY_SIDE; k--) {
        double z = white_at(w, k), rest = (double)(w->n - 1 - k);
        if (k + STORY_SIDE <= w->n)
            tell(&step[k], w, w->d * (1 + rest * w->d), 1 + rest * w->d * w->d, z + w->d * after, 1);
        after += z;
    }
}

static struct white white_of(const double *x, size_t n, double *y) {
    double mean = quantile_moments(x, n).mean, largest = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] - mean;
        largest = fmax(largest, fabs(x[i]));
    }
    double rounding = (double)n * pow(largest * 0x1p-46, 2);
    return (struct white){.y = y, .n = n, .rounding = fmax(rounding, 1e-300)};
}

/* The most likely of the stories from a on, up to b. */
static size_t best_of(const struct pool *p, size_t a, size_t b) {
    size_t best = a;
    for (size_t k = a + 1; k < b; k++)
        if (pool_log(&p[k]) > pool_log(&p[best])) best = k;
    return best;
}

struct story story_of(const double *x, size_t n) {
    if (n < STORY_MIN_N) return (struct story){0};
    double *y = xcalloc(n, sizeof *y);
    struct pool level = {0}, line = {0}, *step = xcalloc(n, sizeof *step);
    struct white w = white_of(x, n, y);
    for (int i = 0; i < N_PHI; i++) {
        whiten(&w, i * phi_step);
        pool_add(&level, log_likelihood(&w, w.level), 0);
        tell_ramps(NULL, &line, &w);
        tell_steps(step, &w);
    }
    size_t at = best_of(step, STORY_SIDE, n - STORY_SIDE + 1);
    struct story s = {.line = 2 * (pool_log(&line) - pool_log(&level)),
                      .change = line.effect / line.sum,
                      .step = 2 * (pool_log(&step[at]) - pool_log(&level)),
                      .jump = step[at].effect / step[at].sum,
                      .at = at};
    free(y);
    free(step);
    return s;
}

double story_ramp(const double *x, size_t n) {
    if (n < STORY_MIN_N) return 0;
    double *y = xcalloc(n, sizeof *y);
    struct pool line = {0}, *ramp = xcalloc(n, sizeof *ramp);
    struct white w = white_of(x, n, y);
    for (int i = 0; i < N_PHI; i++) {
        whiten(&w, i * phi_step);
        tell_ramps(ramp, &line, &w);
    }
    double gain = 2 * (pool_log(&ramp[best_of(ramp, STORY_SIDE - 1, n - STORY_SIDE + 1)]) - pool_log(&line));
    free(y);
    free(ramp);
    return gain;
}
