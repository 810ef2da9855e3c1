#include "steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "doc.h"
#include "num.h"

/* ---- read ---- */

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* A table without span_ns still has stamps; the last pass of a run ends with its last issue. */
static void fill_spans(struct passes *all) {
    for (size_t i = 0; i < all->n; i++) {
        struct pass *p = &all->v[i];
        if (!int_known(p->span_ns)) p->span_ns = num_span(p->first_issue_ns, p->next_issue_ns);
        if (!int_known(p->span_ns)) p->span_ns = num_span(p->first_issue_ns, p->last_issue_ns);
    }
}

/* How much of a run there is to look at. */
static const char *coverage(const struct passes *all) {
    size_t full = 0, warmup = 0;
    for (size_t i = 0; i < all->n; i++) {
        full += all->v[i].full;
        warmup += all->v[i].full && all->v[i].role == ROLE_WARMUP;
    }
    if (doc_true_at(all->run, "partial_dataset") || all->n == 0) return "partial_dataset";
    return full >= warmup + 1 ? "windowable" : "insufficient_passes";
}

static void take_body(struct steady *s) {
    const struct passes *all = s->passes;
    s->mode = s->options->mode ? s->options->mode : doc_text_at(all->run, "mode");
    if (!s->mode) s->mode = "concurrency";
    s->offline = same(s->mode, "offline");
    s->agentic = same(s->mode, "agentic");
    s->partial = all->partial || doc_true_at(all->run, "partial") || doc_true_at(all->run, "truncated");
    s->coverage = coverage(all);
    s->body = xcalloc(all->n + 1, sizeof(const struct pass *));
    s->span_ns = xcalloc(all->n + 1, sizeof *s->span_ns);
    for (size_t i = 0; i < all->n; i++) {
        const struct pass *p = &all->v[i];
        if (!p->full || p->role != ROLE_BODY) continue;
        s->span_ns[s->n] = int_known(p->span_ns) ? (double)p->span_ns : NAN;
        s->body[s->n++] = p;
    }
}

/* ---- gates ---- */

static bool all_missing(const struct passes *all, int column) {
    for (size_t i = 0; i < all->n; i++)
        if (!isnan(passes_value(&all->v[i], column))) return false;
    return true;
}

/* "tpot_p50" is a percentile of TPOT, "e2e_mean" a mean, "rps" a rate; false = none of these. */
static bool parse_series(const char *name, struct steady_series *x) {
    static const struct {
        const char *suffix;
        int percent;
    } kind[] = {{"_p50", 50}, {"_p90", 90}, {"_p99", 99}, {"_mean", 0}};
    if (same(name, "tps") || same(name, "rps")) return true;
    for (int m = 0; m < N_METRICS; m++)
        for (int k = 0; k < 4; k++) {
            size_t n = strlen(metric_name[m]);
            if (strncmp(name, metric_name[m], n) != 0 || !same(name + n, kind[k].suffix)) continue;
            x->metric = m;
            x->percent = kind[k].percent;
            return true;
        }
    return false;
}

static void add_series(struct steady *s, const char *name, bool gate) {
    struct steady_series x = {.metric = -1, .gate = gate};
    if (!parse_series(name, &x))
        die("--gate: '%s' is not tps, rps, or tpot, ttft, e2e with _p50, _p90, _p99, _mean", name);
    int column = passes_column(name);
    x.name = passes_schema.column[column].name;
    for (size_t i = 0; i < s->n_series; i++)
        if (same(s->series[i].name, x.name)) return;
    x.x = xcalloc(s->n + 1, sizeof *x.x);
    for (size_t i = 0; i < s->n; i++)
        x.x[i] = passes_value(s->body[i], column);
    s->series = xrealloc(s->series, s->n_series + 1, sizeof *s->series);
    s->series[s->n_series++] = x;
}

/* The gates, then everything else whose trend is shown. */
static void take_gates(struct steady *s) {
    const struct steady_options *o = s->options;
    static const char *const shown[] = {"tpot_p50", "tpot_p90", "tpot_p99", "ttft_p50", "ttft_p90",
                                        "ttft_p99", "e2e_p50",  "e2e_p90",  "e2e_p99"};
    const char *list = o->gate;
    if (!list && o->token_free) list = "e2e_p50,e2e_p90";
    if (!list && !s->offline) list = "tpot_p50,tpot_p90";
    if (!list) list = all_missing(s->passes, passes_column("tps")) ? "rps" : "tps";
    char *names = xstrdup(list), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        add_series(s, name, true);
    free(names);
    s->n_gates = s->n_series;
    if (s->n_gates == 0) die("--gate: no metric named");
    for (size_t g = 0; g < s->n_gates && o->gate; g++)
        if (s->passes->n > 0 && !passes_has(s->passes, passes_column(s->series[g].name)))
            die("%s: no column '%s': name another with --gate", s->passes->file, s->series[g].name);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!all_missing(s->passes, passes_column(shown[i]))) add_series(s, shown[i], false);
}

