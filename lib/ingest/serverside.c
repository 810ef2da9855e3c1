#include "serverside.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "names.h"
#include "num.h"
#include "offset.h"
#include "stamp.h"

/* The moments that both hosts see of a request: it is sent and received, its first token leaves and is delivered, and so
 * does its end. */
enum role { RECEIVED, FIRST_SENT, DONE, N_ROLES };

enum { N_STEMS = 3 };
static const struct {
    const char *name; /* in --on */
    const char *stem[N_STEMS]; /* what its column is called, less the unit */
    const char *delay; /* the column of the way between the hosts */
} role_is[N_ROLES] = {
    [RECEIVED] = {"received", {"received", "arrival"}, "server_net_in_ns"},
    [FIRST_SENT] = {"first_sent", {"first_sent", "sent_first", "first_token"}, "server_net_out_first_ns"},
    [DONE] = {"done", {"done", "finished"}, "server_net_out_done_ns"},
};

/* A row of the server's. */
struct report {
    const char *cells; /* of every column but the key, a NUL after each */
    int64_t stamp[N_ROLES];
    long long line;
    bool matched; /* by a request of its key */
    bool shared; /* a request of the same id, told apart as ID#2, has no row of its own */
};

/* A request of the log and its row, if any. */
struct pair {
    uint32_t report; /* NAMES_NONE: none */
    int64_t stamp[N_ROLES]; /* the client's; missing where it is not known which send the server speaks of */
    struct view begun; /* the row of the ledger so far, where it is held */
};

struct serverside {
    const char *file;
    struct names key;
    VEC(struct report) report; /* by number of the key */
    VEC(const char *) name; /* of the joined columns */
    VEC(struct column) column; /* of the ledger that is written */
    size_t own; /* so many of them are the ledger's */
    struct arena text;
    bool partial; /* the file was cut short */
    int64_t rows; /* of the file */

    bool clocked, estimated; /* an offset was asked for; and is found out from all rows */
    int64_t offset_ns; /* INT_NONE: not known */
    struct {
        int column; /* -1: the file has none */
        int scale;
    } role[N_ROLES];
    struct offset bounds;
    VEC(struct pair) held;

    int64_t matched, without; /* requests with and without a row */
    int64_t compared; /* requests with stamps of both hosts */
    int64_t negative; /* delays that the offset makes negative */
};

/* ---- What the options mean ---- */

struct keys {
    const char *request, *role[N_ROLES];
};

static bool is(struct view v, const char *s) { return v.n == strlen(s) && memcmp(v.s, s, v.n) == 0; }

/* The place of the column that a part of --on is about; NULL when there is no such part. */
static const char **key_of(struct keys *keys, struct view name) {
    if (is(name, "request")) return &keys->request;
    for (int r = 0; r < N_ROLES; r++)
        if (is(name, role_is[r].name)) return &keys->role[r];
    return NULL;
}

static struct keys read_on(struct serverside *s, const char *on) {
    struct keys keys = {.request = "request"};
    struct view all = {on, on ? strlen(on) : 0}, part;
    const char *p = all.s;
    while (vector_next(all, &p, &part)) {
        const char *sign = memchr(part.s, '=', part.n);
        struct view name = {part.s, sign ? (size_t)(sign - part.s) : part.n};
        const char **key = key_of(&keys, name);
        size_t n = sign ? part.n - name.n - 1 : 0;
        if (!key || (n == 0 && (sign || !is(name, "request"))))
            die("--on: '%s' is not request[=COLUMN][,received=COLUMN][,first_sent=COLUMN][,done=COLUMN]", on);
        if (n > 0) *key = arena_copy(&s->text, sign + 1, n);
    }
    return keys;
}

static void read_offset(struct serverside *s, const char *text) {
    s->offset_ns = INT_NONE;
    s->clocked = text != NULL;
    s->estimated = text && strcmp(text, "auto") == 0;
    if (text && !s->estimated && !num_int(text, strlen(text), &s->offset_ns))
        die("--clock-offset: '%s' is neither auto nor an integer of ns", text);
}

/* ---- The columns of the file ---- */

/* The unit a name ends in, and the name less the unit. */
static bool split_unit(const char *name, struct view *stem, int *scale) {
    const char *line = strrchr(name, '_');
    if (!line) return false;
    *stem = (struct view){name, (size_t)(line - name)};
    return stamp_unit((struct view){line + 1, strlen(line + 1)}, scale);
}

static bool plays(struct view stem, enum role r) {
    for (int i = 0; i < N_STEMS && role_is[r].stem[i]; i++)
        if (is(stem, role_is[r].stem[i])) return true;
    return false;
}

