#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "jstring.h"
#include "num.h"
#include "out.h"

static const struct column *known(const struct schema *s, const char *name) {
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->column[i].name, name) == 0) return &s->column[i];
    return NULL;
}

/* Text as it may be shown: valid UTF-8, control characters spelled out. */
static void make_visible(struct table_in *t, struct view *cell) {
    const char *p = cell->s, *end = p + cell->n;
    bool escaped = false;
    while (p < end && (p = jstring_end(p, end, &escaped)) < end)
        if ((unsigned char)*p++ >= 0x80) die_at(t->file, t->line, "not valid UTF-8");
    if (buf_is_visible(cell->s, cell->n)) return;
    struct buf b = {0};
    buf_visible(&b, cell->s, cell->n);
    *cell = (struct view){arena_copy(&t->visible, b.s, b.len), b.len};
    buf_free(&b);
}

static void add_column(struct table_in *t, struct view name) {
    if (name.n == 0) die_at(t->file, t->line, "a column without a name");
    make_visible(t, &name);
    const char *copy = arena_copy(&t->names, name.s, name.n);
    if (table_find(t, copy) >= 0) die_at(t->file, t->line, "column '%s' stands twice", copy);
    t->column = xrealloc(t->column, t->n + 1, sizeof *t->column);
    const struct column *c = known(t->schema, copy);
    t->column[t->n++] = (struct column){copy, c ? c->type : TYPE_TEXT};
}

static void check_kind(const struct table_in *t) {
    if (t->stream.kind[0] && t->schema->kind && strcmp(t->stream.kind, t->schema->kind) != 0)
        die_at(t->file, t->line, "this is a stream of kind '%s', not '%s'", t->stream.kind, t->schema->kind);
}

static bool blank(struct view line) {
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] != ' ' && line.s[i] != '\t') return false;
    return true;
}

/* The next line with something on it, CR taken off. */
static bool next_line(struct table_in *t, struct view *line) {
    while (lines_next(&t->lines, line)) {
        t->line = t->lines.line;
        if (line->n > 0 && line->s[line->n - 1] == '\r') {
            if (!t->crlf) warn("%s: lines end in CRLF, read as LF", t->file);
            t->crlf = true;
            line->n--;
        }
        if (line->n > 0 && memchr(line->s, '\0', line->n)) die_at(t->file, t->line, "a NUL byte");
        t->raw = *line;
        if (t->spelling == SPELL_NDJSON ? !blank(*line) : line->n > 0) return true;
        if (t->spelling == SPELL_TSV && t->n == 1) return true; /* a single column, missing */
    }
    return false;
}

/* A last line without LF in a stream that says how it ends was cut off. */
static bool cut_off(const struct table_in *t) { return !t->lines.terminated && t->stream.kind[0] && !t->stream.end; }

/* ---- TSV ---- */

static bool tsv_row(struct table_in *t) {
    struct view line;
    while (next_line(t, &line)) {
        if (line.n > 0 && line.s[0] == '#') {
            const char *bad = stream_take_line(&t->stream, line.s, line.n);
            if (bad && cut_off(t)) return false;
            if (bad) die_at(t->file, t->line, "%s", bad);
            check_kind(t);
            continue;
        }
        if (t->n > 0 && cut_off(t)) return false;
        if (t->stream.end) die_at(t->file, t->line, "a row after the trailer");
        tsv_split(&t->tsv, line);
        return true;
    }
    return false;
}

/* Columns the schema does not know go behind those it knows; the order is otherwise kept. */
static void known_first(struct table_in *t) {
    size_t *from = xcalloc(t->n, sizeof *from), k = 0;
    struct column *column = xcalloc(t->n, sizeof *column);
    for (int unknown = 0; unknown < 2; unknown++)
        for (size_t i = 0; i < t->n; i++)
            if ((known(t->schema, t->column[i].name) == NULL) == unknown) {
                column[k] = t->column[i];
                from[k++] = i;
            }
    bool same = true;
    for (size_t i = 0; i < t->n; i++)
        same = same && from[i] == i;
    free(same ? column : t->column);
    if (!same) t->column = column;
    if (same) free(from);
    t->from = same ? NULL : from;
    t->own = xcalloc(t->n, sizeof *t->own);
    if (!t->stream.kind[0] && t->schema->kind && t->n > 0 && !known(t->schema, t->column[0].name))
        die("%s: not a table of %s: none of its tab-separated columns is known", t->file, t->schema->kind);
}

