#include "steadydoc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "quantile.h"

/* ---- small pieces ---- */

static int64_t number_of(const struct steady *s, size_t i) { return s->body[i]->pass; }
/* One past the last pass before index hi: what a window ends with. */
static int64_t end_number(const struct steady *s, size_t hi) { return s->body[hi - 1]->pass + 1; }

static json_t *interval_doc(struct interval i) {
    return isnan(i.lo) || isnan(i.hi) ? json_null() : json_pack("[oo]", doc_real(i.lo), doc_real(i.hi));
}

/* A rate with its intervals; r NULL = not reported. */
static json_t *rate_doc(const struct interval_ratio *r) {
    const struct interval_ratio nothing = {NAN, NAN, {NAN, NAN}, {NAN, NAN}};
    if (!r || isnan(r->value)) r = &nothing;
    json_t *d = json_object();
    doc_set_real(d, "value", r->value);
    json_object_set_new(d, "ci", interval_doc(r->ci));
    json_object_set_new(d, "ci_adjusted", interval_doc(r->adjusted));
    doc_set_real(d, "lag1", r->lag1);
    return d;
}

static json_t *fact(const json_t *run, const char *key) {
    json_t *v = json_object_get(run, key);
    return v ? json_incref(v) : json_null();
}

/* Requests are a unit of work only where their tokens do not count. */
static bool reports_qps(const struct steady *s) {
    if (s->options->token_free) return true;
    for (size_t i = 0; s->offline && i < s->n; i++)
        if (!isnan(passes_value(s->body[i], passes_column("tps")))) return false;
    return s->offline;
}

/* ---- the window's figures ---- */

static const struct steady_series *series_of(const struct steady *s, int metric, int percent) {
    for (size_t i = 0; i < s->n_series; i++)
        if (s->series[i].metric == metric && s->series[i].percent == percent) return &s->series[i];
    return NULL;
}

static bool moves(const struct steady_trend *t) { return t->state == TREND_UP || t->state == TREND_DOWN; }

/* E2E follows the lengths of the replies: no cause for a warning unless it is the gate. */
static bool follows_system(const struct steady_series *x) { return x->metric != E2E || x->gate; }

/* `official`: a percentile that moves has no steady value; p99, from few samples, keeps it and is warned about. */
static json_t *metric_doc(const struct steady *s, int m, const struct measure_metric *f, bool official) {
    static const char *const percent_name[] = {"p50", "p90", "p99"};
    static const int percent[] = {50, 90, 99};
    static const char *const key[] = {"p50_ns", "p90_ns", "p99_ns"};
    static const char *const ci_key[] = {"p50_ci_ns", "p90_ci_ns", "p99_ci_ns"};
    const double value[] = {f ? f->p50 : NAN, f ? f->p90 : NAN, f ? f->p99 : NAN};
    const struct interval none = {NAN, NAN}, ci[] = {f ? f->p50_ci : none, f ? f->p90_ci : none, f ? f->p99_ci : none};
    json_t *d = json_object(), *states = json_object(), *first_last = json_object(), *early = json_object(),
           *histogram = json_array();
    doc_set_int(d, "n", f ? f->n : INT_NONE);
    doc_set_real(d, "mean_ns", f ? f->mean : NAN);
    for (int i = 0; i < 3; i++) {
        const struct steady_series *x = f ? series_of(s, m, percent[i]) : NULL;
        bool gone = x && official && moves(&x->window) && (x->gate || percent[i] != 99);
        doc_set_real(d, key[i], gone ? NAN : value[i]);
        json_object_set_new(d, ci_key[i], f && !gone ? interval_doc(ci[i]) : json_null());
        doc_set_text(states, percent_name[i], x ? trend_state_name[x->window.state] : NULL);
        if (x && moves(&x->window))
            json_object_set_new(first_last, percent_name[i],
                                json_pack("[oo]", doc_real(x->x[s->lo]), doc_real(x->x[s->hi - 1])));
    }
    doc_set_real(early, "p90_ns", f ? f->early_p90 : NAN);
    doc_set_real(early, "p99_ns", f ? f->early_p99 : NAN);
    const struct quantile_histogram *h = f ? &f->histogram : NULL;
    for (int b = h ? h->lo : 0; h && b < h->hi; b++) {
        int64_t count = h->count[b - QUANTILE_BIN_MIN];
        if (count > 0)
            json_array_append_new(histogram, json_pack("{sososI}", "lo_ns", doc_real(quantile_edge(b)), "hi_ns",
                                                       doc_real(quantile_edge(b + 1)), "count", (json_int_t)count));
    }
    json_object_set_new(d, "states", states);
    json_object_set_new(d, "first_last", first_last);
    json_object_set_new(d, "early_stopping", early);
    json_object_set_new(d, "histogram", histogram);
    return d;
}

