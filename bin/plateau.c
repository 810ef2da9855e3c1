/* plateau: is there a steady state, and what does the system sustain in it?
 *
 *     ledger2passes -n 6396 ledger.tsv | warmcrop | tailguard | plateau > steady.json
 *
 *     {"kind":"steady","version":1,"verdict":"steady","found":true,"reasons":[],"warnings":[],"coverage":"windowable", ...
 *      "window":{"first_pass":2,"end_pass":41, ...},"tps":{"per_user":{"value":50.02,"ci":[49.75,50.3], ...
 *
 * A steady state is a stretch of super-passes in which the gates, by default p50 and p90 of the time per output token,
 * neither drift nor step nor scatter, and which lasts.  It is found in these steps, one function each:
 *
 *   gates    one value per pass of the body for every gate metric
 *   segment  grow windows from the first pass on while they are admissible: each is a plateau
 *   select   the first plateau that lasts at least min_duration is the window.  Never the best one: a window chosen by the
 *            number it reports reports luck
 *   shift    did the system leave that level later on, by a step or by a fault in the last passes?
 *   drift    trends of every metric over the window, from it to the end of the run, and over all of the run
 *   judge    nine rules turn all this into one verdict (verdict.h)
 *   measure  rates, intervals and percentiles of the window; of the whole body, as best effort, where there is none
 *
 * A run that is still going on is judged anew with every pass (--follow); what the search tested can be had as a table
 * instead of the report (--explain).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "explain.h"
#include "grounds.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "quantile.h"
#include "report.h"
#include "steadydoc.h"

enum profile { ROBUST, DESIGN };
static const int64_t patience_of[] = {[ROBUST] = 3, [DESIGN] = 1};
static const enum trend_test trend_of_profile[] = {[ROBUST] = TREND_HAMED_RAO_AR1, [DESIGN] = TREND_HAMED_RAO};

struct options {
    struct common common;
    const char *gate; /* NULL: by mode */
    bool token_free;
    int profile, mode;
    int trend; /* -1: the profile's */
    int64_t patience; /* 0: the profile's */
    bool no_step, no_right_edge, no_likelihood;
    double rel_drift, alpha;
    double floor_s;
    bool no_min_duration;
    bool follow, until_steady, explain;
    const char *accept;
};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {0, "gate", "LIST", OPT_TEXT, AT(gate), "what must be steady (default tpot_p50,tpot_p90; offline tps, else rps)",
     NULL, 0, 0},
    {0, "token-free", NULL, OPT_FLAG, AT(token_free), "requests are the unit of work: gate e2e_p50,e2e_p90, report QPS",
     NULL, 0, 0},
    {0, "profile", "robust|design", OPT_CHOICE, AT(profile), "rules: robust (default), or the design document's own",
     "robust|design", 0, 0},
    {'m', "mode", "MODE", OPT_CHOICE, AT(mode),
     "auto|concurrency|poisson|offline|agentic: for plain tables, which do not say",
     "auto|concurrency|poisson|offline|agentic", 0, 0},
    {0, "trend", "TEST", OPT_CHOICE, AT(trend),
     "hamed-rao-ar1 (robust), hamed-rao (design), hamed-rao-raw or mann-kendall",
     "hamed-rao-ar1|hamed-rao|hamed-rao-raw|mann-kendall", 0, 0},
    {0, "no-step", NULL, OPT_FLAG, AT(no_step), "a level step alone does not break a window", NULL, 0, 0},
    {0, "patience", "K", OPT_INT, AT(patience), "stop growing after K inadmissible ends in a row (robust 3, design 1)",
     NULL, 1, 1e6},
    {0, "no-right-edge", NULL, OPT_FLAG, AT(no_right_edge), "do not cut a plateau back to where the level changed",
     NULL, 0, 0},
    {0, "no-likelihood", NULL, OPT_FLAG, AT(no_likelihood),
     "tests alone break a window or find a drift, however likely one level is", NULL, 0, 0},
    {0, "rel-drift", "X", OPT_REAL, AT(rel_drift),
     "a trend or step smaller than X of the median breaks nothing (default 0.05)", NULL, 0, 1e9},
    {0, "alpha", "P", OPT_REAL, AT(alpha), "significance level of every test (default 0.05)", NULL, 0, 1},
    {0, "floor-s", "S", OPT_REAL, AT(floor_s), "a window lasts at least S seconds (default 600)", NULL, 0, 1e9},
    {0, "no-min-duration", NULL, OPT_FLAG, AT(no_min_duration), "report the first plateau, however short", NULL, 0, 0},
    {0, "follow", NULL, OPT_FLAG, AT(follow), "judge a run that goes on: a report whenever the verdict changes", NULL,
     0, 0},
    {0, "until-steady", NULL, OPT_FLAG, AT(until_steady),
     "follow until a plateau lasts and has held for 2 more passes: status 0, and 1 if the run ends first", NULL, 0, 0},
    {0, "explain", NULL, OPT_FLAG, AT(explain), "write every window that was tested, and why it grew or broke", NULL, 0,
     0},
    {0, "accept", "LIST", OPT_TEXT, AT(accept), "verdicts that are a yes for -e (default steady,steady_then_shift)",
     NULL, 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "plateau",
    .what = "Find the steady state of a run, judge it, and report what the system sustains in it.",
    .operands = "[FILE...]",
    .example = "ledger2passes -n 300 ledger.tsv | warmcrop | tailguard | plateau",
    .exit_1 = "status 1 when the verdict is not one of --accept",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
};

