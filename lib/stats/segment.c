#include "segment.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "quantile.h"
#include "story.h"

#define EDGE_LEAST .05
#define EDGE_SIDE 2 /* passes on either side of a split */
#define EXCURSION .05

static const struct setting {
    size_t min_n;
    double bound, tail;
} ensemble[] = {{4, .03, .045}, {4, .05, .075}, {5, .08, .12}};
#define N_SETTINGS (sizeof ensemble / sizeof *ensemble)

const char *segment_reason_name(enum segment_reason r) {
    switch (r) {
    case SEGMENT_MISSING: return "missing";
    case SEGMENT_COV: return "cov";
    case SEGMENT_TREND: return "trend";
    case SEGMENT_STEP: return "step";
    }
    return NULL;
}

static bool missing(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i])) return true;
    return false;
}

/* The settings that certify a gate's scatter over n passes, as bits.  No CoV, no certificate. */
static unsigned certificates(const struct segment_gate *g, double cov, size_t n) {
    unsigned bits = 0;
    for (size_t e = 0; e < N_SETTINGS; e++)
        if (n >= ensemble[e].min_n && cov < (g->tail ? ensemble[e].tail : ensemble[e].bound)) bits |= 1u << e;
    return bits;
}

/* ---- what breaks a window ---- */

static const struct segment_finding nothing = {0, NAN, NAN, NAN, NAN, NAN, NAN};

/* Mean from the change on less the mean before it, over |median|. */
static double jump_at(const double *x, size_t n, size_t change, double median) {
    struct quantile_moments before = quantile_moments(x, change), after = quantile_moments(x + change, n - change);
    return trend_rel(after.mean - before.mean, median);
}

/* The gain over one level of the likelier of a line and a step, of those that change enough; 0 where none does. */
static double told_gain(const double *x, size_t n, const struct segment_rules *rules) {
    struct story s = story_of(x, n);
    double median = quantile_median(x, n);
    double line = fabs(trend_rel(s.change, median)) >= rules->rel_drift ? s.line : 0;
    double step = fabs(trend_rel(s.jump, median)) >= rules->rel_drift ? s.step : 0;
    return fmax(0, fmax(line, step));
}

static bool asks(const struct segment_rules *rules, size_t n) { return rules->told && n >= STORY_MIN_N; }

/* Trend and step of a series without NAN, effect size first. */
static struct segment_finding breaks(const double *x, size_t n, const struct segment_rules *rules,
                                     struct trend_work *work) {
    struct segment_finding f = nothing;
    struct trend_ols o = trend_ols(x, n);
    f.drift = o.rel_drift;
    if (fabs(f.drift) >= rules->rel_drift) {
        f.drift_p = trend_hamed_rao(x, n, rules->trend, work).p;
        if (f.drift_p < rules->alpha) f.reasons |= SEGMENT_TREND;
    }
    if (rules->step) {
        struct trend_pettitt p = trend_pettitt(x, n, work);
        f.jump_p = p.p;
        if (p.p < rules->alpha) f.jump = jump_at(x, n, p.change, quantile_median(x, n));
        if (fabs(f.jump) >= rules->rel_drift) f.reasons |= SEGMENT_STEP;
    }
    if (f.reasons && asks(rules, n)) f.gain = told_gain(x, n, rules);
    if (f.gain <= SEGMENT_TOLD) f.reasons = 0;
    return f;
}

struct segment_finding segment_look(const struct segment *s, size_t g, size_t lo, size_t hi) {
    const double *x = s->gate[g].x + lo;
    size_t n = hi - lo;
    struct segment_finding f = nothing;
    if (missing(x, n)) {
        f.reasons = SEGMENT_MISSING;
        return f;
    }
    f = breaks(x, n, s->rules, s->work);
    struct quantile_moments m = quantile_moments(x, n);
    f.cov = quantile_cov(&m);
    if (!certificates(&s->gate[g], f.cov, n)) f.reasons |= SEGMENT_COV;
    return f;
}

bool segment_admissible(const struct segment *s, size_t lo, size_t hi) {
    if (hi - lo < SEGMENT_MIN_N) return false;
    unsigned certified = ~0u;
    for (size_t g = 0; g < s->n_gates; g++) {
        struct segment_finding f = segment_look(s, g, lo, hi);
        if (f.reasons) return false;
        certified &= certificates(&s->gate[g], f.cov, hi - lo);
    }
    return certified;
}

