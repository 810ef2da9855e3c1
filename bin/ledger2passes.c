/* ledger2passes: a request ledger to super-passes.
 *
 * A super-pass is a block of requests in order of issue, sized so that each block holds the same mix of work: one or
 * more whole passes over the dataset.  The requests of a run, ranked by issue from 0, fall into pass = rank / size.  A
 * pass is measured over what it issued, from its first issue to the next pass's first issue, and its requests are
 * followed to their end, however late:
 *
 *     request  outcome    issued_ns  done_ns  ttft_ns  tpot_ns  output_tokens
 *     r0       completed  0          400      100      10       31
 *     r1       completed  100        800      150      10       56
 *     r2       completed  500        900      100      12       26
 *
 *     ledger2passes -s 2
 *
 *     pass  full  n_issued  first_issue_ns  last_issue_ns  next_issue_ns  span_ns  in_flight  output_tokens
 *     0     1     2         0               100            500            500      2          87
 *     1     0     1         500             500                           0        2          26
 *
 * A run that issues everything at once has no order of issue to speak of: its passes are bins of completion time. */

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "die.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "passes.h"
#include "shards.h"
#include "survey.h"
#include "totals.h"

#define ASSUMED_PASSES 40 /* passes a run is cut into when nothing says what a pass is */
#define OFFLINE_BINS 30 /* fewest bins an offline run is cut into */
#define OFFLINE_BIN_NS 60000000000 /* widest of them */
#define BINS_MAX 1000000
#define LIVE_ISSUES 500 /* issues after the first end, at least, that the mode of a live run is judged by */
#define LIVE_TURNS 4 /* and times the most requests in flight */

struct options {
    struct common common;
    const char *dataset, *passes, *by;
    int64_t size, concurrency;
    int mode, align;
    double bin_s;
};

#define AT(m) offsetof(struct options, m)
static const struct opt options_table[] = {
    {'n', "dataset-size", "N|auto", OPT_TEXT, AT(dataset), "requests in one pass over the dataset (default: auto)",
     NULL, 0, 0},
    {'k', "passes-per-super", "K|auto", OPT_TEXT, AT(passes), "dataset passes per super-pass (default: auto)", NULL, 0,
     0},
    {'s', "size", "S", OPT_INT, AT(size), "requests per super-pass, whatever -n and -k say", NULL, 1, 1e15},
    {'C', "concurrency", "C", OPT_INT, AT(concurrency), "requests the client holds in flight (default: as seen)", NULL,
     1, 1e15},
    {'m', "mode", "auto|concurrency|poisson|offline", OPT_CHOICE, AT(mode), "how load was issued (default: auto)",
     "auto|concurrency|poisson|offline", 0, 0},
    {0, "bin-s", "T", OPT_REAL, AT(bin_s), "offline: seconds a bin covers (default: 60, or a 30th of the run)", NULL,
     1e-9, 1e9},
    {0, "align", "start", OPT_CHOICE, AT(align), "move ledgers of different clocks to a common first issue", "|start",
     0, 0},
    {0, "by", "run[=NAME]", OPT_TEXT, AT(by), "take each run of a 'run' column by itself, or only run NAME", NULL, 0,
     0},
};
#undef AT

static const struct tool tool = {
    .name = "ledger2passes",
    .what = "Cut a request ledger into super-passes, in order of issue.",
    .operands = "[LEDGER...]",
    .example = "ledger2passes -n 6396 ledger.tsv | warmcrop | tailguard | plateau",
    .opt = options_table,
    .n = sizeof options_table / sizeof *options_table,
    .size = sizeof(struct options),
};

/* What was asked for: INT_NONE or MODE_AUTO is for the run to show. */
struct wish {
    int64_t dataset, k, size, concurrency, bin_ns;
    enum mode mode;
};

/* How a run is cut. */
struct cut {
    enum mode mode;
    int64_t dataset, k, size, concurrency;
    int64_t bin_ns; /* INT_NONE: by issue */
    const char *size_from;
};

