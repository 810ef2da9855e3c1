#include "jtok.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { VALUE, FIRST_KEY, NEXT_KEY, FIRST_ITEM, AFTER, FAILED };

/* Strings */

static bool is_hex(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

/* Bytes of the escape at p (a backslash), 0 = not one. */
static size_t escape_len(const char *p, const char *end) {
    if (end - p < 2) return 0;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return 2;
    case 'u': return end - p >= 6 && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
    default: return 0;
    }
}

static bool is_tail(char c) { return (signed char)c < (signed char)0xC0; /* 80..BF */ }

/* Bytes of the UTF-8 sequence at p (a byte >= 80), 0 = invalid: overlong, surrogate, above U+10FFFF, cut off. */
static size_t utf8_len(const char *p, const char *end) {
    const unsigned char *u = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    if (u[0] < 0xC2 || u[0] > 0xF4) return 0;
    if (u[0] < 0xE0) return left >= 2 && is_tail(p[1]) ? 2 : 0;
    if (u[0] < 0xF0) {
        if (left < 3 || !is_tail(p[1]) || !is_tail(p[2])) return 0;
        return (u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ? 0 : 3;
    }
    if (left < 4 || !is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3])) return 0;
    return (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F) ? 0 : 4;
}

/* Past the escape or the run of non-ASCII characters at p; p itself where that is neither (the end of the scan). */
static const char *past_special(const char *p, const char *end, bool *escaped) {
    if (*p == '\\') {
        size_t n = escape_len(p, end);
        *escaped |= n != 0;
        return p + n;
    }
    while (p < end && (signed char)*p < 0) {
        size_t n = utf8_len(p, end);
        if (n == 0) break;
        p += n;
    }
    return p;
}

static bool is_plain(char c) { return (signed char)c >= 0x20 && c != '"' && c != '\\'; }

static const char *scan_scalar(const char *p, const char *end, bool *escaped) {
    while (p < end) {
        if (is_plain(*p)) {
            p++;
            continue;
        }
        const char *q = past_special(p, end, escaped);
        if (q == p) break;
        p = q;
    }
    return p;
}

/* Element by element; string_end is the scanner to use. */
static inline const char *each_string(const char *p, const char *end, bool *text,
                                      const char *(*string_end)(const char *, const char *, bool *)) {
    bool escaped = false;
    while (end - p >= 2 && p[0] == ',' && p[1] == '"') {
        const char *q = string_end(p + 2, end, &escaped);
        if (q >= end || *q != '"') return NULL;
        *text |= q > p + 2;
        p = q + 1;
    }
    return p < end && *p == ']' ? p + 1 : NULL;
}

static const char *strings_scalar(const char *p, const char *end, bool *text) {
    return each_string(p, end, text, scan_scalar);
}

#if defined(__x86_64__)

/* One bit per byte that is not plain: quote, backslash, control or non-ASCII (as signed bytes, both are < 20). */
static inline unsigned special16(const char *p) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(hit, _mm_cmplt_epi8(x, _mm_set1_epi8(0x20))));
}

static const char *scan_128(const char *p, const char *end, bool *escaped) {
    while (end - p >= 16) {
        unsigned hit = special16(p);
        if (hit == 0) {
            p += 16;
            continue;
        }
        p += __builtin_ctz(hit);
        const char *q = past_special(p, end, escaped);
        if (q == p) return p;
        p = q;
    }
    return scan_scalar(p, end, escaped);
}

/* Bits of the bytes that a backslash escapes, in a block whose first byte is not escaped itself.  *cut: the last byte
 * starts an escape.  A run of backslashes escapes every second byte after its start: adding the odd-placed starts to the
 * backslashes carries through each run, and the parity of the place where it comes out tells. */
static inline uint64_t escaped_bits(uint64_t bs, bool *cut) {
    const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
    uint64_t follows = bs << 1, sum;
    uint64_t odd_starts = bs & odd & ~follows;
    *cut = __builtin_add_overflow(odd_starts, bs, &sum);
    return (~odd ^ (sum << 1)) & follows;
}

struct block64 {
    __m256i lo, hi;
};

