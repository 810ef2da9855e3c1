/* segment_check: the plateaus of lib/segment against their definition, tested window by window.
 *
 *     segment_check              thousands of random series under many rules, and cases worked out by hand
 *     segment_check PASSES       [lo,hi) bridged concordance of every plateau of a passes table, robust then design
 *
 * The definition is written out here in its plainest form: every window is judged from nothing, by lib/trend.
 * Prints "ok NAME" or "not ok NAME: what"; status 1 if one failed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "quantile.h"
#include "segment.h"
#include "story.h"

#define N_MAX 400
#define N_LONG 1100 /* beyond what the slopes of all pairs are held of */
#define GATES 2

static const struct segment_rules robust = {TREND_HAMED_RAO_AR1, .05, .05, true, true, 3, true};
static const struct segment_rules design = {TREND_HAMED_RAO, .05, .05, false, false, 1, false};
static unsigned failed;
static struct trend_work *work;

static void report(bool good, const char *name) {
    if (!good) failed++;
    printf("%s %s\n", good ? "ok" : "not ok", name);
}

/* ---- the definition ---- */

/* Whether a line or a step that is large enough is likelier than one level, by far. */
static bool plain_told(const double *x, size_t n, const struct segment_rules *r) {
    struct story s = story_of(x, n);
    double least = r->rel_drift * fabs(quantile_median(x, n));
    return (s.line > 10.83 && fabs(s.change) >= least) || (s.step > 10.83 && fabs(s.jump) >= least);
}

/* Whether the run ends on a step that is likelier still. */
static bool plain_stops(const double *x, size_t n, const struct segment_rules *r) {
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i])) return false;
    struct story s = story_of(x, n);
    return r->told && s.step > 15.14 && s.at > n / 2 && fabs(s.jump) >= r->rel_drift * fabs(quantile_median(x, n));
}

static bool plain_break(const double *x, size_t n, const struct segment_rules *r) {
    if (r->told && n >= 8 && !plain_told(x, n, r)) return false;
    struct trend_ols line = trend_ols(x, n);
    struct trend_pettitt p = trend_pettitt(x, n, work);
    if (trend_hamed_rao(x, n, r->trend, work).p < r->alpha && fabs(line.rel_drift) >= r->rel_drift) return true;
    if (!r->step || !(p.p < r->alpha)) return false;
    double before = quantile_moments(x, p.change).mean, after = quantile_moments(x + p.change, n - p.change).mean;
    return fabs(after - before) / fabs(quantile_median(x, n)) >= r->rel_drift;
}

static bool plain_admissible(const struct segment *s, size_t lo, size_t hi) {
    static const double bound[][3] = {{4, .03, .045}, {4, .05, .075}, {5, .08, .12}};
    bool certified = false;
    for (size_t g = 0; g < s->n_gates; g++)
        for (size_t i = lo; i < hi; i++)
            if (isnan(s->gate[g].x[i])) return false;
    for (size_t e = 0; e < 3; e++) {
        bool all = (double)(hi - lo) >= bound[e][0];
        for (size_t g = 0; g < s->n_gates; g++) {
            struct quantile_moments m = quantile_moments(s->gate[g].x + lo, hi - lo);
            all = all && quantile_cov(&m) < bound[e][s->gate[g].tail ? 2 : 1];
        }
        certified |= all;
    }
    for (size_t g = 0; g < s->n_gates; g++)
        if (plain_break(s->gate[g].x + lo, hi - lo, s->rules)) return false;
    return certified;
}

static double squares(const double *x, size_t n) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static size_t plain_edge(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i])) return n;
    double least = INFINITY;
    size_t at = n;
    for (size_t k = 2; k + 2 <= n; k++) {
        double sum = squares(x, k) + squares(x + k, n - k);
        if (sum < least * (1 - 1e-12)) {
            least = sum;
            at = k;
        }
    }
    if (at == n) return n;
    struct trend_ols line = trend_ols(x, n);
    double jump = quantile_moments(x + at, n - at).mean - quantile_moments(x, at).mean;
    bool better = least < line.resid_sd * line.resid_sd * (double)n;
    return better && fabs(jump) / fabs(quantile_median(x, n)) >= .05 ? at : n;
}

