#include "adapt.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "doc.h"
#include "format.h"
#include "jqmap.h"
#include "jtok.h"
#include "num.h"
#include "out.h"

/* What every adapter may use.  One line, so that a compiler message counts the lines of the program. */
static const char prelude[] = "def num: if type == \"string\" then tonumber else . end; "
                              "def nonzero: if . == null or num == 0 then null else . end; "
                              "def need(f): if f then . else error(\"another format\") end; ";

#define EPOCH_NS 100000000000000000LL /* a clock beyond 10^17 ns counts from 1970 */

struct reading {
    struct adapt *a;
    const struct adapt_options *o;
    struct jqmap *map;
    const char *name; /* of the adapter */
    VEC(struct adapt_run) runs;
    VEC(struct ledger_row) rows; /* of all runs */
    VEC(size_t) starts; /* index in rows of each run's first */
    long long line; /* of the text at hand, from 1 */
    bool cut; /* the file ends in the middle of a document */
};

static struct adapt_run *begin_run(struct reading *r, json_t *facts) {
    vec_push(&r->runs, ((struct adapt_run){.facts = facts}));
    vec_push(&r->starts, r->rows.n);
    return &r->runs.v[r->runs.n - 1];
}

static struct adapt_run *present_run(struct reading *r) {
    return r->runs.n > 0 ? &r->runs.v[r->runs.n - 1] : begin_run(r, json_object());
}

static json_t *facts_of(struct reading *r, struct view said) {
    char why[128];
    int line;
    json_t *facts = doc_parse(said.s, said.n, why, &line);
    if (!facts) die("%s: facts of a run that are no JSON object", r->name);
    return facts;
}

/* Count a line or request that cannot be used; key, where there is one, is the adapter's and not the file's. */
static void skip_record(struct reading *r, const char *what, struct view key) {
    int n = (int)key.n;
    const char *s = n > 0 ? key.s : "", *of = n > 0 ? " in " : "";
    if (r->o->strict) die_at(r->a->file, r->line, "%s%s%.*s", what, of, n, s);
    warn_at("skipped record", r->a->file, r->line, "%s%s%.*s", what, of, n, s);
    r->a->malformed++;
}

static void take_output(struct reading *r, struct view output) {
    struct ledger_row row;
    struct view said;
    json_t *facts;
    switch (maprow_read(output, &r->o->rule, &r->a->texts, &row, &said)) {
    case MAPROW_REQUEST:
        present_run(r);
        vec_push(&r->rows, row);
        return;
    case MAPROW_RUN: begin_run(r, facts_of(r, said)); return;
    case MAPROW_FACTS:
        facts = facts_of(r, said);
        json_object_update(present_run(r)->facts, facts);
        json_decref(facts);
        return;
    case MAPROW_ERROR: die("%s: %.*s", r->a->file, (int)said.n, said.s);
    case MAPROW_UNKNOWN:
        die("%s: the program sets the key '%.*s', which requests do not have", r->name, (int)said.n, said.s);
    case MAPROW_BAD: skip_record(r, said.n > 0 ? "bad value" : "the adapter put out no object", said);
    }
}

/* Run the program over one text.  A line of many that it fails on is skipped; a document is not what it should be, since
 * what the program would have put out after the failure is lost. */
static void take_text(struct reading *r, struct view text, bool document) {
    size_t at;
    const char *why = jqmap_start(r->map, text.s, text.n, &at);
    r->a->records++;
    if (why) {
        skip_record(r, why, (struct view){NULL, 0});
        return;
    }
    struct view output;
    enum jqmap_result result;
    while ((result = jqmap_next(r->map, &output)) == JQMAP_VALUE)
        take_output(r, output);
    if (result == JQMAP_FAILED && document) die_at(r->a->file, r->line, "not what %s expects", r->name);
    if (result == JQMAP_FAILED) skip_record(r, "not what the adapter expects", (struct view){NULL, 0});
}

/* Lines */

static bool is_blank(struct view s) {
    for (size_t i = 0; i < s.n; i++)
        if (!strchr(" \t\r", s.s[i])) return false;
    return true;
}

/* Take the line at the start of *rest away from it. */
static struct view take_line(struct view *rest) {
    const char *lf = memchr(rest->s, '\n', rest->n);
    struct view line = {rest->s, lf ? (size_t)(lf - rest->s) : rest->n};
    size_t used = line.n + (lf != NULL);
    *rest = (struct view){rest->s + used, rest->n - used};
    return line;
}

static bool is_object(struct view s) {
    struct jtok j;
    jtok_init(&j, s.s, s.n);
    j.nonfinite = true;
    return jtok_next(&j) == JTOK_OBJECT && jtok_skip(&j) && jtok_next(&j) == JTOK_END;
}