__attribute__((target("avx2"))) static inline uint64_t bits64(__m256i lo, __m256i hi) {
    return (uint32_t)_mm256_movemask_epi8(lo) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

__attribute__((target("avx2"))) static inline uint64_t equal64(struct block64 b, char c) {
    __m256i v = _mm256_set1_epi8(c);
    return bits64(_mm256_cmpeq_epi8(b.lo, v), _mm256_cmpeq_epi8(b.hi, v));
}

/* Which bytes may follow a backslash: " \ / b f n r t (u not among them: its digits are checked one by one).  The two
 * halves of a byte look up bits; a bit common to both says yes. */
__attribute__((target("avx2"))) static inline __m256i escapable(__m256i x) {
    const __m256i by_low = _mm256_setr_epi8(0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1, /* twice */
                                            0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    const __m256i by_high = _mm256_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, /* twice */
                                             0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
    __m256i common = _mm256_and_si256(_mm256_shuffle_epi8(by_low, x), _mm256_shuffle_epi8(by_high, high));
    return _mm256_cmpgt_epi8(common, _mm256_setzero_si256());
}

/* 64 bytes a step.  Escapes are resolved a block at a time, so text full of \n and \" costs little more than plain text;
 * what is neither plain nor a short escape (the closing quote, a fault, \u, a non-ASCII character) is settled by itself. */
__attribute__((target("avx2,bmi"))) static const char *scan_256(const char *p, const char *end, bool *escaped) {
    const __m256i quote = _mm256_set1_epi8('"'), slash = _mm256_set1_epi8('\\'), space = _mm256_set1_epi8(0x20);
    while (end - p >= 64) {
        struct block64 b = {_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))};
        __m256i bs_lo = _mm256_cmpeq_epi8(b.lo, slash), bs_hi = _mm256_cmpeq_epi8(b.hi, slash);
        __m256i stop_lo = _mm256_or_si256(_mm256_cmpeq_epi8(b.lo, quote), _mm256_cmpgt_epi8(space, b.lo));
        __m256i stop_hi = _mm256_or_si256(_mm256_cmpeq_epi8(b.hi, quote), _mm256_cmpgt_epi8(space, b.hi));
        __m256i any = _mm256_or_si256(_mm256_or_si256(bs_lo, bs_hi), _mm256_or_si256(stop_lo, stop_hi));
        if (_mm256_testz_si256(any, any)) {
            p += 64;
            continue;
        }
        uint64_t bs = bits64(bs_lo, bs_hi), stop = bits64(stop_lo, stop_hi), target = 0;
        bool cut = false; /* the block ends in a backslash: step back to it, see its escape whole */
        if (bs != 0) {
            target = escaped_bits(bs, &cut);
            stop = (stop & ~target) | (target & ~bits64(escapable(b.lo), escapable(b.hi)));
        }
        size_t step = cut ? 63 : 64;
        while (stop != 0) {
            size_t i = (size_t)__builtin_ctzll(stop), n = 1;
            if (target >> i & 1) {
                if (escape_len(p + i - 1, end) != 6) return p + i - 1;
            } else {
                n = (signed char)p[i] < 0 ? utf8_len(p + i, end) : 0;
                if (n == 0) {
                    *escaped |= (bs & (((uint64_t)1 << i) - 1)) != 0;
                    return p + i;
                }
            }
            if (i + n >= 64) { /* a character that ends in the next block */
                step = i + n;
                break;
            }
            stop &= ~(uint64_t)0 << (i + n);
        }
        *escaped |= bs != 0;
        p += step;
    }
    return scan_128(p, end, escaped);
}

/* Bit i: an odd number of bits up to and with i. */
static inline uint64_t parity_up_to(uint64_t x) {
    for (unsigned k = 1; k < 64; k *= 2)
        x ^= x << k;
    return x;
}

/* One string per token means a quote every few bytes: here 64 bytes are a step, however many strings they hold.  Bits of
 * a block: quotes toggle inside and outside; what stands outside must be the commas (or the bracket that ends it all),
 * one after each closing quote and one before each opening quote.  Where a byte of the block needs a closer look (escape,
 * control character, non-ASCII), a string is taken by itself. */
