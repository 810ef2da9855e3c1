#include "capacity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "compare.h"
#include "contract.h"
#include "die.h"
#include "num.h"

#define TOLERANCE .02 /* of a rate or a span: closer is the same */

enum state { STATE_PASS, STATE_FAIL, STATE_UNPROVEN, STATE_CLIENT_LIMITED };
static const char *const state_name[] = {"pass", "fail", "unproven", "client_limited"};

enum evidence { SUPPORTED, UNDETERMINED, REFUTED };
static const char *const evidence_name[] = {"supported", "undetermined", "refuted"};

struct run {
    const char *file;
    json_t *report;
    double target_rps, offered_rps; /* target: NAN = none */
    int64_t start_ns;
    size_t given; /* its place among the reports */
    bool passes;
};

/* Runs at one load: run[0..n). */
struct level {
    const struct run *run;
    size_t n, passed;
    double rps, achieved_rps; /* achieved: the lowest */
    enum state state;
    enum evidence evidence;
};

static double aim(const struct run *r) { return isnan(r->target_rps) ? r->offered_rps : r->target_rps; }

/* ---- reading: only like is rated with like ---- */

static struct run read_run(const char *file, json_t *report, size_t given) {
    struct run r = {.file = file, .report = report, .given = given};
    const json_t *complete = doc_at(report, "run.offered_complete");
    const char *verdict = doc_text_at(report, "verdict");
    r.target_rps = doc_real_at(report, "run.target_rps");
    r.offered_rps = doc_real_at(report, "rates.offered_rps");
    r.start_ns = doc_int_at(report, "duration.start_ns");
    if (complete && !json_is_true(complete))
        die("%s: the harness logged only what finished: offered is a lower bound, and no capacity follows", file);
    if (isnan(r.offered_rps)) die("%s: no offered rate: the run has no times, or a single arrival", file);
    if (!verdict || strcmp(verdict, "none") == 0)
        die("%s: the contract states no floor and no percentile: there is nothing to fail", file);
    r.passes = verdict && strcmp(verdict, "pass") == 0;
    return r;
}

static void check_alike(const struct run *a, const struct run *b) {
    char why[160];
    if (!compare_alike(a->report, b->report, "", why)) die("%s: not like %s: %s", b->file, a->file, why);
    double x = doc_real_at(a->report, "duration.arrival_s"), y = doc_real_at(b->report, "duration.arrival_s");
    if (fabs(x - y) > TOLERANCE * fmax(x, y))
        die("%s: not like %s: arrival spans of %g s and %g s differ by more than 2 %%", b->file, a->file, y, x);
}

/* By load, then in the order given. */
static int compare_runs(const void *a, const void *b) {
    const struct run *x = a, *y = b;
    if (aim(x) < aim(y) || aim(x) > aim(y)) return aim(x) < aim(y) ? -1 : 1;
    return x->given < y->given ? -1 : x->given > y->given;
}

/* ---- levels ---- */

static bool same_level(const struct run *first, const struct run *r) {
    if (!isnan(first->target_rps) && !isnan(r->target_rps)) return first->target_rps >= r->target_rps;
    return aim(r) <= aim(first) * (1 + TOLERANCE);
}

/* Whether the acceptance floor is shown to be met, by the wider of the two intervals. */
static enum evidence evidence_of(const json_t *report, double floor) {
    double lo = doc_real_at(report, "acceptance.binomial.0"), hi = doc_real_at(report, "acceptance.binomial.1");
    double cluster_lo = doc_real_at(report, "acceptance.cluster.0"),
           cluster_hi = doc_real_at(report, "acceptance.cluster.1");
    if (cluster_hi - cluster_lo > hi - lo) {
        lo = cluster_lo;
        hi = cluster_hi;
    }
    return lo >= floor ? SUPPORTED : hi < floor ? REFUTED : UNDETERMINED;
}

static struct level judge(const struct run *run, size_t n, const struct contract *c) {
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
    if (l.achieved_rps < target * (1 - TOLERANCE))
        l.state = STATE_CLIENT_LIMITED;
    else if ((int64_t)(n - l.passed) >= c->of - c->need + 1)
        l.state = STATE_FAIL;
    else
        l.state = (int64_t)l.passed >= c->need ? STATE_PASS : STATE_UNPROVEN;
    return l;
}

