#include "passes.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "quantile.h"

const char *const role_name[] = {"body", "warmup", "drain", "tail"};
enum { N_ROLES = sizeof role_name / sizeof *role_name };
const char *const metric_name[N_METRICS] = {"tpot", "ttft", "e2e"};

#define METRIC(X, m, name)                                                                                             \
    X(name "_n", TYPE_INT, metric[m].n)                                                                                \
    X(name "_mean", TYPE_REAL, metric[m].mean)                                                                         \
    X(name "_sd", TYPE_REAL, metric[m].sd)                                                                             \
    X(name "_p50", TYPE_REAL, metric[m].p50)                                                                           \
    X(name "_p90", TYPE_REAL, metric[m].p90)                                                                           \
    X(name "_p99", TYPE_REAL, metric[m].p99)

/* The columns in order: name, type, and where in a struct pass it lives. */
#define FIELDS(X)                                                                                                      \
    X("pass", TYPE_INT, pass)                                                                                          \
    X("full", TYPE_BOOL, full)                                                                                         \
    X("role", TYPE_TEXT, role)                                                                                         \
    X("n_issued", TYPE_INT, n_issued)                                                                                  \
    X("n_done", TYPE_INT, n_done)                                                                                      \
    X("n_ok", TYPE_INT, n_ok)                                                                                          \
    X("first_issue_ns", TYPE_INT, first_issue_ns)                                                                      \
    X("last_issue_ns", TYPE_INT, last_issue_ns)                                                                        \
    X("next_issue_ns", TYPE_INT, next_issue_ns)                                                                        \
    X("last_done_ns", TYPE_INT, last_done_ns)                                                                          \
    X("span_ns", TYPE_INT, span_ns)                                                                                    \
    X("in_flight", TYPE_INT, in_flight)                                                                                \
    X("active_pct", TYPE_REAL, active_pct)                                                                             \
    X("output_tokens", TYPE_INT, output_tokens)                                                                        \
    X("tps", TYPE_REAL, tps)                                                                                           \
    X("rps", TYPE_REAL, rps)                                                                                           \
    METRIC(X, TPOT, "tpot")                                                                                            \
    METRIC(X, TTFT, "ttft")                                                                                            \
    METRIC(X, E2E, "e2e")                                                                                              \
    X("isl_mean", TYPE_REAL, isl_mean)                                                                                 \
    X("osl_mean", TYPE_REAL, osl_mean)                                                                                 \
    X("osl_p50", TYPE_REAL, osl_p50)                                                                                   \
    X("osl_p99", TYPE_REAL, osl_p99)                                                                                   \
    X("v_seq", TYPE_INTS, samples.seq)                                                                                 \
    X("v_ttft", TYPE_INTS, samples.ttft)                                                                               \
    X("v_tpot", TYPE_REALS, samples.tpot)                                                                              \
    X("v_e2e", TYPE_INTS, samples.e2e)                                                                                 \
    X("v_osl", TYPE_INTS, samples.osl)                                                                                 \
    X("v_done", TYPE_INTS, samples.done)                                                                               \
    X("v_tail", TYPE_INTS, samples.tail)

#define COLUMN(name, type, member) {name, type},
#define OFFSET(name, type, member) offsetof(struct pass, member),
static const struct column columns[] = {FIELDS(COLUMN)};
static const size_t offset[] = {FIELDS(OFFSET)};
enum {
    N_FIELDS = sizeof columns / sizeof *columns,
    FULL = 1,
    ROLE = 2,
    FIRST_VECTOR = N_FIELDS - 7,
    V_TAIL = N_FIELDS - 1
};

const struct schema passes_schema = {"passes", columns, N_FIELDS};

int passes_column(const char *name) {
    for (int i = 0; i < FIRST_VECTOR; i++)
        if (strcmp(columns[i].name, name) == 0 && (columns[i].type == TYPE_INT || columns[i].type == TYPE_REAL))
            return i;
    return -1;
}

