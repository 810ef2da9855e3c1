/* doc_fuzz: JSON documents against jansson's own reading.
 *
 * What jansson reads is read with the same values, and nothing else but integers that need a double; what is written reads
 * back as the same bytes, as JSON and as lines of path and value. */
#include "doc.h"
#include "fuzz.h"

#define VIEW(b) ((struct view){(b).s, (b).len})

static void try_lines(const json_t *v) {
    struct buf lines = {0}, again = {0};
    int line;
    doc_flatten(&lines, v);
    json_t *back = doc_unflatten(lines.s, lines.len, &line);
    fuzz_require(back != NULL, "lines that are not read back");
    doc_flatten(&again, back);
    fuzz_same(VIEW(lines), VIEW(again), "lines of path and value");
    json_decref(back);
    buf_free(&lines);
    buf_free(&again);
}

static void try(struct view input) {
    char why[128];
    int line = 0;
    json_error_t e;
    json_t *v = doc_parse(input.s, input.n, why, &line);
    json_t *w = json_loadb(input.s, input.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (w)
        fuzz_require(v && json_equal(v, w), "read otherwise than by jansson");
    else
        fuzz_require(!v || json_error_code(&e) == json_error_numeric_overflow, "read, and not by jansson");
    fuzz_require(v || (line > 0 && why[0]), "no reason");
    json_decref(w);
    if (v) {
        struct buf text = {0}, again = {0};
        doc_dump(&text, v);
        json_t *back = doc_parse(text.s, text.len, why, &line);
        fuzz_require(back != NULL, "what was written is not read");
        doc_dump(&again, back);
        fuzz_same(VIEW(text), VIEW(again), "JSON after JSON");
        if (json_is_object(v) && json_object_size(v) > 0) try_lines(v);
        json_decref(back);
        buf_free(&text);
        buf_free(&again);
        json_decref(v);
    } else {
        json_t *any = doc_unflatten(input.s, input.n, &line);
        if (json_is_object(any) && json_object_size(any) > 0) try_lines(any);
        json_decref(any);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