double segment_concordance(const struct segment *s, size_t lo, size_t hi) {
    unsigned certified = ~0u, applicable = 0, passed = 0;
    for (size_t g = 0; g < s->n_gates; g++) {
        struct quantile_moments m = quantile_moments(s->gate[g].x + lo, hi - lo);
        certified &= certificates(&s->gate[g], quantile_cov(&m), hi - lo);
    }
    for (size_t e = 0; e < N_SETTINGS; e++) {
        if (hi - lo < ensemble[e].min_n) continue;
        applicable++;
        passed += certified >> e & 1;
    }
    return applicable ? (double)passed / (double)applicable : NAN;
}

double segment_cov_bound(bool tail, size_t n) {
    double loosest = 0;
    for (size_t e = 0; e < N_SETTINGS && n >= ensemble[e].min_n; e++)
        loosest = fmax(loosest, tail ? ensemble[e].tail : ensemble[e].bound);
    return loosest;
}

enum trend_state segment_state(const double *x, size_t n, const struct segment_rules *rules, struct trend_work *work) {
    if (n < TREND_MIN_N) return TREND_INSUFFICIENT;
    struct segment_finding f = breaks(x, n, rules, work);
    if (f.reasons == 0) return TREND_PLATEAU;
    return (f.reasons & SEGMENT_TREND ? f.drift : f.jump) > 0 ? TREND_UP : TREND_DOWN;
}

bool segment_is_excursion(double x, double median) { return fabs(trend_rel(x - median, median)) > EXCURSION; }

/* ---- growing a window, pass by pass ---- */

/* One gate over [lo, lo + n).  Everything the cheap tests need is kept up to date as a pass is added. */
struct growth {
    const double *x; /* of all passes */
    size_t lo, n;
    bool missing;
    struct quantile_moments moments;
    struct trend_line line;
    struct trend_growth *trend;
    int64_t s; /* Mann-Kendall */
    double ties; /* sum of t (t - 1)(2t + 5) over groups of equal values */
    int64_t *u; /* Pettitt: u[k - 1] for a first segment of k passes */
    int64_t k;
    size_t change;
    /* Order statistics: counts of the distinct values of all passes in a Fenwick tree. */
    const double *distinct;
    size_t n_distinct, top; /* top: largest power of two <= n_distinct */
    const uint32_t *place; /* of each pass in `distinct` */
    uint32_t *tree; /* [n_distinct + 1] */
};

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void growth_init(struct growth *w, const double *x, size_t n) {
    double *distinct = xcalloc(n + 1, sizeof *distinct);
    uint32_t *place = xcalloc(n + 1, sizeof *place);
    size_t m = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) distinct[m++] = x[i];
    qsort(distinct, m, sizeof *distinct, up);
    for (size_t i = 0; i < m; i++)
        if (k == 0 || distinct[i] != distinct[k - 1]) distinct[k++] = distinct[i];
    for (size_t i = 0; i < n; i++) {
        const double *at = isnan(x[i]) ? NULL : bsearch(&x[i], distinct, k, sizeof *distinct, up);
        place[i] = at ? (uint32_t)(at - distinct) : 0;
    }
    *w = (struct growth){.x = x, .distinct = distinct, .n_distinct = k, .place = place, .top = 1};
    while (w->top * 2 <= k)
        w->top *= 2;
    w->trend = trend_growth_new();
    w->tree = xcalloc(k + 1, sizeof *w->tree);
    w->u = xcalloc(n + 1, sizeof *w->u);
}

static void growth_free(struct growth *w) {
    trend_growth_free(w->trend);
    free((double *)w->distinct);
    free((uint32_t *)w->place);
    free(w->tree);
    free(w->u);
}

static void tree_add(struct growth *w, size_t i, uint32_t d) {
    for (size_t at = w->place[i] + 1; at <= w->n_distinct; at += at & -at)
        w->tree[at] += d;
}