double passes_value(const struct pass *p, int column) {
    const void *at = (const char *)p + offset[column];
    if (columns[column].type == TYPE_REAL) return *(const double *)at;
    int64_t v = *(const int64_t *)at;
    return int_known(v) ? (double)v : NAN;
}

int64_t passes_int(const struct pass *p, int column) { return *(const int64_t *)((const char *)p + offset[column]); }

bool passes_has(const struct passes *s, int column) { return column >= 0 && s->present[column]; }

/* ---- reading ---- */

static enum role read_role(const struct table_in *t, int column) {
    struct view c = table_text(t, column);
    if (c.n == 0) return ROLE_BODY;
    for (int i = 0; i < N_ROLES; i++)
        if (c.n == strlen(role_name[i]) && memcmp(c.s, role_name[i], c.n) == 0) return (enum role)i;
    die_at(t->file, t->line, "column 'role' is none of body, warmup, drain, tail");
}

static size_t elements(struct view cell) {
    size_t n = cell.n > 0;
    for (size_t i = 0; i < cell.n; i++)
        n += cell.s[i] == ',';
    return n;
}

static void read_vector(const struct table_in *t, int column, enum type type, size_t n, void *dst) {
    struct view cell = table_text(t, column), e;
    const char *p = cell.s;
    size_t have = elements(cell);
    if (have > 0 && have != n)
        die_at(t->file, t->line, "column '%s' has %zu elements, not %zu", t->column[column].name, have, n);
    for (size_t i = 0; i < n; i++) {
        int64_t whole = INT_NONE;
        double real = NAN;
        bool some = have > 0 && vector_next(cell, &p, &e) && e.n > 0;
        bool ok = !some || (type == TYPE_INTS ? num_int(e.s, e.n, &whole) : num_real(e.s, e.n, &real));
        if (!ok) die_at(t->file, t->line, "column '%s', element %zu is not a number", t->column[column].name, i + 1);
        if (type == TYPE_INTS)
            ((int64_t *)dst)[i] = whole;
        else
            ((double *)dst)[i] = real;
    }
}

static void read_samples(const struct table_in *t, const int *at, struct samples *s) {
    for (size_t i = FIRST_VECTOR; i < N_FIELDS; i++) {
        size_t n = elements(table_text(t, at[i]));
        s->n = n > s->n ? n : s->n;
    }
    if (s->n == 0) return;
    int64_t **ints[] = {&s->seq, &s->ttft, NULL, &s->e2e, &s->osl, &s->done};
    for (size_t i = FIRST_VECTOR; i < V_TAIL; i++) {
        void *v = xmalloc(s->n * sizeof(int64_t));
        read_vector(t, at[i], columns[i].type, s->n, v);
        if (ints[i - FIRST_VECTOR])
            *ints[i - FIRST_VECTOR] = v;
        else
            s->tpot = v;
    }
    if (at[V_TAIL] < 0 || table_text(t, at[V_TAIL]).n == 0) return;
    int64_t *marks = xmalloc(s->n * sizeof *marks);
    read_vector(t, at[V_TAIL], TYPE_INTS, s->n, marks);
    s->tail = xmalloc(s->n * sizeof *s->tail);
    for (size_t i = 0; i < s->n; i++)
        s->tail[i] = marks[i] == 1;
    free(marks);
}

static void read_pass(struct passes *s, const struct table_in *t, const int *at, struct pass *p) {
    *p = (struct pass){0};
    for (size_t i = 0; i < FIRST_VECTOR; i++) {
        void *to = (char *)p + offset[i];
        if (columns[i].type == TYPE_INT)
            *(int64_t *)to = table_int(t, at[i]);
        else if (columns[i].type == TYPE_REAL)
            *(double *)to = table_real(t, at[i]);
    }
    if (!int_known(p->pass)) p->pass = (int64_t)s->n;
    p->full = table_bool(t, at[FULL], true);
    p->role = read_role(t, at[ROLE]);
    read_samples(t, at, &p->samples);
    s->has_samples = s->has_samples || p->samples.n > 0;
    if (s->n_extra == 0) return;
    p->extra = xcalloc(s->n_extra, sizeof *p->extra);
    for (size_t i = 0; i < s->n_extra; i++) {
        struct view c = table_text(t, table_find(t, s->extra[i]));
        p->extra[i] = (struct view){arena_copy(&s->text, c.s, c.n), c.n};
    }
}

