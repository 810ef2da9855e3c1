#include "tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "interval.h"
#include "num.h"
#include "quantile.h"

#define CLUSTERS 30 /* when no size is given */
#define CONFIDENCE .95
#define SKETCH_POINTS 100
#define LENGTH_MAX 1000000

static bool cut(const struct fact *f, int64_t cutoff_ns) { return int_known(f->done_ns) && f->done_ns > cutoff_ns; }

enum disposition fact_disposition(const struct fact *f, int64_t cutoff_ns) {
    return cut(f, cutoff_ns) ? DISP_UNFINISHED : (enum disposition)f->disposition;
}

enum outcome fact_outcome(const struct fact *f, int64_t cutoff_ns) {
    return cut(f, cutoff_ns) ? OUT_UNFINISHED : (enum outcome)f->outcome;
}

/* ---- counts ---- */

struct counts {
    int64_t offered, sent, outcome[N_OUTCOMES], disposition[N_DISPOSITIONS], miss[N_MISSES];
    int64_t not_applicable[N_TARGETS], unobserved[N_TARGETS];
    int64_t good_tokens; /* INT_NONE once a count is missing */
    int64_t judged, unjudged;
    struct quantile_moments score;
};

static void count(struct counts *k, const struct fact *f, int64_t cutoff_ns) {
    enum disposition d = fact_disposition(f, cutoff_ns);
    enum outcome o = fact_outcome(f, cutoff_ns);
    k->offered++;
    k->sent += int_known(f->issued_ns);
    k->outcome[o]++;
    k->disposition[d]++;
    if (o != OUT_COMPLETED) return;
    for (int m = 0; m < N_MISSES; m++)
        k->miss[m] += f->misses >> m & 1;
    for (int t = 0; t < N_TARGETS; t++) {
        bool na = f->not_applicable >> t & 1;
        k->not_applicable[t] += na;
        k->unobserved[t] += !na && isnan(f->value[t]);
    }
    if (d == DISP_ACCEPTED && int_known(k->good_tokens))
        if (!int_known(f->output_tokens) || __builtin_add_overflow(k->good_tokens, f->output_tokens, &k->good_tokens))
            k->good_tokens = INT_NONE;
    k->judged += f->judged != JUDGED_NOT;
    k->unjudged += f->judged == JUDGED_NOT;
    if (f->judged != JUDGED_NOT && !isnan(f->score)) quantile_moments_add(&k->score, f->score);
}

/* Every offered request has one disposition: the sum is the reconciliation a report stands on. */
static void reconcile(const struct counts *k) {
    int64_t sum = 0;
    for (int d = 0; d < N_DISPOSITIONS; d++)
        sum += k->disposition[d];
    if (sum != k->offered)
        die("dispositions sum to %lld, %lld requests were offered", (long long)sum, (long long)k->offered);
}

/* The misses the contract can produce by what it states, and any other that occurred. */
static json_t *misses_json(const struct counts *k, const struct contract *c) {
    json_t *j = json_object();
    for (int m = 0; m < N_MISSES; m++) {
        bool stated = m < N_TARGETS ? c->latency[m].den != 0
                                    : (c->quality && (m == MISS_QUALITY || m == MISS_UNJUDGED)) ||
                                          ((c->model || c->schema) && m == MISS_MODEL);
        if (stated || k->miss[m]) doc_set_int(j, miss_name[m], k->miss[m]);
    }
    return j;
}

static json_t *by_target(const int64_t count_of[N_TARGETS]) {
    json_t *j = json_object();
    for (int t = 0; t < N_TARGETS; t++)
        doc_set_int(j, target_name[t], count_of[t]);
    return j;
}

static void put_counts(json_t *into, const struct counts *k, const struct contract *c) {
    const int64_t *o = k->outcome;
    doc_set_int(into, "offered", k->offered);
    doc_set_int(into, "sent", k->sent > 0 || k->offered == 0 ? k->sent : INT_NONE);
    doc_set_int(into, "responses", o[OUT_COMPLETED] + o[OUT_ERROR] + o[OUT_REJECTED]);
    doc_set_int(into, "succeeded", o[OUT_COMPLETED]);
    doc_set_int(into, "admitted", k->offered - o[OUT_REJECTED]);
    doc_set_int(into, "accepted", k->disposition[DISP_ACCEPTED]);
    json_t *d = json_object();
    for (int i = 0; i < N_DISPOSITIONS; i++)
        doc_set_int(d, disposition_name[i], k->disposition[i]);
    json_object_set_new(into, "dispositions", d);
    json_object_set_new(into, "misses", misses_json(k, c));
    json_object_set_new(into, "not_applicable", by_target(k->not_applicable));
    json_object_set_new(into, "unobserved", by_target(k->unobserved));
}