/* Back to no pass at all, before `lo`. */
static void growth_restart(struct growth *w, size_t lo) {
    for (size_t i = 0; i < w->n; i++)
        tree_add(w, w->lo + i, (uint32_t)-1);
    w->lo = lo;
    w->n = 0;
    w->missing = false;
    trend_growth_restart(w->trend);
    w->moments = (struct quantile_moments){0};
    w->line = (struct trend_line){0};
    w->s = w->k = 0;
    w->ties = 0;
    w->change = 0;
}

static double tie_term(double t) { return t * (t - 1) * (2 * t + 5); }

/* Add the next pass.  U_k sums sgn(x_i - x_j) over i <= k < j, so the new x adds to each U_k what it adds over the
 * first k values; summed over all of them that is the change of Mann-Kendall's S. */
static void growth_add(struct growth *w) {
    double x = w->x[w->lo + w->n];
    w->missing |= isnan(x);
    if (w->missing) return;
    const double *old = w->x + w->lo;
    int64_t sum = 0, equal = 0, most = 0;
    size_t change = 0;
    for (size_t i = 0; i < w->n; i++) {
        sum += (old[i] > x) - (old[i] < x);
        equal += old[i] == x;
        int64_t u = w->u[i] + sum, size = u < 0 ? -u : u;
        w->u[i] = u;
        if (size > most) {
            most = size;
            change = i + 1;
        }
    }
    w->u[w->n] = 0; /* becomes a possible change with the next pass */
    w->k = most;
    w->change = change;
    w->s -= sum;
    w->ties += tie_term((double)equal + 1) - tie_term((double)equal);
    quantile_moments_add(&w->moments, x);
    trend_line_add(&w->line, x);
    tree_add(w, w->lo + w->n, 1);
    w->n++;
}

/* The value of rank 0..n-1. */
static double growth_ranked(const struct growth *w, size_t rank) {
    size_t at = 0;
    for (size_t step = w->top; step; step /= 2)
        if (at + step <= w->n_distinct && w->tree[at + step] <= rank) {
            at += step;
            rank -= w->tree[at];
        }
    return w->distinct[at];
}

static double growth_median(const struct growth *w) {
    double upper = growth_ranked(w, w->n / 2);
    return w->n % 2 ? upper : (growth_ranked(w, w->n / 2 - 1) + upper) / 2;
}

static bool growth_steps(const struct growth *w, const struct segment_rules *rules) {
    if (!rules->step || !(trend_pettitt_p(w->k, w->n) < rules->alpha)) return false;
    return fabs(jump_at(w->x + w->lo, w->n, w->change, growth_median(w))) >= rules->rel_drift;
}

/* Two of the forms only ever raise the p of the plain test: what is not significant by that one is not looked at. */
static bool growth_drifts(const struct growth *w, const struct segment_rules *rules, struct trend_work *work) {
    bool only_raises = rules->trend == TREND_HAMED_RAO_AR1 || rules->trend == TREND_MANN_KENDALL;
    double change = trend_line_slope(&w->line) * (double)(w->n - 1);
    if (!(fabs(trend_rel(change, growth_median(w))) >= rules->rel_drift)) return false;
    struct trend_mk mk = trend_mk_of(w->s, w->n, w->ties);
    if (only_raises && !(mk.p < rules->alpha)) return false;
    return trend_growth_hamed_rao(w->trend, w->x + w->lo, w->n, rules->trend, &mk, work).p < rules->alpha;
}

static bool growth_breaks(const struct growth *w, const struct segment_rules *rules, struct trend_work *work) {
    if (!growth_steps(w, rules) && !growth_drifts(w, rules, work)) return false;
    return !asks(rules, w->n) || told_gain(w->x + w->lo, w->n, rules) > SEGMENT_TOLD;
}

/* The same answer as segment_admissible, cheapest tests first. */
static bool grown_admissible(const struct segment *s, const struct growth *w) {
    unsigned certified = ~0u;
    for (size_t g = 0; g < s->n_gates; g++) {
        if (w[g].missing) return false;
        certified &= certificates(&s->gate[g], quantile_cov(&w[g].moments), w[g].n);
    }
    if (!certified) return false;
    for (size_t g = 0; g < s->n_gates; g++)
        if (growth_breaks(&w[g], s->rules, s->work)) return false;
    return true;
}

/* ---- the right edge ---- */