/* tps, qps and metrics of [lo, hi), set in d; measured NULL = everything is null. */
static void set_figures(json_t *d, const struct steady *s, const struct measure *f, bool official) {
    bool overload = doc_true_at(s->passes->run, "backlog"); /* what was issued is not what the system sustained */
    bool tokens = !s->options->token_free;
    json_t *tps = json_object(), *metrics = json_object();
    json_object_set_new(tps, "per_user", rate_doc(f && tokens ? &f->per_user : NULL));
    json_object_set_new(tps, "system", rate_doc(f && tokens && !overload ? &f->system : NULL));
    json_object_set_new(tps, "delivered", rate_doc(f && tokens ? &f->delivered : NULL));
    for (int m = 0; m < N_METRICS; m++)
        json_object_set_new(metrics, metric_name[m], metric_doc(s, m, f ? &f->metric[m] : NULL, official));
    json_object_set_new(d, "tps", tps);
    json_object_set_new(d, "qps", rate_doc(f && reports_qps(s) ? &f->qps : NULL));
    json_object_set_new(d, "metrics", metrics);
}

/* Where the time of a pass ends: at the next issue, or just behind the last one of the run. */
static int64_t end_of(const struct pass *p) {
    if (int_known(p->next_issue_ns)) return p->next_issue_ns;
    return p->last_issue_ns < INT64_MAX && int_known(p->last_issue_ns) ? p->last_issue_ns + 1 : INT_NONE;
}

static void set_range(json_t *d, const struct steady *s, const struct measure *f) {
    doc_set_int(d, "first_pass", f ? number_of(s, s->lo) : INT_NONE);
    doc_set_int(d, "end_pass", f ? end_number(s, s->hi) : INT_NONE);
    doc_set_int(d, "n_passes", f ? (int64_t)f->n_passes : INT_NONE);
    doc_set_int(d, "n_requests", f ? f->n_requests : INT_NONE);
    doc_set_int(d, "n_samples", f ? f->n_samples : INT_NONE);
    doc_set_real(d, "span_ns", f ? f->span_ns : NAN);
    doc_set_int(d, "first_issue_ns", f ? s->body[s->lo]->first_issue_ns : INT_NONE);
    doc_set_int(d, "next_issue_ns", f ? end_of(s->body[s->hi - 1]) : INT_NONE);
}

static json_t *excursions_doc(const struct steady *s) {
    json_t *list = json_array();
    double *median = xcalloc(s->n_gates, sizeof *median);
    for (size_t g = 0; g < s->n_gates; g++)
        median[g] = quantile_median(s->series[g].x + s->lo, s->hi - s->lo);
    for (size_t i = s->lo; i < s->hi; i++) {
        bool off = false;
        for (size_t g = 0; g < s->n_gates; g++)
            off = off || segment_is_excursion(s->series[g].x[i], median[g]);
        if (off) json_array_append_new(list, json_integer(number_of(s, i)));
    }
    free(median);
    return list;
}

static json_t *window_doc(const struct steady *s) {
    bool found = steady_found(s);
    const struct steady_plateau *p = found ? &s->plateau[s->reported] : NULL;
    const double *gate = found ? s->series[0].x + s->lo : NULL;
    size_t k = s->hi - s->lo;
    json_t *d = json_object();
    set_range(d, s, found ? &s->measure : NULL);
    doc_set_int(d, "plateau_index", found ? (int64_t)s->reported : INT_NONE);
    doc_set_int(d, "n_plateaus", (int64_t)s->n_plateaus);
    doc_set_int(d, "skipped_short", s->options->min_duration ? (int64_t)s->reported : 0);
    doc_set_int(d, "bridged", p ? (int64_t)p->bridged : INT_NONE);
    doc_set_text(d, "confidence", found ? window_confidence_name[window_confidence(gate, k, s->n)] : NULL);
    doc_set_real(d, "concordance", found ? s->concordance : NAN);
    doc_set_real(d, "se", found ? window_se(gate, k) : NAN);
    json_object_set_new(d, "excursions", found ? excursions_doc(s) : json_array());
    return d;
}