static void visible_cells(struct table_in *t) {
    arena_free(&t->visible);
    for (size_t i = 0; i < t->n; i++)
        make_visible(t, &t->own[i]);
}

static void tsv_header(struct table_in *t) {
    if (!tsv_row(t)) {
        if (!t->stream.kind[0]) die("%s: no table: neither a header row nor a row", t->file);
        return; /* cut off inside its head: no columns, no rows, partial */
    }
    for (size_t i = 0; i < t->tsv.cell.n; i++)
        add_column(t, t->tsv.cell.v[i]);
}

static bool tsv_next(struct table_in *t) {
    if (!tsv_row(t)) return false;
    if (t->tsv.cell.n != t->n)
        die_at(t->file, t->line, "%zu cells where the header has %zu columns", t->tsv.cell.n, t->n);
    t->cell = t->tsv.cell.v;
    if (!t->from && !t->tsv.odd) return true;
    t->cell = t->own;
    for (size_t i = 0; i < t->n; i++)
        t->own[i] = t->tsv.cell.v[t->from ? t->from[i] : i];
    if (t->tsv.odd) visible_cells(t);
    return true;
}

/* ---- NDJSON ---- */

static bool own_object(struct view line) {
    static const char *const own[] = {"{\"#steadytools\"", "{\"#end\""};
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(own[i]);
        if (line.n >= n && memcmp(line.s, own[i], n) == 0) return true;
    }
    return false;
}

static bool ndjson_row(struct table_in *t) {
    struct view line;
    while (next_line(t, &line)) {
        if (!own_object(line)) {
            if (t->stream.end) die_at(t->file, t->line, "a row after the trailer");
            if (ndjson_split(&t->ndjson, line)) return true;
            if (cut_off(t)) return false;
            die_at(t->file, t->line, "byte %zu: %s", t->ndjson.error_at + 1, t->ndjson.error);
        }
        char why[128];
        int at;
        json_t *object = doc_parse(line.s, line.n, why, &at);
        const char *bad = object ? stream_take_object(&t->stream, object) : why;
        if (bad && !object && cut_off(t)) return false;
        if (bad) die_at(t->file, t->line, "%s", bad);
        json_decref(object);
        check_kind(t);
    }
    return false;
}

/* The column of that name; keys mostly come in column order, so the search begins at the place of the key. */
static int find(struct table_in *t, struct view key, size_t place) {
    if (t->ndjson.odd) make_visible(t, &key);
    for (size_t i = 0; i < t->n; i++) {
        size_t c = (place + i) % t->n;
        if (strncmp(t->column[c].name, key.s, key.n) == 0 && t->column[c].name[key.n] == '\0') return (int)c;
    }
    return -1;
}

static bool has_key(const struct table_in *t, const char *key) {
    for (size_t i = 0; i < t->ndjson.member.n; i++) {
        struct view k = t->ndjson.member.v[i].key;
        if (k.n == strlen(key) && memcmp(k.s, key, k.n) == 0) return true;
    }
    return false;
}

/* What else of a pipeline is an object a line, and may be given by mistake. */
static void check_foreign(const struct table_in *t) {
    if (t->stream.kind[0] || !t->schema->kind) return;
    const char *kind = t->schema->kind;
    if (has_key(t, "event_type")) die_at(t->file, t->line, "an event log, not a table of %s: see ev2ledger", kind);
    if (has_key(t, "kind") && has_key(t, "verdict")) die_at(t->file, t->line, "a report, not a table of %s", kind);
}