/* Where [0, n) of x falls into two levels, or n when it does not: see struct segment_plateau.  after: n doubles. */
static size_t edge(const double *x, size_t n, double *after) {
    if (n < 2 * EDGE_SIDE || missing(x, n)) return n;
    struct quantile_moments before = {0}, rest = {0};
    for (size_t i = n; i-- > 0;) {
        quantile_moments_add(&rest, x[i]);
        after[i] = rest.m2;
    }
    size_t at = n;
    double least = INFINITY; /* sums that differ by rounding are equal, or it would choose between splits */
    for (size_t k = 1; k + EDGE_SIDE <= n; k++) {
        quantile_moments_add(&before, x[k - 1]);
        if (k >= EDGE_SIDE && before.m2 + after[k] < least * (1 - 1e-12)) {
            least = before.m2 + after[k];
            at = k;
        }
    }
    struct trend_ols line = trend_ols(x, n);
    bool better = least < line.resid_sd * line.resid_sd * (double)n;
    return better && fabs(jump_at(x, n, at, quantile_median(x, n))) >= EDGE_LEAST ? at : n;
}

/* Whether the end of the run stops growth: see struct segment_plateau. */
static bool ends_on_a_step(const double *x, size_t n, const struct segment_rules *rules) {
    if (!rules->told || missing(x, n)) return false;
    struct story s = story_of(x, n);
    return s.step > SEGMENT_TOLD_ALONE && s.at > n / 2 &&
           fabs(trend_rel(s.jump, quantile_median(x, n))) >= rules->rel_drift;
}

/* ---- all plateaus ---- */

/* Grow from lo; false when no window there is admissible.  bad[hi] notes the inadmissible ends. */
static bool grow(const struct segment *s, struct growth *w, size_t lo, bool *bad, double *scratch,
                 struct segment_plateau *found) {
    size_t last = 0, stopped = 0, in_a_row = 0, hi = lo + SEGMENT_MIN_N;
    for (size_t g = 0; g < s->n_gates; g++) {
        growth_restart(&w[g], lo);
        for (size_t i = 1; i < SEGMENT_MIN_N; i++)
            growth_add(&w[g]);
    }
    for (; hi <= s->n_passes && !stopped; hi++) {
        for (size_t g = 0; g < s->n_gates; g++)
            growth_add(&w[g]);
        bad[hi] = !grown_admissible(s, w);
        if (s->trace) s->trace(s->trace_arg, s, lo, hi, !bad[hi]);
        if (!bad[hi]) last = hi;
        in_a_row = bad[hi] ? in_a_row + 1 : 0;
        if (in_a_row == s->rules->patience) stopped = hi;
    }
    if (!last) return false;
    if (!stopped && ends_on_a_step(s->gate[0].x + lo, s->n_passes - lo, s->rules)) stopped = s->n_passes;
    *found = (struct segment_plateau){.lo = lo, .hi = last};
    if (stopped && s->rules->right_edge) {
        size_t cut = edge(s->gate[0].x + lo, stopped - lo, scratch);
        if (cut >= SEGMENT_MIN_N && lo + cut < found->hi) found->hi = lo + cut;
    }
    for (hi = lo + SEGMENT_MIN_N; hi < found->hi; hi++)
        found->bridged += bad[hi];
    return true;
}

void segment_find(struct segment *s) {
    VEC(struct segment_plateau) all = {0};
    struct growth *w = xcalloc(s->n_gates, sizeof *w);
    bool *bad = xcalloc(s->n_passes + 1, sizeof *bad);
    double *scratch = xcalloc(s->n_passes + 1, sizeof *scratch);
    for (size_t g = 0; g < s->n_gates; g++)
        growth_init(&w[g], s->gate[g].x, s->n_passes);
    for (size_t lo = 0; lo + SEGMENT_MIN_N <= s->n_passes;) {
        struct segment_plateau p;
        if (!grow(s, w, lo, bad, scratch, &p)) {
            lo++;
            continue;
        }
        vec_push(&all, p);
        lo = p.hi;
    }
    for (size_t g = 0; g < s->n_gates; g++)
        growth_free(&w[g]);
    free(w);
    free(bad);
    free(scratch);
    s->plateau = all.v;
    s->n = all.n;
}

void segment_free(struct segment *s) {
    free(s->plateau);
    s->plateau = NULL;
    s->n = 0;
}