void passes_new(struct passes *s, json_t *run, json_t *pg) {
    *s = (struct passes){.run = run, .pg = pg, .has_samples = true};
    s->present = xcalloc(N_FIELDS, sizeof *s->present);
    for (size_t i = 0; i < V_TAIL; i++)
        s->present[i] = true;
}

void passes_add_column(struct passes *s, const char *name) {
    s->extra = xrealloc(s->extra, s->n_extra + 1, sizeof *s->extra);
    s->extra[s->n_extra++] = name;
}

struct passes_in {
    struct table_in table;
    int at[N_FIELDS]; /* where the columns are, -1 = nowhere */
    size_t cap; /* passes there is room for */
};

static void take_facts(struct passes *s, const struct table_in *t) {
    if (json_object_get(t->stream.run, "runs"))
        die("%s: passes of several runs: take one at a time, with ledger2passes --by run=NAME", t->file);
    json_decref(s->run);
    json_decref(s->pg);
    s->run = json_deep_copy(t->stream.run);
    s->pg = json_deep_copy(t->stream.pg);
    s->partial = t->partial;
}

struct passes_in *passes_open(struct passes *s, const char *path) {
    struct passes_in *in = xcalloc(1, sizeof *in);
    struct table_in *t = &in->table;
    table_open(t, path, &passes_schema);
    *s = (struct passes){.file = t->file, .spelling = t->spelling, .plain = !t->stream.kind[0]};
    s->present = xcalloc(N_FIELDS, sizeof *s->present);
    for (size_t i = 0; i < N_FIELDS; i++) {
        in->at[i] = table_find(t, columns[i].name);
        s->present[i] = in->at[i] >= 0;
    }
    size_t own = 0; /* columns that only passes have: an event log or a ledger has output_tokens too */
    for (size_t i = 0; i < N_FIELDS; i++)
        own += s->present[i] && strcmp(columns[i].name, "output_tokens") != 0;
    if (s->plain && own == 0) die("%s: not a table of passes", s->file);
    s->extra = xcalloc(t->n, sizeof *s->extra);
    for (size_t i = 0; i < t->n; i++) {
        size_t k = 0;
        while (k < N_FIELDS && in->at[k] != (int)i)
            k++;
        const char *name = t->column[i].name;
        if (k == N_FIELDS) s->extra[s->n_extra++] = arena_copy(&s->text, name, strlen(name));
    }
    take_facts(s, t);
    return in;
}

bool passes_next(struct passes_in *in, struct passes *s) {
    const struct table_in *t = &in->table;
    if (!table_next(&in->table)) {
        take_facts(s, t);
        return false;
    }
    if (s->n == in->cap) s->v = vec_grow(s->v, &in->cap, s->n + 1, sizeof *s->v);
    read_pass(s, t, in->at, &s->v[s->n]);
    if (s->n > 0 && s->v[s->n].pass <= s->v[s->n - 1].pass)
        die_at(t->file, t->line, "passes out of order: %lld after %lld", (long long)s->v[s->n].pass,
               (long long)s->v[s->n - 1].pass);
    s->n++;
    return true;
}

void passes_close(struct passes_in *in) {
    table_close(&in->table);
    free(in);
}

void passes_read(struct passes *s, const char *path) {
    struct passes_in *in = passes_open(s, path);
    while (passes_next(in, s))
        ;
    passes_close(in);
}