static void ndjson_header(struct table_in *t) {
    t->pending = ndjson_row(t);
    if (t->pending) check_foreign(t);
    for (size_t i = 0; i < json_array_size(t->stream.columns); i++) {
        const char *name = json_string_value(json_array_get(t->stream.columns, i));
        if (!name) die_at(t->file, 1, "a column name that is not a string");
        add_column(t, (struct view){name, strlen(name)});
    }
    if (t->stream.kind[0] && !t->stream.columns && t->pending) die_at(t->file, 1, "no columns in the stream header");
    if (!t->stream.kind[0] && !t->pending) die("%s: no table: no row", t->file);
    if (t->stream.kind[0]) t->lines.keep = false;
    if (t->n > 0 || !t->pending) return;
    /* a plain table: rows may leave out keys, so its columns are known at its end only */
    do
        for (size_t i = 0; i < t->ndjson.member.n; i++)
            if (find(t, t->ndjson.member.v[i].key, i) < 0) add_column(t, t->ndjson.member.v[i].key);
    while (ndjson_row(t));
    if (t->n == 0) die("%s: no table: rows without a column", t->file);
    json_decref(t->stream.end); /* read a second time */
    t->stream.end = NULL;
    lines_rewind(&t->lines);
    t->lines.keep = false;
    t->pending = ndjson_row(t);
}

static bool ndjson_next(struct table_in *t) {
    if (!t->pending && !ndjson_row(t)) return false;
    t->pending = false;
    t->cell = t->own;
    memset(t->cell, 0, t->n * sizeof *t->cell);
    for (size_t m = 0; m < t->ndjson.member.n; m++) {
        int c = find(t, t->ndjson.member.v[m].key, m);
        if (c < 0) die_at(t->file, t->line, "a key that is not among the columns of the stream header");
        t->cell[c] = t->ndjson.member.v[m].text;
    }
    if (t->ndjson.odd) visible_cells(t);
    return true;
}

/* ---- either ---- */

void table_open(struct table_in *t, const char *path, const struct schema *schema) {
    *t = (struct table_in){.schema = schema};
    stream_init(&t->stream);
    lines_open(&t->lines, path);
    t->file = t->lines.in.name;
    int first = lines_peek(&t->lines);
    if (first < 0) die("%s: empty input", t->file);
    t->spelling = first == '{' ? SPELL_NDJSON : SPELL_TSV;
    t->lines.keep = t->spelling == SPELL_NDJSON; /* until the header is seen */
    if (t->spelling == SPELL_TSV)
        tsv_header(t);
    else
        ndjson_header(t);
    known_first(t);
}

static void finish(struct table_in *t) {
    stream_settle(&t->stream);
    if (!t->stream.kind[0]) return;
    json_int_t said = json_integer_value(json_object_get(t->stream.end, "rows"));
    if (!t->stream.end)
        warn("%s: the stream has no trailer: what wrote it was cut short", t->file);
    else if (said != (json_int_t)t->rows)
        warn("%s: the trailer counts %lld rows, %zu were read", t->file, (long long)said, t->rows);
    if (!t->stream.end || said != (json_int_t)t->rows) json_object_set_new(t->stream.run, "partial", json_true());
    t->partial = json_is_true(json_object_get(t->stream.run, "partial"));
}

bool table_next(struct table_in *t) {
    bool row = t->spelling == SPELL_TSV ? t->n > 0 && tsv_next(t) : ndjson_next(t);
    if (row)
        t->rows++;
    else
        finish(t);
    return row;
}

void table_close(struct table_in *t) {
    free(t->from);
    free(t->own);
    arena_free(&t->visible);
    stream_free(&t->stream);
    lines_close(&t->lines);
    tsv_free(&t->tsv);
    ndjson_free(&t->ndjson);
    free(t->column);
    arena_free(&t->names);
    *t = (struct table_in){0};
}

int table_find(const struct table_in *t, const char *name) {
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->column[i].name, name) == 0) return (int)i;
    return -1;
}

int table_need(const struct table_in *t, const char *name, const char *what_for) {
    int i = table_find(t, name);
    if (i < 0) die("%s: no column '%s'%s%s", t->file, name, what_for ? ": needed " : "", what_for ? what_for : "");
    return i;
}

struct view table_text(const struct table_in *t, int column) {
    static const struct view missing;
    return column < 0 ? missing : t->cell[column];
}

