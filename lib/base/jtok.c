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

/* Copy up to a backslash or the end, and return where that is; there is room for everything up to the end. */
static const char *copy_plain(char *dst, const char *p, const char *end) {
    const char *slash = memchr(p, '\\', (size_t)(end - p));
    if (!slash) slash = end;
    memcpy(dst, p, (size_t)(slash - p));
    return slash;
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

/* Bits of the bytes that a backslash escapes, in a block whose first byte is not escaped itself; *next has bit 0 if the
 * last byte starts an escape.  A run of backslashes escapes every second byte after its start: adding the odd-placed starts
 * to the backslashes carries through each run, and the parity of the place where it comes out tells. */
static inline uint64_t escaped_bits(uint64_t bs, uint64_t *next) {
    const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
    uint64_t follows = bs << 1, sum;
    uint64_t odd_starts = bs & odd & ~follows;
    *next = (uint64_t)__builtin_add_overflow(odd_starts, bs, &sum);
    return (~odd ^ (sum << 1)) & follows;
}

struct classes {
    uint64_t escapable, hex;
};

/* A table for the low and one for the high half of an ASCII byte say which classes it may belong to: those in which both
 * have a bit in common.  Bits below 10 are of what may be escaped, those above of hexadecimal digits. */
#define CLASS_LOW 16, 48, 61, 48, 56, 56, 36, 16, 16, 16, 0, 0, 2, 0, 4, 1
#define CLASS_HIGH 0, 0, 1, 16, 32, 2, 36, 8, 0, 0, 0, 0, 0, 0, 0, 0
#define ESCAPABLE 0x0F
#define HEX 0x30

/* Faults of UTF-8 that show in two neighbouring bytes: tables for the first one's halves and for the second one's high half
 * say which are possible (after Keiser and Lemire 2021).  Two continuation bytes are no fault where a lead of three or
 * four bytes stands before them, and else there must be none. */
enum {
    SHORT = 1 << 0, /* a lead, then no continuation */
    LONG = 1 << 1, /* ASCII, then a continuation */
    OVERLONG3 = 1 << 2,
    LARGE = 1 << 3, /* above U+10FFFF */
    SURROGATE = 1 << 4,
    OVERLONG2 = 1 << 5,
    OVERLONG4 = 1 << 6, /* or LARGE, with a lead above F4 */
    TWO_TAILS = -128,
    ANY = SHORT | LONG | TWO_TAILS,
    ABOVE = ANY | LARGE | OVERLONG4
};
#define FIRST_HIGH                                                                                                     \
    LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TWO_TAILS, TWO_TAILS, TWO_TAILS, TWO_TAILS, SHORT | OVERLONG2,     \
        SHORT, SHORT | OVERLONG3 | SURROGATE, SHORT | LARGE | OVERLONG4
#define FIRST_LOW                                                                                                      \
    ANY | OVERLONG2 | OVERLONG3 | OVERLONG4, ANY | OVERLONG2, ANY, ANY, ANY | LARGE, ABOVE, ABOVE, ABOVE, ABOVE,       \
        ABOVE, ABOVE, ABOVE, ABOVE, ABOVE | SURROGATE, ABOVE, ABOVE
#define SECOND_HIGH                                                                                                    \
    SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, LONG | TWO_TAILS | OVERLONG2 | OVERLONG3 | OVERLONG4,      \
        LONG | TWO_TAILS | OVERLONG2 | OVERLONG3 | LARGE, LONG | TWO_TAILS | OVERLONG2 | SURROGATE | LARGE,            \
        LONG | TWO_TAILS | OVERLONG2 | SURROGATE | LARGE, SHORT, SHORT, SHORT, SHORT
#define LED3 (0xE0 - 0x80) /* subtracted without wrapping, the top bit stays on leads of three or four bytes */
#define LED4 (0xF0 - 0x80)

/* AVX2: a block is two vectors. */

#define TARGET __attribute__((target("avx2,bmi,pclmul")))
#define WIDE(name) name##_256

typedef struct {
    __m256i lo, hi;
} block_256;

TARGET static inline block_256 load_256(const char *p) {
    return (block_256){_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))};
}

TARGET static inline block_256 nothing_256(void) { return (block_256){_mm256_setzero_si256(), _mm256_setzero_si256()}; }

TARGET static inline block_256 load_part_256(const char *p, size_t n) {
    char part[64] = {0};
    memcpy(part, p, n);
    return load_256(part);
}