/* ---- rates and acceptance ---- */

static double rate(double n, double seconds) { return seconds > 0 ? n / seconds : NAN; }

static void put_rates(json_t *into, const struct counts *k, const struct tally_over *over) {
    const int64_t *o = k->outcome;
    json_t *j = json_object();
    double duration = over->duration_s;
    doc_set_real(j, "offered_rps", rate((double)k->offered, over->arrival_s));
    doc_set_real(j, "sent_rps", k->sent > 0 ? rate((double)k->sent, over->arrival_s) : NAN);
    doc_set_real(j, "responses_rps", rate((double)(o[OUT_COMPLETED] + o[OUT_ERROR] + o[OUT_REJECTED]), duration));
    doc_set_real(j, "succeeded_rps", rate((double)o[OUT_COMPLETED], duration));
    doc_set_real(j, "admitted_rps", rate((double)(k->offered - o[OUT_REJECTED]), duration));
    doc_set_real(j, "goodput_rps", rate((double)k->disposition[DISP_ACCEPTED], duration));
    doc_set_real(j, "good_tokens_per_s", int_known(k->good_tokens) ? rate((double)k->good_tokens, duration) : NAN);
    json_object_set_new(into, "rates", j);
}

static json_t *pair(struct interval ci) {
    if (isnan(ci.lo)) return json_null();
    json_t *j = json_array();
    json_array_append_new(j, doc_real(ci.lo));
    json_array_append_new(j, doc_real(ci.hi));
    return j;
}

/* Accepted and offered requests of each whole cluster; the number of clusters. */
static size_t clusters(const struct fact *const *f, size_t n, const struct tally_over *over, double **accepted,
                       double **offered) {
    size_t size = over->cluster > 0 ? (size_t)over->cluster : (n + CLUSTERS - 1) / CLUSTERS;
    size_t k = size ? n / size : 0;
    *accepted = xcalloc(k + 1, sizeof **accepted);
    *offered = xcalloc(k + 1, sizeof **offered);
    for (size_t i = 0; i < k * size; i++) {
        (*offered)[i / size]++;
        (*accepted)[i / size] += fact_disposition(f[i], over->cutoff_ns) == DISP_ACCEPTED;
    }
    return k;
}

static void put_acceptance(json_t *into, const struct counts *c, const struct fact *const *f, size_t n,
                           const struct tally_over *over) {
    int64_t accepted = c->disposition[DISP_ACCEPTED];
    json_t *j = json_object();
    doc_set_real(j, "ratio", rate((double)accepted, (double)c->offered));
    doc_set_real(j, "admitted_ratio", rate((double)accepted, (double)(c->offered - c->outcome[OUT_REJECTED])));
    json_object_set_new(j, "binomial", pair(interval_clopper_pearson(accepted, c->offered, CONFIDENCE)));
    double *y, *x;
    struct interval ci;
    size_t k = clusters(f, n, over, &y, &x);
    enum interval_cluster how = interval_cluster(y, x, k, &ci);
    json_object_set_new(j, "cluster", pair(ci));
    doc_set_real(j, "overdispersion", interval_overdispersion(y, x, k));
    doc_set_int(j, "clusters", (int64_t)k);
    doc_set_text(j, "cluster_reason", interval_cluster_name[how]);
    json_object_set_new(into, "acceptance", j);
    free(y);
    free(x);
}

/* ---- distributions ---- */

/* n values, of which the last n_infinite are +inf and not stored. */
struct distribution {
    const double *x;
    size_t n, n_infinite;
};

static double at_rank(const struct distribution *d, size_t rank) {
    return rank < d->n - d->n_infinite ? quantile_select(d->x, d->n - d->n_infinite, rank) : INFINITY;
}

/* In long double, so that whole numbers have an exact sum. */
static double mean(const double *x, size_t n) {
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? (double)(sum / (long double)n) : NAN;
}

static double mean_of(const struct distribution *d) { return d->n_infinite ? NAN : mean(d->x, d->n); }