static bool is(struct view c, const char *text) { return c.n == strlen(text) && memcmp(c.s, text, c.n) == 0; }

/* NaN and the infinities, as other tools write them. */
static bool nonfinite(struct view c) {
    static const char *const names[] = {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"};
    if (c.n == 0 || (c.s[c.n - 1] >= '0' && c.s[c.n - 1] <= '9')) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(c, names[i])) return true;
    return false;
}

/* 1, 0, or -1 for neither.  True and 1.0 are what data frames make of a truth. */
static int truth(struct view c) {
    static const char *const names[2][5] = {{"0", "false", "False", "FALSE", "0.0"},
                                            {"1", "true", "True", "TRUE", "1.0"}};
    for (size_t i = 0; i < 10; i++)
        if (is(c, names[i % 2][i / 2])) return (int)(i % 2);
    return -1;
}

int64_t table_int(const struct table_in *t, int column) {
    struct view c = table_text(t, column);
    int64_t v = INT_NONE;
    if (c.n == 0 || num_int(c.s, c.n, &v)) return v;
    /* 12.0 and 6e+10 are what data frames and awk make of an integer */
    double real;
    if (num_real(c.s, c.n, &real) && real == floor(real) && fabs(real) < 0x1p53) return (int64_t)real;
    /* beyond that a double is not exact, but the digits may be */
    const char *point = memchr(c.s, '.', c.n);
    size_t whole = point ? (size_t)(point - c.s) : c.n, zeros = whole + 1;
    while (zeros < c.n && c.s[zeros] == '0')
        zeros++;
    if (point && zeros >= c.n && num_int(c.s, whole, &v)) return v;
    if (!nonfinite(c)) die_at(t->file, t->line, "column '%s' is not an integer", t->column[column].name);
    return INT_NONE;
}

double table_real(const struct table_in *t, int column) {
    struct view c = table_text(t, column);
    double v = NAN;
    if (c.n > 0 && !num_real(c.s, c.n, &v) && !nonfinite(c))
        die_at(t->file, t->line, "column '%s' is not a number", t->column[column].name);
    return v;
}

bool table_bool(const struct table_in *t, int column, bool missing) {
    struct view c = table_text(t, column);
    if (c.n == 0) return missing;
    int v = truth(c);
    if (v < 0) die_at(t->file, t->line, "column '%s' is neither 1 nor 0", t->column[column].name);
    return v;
}

bool vector_next(struct view cell, const char **p, struct view *element) {
    const char *end = cell.s + cell.n;
    if (!*p || *p > end) return false;
    const char *comma = *p < end ? memchr(*p, ',', (size_t)(end - *p)) : NULL;
    if (!comma) comma = end;
    *element = (struct view){*p, (size_t)(comma - *p)};
    *p = comma + 1;
    return true;
}

void table_begin(struct table_out *t, enum spelling spelling, bool header, const struct schema *kind,
                 const struct column *column, size_t n, const json_t *run, const json_t *pg) {
    *t = (struct table_out){.spelling = spelling, .kind = kind->kind, .header = header, .column = column, .n = n};
    if (header) {
        json_t *names = json_array();
        for (size_t i = 0; i < n; i++)
            json_array_append_new(names, json_string(column[i].name));
        stream_put_head(&t->row, spelling, t->kind, names, run, pg);
        json_decref(names);
    }
    if (spelling != SPELL_NDJSON)
        for (size_t i = 0; i < n; i++) {
            tsv_put(&t->row, (struct view){column[i].name, strlen(column[i].name)});
            buf_char(&t->row, i + 1 < n ? '\t' : '\n');
        }
    if (t->row.len) out_add(t->row.s, t->row.len);
    buf_clear(&t->row);
}

/* What stands before a cell's value: the separator, and in NDJSON the key. */
static void lead(struct table_out *t) {
    if (t->spelling == SPELL_NDJSON) {
        const char *name = t->column[t->at].name;
        buf_char(&t->row, t->at ? ',' : '{');
        ndjson_put_text(&t->row, (struct view){name, strlen(name)});
        buf_char(&t->row, ':');
    } else if (t->at) {
        buf_char(&t->row, '\t');
    }
    t->at++;
}