/* ---- segment ---- */

/* The search for plateaus, and every window it tested. */
struct search {
    struct segment segment;
    VEC(struct explain_window) tested; /* in order of lo, then hi */
};

static void remember(void *arg, const struct segment *s, size_t lo, size_t hi, bool admissible) {
    struct search *search = arg;
    (void)s;
    vec_push(&search->tested, ((struct explain_window){lo, hi, admissible}));
}

static void find_plateaus(struct steady *s, struct search *search, struct trend_work *work) {
    struct segment_gate *gate = xcalloc(s->n_gates, sizeof *gate);
    for (size_t g = 0; g < s->n_gates; g++)
        gate[g] = (struct segment_gate){s->series[g].x, s->series[g].percent >= 90};
    search->segment = (struct segment){.gate = gate,
                                       .n_gates = s->n_gates,
                                       .n_passes = s->n,
                                       .rules = &s->options->segment,
                                       .work = work,
                                       .trace = remember,
                                       .trace_arg = search};
    if (s->unassessed || s->agentic) return;
    segment_find(&search->segment);
    s->n_plateaus = search->segment.n;
    s->plateau = xcalloc(s->n_plateaus + 1, sizeof *s->plateau);
    for (size_t i = 0; i < s->n_plateaus; i++) {
        const struct segment_plateau *p = &search->segment.plateau[i];
        s->plateau[i] = (struct steady_plateau){.lo = p->lo, .hi = p->hi, .bridged = p->bridged};
    }
}

static void forget(struct search *search) {
    segment_free(&search->segment);
    free((void *)search->segment.gate);
    vec_free(&search->tested);
}

/* ---- select ---- */

static struct shift_end fault_after(const struct steady *s, const struct steady_plateau *p) {
    const double **gate = xcalloc(s->n_gates, sizeof *gate);
    for (size_t g = 0; g < s->n_gates; g++)
        gate[g] = s->series[g].x;
    struct shift_end end = shift_end(gate, s->n_gates, s->level, s->n, steady_level(p));
    free(gate);
    return end;
}

static void measure_plateau(struct steady *s, struct steady_plateau *p) {
    size_t k = p->hi - p->lo;
    double l_p90 = measure_l_p90(s->passes, s->body + p->lo, k, s->offline) / 1e9;
    p->level = shift_level(s->level, s->weight, p->lo, p->hi);
    p->duration = window_duration(s->series[0].x + p->lo, s->span_ns + p->lo, k, l_p90, s->options->floor_s);
}

/* The first plateau that lasts; where none does, the longest is remembered.  Passes at the end of the run that belong to a
 * fault and not to the plateau leave it before it is asked how long it is. */
static void select_window(struct steady *s) {
    s->reported = s->n_plateaus;
    for (size_t i = 0; i < s->n_plateaus; i++) {
        struct steady_plateau *p = &s->plateau[i];
        measure_plateau(s, p);
        struct shift_end end = fault_after(s, p);
        if (s->options->robust && end.found && end.first < p->hi && end.first >= p->lo + WINDOW_MIN_PASSES) {
            p->hi = end.first;
            measure_plateau(s, p);
        }
        if (p->duration.window_s > s->plateau[s->longest].duration.window_s) s->longest = i;
        if (s->reported == s->n_plateaus && (p->duration.long_enough || !s->options->min_duration)) s->reported = i;
    }
}

static void prefer(struct steady_choice *c, size_t lo, size_t hi, double se) {
    if (isnan(se) || (c->hi > 0 && !(se < c->se))) return;
    *c = (struct steady_choice){lo, hi, se};
}

static void consider(struct steady *s, size_t lo, size_t hi) {
    const double *gate = s->series[0].x + lo;
    prefer(&s->mser, lo, hi, window_se(gate, hi - lo));
    prefer(&s->mser5, lo, hi, window_se5(gate, hi - lo));
}

/* What precision alone would choose, of the plateaus and their admissible prefixes.  It stands beside the window, for
 * comparison; of equals the plateau itself, and the first. */
