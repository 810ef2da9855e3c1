/* goodput: what of a run was useful: requests per second that succeeded, passed quality and met every latency target.
 *
 *     $ goodput -g ttft:800,tpot:50 ledger.tsv
 *     {"kind":"goodput",…,"offered":72000,…,"accepted":68400,"dispositions":{"accepted":68400,"quality_failure":600,
 *      "latency_failure":2400,"server_failure":300,…,"unfinished":300},…,"rates":{"offered_rps":120,…,"goodput_rps":114},
 *      "acceptance":{"ratio":0.95,…},…,"verdict":"none",…}
 *
 * Every offered request has exactly one disposition, and none leaves the denominator.  What one request has to do is
 * score.h, what is counted is tally.h; here stands over which time, and about which part of the run. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "binomial.h"
#include "capacity.h"
#include "compare.h"
#include "die.h"
#include "extent.h"
#include "num.h"
#include "offered.h"
#include "opts.h"
#include "out.h"
#include "report.h"

struct options {
    struct common common;
    const char *targets, *contract, *quality, *cohort, *window, *baseline, *binomial;
    double duration_s, drain_s, level_rps, margin, demand_rps;
    int64_t cluster;
    struct opt_list by;
    bool annotate, aggregate, capacity;
    int unobserved; /* enum */
};
enum { UNOBSERVED_ERROR, UNOBSERVED_FAIL };

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'g', "targets", "METRIC:MS,...", OPT_TEXT, AT(targets), "latency targets: ttft, tpot, gap, e2e in ms", NULL, 0, 0},
    {'c', "contract", "FILE", OPT_TEXT, AT(contract), "the contract: targets, quality, floors (JSON)", NULL, 0, 0},
    {0, "quality", "FILE", OPT_TEXT, AT(quality), "verdicts on replies, keyed by request (TSV or NDJSON)", NULL, 0, 0},
    {0, "unobserved", "error|fail", OPT_CHOICE, AT(unobserved), "a target no reply tells anything of", "error|fail", 0,
     0},
    {0, "duration", "S", OPT_REAL, AT(duration_s), "the run is the first S seconds", NULL, 1e-9, 1e9},
    {0, "cohort", "T0:T1", OPT_TEXT, AT(cohort), "also report the requests arriving from T0 to T1 s", NULL, 0, 0},
    {0, "window", "REPORT", OPT_TEXT, AT(window), "also report those arriving in plateau's steady window", NULL, 0, 0},
    {0, "drain", "S", OPT_REAL, AT(drain_s), "wait S s for replies after the end of cohort or duration", NULL, 0, 1e9},
    {0, "by", "KEY", OPT_LIST, AT(by), "also report each value of a column, or isl:0,128,... osl:...", NULL, 0, 0},
    {0, "cluster", "N", OPT_INT, AT(cluster), "requests per cluster of the acceptance interval", NULL, 1, 1e9},
    {0, "level", "RPS", OPT_REAL, AT(level_rps), "the offered rate aimed at (run.target_rps)", NULL, 1e-9, 1e9},
    {'a', "annotate", NULL, OPT_FLAG, AT(annotate), "write the ledger with disposition and miss instead", NULL, 0, 0},
    {0, "aggregate", NULL, OPT_FLAG, AT(aggregate), "write counts that hold no ids and no hashes instead", NULL, 0, 0},
    {0, "baseline", "REPORT", OPT_TEXT, AT(baseline), "also report the difference to this goodput report", NULL, 0, 0},
    {0, "capacity", NULL, OPT_FLAG, AT(capacity), "read goodput reports: the highest load that passes", NULL, 0, 0},
    {0, "margin", "SHARE", OPT_REAL, AT(margin), "with --capacity: share of the rating kept in reserve", NULL, 0, .99},
    {0, "units", "RPS", OPT_REAL, AT(demand_rps), "with --capacity: replicas that serve this demand", NULL, 1e-9, 1e12},
    {0, "binomial", "N,P", OPT_TEXT, AT(binomial), "what chance alone does to N requests of acceptance P", NULL, 0, 0},
};
#undef AT

static const struct options defaults = {.duration_s = NAN, .drain_s = NAN, .level_rps = NAN, .demand_rps = NAN};

