#include "grounds.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "doc.h"
#include "num.h"
#include "quantile.h"
#include "story.h"

static const double far_apart = 0.15; /* levels of a run that wanders */
static const double scatter = 0.15; /* the bound of trend_scatters */
static const double likely = 5.41; /* gain of a line over a level, of a ramp over a line: chi-squared, 1 df, 2 % */

static struct shift_fit fit(const struct steady *s, size_t first, size_t last) {
    struct shift_plateau *p = xcalloc(last - first + 1, sizeof *p);
    for (size_t i = first; i <= last; i++)
        p[i - first] = steady_level(&s->plateau[i]);
    struct shift_fit f = shift_fit(s->level, p, last - first + 1);
    free(p);
    return f;
}

/* The gate that drifts most over [lo, n), significantly and by more than the floor. */
static struct finding drift_from(const struct steady *s, size_t lo, struct trend_work *work) {
    struct finding worst = {0};
    const struct segment_rules *rules = &s->options->segment;
    for (size_t g = 0; g < s->n_gates; g++) {
        struct steady_trend t = lo == 0 ? s->series[g].run : steady_trend(s, &s->series[g], lo, s->n, false, work);
        double drift = t.tests.ols.rel_drift;
        if (t.tests.hamed_rao.p < rules->alpha && fabs(drift) >= rules->rel_drift && fabs(drift) > fabs(worst.value))
            worst = (struct finding){s->series[g].name, drift, rules->rel_drift};
    }
    return worst;
}

/* The gate that moves significantly over the rest, by however little. */
static struct finding moves_over_rest(const struct steady *s) {
    for (size_t g = 0; g < s->n_gates; g++)
        if (s->series[g].rest.state == TREND_UP || s->series[g].rest.state == TREND_DOWN)
            return (struct finding){s->series[g].name, s->series[g].rest.tests.ols.rel_drift, NAN};
    return (struct finding){0};
}

/* ---- is a line the likelier story? ---- */

/* Passes that belong to no drift: a fault at the end that is too short for a plateau. */
static size_t end_of_course(const struct steady *s) {
    return s->end.found && s->n - s->end.first < WINDOW_MIN_PASSES ? s->end.first : s->n;
}

/* The gates, x[g], and their mean, each over its median from the first plateau on, x[n_gates]: over the passes that were
 * cropped as ramp, but not those of the fill burst, and the body.  Passes that lack a gate are skipped. */
struct course {
    double **x;
    size_t n_series, n, from; /* from: where the first plateau begins */
};

static bool in_ramp(const struct steady *s, const struct pass *p, size_t full) {
    int64_t filled = doc_int_at(s->passes->run, "fill.ended90_ns");
    bool filling = int_known(filled) && int_known(p->first_issue_ns) && p->first_issue_ns < filled;
    return p->role == ROLE_WARMUP && full > 0 && !filling;
}

static void add_pass(struct course *c, const struct steady *s, const struct pass *p) {
    for (size_t g = 0; g < s->n_gates; g++) {
        c->x[g][c->n] = passes_value(p, passes_column(s->series[g].name));
        if (isnan(c->x[g][c->n])) return;
    }
    c->n++;
}

static struct course course_of(const struct steady *s) {
    struct course c = {.n_series = s->n_gates + (s->n_gates > 1)};
    c.x = xcalloc(s->n_gates + 1, sizeof *c.x);
    for (size_t g = 0; g <= s->n_gates; g++)
        c.x[g] = xcalloc(s->passes->n + 1, sizeof **c.x);
    size_t full = 0, body = 0, end = end_of_course(s);
    for (size_t i = 0; i < s->passes->n; i++) {
        const struct pass *p = &s->passes->v[i];
        if (!p->full) continue;
        if (p->role == ROLE_BODY && body == s->plateau[0].lo) c.from = c.n;
        if (p->role == ROLE_BODY ? body++ < end : in_ramp(s, p, full)) add_pass(&c, s, p);
        full++;
    }
    for (size_t g = 0; g < s->n_gates; g++) {
        double median = quantile_median(c.x[g] + c.from, c.n - c.from);
        for (size_t i = 0; i < c.n; i++)
            c.x[s->n_gates][i] += c.x[g][i] / median / (double)s->n_gates;
    }
    return c;
}

static void course_free(struct course *c, size_t n_gates) {
    for (size_t g = 0; g <= n_gates; g++)
        free(c->x[g]);
    free(c->x);
}

/* A stretch of one series of a course in which a line is the likelier story and changes by more than the floor. */
struct drift {
    bool found;
    size_t lo;
    double change; /* over |median| */
};

static struct drift drift_in(const double *x, size_t lo, size_t n, double least, double floor) {
    struct story s = story_of(x + lo, n - lo);
    double change = trend_rel(s.change, quantile_median(x + lo, n - lo));
    return (struct drift){s.line > least && fabs(change) >= floor, lo, change};
}

/* What was cropped as ramp belongs to the drift where one line is as likely for all of it as a ramp that ends.  The gates
 * together need less than one alone, which has more chances to drift by chance. */
static struct drift drift_of(const struct steady *s, const struct course *c, size_t series) {
    double least = c->n_series == 1 || series == s->n_gates ? likely : SEGMENT_TOLD;
    double floor = s->options->segment.rel_drift;
    const double *x = c->x[series];
    struct drift d = {0};
    if (c->from > 0) d = drift_in(x, 0, c->n, least, floor);
    return d.found && story_ramp(x, c->n) <= likely ? d : drift_in(x, c->from, c->n, least, floor);
}