/* One of the first two lines that are not blank is an object by itself: then every line is to be read by itself. */
static bool is_lines(struct view text) {
    for (int seen = 0; seen < 2 && text.n > 0;) {
        struct view line = take_line(&text);
        if (is_blank(line)) continue;
        if (is_object(line)) return true;
        seen++;
    }
    return false;
}

static void take_lines(struct reading *r, struct view text) {
    while (text.n > 0) {
        struct view line = take_line(&text);
        r->line++;
        if (!is_blank(line)) take_text(r, line, false);
    }
}

/* Documents */

/* The end of the whole value at the start of text.  NULL on an error, with its place in j; then *whole and *closers are
 * what of it can be saved: up to the last whole element of the outermost array that is open, and the brackets that are
 * missing after it (empty: nothing). */
static const char *value_end(struct jtok *j, struct view text, const char **whole, struct buf *closers) {
    const char *element_end[JTOK_DEPTH + 1] = {NULL}; /* by depth of the container; NULL in an object */
    char close[JTOK_DEPTH + 1] = {0};
    jtok_init(j, text.s, text.n);
    j->nonfinite = true;
    for (enum jtok_type t; (t = jtok_next(j)) != JTOK_ERROR;) {
        if (t == JTOK_OBJECT || t == JTOK_ARRAY) {
            close[j->depth] = t == JTOK_OBJECT ? '}' : ']';
            element_end[j->depth] = t == JTOK_OBJECT ? NULL : j->p;
        } else if (t != JTOK_KEY) {
            if (j->depth == 0) return j->p;
            if (element_end[j->depth]) element_end[j->depth] = j->p;
        }
    }
    unsigned depth = 1;
    while (depth <= j->depth && !element_end[depth])
        depth++;
    if (depth <= j->depth) {
        *whole = element_end[depth];
        for (; depth > 0; depth--)
            buf_char(closers, close[depth]);
    }
    return NULL;
}

#define CUT_TOKEN 64 /* an error this close to the end of the file may be a token that was cut off */

static void take_cut_document(struct reading *r, const struct jtok *j, struct view text, const char *whole,
                              const struct buf *closers) {
    if (closers->len == 0 || j->end - j->p > CUT_TOKEN) {
        for (const char *p = text.s; p < j->p; p++)
            r->line += *p == '\n';
        die_at(r->a->file, r->line, "byte %zu: %s", (size_t)(j->p - text.s), j->error);
    }
    warn("%s: cut off in the middle: read up to the last whole record", r->a->file);
    r->cut = true;
    struct buf mended = {0};
    buf_add(&mended, text.s, (size_t)(whole - text.s));
    buf_add(&mended, closers->s, closers->len);
    take_text(r, (struct view){mended.s, mended.len}, true);
    buf_free(&mended);
}

static void take_documents(struct reading *r, struct view text) {
    struct jtok j;
    struct buf closers = {0};
    r->line = 1;
    while (text.n > 0) {
        if (strchr(" \t\r\n", *text.s)) {
            r->line += *text.s == '\n';
            text = (struct view){text.s + 1, text.n - 1};
            continue;
        }
        const char *whole = NULL, *end = value_end(&j, text, &whole, &closers);
        if (!end) {
            take_cut_document(r, &j, text, whole, &closers);
            break;
        }
        take_text(r, (struct view){text.s, (size_t)(end - text.s)}, true);
        for (const char *p = text.s; p < end; p++)
            r->line += *p == '\n';
        text = (struct view){end, text.n - (size_t)(end - text.s)};
    }
    buf_free(&closers);
}

/* Runs */

struct place {
    const struct ledger_row *row;
    size_t at; /* in the file */
};

static int in_file(const struct place *p, const struct place *q) { return (p->at > q->at) - (p->at < q->at); }

static int by_request(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    struct view x = p->row->request, y = q->row->request;
    int c = memcmp(x.s, y.s, x.n < y.n ? x.n : y.n);
    if (c == 0) c = (x.n > y.n) - (x.n < y.n);
    return c ? c : in_file(p, q);
}

/* The ledger's order.  Where there is no time of day the order of the file is all there is. */
static int by_rank(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    int64_t x = p->row->issued_ns, y = q->row->issued_ns;
    if (p->row->tracked != q->row->tracked) return p->row->tracked ? -1 : 1;
    if (int_known(x) != int_known(y)) return int_known(x) ? -1 : 1;
    if (!int_known(x)) return in_file(p, q);
    return x != y ? (x > y) - (x < y) : by_request(a, b);
}

static struct view number_text(struct arena *texts, struct view before, const char *between, size_t number) {
    struct buf b = {0};
    buf_add(&b, before.s, before.n);
    buf_printf(&b, "%s%zu", between, number);
    struct view v = {arena_copy(texts, b.s, b.len), b.len};
    buf_free(&b);
    return v;
}