static bool no_input(const void *options) { return ((const struct options *)options)->binomial != NULL; }

static const struct tool tool = {
    .name = "goodput",
    .what = "Requests per second that succeed, pass quality and meet every latency target; every one accounted for.",
    .operands = "[LEDGER...]",
    .example = "goodput -g ttft:800,tpot:50 ledger.tsv | jq .rates.goodput_rps",
    .exit_1 = "status 1 when the verdict is fail, or with --capacity when no load passes",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
    .no_input = no_input,
};

/* ---- one run, as this tool sees it ---- */

struct run {
    const struct options *options;
    const struct contract *contract;
    const struct offered *offered;
    const struct fact **f; /* [n], in issue order */
    size_t n;
    struct extent extent;
    json_t *steady; /* plateau's report, or NULL */
    json_t *warnings;
};

static void add_warning(const struct run *r, const char *code, const char *metric, const char *value,
                        const char *text) {
    json_t *w = json_pack("{s:s,s:s?,s:s?,s:s}", "code", code, "metric", metric, "value", value, "text", text);
    json_array_append_new(r->warnings, w);
    warn("%s%s%s: %s", metric ? metric : code, value ? " " : "", value ? value : "", text);
}

/* A steady window is asked for and there is one: that a run has none is a result, and no reason to stop. */
static bool has_window(const struct run *r) { return doc_true_at(r->steady, "found"); }

static struct tally_over over(const struct run *r, const struct extent *s) {
    struct tally_over v = {.cutoff_ns = s->cutoff_ns,
                           .arrival_s = s->arrival_s,
                           .duration_s = s->duration_s,
                           .cluster = r->options->cluster};
    if (v.cluster == 0 && has_window(r)) {
        int64_t size = doc_int_at(r->steady, "run.size"), passes = doc_int_at(r->steady, "window.n_passes");
        int64_t requests = doc_int_at(r->steady, "window.n_requests");
        v.cluster = int_known(size) ? size : passes > 0 && requests >= passes ? requests / passes : 0;
    }
    return v;
}

/* ---- a cohort: everything offered from t0 to t1, whenever it ended ---- */

static void cohort_edges(const struct run *r, int64_t origin, int64_t *t0, int64_t *t1) {
    if (r->steady) {
        *t0 = doc_int_at(r->steady, "window.first_issue_ns");
        *t1 = doc_int_at(r->steady, "window.next_issue_ns");
        if (!int_known(*t0) || !int_known(*t1))
            die("%s: the report has no times of a steady window", r->options->window);
        return;
    }
    const char *text = r->options->cohort, *colon = strchr(text, ':');
    double a, b;
    if (!colon || !num_real(text, (size_t)(colon - text), &a) || !num_real(colon + 1, strlen(colon + 1), &b) ||
        !(a < b))
        die("--cohort: '%s' is not T0:T1 in seconds, T0 < T1", text);
    *t0 = extent_after(origin, a);
    *t1 = extent_after(origin, b);
}

static double seconds_from(int64_t a, int64_t b) {
    int64_t span = num_span(a, b);
    return int_known(span) ? (double)span / 1e9 : NAN;
}

static json_t *cohort_json(const struct run *r) {
    if (!r->extent.source || (r->steady && !has_window(r))) return json_null();
    int64_t origin = extent_tracking(r->offered->run, "tracking_start_ns"), t0, t1;
    if (!int_known(origin)) origin = extent_of_arrivals(r->f, r->n).start_ns;
    cohort_edges(r, origin, &t0, &t1);

    const struct fact **in = xcalloc(r->n + 1, sizeof(void *));
    size_t n = 0;
    int64_t accepted_in_window = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct fact *f = r->f[i];
        if (f->arrival_ns >= t0 && f->arrival_ns < t1) in[n++] = f;
        accepted_in_window += f->disposition == DISP_ACCEPTED && f->done_ns >= t0 && f->done_ns < t1;
    }
    double drain = r->options->drain_s, seconds = seconds_from(t0, t1);
    struct extent s = {.cutoff_ns = r->extent.cutoff_ns, .arrival_s = seconds, .duration_s = seconds};
    if (!isnan(drain) && extent_after(t1, drain) < s.cutoff_ns) s.cutoff_ns = extent_after(t1, drain);
    json_t *j = json_object();
    doc_set_real(j, "t0_s", seconds_from(origin, t0));
    doc_set_real(j, "t1_s", seconds_from(origin, t1));
    doc_set_real(j, "drain_s", drain);
    doc_set_real(j, "completion_window_rps", (double)accepted_in_window / seconds);
    struct tally_over v = over(r, &s);
    v.sketch = true;
    tally_block(j, in, n, &v, r->contract);
    free(in);
    return j;
}

