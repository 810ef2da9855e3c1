/* tailguard: cut the drain tail out of the samples, if that is safe.
 *
 *     ledger2passes -n 6396 ledger.tsv | warmcrop | tailguard > guarded.passes.tsv
 *
 * When issuing stops, the requests still open finish while load falls: their latencies are the drain's, not the system's.
 * In a closed loop they are also the long ones (the hairball), so leaving them out biases the mix of lengths.  It does not
 * bias time per token if that hardly differs between requests, and this is measured before anything is cut:
 *
 *     cut  iff  sd/mean <= epsilon  and  |mean - median|/mean <= delta      over the TPOT of the body
 *
 * Cut samples are marked in v_tail and leave the statistics of their passes.  Their tokens, the number of requests and the
 * spans stay: throughput counts what was issued in the window.  robust adds: nothing is cut where the tail is more than a
 * quarter of the body, and a pass that lost more than half of its samples is no longer body (role `tail`).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "passes.h"
#include "quantile.h"

enum profile { ROBUST, DESIGN };
static const double most_share = 0.25, most_lost = 0.5; /* robust: of the body, of a pass */

struct options {
    struct common common;
    double epsilon, delta;
    int64_t concurrency; /* 0: as many as were open at the stop */
    int profile;
};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {0, "epsilon", "X", OPT_REAL, AT(epsilon), "cut only where sd/mean of TPOT is at most X (default 0.10)", NULL, 0,
     1e9},
    {0, "delta", "X", OPT_REAL, AT(delta), "cut only where |mean - median|/mean of TPOT is at most X (default 0.05)",
     NULL, 0, 1e9},
    {'C', "concurrency", "C", OPT_INT, AT(concurrency),
     "size of the closed loop, for hairball_weight (default: as observed)", NULL, 1, 1e9},
    {0, "profile", "robust|design", OPT_CHOICE, AT(profile), "rules: robust (default), or the design document's own",
     "robust|design", 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "tailguard",
    .what = "Mark the samples of the drain tail, where the time per token shows that it is safe to leave them out.",
    .operands = "[FILE]",
    .example = "ledger2passes -n 300 ledger.tsv | warmcrop | tailguard | plateau",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
};

typedef VEC(double) doubles;

/* The tail beside the rest of the body. */
struct tail {
    int64_t stop_ns; /* last issue of the run */
    int64_t n_at_stop, n; /* requests open then: of the whole run, of the body */
    int64_t old_at_stop; /* of n_at_stop, those not among the last C issued */
    doubles tpot, osl, body_tpot, body_osl;
    double tokens, body_tokens; /* body_tokens includes the tail's */
    double cov, skew, share;
    bool cut;
    const char *flag;
};

static bool body(const struct pass *p) { return p->full && p->role == ROLE_BODY; }

/* Still open when issuing stopped: ended later, or never. */
static bool open_at(const struct samples *s, size_t i, int64_t stop_ns) {
    return !int_known(s->done[i]) || s->done[i] > stop_ns;
}

static int64_t last_issue(const struct passes *s) {
    int64_t last = INT_NONE;
    for (size_t i = 0; i < s->n; i++)
        if (int_known(s->v[i].last_issue_ns) && s->v[i].last_issue_ns > last) last = s->v[i].last_issue_ns;
    return last;
}

static void count_open(struct tail *t, const struct passes *s, int64_t concurrency) {
    int64_t last_seq = -1;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->v[i].samples.n; k++) {
            t->n_at_stop += open_at(&s->v[i].samples, k, t->stop_ns);
            if (s->v[i].samples.seq[k] > last_seq) last_seq = s->v[i].samples.seq[k];
        }
    int64_t c = concurrency ? concurrency : t->n_at_stop;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->v[i].samples.n; k++)
            t->old_at_stop += open_at(&s->v[i].samples, k, t->stop_ns) && s->v[i].samples.seq[k] <= last_seq - c;
}

static void gather(struct tail *t, const struct passes *s) {
    for (size_t i = 0; i < s->n; i++) {
        if (!body(&s->v[i])) continue;
        const struct samples *v = &s->v[i].samples;
        for (size_t k = 0; k < v->n; k++) {
            bool in_tail = open_at(v, k, t->stop_ns);
            t->n += in_tail;
            if (!isnan(v->tpot[k])) vec_push(in_tail ? &t->tpot : &t->body_tpot, v->tpot[k]);
            if (!int_known(v->osl[k])) continue;
            vec_push(in_tail ? &t->osl : &t->body_osl, (double)v->osl[k]);
            t->body_tokens += (double)v->osl[k];
            t->tokens += in_tail ? (double)v->osl[k] : 0;
        }
    }
}

/* Is time per token alike enough between requests that leaving some out changes nothing?  Names the term that says no. */
static void judge(struct tail *t, const struct options *o) {
    doubles all = {0};
    for (size_t i = 0; i < t->body_tpot.n; i++)
        vec_push(&all, t->body_tpot.v[i]);
    for (size_t i = 0; i < t->tpot.n; i++)
        vec_push(&all, t->tpot.v[i]);
    struct quantile_moments m = quantile_moments(all.v, all.n);
    t->cov = quantile_cov(&m);
    t->skew = all.n ? fabs(m.mean - quantile_median(all.v, all.n)) / m.mean : NAN;
    t->share = all.n ? (double)t->tpot.n / (double)all.n : NAN;
    if (all.n == 0)
        t->flag = "no_tpot";
    else if (!(t->cov <= o->epsilon))
        t->flag = "cov";
    else if (!(t->skew <= o->delta))
        t->flag = "skew";
    else if (o->profile == ROBUST && t->share > most_share)
        t->flag = "share";
    t->cut = !t->flag;
    vec_free(&all);
    if (isnan(t->share)) return;
    note("scatter sd/mean %.4g, at most %.4g: %s", t->cov, o->epsilon, t->cov <= o->epsilon ? "yes" : "no");
    note("skew |mean - median|/mean %.4g, at most %.4g: %s", t->skew, o->delta, t->skew <= o->delta ? "yes" : "no");
    if (o->profile == ROBUST)
        note("share of the body's samples %.4g, at most %.4g: %s", t->share, most_share,
             t->share <= most_share ? "yes" : "no");
}

