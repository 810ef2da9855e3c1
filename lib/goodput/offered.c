#include "offered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "hash.h"
#include "num.h"
#include "score.h"
#include "spans.h"

/* ---- one row ---- */

/* Let the latencies run from where the contract says: it may state another origin than the ledger's, and the answer's
 * first token instead of the reply's. */
static void apply_origin(struct ledger_row *row, const struct contract *c, enum retry_clock retry) {
    if (c->origin != ORIGIN_LEDGER) {
        struct spans_rule rule = {.latency_from = c->origin == ORIGIN_ISSUED ? FROM_ISSUED : FROM_INTENDED,
                                  .retry_clock = retry};
        int64_t start = spans_start(row, &rule);
        row->ttft_ns = num_span(start, row->first_ns);
        row->e2e_ns = num_span(start, row->done_ns);
        if (row->ttft_ns < 0) row->ttft_ns = INT_NONE;
        if (row->e2e_ns < 0) row->e2e_ns = INT_NONE;
    }
    if (c->first_answer && int_known(row->ttft_ns)) {
        int64_t later = num_span(row->first_ns, row->answer_first_ns);
        if (!int_known(later) || later < 0 || __builtin_add_overflow(row->ttft_ns, later, &row->ttft_ns))
            row->ttft_ns = INT_NONE;
    }
}

static bool is(struct view v, const char *s) { return v.n == strlen(s) && memcmp(v.s, s, v.n) == 0; }

static struct fact fact_of(const struct ledger_row *row, const struct score *s, enum judged judged, double score) {
    struct fact f = {
        .arrival_ns = int_known(row->intended_ns) ? row->intended_ns : row->issued_ns,
        .issued_ns = row->issued_ns,
        .first_ns = row->first_ns,
        .done_ns = row->done_ns,
        .input_tokens = row->input_tokens,
        .output_tokens = row->output_tokens,
        .score = score,
        .outcome = (uint8_t)row->outcome,
        .disposition = (uint8_t)s->disposition,
        .not_applicable = (uint8_t)s->not_applicable,
        .judged = (uint8_t)judged,
        .scheduled = int_known(row->intended_ns),
        .stopped = is(row->finish_reason, "stop"),
        .tool_calls = row->flags & FLAG_TOOL_CALLS,
        .misses = s->misses,
    };
    for (enum target t = 0; t < N_TARGETS; t++)
        f.value[t] = score_value(row, t);
    return f;
}

/* The row under one contract. */
static struct score score_under(struct scoring *k, const struct frontier *grid, const struct table_in *t,
                                struct ledger_row *row, enum retry_clock retry) {
    double mark = NAN;
    apply_origin(row, k->contract, retry);
    enum judged judged =
        k->quality ? quality_judge(k->quality, t, row->request, &mark) : quality_of_ledger(row->quality);
    struct score s = score_row(row, k->contract, judged);
    if (!row->tracked) return s;
    struct fact f = fact_of(row, &s, judged, mark);
    for (size_t i = 0; grid && i < 2; i++)
        f.rank[i] = (uint8_t)score_rank(row, k->contract, grid->axis[i].metric, grid->axis[i].limit, grid->axis[i].n);
    vec_push(&k->fact, f);
    k->observed |= s.observed;
    k->unobserved |= s.unobserved;
    return s;
}

static void take_row(struct offered *o, const struct table_in *t, struct ledger_row *row, enum retry_clock retry) {
    struct score first = {0};
    int64_t ttft_ns = row->ttft_ns, e2e_ns = row->e2e_ns; /* which a contract may let run from elsewhere */
    for (size_t i = 0; i < o->n_scorings; i++) {
        row->ttft_ns = ttft_ns;
        row->e2e_ns = e2e_ns;
        struct score s = score_under(&o->scoring[i], o->frontier, t, row, retry);
        if (i == 0) first = s;
    }
    for (size_t i = 0; i < o->n_by && row->tracked; i++)
        by_row(&o->by[i], t, row);
    o->untracked += !row->tracked;
    if (o->common && o->hold) {
        annotate_hold(&o->annotate, t);
        vec_push(&o->held, row->tracked ? (int64_t)o->scoring->fact.n - 1 : -1);
    } else if (o->common) {
        annotate_row(&o->annotate, t, row->tracked ? (int)first.disposition : -1, row->tracked ? first.misses : 0);
    }
}