/* Why there is nothing to judge, or NULL.  TTFT is no substitute for a time per token that nobody measured. */
static const char *unassessed(const struct steady *s) {
    const json_t *run = s->passes->run;
    if (doc_true_at(run, "no_times") || same(doc_text_at(run, "order"), "assumed")) return "no_times";
    if (s->passes->n == 0) return "no_requests";
    if (all_missing(s->passes, passes_column("span_ns"))) return "no_times";
    for (size_t g = 0; g < s->n_gates; g++) {
        if (!all_missing(s->passes, passes_column(s->series[g].name))) continue;
        return s->series[g].metric == TPOT || same(s->series[g].name, "tps") ? "no_tokens" : "gate_missing";
    }
    return NULL;
}

/* ---- levels ---- */

/* What the level of a plateau is: its pooled mean TPOT where the first gate is a TPOT metric, else the mean of that gate. */
static void take_levels(struct steady *s) {
    bool pooled = s->series[0].metric == TPOT;
    for (size_t i = 0; i < s->n && pooled; i++)
        pooled = isnan(s->series[0].x[i]) || (s->body[i]->metric[TPOT].n > 0 && !isnan(s->body[i]->metric[TPOT].mean));
    s->level = xcalloc(s->n + 1, sizeof *s->level);
    s->weight = xcalloc(s->n + 1, sizeof *s->weight);
    for (size_t i = 0; i < s->n; i++) {
        s->level[i] = pooled ? s->body[i]->metric[TPOT].mean : s->series[0].x[i];
        s->weight[i] = pooled ? (double)s->body[i]->metric[TPOT].n : 1;
    }
    s->level_name = pooled ? "tpot_mean" : s->series[0].name;
}

void steady_read(struct steady *s, const struct steady_options *options, struct passes *all) {
    *s = (struct steady){.options = options, .passes = all};
    fill_spans(all);
    take_body(s);
    take_gates(s);
    take_levels(s);
    s->unassessed = unassessed(s);
}

/* ---- trends ---- */

static enum trend_state direction(bool moves, double sign) {
    return !moves ? TREND_PLATEAU : sign > 0 ? TREND_UP : TREND_DOWN;
}

struct steady_trend steady_trend(const struct steady *s, const struct steady_series *x, size_t lo, size_t hi,
                                 bool by_rule, struct trend_work *work) {
    struct steady_trend t = {.change_pass = INT_NONE};
    double *v = xcalloc(hi - lo + 1, sizeof *v);
    size_t *at = xcalloc(hi - lo + 1, sizeof *at), n = 0;
    for (size_t i = lo; i < hi; i++)
        if (!isnan(x->x[i])) {
            at[n] = i;
            v[n++] = x->x[i];
        }
    struct segment_rules rules = s->options->segment;
    rules.told &= x->gate; /* only windows of the gates are chosen, by many tests; elsewhere one test is asked */
    trend_summarise(v, n, rules.trend, rules.alpha, work, &t.tests);
    t.state = by_rule && n >= TREND_MIN_N ? segment_state(v, n, &rules, work) : t.tests.state;
    if (n >= TREND_MIN_N) {
        const struct trend_nw *nw = &t.tests.newey_west;
        t.agree = (direction(trend_scatters(&t.tests.ols), t.tests.ols.slope) == t.state) +
                  (!nw->degenerate && direction(nw->p < rules.alpha, nw->t) == t.state);
        if (t.tests.pettitt.k > 0) t.change_pass = s->body[at[t.tests.pettitt.change]]->pass;
    }
    free(v);
    free(at);
    return t;
}

void steady_free(struct steady *s) {
    for (size_t i = 0; i < s->n_series; i++)
        free(s->series[i].x);
    free(s->series);
    free(s->plateau);
    free(s->body);
    free(s->span_ns);
    free(s->level);
    free(s->weight);
}