static void choose_by_error(struct steady *s, const struct search *search) {
    size_t met = 0;
    for (size_t i = 0; i < s->n_plateaus; i++) {
        const struct steady_plateau *p = &s->plateau[i];
        consider(s, p->lo, p->hi);
        for (; met < search->tested.n && search->tested.v[met].lo <= p->lo; met++) {
            struct explain_window w = search->tested.v[met];
            if (w.admissible && w.lo == p->lo && w.hi < p->hi) consider(s, w.lo, w.hi);
        }
    }
}

/* ---- shift ---- */

static void find_shift(struct steady *s, struct trend_work *work) {
    if (s->n_plateaus == 0) return;
    size_t base = s->reported < s->n_plateaus ? s->reported : s->longest;
    struct shift_plateau *p = xcalloc(s->n_plateaus, sizeof *p);
    for (size_t i = 0; i < s->n_plateaus; i++)
        p[i] = steady_level(&s->plateau[i]);
    s->shift = shift_find(s->level, s->n, p, s->n_plateaus, base, s->options->segment.alpha, s->options->robust, work);
    if (s->options->robust) s->end = fault_after(s, &s->plateau[base]);
    free(p);
}

/* ---- drift ---- */

static void find_drift(struct steady *s, struct trend_work *work) {
    size_t lo = s->reported < s->n_plateaus ? s->plateau[s->reported].lo : 0;
    for (size_t i = 0; i < s->n_series; i++) {
        struct steady_series *x = &s->series[i];
        x->run = steady_trend(s, x, 0, s->n, false, work);
        x->rest = lo == 0 ? x->run : steady_trend(s, x, lo, s->n, false, work);
    }
}

/* ---- measure ---- */

static void measure(struct steady *s, const struct search *search, struct trend_work *work) {
    bool found = s->judgement.found;
    s->lo = found ? s->plateau[s->reported].lo : 0;
    s->hi = found ? s->plateau[s->reported].hi : s->n;
    if (s->lo == s->hi) return;
    for (size_t i = 0; i < s->n_series; i++)
        s->series[i].window = steady_trend(s, &s->series[i], s->lo, s->hi, true, work);
    if (found) s->concordance = segment_concordance(&search->segment, s->lo, s->hi);
    measure_of(s->passes, s->body + s->lo, s->hi - s->lo, &s->measure);
    s->measured = true;
}

/* ---- one run, as far as it is known ---- */

struct look {
    struct steady s;
    struct search search;
    struct trend_work *work;
};

static struct look *look_at(const struct steady_options *rules, struct passes *all) {
    struct look *l = xcalloc(1, sizeof *l);
    struct steady *s = &l->s;
    steady_read(s, rules, all);
    l->work = trend_work_new(s->n + 1);
    find_plateaus(s, &l->search, l->work);
    select_window(s);
    find_shift(s, l->work);
    find_drift(s, l->work);
    struct evidence evidence = grounds_of(s, &l->search.segment, l->work);
    s->judgement = verdict_of(&evidence);
    return l;
}

static enum verdict report(struct look *l, const char *follow, enum spelling spelling, json_t *pg) {
    struct steady *s = &l->s;
    enum verdict verdict = s->judgement.verdict;
    s->follow = follow;
    choose_by_error(s, &l->search);
    measure(s, &l->search, l->work);
    note("%s: %s, %zu passes of body, %zu plateaus", s->passes->file, verdict_name[verdict], s->n, s->n_plateaus);
    if (verdict == VERDICT_UNSUPPORTED)
        warn("NOT-YET-SUPPORTED: turns of a conversation wait for each other; no verdict is given");
    json_t *doc = steadydoc(s, pg);
    report_write(doc, spelling);
    json_decref(doc);
    return verdict;
}

static void look_free(struct look *l) {
    forget(&l->search);
    trend_work_free(l->work);
    steady_free(&l->s);
    free(l);
}

/* A stage that was left out leaves no trace in the figures but this. */
static void warn_of_ramp(const struct passes *all) {
    if (json_array_size(all->pg) > 0 && !json_object_get(all->run, "warmup"))
        warn("%s: no warmcrop before this: a ramp, if there is one, counts as body", all->file);
}

static enum verdict report_on(const char *path, const struct steady_options *rules, enum spelling spelling,
                              json_t *pg) {
    struct passes all;
    passes_read(&all, path);
    warn_of_ramp(&all);
    struct look *l = look_at(rules, &all);
    enum verdict verdict = report(l, NULL, spelling, pg);
    look_free(l);
    passes_free(&all);
    return verdict;
}