static size_t plain_find(const struct segment *s, struct segment_plateau *out) {
    size_t found = 0;
    for (size_t lo = 0; lo + 4 <= s->n_passes;) {
        size_t last = 0, bad = 0, stop = 0;
        for (size_t hi = lo + 4; hi <= s->n_passes; hi++) {
            bool good = plain_admissible(s, lo, hi);
            if (good) last = hi;
            bad = good ? 0 : bad + 1;
            if (bad == s->rules->patience) {
                stop = hi;
                break;
            }
        }
        if (last == 0) {
            lo++;
            continue;
        }
        if (!stop && plain_stops(s->gate[0].x + lo, s->n_passes - lo, s->rules)) stop = s->n_passes;
        if (stop && s->rules->right_edge) {
            size_t cut = plain_edge(s->gate[0].x + lo, stop - lo);
            if (cut < stop - lo && cut >= 4 && lo + cut < last) last = lo + cut;
        }
        size_t bridged = 0;
        for (size_t hi = lo + 4; hi < last; hi++)
            bridged += !plain_admissible(s, lo, hi);
        out[found++] = (struct segment_plateau){lo, last, bridged};
        lo = last;
    }
    return found;
}

/* ---- series ---- */

static double uniform(void) {
    static uint64_t s = 7;
    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s >> 11) / 9007199254740992.;
}

static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

enum kind { STEADY, DRIFT, STEP, STAIRS, SPIKES, TIES, WANDER, MISSING, CONSTANT, NEGATIVE, N_KINDS };

static void series(enum kind kind, double *x, size_t n) {
    double e = 0, walk = 0, noise = uniform() * .03, phi = uniform() * .6, size = uniform() * .3;
    size_t at = 1 + (size_t)(uniform() * (double)n);
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)n, level = 1;
        e = phi * e + noise * normal();
        walk += .02 * normal();
        if (kind == DRIFT) level += size * t;
        if (kind == STEP) level += i >= at ? size : 0;
        if (kind == STAIRS) level += size * floor(5 * t);
        if (kind == SPIKES && uniform() < .1) level += size;
        if (kind == WANDER) level += walk;
        x[i] = 2e7 * (level + e);
        if (kind == TIES) x[i] = 20 + floor(level + 40 * e);
        if (kind == MISSING && uniform() < .03) x[i] = NAN;
        if (kind == CONSTANT) x[i] = 5 + (i >= at);
        if (kind == NEGATIVE) x[i] = -x[i];
    }
}

static bool same_plateaus(const struct segment *s) {
    struct segment_plateau plain[N_MAX];
    size_t n = plain_find(s, plain);
    bool same = n == s->n;
    for (size_t i = 0; i < n && same; i++)
        same = plain[i].lo == s->plateau[i].lo && plain[i].hi == s->plateau[i].hi &&
               plain[i].bridged == s->plateau[i].bridged;
    return same;
}

static void count_window(void *arg, const struct segment *s, size_t lo, size_t hi, bool admissible) {
    size_t *wrong = arg;
    *wrong += admissible != segment_admissible(s, lo, hi);
}

static void random_series(void) {
    static const char *const name[N_KINDS] = {"steady", "drift", "step",    "stairs",   "spikes",
                                              "ties",   "walk",  "missing", "constant", "negative"};
    static double x[GATES][N_MAX];
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        size_t plateaus = 0, different = 0, wrong = 0;
        for (int run = 0; run < 600; run++) {
            size_t n = (size_t)(uniform() * (run % 50 ? 40 : 120));
            for (size_t g = 0; g < GATES; g++)
                series(kind, x[g], n);
            struct segment_rules r = {
                .trend = (enum trend_test)(run % TREND_N_TESTS),
                .alpha = run % 7 ? .05 : .2,
                .rel_drift = run % 5 ? .05 : .01,
                .step = run % 3,
                .right_edge = run % 2,
                .patience = 1 + (size_t)run % 4,
                .told = run / 2 % 2,
            };
            if (run % 10 == 0) r = robust;
            if (run % 10 == 1) r = design;
            struct segment_gate gate[GATES] = {{x[0], false}, {x[1], true}};
            struct segment s = {gate, 1 + (size_t)run % GATES,       n,     &r, work, NULL,
                                0,    run % 4 ? NULL : count_window, &wrong};
            segment_find(&s);
            plateaus += s.n;
            different += !same_plateaus(&s);
            segment_free(&s);
        }
        char line[128];
        snprintf(line, sizeof line, "%s: plateaus of 600 series are those of the definition", name[kind]);
        report(different == 0 && plateaus > 0, line);
        snprintf(line, sizeof line, "%s: every window on the way is judged as if by itself", name[kind]);
        report(wrong == 0, line);
    }
}

static bool same_test(struct trend_hr a, struct trend_hr b) { return a.c == b.c && a.z == b.z && a.p == b.p; }