static int64_t count_or_auto(const char *option, const char *text) {
    int64_t v = INT_NONE;
    if (strcmp(text, "auto") == 0) return v;
    if (!num_int(text, strlen(text), &v) || v < 1) die("--%s: '%s' is neither a count nor auto", option, text);
    return v;
}

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* ---- how to cut ---- */

/* A super-pass is k whole passes over the dataset, enough of them to hold the requests in flight.  Without a dataset
 * any size is a guess: large enough for the requests in flight, small enough for a series. */
static void choose_size(struct cut *c, const struct wish *wish, int64_t n) {
    bool both = int_known(c->concurrency) && int_known(c->dataset);
    c->k = int_known(wish->k) ? wish->k : both ? divide_up(c->concurrency, c->dataset) : 1;
    if (int_known(wish->size)) {
        c->size = wish->size;
        c->size_from = "size";
        c->k = INT_NONE;
    } else if (int_known(c->dataset)) {
        if (__builtin_mul_overflow(c->dataset, c->k, &c->size)) die("more than 2^63 requests in a super-pass");
        c->size_from = int_known(wish->dataset) ? "dataset" : "detected";
    } else {
        c->size = divide_up(n, ASSUMED_PASSES);
        if (int_known(c->concurrency) && c->concurrency > c->size) c->size = c->concurrency;
        if (c->size < 1) c->size = 1;
        c->size_from = "assumed";
        if (n > 0)
            warn("no dataset is seen to repeat: passes of %lld requests are assumed, and their mix of work is not "
                 "controlled",
                 (long long)c->size);
    }
}

static void choose_bins(struct cut *c, const struct wish *wish, int64_t wall_ns) {
    int64_t width = wall_ns / OFFLINE_BINS;
    if (width > OFFLINE_BIN_NS) width = OFFLINE_BIN_NS;
    if (int_known(wish->bin_ns)) width = wish->bin_ns;
    c->bin_ns = width < 1 ? 1 : width;
    c->size = c->k = INT_NONE;
    c->size_from = "bins";
    if (wall_ns / c->bin_ns >= BINS_MAX) die("--bin-s: this run would have more than %d bins", BINS_MAX);
}

static struct cut choose(const struct wish *wish, const struct survey *s, const struct requests *r,
                         const struct survey_marks *marks) {
    struct cut c = {.mode = wish->mode, .dataset = wish->dataset, .concurrency = wish->concurrency, .bin_ns = INT_NONE};
    if (c.mode == MODE_AUTO) c.mode = survey_mode(s);
    if (c.mode == MODE_CONCURRENCY && !int_known(c.concurrency)) c.concurrency = survey_concurrency(s);
    if (!int_known(c.dataset) && marks->prompt.n > 0) c.dataset = survey_dataset(r, marks);
    if (c.mode == MODE_OFFLINE && int_known(s->wall_ns))
        choose_bins(&c, wish, s->wall_ns);
    else
        choose_size(&c, wish, s->n);
    if (c.mode == MODE_CONCURRENCY && s->occupancy.after > 0 && s->occupancy.max > c.concurrency)
        warn("%lld requests were in flight at once, more than the concurrency of %lld", (long long)s->occupancy.max,
             (long long)c.concurrency);
    note("mode %s, passes of %lld requests (%s)", mode_name[c.mode] ? mode_name[c.mode] : "unknown",
         (long long)(int_known(c.size) ? c.size : 0), c.size_from);
    return c;
}

/* ---- what #run says ---- */

static void state_cut(json_t *facts, const struct cut *c, json_t *evidence) {
    doc_set_text(facts, "mode", mode_name[c->mode]);
    json_object_set_new(facts, "mode_evidence", evidence);
    doc_set_int(facts, "dataset_size", c->dataset);
    doc_set_int(facts, "k", c->k);
    doc_set_int(facts, "size", c->size);
    doc_set_text(facts, "size_from", c->size_from);
    doc_set_int(facts, "concurrency", c->concurrency);
    if (int_known(c->bin_ns)) doc_set_int(facts, "bin_ns", c->bin_ns);
}