static void find_role(struct serverside *s, const struct table_in *t, enum role r, const char *named) {
    struct view stem;
    int scale;
    if (named) {
        s->role[r].column = table_need(t, named, "for --on");
        if (!split_unit(named, &stem, &s->role[r].scale))
            die("--on: the name of column '%s' does not end in its unit: _ns, _us, _ms or _s", named);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        const char *name = t->column[i].name;
        if (!split_unit(name, &stem, &scale) || !plays(stem, r)) continue;
        if (s->role[r].column >= 0)
            die("%s: columns '%s' and '%s' both look like the stamp '%s': choose with --on %s=COLUMN", t->file,
                t->column[s->role[r].column].name, name, role_is[r].name, role_is[r].name);
        s->role[r].column = (int)i;
        s->role[r].scale = scale;
    }
}

static void find_roles(struct serverside *s, const struct table_in *t, const struct keys *keys) {
    for (enum role r = 0; r < N_ROLES; r++) {
        s->role[r].column = -1;
        if (s->clocked)
            find_role(s, t, r, keys->role[r]);
        else if (keys->role[r])
            die("--on: %s= is for --clock-offset only", role_is[r].name);
    }
    bool in = s->role[RECEIVED].column >= 0, out = s->role[FIRST_SENT].column >= 0 || s->role[DONE].column >= 0;
    if (s->estimated && (!in || !out))
        die("%s: --clock-offset auto needs a stamp of the receipt and one of the first token or the end: name their "
            "columns with --on",
            t->file);
    if (s->clocked && !in && !out)
        die("%s: --clock-offset: none of the columns is a stamp: name them with --on", t->file);
}

static void name_columns(struct serverside *s, const struct table_in *t) {
    static const char prefix[] = "server_";
    for (size_t i = 1; i < t->n; i++) {
        const char *own = t->column[i].name;
        struct buf name = {0};
        if (strncmp(own, prefix, strlen(prefix)) != 0) buf_str(&name, prefix);
        buf_str(&name, own);
        vec_push(&s->name, arena_copy(&s->text, name.s, name.len));
        buf_free(&name);
    }
}

/* ---- Its rows ---- */

static int64_t read_stamp(const struct table_in *t, int column, int scale) {
    struct view c = table_text(t, column);
    int64_t v;
    if (isnan(table_real(t, column))) return INT_NONE;
    if (!stamp_decimal(c.s, c.n, scale, &v))
        die_at(t->file, t->line, "column '%s' does not fit 64 bits of ns", t->column[column].name);
    return v;
}

static void keep_row(struct serverside *s, const struct table_in *t, struct buf *work) {
    struct view key = table_text(t, 0);
    s->rows++;
    if (key.n == 0) return; /* of no request, such as a probe of the gateway's own */
    uint32_t i = names_add(&s->key, key);
    if (i < s->report.n)
        die_at(t->file, t->line, "the key of line %lld once more: which row is the request's cannot be told",
               s->report.v[i].line);
    struct report report = {.line = t->line};
    for (int r = 0; r < N_ROLES; r++)
        report.stamp[r] = read_stamp(t, s->role[r].column, s->role[r].scale);
    buf_clear(work);
    for (size_t c = 1; c < t->n; c++) {
        buf_add(work, t->cell[c].s, t->cell[c].n);
        buf_char(work, '\0');
    }
    report.cells = arena_copy(&s->text, work->s, work->len);
    vec_push(&s->report, report);
}

struct serverside *serverside_open(const struct serverside_options *o) {
    if (!o->join && (o->on || o->clock_offset))
        die("--%s: there is nothing to join without --join", o->on ? "on" : "clock-offset");
    if (!o->join) return NULL;
    struct serverside *s = xcalloc(1, sizeof *s);
    struct keys keys = read_on(s, o->on);
    read_offset(s, o->clock_offset);
    offset_init(&s->bounds);

    struct table_in t;
    struct column key = {keys.request, TYPE_TEXT}; /* known, so that it comes first */
    struct schema any = {NULL, &key, 1};
    struct buf work = {0};
    table_open(&t, o->join, &any);
    table_need(&t, keys.request, "to find the request of a row (--on request=COLUMN names another)");
    find_roles(s, &t, &keys);
    name_columns(s, &t);
    while (table_next(&t))
        keep_row(s, &t, &work);
    s->file = t.file;
    s->partial = t.partial;
    table_close(&t);
    buf_free(&work);
    return s;
}

