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

static void try(struct view input) { fuzz_both_ways(input, copy); }

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