void table_put(struct table_out *t, struct view text) {
    const struct column *c = &t->column[t->at];
    if (t->spelling == SPELL_TSV && text.n == 0) { /* most cells of most rows */
        if (t->at++) buf_char(&t->row, '\t');
        return;
    }
    bool ok = true;
    if (c->type == TYPE_BOOL && text.n > 0) {
        int v = truth(text);
        ok = v >= 0;
        text = (struct view){v == 1 ? "1" : "0", 1};
    } else if (c->type != TYPE_TEXT && nonfinite(text)) {
        text = (struct view){0};
    }
    lead(t);
    if (t->spelling != SPELL_NDJSON)
        tsv_put(&t->row, text);
    else if (c->type == TYPE_TEXT)
        ndjson_put_text(&t->row, text);
    else if (c->type == TYPE_INTS || c->type == TYPE_REALS)
        ok = ndjson_put_numbers(&t->row, text);
    else
        ok = ok && ndjson_put_number(&t->row, text);
    if (!ok) die("row %zu: column '%s' does not hold what it should", t->rows + 1, c->name);
}

static void put_int(struct table_out *t, int64_t v) {
    if (int_known(v))
        t->row.len += num_put_int(buf_room(&t->row, NUM_MAX), v);
    else if (t->spelling == SPELL_NDJSON)
        buf_str(&t->row, "null");
}

static void put_real(struct table_out *t, double v) {
    if (isfinite(v))
        t->row.len += num_put_real(buf_room(&t->row, NUM_MAX), v);
    else if (t->spelling == SPELL_NDJSON)
        buf_str(&t->row, "null");
}

void table_put_int(struct table_out *t, int64_t v) {
    if (t->spelling == SPELL_NDJSON) {
        lead(t);
        put_int(t, v);
        return;
    }
    char *p = buf_room(&t->row, NUM_MAX + 1); /* most cells of most tables: one step */
    size_t n = 0;
    if (t->at++) p[n++] = '\t';
    if (int_known(v)) n += num_put_int(p + n, v);
    t->row.len += n;
}

void table_put_real(struct table_out *t, double v) {
    lead(t);
    put_real(t, v);
}

static void open_vector(struct table_out *t) {
    lead(t);
    if (t->spelling == SPELL_NDJSON) buf_char(&t->row, '[');
}

static void close_vector(struct table_out *t) {
    if (t->spelling == SPELL_NDJSON) buf_char(&t->row, ']');
}

void table_put_ints(struct table_out *t, const int64_t *v, size_t n) {
    open_vector(t);
    for (size_t i = 0; i < n; i++) {
        if (i) buf_char(&t->row, ',');
        put_int(t, v[i]);
    }
    close_vector(t);
}

void table_put_reals(struct table_out *t, const double *v, size_t n) {
    open_vector(t);
    for (size_t i = 0; i < n; i++) {
        if (i) buf_char(&t->row, ',');
        put_real(t, v[i]);
    }
    close_vector(t);
}

void table_row(struct table_out *t) {
    if (t->spelling == SPELL_NDJSON) buf_char(&t->row, '}');
    *buf_room(&t->row, 1) = '\n';
    out_add(t->row.s, t->row.len + 1);
    buf_clear(&t->row);
    t->at = 0;
    t->rows++;
}

struct view table_hold(struct table_out *t, struct arena *to) {
    struct view held = {arena_copy(to, t->row.s, t->row.len), t->row.len};
    buf_clear(&t->row);
    t->at = 0;
    return held;
}

void table_resume(struct table_out *t, struct view held, size_t cells) {
    buf_add(&t->row, held.s, held.n);
    t->at = cells;
}

void table_end(struct table_out *t, json_t *end) {
    json_t *whole = json_object();
    json_object_set_new(whole, "rows", json_integer((json_int_t)t->rows));
    json_object_update(whole, end);
    if (t->header) stream_put_end(&t->row, t->spelling, whole);
    if (t->row.len) out_add(t->row.s, t->row.len);
    json_decref(whole);
    json_decref(end);
    buf_free(&t->row);
}