/* ---- one ledger ---- */

static enum retry_clock retry_clock_of(const json_t *run) {
    const char *said = doc_text_at(run, "definitions.retry_clock");
    return said && strcmp(said, retry_clock_name[RETRY_LAST]) == 0 ? RETRY_LAST : RETRY_FIRST;
}

/* Several runs in one ledger are several answers; the first two values are enough to know. */
static void check_one_run(const struct offered *o, const struct table_in *t, int column, struct buf *first) {
    struct view v = table_text(t, column);
    if (column < 0 || o->by_run) return;
    if (!first->s)
        buf_add(first, v.s, v.n);
    else if (first->len != v.n || memcmp(first->s, v.s, v.n) != 0)
        die_at(t->file, t->line, "a second run in column 'run': choose one, or report each with --by run");
}

/* Facts of the next shard: the tracking window grows, what one lacks all of them lack, everything else must agree. */
static void merge_facts(struct offered *o, const struct table_in *t, json_t *run) {
    if (!o->run) {
        o->run = json_incref(run);
        return;
    }
    const char *clocks[] = {doc_text_at(o->run, "clock"), doc_text_at(run, "clock")};
    for (size_t i = 0; i < 2; i++)
        if (clocks[i] && strcmp(clocks[i], "epoch") != 0)
            die("%s: ledgers of '%s' clocks cannot be taken together", t->file, clocks[i]);
    json_t *a = json_object_get(o->run, "definitions"), *b = json_object_get(run, "definitions");
    if (a && b && !json_equal(a, b)) die("%s: its definitions differ from those of the ledgers before it", t->file);
    static const char *const edge[] = {"tracking_start_ns", "tracking_stop_ns"};
    for (size_t i = 0; i < 2; i++) {
        int64_t x = doc_int_at(o->run, edge[i]), y = doc_int_at(run, edge[i]);
        if (int_known(y) && (!int_known(x) || (i == 0 ? y < x : y > x))) doc_set_int(o->run, edge[i], y);
    }
    static const char *const lacks[] = {"partial", "truncated"};
    for (size_t i = 0; i < 2; i++)
        if (doc_true_at(run, lacks[i])) doc_set_bool(o->run, lacks[i], true);
    if (json_is_false(doc_at(run, "outcomes_logged"))) doc_set_bool(o->run, "outcomes_logged", false);
    json_t *whole = ledger_complete(doc_at(o->run, "offered_complete"), doc_at(run, "offered_complete"));
    if (whole) json_object_set_new(o->run, "offered_complete", whole);
}

static void read_ledger(struct offered *o, const char *file, bool several, struct buf *first_run) {
    o->ledger = ledger_open(file);
    struct table_in *t = ledger_table(o->ledger);
    int run = table_find(t, "run");
    enum retry_clock retry = retry_clock_of(t->stream.run);
    struct ledger_row row;
    if (o->spelling == SPELL_AS_READ) o->spelling = t->spelling;
    if (o->common) {
        json_t *pg = json_copy(t->stream.pg);
        json_array_append(pg, o->pg_own);
        annotate_begin(&o->annotate, t, opts_spelling(o->common, t->spelling), !o->common->no_header, pg);
        json_decref(pg);
    }
    for (size_t i = 0; i < o->n_by; i++)
        by_open(&o->by[i], t);
    while (ledger_read(o->ledger, &row)) {
        check_one_run(o, t, run, first_run);
        if (several && row.tracked) {
            struct view of = table_text(t, run);
            vec_push(&o->name, hash_bytes(row.request.s, row.request.n) + 3 * hash_bytes(of.s, of.n));
        }
        take_row(o, t, &row, retry);
    }
    merge_facts(o, t, t->stream.run);
    json_array_extend(o->pg, t->stream.pg);
    o->partial |= t->partial;
}

/* ---- the run ---- */

