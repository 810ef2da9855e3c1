/* passes_fuzz: passes.  What is read and written is the same after TSV, NDJSON and TSV again. */
#include "fuzz.h"
#include "passes.h"

static struct buf copy(struct view bytes, enum spelling spelling) {
    struct passes s;
    passes_read(&s, fuzz_file(0, bytes));
    fuzz_accepted(); /* what was read can be written */
    passes_write(&s, spelling, true);
    passes_free(&s);
    return fuzz_stdout();
}

#define VIEW(b) ((struct view){(b).s, (b).len})

static void try(struct view input) {
    struct buf tsv = copy(input, SPELL_TSV);
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