static json_t *duration_doc(const struct steady *s) {
    json_t *d = json_object();
    const struct window_duration unknown = {.window_s = NAN,
                                            .min_s = NAN,
                                            .precision_s = NAN,
                                            .relaxation_s = NAN,
                                            .floor_s = s->options->floor_s,
                                            .k_star = INT_NONE,
                                            .cov_b = NAN,
                                            .tau_s = NAN,
                                            .l_p90_s = NAN};
    size_t i = s->reported < s->n_plateaus ? s->reported : s->longest;
    const struct window_duration *w = s->n_plateaus ? &s->plateau[i].duration : &unknown;
    doc_set_bool(d, "long_enough", w->long_enough);
    doc_set_real(d, "window_duration_s", w->window_s);
    doc_set_real(d, "min_duration_s", w->min_s);
    doc_set_text(d, "dominant", s->n_plateaus ? window_term_name[w->dominant] : NULL);
    doc_set_real(d, "t_precision_s", w->precision_s);
    doc_set_real(d, "t_relaxation_s", w->relaxation_s);
    doc_set_real(d, "t_floor_s", w->floor_s);
    doc_set_int(d, "k_star", w->k_star);
    doc_set_real(d, "cov_b", w->cov_b);
    doc_set_real(d, "tau_s", w->tau_s);
    doc_set_real(d, "l_p90_s", w->l_p90_s);
    return d;
}

/* ---- the run around it ---- */

static json_t *plateaus_doc(const struct steady *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_plateaus; i++) {
        const struct steady_plateau *p = &s->plateau[i];
        json_t *d = json_object();
        doc_set_int(d, "first_pass", number_of(s, p->lo));
        doc_set_int(d, "end_pass", end_number(s, p->hi));
        doc_set_real(d, "span_ns", p->duration.span_ns);
        doc_set_real(d, "level", p->level);
        doc_set_bool(d, "long_enough", p->duration.long_enough);
        doc_set_bool(d, "reported", steady_found(s) && i == s->reported);
        doc_set_int(d, "bridged", (int64_t)p->bridged);
        json_array_append_new(list, d);
    }
    return list;
}

static json_t *anomaly_doc(const struct steady *s) {
    bool shift = steady_found(s) && s->shift.found, end = steady_found(s) && s->end.found;
    double delta = shift ? s->shift.delta : end ? s->end.delta : NAN;
    json_t *d = json_object(), *pettitt = json_object(), *fault = json_object();
    doc_set_bool(d, "detected", shift || end);
    doc_set_int(d, "change_pass", shift ? number_of(s, s->shift.change) : end ? number_of(s, s->end.first) : INT_NONE);
    doc_set_real(d, "delta", delta);
    doc_set_text(d, "direction", isnan(delta) ? NULL : delta > 0 ? "up" : "down");
    doc_set_int(pettitt, "k", steady_found(s) ? s->shift.pettitt.k : INT_NONE);
    doc_set_real(pettitt, "p", steady_found(s) ? s->shift.pettitt.p : NAN);
    json_object_set_new(d, "pettitt", pettitt);
    doc_set_int(fault, "first_pass", end ? number_of(s, s->end.first) : INT_NONE);
    doc_set_real(fault, "delta", end ? s->end.delta : NAN);
    json_object_set_new(d, "end", fault);
    return d;
}

