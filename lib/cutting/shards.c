#include "shards.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "die.h"
#include "hash.h"
#include "ledger.h"
#include "num.h"

#define EPOCH_FROM                                                                                                     \
    100000000000000000 /* stamps beyond 10^17 ns count from 1970, smaller ones from a start of their own */

struct shard {
    struct ledger_in *in;
    const char *file;
    struct ledger_row row; /* the next tracked request, while more */
    bool more;
    int run_column;
    uint16_t index, run;
    int64_t last_issued; /* of the row handed out before, and its name */
    struct buf last_name;
};

struct shards {
    struct shards_rule rule;
    struct shard *v;
    size_t n;
    struct shard **heap; /* those with a row left, the earliest first */
    size_t n_heap;
    bool taken; /* the first of them was handed out: its next row is read when somebody asks, not before */
    bool in_order, claim;
    VEC(const char *) name, run;
    VEC(uint64_t) key; /* fingerprints of names */
    struct arena text;
    size_t read, outcomes[N_OUTCOMES], untracked, with_first;
};

static uint64_t fingerprint(struct view v, uint64_t seed) {
    if (v.n == 0) return 0;
    uint64_t h = XXH3_64bits_withSeed(v.s, v.n, seed);
    return h ? h : 1;
}

static int compare_names(struct view a, struct view b) {
    int c = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* ---- reading one ledger ---- */

static uint16_t run_number(struct shards *s, const struct shard *h) {
    struct view cell = table_text(ledger_table(h->in), h->run_column);
    for (size_t i = s->run.n; i-- > 0;)
        if (strlen(s->run.v[i]) == cell.n && (cell.n == 0 || memcmp(s->run.v[i], cell.s, cell.n) == 0))
            return (uint16_t)i;
    if (s->run.n == UINT16_MAX) die("more than %d runs", UINT16_MAX);
    if (s->run.n > 0 && !s->rule.split)
        die_at(h->file, ledger_table(h->in)->line,
               "several runs in column 'run': choose one with --by run=NAME, or take each by itself with --by run");
    vec_push(&s->run, arena_copy(&s->text, cell.n ? cell.s : "", cell.n));
    return (uint16_t)(s->run.n - 1);
}

static bool other_run(const struct shards *s, const struct shard *h) {
    if (!s->rule.run) return false;
    struct view cell = table_text(ledger_table(h->in), h->run_column);
    return cell.n != strlen(s->rule.run) || memcmp(cell.s, s->rule.run, cell.n) != 0;
}

/* Put the next tracked request of a ledger in its head. */
static void advance(struct shards *s, struct shard *h) {
    while ((h->more = ledger_read(h->in, &h->row))) {
        if (other_run(s, h)) continue;
        s->read++;
        s->untracked += !h->row.tracked;
        if (!h->row.tracked) continue;
        h->run = run_number(s, h);
        return;
    }
}

static void check_order(struct shards *s, struct shard *h) {
    int64_t t = h->row.issued_ns;
    struct view last = {h->last_name.s, h->last_name.len};
    if (h->last_name.len > 0 &&
        (t < h->last_issued || (t == h->last_issued && int_known(t) && compare_names(last, h->row.request) > 0)))
        s->in_order = false;
    h->last_issued = t;
    buf_clear(&h->last_name);
    buf_add(&h->last_name, h->row.request.s, h->row.request.n);
}

/* ---- merging ---- */

static bool earlier(const struct shard *a, const struct shard *b) {
    if (a->row.issued_ns != b->row.issued_ns) return a->row.issued_ns < b->row.issued_ns;
    int c = int_known(a->row.issued_ns) ? compare_names(a->row.request, b->row.request) : 0;
    return c ? c < 0 : a->index < b->index;
}

static void sift_down(struct shards *s, size_t i) {
    struct shard *h = s->heap[i];
    for (size_t child; (child = 2 * i + 1) < s->n_heap; i = child) {
        if (child + 1 < s->n_heap && earlier(s->heap[child + 1], s->heap[child])) child++;
        if (!earlier(s->heap[child], h)) break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = h;
}

static int32_t tokens(int64_t v) { return int_known(v) ? (int32_t)v : TOKENS_NONE; }

static int64_t latest(const struct ledger_row *r) {
    const int64_t stamps[] = {r->issued_ns, r->reissued_ns, r->first_ns, r->last_ns, r->done_ns};
    int64_t max = INT_NONE; /* the smallest of all */
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++)
        max = stamps[i] > max ? stamps[i] : max;
    return max;
}

static struct request request_of(const struct shards *s, const struct shard *h) {
    const struct ledger_row *r = &h->row;
    bool completed = r->outcome == OUT_COMPLETED;
    return (struct request){.issued_ns = r->issued_ns,
                            .done_ns = r->outcome == OUT_UNFINISHED ? INT_NONE : r->done_ns,
                            .latest_ns = latest(r),
                            .ttft_ns = r->ttft_ns,
                            .e2e_ns = completed ? r->e2e_ns : INT_NONE,
                            .tpot_ns = completed ? r->tpot_ns : NAN,
                            .isl = tokens(r->input_tokens),
                            .osl = tokens(r->output_tokens),
                            .seq = r->seq < 0 || r->seq > UINT32_MAX ? 0 : (uint32_t)r->seq,
                            .at = (uint32_t)(s->read - s->untracked - s->n_heap),
                            .file = h->index,
                            .run = h->run,
                            .ended = r->outcome != OUT_UNFINISHED,
                            .completed = completed};
}

static void replace_taken(struct shards *s) {
    s->taken = false;
    advance(s, s->heap[0]);
    if (!s->heap[0]->more) s->heap[0] = s->heap[--s->n_heap];
    if (s->n_heap > 0) sift_down(s, 0);
}

bool shards_next(struct shards *s, struct request *r, struct shards_mark *mark) {
    if (s->taken) replace_taken(s);
    if (s->n_heap == 0) return false;
    struct shard *h = s->heap[0];
    const struct ledger_row *row = &h->row;
    *r = request_of(s, h);
    uint64_t home = (uint64_t)h->index << 16 | h->run;
    *mark = (struct shards_mark){fingerprint(row->input_hash, 0), fingerprint(row->conversation, home), row->turn};
    check_order(s, h);
    s->outcomes[row->outcome]++;
    s->with_first += int_known(row->ttft_ns) || int_known(row->first_ns);
    if (!s->claim || s->n > 1) vec_push(&s->name, arena_copy(&s->text, row->request.s, row->request.n));
    vec_push(&s->key, fingerprint(row->request, h->run));
    return s->taken = true;
}

/* ---- opening ---- */

static const char *clock_of(const struct shard *h) {
    const char *said = doc_text_at(ledger_table(h->in)->stream.run, "clock");
    if (said) return said;
    return !int_known(h->row.issued_ns) ? "none" : h->row.issued_ns > EPOCH_FROM ? "epoch" : "monotonic";
}

/* Two clocks can be compared when both count from 1970; two of an arbitrary start never can. */
static void check_clocks(const struct shards *s) {
    const struct shard *first = NULL;
    for (size_t i = 0; i < s->n && !s->rule.align; i++) {
        const struct shard *h = &s->v[i];
        if (!h->more) continue;
        if (!first) first = h;
        const char *a = clock_of(first), *b = clock_of(h);
        if (strcmp(a, b) != 0)
            die("%s: clock '%s', but '%s' in %s: not merged without --align start", h->file, b, a, first->file);
        if (h != first && strcmp(a, "monotonic") == 0)
            die("%s and %s have monotonic clocks, each with a start of its own: not merged without --align start",
                first->file, h->file);
    }
}

static void check_definitions(const struct shards *s) {
    const json_t *first = NULL;
    const char *file = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const json_t *d = doc_at(ledger_table(s->v[i].in)->stream.run, "definitions");
        if (d && first && !json_equal(d, first))
            die("%s and %s were written under different definitions (run.definitions)", file, s->v[i].file);
        if (d && !first) first = d, file = s->v[i].file;
    }
}