TARGET static inline uint64_t bits_256(__m256i lo, __m256i hi) {
    return (uint32_t)_mm256_movemask_epi8(lo) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hi) << 32;
}

TARGET static inline void store_256(char *p, block_256 b) {
    _mm256_storeu_si256((__m256i *)p, b.lo);
    _mm256_storeu_si256((__m256i *)(p + 32), b.hi);
}

TARGET static inline uint64_t equal_256(block_256 b, char c) {
    __m256i v = _mm256_set1_epi8(c);
    return bits_256(_mm256_cmpeq_epi8(b.lo, v), _mm256_cmpeq_epi8(b.hi, v));
}

TARGET static inline uint64_t control_256(block_256 b) {
    __m256i last = _mm256_set1_epi8(0x1f); /* the lesser of both is the byte itself */
    return bits_256(_mm256_cmpeq_epi8(_mm256_min_epu8(b.lo, last), b.lo),
                    _mm256_cmpeq_epi8(_mm256_min_epu8(b.hi, last), b.hi));
}

TARGET static inline __m256i high_half_256(__m256i x) {
    return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
}

TARGET static inline __m256i class_256(__m256i x) { /* a shuffle gives 0 for what is not ASCII */
    const __m256i low = _mm256_setr_epi8(CLASS_LOW, CLASS_LOW), high = _mm256_setr_epi8(CLASS_HIGH, CLASS_HIGH);
    return _mm256_and_si256(_mm256_shuffle_epi8(low, x), _mm256_shuffle_epi8(high, high_half_256(x)));
}

TARGET static inline struct classes classes_256(block_256 b) {
    const __m256i none = _mm256_setzero_si256(), escapable = _mm256_set1_epi8(ESCAPABLE),
                  hex = _mm256_set1_epi8(ESCAPABLE);
    __m256i lo = class_256(b.lo), hi = class_256(b.hi);
    return (struct classes){
        bits_256(_mm256_cmpgt_epi8(_mm256_and_si256(lo, escapable), none),
                 _mm256_cmpgt_epi8(_mm256_and_si256(hi, escapable), none)),
        bits_256(_mm256_cmpgt_epi8(lo, hex), _mm256_cmpgt_epi8(hi, hex)),
    };
}

TARGET static inline __m256i pairs_256(__m256i before, __m256i x) { /* the 32 bytes x and those before them */
    const __m256i first_high = _mm256_setr_epi8(FIRST_HIGH, FIRST_HIGH);
    const __m256i first_low = _mm256_setr_epi8(FIRST_LOW, FIRST_LOW);
    const __m256i second_high = _mm256_setr_epi8(SECOND_HIGH, SECOND_HIGH);
    __m256i across = _mm256_permute2x128_si256(before, x, 0x21);
    __m256i first = _mm256_alignr_epi8(x, across, 15);
    __m256i pair = _mm256_and_si256(
        _mm256_and_si256(_mm256_shuffle_epi8(first_high, high_half_256(first)),
                         _mm256_shuffle_epi8(first_low, _mm256_and_si256(first, _mm256_set1_epi8(15)))),
        _mm256_shuffle_epi8(second_high, high_half_256(x)));
    __m256i led = _mm256_or_si256(_mm256_subs_epu8(_mm256_alignr_epi8(x, across, 14), _mm256_set1_epi8(LED3)),
                                  _mm256_subs_epu8(_mm256_alignr_epi8(x, across, 13), _mm256_set1_epi8(LED4)));
    return _mm256_xor_si256(pair, _mm256_and_si256(led, _mm256_set1_epi8(TWO_TAILS)));
}

TARGET static inline uint64_t high_256(block_256 b) { return bits_256(b.lo, b.hi); }

TARGET static inline uint64_t bad_utf8_256(block_256 before, block_256 b) {
    const __m256i none = _mm256_setzero_si256();
    return ~bits_256(_mm256_cmpeq_epi8(pairs_256(before.hi, b.lo), none),
                     _mm256_cmpeq_epi8(pairs_256(b.lo, b.hi), none));
}

#include "jtok_wide.inc"
#undef WIDE
#undef TARGET

/* AVX-512: a block is one vector, and comparisons give bits. */

#define TARGET __attribute__((target("avx512bw,bmi,pclmul")))
#define WIDE(name) name##_512

typedef __m512i block_512;

TARGET static inline block_512 load_512(const char *p) { return _mm512_loadu_si512(p); }

TARGET static inline block_512 nothing_512(void) { return _mm512_setzero_si512(); }

