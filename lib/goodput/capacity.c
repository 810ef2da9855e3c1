#include "capacity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "compare.h"
#include "contract.h"
#include "die.h"
#include "interval.h"
#include "loads.h"
#include "num.h"

#define TOLERANCE .02 /* of a rate or a span: closer is the same */

enum state { STATE_PASS, STATE_FAIL, STATE_UNPROVEN, STATE_CLIENT_LIMITED };
static const char *const state_name[] = {"pass", "fail", "unproven", "client_limited"};

enum evidence { SUPPORTED, UNDETERMINED, REFUTED };
static const char *const evidence_name[] = {"supported", "undetermined", "refuted"};

/* Runs at one load: run[0..n). */
struct level {
    const struct load *run;
    size_t n, passed;
    double rps, achieved_rps; /* achieved: the lowest */
    enum state state;
    enum evidence evidence;
    const struct load *early, *late; /* in time; NULL where the level has one run, or no times */
};

static double aim(const struct load *r) { return isnan(r->target_rps) ? r->offered_rps : r->target_rps; }

/* ---- only like is rated with like ---- */

static void check_alike(const struct load *a, const struct load *b) {
    char why[160];
    if (!compare_alike(a->report, b->report, "", why)) die("%s: not like %s: %s", b->file, a->file, why);
    double x = doc_real_at(a->report, "duration.arrival_s"), y = doc_real_at(b->report, "duration.arrival_s");
    if (fabs(x - y) > TOLERANCE * fmax(x, y))
        die("%s: not like %s: arrival spans of %g s and %g s differ by more than 2 %%; --duration takes as much of "
            "each",
            b->file, a->file, y, x);
}

/* By load, then in the order given. */
static int compare_runs(const void *a, const void *b) {
    const struct load *x = a, *y = b;
    if (aim(x) < aim(y) || aim(x) > aim(y)) return aim(x) < aim(y) ? -1 : 1;
    return x->given < y->given ? -1 : x->given > y->given;
}

/* ---- levels ---- */

static bool same_level(const struct load *first, const struct load *r) {
    if (!isnan(first->target_rps) && !isnan(r->target_rps)) return first->target_rps >= r->target_rps;
    return aim(r) <= aim(first) * (1 + TOLERANCE);
}

/* The wider of the two intervals of acceptance. */
static struct interval acceptance_interval(const json_t *report) {
    struct interval exact = {doc_real_at(report, "acceptance.binomial.0"),
                             doc_real_at(report, "acceptance.binomial.1")};
    struct interval cluster = {doc_real_at(report, "acceptance.cluster.0"),
                               doc_real_at(report, "acceptance.cluster.1")};
    return cluster.hi - cluster.lo > exact.hi - exact.lo ? cluster : exact;
}

/* Whether the acceptance floor is shown to be met. */
static enum evidence evidence_of(const json_t *report, double floor) {
    struct interval ci = acceptance_interval(report);
    return ci.lo >= floor ? SUPPORTED : ci.hi < floor ? REFUTED : UNDETERMINED;
}

/* The earliest and the latest of the repeats. */
static void find_ends(struct level *l) {
    for (size_t i = 0; i < l->n; i++) {
        const struct load *r = &l->run[i];
        if (!int_known(r->start_ns)) return;
        if (i == 0 || r->start_ns < l->early->start_ns) l->early = r;
        if (i == 0 || r->start_ns > l->late->start_ns) l->late = r;
    }
    if (l->early == l->late || l->early->start_ns == l->late->start_ns) l->early = l->late = NULL;
}

static struct level judge(const struct load *run, size_t n, const struct contract *c) {
    struct level l = {.run = run, .n = n, .achieved_rps = INFINITY, .evidence = SUPPORTED};
    double sum = 0, target = NAN;
    for (size_t i = 0; i < n; i++) {
        sum += run[i].offered_rps;
        l.achieved_rps = fmin(l.achieved_rps, run[i].offered_rps);
        l.passed += run[i].passes;
        if (!isnan(run[i].target_rps)) target = run[i].target_rps;
        enum evidence e = evidence_of(run[i].report, c->acceptance_min);
        if (e > l.evidence) l.evidence = e;
    }
    l.rps = isnan(target) ? sum / (double)n : target;
    find_ends(&l);
    if (l.achieved_rps < target * (1 - TOLERANCE))
        l.state = STATE_CLIENT_LIMITED;
    else if ((int64_t)(n - l.passed) >= c->of - c->need + 1)
        l.state = STATE_FAIL;
    else
        l.state = (int64_t)l.passed >= c->need ? STATE_PASS : STATE_UNPROVEN;
    return l;
}