static void state_run(json_t *facts, const struct wish *wish, const struct cut *c, const struct survey *s,
                      const struct requests *r) {
    state_cut(facts, c, survey_evidence(s, wish->mode != MODE_AUTO));
    survey_state(facts, s);
    doc_set_bool(facts, "partial_dataset", int_known(c->dataset) && s->n < c->dataset);
    json_object_set_new(facts, "total", totals_of(r, s->wall_ns));
    json_object_set_new(facts, "lengths", totals_lengths(r));
    doc_set_bool(facts, "backlog", c->mode == MODE_POISSON && survey_backlog(s, r));
    bool bins = int_known(c->bin_ns);
    doc_set_int(facts, "n_full", bins ? bins_full(r, s->first_issue_ns, c->bin_ns, s->last_event_ns) : s->n / c->size);
}

static json_t *state_ledgers(const struct shards *in, size_t unplaced) {
    json_t *facts = shards_facts(in), *counts = shards_counts(in);
    size_t twice = shards_duplicates(in);
    doc_set_int(counts, "duplicates", (int64_t)twice);
    doc_set_int(counts, "unplaced", (int64_t)unplaced);
    json_object_set_new(facts, "counts", counts);
    if (twice > 0) warn("requests whose name came before, in this ledger or another, each counted: %zu", twice);
    if (unplaced > 0) warn("requests without an issue stamp, in no pass: %zu", unplaced);
    return facts;
}

/* ---- cutting ---- */

struct output {
    struct table_out table;
    struct passes passes; /* facts and columns; no rows */
    struct view run; /* cell of the run column, where there is one */
    int64_t next_pass;
};

static void put(struct output *out, const struct pass *p) {
    if (!p) return;
    struct pass row = *p;
    row.extra = &out->run;
    passes_put(&out->table, &out->passes, &row);
    out->next_pass = p->pass + 1;
}

static void put_blocks(struct output *out, const struct cut *c, const struct survey *s, const struct requests *r) {
    struct blocks b;
    blocks_init(&b, c->size, c->concurrency, out->next_pass);
    for (size_t i = 0; i < r->n; i++)
        put(out, blocks_add(&b, &r->v[i], s->in_flight.v[i]));
    put(out, blocks_last(&b));
    blocks_free(&b);
}

static void put_bins(struct output *out, const struct cut *c, const struct survey *s, const struct requests *r) {
    struct bins b;
    bins_init(&b, r, s->first_issue_ns, c->bin_ns, s->last_event_ns, out->next_pass);
    for (const struct pass *p; (p = bins_next(&b));)
        put(out, p);
    bins_free(&b);
}

/* A dataset size that was given is believed, and held against the run. */
static void doubt(const struct wish *wish, const struct cut *c, const struct requests *r,
                  const struct survey_marks *marks) {
    if (int_known(wish->dataset) && !int_known(c->bin_ns) && !int_known(wish->size))
        survey_doubt_dataset(r, marks, wish->dataset);
}

/* The whole run, put in order and looked at before the first pass is written.  r and marks are used up. */
static void cut_whole(struct shards *in, const struct shards_rule *rule, const struct wish *wish, struct output *out,
                      struct requests *all, struct survey_marks *marks) {
    if (all->n == 0 && rule->run) die("--by: no request of run '%s'", rule->run);
    size_t unplaced = requests_drop_unplaced(all);
    if (rule->align) requests_align(all, shards_n(in));
    if (rule->align || !shards_in_order(in)) requests_sort(all, shards_names(in));

    size_t n = shards_n_runs(in) > 1 ? shards_n_runs(in) : 1;
    struct requests *r = xcalloc(n, sizeof *r);
    struct survey *survey = xcalloc(n, sizeof *survey);
    struct cut *cut = xcalloc(n, sizeof *cut);
    json_t *facts = state_ledgers(in, unplaced), *runs = json_array();
    for (size_t i = 0; i < n; i++) {
        r[i] = n > 1 ? requests_of_run(all, (uint16_t)i) : *all;
        survey_all(&survey[i], &r[i], marks);
        cut[i] = choose(wish, &survey[i], &r[i], marks);
        doubt(wish, &cut[i], &r[i], marks);
        json_t *own = n > 1 ? json_object() : json_incref(facts);
        if (n > 1) doc_set_text(own, "run", shards_run_name(in, i));
        state_run(own, wish, &cut[i], &survey[i], &r[i]);
        json_array_append_new(runs, own);
    }
    if (n > 1) json_object_set(facts, "runs", runs);
    json_decref(runs);
    survey_marks_free(marks);

    passes_new(&out->passes, facts, out->passes.pg);
    if (n > 1) passes_add_column(&out->passes, "run");
    passes_begin(&out->table, &out->passes, out->table.spelling, out->table.header);
    for (size_t i = 0; i < n; i++) {
        if (n > 1) out->run = (struct view){shards_run_name(in, i), strlen(shards_run_name(in, i))};
        (int_known(cut[i].bin_ns) ? put_bins : put_blocks)(out, &cut[i], &survey[i], &r[i]);
        survey_free(&survey[i]);
        if (n > 1) vec_free(&r[i]);
    }
    vec_free(all);
    free(r);
    free(survey);
    free(cut);
}