__attribute__((target("avx2,bmi"))) static const char *strings_256(const char *p, const char *end, bool *text) {
    bool in = false, closed = true, comma = false; /* p is inside a string; past a closing quote; past a comma */
    const __m256i slash = _mm256_set1_epi8('\\'), space = _mm256_set1_epi8(0x20);
    while (end - p >= 64) {
        struct block64 b = {_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))};
        __m256i odd_lo = _mm256_or_si256(_mm256_cmpeq_epi8(b.lo, slash), _mm256_cmpgt_epi8(space, b.lo));
        __m256i odd_hi = _mm256_or_si256(_mm256_cmpeq_epi8(b.hi, slash), _mm256_cmpgt_epi8(space, b.hi));
        uint64_t odd = bits64(odd_lo, odd_hi), quotes = equal64(b, '"');
        uint64_t inside = parity_up_to(quotes) ^ (in ? ~(uint64_t)0 : 0); /* opening quotes too, closing ones not */
        uint64_t closing = quotes & ~inside, outside = ~(inside | quotes);
        uint64_t bracket = outside & equal64(b, ']');
        uint64_t valid = bracket ? bracket ^ (bracket - 1) : ~(uint64_t)0; /* up to and with the bracket */
        if (odd & valid) {
            if (in) {
                bool escaped = false;
                const char *q = scan_256(p, end, &escaped);
                if (q >= end || *q != '"') return NULL;
                *text |= q > p;
                p = q + 1;
                in = false;
                closed = true;
            } else if (closed) {
                if (*p++ != ',') return NULL;
                closed = false;
                comma = true;
            } else {
                if (*p++ != '"') return NULL;
                comma = false;
                in = true;
            }
            continue;
        }
        uint64_t commas = outside & equal64(b, ',') & valid;
        uint64_t last = bracket & valid;
        if (((closing << 1 | closed) & valid) != ((commas | last) & valid) || (outside & valid) != (commas | last) ||
            ((commas << 1 | comma) & valid) != (quotes & inside & valid))
            return NULL;
        *text |= (inside & ~quotes & valid) != 0;
        if (last) return p + __builtin_ctzll(last) + 1;
        in = inside >> 63;
        closed = closing >> 63;
        comma = commas >> 63;
        p += 64;
    }
    if (in) {
        bool escaped = false;
        const char *q = scan_128(p, end, &escaped);
        if (q >= end || *q != '"') return NULL;
        *text |= q > p;
        p = q + 1;
    } else if (comma) {
        p--;
    }
    return each_string(p, end, text, scan_128);
}

static const char *strings_128(const char *p, const char *end, bool *text) {
    return each_string(p, end, text, scan_128);
}

#elif defined(__aarch64__)

/* Four bits per byte that is not plain: quote, backslash, control or non-ASCII. */
static inline uint64_t special16(const char *p) {
    uint8x16_t x = vld1q_u8((const uint8_t *)p);
    uint8x16_t hit = vorrq_u8(vceqq_u8(x, vdupq_n_u8('"')), vceqq_u8(x, vdupq_n_u8('\\')));
    hit = vorrq_u8(hit, vreinterpretq_u8_s8(vreinterpretq_s8_u8(vcltq_s8(vreinterpretq_s8_u8(x), vdupq_n_s8(0x20)))));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(hit), 4)), 0);
}

static const char *scan_128(const char *p, const char *end, bool *escaped) {
    while (end - p >= 16) {
        uint64_t hit = special16(p);
        if (hit == 0) {
            p += 16;
            continue;
        }
        p += __builtin_ctzll(hit) / 4;
        const char *q = past_special(p, end, escaped);
        if (q == p) return p;
        p = q;
    }
    return scan_scalar(p, end, escaped);
}

static const char *strings_128(const char *p, const char *end, bool *text) {
    return each_string(p, end, text, scan_128);
}

#endif

/* Dispatch */

static const char *(*scan)(const char *p, const char *end, bool *escaped) = scan_scalar;
static const char *(*scan_strings)(const char *p, const char *end, bool *text) = strings_scalar;