/* ---- segments: the same block for each part of the requests ---- */

static json_t *segment_json(const struct run *r, const struct by *by, uint32_t id, const struct fact **in, size_t n) {
    bool own_time = strcmp(by->key, "run") == 0; /* runs follow each other; other segments share the time */
    struct extent s = own_time ? extent_of_arrivals(in, n) : r->extent;
    struct tally_over v = over(r, &s);
    json_t *j = json_object();
    doc_set_text(j, "by", by->key);
    json_object_set_new(j, "segment", json_stringn(by->segment.name.v[id].s, by->segment.name.v[id].n));
    if (own_time) json_object_set_new(j, "duration", extent_json(&s, in, n, 0));
    tally_block(j, in, n, &v, r->contract);
    return j;
}

static void add_segments(const struct run *r, const struct by *by, json_t *report) {
    bool whole_passes = strcmp(doc_text_at(report, "verdict"), "pass") == 0;
    size_t k = by->segment.name.n, sum = 0;
    size_t *from = xcalloc(k + 2, sizeof *from);
    const struct fact **in = xcalloc(r->n + 1, sizeof(void *));
    for (size_t i = 0; i < r->n; i++)
        from[by->of.v[r->f[i] - r->offered->fact.v] + 2]++;
    for (size_t i = 2; i < k + 2; i++)
        from[i] += from[i - 1];
    for (size_t i = 0; i < r->n; i++)
        in[from[by->of.v[r->f[i] - r->offered->fact.v] + 1]++] = r->f[i]; /* from[id + 1] ends as the end of id */
    uint32_t *order = by_order(by);
    for (size_t i = 0; i < k; i++) {
        uint32_t id = order[i];
        size_t n = from[id + 1] - from[id];
        if (n == 0) continue;
        json_t *j = segment_json(r, by, id, in + from[id], n);
        sum += (size_t)doc_int_at(j, "offered");
        if (whole_passes && strcmp(doc_text_at(j, "verdict"), "fail") == 0)
            add_warning(r, "segment_fails", by->key, doc_text_at(j, "segment"),
                        "this segment fails where the whole passes");
        json_array_append_new(json_object_get(report, "segments"), j);
    }
    if (sum != r->n) die("segments by %s sum to %zu, %zu requests were offered", by->key, sum, r->n);
    if (by->what == BY_OSL)
        add_warning(r, "osl_loses_failures", by->key, NULL, "failures have no reply length: prefer bands of isl");
    free(order);
    free(from);
    free(in);
}

/* ---- the report ---- */

static json_t *definitions_json(const struct run *r) {
    static const struct {
        const char *key, *usual;
    } of_ledger[] = {{"latency_from", "intended"}, {"retry_clock", "first"}, {"tpot_end", "done"}, {"tokens", NULL}};
    json_t *j = json_object(), *said = json_object_get(r->offered->run, "definitions");
    for (size_t i = 0; i < sizeof of_ledger / sizeof *of_ledger; i++) {
        const char *v = doc_text_at(said, of_ledger[i].key);
        doc_set_text(j, of_ledger[i].key, v ? v : of_ledger[i].usual);
    }
    json_t *stated = doc_at(r->contract->document, "latency_from");
    if (stated) json_object_set(j, "latency_from", stated);
    if (r->contract->quality) {
        doc_set_text(j, "quality", r->offered->quality ? "verdicts" : "ledger");
        if (r->offered->quality) json_object_set(j, "evaluator", quality_evaluator(r->offered->quality));
    }
    doc_set_text(j, "meets", "<=");
    doc_set_text(j, "percentile", "floor");
    doc_set_text(j, "contract_percentile", "nearest_rank");
    doc_set_text(j, "duration", r->extent.source);
    doc_set_text(j, "arrival", r->extent.source);
    return j;
}