/* ---- cutting a run that is still going on ---- */

/* Everything read so far, and how it is cut once that is decided. */
struct live {
    const struct wish *wish;
    struct requests all;
    struct survey_marks marks;
    struct survey survey;
    struct cut cut;
    struct blocks blocks;
    bool decided;
    size_t look; /* requests at which to look again */
    size_t unplaced;
};

/* Is it known how to cut the run?  What the options leave open is judged by the requests so far, once there are so many
 * that the rest will hardly say otherwise.  Where no dataset repeats, and offline, only the end can tell. */
static bool decide(struct live *l) {
    const struct wish *w = l->wish;
    const struct occupancy *o = &l->survey.occupancy;
    bool know_c = int_known(w->concurrency);
    bool know_k = int_known(w->k) || know_c || w->mode == MODE_POISSON;
    bool know_size = int_known(w->size) || (int_known(w->dataset) && know_k);
    bool know_mode = w->mode == MODE_POISSON || (w->mode == MODE_CONCURRENCY && know_c);
    bool enough = o->after >= LIVE_ISSUES && o->after >= LIVE_TURNS * o->peak;
    if (!survey_filled(&l->survey) || l->all.n < l->look || !((know_size && know_mode) || enough)) return false;
    l->look = l->all.n + l->all.n / 4;
    struct survey now = survey_so_far(&l->survey, &l->all, &l->marks);
    bool offline = (w->mode == MODE_AUTO ? survey_mode(&now) : w->mode) == MODE_OFFLINE;
    bool sized = int_known(w->size) || int_known(w->dataset) || survey_repeats(&l->all, &l->marks);
    if (offline || !sized) return false;
    l->cut = choose(w, &now, &l->all, &l->marks);
    return true;
}

/* From here on a pass leaves with the first request of the next one. */
static void begin_live(struct live *l, const struct shards *in, struct output *out) {
    json_t *facts = shards_facts(in);
    struct survey now = survey_so_far(&l->survey, &l->all, &l->marks);
    state_cut(facts, &l->cut, survey_evidence(&now, l->wish->mode != MODE_AUTO));
    survey_state_fill(facts, &now);
    passes_new(&out->passes, facts, out->passes.pg);
    passes_begin(&out->table, &out->passes, out->table.spelling, out->table.header);
    blocks_init(&l->blocks, l->cut.size, l->cut.concurrency, 0);
    for (size_t i = 0; i < l->all.n; i++)
        put(out, blocks_add(&l->blocks, &l->all.v[i], l->survey.in_flight.v[i]));
}

/* Was the run what it looked like? */
static void check_live(const struct live *l, const struct survey *whole) {
    enum mode mode = survey_mode(whole);
    int64_t c = survey_concurrency(whole);
    if (l->wish->mode == MODE_AUTO && mode != l->cut.mode)
        warn("passes were cut while the run looked like '%s', and all of it looks like '%s': name it with -m",
             mode_name[l->cut.mode], mode_name[mode]);
    else if (l->cut.mode == MODE_CONCURRENCY && !int_known(l->wish->concurrency) && c != l->cut.concurrency)
        warn("passes were cut for a concurrency of %lld, and in all of the run it is %lld: name it with -C",
             (long long)l->cut.concurrency, (long long)c);
}