bool jtok_force_path(enum jtok_path path) {
    bool wide = false, simd = false;
#if defined(__x86_64__)
    simd = true;
    wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#elif defined(__aarch64__)
    simd = true;
#endif
    if (path == JTOK_BEST) path = wide ? JTOK_SIMD256 : simd ? JTOK_SIMD128 : JTOK_SCALAR;
    if ((path == JTOK_SIMD256 && !wide) || (path == JTOK_SIMD128 && !simd)) return false;
    scan = scan_scalar;
    scan_strings = strings_scalar;
#if defined(__x86_64__)
    if (path == JTOK_SIMD256) {
        scan = scan_256;
        scan_strings = strings_256;
    }
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (path == JTOK_SIMD128) {
        scan = scan_128;
        scan_strings = strings_128;
    }
#endif
    return true;
}

/* Before main, so that threads find it settled. */
__attribute__((constructor)) static void pick_path(void) { jtok_force_path(JTOK_BEST); }

const char *jtok_string_end(const char *p, const char *end, bool *escaped) { return scan(p, end, escaped); }

const char *jtok_strings_end(const char *p, const char *end, bool *text) { return scan_strings(p, end, text); }

const char *jtok_string_error(const char *at, const char *end) {
    if (at >= end) return "unterminated string";
    if (*at == '\\') return "bad escape in string";
    return (signed char)*at < 0 ? "invalid UTF-8" : "control character in string";
}

/* Tokens */

static enum jtok_type fail(struct jtok *j, const char *at, const char *what) {
    j->p = at;
    j->error = what;
    j->state = FAILED;
    return JTOK_ERROR;
}

void jtok_init(struct jtok *j, const char *text, size_t n) {
    j->p = text;
    j->end = text + n;
    j->s = text;
    j->n = 0;
    j->escaped = j->nonfinite = false;
    j->error = NULL;
    j->depth = 0;
    j->state = VALUE;
}

static void skip_space(struct jtok *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\r' || *j->p == '\t'))
        j->p++;
}

/* A container opens or closes; in_object holds one bit per level, so that brackets must match. */
static enum jtok_type open_container(struct jtok *j, bool object) {
    if (j->depth == JTOK_DEPTH) return fail(j, j->p, "nested too deeply");
    uint64_t bit = (uint64_t)1 << j->depth % 64;
    uint64_t *word = &j->in_object[j->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    j->depth++;
    j->p++;
    j->state = object ? FIRST_KEY : FIRST_ITEM;
    return object ? JTOK_OBJECT : JTOK_ARRAY;
}

static bool in_object(const struct jtok *j) {
    unsigned level = j->depth - 1;
    return j->in_object[level / 64] >> level % 64 & 1;
}

static enum jtok_type close_container(struct jtok *j) {
    bool object = in_object(j);
    j->depth--;
    j->p++;
    j->state = AFTER;
    return object ? JTOK_OBJECT_END : JTOK_ARRAY_END;
}

/* The body of the string at p (its opening quote). */
static bool take_string(struct jtok *j) {
    const char *from = j->p + 1;
    j->escaped = false;
    const char *to = jtok_string_end(from, j->end, &j->escaped);
    if (to >= j->end || *to != '"') {
        fail(j, to, jtok_string_error(to, j->end));
        return false;
    }
    j->s = from;
    j->n = (size_t)(to - from);
    j->p = to + 1;
    return true;
}

static enum jtok_type take_word(struct jtok *j, const char *word, size_t n, enum jtok_type type) {
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0) return fail(j, j->p, "not a JSON value");
    j->s = j->p;
    j->n = n;
    j->p += n;
    j->state = AFTER;
    return type;
}

static const char *digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static enum jtok_type take_number(struct jtok *j) {
    const char *p = j->p, *end = j->end;
    if (*p == '-') p++;
    if (p < end && *p == 'I' && j->nonfinite) return take_word(j, "-Infinity", 9, JTOK_NONFINITE);
    const char *from = p;
    p = digits(p, end);
    if (p == from || (*from == '0' && p > from + 1)) return fail(j, j->p, "bad number");
    if (p < end && *p == '.') {
        from = ++p;
        p = digits(p, end);
        if (p == from) return fail(j, j->p, "bad number");
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        from = p;
        p = digits(p, end);
        if (p == from) return fail(j, j->p, "bad number");
    }
    j->s = j->p;
    j->n = (size_t)(p - j->p);
    j->p = p;
    j->state = AFTER;
    return JTOK_NUMBER;
}