static json_t *trend_doc(const struct steady_trend *t) {
    const struct trend_summary *x = &t->tests;
    json_t *d = json_object(), *mk = json_object(), *hr = json_object(), *ols = json_object(), *nw = json_object(),
           *sen = json_object(), *pettitt = json_object();
    doc_set_int(d, "n", (int64_t)x->n);
    doc_set_text(d, "state", trend_state_name[t->state]);
    doc_set_text(d, "primary", trend_test_name[x->primary]);
    doc_set_int(d, "agree", t->agree);
    doc_set_int(mk, "s", x->mk.s);
    doc_set_real(mk, "var", x->mk.var);
    doc_set_real(mk, "z", x->mk.z);
    doc_set_real(mk, "p", x->mk.p);
    doc_set_real(hr, "c", x->hamed_rao.c);
    doc_set_real(hr, "z", x->hamed_rao.z);
    doc_set_real(hr, "p", x->hamed_rao.p);
    doc_set_real(ols, "slope", x->ols.slope);
    doc_set_real(ols, "rel_drift", x->ols.rel_drift);
    doc_set_real(ols, "snr", x->ols.snr);
    doc_set_real(nw, "t", x->newey_west.t);
    doc_set_real(nw, "p", x->newey_west.p);
    doc_set_real(sen, "slope", x->sen);
    doc_set_int(pettitt, "k", x->pettitt.k);
    doc_set_int(pettitt, "change", t->change_pass);
    doc_set_real(pettitt, "p", x->pettitt.p);
    json_object_set_new(d, "mk", mk);
    json_object_set_new(d, "hamed_rao", hr);
    json_object_set_new(d, "ols", ols);
    json_object_set_new(d, "newey_west", nw);
    json_object_set_new(d, "theil_sen", sen);
    json_object_set_new(d, "pettitt", pettitt);
    return d;
}

static json_t *trends_doc(const struct steady *s) {
    json_t *window = json_object(), *rest = json_object(), *run = json_object();
    for (size_t i = 0; i < s->n_series && s->n > 0; i++) {
        const struct steady_series *x = &s->series[i];
        if (steady_found(s)) json_object_set_new(window, x->name, trend_doc(&x->window));
        if (steady_found(s)) json_object_set_new(rest, x->name, trend_doc(&x->rest));
        json_object_set_new(run, x->name, trend_doc(&x->run));
    }
    return json_pack("{sososo}", "window", window, "rest", rest, "run", run);
}

/* Metrics that move from the window on, to the worse or to the better: times worsen upwards, rates downwards. */
static json_t *moving_doc(const struct steady *s, bool worse) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_series && steady_found(s); i++) {
        const struct steady_series *x = &s->series[i];
        enum trend_state bad = x->metric < 0 ? TREND_DOWN : TREND_UP;
        if (moves(&x->rest) && (x->rest.state == bad) == worse && follows_system(x))
            json_array_append_new(list, json_string(x->name));
    }
    return list;
}

static void set_gap(json_t *d, const char *key, double steady, double total) {
    doc_set_real(d, key, total != 0 ? steady / total - 1 : NAN);
}

/* How far the whole-run figures are from the steady ones. */
static json_t *divergence_doc(const json_t *report, const json_t *total) {
    json_t *d = json_object();
    set_gap(d, "tps", doc_real_at(report, "tps.system.value"), doc_real_at(total, "tps"));
    set_gap(d, "qps", doc_real_at(report, "qps.value"), doc_real_at(total, "qps"));
    static const char *const key[] = {"mean_ns", "p50_ns", "p90_ns", "p99_ns"};
    for (int m = 0; m < N_METRICS; m++) {
        json_t *of = json_object();
        for (int i = 0; i < 4; i++) {
            char path[48];
            snprintf(path, sizeof path, "metrics.%s.%s", metric_name[m], key[i]);
            set_gap(of, key[i], doc_real_at(report, path), doc_real_at(total, path));
        }
        json_object_set_new(d, metric_name[m], of);
    }
    return d;
}

/* Whole-run figures as ledger2passes found them; where requests are what counts, their rate over the passes. */
static json_t *total_doc(const struct steady *s) {
    json_t *known = json_object_get(s->passes->run, "total");
    json_t *d = json_is_object(known) ? json_copy(known) : json_object();
    double done = 0, span = 0;
    for (size_t i = 0; i < s->passes->n; i++) {
        done += passes_value(&s->passes->v[i], passes_column("n_done"));
        span += passes_value(&s->passes->v[i], passes_column("span_ns"));
    }
    double wall = doc_real_at(d, "span_ns");
    doc_set_real(d, "qps", reports_qps(s) && s->passes->n > 0 ? done / (isnan(wall) ? span : wall) * 1e9 : NAN);
    return d;
}

