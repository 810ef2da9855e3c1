#include "grounds.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "doc.h"

static const double far_apart = 0.15; /* levels of a run that wanders */
static const double scatter = 0.15; /* the bound of trend_scatters */

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

/* A slope from the first plateau on that stands out of the scatter, and is better told as a line than as levels. */
static struct finding slope(const struct steady *s, struct trend_work *work) {
    size_t n = s->end.found && s->n - s->end.first < WINDOW_MIN_PASSES ? s->end.first : s->n;
    if (!shift_line_wins(fit(s, 0, s->n_plateaus - 1))) return (struct finding){0};
    for (size_t g = 0; g < s->n_gates; g++) {
        struct steady_trend t = steady_trend(s, &s->series[g], s->plateau[0].lo, n, false, work);
        if (trend_scatters(&t.tests.ols)) return (struct finding){s->series[g].name, t.tests.ols.rel_drift, scatter};
    }
    return (struct finding){0};
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
        if (!shift_differs(p.level, reported.level) || !shift_stands_apart(s->level, &p, &reported)) continue;
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
        e.rest_drift = s->options->robust ? drift_from(s, s->plateau[0].lo, work) : moves_over_rest(s);
        e.before_shift = level_before(s);
        if (s->shift.found) e.shift = (struct finding){s->level_name, s->shift.delta, shift_least};
        if (s->end.found) e.end_shift = (struct finding){s->series[0].name, s->end.delta, shift_least};
    }
    return e;
}
