#include "account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "sanity.h"
#include "series.h"

static void add_warning(json_t *report, const char *code, const char *metric, const char *value, const char *text) {
    json_t *w = json_pack("{s:s,s:s?,s:s?,s:s}", "code", code, "metric", metric, "value", value, "text", text);
    json_array_append_new(json_object_get(report, "warnings"), w);
    warn("%s%s%s: %s", metric ? metric : code, value ? " " : "", value ? value : "", text);
}

/* A steady window is asked for and there is one: that a run has none is a result, and no reason to stop. */
static bool has_window(const struct account *a) { return doc_true_at(a->steady, "found"); }

static struct tally_over over(const struct account *a, const struct extent *s) {
    struct tally_over v = {.cutoff_ns = s->cutoff_ns,
                           .arrival_s = s->arrival_s,
                           .duration_s = s->duration_s,
                           .cluster = a->cluster,
                           .threshold = a->threshold,
                           .n_thresholds = a->n_thresholds};
    if (v.cluster == 0 && has_window(a)) {
        int64_t size = doc_int_at(a->steady, "run.size"), passes = doc_int_at(a->steady, "window.n_passes");
        int64_t requests = doc_int_at(a->steady, "window.n_requests");
        v.cluster = int_known(size) ? size : passes > 0 && requests >= passes ? requests / passes : 0;
    }
    return v;
}

/* ---- a cohort: everything offered from t0 to t1, whenever it ended ---- */

static void cohort_edges(const struct account *a, int64_t origin, int64_t *t0, int64_t *t1) {
    if (a->steady) {
        *t0 = doc_int_at(a->steady, "window.first_issue_ns");
        *t1 = doc_int_at(a->steady, "window.next_issue_ns");
        if (!int_known(*t0) || !int_known(*t1)) die("%s: the report has no times of a steady window", a->window);
        return;
    }
    *t0 = extent_after(origin, a->cohort[0]);
    *t1 = extent_after(origin, a->cohort[1]);
}

static double seconds_from(int64_t a, int64_t b) {
    int64_t span = num_span(a, b);
    return int_known(span) ? (double)span / 1e9 : NAN;
}

static json_t *cohort_json(const struct account *a, const json_t *report) {
    if (!a->extent.source || (a->steady && !has_window(a))) return json_null();
    const struct fact *const *f = a->scoring->in_order;
    int64_t origin = extent_tracking(a->offered->run, "tracking_start_ns"), t0, t1;
    if (!int_known(origin)) origin = extent_of_arrivals(f, a->n).start_ns;
    cohort_edges(a, origin, &t0, &t1);

    const struct fact **in = xcalloc(a->n + 1, sizeof(void *));
    size_t n = 0;
    int64_t accepted_in_window = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (f[i]->arrival_ns >= t0 && f[i]->arrival_ns < t1) in[n++] = f[i];
        accepted_in_window += f[i]->disposition == DISP_ACCEPTED && f[i]->done_ns >= t0 && f[i]->done_ns < t1;
    }
    double seconds = seconds_from(t0, t1);
    struct extent s = {.cutoff_ns = a->extent.cutoff_ns, .arrival_s = seconds, .duration_s = seconds};
    if (!isnan(a->drain_s) && extent_after(t1, a->drain_s) < s.cutoff_ns) s.cutoff_ns = extent_after(t1, a->drain_s);
    json_t *j = json_object();
    doc_set_real(j, "t0_s", seconds_from(origin, t0));
    doc_set_real(j, "t1_s", seconds_from(origin, t1));
    doc_set_real(j, "drain_s", a->drain_s);
    doc_set_real(j, "completion_window_rps", (double)accepted_in_window / seconds);
    doc_set_real(j, "whole_run_rps", doc_real_at(report, "rates.goodput_rps"));
    struct tally_over v = over(a, &s);
    v.sketch = true;
    tally_block(j, in, n, &v, a->scoring->contract);
    free(in);
    return j;
}

/* ---- segments: the same block for each part of the requests ---- */

