/* events_fuzz: the fast path of the event scanner against the full parser, and the string scanners against each other.
 *
 * Any bytes are read as lines.  Whatever the fast path accepts, the full parser must accept with the same facts, whichever
 * instructions scan the strings.  Built with libFuzzer or AFL++ as a fuzz target, or with -DFUZZ_MAIN as a program
 *
 *     events_fuzz COPIES [FILE...]
 *
 * that reads files (none: stdin) and COPIES damaged copies of each of their lines, the same ones every time, and prints how
 * many lines took the fast path. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
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
    return a->form == b->form && a->first_text == b->first_text && a->rest_text == b->rest_text && same(a->raw, b->raw);
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

/* line[n] is its newline, EVENT_PAD bytes follow. */
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
    char *text = calloc(size + 1 + EVENT_PAD, 1);
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
static uint32_t next_random(void) {
    static uint64_t x = 1;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(x >> 33);
}

/* Damage the text in one to three places: a byte of its own from elsewhere, a byte that matters, or a cut. */
static void mutate(struct buf *b) {
    static const char bytes[] =
        "\"\\{}[],:0123456789-+.eEnulltrfs \t\r\n\x01\x7f\x80\xc3\xa9\xe2\x82\xac\xed\xa0\xf4\x90\xff";
    for (uint32_t k = next_random() % 3 + 1; k > 0 && b->len > 1; k--) {
        size_t at = next_random() % b->len, from = next_random() % b->len, n = next_random() % 8;
        switch (next_random() % 5) {
        case 0: b->s[at] = bytes[next_random() % (sizeof bytes - 1)]; break;
        case 1: b->s[at] = b->s[from]; break;
        case 2: b->s[at] ^= (char)(1 << next_random() % 8); break;
        case 3: /* cut out */
            if (at + n > b->len) n = b->len - at;
            memmove(b->s + at, b->s + at + n, b->len - at - n);
            b->len -= n;
            break;
        default: /* put in */
            if (from + n > b->len) n = b->len - from;
            buf_room(b, n);
            memmove(b->s + at + n, b->s + at, b->len - at);
            memmove(b->s + at, b->s + from, n); /* from may have moved: any bytes will do */
            b->len += n;
        }
    }
}

static void run(FILE *f, const char *name, long copies) {
    struct buf b = {0}, m = {0};
    size_t n;
    while ((n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
        b.len += n;
    if (ferror(f)) {
        perror(name);
        exit(2);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)b.s, b.len);
    for (const char *s = b.s, *end = b.s + b.len, *newline; s < end; s = newline + 1) {
        newline = memchr(s, '\n', (size_t)(end - s));
        if (!newline) break;
        for (long k = 0; k < copies; k++) {
            buf_clear(&m);
            buf_add(&m, s, (size_t)(newline - s));
            mutate(&m);
            LLVMFuzzerTestOneInput((const uint8_t *)m.s, m.len);
        }
    }
    buf_free(&b);
    buf_free(&m);
}

int main(int argc, char **argv) {
    long copies = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (argc < 3) run(stdin, "stdin", copies);
    for (int i = 2; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return 2;
        }
        run(f, argv[i], copies);
        fclose(f);
    }
    printf("%llu lines, %llu by the fast path, %llu malformed\n", n_lines, n_fast, n_malformed);
    event_parser_free(&full);
    event_parser_free(&fast);
    return 0;
}
#endif