static json_t *lengths_doc(const struct steady *s) {
    const struct measure *f = steady_found(s) ? &s->measure : NULL;
    json_t *isl = json_object(), *osl = json_object();
    doc_set_real(isl, "mean", f ? f->isl_mean : NAN);
    doc_set_int(osl, "n", f ? f->osl_n : INT_NONE);
    doc_set_real(osl, "mean", f ? f->osl_mean : NAN);
    doc_set_real(osl, "p50", f ? f->osl_p50 : NAN);
    doc_set_real(osl, "p99", f ? f->osl_p99 : NAN);
    return json_pack("{s{soso}so}", "window", "isl", isl, "osl", osl, "issued", fact(s->passes->run, "lengths"));
}

/* Scalars of every pass, whatever its role, for plots. */
static json_t *passes_doc(const struct passes *all) {
    json_t *list = json_array();
    for (size_t i = 0; i < all->n; i++) {
        const struct pass *p = &all->v[i];
        json_t *d = json_object();
        for (size_t c = 0; c < passes_schema.n; c++) {
            const struct column *column = &passes_schema.column[c];
            if (strcmp(column->name, "role") == 0)
                doc_set_text(d, "role", role_name[p->role]);
            else if (strcmp(column->name, "full") == 0)
                doc_set_int(d, "full", p->full);
            else if (column->type == TYPE_INT)
                doc_set_int(d, column->name, passes_int(p, (int)c));
            else if (column->type == TYPE_REAL)
                doc_set_real(d, column->name, passes_value(p, (int)c));
        }
        json_array_append_new(list, d);
    }
    return list;
}

/* A plateau at another level in a run that is called steady: it came and went, too briefly for a change point. */
static bool other_level(const struct steady *s) {
    bool other = false;
    for (size_t i = 0; i < s->n_plateaus && s->judgement.verdict == VERDICT_STEADY; i++)
        other = other || shift_differs(s->plateau[i].level, s->plateau[s->reported].level);
    return other;
}

static json_t *warnings_doc(const struct steady *s, const json_t *report) {
    json_t *list = json_array();
    const json_t *run = s->passes->run;
    bool p99 = false, percentile = false, found = steady_found(s);
    for (size_t i = 0; i < s->n_series && found; i++)
        if (moves(&s->series[i].window))
            *(s->series[i].percent == 99 && !s->series[i].gate ? &p99 : &percentile) = true;
    double apart = s->measure.delivered.value / s->measure.system.value - 1;
    const char *size_from = doc_text_at(run, "size_from");
    const struct {
        bool applies;
        const char *code;
    } warning[] = {
        {s->partial, "partial"},
        {size_from && strcmp(size_from, "assumed") == 0, "size_assumed"},
        {doc_true_at(run, "warmup.capped"), "warmup_capped"},
        {found && !s->plateau[s->reported].duration.long_enough, "short_window"},
        {found && fabs(apart) > .02, "not_in_balance"},
        {other_level(s), "other_level"},
        {percentile, "percentile_moves"},
        {p99, "p99_moves"},
        {json_array_size(json_object_get(report, "drifting_up")) > 0, "drifting_up"},
        {json_array_size(json_object_get(report, "settling")) > 0, "settling"},
    };
    for (size_t i = 0; i < sizeof warning / sizeof *warning; i++)
        if (warning[i].applies) json_array_append_new(list, json_string(warning[i].code));
    return list;
}

static json_t *reasons_doc(const struct judgement *j) {
    json_t *list = json_array();
    for (size_t i = 0; i < j->n; i++) {
        json_t *d = json_object();
        doc_set_text(d, "code", j->reason[i].code);
        doc_set_text(d, "metric", j->reason[i].metric);
        doc_set_real(d, "value", j->reason[i].value);
        doc_set_real(d, "bound", j->reason[i].bound);
        json_array_append_new(list, d);
    }
    return list;
}