/* Whether a target of the contract decided anything about a request: it applies to it, and its value was seen. */
static bool decides(const struct contract *c, enum target t, const struct fact *f) {
    unsigned unseen = MISS_BIT(MISS_UNOBSERVED + (int)t);
    if (f->outcome != OUT_COMPLETED || f->not_applicable & MISS_BIT(t)) return false;
    return c->latency[t].den ? !(f->misses & unseen) : !isnan(f->value[t]);
}

/* Rules of the contract that decided about no request of a segment: it passes them, or fails, for want of anything to
 * measure. */
static json_t *idle_rules(const struct contract *c, const struct fact *const *f, size_t n) {
    bool busy[N_TARGETS + 1] = {false};
    for (size_t i = 0; i < n; i++) {
        for (enum target t = 0; t < N_TARGETS; t++)
            busy[t] |= decides(c, t, f[i]);
        busy[N_TARGETS] |= f[i]->outcome == OUT_COMPLETED && f[i]->judged != JUDGED_NOT;
    }
    json_t *list = json_array();
    for (enum target t = 0; t < N_TARGETS; t++)
        if (contract_asks(c, t) && !busy[t]) json_array_append_new(list, json_string(target_name[t]));
    if (c->quality && !busy[N_TARGETS]) json_array_append_new(list, json_string("quality"));
    return list;
}

static json_t *segment_json(const struct account *a, const struct by *by, uint32_t id, const struct fact **in,
                            size_t n) {
    bool own_time = strcmp(by->key, "run") == 0; /* runs follow each other; other segments share the time */
    struct extent s = own_time ? extent_of_arrivals(in, n) : a->extent;
    struct tally_over v = over(a, &s);
    json_t *j = json_object();
    doc_set_text(j, "by", by->key);
    json_object_set_new(j, "segment", json_stringn(by->segment.name.v[id].s, by->segment.name.v[id].n));
    json_object_set_new(j, "without_rule", idle_rules(a->scoring->contract, in, n));
    if (own_time) json_object_set_new(j, "duration", extent_json(&s, in, n, 0));
    v.sketch = own_time; /* a run may be compared with others */
    tally_block(j, in, n, &v, a->scoring->contract);
    return j;
}

static bool is(const json_t *block, const char *verdict) { return strcmp(doc_text_at(block, "verdict"), verdict) == 0; }

/* Segments from `first` on that say otherwise than the whole, or than each other: the whole is a mixture, and the
 * mixture is not what anybody met. */
static void name_contradictions(json_t *report, const struct by *by, const json_t *segments, size_t first) {
    size_t n = json_array_size(segments), failed = 0;
    for (size_t i = first; i < n; i++)
        failed += is(json_array_get(segments, i), "fail");
    bool some = failed < n - first;
    for (size_t i = first; i < n; i++) {
        const json_t *s = json_array_get(segments, i);
        const char *name = doc_text_at(s, "segment");
        if (is(s, "fail") && is(report, "pass"))
            add_warning(report, "segment_fails", by->key, name, "this segment fails where the whole passes");
        if (is(s, "fail") && is(report, "fail") && some)
            add_warning(report, "fails_by_segment", by->key, name, "the whole fails by this segment: others pass");
        if (json_array_size(json_object_get(s, "without_rule")) > 0)
            add_warning(report, "segment_without_rule", by->key, name,
                        "a rule of the contract found nothing to decide in this segment: see without_rule");
    }
}