TARGET static inline block_512 load_part_512(const char *p, size_t n) {
    return _mm512_maskz_loadu_epi8(((uint64_t)1 << n) - 1, p);
}

TARGET static inline void store_512(char *p, block_512 b) { _mm512_storeu_si512(p, b); }

TARGET static inline uint64_t equal_512(block_512 b, char c) { return _mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8(c)); }

TARGET static inline uint64_t control_512(block_512 b) { return _mm512_cmplt_epu8_mask(b, _mm512_set1_epi8(0x20)); }

TARGET static inline __m512i high_half_512(__m512i x) {
    return _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15));
}

#define FOUR_TIMES(...) _mm512_loadu_si512((const int8_t[64]){__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__})

TARGET static inline struct classes classes_512(block_512 b) {
    __m512i class = _mm512_and_si512(_mm512_shuffle_epi8(FOUR_TIMES(CLASS_LOW), b),
                                     _mm512_shuffle_epi8(FOUR_TIMES(CLASS_HIGH), high_half_512(b)));
    return (struct classes){_mm512_test_epi8_mask(class, _mm512_set1_epi8(ESCAPABLE)),
                            _mm512_test_epi8_mask(class, _mm512_set1_epi8(HEX))};
}

TARGET static inline uint64_t high_512(block_512 b) { return _mm512_movepi8_mask(b); }

TARGET static inline uint64_t bad_utf8_512(block_512 before, block_512 b) {
    __m512i across = _mm512_alignr_epi32(b, before, 12); /* each 16 bytes, those before them */
    __m512i first = _mm512_alignr_epi8(b, across, 15);
    __m512i pair = _mm512_and_si512(
        _mm512_and_si512(_mm512_shuffle_epi8(FOUR_TIMES(FIRST_HIGH), high_half_512(first)),
                         _mm512_shuffle_epi8(FOUR_TIMES(FIRST_LOW), _mm512_and_si512(first, _mm512_set1_epi8(15)))),
        _mm512_shuffle_epi8(FOUR_TIMES(SECOND_HIGH), high_half_512(b)));
    __m512i led = _mm512_or_si512(_mm512_subs_epu8(_mm512_alignr_epi8(b, across, 14), _mm512_set1_epi8(LED3)),
                                  _mm512_subs_epu8(_mm512_alignr_epi8(b, across, 13), _mm512_set1_epi8(LED4)));
    __m512i faults = _mm512_xor_si512(pair, _mm512_and_si512(led, _mm512_set1_epi8(TWO_TAILS)));
    return _mm512_test_epi8_mask(faults, faults);
}

#include "jtok_wide.inc"
#undef WIDE
#undef TARGET

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
static const char *(*copy)(char *dst, const char *p, const char *end) = copy_plain;

bool jtok_force_path(enum jtok_path path) {
    enum jtok_path best = JTOK_SCALAR;
#if defined(__x86_64__)
    best = JTOK_SIMD128;
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx2"))
        best = JTOK_SIMD256;
    if (best == JTOK_SIMD256 && __builtin_cpu_supports("avx512bw")) best = JTOK_SIMD512;
#elif defined(__aarch64__)
    best = JTOK_SIMD128;
#endif
    if (path == JTOK_BEST) path = best;
    if (path > best) return false;
    scan = scan_scalar;
    scan_strings = strings_scalar;
    copy = copy_plain;
#if defined(__x86_64__)
    if (path == JTOK_SIMD256) {
        scan = scan_256;
        scan_strings = strings_256;
        copy = copy_256;
    }
    if (path == JTOK_SIMD512) {
        scan = scan_512;
        scan_strings = strings_512;
        copy = copy_512;
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

/* Long strings one by one, until a short one shows that many may follow. */
const char *jtok_strings_end(const char *p, const char *end, bool *text) {
    bool escaped = false;
    while (end - p >= 2 && p[0] == ',' && p[1] == '"') {
        const char *q = scan(p + 2, end, &escaped);
        if (q == end || *q != '"' || q - p < 64) break;
        *text = true;
        p = q + 1;
    }
    return scan_strings(p, end, text);
}

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
    static const char meaning[128] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    const char *p = s, *end = s + n;
    char *to = dst;
    while (p < end) {
        const char *slash = copy(to, p, end);
        to += slash - p;
        p = slash;
        if (p == end) break;
        if (p[1] == 'u') {
            size_t used;
            to += put_utf8(to, code_point(p, end, &used));
            p += used;
        } else {
            *to++ = meaning[p[1] & 127];
            p += 2;
        }
    }
    return (size_t)(to - dst);
}
