/* text: one pool of words; prompts and replies are stretches of it, copied whole. */

#include <string.h>

#include "synth.h"

#define N_WORDS 65536 /* a power of two: places are taken modulo it */

static struct buf joined; /* " w0 w1\\nw2" */
static struct buf strings; /* "\" w0\",\" w1\",\"\\nw2\"," */
static uint32_t joined_at[N_WORDS + 1], strings_at[N_WORDS + 1];

static void letter(struct buf *word, uint64_t bits, double escape_share) {
    static const char letters[] = "etaoinshrdlucmfwypvbgkqjxz";
    static const char *const escapes[] = {"\\\"", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\\"", "\\b", "\\u4e2d", "\\\\"};
    static const char *const wide[] = {"é", "ß", "中", "文", "→", "😀"};
    double u = (double)(bits >> 11) * 0x1p-53;
    if (u < escape_share)
        buf_str(word, escapes[bits & 7]);
    else if (u > 0.995)
        buf_str(word, wide[bits % 6]);
    else
        buf_char(word, letters[(bits & 31) * (bits >> 5 & 31) * 26 / 1024]);
}

void text_init(double escapes_per_kb) {
    /* of letters and of spaces; ten backslashes in eight escapes, one in a line break */
    double share = escapes_per_kb / 1.25 / 1024;
    struct buf word = {0};
    uint64_t n = 0;
    for (int i = 0; i < N_WORDS; i++) {
        joined_at[i] = (uint32_t)joined.len;
        strings_at[i] = (uint32_t)strings.len;
        buf_clear(&word);
        int length = 1 + (int)(rand_bits(RAND_TEXT, n++) % 6);
        while (length-- > 0)
            letter(&word, rand_bits(RAND_TEXT, n++), share);
        const char *space = rand_unit(RAND_TEXT, n++) < share ? "\\n" : " ";
        buf_str(&joined, space);
        buf_add(&joined, word.s, word.len);
        buf_char(&strings, '"');
        buf_str(&strings, space);
        buf_add(&strings, word.s, word.len);
        buf_str(&strings, "\",");
    }
    joined_at[N_WORDS] = (uint32_t)joined.len;
    strings_at[N_WORDS] = (uint32_t)strings.len;
    buf_free(&word);
}

static void stretch(struct buf *b, const struct buf *pool, const uint32_t *at, uint64_t from, int64_t n) {
    from %= N_WORDS;
    while (n > 0) {
        int64_t part = n < (int64_t)(N_WORDS - from) ? n : (int64_t)(N_WORDS - from);
        buf_add(b, pool->s + at[from], at[from + (uint64_t)part] - at[from]);
        n -= part;
        from = 0;
    }
}

void text_words(struct buf *b, uint64_t from, int64_t n, bool bare) {
    size_t start = b->len;
    stretch(b, &joined, joined_at, from, n);
    if (bare && n > 0) {
        size_t space = b->s[start] == '\\' ? 2 : 1;
        b->len -= space;
        memmove(b->s + start, b->s + start + space, b->len - start);
    }
}

void text_strings(struct buf *b, uint64_t from, int64_t n) {
    stretch(b, &strings, strings_at, from, n);
    if (n > 0) b->len--; /* the comma after the last */
}

void text_bytes(struct buf *b, uint64_t from, int64_t n) {
    size_t end = b->len + (size_t)n;
    while (b->len < end) {
        int64_t words = (int64_t)(end - b->len) / 8;
        stretch(b, &joined, joined_at, from, words > 0 ? words : 1);
        from += (uint64_t)(words > 0 ? words : 1);
    }
}