/* Give a name to requests that have none, and tell those of one name apart: "ID", "ID#2" … */
static void name_requests(struct adapt *a, struct ledger_row *row, struct place *place, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (row[i].request.n == 0) row[i].request = number_text(&a->texts, (struct view){"", 0}, "", i);
    qsort(place, n, sizeof *place, by_request);
    size_t twins = 0, nth = 1;
    for (size_t i = 1; i < n; i++) {
        struct view id = place[i - nth].row->request, here = place[i].row->request;
        nth = here.n == id.n && memcmp(here.s, id.s, id.n) == 0 ? nth + 1 : 1;
        if (nth == 1) continue;
        row[place[i].at].request = number_text(&a->texts, id, "#", nth);
        twins++;
    }
    if (twins > 0) warn("%s: %zu requests repeat an id: told apart as ID#2 and so on", a->file, twins);
}

static void order_run(struct adapt *a, struct adapt_run *run, struct ledger_row *row, size_t n) {
    struct place *place = xcalloc(n ? n : 1, sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[i] = (struct place){&row[i], i};
    name_requests(a, row, place, n);
    qsort(place, n, sizeof *place, by_rank);
    run->n = n;
    run->row = xcalloc(n ? n : 1, sizeof *run->row);
    for (size_t i = 0; i < n; i++) {
        run->row[i] = *place[i].row;
        if (run->row[i].tracked) run->row[i].seq = (int64_t)i;
    }
    free(place);
}

static void drop_nulls(json_t *object) {
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value) {
        if (json_is_null(value)) json_object_del(object, key);
    }
}

static json_t *definitions(const struct maprow_rule *rule, bool counted) {
    static const char *const tokens[] = {"field", "chunks", "none"};
    json_t *d = json_object();
    doc_set_text(d, "latency_from", latency_from_name[rule->spans.latency_from]);
    doc_set_text(d, "retry_clock", retry_clock_name[rule->spans.retry_clock]);
    doc_set_text(d, "tpot_end", tpot_end_name[rule->spans.tpot_end]);
    doc_set_text(d, "tokens", tokens[counted ? rule->tokens : MAPROW_NONE]);
    return d;
}

/* The facts that follow from the rows. */
static void settle_facts(struct reading *r, struct adapt_run *run) {
    bool timed = false, epoch = false, counted = false, untracked = false;
    for (size_t i = 0; i < run->n; i++) {
        const struct ledger_row *row = &run->row[i];
        int64_t at = int_known(row->issued_ns) ? row->issued_ns : row->intended_ns;
        timed = timed || int_known(at);
        epoch = epoch || (int_known(at) && at > EPOCH_NS);
        counted = counted || int_known(row->output_tokens);
        untracked = untracked || !row->tracked;
    }
    json_t *f = run->facts;
    drop_nulls(f);
    doc_set_text(f, "format", r->name);
    json_object_set_new(f, "definitions", definitions(&r->o->rule, counted));
    doc_set_text(f, "tracking", untracked ? "logged" : "assumed");
    doc_set_bool(f, "truncated", r->cut);
    if (timed)
        doc_set_text(f, "clock", epoch ? "epoch" : "monotonic");
    else if (run->n > 0)
        doc_set_text(f, "order", "assumed");
    if (!json_object_get(f, "offered_complete")) doc_set_text(f, "offered_complete", "unknown");
    if (r->cut)
        doc_set_bool(f, "partial", true);
    else if (!json_is_true(json_object_get(f, "partial")))
        json_object_del(f, "partial");
    run->name = json_string_value(json_object_get(f, "name"));
}

void adapt_read(struct adapt *a, const char *path, const struct adapt_options *o) {
    *a = (struct adapt){.file = path && strcmp(path, "-") != 0 ? path : "stdin"};
    struct reading r = {.a = a, .o = o, .name = o->map ? o->map : o->format};
    if (o->map) {
        r.map = jqmap_open(o->map, prelude);
    } else {
        struct buf program = {0};
        buf_str(&program, prelude);
        buf_str(&program, format_text(o->format));
        r.map = jqmap_new(o->format, program.s);
        buf_free(&program);
    }
    struct buf text = {0};
    doc_slurp(&text, path);
    struct view all = {text.s, text.len};
    if (all.n >= 3 && memcmp(all.s, "\xEF\xBB\xBF", 3) == 0) all = (struct view){all.s + 3, all.n - 3};
    if (is_lines(all))
        take_lines(&r, all);
    else
        take_documents(&r, all);
    buf_free(&text);
    jqmap_free(r.map);
    if (a->malformed >= a->records && r.rows.n == 0) die("%s: holds no record that %s understands", a->file, r.name);
    present_run(&r);
    vec_reserve(&r.rows, 1); /* so that a run without requests points somewhere, too */
    a->run = r.runs.v;
    a->n = r.runs.n;
    for (size_t i = 0; i < a->n; i++) {
        size_t from = r.starts.v[i], to = i + 1 < a->n ? r.starts.v[i + 1] : r.rows.n;
        order_run(a, &a->run[i], r.rows.v + from, to - from);
        settle_facts(&r, &a->run[i]);
    }
    vec_free(&r.rows);
    vec_free(&r.starts);
}

