/* adapters_fuzz: files of other harnesses, whole, through the shipped adapters.
 *
 * The first byte chooses the adapter.  The ledger that comes of a file is read back with as many rows, and says the same in
 * both spellings. */
#include "adapt.h"
#include "format.h"
#include "fuzz.h"
#include "jqmap.h"

struct jqmap *__real_jqmap_new(const char *name, const char *text);
struct jqmap *__wrap_jqmap_new(const char *name, const char *text);
void __wrap_jqmap_free(struct jqmap *map);
const char *__real_jqmap_start(struct jqmap *map, const char *text, size_t n, size_t *at);
const char *__wrap_jqmap_start(struct jqmap *map, const char *text, size_t n, size_t *at);

/* Programs are compiled once and kept: it takes long, and an attempt that is refused cannot give back what libjq holds. */
enum { PROGRAMS = 16 };
static struct jqmap *program[PROGRAMS];
static size_t chosen;

struct jqmap *__wrap_jqmap_new(const char *name, const char *text) {
    fuzz_keep(true);
    if (!program[chosen]) program[chosen] = __real_jqmap_new(name, text);
    fuzz_keep(false);
    return program[chosen];
}

void __wrap_jqmap_free(struct jqmap *map) { (void)map; }

const char *__wrap_jqmap_start(struct jqmap *map, const char *text, size_t n, size_t *at) {
    fuzz_keep(true);
    const char *why = __real_jqmap_start(map, text, n, at);
    fuzz_keep(false);
    return why;
}

static struct classify *classify;

static struct buf as_tsv(const struct buf *ledger, size_t rows) {
    struct ledger_in *in = ledger_open(fuzz_file(1, (struct view){ledger->s, ledger->len}));
    struct table_in *t = ledger_table(in);
    struct table_out out;
    struct ledger_row row;
    table_begin(&out, SPELL_TSV, false, &ledger_schema, ledger_schema.column, ledger_schema.n, NULL, NULL);
    while (ledger_read(in, &row)) {
        ledger_write(&out, &row);
        table_row(&out);
    }
    fuzz_require(t->rows == rows, "not a row per request");
    fuzz_require(t->stream.end != NULL, "no trailer");
    table_end(&out, json_object());
    ledger_close(in);
    return fuzz_stdout();
}

static struct buf written(const struct adapt *a, enum spelling spelling, size_t rows) {
    json_t *pg = json_array();
    adapt_write(a, a->n > 1 ? -1 : 0, NULL, spelling, true, pg);
    json_decref(pg);
    struct buf ledger = fuzz_stdout(), tsv = as_tsv(&ledger, rows);
    buf_free(&ledger);
    return tsv;
}

static void try(struct view file) {
    const struct adapt_options options = {.format = format_shipped[chosen].name, .rule = {.classify = classify}};
    struct adapt a;
    adapt_read(&a, fuzz_file(0, file), &options);
    fuzz_accepted();
    size_t rows = 0;
    for (size_t i = 0; i < a.n; i++)
        rows += a.run[i].n;
    struct buf tsv = written(&a, SPELL_TSV, rows), ndjson = written(&a, SPELL_NDJSON, rows);
    fuzz_same((struct view){tsv.s, tsv.len}, (struct view){ndjson.s, ndjson.len}, "the two spellings");
    buf_free(&tsv);
    buf_free(&ndjson);
    adapt_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static size_t n_formats;
    if (n_formats == 0) {
        classify = classify_new(NULL);
        while (format_shipped[n_formats].name)
            n_formats++;
    }
    if (size == 0) return 0;
    chosen = data[0] % n_formats;
    fuzz_attempt(try, (struct view){(const char *)data + 1, size - 1});
    return 0;
}
