#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "quantile.h"

void blocks_init(struct blocks *b, int64_t size, int64_t concurrency, int64_t from) {
    *b = (struct blocks){.size = size, .concurrency = concurrency, .next_pass = from};
}

static void samples_free(struct samples *v) {
    void *all[] = {v->seq, v->ttft, v->e2e, v->osl, v->done, v->tpot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

void blocks_free(struct blocks *b) {
    samples_free(&b->pass.samples);
    vec_free(&b->open);
}

/* ---- one pass from its requests ---- */

static void make_room(struct blocks *b, size_t n) {
    if (n <= b->room) return;
    struct samples *v = &b->pass.samples;
    int64_t **ints[] = {&v->seq, &v->ttft, &v->e2e, &v->osl, &v->done};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = xrealloc(*ints[i], n, sizeof **ints[i]);
    v->tpot = xrealloc(v->tpot, n, sizeof *v->tpot);
    b->room = n;
}

/* Rank of a request in the run: blocks are contiguous, bins carry it in `at`. */
static void fill_samples(struct blocks *b, const struct request *r, size_t n, int64_t first_rank) {
    make_room(b, n);
    struct samples *v = &b->pass.samples;
    v->n = n;
    for (size_t i = 0; i < n; i++) {
        v->seq[i] = int_known(first_rank) ? first_rank + (int64_t)i : (int64_t)r[i].at;
        v->ttft[i] = r[i].ttft_ns;
        v->tpot[i] = r[i].tpot_ns;
        v->e2e[i] = r[i].e2e_ns;
        v->osl[i] = r[i].osl == TOKENS_NONE ? INT_NONE : r[i].osl;
        v->done[i] = r[i].done_ns;
    }
}

static void fill_lengths(struct pass *p, const struct request *r, size_t n) {
    double *osl = xmalloc(n * sizeof *osl);
    struct quantile_moments isl = {0};
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i].completed && r[i].isl != TOKENS_NONE) quantile_moments_add(&isl, r[i].isl);
        if (r[i].completed && r[i].osl != TOKENS_NONE) osl[k++] = r[i].osl;
    }
    struct metric_stats st = metric_stats_of(osl, k);
    p->isl_mean = isl.n ? isl.mean : NAN;
    p->osl_mean = st.mean;
    p->osl_p50 = st.p50;
    p->osl_p99 = st.p99;
    free(osl);
}

/* Everything that depends on the members alone. */
static void fill_members(struct blocks *b, const struct request *r, size_t n, int64_t first_rank) {
    struct samples samples = b->pass.samples;
    b->pass = (struct pass){.pass = b->next_pass++,
                            .n_issued = (int64_t)n,
                            .last_done_ns = INT_NONE,
                            .in_flight = INT_NONE,
                            .active_pct = NAN,
                            .output_tokens = INT_NONE,
                            .samples = samples};
    struct pass *p = &b->pass;
    for (size_t i = 0; i < n; i++) {
        p->n_done += r[i].ended;
        p->n_ok += r[i].completed;
        if (r[i].done_ns > p->last_done_ns) p->last_done_ns = r[i].done_ns;
        if (r[i].osl != TOKENS_NONE) p->output_tokens = (int_known(p->output_tokens) ? p->output_tokens : 0) + r[i].osl;
    }
    fill_samples(b, r, n, first_rank);
    fill_lengths(p, r, n);
    for (int m = 0; m < N_METRICS; m++)
        p->metric[m] = pass_stats(p, (enum metric)m, true);
}

static void fill_rates(struct pass *p) {
    double seconds = int_known(p->span_ns) && p->span_ns > 0 ? (double)p->span_ns / 1e9 : NAN;
    p->tps = int_known(p->output_tokens) ? (double)p->output_tokens / seconds : NAN;
    p->rps = (double)p->n_done / seconds;
}

/* ---- blocks in issue order ---- */

