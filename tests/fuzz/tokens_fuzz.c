/* tokens_fuzz: the readers of tokenizer files, and counting, on any bytes.
 *
 * The bytes are a tokenizer.json, or else a rank file, with which a text that holds every kind of piece is counted; and
 * they are a text, to be counted. */
#include <stdlib.h>

#include "fuzz.h"
#include "tokjson.h"
#include "tokranks.h"

static unsigned long long n_files;

struct counted {
    const struct bpe *bpe;
    struct bpe_scratch *scratch;
    size_t bytes, tokens;
};

static void count(void *context, const char *s, size_t n) {
    struct counted *c = context;
    fuzz_require(n > 0, "an empty piece");
    size_t tokens = bpe_count(c->bpe, c->scratch, s, n);
    fuzz_require(tokens <= n, "more tokens than bytes");
    c->bytes += n;
    c->tokens += tokens;
}

/* Valid UTF-8 of the same length: bytes that are not ASCII become characters of two bytes, or an e at the end. */
static void make_valid(char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)s[i] < 0x80) continue;
        if (i + 1 == n) {
            s[i] = 'e';
            break;
        }
        s[i] = (char)(0xC3 | (s[i] & 8));
        i++;
        s[i] = (char)(0x80 | (s[i] & 0x3F));
    }
}

static void count_text(const struct tokmodel *m, struct view text) {
    struct bpe_scratch scratch = {0};
    struct normal_scratch normal = {0};
    struct presplit_scratch *split = presplit_scratch_new(&m->split);
    struct counted c = {.bpe = &m->bpe, .scratch = &scratch};
    struct added_walk walk = {.text = text};
    size_t gaps = 0;
    while (added_next(&m->as_written, m->classes, &walk)) {
        struct view plain = normal_apply(m->form, &normal, walk.before);
        gaps += plain.n;
        presplit_run(&m->split, split, plain, count, &c);
    }
    fuzz_require(gaps > 0 || c.bytes == 0, "pieces of nothing");
    presplit_scratch_free(split);
    bpe_scratch_free(&scratch);
    normal_scratch_free(&normal);
}

static void read_file(struct view text) {
    static const char probe[] =
        "It's 12345 \xC3\xA9\x65\xCC\x81 \xE4\xB8\xAD\xE6\x96\x87\r\n\n  x<|end|>\xF0\x9F\x98\x80 \t word words \x00.";
    struct tokmodel *m = tokmodel_new();
    if (text.n > 0 && text.s[0] == '{')
        tokjson_read(m, "file", text);
    else
        tokranks_read(m, "file", text);
    fuzz_accepted();
    count_text(m, (struct view){probe, sizeof probe - 1});
    tokmodel_free(m);
}

/* Tokens of single bytes and a few merges. */
static struct tokmodel *small_model(void) {
    struct tokmodel *m = tokmodel_new();
    char error[PATTERN_ERROR];
    for (int i = 0; i < 256; i++)
        bpe_token(&m->bpe, (struct view){(char[]){(char)i}, 1});
    static const char *const longer[] = {"th", "the", "in", "ing", "  ", "aa", "aaaa", "\r\n"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        bpe_splits(&m->bpe, bpe_token(&m->bpe, (struct view){longer[i], strlen(longer[i])}), (uint32_t)i);
    bpe_ready(&m->bpe);
    m->form = NORMAL_NFC;
    added_token(&m->as_written, (struct view){"<|end|>", 7}, ADDED_STRIP_LEFT | ADDED_STRIP_RIGHT);
    added_token(&m->as_written, (struct view){"in", 2}, ADDED_SINGLE_WORD);
    presplit_split(&m->split, (struct view){"\\p{N}{1,3}", 10}, PRESPLIT_CONTIGUOUS, false, error);
    presplit_split(&m->split, (struct view){"[^\\S ]|x*", 9}, PRESPLIT_MERGED_WITH_NEXT, true, error);
    presplit_byte_level(&m->split, true, true);
    return m;
}

static struct tokmodel *small;

static void count_as_text(struct view text) {
    fuzz_accepted();
    struct buf valid = {0};
    buf_add(&valid, text.s, text.n);
    make_valid(valid.s, valid.len);
    count_text(small, (struct view){valid.s, valid.len});
    buf_free(&valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct view text = {(const char *)data, size};
    if (!small) small = small_model();
    n_files += fuzz_attempt(read_file, text);
    fuzz_attempt(count_as_text, text);
    return 0;
}

void fuzz_tally(FILE *f) { fprintf(f, ", %llu tokenizers", n_files); }