static void add_segments(const struct account *a, const struct by *by, json_t *report) {
    const struct fact *const *f = a->scoring->in_order, *fact = a->scoring->fact.v;
    json_t *segments = json_object_get(report, "segments");
    size_t k = by->segment.name.n, sum = 0, first = json_array_size(segments);
    size_t *from = xcalloc(k + 2, sizeof *from);
    const struct fact **in = xcalloc(a->n + 1, sizeof(void *));
    for (size_t i = 0; i < a->n; i++)
        from[by->of.v[f[i] - fact] + 2]++;
    for (size_t i = 2; i < k + 2; i++)
        from[i] += from[i - 1];
    for (size_t i = 0; i < a->n; i++)
        in[from[by->of.v[f[i] - fact] + 1]++] = f[i]; /* from[id + 1] ends as the end of id */
    uint32_t *order = by_order(by);
    for (size_t i = 0; i < k; i++) {
        uint32_t id = order[i];
        size_t n = from[id + 1] - from[id];
        if (n == 0) continue;
        json_t *j = segment_json(a, by, id, in + from[id], n);
        sum += (size_t)doc_int_at(j, "offered");
        json_array_append_new(segments, j);
    }
    if (sum != a->n) die("segments by %s sum to %zu, %zu requests were offered", by->key, sum, a->n);
    name_contradictions(report, by, segments, first);
    if (by->what == BY_OSL)
        add_warning(report, "osl_loses_failures", by->key, NULL, "failures have no reply length: prefer bands of isl");
    free(order);
    free(from);
    free(in);
}

/* ---- the report ---- */

static json_t *definitions_json(const struct account *a) {
    static const struct {
        const char *key, *usual;
    } of_ledger[] = {{"latency_from", "intended"}, {"retry_clock", "first"}, {"tpot_end", "done"}, {"tokens", NULL}};
    const struct scoring *k = a->scoring;
    json_t *j = json_object(), *said = json_object_get(a->offered->run, "definitions");
    for (size_t i = 0; i < sizeof of_ledger / sizeof *of_ledger; i++) {
        const char *v = doc_text_at(said, of_ledger[i].key);
        doc_set_text(j, of_ledger[i].key, v ? v : of_ledger[i].usual);
    }
    json_t *stated = doc_at(k->contract->document, "latency_from");
    if (stated) json_object_set(j, "latency_from", stated);
    if (k->contract->quality) {
        doc_set_text(j, "quality", k->quality ? "verdicts" : "ledger");
        if (k->quality) json_object_set(j, "evaluator", quality_evaluator(k->quality));
    }
    doc_set_text(j, "meets", "<=");
    doc_set_text(j, "unobserved", a->unobserved_fails ? "fail" : "error");
    doc_set_text(j, "percentile", "floor");
    doc_set_text(j, "contract_percentile", "nearest_rank");
    doc_set_text(j, "duration", a->extent.source);
    doc_set_text(j, "arrival", a->extent.source);
    return j;
}

/* A client that sends late is a part of what was measured: said where the wait is no rounding of the tightest target. */
static void warn_of_wait(const struct contract *c, json_t *report) {
    double p90 = doc_real_at(report, "client_wait.p90_ns");
    double target = fmin(limit_ns(&c->latency[TARGET_TTFT]), limit_ns(&c->latency[TARGET_E2E]));
    if (!(p90 > target / 10)) return;
    char text[160];
    snprintf(
        text, sizeof text,
        "one request in ten was sent %.3g s late or more, against a target of %.3g s: the run measured its client, too",
        p90 / 1e9, target / 1e9);
    add_warning(report, "client_wait", NULL, NULL, text);
}

/* The report that gives the window knows how many requests its run had, and when it began. */
static bool of_another_run(const struct account *a) {
    int64_t n = doc_int_at(a->steady, "run.counts.tracked"), began = doc_int_at(a->steady, "run.first_issue_ns");
    int64_t first = a->n > 0 ? a->scoring->in_order[0]->issued_ns : INT_NONE;
    return (int_known(n) && n != (int64_t)a->scoring->fact.n) ||
           (int_known(began) && int_known(first) && began != first);
}

