/* goodput: what of a run was useful: requests per second that succeeded, passed quality and met every latency target.
 *
 *     $ goodput -g ttft:800,tpot:50 ledger.tsv
 *     {"kind":"goodput",…,"offered":72000,…,"accepted":68400,"dispositions":{"accepted":68400,"quality_failure":600,
 *      "latency_failure":2400,"server_failure":300,…,"unfinished":300},…,"rates":{"offered_rps":120,…,"goodput_rps":114},
 *      "acceptance":{"ratio":0.95,…},…,"verdict":"none",…}
 *
 * Every offered request has exactly one disposition, and none leaves the denominator.  What one request has to do is
 * score.h, what is counted is tally.h, what is said about it account.h; here stands what is asked for. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "aggregate.h"
#include "binomial.h"
#include "capacity.h"
#include "compare.h"
#include "die.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "report.h"
#include "sheet.h"

struct options {
    struct common common;
    const char *quality, *thresholds, *cohort, *window, *frontier, *table, *baseline, *binomial;
    double duration_s, drain_s, level_rps, margin, demand_rps;
    int64_t cluster;
    struct opt_list targets, contract, by;
    bool check_contract, annotate, aggregate, capacity;
    int unobserved; /* enum */
};
enum { UNOBSERVED_ERROR, UNOBSERVED_FAIL };

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'g', "targets", "METRIC:MS,...", OPT_LIST, AT(targets), "latency targets: ttft, tpot, gap, e2e in ms", NULL, 0, 0},
    {'c', "contract", "FILE", OPT_LIST, AT(contract), "the contract: targets, quality, floors (JSON)", NULL, 0, 0},
    {0, "check-contract", NULL, OPT_FLAG, AT(check_contract), "read contracts only, and write what they come to", NULL,
     0, 0},
    {0, "quality", "FILE", OPT_TEXT, AT(quality), "verdicts on replies, keyed by request (TSV or NDJSON)", NULL, 0, 0},
    {0, "quality-threshold", "X,...", OPT_TEXT, AT(thresholds), "also report acceptance if score >= X decided", NULL, 0,
     0},
    {0, "unobserved", "error|fail", OPT_CHOICE, AT(unobserved), "a target no reply tells anything of", "error|fail", 0,
     0},
    {0, "duration", "S", OPT_REAL, AT(duration_s), "the run is the first S seconds", NULL, 1e-9, 1e9},
    {0, "cohort", "T0:T1", OPT_TEXT, AT(cohort), "also report the requests arriving from T0 to T1 s", NULL, 0, 0},
    {0, "window", "REPORT", OPT_TEXT, AT(window), "also report those arriving in plateau's steady window", NULL, 0, 0},
    {0, "drain", "S", OPT_REAL, AT(drain_s), "wait S s for replies after the end of cohort or duration", NULL, 0, 1e9},
    {0, "by", "KEY", OPT_LIST, AT(by), "also report each value of a column, or isl:0,128,... osl:...", NULL, 0, 0},
    {0, "cluster", "N", OPT_INT, AT(cluster), "requests per cluster of the acceptance interval", NULL, 1, 1e9},
    {0, "level", "RPS", OPT_REAL, AT(level_rps), "the offered rate aimed at (run.target_rps)", NULL, 1e-9, 1e9},
    {0, "frontier", "AXIS/AXIS", OPT_TEXT, AT(frontier), "also report acceptance over ttft:200,400/tpot:20,50", NULL, 0,
     0},
    {0, "table", "PATH", OPT_TEXT, AT(table), "write this list of the report as a table: series, frontier", NULL, 0, 0},
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

static bool no_input(const void *options) {
    const struct options *o = options;
    return o->binomial || (o->check_contract && (o->contract.n || o->targets.n));
}

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

/* ---- contracts ---- */

struct contracts {
    struct contract *v; /* [n] */
    size_t n;
};

static struct contracts read_contracts(const struct options *o) {
    struct contracts c = {.n = o->contract.n + o->targets.n};
    c.v = xcalloc(c.n + 1, sizeof *c.v);
    for (size_t i = 0; i < o->contract.n; i++) {
        contract_read(&c.v[i], o->contract.v[i]);
        if (o->quality && !c.v[i].quality)
            die("%s: no quality rule, which --quality needs: add \"quality\":{}", o->contract.v[i]);
    }
    for (size_t i = 0; i < o->targets.n; i++)
        contract_parse(&c.v[o->contract.n + i], o->targets.v[i], o->quality != NULL);
    return c;
}