/* Windows that grow, asked for at some of their ends, against each by itself. */
static void long_windows(void) {
    static const char *const name[N_KINDS] = {"steady", "drift", "step", "stairs",   "spikes",
                                              "ties",   "walk",  NULL,   "constant", "negative"};
    static double x[N_LONG];
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        if (kind == MISSING) continue;
        size_t asked = 0, different = 0;
        struct trend_growth *g = trend_growth_new();
        for (int run = 0; run < 2 * TREND_N_TESTS; run++) {
            enum trend_test test = (enum trend_test)(run % TREND_N_TESTS);
            size_t lo = (size_t)(uniform() * 200), gap = run % 3 ? 3 : 150; /* the gap at which it begins anew */
            series(kind, x, N_LONG);
            trend_growth_restart(g);
            for (size_t n = 330; lo + n <= N_LONG; n += 1 + (size_t)(uniform() * (n < 500 ? 30 : (double)gap))) {
                if (n > 560 && n < 800) n = 800;
                if (n > 840 && gap == 3) break;
                struct trend_mk mk = trend_mann_kendall(x + lo, n, work);
                struct trend_hr grown = trend_growth_hamed_rao(g, x + lo, n, test, &mk, work);
                different += !same_test(grown, trend_hamed_rao(x + lo, n, test, work));
                asked++;
            }
        }
        trend_growth_free(g);
        char line[128];
        snprintf(line, sizeof line, "%s: a long window that grew is tested as if by itself", name[kind]);
        report(different == 0 && asked > 100, line);
        if (different > 0) printf("# %zu of %zu differ\n", different, asked);
    }
}

static void count_some(void *arg, const struct segment *s, size_t lo, size_t hi, bool admissible) {
    if (uniform() < .02) count_window(arg, s, lo, hi, admissible);
}

static void long_runs(void) {
    static double x[GATES][N_LONG];
    size_t wrong = 0, plateaus = 0;
    for (int run = 0; run < 6 * N_KINDS; run++) {
        for (size_t g = 0; g < GATES; g++)
            series((enum kind)(run % N_KINDS), x[g], N_LONG);
        struct segment_gate gate[GATES] = {{x[0], false}, {x[1], true}};
        struct segment s = {gate, GATES, N_LONG, run % 2 ? &robust : &design, work, NULL, 0, count_some, &wrong};
        if (run / N_KINDS % 2) s.rules = s.rules == &robust ? &design : &robust;
        segment_find(&s);
        plateaus += s.n;
        segment_free(&s);
    }
    report(wrong == 0 && plateaus > 0, "long runs: windows on the way are judged as if by themselves");
}

/* ---- by hand ---- */

static void expect(const char *name, const double *x, size_t n, const struct segment_rules *r,
                   const struct segment_plateau *want, size_t n_want) {
    struct segment_gate gate = {x, false};
    struct segment s = {&gate, 1, n, r, work, NULL, 0, NULL, NULL};
    segment_find(&s);
    bool good = s.n == n_want;
    for (size_t i = 0; i < n_want && good; i++)
        good =
            s.plateau[i].lo == want[i].lo && s.plateau[i].hi == want[i].hi && s.plateau[i].bridged == want[i].bridged;
    report(good, name);
    for (size_t i = 0; i < s.n && !good; i++)
        printf("# [%zu,%zu) bridged %zu\n", s.plateau[i].lo, s.plateau[i].hi, s.plateau[i].bridged);
    segment_free(&s);
}