static enum jtok_type take_value(struct jtok *j) {
    switch (*j->p) {
    case '{': return open_container(j, true);
    case '[': return open_container(j, false);
    case '"':
        if (!take_string(j)) return JTOK_ERROR;
        j->state = AFTER;
        return JTOK_STRING;
    case 't': return take_word(j, "true", 4, JTOK_TRUE);
    case 'f': return take_word(j, "false", 5, JTOK_FALSE);
    case 'n': return take_word(j, "null", 4, JTOK_NULL);
    case 'N':
        if (j->nonfinite) return take_word(j, "NaN", 3, JTOK_NONFINITE);
        break;
    case 'I':
        if (j->nonfinite) return take_word(j, "Infinity", 8, JTOK_NONFINITE);
        break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return take_number(j);
    }
    return fail(j, j->p, "not a JSON value");
}

static enum jtok_type take_key(struct jtok *j) {
    if (*j->p != '"') return fail(j, j->p, "key expected");
    if (!take_string(j)) return JTOK_ERROR;
    skip_space(j);
    if (j->p == j->end) return fail(j, j->p, "cut off");
    if (*j->p != ':') return fail(j, j->p, "':' expected");
    j->p++;
    j->state = VALUE;
    return JTOK_KEY;
}

enum jtok_type jtok_next(struct jtok *j) {
    if (j->state == FAILED) return JTOK_ERROR;
    skip_space(j);
    if (j->p == j->end) return j->state == AFTER && j->depth == 0 ? JTOK_END : fail(j, j->p, "cut off");
    char c = *j->p;
    switch (j->state) {
    case FIRST_KEY: return c == '}' ? close_container(j) : take_key(j);
    case NEXT_KEY: return take_key(j);
    case FIRST_ITEM: return c == ']' ? close_container(j) : take_value(j);
    case VALUE: return take_value(j);
    }
    if (j->depth == 0) return fail(j, j->p, "text after the value");
    bool object = in_object(j);
    if (c == (object ? '}' : ']')) return close_container(j);
    if (c != ',') return fail(j, j->p, object ? "',' or '}' expected" : "',' or ']' expected");
    j->p++;
    j->state = object ? NEXT_KEY : VALUE;
    return jtok_next(j);
}

bool jtok_skip(struct jtok *j) {
    unsigned outside = j->depth;
    if (j->state == FIRST_KEY || j->state == FIRST_ITEM) outside--;
    enum jtok_type t;
    do
        t = jtok_next(j);
    while (t != JTOK_ERROR && t != JTOK_END && (j->depth > outside || t == JTOK_KEY));
    return t != JTOK_ERROR;
}

/* Decoding */

static unsigned hex4(const char *p) {
    unsigned v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 4 | (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    return v;
}

static size_t put_utf8(char *dst, unsigned c) {
    if (c < 0x80) {
        dst[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        dst[0] = (char)(0xC0 | c >> 6);
        dst[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        dst[0] = (char)(0xE0 | c >> 12);
        dst[1] = (char)(0x80 | (c >> 6 & 0x3F));
        dst[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    dst[0] = (char)(0xF0 | c >> 18);
    dst[1] = (char)(0x80 | (c >> 12 & 0x3F));
    dst[2] = (char)(0x80 | (c >> 6 & 0x3F));
    dst[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* The code point of the \u escape at p, with its low half where it is a high surrogate; *used = bytes read. */
static unsigned code_point(const char *p, const char *end, size_t *used) {
    unsigned c = hex4(p + 2);
    *used = 6;
    if (c < 0xD800 || c > 0xDFFF) return c;
    if (c < 0xDC00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        unsigned low = hex4(p + 8);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            *used = 12;
            return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD;
}

size_t jtok_unescape(char *dst, const char *s, size_t n) {
    const char *p = s, *end = s + n;
    char *to = dst;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((slash ? slash : end) - p);
        memcpy(to, p, plain);
        to += plain;
        if (slash == NULL) break;
        p = slash;
        size_t used = 2;
        switch (p[1]) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': to += put_utf8(to, code_point(p, end, &used)); break;
        default: *to++ = p[1];
        }
        p += used;
    }
    return (size_t)(to - dst);
}