void pass_free(struct pass *p) {
    struct samples *v = &p->samples;
    void *all[] = {v->seq, v->ttft, v->tpot, v->e2e, v->osl, v->done, v->tail, p->extra};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

void passes_free(struct passes *s) {
    for (size_t i = 0; i < s->n; i++)
        pass_free(&s->v[i]);
    free(s->v);
    free(s->present);
    free(s->extra);
    json_decref(s->run);
    json_decref(s->pg);
    arena_free(&s->text);
    *s = (struct passes){0};
}

struct metric_stats metric_stats_of(const double *x, size_t n) {
    struct quantile_moments m = quantile_moments(x, n);
    return (struct metric_stats){.n = (int64_t)n,
                                 .mean = n ? m.mean : NAN,
                                 .sd = quantile_sd(&m),
                                 .p50 = quantile_floor(x, n, 1, 2),
                                 .p90 = quantile_floor(x, n, 9, 10),
                                 .p99 = quantile_floor(x, n, 99, 100)};
}

struct metric_stats pass_stats(const struct pass *p, enum metric m, bool with_tail) {
    const struct samples *s = &p->samples;
    double *x = xmalloc(s->n * sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        int64_t whole = m == TTFT ? s->ttft[i] : m == E2E ? s->e2e[i] : INT_NONE;
        double v = m == TPOT ? s->tpot[i] : int_known(whole) ? (double)whole : NAN;
        if (isnan(v) || (!with_tail && s->tail && s->tail[i])) continue;
        x[n++] = v;
    }
    struct metric_stats st = metric_stats_of(x, n);
    free(x);
    return st;
}

/* ---- writing ---- */

void passes_begin(struct table_out *out, const struct passes *s, enum spelling spelling, bool header) {
    size_t n = 0;
    bool tail = false;
    for (size_t i = 0; i < s->n; i++)
        tail = tail || s->v[i].samples.tail;
    struct column *column = xmalloc((N_FIELDS + s->n_extra) * sizeof *column);
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (i == FIRST_VECTOR)
            for (size_t k = 0; k < s->n_extra; k++)
                column[n++] = (struct column){s->extra[k], TYPE_TEXT};
        if (s->present[i] || i <= ROLE || (i == V_TAIL && tail)) column[n++] = columns[i];
    }
    table_begin(out, spelling, header, &passes_schema, column, n, s->run, s->pg);
}

static void put_vector(struct table_out *out, const struct pass *p, size_t i) {
    const struct samples *s = &p->samples;
    if (columns[i].type == TYPE_REALS)
        table_put_reals(out, s->tpot, s->n);
    else if (i == V_TAIL) {
        int64_t *marks = xmalloc(s->n * sizeof *marks);
        for (size_t k = 0; k < s->n; k++)
            marks[k] = s->tail && s->tail[k];
        table_put_ints(out, marks, s->n);
        free(marks);
    } else
        table_put_ints(out, *(int64_t *const *)((const char *)p + offset[i]), s->n);
}

void passes_put(struct table_out *out, const struct passes *s, const struct pass *p) {
    for (size_t c = 0, i = 0; c < out->n; c++) {
        while (i < N_FIELDS && strcmp(columns[i].name, out->column[c].name) != 0)
            i++;
        if (i == N_FIELDS) { /* an unknown column: back to where the known ones go on */
            size_t k = 0;
            while (strcmp(s->extra[k], out->column[c].name) != 0)
                k++;
            table_put(out, p->extra[k]);
            i = 0;
            continue;
        }
        const void *at = (const char *)p + offset[i];
        if (i >= FIRST_VECTOR)
            put_vector(out, p, i);
        else if (i == FULL)
            table_put_int(out, p->full);
        else if (i == ROLE)
            table_put(out, (struct view){role_name[p->role], strlen(role_name[p->role])});
        else if (columns[i].type == TYPE_INT)
            table_put_int(out, *(const int64_t *)at);
        else
            table_put_real(out, *(const double *)at);
    }
    table_row(out);
}

void passes_end(struct table_out *out, const struct passes *s) {
    json_t *end = json_object();
    json_object_set(end, "run", s->run);
    table_end(out, end);
    free((void *)out->column);
}

void passes_write(const struct passes *s, enum spelling spelling, bool header) {
    struct table_out out;
    passes_begin(&out, s, spelling, header);
    for (size_t i = 0; i < s->n; i++)
        passes_put(&out, s, &s->v[i]);
    passes_end(&out, s);
}