struct shards *shards_open(char *const *paths, const struct shards_rule *rule) {
    struct shards *s = xcalloc(1, sizeof *s);
    s->rule = *rule;
    s->in_order = s->claim = true;
    while (paths[s->n])
        s->n++;
    if (s->n > UINT16_MAX) die("more than %d ledgers", UINT16_MAX);
    s->v = xcalloc(s->n, sizeof *s->v);
    s->heap = xcalloc(s->n, sizeof(struct shard *));
    for (size_t i = 0; i < s->n; i++) {
        struct shard *h = &s->v[i];
        h->in = ledger_open(paths[i]);
        const struct table_in *t = ledger_table(h->in);
        h->file = t->file;
        h->index = (uint16_t)i;
        h->run_column = table_find(t, "run");
        if (rule->run || rule->split) table_need(t, "run", "for --by run");
        advance(s, h);
        s->claim =
            s->claim && t->stream.kind[0] && (!h->more || (int_known(h->row.seq) && int_known(h->row.issued_ns)));
        if (h->more) s->heap[s->n_heap++] = h;
    }
    check_clocks(s);
    check_definitions(s);
    for (size_t i = s->n_heap; i-- > 0;)
        sift_down(s, i);
    return s;
}

void shards_close(struct shards *s) {
    for (size_t i = 0; i < s->n; i++) {
        ledger_close(s->v[i].in);
        buf_free(&s->v[i].last_name);
    }
    free(s->v);
    free(s->heap);
    vec_free(&s->name);
    vec_free(&s->run);
    vec_free(&s->key);
    arena_free(&s->text);
    free(s);
}