/* What the reader has to know before the numbers. */
static void warn_of_limits(const struct account *a, json_t *report) {
    const json_t *complete = doc_at(a->offered->run, "offered_complete"),
                 *logged = doc_at(a->offered->run, "outcomes_logged");
    if (json_is_false(logged)) {
        doc_set_text(report, "acceptance_bound", "<=");
        add_warning(report, "no_outcome", NULL, NULL,
                    "the harness does not say which requests succeeded: acceptance is at most what is shown");
    }
    if (complete && !json_is_true(complete)) {
        doc_set_text(report, "offered_bound", ">=");
        doc_set_text(report, "acceptance_bound", "<=");
        add_warning(report, "offered_incomplete", NULL, NULL,
                    "the harness logs only what finished: offered is at least, acceptance at most what is shown");
    }
    if (a->offered->partial)
        add_warning(report, "partial", NULL, NULL, "the log is cut short: offered is at least what is shown");
    if (a->offered->repeated > 0) {
        char text[120];
        snprintf(text, sizeof text, "requests whose name came before, in this ledger or another, each counted: %zu",
                 a->offered->repeated);
        add_warning(report, "repeated_names", NULL, NULL, text);
    }
    if (!a->extent.source && a->n > 0)
        add_warning(report, "no_times", NULL, NULL, "the ledger has no times of day: no rates and no cohorts");
    int64_t unjudged = a->scoring->contract->quality ? doc_int_at(report, "quality.unjudged") : 0;
    if (unjudged > 0)
        add_warning(report, "unjudged", NULL, NULL, "completed requests without a verdict are not accepted");
    const char *verdict = a->steady ? doc_text_at(a->steady, "verdict") : "steady";
    if (a->steady && !has_window(a))
        add_warning(report, "no_window", NULL, verdict, "the run has no steady window: no cohort");
    else if (!verdict || strncmp(verdict, "steady", 6) != 0)
        add_warning(report, "window_not_steady", NULL, verdict, "the window is of a run that is not called steady");
    if (has_window(a) && of_another_run(a))
        add_warning(
            report, "window_other_run", NULL, NULL,
            "the window is of a run with another number of requests or another beginning: is it another run's?");
    struct sanity odd[SANITY_MAX];
    size_t n = sanity_check(odd, a->scoring->in_order, a->n, a->extent.cutoff_ns, report);
    for (size_t i = 0; i < n; i++)
        add_warning(report, odd[i].code, NULL, odd[i].value, odd[i].text);
}

json_t *account_report(const struct account *a) {
    const struct scoring *k = a->scoring;
    const struct fact *const *f = k->in_order;
    json_t *j = json_object(), *facts = json_copy(a->offered->run), *pg = json_copy(a->offered->pg);
    if (!isnan(a->level_rps)) doc_set_real(facts, "target_rps", a->level_rps);
    json_array_append(pg, a->offered->pg_own);
    doc_set_text(j, "kind", "goodput");
    doc_set_int(j, "version", 1);
    doc_set_text(j, "headline", k->contract->quality ? "goodput" : "latency goodput: quality was not assessed");
    json_object_set(j, "contract", k->contract->document);
    json_object_set_new(j, "definitions", definitions_json(a));
    json_object_set_new(j, "run", facts);
    json_object_set_new(j, "pg", pg);
    json_object_set_new(j, "duration", extent_json(&a->extent, f, a->n, (int64_t)(k->fact.n - a->n)));
    doc_set_int(j, "untracked", a->offered->untracked);
    struct tally_over v = over(a, &a->extent);
    v.sketch = true;
    tally_block(j, f, a->n, &v, k->contract);
    if (k->quality) json_object_update_new(json_object_get(j, "quality"), quality_json(k->quality));
    json_object_set_new(j, "series",
                        series_json(f, a->n, a->extent.start_ns, a->extent.duration_s, a->extent.cutoff_ns));
    if (a->offered->frontier)
        json_object_set_new(j, "frontier",
                            frontier_json(a->offered->frontier, f, a->n, a->extent.cutoff_ns, a->extent.duration_s));
    json_object_set_new(j, "warnings", json_array());
    warn_of_limits(a, j);
    warn_of_wait(k->contract, j);
    if (a->cohort || a->steady) json_object_set_new(j, "cohort", cohort_json(a, j));
    if (a->steady && doc_int_at(j, "cohort.offered") == 0)
        add_warning(j, "window_empty", NULL, NULL, "no request of the ledger lies in the window: is it another run's?");
    if (a->offered->n_by > 0) json_object_set_new(j, "segments", json_array());
    for (size_t i = 0; i < a->offered->n_by; i++)
        add_segments(a, &a->offered->by[i], j);
    return j;
}