static void by_hand(void) {
    double x[40];
    for (size_t i = 0; i < 40; i++)
        x[i] = 100 + (double)(i * 7 % 3) / 10;
    expect("steady: one plateau", x, 40, &robust, (struct segment_plateau[]){{0, 40, 0}}, 1);
    expect("three passes are none", x, 3, &robust, NULL, 0);
    expect("no pass", x, 0, &robust, NULL, 0);
    expect("four passes are one", x, 4, &design, (struct segment_plateau[]){{0, 4, 0}}, 1);

    for (size_t i = 18; i < 40; i++)
        x[i] += 20;
    expect("a step: the right edge is where it happens", x, 40, &robust,
           (struct segment_plateau[]){{0, 18, 0}, {18, 40, 0}}, 2);
    struct segment_rules r = robust;
    r.right_edge = false;
    struct segment_gate gate = {x, false};
    struct segment s = {&gate, 1, 40, &r, work, NULL, 0, NULL, NULL};
    segment_find(&s);
    report(s.n == 2 && s.plateau[0].hi > 18, "a step without the right edge: its first passes go with the old level");
    segment_free(&s);

    for (size_t i = 18; i < 40; i++)
        x[i] -= 20;
    x[4] = 140; /* the shortest window is fine, [0,5) and some more are not */
    r = robust;
    struct segment_finding f;
    s.rules = &r;
    f = segment_look(&s, 0, 0, 5);
    report(f.reasons == SEGMENT_COV, "a spike: CoV is the reason");
    r.patience = 40;
    segment_find(&s);
    report(s.n == 1 && s.plateau[0].hi == 40 && s.plateau[0].bridged > 0, "patience: a spike is bridged and counted");
    segment_free(&s);
    r.patience = 1;
    segment_find(&s);
    report(s.plateau[0].hi == 4 && s.plateau[1].lo > 4 && s.plateau[1].hi == 40, "no patience: it ends a plateau");
    segment_free(&s);
    report(segment_is_excursion(140, 100) && !segment_is_excursion(105, 100), "an excursion is more than 5 % off");

    x[4] = NAN;
    expect("a missing value ends a plateau, and none begins before it is passed", x, 40, &robust,
           (struct segment_plateau[]){{0, 4, 0}, {5, 40, 0}}, 2);
    f = segment_look(&s, 0, 0, 5);
    report(f.reasons == SEGMENT_MISSING && isnan(f.cov), "a missing value is the reason");

    for (size_t i = 0; i < 40; i++)
        x[i] = i % 2 ? 100 : 110;
    report(segment_concordance(&s, 0, 8) == 2. / 3, "concordance: two of three settings");
    report(segment_concordance(&s, 0, 4) == .5, "concordance: the third needs five passes");
    report(isnan(segment_concordance(&s, 0, 3)), "concordance: none applies to three passes");
    for (size_t i = 0; i < 40; i++)
        x[i] = i % 2 ? 97 : 103;
    report(segment_concordance(&s, 0, 8) == 2. / 3, "concordance: a bound itself is not below the bound");
    report(!segment_admissible(&s, 0, 3) && segment_admissible(&s, 0, 8), "admissible: from four passes on");
    for (size_t i = 0; i < 40; i++)
        x[i] = i % 2 ? 106 : 94;
    report(!segment_admissible(&s, 0, 4) && segment_admissible(&s, 0, 6), "admissible: the loosest setting needs five");

    for (size_t i = 0; i < 40; i++)
        x[i] = 100 + (double)i;
    report(segment_state(x, 40, &robust, work) == TREND_UP, "state: a trend up");
    for (size_t i = 0; i < 40; i++)
        x[i] = 100 - (double)i / 20;
    report(segment_state(x, 40, &robust, work) == TREND_PLATEAU, "state: a trend of 2 % breaks nothing");
    for (size_t i = 0; i < 40; i++)
        x[i] = (i < 25 ? 100 : 90) + (double)(i * 7 % 3) / 10;
    report(segment_state(x, 40, &robust, work) == TREND_DOWN, "state: a step down");
    report(segment_state(x, 3, &robust, work) == TREND_INSUFFICIENT, "state: three passes say nothing");
}

/* ---- a passes table ---- */

static void table(const char *path) {
    static double x[GATES][N_MAX];
    static char line[1 << 16];
    size_t n = 0, column[GATES + 2] = {0};
    bool header = true;
    FILE *f = fopen(path, "r");
    if (f == NULL) die_errno("%s", path);
    while (fgets(line, sizeof line, f) && n < N_MAX) {
        if (line[0] == '#') continue;
        static const char *const name[GATES + 2] = {"tpot_p50", "tpot_p90", "full", "role"};
        double value[GATES] = {NAN, NAN};
        bool body = true;
        char *rest = line, *cell;
        for (size_t c = 0; (cell = strsep(&rest, "\t\n")); c++)
            for (size_t k = 0; k < GATES + 2; k++) {
                if (header && strcmp(cell, name[k]) == 0) column[k] = c;
                if (header || column[k] != c) continue;
                if (k < GATES && *cell) value[k] = strtod(cell, NULL);
                if (k == GATES) body &= strcmp(cell, "1") == 0;
                if (k == GATES + 1) body &= strcmp(cell, "body") == 0;
            }
        if (!header && body) {
            x[0][n] = value[0];
            x[1][n++] = value[1];
        }
        header = false;
    }
    fclose(f);
    struct segment_gate gate[GATES] = {{x[0], false}, {x[1], true}};
    const struct segment_rules *rules[] = {&robust, &design};
    for (size_t r = 0; r < 2; r++) {
        struct segment s = {gate, GATES, n, rules[r], work, NULL, 0, NULL, NULL};
        segment_find(&s);
        printf("%s", r ? "design" : "robust");
        for (size_t i = 0; i < s.n; i++)
            printf(" [%zu,%zu) %zu %g", s.plateau[i].lo, s.plateau[i].hi, s.plateau[i].bridged,
                   segment_concordance(&s, s.plateau[i].lo, s.plateau[i].hi));
        putchar('\n');
        segment_free(&s);
    }
}

int main(int argc, char **argv) {
    die_init("segment_check");
    work = trend_work_new(N_LONG);
    if (argc > 1) {
        table(argv[1]);
    } else {
        by_hand();
        random_series();
        long_windows();
        long_runs();
    }
    trend_work_free(work);
    return failed != 0;
}