/* The gate that drifts most, where one drifts, or they do together.  scattering: by trend_scatters, too. */
static struct finding told_drift(const struct steady *s, bool scattering) {
    struct course c = course_of(s);
    struct finding worst = {0};
    for (size_t j = 0; j < c.n_series; j++) {
        struct drift d = drift_of(s, &c, j);
        struct trend_ols line = trend_ols(c.x[j] + d.lo, c.n - d.lo);
        if (!d.found || (scattering && !trend_scatters(&line))) continue;
        double change = scattering ? line.rel_drift : d.change;
        if (fabs(change) <= fabs(worst.value)) continue;
        worst.metric = s->series[j < s->n_gates ? j : 0].name;
        worst.value = change;
        worst.bound = scattering ? scatter : s->options->segment.rel_drift;
    }
    course_free(&c, s->n_gates);
    return worst;
}

/* ---- drifts and levels ---- */

/* Rule 8.  Too few passes tell no story. */
static struct finding rest_drift(const struct steady *s, struct trend_work *work) {
    if (!s->options->robust) return moves_over_rest(s);
    bool told = s->options->segment.told && end_of_course(s) - s->plateau[0].lo >= STORY_MIN_N;
    return told ? told_drift(s, false) : drift_from(s, s->plateau[0].lo, work);
}

/* A slope from the first plateau on that stands out of the scatter, and is better told as a line than as levels; or one from
 * the ramp on, where the ramp is its beginning. */
static struct finding slope(const struct steady *s, struct trend_work *work) {
    if (!shift_line_wins(fit(s, 0, s->n_plateaus - 1))) return (struct finding){0};
    for (size_t g = 0; g < s->n_gates; g++) {
        struct steady_trend t = steady_trend(s, &s->series[g], s->plateau[0].lo, end_of_course(s), false, work);
        if (trend_scatters(&t.tests.ols)) return (struct finding){s->series[g].name, t.tests.ols.rel_drift, scatter};
    }
    return s->options->segment.told ? told_drift(s, true) : (struct finding){0};
}

/* Three or more plateaus whose levels lie far apart. */
static struct finding wandering(const struct steady *s) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < s->n_plateaus; i++) {
        least = fmin(least, s->plateau[i].level);
        most = fmax(most, s->plateau[i].level);
    }
    double spread = most / least - 1;
    return s->n_plateaus >= 3 && spread > far_apart ? (struct finding){s->level_name, spread, far_apart}
                                                    : (struct finding){0};
}

/* A plateau that was too short to be reported, at another level than the one that is. */
static struct finding level_before(const struct steady *s) {
    struct shift_plateau reported = steady_level(&s->plateau[s->reported]);
    double most = 0;
    for (size_t i = 0; i < s->reported; i++) {
        struct shift_plateau p = steady_level(&s->plateau[i]);
        double delta = shift_between(reported.level, p.level);
        if (!shift_differs(p.level, reported.level)) continue;
        if (fabs(delta) > fabs(most)) most = delta;
    }
    if (most == 0 || !shift_levels_win(fit(s, 0, s->reported))) return (struct finding){0};
    return (struct finding){s->level_name, most, shift_least};
}

/* Where no window is admissible: what the rules have against all of the body. */
static void against_body(const struct steady *s, const struct segment *search, struct evidence *e) {
    const double floor = s->options->segment.rel_drift;
    for (size_t g = 0; g < s->n_gates && s->n >= WINDOW_MIN_PASSES; g++) {
        const char *name = s->series[g].name;
        struct segment_finding f = segment_look(search, g, 0, s->n);
        if (f.reasons & SEGMENT_MISSING) verdict_against(e, "missing", name, NAN, NAN);
        if (f.reasons & SEGMENT_COV)
            verdict_against(e, "cov", name, f.cov, segment_cov_bound(search->gate[g].tail, s->n));
        if (f.reasons & SEGMENT_TREND) verdict_against(e, "trend", name, f.drift, floor);
        if (f.reasons & SEGMENT_STEP) verdict_against(e, "step", name, f.jump, floor);
    }
}

static double requests_issued(const struct steady *s) {
    double n = doc_real_at(s->passes->run, "n_issued"), sum = 0;
    for (size_t i = 0; i < s->passes->n; i++)
        sum += passes_value(&s->passes->v[i], passes_column("n_issued"));
    return isnan(n) ? sum : n;
}

struct evidence grounds_of(const struct steady *s, const struct segment *search, struct trend_work *work) {
    const json_t *run = s->passes->run;
    struct evidence e = {
        .robust = s->options->robust,
        .agentic = s->agentic,
        .unassessed = s->unassessed,
        .n_body = s->n,
        .n_requests = requests_issued(s),
        .ramp_requests = s->offline ? NAN : 2 * doc_real_at(run, "in_flight_at_first_done"),
        .n_plateaus = s->n_plateaus,
        .any_long = s->reported < s->n_plateaus,
        .backlog = doc_true_at(run, "backlog"),
        .capped = doc_true_at(run, "warmup.capped"),
    };
    if (s->n_plateaus == 0) {
        against_body(s, search, &e);
    } else {
        const struct window_duration *d = &s->plateau[s->longest].duration;
        e.too_short = (struct finding){window_term_name[d->dominant], d->window_s, d->min_s};
        e.body_drift = drift_from(s, 0, work);
        e.far_apart = wandering(s);
        e.slope = slope(s, work);
    }
    if (e.any_long) {
        e.rest_drift = rest_drift(s, work);
        e.before_shift = level_before(s);
        if (s->shift.found) e.shift = (struct finding){s->level_name, s->shift.delta, shift_least};
        if (s->end.found) e.end_shift = (struct finding){s->series[0].name, s->end.delta, shift_least};
    }
    return e;
}
