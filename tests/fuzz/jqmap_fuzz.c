/* jqmap_fuzz: hostile documents on their way through a jq program.
 *
 * Any bytes are taken as a document for a program, as the output of an adapter, and as the head of a file whose format is to
 * be told.  What a program puts out must be strict JSON. */
#include "classify.h"
#include "format.h"
#include "fuzz.h"
#include "jqmap.h"
#include "jtok.h"
#include "maprow.h"

static bool is_json(struct view text) {
    struct jtok j;
    jtok_init(&j, text.s, text.n);
    j.nonfinite = true;
    enum jtok_type t;
    while ((t = jtok_next(&j)) != JTOK_ERROR && t != JTOK_END)
        ;
    return t == JTOK_END;
}

static struct jqmap *map;
static struct classify *classify;
static unsigned long long n_known;

static void try_program(struct view text) {
    size_t at;
    const char *why = jqmap_start(map, text.s, text.n, &at);
    fuzz_require(is_json(text) || why, "accepted what is not JSON");
    fuzz_require(at <= text.n, "a fault beyond the end");
    struct view out;
    for (enum jqmap_result r; (r = jqmap_next(map, &out)) != JQMAP_END;) {
        fuzz_require(r == JQMAP_VALUE, "the identity failed");
        fuzz_require(is_json(out), "put out what is not JSON");
    }
    fuzz_require(jqmap_next(map, &out) == JQMAP_END, "output after the end");
}

static void try_row(struct view text) {
    const struct maprow_rule rule = {.classify = classify};
    struct arena texts = {0};
    struct ledger_row row;
    struct view said;
    if (maprow_read(text, &rule, &texts, &row, &said) == MAPROW_REQUEST) {
        fuzz_require(row.tail_tokens == INT64_MIN || row.tail_tokens >= 0, "a negative tail");
        fuzz_require(!(row.ttft_ns < 0 && row.ttft_ns != INT64_MIN && row.issued_ns != INT64_MIN), "a negative span");
        fuzz_require(row.error_type.n <= CLASSIFY_TYPE_MAX, "a long error type");
    }
    arena_free(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct view text = {(const char *)data, size};
    const char *unsupported;
    if (!map) {
        map = jqmap_new("identity", ".");
        classify = classify_new(NULL);
    }
    try_program(text); /* nothing here ends the program: its memory is libjq's own */
    fuzz_attempt(try_row, text);
    n_known += format_detect(text, &unsupported) != NULL;
    return 0;
}

void fuzz_tally(FILE *f) { fprintf(f, ", %llu of a known format", n_known); }