/* What the reader has to know before the numbers. */
static void warn_of_limits(const struct run *r, json_t *report) {
    const json_t *complete = doc_at(r->offered->run, "offered_complete");
    if (complete && !json_is_true(complete)) {
        doc_set_text(report, "offered_bound", ">=");
        doc_set_text(report, "acceptance_bound", "<=");
        add_warning(r, "offered_incomplete", NULL, NULL,
                    "the harness logs only what finished: offered is at least, acceptance at most what is shown");
    }
    if (r->offered->partial)
        add_warning(r, "partial", NULL, NULL, "the log is cut short: offered is at least what is shown");
    if (!r->extent.source && r->n > 0)
        add_warning(r, "no_times", NULL, NULL, "the ledger has no times of day: no rates and no cohorts");
    int64_t unjudged = r->contract->quality ? doc_int_at(report, "quality.unjudged") : 0;
    if (unjudged > 0) add_warning(r, "unjudged", NULL, NULL, "completed requests without a verdict are not accepted");
    const char *verdict = r->steady ? doc_text_at(r->steady, "verdict") : "steady";
    if (r->steady && !has_window(r))
        add_warning(r, "no_window", NULL, verdict, "the run has no steady window: no cohort");
    else if (!verdict || strncmp(verdict, "steady", 6) != 0)
        add_warning(r, "window_not_steady", NULL, verdict, "the window is of a run that is not called steady");
}

static json_t *report_json(const struct run *r, int64_t beyond) {
    json_t *j = json_object(), *facts = json_copy(r->offered->run);
    if (!isnan(r->options->level_rps)) doc_set_real(facts, "target_rps", r->options->level_rps);
    doc_set_text(j, "kind", "goodput");
    doc_set_int(j, "version", 1);
    doc_set_text(j, "headline", r->contract->quality ? "goodput" : "latency goodput: quality was not assessed");
    json_object_set(j, "contract", r->contract->document);
    json_object_set_new(j, "definitions", definitions_json(r));
    json_object_set_new(j, "run", facts);
    json_array_append(r->offered->pg, r->offered->pg_own);
    json_object_set(j, "pg", r->offered->pg);
    json_object_set_new(j, "duration", extent_json(&r->extent, r->f, r->n, beyond));
    doc_set_int(j, "untracked", r->offered->untracked);
    struct tally_over v = over(r, &r->extent);
    v.sketch = true;
    tally_block(j, r->f, r->n, &v, r->contract);
    if (r->offered->quality) json_object_update_new(json_object_get(j, "quality"), quality_json(r->offered->quality));
    warn_of_limits(r, j);
    if (r->options->cohort || r->steady) json_object_set_new(j, "cohort", cohort_json(r));
    if (r->offered->n_by > 0) json_object_set_new(j, "segments", json_array());
    for (size_t i = 0; i < r->offered->n_by; i++)
        add_segments(r, &r->offered->by[i], j);
    json_object_set(j, "warnings", r->warnings);
    json_object_set_new(j, "series",
                        tally_series(r->f, r->n, r->extent.start_ns, r->extent.duration_s, r->extent.cutoff_ns));
    return j;
}

/* ---- from options to output ---- */

static void check_options(const struct options *o) {
    if (o->contract && o->targets) die("-c and -g are two contracts: give one");
    if (!o->contract && !o->targets) die("no contract: give latency targets with -g, or a file with -c");
    if (o->annotate && o->aggregate) die("--annotate and --aggregate are two outputs: choose one");
    if (o->cohort && o->window) die("--cohort and --window are two cohorts: choose one");
    if (!isnan(o->drain_s) && !o->cohort && !o->window && isnan(o->duration_s))
        die("--drain says how long to wait after the end of --duration, --cohort or --window: give one");
    if (o->baseline && (o->annotate || o->aggregate)) die("--baseline compares reports: leave out -a and --aggregate");
    if (o->aggregate && o->by.n) die("--aggregate has its own segments: leave out --by");
}