static enum verdict explain(const char *path, const struct steady_options *rules, const struct common *o, json_t *pg) {
    struct passes all;
    passes_read(&all, path);
    warn_of_ramp(&all);
    struct look *l = look_at(rules, &all);
    enum verdict verdict = l->s.judgement.verdict;
    note("%s: %s", all.file, verdict_name[verdict]);
    explain_write(&l->s, &l->search.segment, l->search.tested.v, l->search.tested.n, opts_spelling(o, all.spelling),
                  !o->no_header, pg);
    look_free(l);
    passes_free(&all);
    return verdict;
}

/* ---- a run that goes on ---- */

/* For how many passes in a row the newest one has been the last of a window that lasts. */
struct hold {
    size_t n_body, lo, passes;
};

/* Has the window held for the pass that cleared min_duration and two more?  A window that is shown and not certified
 * does not count. */
static bool held(struct hold *h, const struct steady *s) {
    if (s->n == h->n_body) return false;
    const struct steady_plateau *p = s->reported < s->n_plateaus ? &s->plateau[s->reported] : NULL;
    bool lasts = p && p->hi == s->n && s->judgement.found && s->judgement.verdict != VERDICT_NO_STEADY_STATE;
    h->passes = !lasts ? 0 : p->lo == h->lo ? h->passes + 1 : 1;
    h->n_body = s->n;
    if (lasts) h->lo = p->lo;
    return h->passes == 3;
}

/* True when it was left because it is steady.  The verdict is that of the last report. */
static bool follow(const char *path, const struct steady_options *rules, bool until_steady, enum spelling spelling,
                   json_t *pg, enum verdict *verdict) {
    struct passes all;
    struct passes_in *in = passes_open(&all, path);
    warn_of_ramp(&all);
    struct hold hold = {0};
    bool reported = false, steady = false;
    while (!steady && passes_next(in, &all)) {
        struct look *l = look_at(rules, &all);
        steady = held(&hold, &l->s) && until_steady;
        if (steady || !reported || l->s.judgement.verdict != *verdict)
            *verdict = report(l, steady ? "steady" : "open", spelling, pg);
        reported = true;
        look_free(l);
    }
    if (!steady) {
        struct look *l = look_at(rules, &all);
        *verdict = report(l, "ended", spelling, pg);
        look_free(l);
    }
    passes_close(in);
    passes_free(&all);
    return steady;
}

static struct steady_options rules_of(const struct options *o) {
    static const char *const profile_name[] = {"robust", "design"};
    static const char *const mode_name[] = {NULL, "concurrency", "poisson", "offline", "agentic"};
    bool robust = o->profile == ROBUST;
    return (struct steady_options){
        .profile = profile_name[o->profile],
        .robust = robust,
        .mode = mode_name[o->mode],
        .gate = o->gate,
        .segment = {.trend = o->trend >= 0 ? (enum trend_test)o->trend : trend_of_profile[o->profile],
                    .alpha = o->alpha,
                    .rel_drift = o->rel_drift,
                    .step = robust && !o->no_step,
                    .right_edge = robust && !o->no_right_edge,
                    .patience = (size_t)(o->patience ? o->patience : patience_of[o->profile]),
                    .told = robust && !o->no_likelihood},
        .floor_s = o->floor_s,
        .min_duration = !o->no_min_duration,
        .token_free = o->token_free,
    };
}

int main(int argc, char **argv) {
    const struct options defaults = {
        .trend = -1, .rel_drift = 0.05, .alpha = 0.05, .floor_s = 600, .accept = "steady,steady_then_shift"};
    struct options o = defaults;
    char **operand = opts_parse(&tool, &o, argc, argv);
    const char *bad;
    size_t bad_len;
    unsigned accepted = verdict_set(o.accept, &bad, &bad_len);
    if (!accepted) die("--accept: '%.*s' is no verdict", (int)bad_len, bad);
    struct steady_options rules = rules_of(&o);
    json_t *pg = opts_provenance(&tool, &o, &defaults);
    enum spelling spelling = o.common.output == SPELL_TSV ? SPELL_TSV : SPELL_NDJSON;
    bool yes = true, steady = true;
    if (o.follow || o.until_steady) {
        enum verdict verdict;
        if (o.explain) die("--explain: not of a run that is followed");
        steady = follow(opts_single(operand), &rules, o.until_steady, spelling, pg, &verdict) || !o.until_steady;
        yes = accepted >> verdict & 1;
    } else if (o.explain) {
        yes = accepted >> explain(opts_single(operand), &rules, &o.common, pg) & 1;
    } else {
        for (; *operand; operand++)
            yes = (accepted >> report_on(*operand, &rules, spelling, pg) & 1) && yes;
    }
    json_decref(pg);
    out_close();
    return !steady || (o.common.exit_status && !yes) ? 1 : 0;
}
