/* events_fuzz: the fast path of the event scanner against the full parser, and the string scanners against each other.
 *
 * Any bytes are read as lines.  Whatever the fast path accepts, the full parser must accept with the same facts, whichever
 * instructions scan the strings. */
#include <stdlib.h>

#include "event.h"
#include "fuzz.h"
#include "jstring.h"

static unsigned long long n_lines, n_fast, n_malformed;

#define CHECK(what) fuzz_require(what, "paths differ: " #what)

static bool same(struct view a, struct view b) { return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0); }

static bool same_part(const struct reply_part *a, const struct reply_part *b) {
    return a->form == b->form && a->first_text == b->first_text && a->rest_text == b->rest_text && same(a->raw, b->raw);
}

static void compare_labels(const struct event_labels *a, const struct event_labels *b) {
    static const struct event_labels none = {.turn = INT64_MIN, .intended_ns = INT64_MIN, .error_code = INT64_MIN};
    a = a ? a : &none;
    b = b ? b : &none;
    CHECK(same(a->conversation, b->conversation) && same(a->worker, b->worker));
    CHECK(same(a->finish_reason, b->finish_reason) && same(a->model, b->model) && same(a->schema, b->schema));
    CHECK(same(a->class_, b->class_) && same(a->tenant, b->tenant));
    CHECK(a->turn == b->turn && a->intended_ns == b->intended_ns);
    CHECK(a->error_code == b->error_code);
    CHECK(same(a->error_type, b->error_type) && same(a->error_message, b->error_message));
}

static void compare_facts(const struct event_facts *a, const struct event_facts *b) {
    static const struct event_facts none = {.input_tokens = INT64_MIN, .output_tokens = INT64_MIN};
    a = a ? a : &none;
    b = b ? b : &none;
    CHECK(a->payload == b->payload);
    CHECK(a->input_tokens == b->input_tokens && a->output_tokens == b->output_tokens);
    CHECK(a->has_hash == b->has_hash && (!a->has_hash || a->input_hash == b->input_hash));
    CHECK(same_part(&a->output, &b->output) && same_part(&a->reasoning, &b->reasoning));
    CHECK(a->tool_calls == b->tool_calls);
    compare_labels(a->labels, b->labels);
}

static void compare(const struct event *a, const struct event *b) {
    CHECK(a->kind == b->kind);
    CHECK(a->stamp == b->stamp);
    CHECK(same(a->id, b->id) && a->hash == b->hash);
    if (a->kind == EV_MALFORMED)
        CHECK(a->fault.why == b->fault.why && a->fault.offset == b->fault.offset);
    else
        compare_facts(a->facts, b->facts);
}

/* line[n] is its newline, EVENT_PAD bytes follow. */
static void try_line(struct event_parser *full, struct event_parser *fast, const char *line, size_t n) {
    n_lines++;
    event_parser_reset(full);
    char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read beyond the line */
    memcpy(exact, line, n);
    const struct event *want = event_parse(full, exact, n);
    n_malformed += want->kind == EV_MALFORMED;
    for (enum jstring_path path = JSTRING_SCALAR; path < JSTRING_BEST; path++) {
        if (!jstring_force_path(path)) continue;
        event_parser_reset(fast);
        bool usual = event_take_usual(fast, line, line + n + 1) > line;
        if (usual) compare(want, &fast->event.v[0]);
        n_fast += usual && path == JSTRING_SCALAR;
        const struct event *got = event_parse(fast, exact, n);
        compare(want, got);
    }
    jstring_force_path(JSTRING_BEST);
    free(exact);
}

static void try(struct view input) {
    struct event_parser full = {0}, fast = {0};
    char *text = calloc(input.n + 1 + EVENT_PAD, 1);
    memcpy(text, input.s, input.n);
    text[input.n] = '\n';
    for (char *s = text, *end = text + input.n; s <= end;) {
        char *newline = memchr(s, '\n', (size_t)(end - s) + 1);
        try_line(&full, &fast, s, (size_t)(newline - s));
        s = newline + 1;
    }
    free(text);
    event_parser_free(&full);
    event_parser_free(&fast);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}

void fuzz_tally(FILE *f) {
    fprintf(f, ", %llu lines, %llu by the fast path, %llu malformed", n_lines, n_fast, n_malformed);
}