static const struct pass *close_block(struct blocks *b, int64_t next_issue_ns) {
    const struct request *r = b->open.v;
    size_t n = b->open.n;
    fill_members(b, r, n, b->n_in - (int64_t)n);
    struct pass *p = &b->pass;
    p->full = (int64_t)n == b->size;
    p->first_issue_ns = r[0].issued_ns;
    p->last_issue_ns = r[n - 1].issued_ns;
    p->next_issue_ns = next_issue_ns;
    p->span_ns = num_span(p->first_issue_ns, int_known(next_issue_ns) ? next_issue_ns : p->last_issue_ns);
    p->in_flight = b->in_flight;
    if (int_known(b->in_flight) && int_known(b->concurrency))
        p->active_pct = 100. * (double)b->in_flight / (double)b->concurrency;
    fill_rates(p);
    b->open.n = 0;
    return p;
}

const struct pass *blocks_add(struct blocks *b, const struct request *r, int64_t in_flight) {
    const struct pass *done = (int64_t)b->open.n == b->size ? close_block(b, r->issued_ns) : NULL;
    vec_push(&b->open, *r);
    b->n_in++;
    b->in_flight = in_flight;
    return done;
}

const struct pass *blocks_last(struct blocks *b) { return b->open.n > 0 ? close_block(b, INT_NONE) : NULL; }

/* ---- bins of completion time ---- */

/* -1: it never ended.  A clock that went back: the first bin. */
static int64_t bin_of(const struct request *r, int64_t start_ns, int64_t width_ns) {
    int64_t after = num_span(start_ns, r->done_ns);
    return !int_known(after) ? -1 : after < 0 ? 0 : after / width_ns;
}

static int by_bin(const void *pa, const void *pb, void *bins) {
    const struct request *a = pa, *b = pb;
    const struct bins *s = bins;
    int64_t x = bin_of(a, s->start_ns, s->width_ns), y = bin_of(b, s->start_ns, s->width_ns);
    return x != y ? (x > y) - (x < y) : (a->at > b->at) - (a->at < b->at);
}

void bins_init(struct bins *s, const struct requests *r, int64_t start_ns, int64_t width_ns, int64_t last_event_ns,
               int64_t from) {
    *s = (struct bins){.start_ns = start_ns, .width_ns = width_ns, .last_event_ns = last_event_ns};
    blocks_init(&s->b, 0, INT_NONE, from);
    for (size_t i = 0; i < r->n; i++) {
        struct request q = r->v[i];
        q.at = (uint32_t)i; /* its rank, from here on */
        int64_t bin = bin_of(&q, start_ns, width_ns);
        s->has_tokens = s->has_tokens || q.osl != TOKENS_NONE;
        if (bin < 0) continue;
        vec_push(&s->sorted, q);
        if (bin >= s->n) s->n = bin + 1;
    }
    if (s->sorted.n > 0) qsort_r(s->sorted.v, s->sorted.n, sizeof *s->sorted.v, by_bin, s);
}

int64_t bins_full(const struct requests *r, int64_t start_ns, int64_t width_ns, int64_t last_event_ns) {
    int64_t used = 0, ended = num_span(start_ns, last_event_ns) / width_ns;
    for (size_t i = 0; i < r->n; i++) {
        int64_t bin = bin_of(&r->v[i], start_ns, width_ns);
        if (bin >= used) used = bin + 1;
    }
    return used < ended ? used : ended;
}

const struct pass *bins_next(struct bins *s) {
    if (s->i == s->n) return NULL;
    size_t first = s->at;
    while (s->at < s->sorted.n && bin_of(&s->sorted.v[s->at], s->start_ns, s->width_ns) == s->i)
        s->at++;
    size_t n = s->at - first;
    fill_members(&s->b, n ? s->sorted.v + first : NULL, n, INT_NONE);
    struct pass *p = &s->b.pass;
    int64_t start = s->start_ns + s->i * s->width_ns;
    p->full = s->last_event_ns - start >= s->width_ns;
    p->first_issue_ns = start;
    p->last_issue_ns = p->next_issue_ns = p->full ? start + s->width_ns : s->last_event_ns;
    p->span_ns = num_span(start, p->next_issue_ns);
    if (n == 0 && s->has_tokens) p->output_tokens = 0;
    fill_rates(p);
    s->i++;
    return p;
}

void bins_free(struct bins *s) {
    blocks_free(&s->b);
    vec_free(&s->sorted);
}