static void cut_pass(struct pass *p, int64_t stop_ns, int profile) {
    struct samples *v = &p->samples;
    size_t had = 0, lost = 0, marked = 0;
    bool *tail = xcalloc(v->n, sizeof *tail);
    for (size_t k = 0; k < v->n; k++) {
        tail[k] = open_at(v, k, stop_ns);
        marked += tail[k];
        had += !isnan(v->tpot[k]);
        lost += !isnan(v->tpot[k]) && tail[k];
    }
    if (marked == 0) {
        free(tail);
        return;
    }
    v->tail = tail;
    bool gone = profile == ROBUST && (double)lost > most_lost * (double)had;
    note("pass %lld: %zu requests marked; %zu of %zu TPOT samples lost: %s", (long long)p->pass, marked, lost, had,
         gone ? "no longer body" : "body");
    for (int m = 0; m < N_METRICS; m++)
        p->metric[m] = pass_stats(p, m, false);
    if (gone) p->role = ROLE_TAIL;
}

static double ratio(double a, double b) { return b != 0 ? a / b : NAN; }

static int upwards(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance(doubles *few, const doubles *many) {
    if (few->n > 0) qsort(few->v, few->n, sizeof *few->v, upwards);
    size_t *work = xmalloc((2 * few->n + 1) * sizeof *work);
    double ks = quantile_ks(few->v, few->n, many->v, many->n, work);
    free(work);
    return ks;
}

static json_t *facts(struct tail *t, const struct passes *s) {
    double ended = doc_real_at(s->run, "last_event_ns"), began = doc_real_at(s->run, "first_issue_ns");
    double drain = int_known(t->stop_ns) ? ended - (double)t->stop_ns : NAN;
    json_t *f = json_object();
    doc_set_int(f, "n_at_stop", t->n_at_stop);
    doc_set_int(f, "n", t->n);
    doc_set_real(f, "share", t->share);
    doc_set_bool(f, "cut", t->cut);
    doc_set_text(f, "flag", t->flag);
    doc_set_real(f, "cov", t->cov);
    doc_set_real(f, "skew", t->skew);
    doc_set_real(f, "hairball_weight",
                 int_known(t->n_at_stop) ? ratio((double)t->old_at_stop, (double)t->n_at_stop) : NAN);
    doc_set_real(f, "drain_s", drain / 1e9);
    doc_set_real(f, "drain_share", ratio(drain, ended - began));
    doc_set_real(f, "tpot_shift",
                 ratio(quantile_median(t->tpot.v, t->tpot.n), quantile_median(t->body_tpot.v, t->body_tpot.n)) - 1);
    doc_set_real(f, "ks", distance(&t->tpot, &t->body_tpot));
    doc_set_real(f, "osl_p50_ratio",
                 ratio(quantile_floor(t->osl.v, t->osl.n, 1, 2), quantile_floor(t->body_osl.v, t->body_osl.n, 1, 2)));
    doc_set_real(
        f, "osl_p99_ratio",
        ratio(quantile_floor(t->osl.v, t->osl.n, 99, 100), quantile_floor(t->body_osl.v, t->body_osl.n, 99, 100)));
    doc_set_real(f, "token_share", ratio(t->tokens, t->body_tokens));
    return f;
}

/* Why a stream has no tail that could be cut, or NULL. */
static const char *no_tail(const struct passes *s) {
    const char *mode = doc_text_at(s->run, "mode");
    if (mode && strcmp(mode, "offline") == 0)
        return "offline"; /* issued at once: all of it is drain, to a client's eye */
    if (!s->has_samples) return "no_samples";
    if (!int_known(last_issue(s))) return "no_times";
    return NULL;
}

int main(int argc, char **argv) {
    const struct options defaults = {.epsilon = 0.10, .delta = 0.05};
    struct options o = defaults;
    char **operand = opts_parse(&tool, &o, argc, argv);
    struct passes s;
    passes_read(&s, opts_single(operand));

    struct tail t = {.stop_ns = last_issue(&s), .flag = no_tail(&s), .cov = NAN, .skew = NAN, .share = NAN};
    if (t.flag) {
        t.n_at_stop = t.n = INT_NONE;
        note("nothing cut: %s", t.flag);
    } else {
        count_open(&t, &s, o.concurrency);
        gather(&t, &s);
        judge(&t, &o);
        for (size_t i = 0; t.cut && i < s.n; i++)
            if (body(&s.v[i])) cut_pass(&s.v[i], t.stop_ns, o.profile);
        note("%lld requests were open at the stop, %lld of them in the body: %s%s", (long long)t.n_at_stop,
             (long long)t.n, t.cut ? "cut" : "kept: ", t.cut ? "" : t.flag);
    }
    json_object_set_new(s.run, "tail", facts(&t, &s));
    json_array_append_new(s.pg, opts_provenance(&tool, &o, &defaults));

    passes_write(&s, opts_spelling(&o.common, s.spelling), !o.common.no_header);
    out_close();
    vec_free(&t.tpot);
    vec_free(&t.osl);
    vec_free(&t.body_tpot);
    vec_free(&t.body_osl);
    passes_free(&s);
    return 0;
}