static json_t *level_json(const struct level *l, const struct contract *c) {
    json_t *j = json_object(), *achieved = json_array(), *goodput = json_array(), *acceptance = json_array();
    json_t *reasons = json_array();
    for (size_t i = 0; i < l->n; i++) {
        const json_t *report = l->run[i].report;
        json_array_append_new(achieved, doc_real(l->run[i].offered_rps));
        json_array_append_new(goodput, doc_real(doc_real_at(report, "rates.goodput_rps")));
        json_array_append_new(acceptance, doc_real(doc_real_at(report, "acceptance.ratio")));
        json_array_extend(reasons, json_object_get(report, "reasons"));
    }
    doc_set_real(j, "level_rps", l->rps);
    json_object_set_new(j, "achieved_rps", achieved);
    json_object_set_new(j, "goodput_rps", goodput);
    json_object_set_new(j, "acceptance", acceptance);
    doc_set_int(j, "passed", (int64_t)l->passed);
    doc_set_int(j, "of", c->of);
    doc_set_text(j, "state", state_name[l->state]);
    doc_set_text(j, "evidence", isnan(c->acceptance_min) ? NULL : evidence_name[l->evidence]);
    json_object_set_new(j, "reasons", reasons);
    return j;
}

/* ---- the rating ---- */

/* Loads worth testing: quarters of the way from the last pass to the first failure, where they are more than 2 % apart. */
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

/* One run per level, each later than the one below it: what grows with time would look like what grows with load.  Without
 * times the order in which the reports were given counts. */
static bool in_time_order(const struct run *run, size_t n, size_t levels) {
    if (n < 2 || levels != n) return false;
    bool timed = true;
    for (size_t i = 0; i < n; i++)
        timed &= int_known(run[i].start_ns);
    for (size_t i = 1; i < n; i++)
        if (timed ? run[i].start_ns <= run[i - 1].start_ns : run[i].given <= run[i - 1].given) return false;
    return true;
}

static void add_warning(json_t *warnings, const char *code, const char *text) {
    json_array_append_new(warnings, json_pack("{ssss}", "code", code, "text", text));
    warn("%s", text);
}

static json_t *report_json(const struct run *run, size_t n, const struct level *l, size_t levels,
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
        add_warning(warnings, "no_repeats", "the contract asks for no repeats: one passing run of one counts");
    if (!is_monotone(l, levels))
        add_warning(warnings, "not_monotone",
                    "a level passes above one that fails: the rating stops at the first failure");
    if (in_time_order(run, n, levels))
        add_warning(warnings, "order_effects", "loads rise strictly with time, one run each: repeat or shuffle them");
    json_object_set_new(j, "warnings", warnings);
    return j;
}

json_t *capacity_rate(char **files, double margin, double demand_rps) {
    VEC(struct run) run = {0};
    VEC(struct level) level = {0};
    json_t *kept = json_array();
    for (; *files; files++) {
        json_t *list = report_read(*files, "goodput", NULL);
        for (size_t i = 0; i < json_array_size(list); i++) {
            struct run r = read_run(*files, json_array_get(list, i), run.n);
            vec_push(&run, r);
        }
        json_array_extend(kept, list);
        json_decref(list);
    }
    if (run.n == 0) die("no report to rate");
    for (size_t i = 1; i < run.n; i++)
        check_alike(&run.v[0], &run.v[i]);
    struct contract c;
    contract_load(&c, run.v[0].file, json_object_get(run.v[0].report, "contract"));
    qsort(run.v, run.n, sizeof *run.v, compare_runs);
    for (size_t i = 0, k; i < run.n; i = k) {
        for (k = i + 1; k < run.n && same_level(&run.v[i], &run.v[k]);)
            k++;
        vec_push(&level, judge(&run.v[i], k - i, &c));
    }
    json_t *report = report_json(run.v, run.n, level.v, level.n, &c, margin, demand_rps);
    contract_free(&c);
    vec_free(&run);
    vec_free(&level);
    json_decref(kept);
    return report;
}