static void read_contract(struct contract *c, const struct options *o) {
    if (o->contract)
        contract_read(c, o->contract);
    else
        contract_parse(c, o->targets, o->quality != NULL);
    if (o->quality && !c->quality) die("%s: no quality rule, which --quality needs: add \"quality\":{}", o->contract);
}

static json_t *read_one(const char *path, const char *kind) {
    json_t *list = report_read(path, kind, NULL), *report = json_incref(json_array_get(list, 0));
    if (json_array_size(list) != 1) die("%s: %zu reports, one is wanted", path, json_array_size(list));
    json_decref(list);
    return report;
}

static void prepare(struct offered *d, const struct options *o, const struct contract *c) {
    d->contract = c;
    d->quality = o->quality ? quality_open(o->quality, c) : NULL;
    d->n_by = o->aggregate ? AGGREGATE_BY : o->by.n;
    d->by = xcalloc(d->n_by + 1, sizeof *d->by);
    if (o->aggregate) aggregate_keys(d->by);
    for (size_t i = 0; i < o->by.n; i++) {
        by_init(&d->by[i], o->by.v[i]);
        d->by_run |= strcmp(o->by.v[i], "run") == 0;
    }
    d->common = o->annotate ? &o->common : NULL;
    d->hold = !isnan(o->duration_s);
    d->pg_own = opts_provenance(&tool, o, &defaults);
}

static void add_baseline(json_t *report, const char *path) {
    char why[160];
    json_t *base = read_one(path, "goodput"), *j = compare_baseline(report, base, why);
    if (!j) die("%s: no baseline for this run: %s", path, why);
    json_object_set_new(report, "baseline", j);
    json_decref(base);
}

/* From ledgers to a report, or to the table asked for instead; the exit status. */
static int count(const struct options *o, char **files) {
    struct contract contract;
    struct offered offered = {0};
    check_options(o);
    read_contract(&contract, o);
    struct run r = {.options = o, .contract = &contract, .offered = &offered, .warnings = json_array()};
    if (o->window) r.steady = read_one(o->window, "steady");
    prepare(&offered, o, &contract);
    offered_read(&offered, files);
    offered_check(&offered, o->unobserved == UNOBSERVED_FAIL);

    r.f = offered.in_order;
    r.n = offered.fact.n;
    r.extent = extent_of_run(offered.run, o->duration_s, o->drain_s, r.f, &r.n);
    note("offered over %.9g s, the rest over %.9g s, from %s", r.extent.arrival_s, r.extent.duration_s,
         r.extent.source ? r.extent.source : "nothing: no times");
    int status = 0;
    if (o->annotate) {
        offered_annotate(&offered, r.extent.end_ns, r.extent.cutoff_ns);
    } else if (o->aggregate) {
        aggregate_write(r.f, r.n, offered.fact.v, offered.by, r.extent.cutoff_ns, offered.pg_own, &o->common,
                        offered.spelling);
    } else {
        json_t *report = report_json(&r, (int64_t)(offered.fact.n - r.n));
        if (o->baseline) add_baseline(report, o->baseline);
        report_write(report, opts_spelling(&o->common, SPELL_NDJSON));
        status = strcmp(doc_text_at(report, "verdict"), "fail") == 0;
        json_decref(report);
    }
    json_decref(r.steady);
    json_decref(r.warnings);
    offered_free(&offered);
    contract_free(&contract);
    return status;
}

/* From the reports of many loads to a rating. */
static int rate(const struct options *o, char **files) {
    if (o->contract || o->targets) die("--capacity rates reports by the contract in them: leave out -c and -g");
    json_t *report = capacity_rate(files, o->margin, o->demand_rps);
    report_write(report, opts_spelling(&o->common, SPELL_NDJSON));
    int status = json_is_null(json_object_get(report, "rated_rps"));
    json_decref(report);
    return status;
}

int main(int argc, char **argv) {
    struct options o = defaults;
    char **files = opts_parse(&tool, &o, argc, argv);
    int status = 0;
    if (o.binomial)
        binomial_write(o.binomial, opts_spelling(&o.common, SPELL_NDJSON));
    else
        status = o.capacity ? rate(&o, files) : count(&o, files);
    free(o.by.v);
    out_close();
    return o.common.exit_status ? status : 0;
}