const struct column *serverside_columns(struct serverside *s, const struct column *before, size_t n, size_t *n_all) {
    *n_all = n;
    if (!s) return before;
    struct names seen = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&s->column, before[i]);
    for (size_t i = 0; i < s->name.n; i++)
        vec_push(&s->column, ((struct column){s->name.v[i], TYPE_TEXT}));
    for (int r = 0; r < N_ROLES; r++)
        if (s->role[r].column >= 0) vec_push(&s->column, ((struct column){role_is[r].delay, TYPE_TEXT}));
    for (size_t i = 0; i < s->column.n; i++) {
        const char *name = s->column.v[i].name;
        if (names_add(&seen, (struct view){name, strlen(name)}) < i)
            die("%s: two columns of the ledger would be called '%s'", s->file, name);
    }
    names_free(&seen);
    s->own = n;
    *n_all = s->column.n;
    return s->column.v;
}

/* ---- Requests and their rows ---- */

/* "ID" of "ID#2", "ID#3" and so on, which tell requests of one id apart; empty for any other id. */
static struct view shared_id(struct view id) {
    const char *sign = memrchr(id.s, '#', id.n);
    int64_t number;
    if (!sign || !num_int(sign + 1, id.n - (size_t)(sign + 1 - id.s), &number) || number < 2)
        return (struct view){id.s, 0};
    return (struct view){id.s, (size_t)(sign - id.s)};
}

/* The row of a request.  A row that several requests could claim is refused: the log does not say whose it is. */
static uint32_t find_report(struct serverside *s, struct view id) {
    uint32_t own = names_find(&s->key, id), i = own;
    if (own == NAMES_NONE) i = names_find(&s->key, shared_id(id));
    if (i == NAMES_NONE) return NAMES_NONE;
    struct report *report = &s->report.v[i];
    if (report->matched || (report->shared && own == i))
        die_at(s->file, report->line, "the log has several requests of this key: whose the row is cannot be told");
    if (own == i)
        report->matched = true;
    else
        report->shared = true;
    return own;
}

/* What the client saw of the moments.  Of a request sent more than once it is not known which send the server speaks of;
 * one given up by the client may end at the server later than here. */
static void see(const struct ledger_row *row, int64_t stamp[N_ROLES]) {
    bool once = !int_known(row->reissued_ns) && (!int_known(row->attempts) || row->attempts == 1);
    stamp[RECEIVED] = once ? row->issued_ns : INT_NONE;
    stamp[FIRST_SENT] = once ? row->first_ns : INT_NONE;
    stamp[DONE] = once && row->outcome == OUT_COMPLETED ? row->done_ns : INT_NONE;
}

static void learn(struct serverside *s, const struct pair *p) {
    const int64_t *here = p->stamp, *there = s->report.v[p->report].stamp;
    bool in = offset_forth(&s->bounds, here[RECEIVED], there[RECEIVED], p->report);
    bool first = offset_back(&s->bounds, there[FIRST_SENT], here[FIRST_SENT], p->report);
    bool done = offset_back(&s->bounds, there[DONE], here[DONE], p->report);
    s->compared += in || first || done;
}

/* ---- The cells ---- */

/* How long the way between the hosts took; a negative one is missing, as every negative span. */
static int64_t delay(struct serverside *s, const struct pair *p, enum role r) {
    if (p->report == NAMES_NONE || !int_known(s->offset_ns)) return INT_NONE;
    int64_t here = p->stamp[r], there = s->report.v[p->report].stamp[r];
    int64_t span = r == RECEIVED ? num_span(here, there) : num_span(there, here);
    if (!int_known(span)) return INT_NONE;
    bool beyond = r == RECEIVED ? __builtin_add_overflow(span, s->offset_ns, &span)
                                : __builtin_sub_overflow(span, s->offset_ns, &span);
    if (beyond) return INT_NONE;
    s->negative += span < 0;
    return span < 0 ? INT_NONE : span;
}

static void put_pair(struct serverside *s, struct table_out *out, const struct pair *p) {
    const char *cell = p->report == NAMES_NONE ? NULL : s->report.v[p->report].cells;
    for (size_t i = 0; i < s->name.n; i++) {
        struct view v = {cell, cell ? strlen(cell) : 0};
        table_put(out, v);
        if (cell) cell += v.n + 1;
    }
    for (enum role r = 0; r < N_ROLES; r++) {
        if (s->role[r].column < 0) continue;
        char digits[NUM_MAX];
        int64_t ns = delay(s, p, r);
        table_put(out, (struct view){digits, int_known(ns) ? num_put_int(digits, ns) : 0});
    }
    table_row(out);
}