static void free_contracts(struct contracts *c) {
    for (size_t i = 0; i < c->n; i++)
        contract_free(&c->v[i]);
    free(c->v);
}

/* Contracts given by option, or as operands; one that is wrong ends the program before it would be written. */
static void check_contracts(struct options *o, char **files) {
    for (; !o->contract.n && !o->targets.n && *files; files++) {
        struct contract c;
        contract_read(&c, *files);
        quality_check_rule(&c);
        report_write(c.document, opts_spelling(&o->common, SPELL_NDJSON));
        contract_free(&c);
    }
    struct contracts given = read_contracts(o);
    for (size_t i = 0; i < given.n; i++) {
        quality_check_rule(&given.v[i]);
        report_write(given.v[i].document, opts_spelling(&o->common, SPELL_NDJSON));
    }
    free_contracts(&given);
}

/* ---- from options to output ---- */

static void check_options(const struct options *o) {
    if (o->contract.n && o->targets.n) die("-c and -g are two contracts: give one");
    if (!o->contract.n && !o->targets.n) die("no contract: give latency targets with -g, or a file with -c");
    if (o->annotate && o->aggregate) die("--annotate and --aggregate are two outputs: choose one");
    bool report = !o->annotate && !o->aggregate, several = o->contract.n + o->targets.n > 1;
    if (several && (!report || o->baseline || o->table || o->common.output == SPELL_TSV))
        die("several contracts give several reports: leave out --annotate, --aggregate, --baseline, --table and -o "
            "tsv");
    if (!report && (o->table || o->frontier || o->thresholds || o->baseline))
        die("--table, --frontier, --quality-threshold and --baseline are about a report: leave out -a and --aggregate");
    if (o->cohort && o->window) die("--cohort and --window are two cohorts: choose one");
    if (!isnan(o->drain_s) && !o->cohort && !o->window && isnan(o->duration_s))
        die("--drain says how long to wait after the end of --duration, --cohort or --window: give one");
    if (o->thresholds && !o->quality) die("--quality-threshold is about scores: give verdicts with --quality");
    if (o->aggregate && o->by.n) die("--aggregate has its own segments: leave out --by");
}

static json_t *read_one(const char *path, const char *kind) {
    json_t *list = report_read(path, kind, NULL), *report = json_incref(json_array_get(list, 0));
    if (json_array_size(list) != 1) die("%s: %zu reports, one is wanted", path, json_array_size(list));
    json_decref(list);
    return report;
}

/* Scores at which acceptance is told as well, comma-joined. */
struct thresholds {
    VEC(double) at;
};

static struct thresholds parse_thresholds(const char *text) {
    struct thresholds t = {0};
    struct view all = {text, strlen(text)}, one;
    for (const char *p = text; vector_next(all, &p, &one);) {
        double x;
        if (!opts_real(one.s, one.n, &x)) die("--quality-threshold: '%s' is not X,... of numbers", text);
        vec_push(&t.at, x);
    }
    return t;
}

static void parse_cohort(double edge[2], const char *text) {
    const char *colon = strchr(text, ':');
    if (!colon || !opts_real(text, (size_t)(colon - text), &edge[0]) ||
        !opts_real(colon + 1, strlen(colon + 1), &edge[1]) || !(edge[0] < edge[1]) || fabs(edge[0]) > 9e9 ||
        edge[1] > 9e9)
        die("--cohort: '%s' is not T0:T1 in seconds, T0 < T1", text);
}