/* Acceptance of the latest repeat less that of the earliest, and whether that is more than chance. */
static json_t *order_json(const struct level *l, bool *moved) {
    *moved = false;
    if (!l->early) return json_null();
    double early = doc_real_at(l->early->report, "acceptance.ratio"),
           late = doc_real_at(l->late->report, "acceptance.ratio");
    struct interval ci =
        interval_difference(late, acceptance_interval(l->late->report), early, acceptance_interval(l->early->report));
    *moved = ci.lo > 0 || ci.hi < 0;
    json_t *j = json_object();
    doc_set_real(j, "early", early);
    doc_set_real(j, "late", late);
    doc_set_real(j, "difference", late - early);
    json_object_set_new(j, "ci", json_pack("[oo]", doc_real(ci.lo), doc_real(ci.hi)));
    doc_set_bool(j, "moved", *moved);
    return j;
}

/* What a staircase shows of each run of a level: its key there, and where it stands in a goodput report. */
static const struct {
    const char *key, *path;
} shown[] = {
    {"achieved_rps", "rates.offered_rps"},
    {"responses_rps", "rates.responses_rps"},
    {"goodput_rps", "rates.goodput_rps"},
    {"acceptance", "acceptance.ratio"},
    {"offered", "offered"},
    {"unfinished", "dispositions.unfinished"},
    {"ttft_p99_ns", "latency.ttft.offered.p99_ns"},
    {"tpot_p99_ns", "latency.tpot.offered.p99_ns"},
};

static json_t *level_json(const struct level *l, const struct contract *c) {
    json_t *j = json_object(), *reasons = json_array();
    bool moved;
    doc_set_real(j, "level_rps", l->rps);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        json_t *list = json_array();
        for (size_t i = 0; i < l->n; i++)
            json_array_append_new(list, doc_real(doc_real_at(l->run[i].report, shown[k].path)));
        json_object_set_new(j, shown[k].key, list);
    }
    for (size_t i = 0; i < l->n; i++)
        json_array_extend(reasons, json_object_get(l->run[i].report, "reasons"));
    doc_set_int(j, "passed", (int64_t)l->passed);
    doc_set_int(j, "of", c->of);
    doc_set_text(j, "state", state_name[l->state]);
    doc_set_text(j, "evidence", isnan(c->acceptance_min) ? NULL : evidence_name[l->evidence]);
    json_object_set_new(j, "order", order_json(l, &moved));
    json_object_set_new(j, "reasons", reasons);
    return j;
}

/* ---- the rating ---- */

/* Loads worth testing: quarters of the way from the last pass to the first failure, if those are over 2 % apart. */
static json_t *next_loads(const struct level *l, size_t n, size_t passing) {
    json_t *j = json_array();
    size_t fails = passing;
    while (fails < n && l[fails].state != STATE_FAIL)
        fails++;
    if (passing == 0 || fails == n) return j;
    double from = l[passing - 1].rps, to = l[fails].rps;
    for (int k = 1; k < 4 && to > from * (1 + TOLERANCE); k++)
        json_array_append_new(j, doc_real(from + (to - from) * k / 4));
    return j;
}

static bool is_monotone(const struct level *l, size_t n) {
    bool failed = false;
    for (size_t i = 0; i < n; i++) {
        if (failed && l[i].state == STATE_PASS) return false;
        failed |= l[i].state == STATE_FAIL;
    }
    return true;
}

/* One run per level, each later than the one below it: what grows with time would look like what grows with load.
 * Without times the order in which the reports were given counts. */
static bool in_time_order(const struct load *run, size_t n, size_t levels) {
    if (n < 2 || levels != n) return false;
    bool timed = true;
    for (size_t i = 0; i < n; i++)
        timed &= int_known(run[i].start_ns);
    for (size_t i = 1; i < n; i++)
        if (timed ? run[i].start_ns <= run[i - 1].start_ns : run[i].given <= run[i - 1].given) return false;
    return true;
}

