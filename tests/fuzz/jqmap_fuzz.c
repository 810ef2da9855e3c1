/* jqmap_fuzz: hostile files on their way through an adapter.
 *
 * Any bytes are taken as a document for a jq program, as the output of one, and as the head of a file whose format is to
 * be told.  What a program puts out must be strict JSON, and nothing may crash or hang.  Built with libFuzzer or AFL++ as
 * a fuzz target (-detect_leaks=0: libjq keeps its stack where the checker does not look), or with -DFUZZ_MAIN as a
 * program that reads files (none: stdin) and prints what each was taken for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "die.h"
#include "format.h"
#include "jqmap.h"
#include "jtok.h"
#include "maprow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *taken_for; /* the last input's format, NULL for none */

static void require(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "jqmap_fuzz: %s\n", what);
    abort();
}

static bool is_json(struct view text) {
    struct jtok j;
    jtok_init(&j, text.s, text.n);
    j.nonfinite = true;
    enum jtok_type t;
    while ((t = jtok_next(&j)) != JTOK_ERROR && t != JTOK_END)
        ;
    return t == JTOK_END;
}

static void fuzz_program(struct jqmap *map, struct view text) {
    size_t at;
    const char *why = jqmap_start(map, text.s, text.n, &at);
    require(is_json(text) || why, "accepted what is not JSON");
    require(at <= text.n, "a fault beyond the end");
    struct view out;
    for (enum jqmap_result r; (r = jqmap_next(map, &out)) != JQMAP_END;) {
        require(r == JQMAP_VALUE, "the identity failed");
        require(is_json(out), "put out what is not JSON");
    }
    require(jqmap_next(map, &out) == JQMAP_END, "output after the end");
}

static void fuzz_row(struct view text) {
    static struct maprow_rule rule;
    if (!rule.classify) rule.classify = classify_new(NULL);
    struct arena texts = {0};
    struct ledger_row row;
    struct view said;
    if (maprow_read(text, &rule, &texts, &row, &said) == MAPROW_REQUEST) {
        require(row.tail_tokens == INT64_MIN || row.tail_tokens >= 0, "a negative tail");
        require(!(row.ttft_ns < 0 && row.ttft_ns != INT64_MIN && row.issued_ns != INT64_MIN), "a negative span");
        require(row.error_type.n <= CLASSIFY_TYPE_MAX, "a long error type");
    }
    arena_free(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct jqmap *map;
    if (!map) map = jqmap_new("identity", ".");
    struct view text = {(const char *)data, size};
    const char *unsupported;
    fuzz_program(map, text);
    fuzz_row(text);
    taken_for = format_detect(text, &unsupported);
    return 0;
}

#ifdef FUZZ_MAIN
static void one_file(FILE *f, const char *name) {
    struct buf b = {0};
    size_t n;
    while ((n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
        b.len += n;
    LLVMFuzzerTestOneInput((const uint8_t *)b.s, b.len);
    printf("%s: %s\n", name, taken_for ? taken_for : "unknown");
    buf_free(&b);
}

int main(int argc, char **argv) {
    die_init("jqmap_fuzz");
    if (argc == 1) one_file(stdin, "stdin");
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        require(f != NULL, "cannot open a file");
        one_file(f, argv[i]);
        fclose(f);
    }
}
#endif