/* The least k of 0..n with P(Bin(n, p) <= k) above bound. */
static size_t binomial_quantile(size_t n, double p, double bound) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (interval_binomial_cdf((int64_t)mid, (int64_t)n, p) > bound)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Order statistics between which the percentile num/100 lies with at least 95 % confidence, whatever the distribution,
 * if requests were independent (Conover 1971); null where no order statistic is far enough out. */
static json_t *percentile_interval(const struct distribution *d, unsigned num) {
    size_t lo = binomial_quantile(d->n, num / 100.0, (1 - CONFIDENCE) / 2);
    size_t hi = binomial_quantile(d->n, num / 100.0, (1 + CONFIDENCE) / 2);
    json_t *j = json_array();
    json_array_append_new(j, doc_real(lo > 0 ? at_rank(d, lo - 1) : NAN));
    json_array_append_new(j, doc_real(hi < d->n ? at_rank(d, hi) : NAN));
    return j;
}

static json_t *distribution_json(const struct distribution *d, bool intervals) {
    static const struct {
        const char *key;
        unsigned p;
    } points[] = {{"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}};
    json_t *j = json_object();
    doc_set_int(j, "n", (int64_t)d->n);
    doc_set_int(j, "n_infinite", (int64_t)d->n_infinite);
    doc_set_real(j, "mean_ns", mean_of(d));
    bool censored = false;
    json_t *ci = json_object();
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double v = d->n ? at_rank(d, quantile_rank(d->n, points[i].p, 100)) : NAN;
        censored |= isinf(v);
        doc_set_real(j, points[i].key, v); /* null unless finite */
        if (intervals && d->n) json_object_set_new(ci, points[i].key, percentile_interval(d, points[i].p));
    }
    doc_set_bool(j, "censored", censored);
    if (intervals) json_object_set(j, "ci", ci);
    json_decref(ci);
    return j;
}

/* Values of a target into x: those of completed requests first, then, for TTFT, of others that had a first token by the
 * cut-off.  Every other request that did not complete stands at +inf in the offered distribution. */
static void gather(enum target t, const struct fact *const *f, size_t n, int64_t cutoff_ns, double *x,
                   struct distribution *completed, struct distribution *offered) {
    size_t m = 0, infinite = 0;
    for (size_t i = 0; i < n; i++)
        if (fact_outcome(f[i], cutoff_ns) != OUT_COMPLETED)
            infinite++;
        else if (!isnan(f[i]->value[t]))
            x[m++] = f[i]->value[t];
    *completed = (struct distribution){x, m, 0};
    for (size_t i = 0; i < n && t == TARGET_TTFT && infinite > 0; i++) {
        bool late = int_known(f[i]->first_ns) && f[i]->first_ns > cutoff_ns;
        if (fact_outcome(f[i], cutoff_ns) == OUT_COMPLETED || isnan(f[i]->value[t]) || late) continue;
        x[m++] = f[i]->value[t];
        infinite--;
    }
    *offered = (struct distribution){x, m + infinite, infinite};
}

/* ---- what a whole run can fail ---- */

static void add_reason(json_t *reasons, const char *code, const char *metric, double value, double bound) {
    json_t *r = json_object();
    doc_set_text(r, "code", code);
    doc_set_text(r, "metric", metric);
    doc_set_real(r, "value", value);
    doc_set_real(r, "bound", bound);
    json_array_append_new(reasons, r);
}

/* By nearest rank: at least that share of all offered requests within the limit. */
static void test_percentiles(json_t *reasons, const struct contract *c, enum target t, const struct distribution *d) {
    for (size_t i = 0; i < c->n_percentiles; i++) {
        const struct percentile_limit *l = &c->percentile[i];
        if (l->metric != t) continue;
        double v = d->n ? at_rank(d, quantile_rank_nearest(d->n, l->num, l->den)) : NAN;
        bool meets = !isnan(v) && !isinf(v) &&
                     (t == TARGET_TPOT ? v <= limit_ns(&l->limit) : limit_meets(&l->limit, (int64_t)v, 1));
        char metric[32];
        snprintf(metric, sizeof metric, "%s.%s", target_name[t], l->name);
        if (!meets) add_reason(reasons, "percentile", metric, v, limit_ns(&l->limit));
    }
}

static void put_latency(json_t *into, json_t *reasons, const struct fact *const *f, size_t n,
                        const struct tally_over *over, const struct contract *c, double *x) {
    json_t *latency = json_object();
    for (enum target t = 0; t < N_TARGETS; t++) {
        struct distribution completed, offered;
        gather(t, f, n, over->cutoff_ns, x, &completed, &offered);
        json_object_set_new(latency, target_name[t],
                            json_pack("{soso}", "completed", distribution_json(&completed, false), "offered",
                                      distribution_json(&offered, over->sketch && t <= TARGET_TPOT)));
        test_percentiles(reasons, c, t, &offered);
    }
    json_object_set_new(into, "latency", latency);
}

/* The distribution function at no more than SKETCH_POINTS of its values: all of them if so few, else those at equal
 * steps of it, so that the distance between two runs is known to 1/SKETCH_POINTS.  Lengths beyond LENGTH_MAX count as
 * that. */
static json_t *sketch_json(const double *x, size_t n) {
    int64_t *count = xcalloc(LENGTH_MAX + 1, sizeof *count);
    size_t distinct = 0, below = 0, steps = 0;
    json_t *at = json_array(), *share = json_array();
    for (size_t i = 0; i < n; i++)
        distinct += count[(size_t)fmax(0, fmin(x[i], LENGTH_MAX))]++ == 0;
    for (size_t v = 0; v <= LENGTH_MAX && n > 0; v++) {
        if (count[v] == 0) continue;
        below += (size_t)count[v];
        if (distinct > SKETCH_POINTS && below * SKETCH_POINTS < (steps + 1) * n) continue;
        steps = below * SKETCH_POINTS / n;
        json_array_append_new(at, json_integer((json_int_t)v));
        json_array_append_new(share, doc_real((double)below / (double)n));
    }
    free(count);
    return json_pack("{soso}", "at", at, "share", share);
}

static json_t *length_json(const double *x, size_t n, bool sketch) {
    json_t *j = json_object();
    doc_set_int(j, "n", (int64_t)n);
    doc_set_real(j, "mean", mean(x, n));
    doc_set_real(j, "p50", quantile_floor(x, n, 50, 100));
    doc_set_real(j, "p90", quantile_floor(x, n, 90, 100));
    if (sketch) json_object_set_new(j, "cdf", sketch_json(x, n));
    return j;
}

/* Prompts of all offered requests, replies of completed ones. */
static void put_lengths(json_t *into, const struct fact *const *f, size_t n, const struct tally_over *over, double *x) {
    size_t isl = 0, osl = 0;
    json_t *lengths = json_object();
    for (size_t i = 0; i < n; i++)
        if (int_known(f[i]->input_tokens)) x[isl++] = (double)f[i]->input_tokens;
    json_object_set_new(lengths, "isl", length_json(x, isl, over->sketch));
    for (size_t i = 0; i < n; i++)
        if (fact_outcome(f[i], over->cutoff_ns) == OUT_COMPLETED && int_known(f[i]->output_tokens))
            x[osl++] = (double)f[i]->output_tokens;
    json_object_set_new(lengths, "osl", length_json(x, osl, over->sketch));
    json_object_set_new(into, "lengths", lengths);
}

/* A request accepted but for its verdict, whose score is known: what acceptance would be if a score decided. */
static json_t *thresholds_json(const struct fact *const *f, size_t n, const struct tally_over *over) {
    const unsigned verdict = MISS_BIT(MISS_QUALITY) | MISS_BIT(MISS_UNJUDGED);
    json_t *list = json_array();
    for (size_t t = 0; t < over->n_thresholds; t++) {
        int64_t accepted = 0;
        for (size_t i = 0; i < n; i++)
            accepted += fact_outcome(f[i], over->cutoff_ns) == OUT_COMPLETED && !(f[i]->misses & ~verdict) &&
                        f[i]->score >= over->threshold[t];
        json_t *j = json_object();
        doc_set_real(j, "threshold", over->threshold[t]);
        doc_set_int(j, "accepted", accepted);
        doc_set_real(j, "acceptance", rate((double)accepted, (double)n));
        json_object_set_new(j, "binomial", pair(interval_clopper_pearson(accepted, (int64_t)n, CONFIDENCE)));
        doc_set_real(j, "goodput_rps", rate((double)accepted, over->duration_s));
        json_array_append_new(list, j);
    }
    return list;
}

static void put_quality(json_t *into, const struct counts *k, const struct fact *const *f, size_t n,
                        const struct tally_over *over) {
    json_t *j = json_object();
    doc_set_int(j, "judged", k->judged);
    doc_set_int(j, "unjudged", k->unjudged);
    doc_set_int(j, "scored", (int64_t)k->score.n);
    doc_set_real(j, "mean_score", k->score.n ? k->score.mean : NAN);
    if (over->n_thresholds > 0) json_object_set_new(j, "thresholds", thresholds_json(f, n, over));
    json_object_set_new(into, "quality", j);
}

/* ---- the client's own queue ---- */

static json_t *waits_json(const double *x, size_t n) {
    json_t *j = json_object();
    doc_set_int(j, "n", (int64_t)n);
    doc_set_real(j, "mean_ns", mean(x, n));
    doc_set_real(j, "p50_ns", quantile_floor(x, n, 50, 100));
    doc_set_real(j, "p90_ns", quantile_floor(x, n, 90, 100));
    doc_set_real(j, "p99_ns", quantile_floor(x, n, 99, 100));
    doc_set_real(j, "max_ns", n ? quantile_floor(x, n, 1, 1) : NAN);
    return j;
}

enum stamp { INTENDED, ISSUED, FIRST, DONE };

static int64_t stamp_of(const struct fact *f, enum stamp s) {
    return s == INTENDED ? f->arrival_ns : s == ISSUED ? f->issued_ns : s == FIRST ? f->first_ns : f->done_ns;
}

/* Spans between two stamps of scheduled requests; what ends a reply counts for completed ones by the cut-off only. */
static json_t *spans_json(enum stamp from, enum stamp to, const struct fact *const *f, size_t n, int64_t cutoff_ns,
                          double *x) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t span = num_span(stamp_of(f[i], from), stamp_of(f[i], to));
        bool ended = to == ISSUED || fact_outcome(f[i], cutoff_ns) == OUT_COMPLETED;
        if (f[i]->scheduled && ended && int_known(span)) x[m++] = (double)span;
    }
    return waits_json(x, m);
}

