/* tokens_fuzz: the readers of tokenizer files, and counting, on any bytes.
 *
 * The bytes are a tokenizer.json, or else a rank file, with which a text that holds every kind of piece is counted; and
 * they are a text, to be counted.  Built with -Wl,--wrap=exit, so that a refused file ends the attempt only, as a fuzz
 * target of libFuzzer or AFL++ (without leak detection: what a refused file leaves allocated is lost), or with
 * -DFUZZ_MAIN as a program
 *
 *     tokens_fuzz COPIES FILE...
 *
 * that reads the files and COPIES damaged copies of each, the same ones every time, and prints how many were
 * accepted. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "tokjson.h"
#include "tokranks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);

static jmp_buf refused;
static bool reading;
static unsigned long long n_files, n_accepted;

_Noreturn void __wrap_exit(int status) {
    if (reading) longjmp(refused, 1);
    __real_exit(status);
}

static void require(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "tokens_fuzz: file %llu: %s\n", n_files, what);
    abort();
}

struct counted {
    const struct bpe *bpe;
    struct bpe_scratch *scratch;
    size_t bytes, tokens;
};

static void count(void *context, const char *s, size_t n) {
    struct counted *c = context;
    require(n > 0, "an empty piece");
    size_t tokens = bpe_count(c->bpe, c->scratch, s, n);
    require(tokens <= n, "more tokens than bytes");
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
    require(gaps > 0 || c.bytes == 0, "pieces of nothing");
    presplit_scratch_free(split);
    bpe_scratch_free(&scratch);
    normal_scratch_free(&normal);
}

static void read_file(struct view text) {
    static const char probe[] =
        "It's 12345 \xC3\xA9\x65\xCC\x81 \xE4\xB8\xAD\xE6\x96\x87\r\n\n  x<|end|>\xF0\x9F\x98\x80 \t word words \x00.";
    struct tokmodel *volatile m = tokmodel_new();
    n_files++;
    reading = true;
    if (!setjmp(refused)) {
        if (text.n > 0 && text.s[0] == '{')
            tokjson_read(m, "file", text);
        else
            tokranks_read(m, "file", text);
        count_text(m, (struct view){probe, sizeof probe - 1});
        n_accepted++;
    }
    reading = false;
    tokmodel_free(m);
}

/* The whole pipeline over the text, with tokens of single bytes and a few merges. */
static void count_as_text(struct view text) {
    static struct tokmodel *m;
    if (!m) {
        m = tokmodel_new();
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
    }
    struct buf valid = {0};
    buf_add(&valid, text.s, text.n);
    make_valid(valid.s, valid.len);
    count_text(m, (struct view){valid.s, valid.len});
    buf_free(&valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a read beyond the text */
    memcpy(exact, data, size);
    read_file((struct view){exact, size});
    count_as_text((struct view){exact, size});
    free(exact);
    return 0;
}

#ifdef FUZZ_MAIN
static uint32_t next_random(void) {
    static uint64_t x = 1;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(x >> 33);
}

/* Damage a copy in one to three places: a byte that matters, a flipped bit, a stretch cut out or written elsewhere. */
static void damage(struct buf *b) {
    static const char bytes[] = "\"\\{}[],: 09=+/tfn\n\x80\xc4\xff";
    for (uint32_t k = next_random() % 3 + 1; k > 0 && b->len > 64; k--) {
        size_t at = next_random() % (b->len - 32), from = next_random() % (b->len - 32), n = next_random() % 32;
        if (next_random() % 2) at %= 1024; /* the interesting part of a tokenizer.json */
        switch (next_random() % 4) {
        case 0: b->s[at] = bytes[next_random() % (sizeof bytes - 1)]; break;
        case 1: b->s[at] ^= (char)(1 << next_random() % 8); break;
        case 2: memmove(b->s + at, b->s + from, n); break;
        default: memmove(b->s + at, b->s + at + n, b->len - at - n); b->len -= n;
        }
    }
}

int main(int argc, char **argv) {
    die_init("tokens_fuzz");
    long copies = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    for (int i = 2; i < argc; i++) {
        struct buf b = {0}, copy = {0};
        FILE *f = fopen(argv[i], "rb");
        require(f != NULL, "cannot be opened");
        for (size_t n; (n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0;)
            b.len += n;
        fclose(f);
        LLVMFuzzerTestOneInput((const uint8_t *)b.s, b.len);
        for (long k = 0; k < copies; k++) {
            buf_clear(&copy);
            buf_add(&copy, b.s, b.len);
            damage(&copy);
            LLVMFuzzerTestOneInput((const uint8_t *)copy.s, copy.len);
        }
        buf_free(&b);
        buf_free(&copy);
    }
    printf("%llu files, %llu accepted\n", n_files, n_accepted);
    return 0;
}
#endif