/* By first send, then arrival; requests without either stay where they are read. */
static int compare(const void *a, const void *b) {
    const struct fact *x = *(const struct fact *const *)a, *y = *(const struct fact *const *)b;
    int64_t s = int_known(x->issued_ns) ? x->issued_ns : x->arrival_ns;
    int64_t t = int_known(y->issued_ns) ? y->issued_ns : y->arrival_ns;
    if (s != t) return s < t ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void put_in_order(struct scoring *k) {
    size_t n = k->fact.n;
    bool sorted = true, stamped = true;
    k->in_order = xcalloc(n + 1, sizeof(void *));
    for (size_t i = 0; i < n; i++) {
        k->in_order[i] = &k->fact.v[i];
        stamped &= int_known(k->fact.v[i].arrival_ns);
        sorted &= i == 0 || compare(&k->in_order[i - 1], &k->in_order[i]) < 0;
    }
    if (stamped && !sorted) qsort(k->in_order, n, sizeof(void *), compare);
}

void offered_read(struct offered *o, char **files) {
    struct buf first_run = {0};
    o->pg = json_array();
    if (o->common && files[1]) die("-a annotates one ledger at a time");
    bool several = files[0] && files[1];
    for (; *files; files++) {
        if (o->ledger) ledger_close(o->ledger);
        read_ledger(o, *files, several, &first_run);
    }
    o->repeated = hash_repeats(o->name.v, o->name.n);
    vec_free(&o->name);
    for (size_t i = 0; i < o->n_scorings; i++)
        put_in_order(&o->scoring[i]);
    buf_free(&first_run);
}

static void check(const struct scoring *k, const struct frontier *grid, bool unobserved_fails) {
    static const char *const others[] = {"model", "schema"};
    unsigned blind = k->unobserved & ~k->observed;
    bool stamped = k->fact.n == 0;
    for (size_t i = 0; i < k->fact.n && !stamped; i++)
        stamped = int_known(k->fact.v[i].arrival_ns);
    if (k->contract->origin != ORIGIN_LEDGER && !stamped)
        die("the contract states latency_from, but the ledger has no stamps to compute latencies from");
    for (int t = 0; t < N_TARGETS + 2 && !unobserved_fails; t++) {
        bool on_grid = grid && (t == (int)grid->axis[0].metric || t == (int)grid->axis[1].metric);
        bool asked = t >= N_TARGETS || on_grid || contract_asks(k->contract, (enum target)t);
        if (!(blind >> t & 1) || !asked) continue;
        die("no completed request tells its %s, which the contract asks for; --unobserved fail counts them as failures",
            t < N_TARGETS ? target_name[t] : others[t - N_TARGETS]);
    }
}

void offered_check(const struct offered *o, bool unobserved_fails) {
    for (size_t i = 0; i < o->n_scorings; i++)
        check(&o->scoring[i], o->frontier, unobserved_fails);
}

void offered_annotate(struct offered *o, int64_t end_ns, int64_t cutoff_ns) {
    const struct fact *fact = o->scoring->fact.v;
    int64_t count[N_DISPOSITIONS] = {0};
    for (size_t i = 0; i < o->held.n; i++) {
        const struct fact *f = o->held.v[i] < 0 ? NULL : &fact[o->held.v[i]];
        bool part = f && (!int_known(f->arrival_ns) || f->arrival_ns < end_ns);
        enum disposition d = part ? fact_disposition(f, cutoff_ns) : 0;
        annotate_held(&o->annotate, i, part ? (int)d : -1, part && d == f->disposition ? f->misses : 0);
    }
    for (size_t i = 0; fact && i < o->scoring->fact.n; i++)
        if (!int_known(fact[i].arrival_ns) || fact[i].arrival_ns < end_ns)
            count[fact_disposition(&fact[i], cutoff_ns)]++;
    annotate_end(&o->annotate, ledger_table(o->ledger), count);
}

void offered_free(struct offered *o) {
    if (o->ledger) ledger_close(o->ledger);
    for (size_t i = 0; i < o->n_by; i++)
        by_free(&o->by[i]);
    free(o->by);
    for (size_t i = 0; i < o->n_scorings; i++) {
        quality_close(o->scoring[i].quality);
        vec_free(&o->scoring[i].fact);
        free(o->scoring[i].in_order);
    }
    free(o->scoring);
    vec_free(&o->held);
    json_decref(o->run);
    json_decref(o->pg);
    json_decref(o->pg_own);
}