/* Everything that moves a number: reports under different definitions are not compared. */
static json_t *definitions_doc(const struct steady *s) {
    const struct steady_options *o = s->options;
    json_t *upstream = json_object_get(s->passes->run, "definitions");
    json_t *d = json_is_object(upstream) ? json_copy(upstream) : json_object();
    doc_set_text(d, "percentile", "sorted[floor(p*(n-1))]");
    doc_set_text(d, "trend", trend_test_name[o->segment.trend]);
    doc_set_bool(d, "step", o->segment.step);
    doc_set_bool(d, "right_edge", o->segment.right_edge);
    doc_set_int(d, "patience", (int64_t)o->segment.patience);
    doc_set_real(d, "rel_drift", o->segment.rel_drift);
    doc_set_real(d, "alpha", o->segment.alpha);
    doc_set_real(d, "floor_s", o->floor_s);
    doc_set_bool(d, "min_duration", o->min_duration);
    return d;
}

static json_t *best_effort_doc(const struct steady *s) {
    if (steady_found(s) || !s->measured) return json_null();
    json_t *d = json_object(), *range = json_object();
    set_range(range, s, &s->measure);
    json_object_set_new(d, "window", range);
    set_figures(d, s, &s->measure, false);
    return d;
}

static json_t *choice_doc(const struct steady *s, const struct steady_choice *c) {
    bool any = c->hi > c->lo;
    json_t *d = json_object();
    doc_set_int(d, "first_pass", any ? number_of(s, c->lo) : INT_NONE);
    doc_set_int(d, "end_pass", any ? end_number(s, c->hi) : INT_NONE);
    doc_set_real(d, "se", any ? c->se : NAN);
    return d;
}

/* Run facts, without those that have a place of their own in the report. */
static json_t *run_doc(const struct steady *s) {
    json_t *d = json_copy(s->passes->run);
    static const char *const moved[] = {"warmup", "tail", "total", "lengths", "definitions"};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        json_object_del(d, moved[i]);
    return d;
}

json_t *steadydoc(const struct steady *s, json_t *pg) {
    json_t *r = json_object(), *gates = json_array(), *provenance = json_copy(s->passes->pg);
    for (size_t g = 0; g < s->n_gates; g++)
        json_array_append_new(gates, json_string(s->series[g].name));
    json_array_append(provenance, pg);

    doc_set_text(r, "kind", "steady");
    doc_set_int(r, "version", 1);
    doc_set_text(r, "verdict", verdict_name[s->judgement.verdict]);
    doc_set_bool(r, "found", steady_found(s));
    json_object_set_new(r, "reasons", reasons_doc(&s->judgement));
    json_object_set_new(r, "warnings", json_null()); /* keeps its place among the first; known last */
    doc_set_text(r, "coverage", s->coverage);
    doc_set_bool(r, "partial", s->partial);
    doc_set_text(r, "mode", s->mode);
    doc_set_text(r, "profile", s->options->profile);
    if (s->follow) doc_set_text(r, "follow", s->follow);
    json_object_set_new(r, "gates", gates);
    json_object_set_new(r, "window", window_doc(s));
    set_figures(r, s, steady_found(s) ? &s->measure : NULL, true);
    json_object_set_new(r, "short_window", duration_doc(s));
    json_object_set_new(r, "plateaus", plateaus_doc(s));
    json_object_set_new(r, "anomaly", anomaly_doc(s));
    json_object_set_new(r, "drifting_up", moving_doc(s, true));
    json_object_set_new(r, "settling", moving_doc(s, false));
    json_object_set_new(r, "total", total_doc(s));
    json_object_set_new(r, "divergence", divergence_doc(r, json_object_get(r, "total")));
    json_object_set_new(r, "warmup", fact(s->passes->run, "warmup"));
    json_object_set_new(r, "tail", fact(s->passes->run, "tail"));
    json_object_set_new(r, "lengths", lengths_doc(s));
    json_object_set_new(r, "mser", choice_doc(s, &s->mser));
    json_object_set_new(r, "mser5", choice_doc(s, &s->mser5));
    json_object_set_new(r, "trend", trends_doc(s));
    json_object_set_new(r, "best_effort", best_effort_doc(s));
    json_object_set_new(r, "definitions", definitions_doc(s));
    json_object_set_new(r, "run", run_doc(s));
    json_object_set_new(r, "pg", provenance);
    json_object_set_new(r, "passes", passes_doc(s->passes));
    json_object_set_new(r, "warnings", warnings_doc(s, r));
    return r;
}