static void prepare(struct offered *d, const struct options *o, const struct contracts *c) {
    d->n_scorings = c->n;
    d->scoring = xcalloc(c->n + 1, sizeof *d->scoring);
    for (size_t i = 0; i < c->n; i++) {
        d->scoring[i].contract = &c->v[i];
        d->scoring[i].quality = o->quality ? quality_open(o->quality, &c->v[i]) : NULL;
    }
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

static void add_baseline(json_t *report, const json_t *base, const char *path) {
    char why[160];
    json_t *j = compare_baseline(report, base, why);
    if (!j) die("%s: no baseline for this run: %s", path, why);
    json_object_set_new(report, "baseline", j);
}

static void write(const json_t *report, const struct options *o) {
    enum spelling report_spelling = opts_spelling(&o->common, SPELL_NDJSON);
    if (!o->table)
        report_write(report, report_spelling);
    else if (!sheet_write(report, o->table, opts_spelling(&o->common, SPELL_TSV)))
        die("--table: the report has no list '%s'", o->table);
}

/* The report under one of the contracts; whether it fails. */
static bool report(const struct options *o, struct account *a, const json_t *base) {
    json_t *j = account_report(a);
    if (base) add_baseline(j, base, o->baseline);
    write(j, o);
    bool fails = strcmp(doc_text_at(j, "verdict"), "fail") == 0;
    json_decref(j);
    return fails;
}

/* From ledgers to reports, one per contract, or to the table asked for instead; the exit status. */
static int count(const struct options *o, char **files) {
    check_options(o);
    struct contracts contracts = read_contracts(o);
    struct offered offered = {0};
    struct frontier grid;
    struct thresholds thresholds = {0};
    json_t *steady = o->window ? read_one(o->window, "steady") : NULL;
    json_t *base = o->baseline ? read_one(o->baseline, "goodput") : NULL;
    double cohort[2];
    if (o->cohort) parse_cohort(cohort, o->cohort);
    if (o->thresholds) thresholds = parse_thresholds(o->thresholds);
    if (o->frontier) {
        frontier_parse(&grid, o->frontier);
        offered.frontier = &grid;
    }
    prepare(&offered, o, &contracts);
    offered_read(&offered, files);
    offered_check(&offered, o->unobserved == UNOBSERVED_FAIL);

    int status = 0;
    for (size_t i = 0; i < offered.n_scorings; i++) {
        const struct scoring *k = &offered.scoring[i];
        struct account a = {
            .offered = &offered,
            .scoring = k,
            .n = k->fact.n,
            .drain_s = o->drain_s,
            .level_rps = o->level_rps,
            .cluster = o->cluster,
            .cohort = o->cohort ? cohort : NULL,
            .window = o->window,
            .steady = steady,
            .threshold = thresholds.at.v,
            .n_thresholds = thresholds.at.n,
            .unobserved_fails = o->unobserved == UNOBSERVED_FAIL,
        };
        a.extent = extent_of_run(offered.run, o->duration_s, o->drain_s, k->in_order, &a.n);
        if (i == 0)
            note("offered over %.9g s, the rest over %.9g s, from %s", a.extent.arrival_s, a.extent.duration_s,
                 a.extent.source ? a.extent.source : "nothing: no times");
        if (o->annotate)
            offered_annotate(&offered, a.extent.end_ns, a.extent.cutoff_ns);
        else if (o->aggregate)
            aggregate_write(k->in_order, a.n, k->fact.v, offered.by, a.extent.cutoff_ns, offered.pg_own, &o->common,
                            offered.spelling);
        else
            status |= report(o, &a, base);
    }
    json_decref(steady);
    json_decref(base);
    vec_free(&thresholds.at);
    offered_free(&offered);
    free_contracts(&contracts);
    return status;
}

/* From the reports of many loads to a rating. */
static int rate(const struct options *o, char **files) {
    if (o->contract.n || o->targets.n) die("--capacity rates reports by the contract in them: leave out -c and -g");
    json_t *j = capacity_rate(files, o->margin, o->demand_rps);
    write(j, o);
    int status = json_is_null(json_object_get(j, "rated_rps"));
    json_decref(j);
    return status;
}

int main(int argc, char **argv) {
    struct options o = defaults;
    char **files = opts_parse(&tool, &o, argc, argv);
    int status = 0;
    if (o.check_contract)
        check_contracts(&o, files);
    else if (o.binomial)
        binomial_write(o.binomial, files, opts_spelling(&o.common, SPELL_NDJSON));
    else
        status = o.capacity ? rate(&o, files) : count(&o, files);
    free(o.targets.v);
    free(o.contract.v);
    free(o.by.v);
    out_close();
    return o.common.exit_status ? status : 0;
}
