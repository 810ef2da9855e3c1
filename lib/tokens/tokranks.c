#include "tokranks.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "splitter.h"

#define SPECIALS 10

static const struct encoding {
    const char *name;
    size_t ranks;
    const char *regex;
    enum normal_form form;
    const char *special[SPECIALS];
    const char *numbered; /* special tokens with a number from first to last */
    int first, last;
} encoding[] = {
    {.name = "r50k_base", .ranks = 50256, .regex = splitter_gpt2, .special = {"<|endoftext|>"}},
    {.name = "p50k_base",
     .ranks = 50280,
     .regex = splitter_gpt2,
     .special = {"<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"}},
    {.name = "cl100k_base",
     .ranks = 100256,
     .regex = splitter_cl100k,
     .special = {"<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>"}},
    {.name = "Llama 3",
     .ranks = 128000,
     .regex = splitter_cl100k,
     .special = {"<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
                 "<|eom_id|>", "<|python_tag|>", "<|step_id|>", "<|finetune_right_pad_id|>"},
     .numbered = "<|reserved_special_token_%d|>",
     .last = 250},
    {.name = "Qwen",
     .ranks = 151643,
     .regex = splitter_qwen2,
     .form = NORMAL_NFC,
     .special = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"},
     .numbered = "<|extra_%d|>",
     .last = 204},
    {.name = "o200k_harmony", /* o200k_base and more special tokens */
     .ranks = 199998,
     .regex = splitter_o200k,
     .special = {"<|startoftext|>", "<|endoftext|>", "<|endofprompt|>", "<|return|>", "<|constrain|>", "<|channel|>",
                 "<|start|>", "<|end|>", "<|message|>", "<|call|>"},
     .numbered = "<|reserved_%d|>",
     .first = 200000,
     .last = 201087},
};

static const struct encoding *encoding_of(size_t ranks) {
    for (size_t i = 0; i < sizeof encoding / sizeof *encoding; i++)
        if (encoding[i].ranks == ranks) return &encoding[i];
    return NULL;
}

static int sextet(char c) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digit, c) : NULL;
    return at ? (int)(at - digit) : -1;
}

/* Decode padded base64, appended to b. */
static bool base64(struct buf *b, const char *s, size_t n) {
    if (n % 4 != 0) return false;
    for (size_t i = 0; i < n; i += 4) {
        size_t given = i + 4 < n || s[i + 3] != '=' ? 4 : s[i + 2] != '=' ? 3 : 2;
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            int v = k < given ? sextet(s[i + k]) : 0;
            if (v < 0) return false;
            bits = bits << 6 | (uint32_t)v;
        }
        char byte[3] = {(char)(bits >> 16), (char)(bits >> 8), (char)bits};
        buf_add(b, byte, given - 1);
    }
    return n > 0;
}

static void add_specials(struct tokmodel *m, const struct encoding *e) {
    for (size_t i = 0; i < SPECIALS && e->special[i]; i++)
        added_token(&m->as_written, (struct view){e->special[i], strlen(e->special[i])}, 0);
    struct buf name = {0};
    for (int i = e->first; e->numbered && i <= e->last; i++) {
        buf_clear(&name);
        buf_printf(&name, e->numbered, i);
        added_token(&m->as_written, (struct view){name.s, name.len}, 0);
    }
    buf_free(&name);
}

static void read_line(struct tokmodel *m, const char *file, long long line, struct view text, struct buf *token,
                      int64_t *rank) {
    const char *space = memchr(text.s, ' ', text.n);
    size_t n = space ? (size_t)(space - text.s) : text.n;
    buf_clear(token);
    if (!space || !base64(token, text.s, n) || !num_int(space + 1, text.n - n - 1, rank) || *rank < 0 ||
        *rank >= UINT32_MAX)
        die_at(file, line,
               "neither a tokenizer.json nor a line of a tiktoken file (token in base64, space, rank); count with "
               "--tokens-cmd");
    size_t before = m->bpe.token.name.n;
    if (bpe_token(&m->bpe, (struct view){token->s, token->len}) < before)
        die_at(file, line, "a token that came before");
}

const char *tokranks_read(struct tokmodel *m, const char *file, struct view text) {
    struct buf token = {0};
    VEC(int64_t) rank = {0}; /* of each token */
    long long line = 1;
    for (const char *p = text.s, *end = text.s + text.n, *stop; p < end; p = stop + 1, line++) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        size_t n = (size_t)(stop - p);
        if (n > 0 && p[n - 1] == '\r') n--;
        if (n == 0) continue;
        int64_t this;
        read_line(m, file, line, (struct view){p, n}, &token, &this);
        vec_push(&rank, this);
    }
    if (rank.n == 0) die("%s: no tokens", file);
    for (size_t i = 0; i < rank.n; i++)
        bpe_splits(&m->bpe, (uint32_t)i, (uint32_t)rank.v[i]);
    for (int byte = 0; byte < 256; byte++) { /* else text would vanish from the count */
        size_t before = m->bpe.token.name.n;
        char c = (char)byte;
        if (bpe_token(&m->bpe, (struct view){&c, 1}) >= before)
            die("%s: no token for the byte %d: text that holds it could not be counted", file, byte);
    }
    size_t n = rank.n;
    m->bpe.whole_words = true;
    bpe_ready(&m->bpe);
    buf_free(&token);
    vec_free(&rank);

    const struct encoding *e = encoding_of(n);
    char error[PATTERN_ERROR];
    const char *regex = e ? e->regex : splitter_cl100k;
    presplit_split(&m->split, (struct view){regex, strlen(regex)}, PRESPLIT_ISOLATED, false, error);
    if (!e) return NULL;
    m->form = e->form;
    add_specials(m, e);
    return e->name;
}