void adapt_free(struct adapt *a) {
    for (size_t i = 0; i < a->n; i++) {
        json_decref(a->run[i].facts);
        free(a->run[i].row);
    }
    free(a->run);
    arena_free(&a->texts);
}

int adapt_choose(const struct adapt *a, const char *choice) {
    if (choice && strcmp(choice, "all") == 0) return -1;
    if (!choice && a->n > 1)
        die("%s: holds %zu runs: choose one with --run N (see --list-runs) or take --run all", a->file, a->n);
    if (!choice) return 0;
    int64_t n;
    if (!num_int(choice, strlen(choice), &n) || n < 1 || (uint64_t)n > a->n)
        die("--run %s: %s has runs 1 to %zu (see --list-runs)", choice, a->file, a->n);
    return (int)n - 1;
}

/* Writing */

void adapt_list(const struct adapt *a) {
    for (size_t i = 0; i < a->n; i++)
        out_printf("%zu\t%zu\t%s\n", i + 1, a->run[i].n, a->run[i].name ? a->run[i].name : "");
}

static bool all_have(const struct adapt *a, const char *key, const json_t *value) {
    for (size_t i = 0; i < a->n; i++) {
        const json_t *here = json_object_get(a->run[i].facts, key);
        if (!here || !json_equal(here, value)) return false;
    }
    return true;
}

/* The facts of several runs: what they share, and in `runs` what is each one's own. */
static json_t *joint_facts(const struct adapt *a) {
    json_t *joint = json_object(), *runs = json_array();
    bool partial = false, incomplete = false;
    const char *key;
    json_t *value;
    json_object_foreach(a->run[0].facts, key, value) {
        if (all_have(a, key, value)) json_object_set(joint, key, value);
    }
    for (size_t i = 0; i < a->n; i++) {
        json_t *own = json_pack("{s:I}", "run", (json_int_t)i + 1);
        json_object_foreach(a->run[i].facts, key, value) {
            if (!json_object_get(joint, key)) json_object_set(own, key, value);
            partial = partial || (strcmp(key, "partial") == 0 && json_is_true(value));
            incomplete = incomplete || (strcmp(key, "offered_complete") == 0 && json_is_false(value));
        }
        json_array_append_new(runs, own);
    }
    if (partial) doc_set_bool(joint, "partial", true);
    if (!json_object_get(joint, "offered_complete"))
        json_object_set_new(joint, "offered_complete", incomplete ? json_false() : json_string("unknown"));
    json_object_set_new(joint, "runs", runs);
    return joint;
}

void adapt_write(const struct adapt *a, int run, struct serverside *server, enum spelling spelling, bool header,
                 const json_t *pg) {
    json_t *facts = run < 0 ? joint_facts(a) : json_incref(a->run[run].facts);
    size_t n = ledger_schema.n;
    struct column *own = xcalloc(n + 1, sizeof *own);
    memcpy(own, ledger_schema.column, n * sizeof *own);
    own[n] = (struct column){"run", TYPE_TEXT};
    const struct column *column = serverside_columns(server, own, n + (run < 0), &n);
    struct table_out out;
    int64_t outcomes[N_OUTCOMES] = {0};
    table_begin(&out, spelling, header, &ledger_schema, column, n, facts, pg);
    for (size_t i = 0; i < a->n; i++) {
        if (run >= 0 && i != (size_t)run) continue;
        char number[NUM_MAX];
        struct view name = {number, num_put_int(number, (int64_t)i + 1)};
        for (size_t k = 0; k < a->run[i].n; k++) {
            const struct ledger_row *row = &a->run[i].row[k];
            ledger_write(&out, row);
            if (run < 0) table_put(&out, name);
            serverside_put(server, &out, row);
            outcomes[row->outcome] += row->tracked;
        }
    }
    json_t *end = json_pack("{s:I, s:I}", "records", (json_int_t)a->records, "malformed", (json_int_t)a->malformed);
    json_t *sums = json_object();
    for (int o = 0; o < N_OUTCOMES; o++)
        doc_set_int(sums, outcome_name[o], outcomes[o]);
    json_object_set_new(end, "outcomes", sums);
    json_object_set_new(end, "run", facts);
    serverside_finish(server, &out, end);
    table_end(&out, end);
    free(own);
}