static void finish_live(struct live *l, const struct shards *in, struct output *out) {
    put(out, blocks_last(&l->blocks));
    struct survey whole = survey_so_far(&l->survey, &l->all, &l->marks);
    check_live(l, &whole);
    doubt(l->wish, &l->cut, &l->all, &l->marks);
    json_decref(out->passes.run);
    out->passes.run = state_ledgers(in, l->unplaced);
    state_run(out->passes.run, l->wish, &l->cut, &whole, &l->all);
    blocks_free(&l->blocks);
    survey_marks_free(&l->marks);
    vec_free(&l->all);
}

/* Can rows be cut as they come?  Only from a writer that may still be at work, when the ledger says it is in order; a
 * file is there as a whole and may as well be looked at first. */
static bool may_be_live(const struct shards *in, const struct shards_rule *rule, const struct wish *wish) {
    return wish->mode != MODE_OFFLINE && !rule->split && shards_live(in) && shards_claim_order(in);
}

static void cut_runs(struct shards *in, const struct shards_rule *rule, const struct wish *wish, struct output *out) {
    struct live l = {.wish = wish, .look = may_be_live(in, rule, wish) ? 0 : SIZE_MAX};
    struct shards_mark mark;
    bool want_prompts = !int_known(wish->size);
    survey_init(&l.survey);
    for (struct request r; shards_next(in, &r, &mark);) {
        bool placed = int_known(r.issued_ns);
        if (l.decided && !shards_in_order(in))
            die("the ledger is out of order, and passes are written already: from a file it is sorted first");
        if (l.decided && !placed) {
            l.unplaced++;
            continue;
        }
        if (!placed || !shards_in_order(in)) l.look = SIZE_MAX;
        vec_push(&l.all, r);
        if (want_prompts) vec_push(&l.marks.prompt, mark.prompt);
        if (wish->mode == MODE_AUTO) vec_push(&l.marks.conversation, mark.turn >= 2 ? LATER_TURN : mark.conversation);
        if (l.look == SIZE_MAX) continue;
        int64_t in_flight = survey_watch(&l.survey, &r);
        if (l.decided)
            put(out, blocks_add(&l.blocks, &r, in_flight));
        else if ((l.decided = decide(&l)))
            begin_live(&l, in, out);
    }
    if (l.decided)
        finish_live(&l, in, out);
    else
        cut_whole(in, rule, wish, out, &l.all, &l.marks);
    survey_free(&l.survey);
}

static struct shards_rule rule_of(const struct options *o) {
    struct shards_rule rule = {.align = o->align, .run = NULL};
    if (!o->by) return rule;
    if (strncmp(o->by, "run", 3) != 0 || (o->by[3] && o->by[3] != '='))
        die("--by: '%s' is neither run nor run=NAME", o->by);
    rule.split = !o->by[3];
    rule.run = o->by[3] ? o->by + 4 : NULL;
    return rule;
}

int main(int argc, char **argv) {
    static const struct options defaults = {
        .dataset = "auto", .passes = "auto", .size = INT_NONE, .concurrency = INT_NONE, .bin_s = 0};
    struct options o = defaults;
    char **paths = opts_parse(&tool, &o, argc, argv);
    struct wish wish = {.dataset = count_or_auto("dataset-size", o.dataset),
                        .k = count_or_auto("passes-per-super", o.passes),
                        .size = o.size,
                        .concurrency = o.concurrency,
                        .bin_ns = o.bin_s > 0 ? (int64_t)(o.bin_s * 1e9) : INT_NONE,
                        .mode = (enum mode)o.mode};
    struct shards_rule rule = rule_of(&o);
    struct shards *in = shards_open(paths, &rule);
    struct output out = {0};
    out.table.spelling = opts_spelling(&o.common, SPELL_TSV);
    out.table.header = !o.common.no_header;
    out.passes.pg = shards_writers(in);
    json_array_append_new(out.passes.pg, opts_provenance(&tool, &o, &defaults));
    cut_runs(in, &rule, &wish, &out);
    passes_end(&out.table, &out.passes);
    passes_free(&out.passes);
    shards_close(in);
    warn_summary();
    out_close();
    return 0;
}
