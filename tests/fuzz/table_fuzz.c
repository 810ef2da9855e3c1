/* table_fuzz: tables in both spellings.
 *
 * Lines are split as libcsv splits them, and are objects where jansson says so, with the same members.  A table that is read
 * is the same table after NDJSON, TSV and NDJSON again. */
#include <csv.h>
#include <jansson.h>
#include <stdlib.h>

#include "fuzz.h"
#include "ledger.h"
#include "num.h"

/* ---- a line ---- */

static int never(unsigned char c) { return (void)c, 0; }
static int lf(unsigned char c) { return c == '\n'; }

static struct {
    const struct tsv *split;
    size_t n;
} wanted;

static void want_cell(void *s, size_t n, void *none) {
    (void)none;
    fuzz_require(wanted.n < wanted.split->cell.n, "fewer cells than libcsv finds");
    fuzz_same(wanted.split->cell.v[wanted.n++], (struct view){s, n}, "a cell that libcsv reads otherwise");
}

static void try_cells(struct view line) {
    struct tsv t = {0};
    struct csv_parser csv;
    tsv_split(&t, line);
    wanted.split = &t;
    wanted.n = 0;
    csv_init(&csv, CSV_REPALL_NL);
    csv_set_delim(&csv, CSV_TAB);
    csv_set_space_func(&csv, never);
    csv_set_term_func(&csv, lf);
    csv_parse(&csv, line.s, line.n, want_cell, NULL, NULL);
    csv_fini(&csv, want_cell, NULL, NULL);
    csv_free(&csv);
    fuzz_require(wanted.n == t.cell.n || line.n == 0, "more cells than libcsv finds");
    tsv_free(&t);
}

static bool holds(struct view line, const char *word) { return memmem(line.s, line.n, word, strlen(word)) != NULL; }

static void try_members(const struct ndjson *r, const json_t *object) {
    for (size_t i = 0; i < r->member.n; i++) {
        const struct ndjson_member *m = &r->member.v[i];
        bool later = false; /* jansson keeps the last of a name */
        for (size_t k = i + 1; k < r->member.n; k++)
            later |= m->key.n == r->member.v[k].key.n && memcmp(m->key.s, r->member.v[k].key.s, m->key.n) == 0;
        if (later) continue;
        const json_t *v = json_object_getn(object, m->key.s, m->key.n);
        fuzz_require(v != NULL, "a member that jansson does not find");
        double real;
        if (json_is_string(v))
            fuzz_same(m->text, (struct view){json_string_value(v), json_string_length(v)}, "a text");
        else if (json_is_null(v))
            fuzz_require(m->text.n == 0, "a null that is not empty");
        else if (json_is_number(v))
            fuzz_require(num_real(m->text.s, m->text.n, &real) && real == json_number_value(v), "a number");
    }
}

static void try_object(struct view line) {
    struct ndjson r = {0};
    json_error_t e;
    bool ok = ndjson_split(&r, line);
    json_t *v = json_loadb(line.s, line.n, JSON_ALLOW_NUL, &e);
    bool beyond = !v && (json_error_code(&e) == json_error_numeric_overflow ||
                         json_error_code(&e) ==
                             json_error_null_byte_in_key); /* what jansson cannot hold, like a lone surrogate */
    bool nul = memchr(line.s, '\0', line.n) != NULL; /* jansson passes over one behind a number */
    if (json_is_object(v) && !nul)
        fuzz_require(ok || strcmp(r.error, "nested too deeply") == 0, "an object that is refused");
    else if (!beyond && !nul && !holds(line, "NaN") && !holds(line, "Infinity") && !holds(line, "\\ud") &&
             !holds(line, "\\uD"))
        fuzz_require(!ok, "an object that is none");
    if (ok && json_is_object(v)) try_members(&r, v);
    json_decref(v);
    ndjson_free(&r);
}

/* ---- a table ---- */

static struct buf copy(struct view bytes, enum spelling spelling) {
    struct table_in t;
    struct table_out out;
    table_open(&t, fuzz_file(0, bytes), &ledger_schema);
    table_begin(&out, spelling, true, t.schema, t.column, t.n, t.stream.run, t.stream.pg);
    while (table_next(&t)) {
        for (size_t i = 0; i < t.n; i++)
            table_put(&out, t.cell[i]);
        table_row(&out);
    }
    json_t *end = t.stream.end ? json_copy(t.stream.end) : json_object();
    json_object_set(end, "run", t.stream.run);
    json_object_del(end, "rows");
    table_end(&out, end);
    table_close(&t);
    return fuzz_stdout();
}

#define VIEW(b) ((struct view){(b).s, (b).len})

static void try(struct view input) {
    for (size_t from = 0; from < input.n;) {
        const char *s = input.s + from, *end = memchr(s, '\n', input.n - from);
        struct view line = {s, end ? (size_t)(end - s) : input.n - from};
        try_cells(line);
        try_object(line);
        from += line.n + 1;
    }
    struct buf ndjson = copy(input, SPELL_NDJSON);
    fuzz_accepted();
    struct buf tsv = copy(VIEW(ndjson), SPELL_TSV), again = copy(VIEW(tsv), SPELL_NDJSON);
    fuzz_same(VIEW(ndjson), VIEW(again), "NDJSON after TSV");
    buf_free(&again);
    again = copy(VIEW(tsv), SPELL_TSV);
    fuzz_same(VIEW(tsv), VIEW(again), "TSV after TSV");
    buf_free(&again);
    buf_free(&tsv);
    buf_free(&ndjson);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
