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

static void try(struct view input) { fuzz_both_ways(input, copy); }

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