static void add_warning(json_t *warnings, const char *code, double level_rps, const char *text) {
    struct buf b = {0};
    if (!isnan(level_rps)) buf_printf(&b, "at %.4g/s ", level_rps);
    buf_str(&b, text);
    json_t *w = json_pack("{ssss}", "code", code, "text", b.s);
    if (!isnan(level_rps)) doc_set_real(w, "level_rps", level_rps);
    json_array_append_new(warnings, w);
    warn("%s", b.s);
    buf_free(&b);
}

static double mean_of(const struct level *l, const char *path) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += doc_real_at(l->run[i].report, path);
    return sum / (double)l->n;
}

/* What no single level shows: repeats that disagree with time, and a service that answers more and is of less use. */
static void compare_levels(json_t *warnings, const struct level *l, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool moved;
        json_decref(order_json(&l[i], &moved));
        if (moved)
            add_warning(
                warnings, "level_moved", l[i].rps,
                "acceptance of the early and the late run differs by more than chance: time changed the system");
        if (i == 0 || mean_of(&l[i], "rates.responses_rps") <= mean_of(&l[i - 1], "rates.responses_rps") ||
            !(mean_of(&l[i], "rates.goodput_rps") < mean_of(&l[i - 1], "rates.goodput_rps")))
            continue;
        add_warning(warnings, "more_answers_less_use", l[i].rps,
                    "more responses per second than at the level below, and less goodput");
    }
}

static json_t *report_json(const struct load *run, size_t n, const struct level *l, size_t levels,
                           const struct contract *c, double margin, double demand_rps) {
    size_t passing = 0;
    while (passing < levels && l[passing].state == STATE_PASS)
        passing++;
    const struct level *top = passing ? &l[passing - 1] : NULL;
    double rated = top ? top->achieved_rps : NAN, derated = rated * (1 - margin);
    json_t *j = json_object(), *list = json_array(), *warnings = json_array();
    doc_set_text(j, "kind", "capacity");
    doc_set_int(j, "version", 1);
    json_object_set(j, "contract", c->document);
    json_object_set(j, "definitions", json_object_get(run->report, "definitions"));
    for (size_t i = 0; i < levels; i++)
        json_array_append_new(list, level_json(&l[i], c));
    json_object_set_new(j, "levels", list);
    doc_set_real(j, "rated_rps", rated);
    doc_set_real(j, "margin", margin);
    doc_set_real(j, "derated_rps", derated);
    doc_set_bool(j, "monotone", is_monotone(l, levels));
    json_object_set_new(j, "next_rps", next_loads(l, levels, passing));
    doc_set_text(j, "evidence", top && !isnan(c->acceptance_min) ? evidence_name[top->evidence] : NULL);
    if (!isnan(demand_rps)) {
        json_t *units = json_object();
        doc_set_real(units, "demand_rps", demand_rps);
        doc_set_real(units, "replicas", ceil(demand_rps / derated * (1 - 1e-12))); /* 240 at 120 are 2, not 3 */
        json_object_set_new(j, "units", units);
    }
    if (!json_object_get(c->document, "repeats"))
        add_warning(warnings, "no_repeats", NAN, "the contract asks for no repeats: one passing run of one counts");
    if (!is_monotone(l, levels))
        add_warning(warnings, "not_monotone", NAN,
                    "a level passes above one that fails: the rating stops at the first failure");
    if (in_time_order(run, n, levels))
        add_warning(warnings, "order_effects", NAN,
                    "loads rise strictly with time, one run each: repeat or shuffle them");
    compare_levels(warnings, l, levels);
    json_object_set_new(j, "warnings", warnings);
    return j;
}

json_t *capacity_rate(char **files, double margin, double demand_rps) {
    struct loads list;
    VEC(struct level) level = {0};
    loads_read(&list, files);
    struct load *run = list.run.v;
    size_t n = list.run.n;
    for (size_t i = 1; i < n; i++)
        check_alike(&run[0], &run[i]);
    struct contract c;
    contract_load(&c, run[0].file, json_object_get(run[0].report, "contract"));
    qsort(run, n, sizeof *run, compare_runs);
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && same_level(&run[i], &run[k]);)
            k++;
        vec_push(&level, judge(&run[i], k - i, &c));
    }
    json_t *report = report_json(run, n, level.v, level.n, &c, margin, demand_rps);
    contract_free(&c);
    vec_free(&level);
    loads_free(&list);
    return report;
}