/* How long requests waited in the client before they were sent, and what that does to the latencies: one from the
 * schedule has the wait in it, one from the send hides it.  Nothing to say of a run without a schedule. */
static void put_client_wait(json_t *into, const struct fact *const *f, size_t n, int64_t cutoff_ns, double *x) {
    static const char *const name[] = {"ttft", "e2e"};
    bool scheduled = false;
    for (size_t i = 0; i < n && !scheduled; i++)
        scheduled = f[i]->scheduled && int_known(f[i]->issued_ns);
    if (!scheduled) {
        json_object_set_new(into, "client_wait", json_null());
        return;
    }
    json_t *j = spans_json(INTENDED, ISSUED, f, n, cutoff_ns, x);
    for (size_t i = 0; i < 2; i++) {
        enum stamp end = i ? DONE : FIRST;
        json_object_set_new(j, name[i],
                            json_pack("{soso}", "intended", spans_json(INTENDED, end, f, n, cutoff_ns, x), "sent",
                                      spans_json(ISSUED, end, f, n, cutoff_ns, x)));
    }
    json_object_set_new(into, "client_wait", j);
}

/* ---- the block ---- */

void tally_block(json_t *into, const struct fact *const *f, size_t n, const struct tally_over *over,
                 const struct contract *c) {
    struct counts k = {0};
    double *x = xmalloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        count(&k, f[i], over->cutoff_ns);
    reconcile(&k);
    put_counts(into, &k, c);
    put_rates(into, &k, over);
    put_acceptance(into, &k, f, n, over);
    json_t *reasons = json_array();
    double ratio = doc_real_at(into, "acceptance.ratio");
    if (!isnan(c->acceptance_min) && !(ratio >= c->acceptance_min))
        add_reason(reasons, "acceptance", "acceptance", ratio, c->acceptance_min);
    put_latency(into, reasons, f, n, over, c, x);
    put_client_wait(into, f, n, over->cutoff_ns, x);
    put_lengths(into, f, n, over, x);
    if (c->quality || k.judged > 0) put_quality(into, &k, f, n, over);
    double score = k.score.n ? k.score.mean : NAN;
    if (!isnan(c->quality_floor) && !(score >= c->quality_floor))
        add_reason(reasons, "quality_floor", "score", score, c->quality_floor);
    const char *failed = json_array_size(reasons) ? "fail" : "pass";
    doc_set_text(into, "verdict", contract_has_criteria(c) ? failed : "none");
    json_object_set_new(into, "reasons", reasons);
    free(x);
}
