/* events_fuzz: the fast path of the event scanner against the full parser, and the string scanners against each other.
 *
 * Any bytes are read as lines.  Whatever the fast path accepts, the full parser must accept with the same facts, whichever
 * instructions scan the strings.  Built with libFuzzer or AFL++ as a fuzz target, or with -DFUZZ_MAIN as a program that
 * reads files (none: stdin) and prints how many lines took the fast path. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "jtok.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long long n_lines, n_fast, n_malformed;

#define CHECK(what)                                                                                                    \
    do                                                                                                                 \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "events_fuzz: line %llu: paths differ: %s\n", n_lines, #what);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    while (0)

static bool same(struct view a, struct view b) { return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0); }

static bool same_part(const struct reply_part *a, const struct reply_part *b) {
    return a->form == b->form && a->first_text == b->first_text && a->rest_text == b->rest_text &&
           same(a->raw, b->raw);
}

static void compare_facts(const struct event_facts *a, const struct event_facts *b) {
    static const struct event_facts none = {.turn = INT64_MIN,
                                            .intended_ns = INT64_MIN,
                                            .input_tokens = INT64_MIN,
                                            .output_tokens = INT64_MIN,
                                            .error_code = INT64_MIN};
    a = a ? a : &none;
    b = b ? b : &none;
    CHECK(a->payload == b->payload);
    CHECK(same(a->conversation, b->conversation) && same(a->worker, b->worker));
    CHECK(same(a->finish_reason, b->finish_reason) && same(a->model, b->model) && same(a->schema, b->schema));
    CHECK(same(a->class_, b->class_) && same(a->tenant, b->tenant));
    CHECK(a->turn == b->turn && a->intended_ns == b->intended_ns);
    CHECK(a->input_tokens == b->input_tokens && a->output_tokens == b->output_tokens);
    CHECK(a->has_hash == b->has_hash && (!a->has_hash || a->input_hash == b->input_hash));
    CHECK(same_part(&a->output, &b->output) && same_part(&a->reasoning, &b->reasoning));
    CHECK(a->tool_calls == b->tool_calls && a->error_code == b->error_code);
    CHECK(same(a->error_type, b->error_type) && same(a->error_message, b->error_message));
}

static void compare(const struct event *a, const struct event *b) {
    CHECK(a->kind == b->kind);
    CHECK(a->stamp == b->stamp);
    CHECK(same(a->id, b->id) && a->hash == b->hash);
    CHECK(a->malformed == b->malformed);
    compare_facts(a->facts, b->facts);
}

static struct event_parser full, fast;

/* line[n] is its newline, EVENTS_PAD bytes follow. */
static void try_line(const char *line, size_t n) {
    n_lines++;
    event_parser_reset(&full);
    char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read beyond the line */
    memcpy(exact, line, n);
    const struct event *want = event_parse(&full, exact, n);
    n_malformed += want->kind == EV_MALFORMED;
    for (enum jtok_path path = JTOK_SCALAR; path < JTOK_BEST; path++) {
        if (!jtok_force_path(path)) continue;
        event_parser_reset(&fast);
        const struct event *got = event_parse_fast(&fast, line, n + 1);
        if (got) compare(want, got);
        n_fast += got && path == JTOK_SCALAR;
        got = event_parse(&fast, exact, n);
        compare(want, got);
        CHECK(want->offset == got->offset || want->kind != EV_MALFORMED);
    }
    jtok_force_path(JTOK_BEST);
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(size + 1 + EVENTS_PAD, 1);
    memcpy(text, data, size);
    text[size] = '\n';
    for (char *s = text, *end = text + size; s <= end;) {
        char *newline = memchr(s, '\n', (size_t)(end - s) + 1);
        try_line(s, (size_t)(newline - s));
        s = newline + 1;
    }
    free(text);
    return 0;
}

#ifdef FUZZ_MAIN
static void run(FILE *f, const char *name) {
    struct buf b = {0};
    size_t n;
    while ((n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
        b.len += n;
    if (ferror(f)) {
        perror(name);
        exit(2);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)b.s, b.len);
    buf_free(&b);
}

int main(int argc, char **argv) {
    if (argc < 2) run(stdin, "stdin");
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return 2;
        }
        run(f, argv[i]);
        fclose(f);
    }
    printf("%llu lines, %llu by the fast path, %llu malformed\n", n_lines, n_fast, n_malformed);
    event_parser_free(&full);
    event_parser_free(&fast);
    return 0;
}
#endif
