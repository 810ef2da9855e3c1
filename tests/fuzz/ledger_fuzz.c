/* ledger_fuzz: rows of ledgers.  A ledger that is read and written is the same after TSV, NDJSON and TSV again. */
#include "fuzz.h"
#include "ledger.h"

static struct buf copy(struct view bytes, enum spelling spelling) {
    struct ledger_in *in = ledger_open(fuzz_file(0, bytes));
    struct table_in *t = ledger_table(in);
    struct table_out out;
    struct ledger_row row;
    table_begin(&out, spelling, true, &ledger_schema, ledger_schema.column, ledger_schema.n, t->stream.run,
                t->stream.pg);
    while (ledger_read(in, &row)) {
        ledger_write(&out, &row);
        table_row(&out);
    }
    table_end(&out, json_pack("{s:O}", "run", t->stream.run));
    ledger_close(in);
    return fuzz_stdout();
}

#define VIEW(b) ((struct view){(b).s, (b).len})

static void try(struct view input) {
    struct buf tsv = copy(input, SPELL_TSV);
    fuzz_accepted();
    struct buf ndjson = copy(VIEW(tsv), SPELL_NDJSON), again = copy(VIEW(ndjson), SPELL_TSV);
    fuzz_same(VIEW(tsv), VIEW(again), "TSV after NDJSON");
    buf_free(&again);
    buf_free(&ndjson);
    buf_free(&tsv);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