bool shards_claim_order(const struct shards *s) { return s->claim && !s->rule.align; }

bool shards_live(const struct shards *s) {
    for (size_t i = 0; i < s->n; i++)
        if (!ledger_table(s->v[i].in)->lines.in.regular) return true;
    return false;
}

bool shards_in_order(const struct shards *s) { return s->in_order; }
const char *const *shards_names(const struct shards *s) { return s->name.n > 0 ? s->name.v : NULL; }
size_t shards_n(const struct shards *s) { return s->n; }
size_t shards_n_runs(const struct shards *s) { return s->run.n; }
const char *shards_run_name(const struct shards *s, size_t run) { return s->run.v[run]; }

/* ---- facts ---- */

static json_t *joined(const char *key, json_t *a, json_t *b) {
    bool start = strcmp(key, "tracking_start_ns") == 0;
    if ((start || strcmp(key, "tracking_stop_ns") == 0) && json_is_integer(a) && json_is_integer(b))
        return json_incref((json_integer_value(a) < json_integer_value(b)) == start ? a : b);
    if (strcmp(key, "truncated") == 0 || strcmp(key, "partial") == 0)
        return json_boolean(json_is_true(a) || json_is_true(b));
    if (strcmp(key, "outcomes_logged") == 0) return json_boolean(json_is_true(a) && json_is_true(b));
    if (strcmp(key, "offered_complete") == 0) return ledger_complete(a, b);
    return json_equal(a, b) ? json_incref(a) : json_null();
}

/* In a ledger of several runs, the facts of the one that is taken stand for the run's. */
static void take_run(json_t *facts, const char *run) {
    json_t *runs = json_incref(json_object_get(facts, "runs"));
    json_object_del(facts, "runs");
    for (size_t i = 0; run && i < json_array_size(runs); i++) {
        json_t *one = json_array_get(runs, i), *name = json_object_get(one, "run");
        char number[NUM_MAX + 1] = "";
        if (json_is_integer(name)) number[num_put_int(number, json_integer_value(name))] = '\0';
        if (strcmp(json_is_string(name) ? json_string_value(name) : number, run) == 0) json_object_update(facts, one);
    }
    json_decref(runs);
}

json_t *shards_facts(const struct shards *s) {
    json_t *all = json_object();
    bool partial = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct table_in *t = ledger_table(s->v[i].in);
        const char *key;
        json_t *value;
        json_object_foreach(t->stream.run, key, value) {
            json_t *have = json_object_get(all, key);
            json_object_set_new(all, key, have ? joined(key, have, value) : json_incref(value));
        }
        partial =
            partial || t->partial || doc_true_at(t->stream.run, "partial") || doc_true_at(t->stream.run, "truncated");
    }
    doc_set_bool(all, "partial", partial);
    take_run(all, s->rule.run);
    return all;
}

json_t *shards_writers(const struct shards *s) {
    json_t *pg = json_array();
    for (size_t i = 0; i < s->n; i++) {
        size_t k, at;
        json_t *one, *have;
        json_array_foreach(ledger_table(s->v[i].in)->stream.pg, k, one) {
            bool seen = false;
            json_array_foreach(pg, at, have) seen = seen || json_equal(have, one);
            if (!seen) json_array_append(pg, one);
        }
    }
    return pg;
}

json_t *shards_counts(const struct shards *s) {
    json_t *counts = json_object(), *outcomes = json_object();
    doc_set_int(counts, "ledgers", (int64_t)s->n);
    doc_set_int(counts, "rows", (int64_t)s->read);
    doc_set_int(counts, "tracked", (int64_t)(s->read - s->untracked));
    doc_set_int(counts, "untracked", (int64_t)s->untracked);
    doc_set_int(counts, "with_first", (int64_t)s->with_first);
    for (int i = 0; i < N_OUTCOMES; i++)
        doc_set_int(outcomes, outcome_name[i], (int64_t)s->outcomes[i]);
    json_object_set_new(counts, "outcomes", outcomes);
    return counts;
}

size_t shards_duplicates(const struct shards *s) { return hash_repeats(s->key.v, s->key.n); }