void serverside_put(struct serverside *s, struct table_out *out, const struct ledger_row *row) {
    if (!s) {
        table_row(out);
        return;
    }
    struct pair pair = {.report = find_report(s, row->request)};
    see(row, pair.stamp);
    if (pair.report == NAMES_NONE) {
        s->without++;
    } else {
        s->matched++;
        if (s->clocked) learn(s, &pair);
    }
    if (s->estimated) {
        pair.begun = table_hold(out, &s->text);
        vec_push(&s->held, pair);
    } else {
        put_pair(s, out, &pair);
    }
}

/* ---- The end ---- */

static void estimate(struct serverside *s) {
    const struct offset *b = &s->bounds;
    if (offset_crossed(b))
        die("%s: no clock offset is right for all rows: line %lld asks for at least %lld ns, line %lld for at most "
            "%lld "
            "ns; the clocks drift apart, or a stamp is not what it is taken for",
            s->file, s->report.v[b->lo_from].line, (long long)b->lo_ns, s->report.v[b->hi_from].line,
            (long long)b->hi_ns);
    s->offset_ns = offset_estimate(b);
    if (int_known(s->offset_ns))
        warn("%s: clock offset %lld ns, wrong by at most %lld ns (of %lld requests)", s->file, (long long)s->offset_ns,
             (long long)offset_error(b, s->offset_ns), (long long)s->compared);
    else
        warn("%s: no clock offset: no request of a single send has stamps of both hosts %s", s->file,
             int_known(b->lo_ns) ? "on its way back" : "on its way there");
}

static void warn_given(const struct serverside *s) {
    const struct offset *b = &s->bounds;
    bool low = int_known(b->lo_ns) && s->offset_ns < b->lo_ns, high = int_known(b->hi_ns) && s->offset_ns > b->hi_ns;
    if (low)
        warn("%s: --clock-offset %lld: line %lld asks for at least %lld ns", s->file, (long long)s->offset_ns,
             s->report.v[b->lo_from].line, (long long)b->lo_ns);
    if (high)
        warn("%s: --clock-offset %lld: line %lld asks for at most %lld ns", s->file, (long long)s->offset_ns,
             s->report.v[b->hi_from].line, (long long)b->hi_ns);
    if (s->negative > 0) warn("%s: %lld delays would be negative and are missing", s->file, (long long)s->negative);
}

static void warn_unmatched(const struct serverside *s) {
    if (s->matched == 0 && s->rows + s->without > 0)
        warn("%s: none of its %lld rows is of any of the %lld requests: is --on the column of the client's ids?",
             s->file, (long long)s->rows, (long long)s->without);
    else if (s->without > 0 || s->rows > s->matched)
        warn("%s: %lld requests have no row there, %lld of its %lld rows are of no request", s->file,
             (long long)s->without, (long long)(s->rows - s->matched), (long long)s->rows);
}

static void add_facts(const struct serverside *s, json_t *end) {
    json_t *join = json_object();
    doc_set_int(join, "rows", s->rows);
    doc_set_int(join, "matched", s->matched);
    doc_set_int(join, "unmatched_rows", s->rows - s->matched);
    doc_set_int(join, "requests_without", s->without);
    if (s->clocked) doc_set_int(join, "negative_delays", s->negative);
    if (s->partial) doc_set_bool(join, "partial", true);
    json_t *run = json_incref(json_object_get(end, "run")); /* run stays the last */
    json_object_del(end, "run");
    json_object_set_new(end, "join", join);
    json_object_set_new(end, "run", run);
    if (!s->clocked) return;
    json_t *clock = json_object();
    doc_set_text(clock, "source", s->estimated ? "auto" : "given");
    doc_set_int(clock, "ns", s->offset_ns);
    doc_set_int(clock, "error_ns", int_known(s->offset_ns) ? offset_error(&s->bounds, s->offset_ns) : INT_NONE);
    doc_set_int(clock, "lower_ns", s->bounds.lo_ns);
    doc_set_int(clock, "upper_ns", s->bounds.hi_ns);
    doc_set_int(clock, "requests", s->compared);
    json_object_set_new(run, "clock_offset", clock);
}

void serverside_finish(struct serverside *s, struct table_out *out, json_t *end) {
    if (!s) return;
    if (s->estimated) estimate(s);
    for (size_t i = 0; i < s->held.n; i++) {
        table_resume(out, s->held.v[i].begun, s->own);
        put_pair(s, out, &s->held.v[i]);
    }
    if (s->clocked && !s->estimated) warn_given(s);
    warn_unmatched(s);
    add_facts(s, end);
}

void serverside_free(struct serverside *s) {
    if (!s) return;
    names_free(&s->key);
    vec_free(&s->report);
    vec_free(&s->name);
    vec_free(&s->column);
    vec_free(&s->held);
    arena_free(&s->text);
    free(s);
}
