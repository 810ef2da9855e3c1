#include "num.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* The value of eight digits at once, if that is what they are (after Lemire 2018: halves, quarters and eighths are
 * added up within one word). */
static bool eight_digits(const char *s, uint64_t *v) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t w;
    memcpy(&w, s, sizeof w);
    if (((w & 0xf0f0f0f0f0f0f0f0) | (((w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) != 0x3333333333333333)
        return false;
    w = (w & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    w = (w & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    *v = (w & 0x0000ffff0000ffff) * 42949672960001 >> 32;
    return true;
#else
    (void)s, (void)v;
    return false;
#endif
}

/* Take up to n digits into *u, which must have room for them; how many there were. */
static size_t digits(const char *s, size_t n, uint64_t *u) {
    size_t i = 0;
    for (uint64_t eight; n - i >= 8 && eight_digits(s + i, &eight); i += 8)
        *u = *u * 100000000 + eight;
    for (; i < n && digit(s[i]); i++)
        *u = *u * 10 + (uint64_t)(s[i] - '0');
    return i;
}

bool num_int(const char *s, size_t n, int64_t *v) {
    bool minus = n > 0 && s[0] == '-';
    size_t i = minus;
    if (i == n || n - i > 19 || (s[i] == '0' && n - i > 1)) return false;
    uint64_t u = 0;
    if (digits(s + i, n - i, &u) != n - i || u > INT64_MAX) return false;
    *v = minus ? -(int64_t)u : (int64_t)u;
    return true;
}

/* A decimal of at most 19 digits as digits / 10^places, where both are exact in the 64 bits of an x87 long double: its
 * quotient is off by half a unit in the 64th bit at most, so rounding it to 53 is right unless it lies that close to
 * halfway between two doubles.  False: not this way. */
static bool quotient(const char *s, size_t n, double *v) {
#if LDBL_MANT_DIG == 64
    static const long double ten[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                      1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L};
    if (n > 20) return false;
    uint64_t u = 0;
    size_t whole = digits(s, n, &u), places = 0;
    if (whole < n) {
        if (s[whole] != '.') return false;
        places = digits(s + whole + 1, n - whole - 1, &u);
        if (whole + 1 + places != n) return false;
    }
    if (whole + places > 19) return false;
    long double q = (long double)u / ten[places];
    uint64_t bits;
    memcpy(&bits, &q, sizeof bits);
    unsigned below = bits & 0x7ff; /* what rounding to 53 bits takes away; 0x400 is halfway */
    if (below >= 0x3ff && below <= 0x401) return false;
    *v = (double)q;
    return true;
#else
    (void)s, (void)n, (void)v;
    return false;
#endif
}

bool num_real(const char *s, size_t n, double *v) {
    size_t i = n > 0 && s[0] == '-';
    size_t start = i;
    while (i < n && digit(s[i]))
        i++;
    if (i == start || (s[start] == '0' && i > start + 1)) return false;
    if (i < n && s[i] == '.') {
        size_t point = ++i;
        while (i < n && digit(s[i]))
            i++;
        if (i == point) return false;
    }
    if (i < n && (s[i] == 'e' || s[i] == 'E')) {
        i++;
        if (i < n && (s[i] == '+' || s[i] == '-')) i++;
        size_t exponent = i;
        while (i < n && digit(s[i]))
            i++;
        if (i == exponent) return false;
    }
    if (i != n) return false;
    size_t sign = s[0] == '-';
    double d;
    if (quotient(s + sign, n - sign, &d)) {
        *v = sign ? -d : d;
        return true;
    }
    char small[64], *text = small;
    if (n >= sizeof small && !(text = malloc(n + 1))) return false;
    memcpy(text, s, n);
    text[n] = '\0';
    d = strtod(text, NULL);
    if (text != small) free(text);
    if (!isfinite(d)) return false;
    *v = d;
    return true;
}

#define ASCII_ZEROS 0x3030303030303030

/* The eight digits of u, one a byte, the first one lowest: halves, quarters and eighths are parted within one word, each by
 * a multiplication that is exact for so few digits. */
static inline uint64_t eight_bytes(uint32_t u) {
    uint64_t w = u / 10000 | (uint64_t)(u % 10000) << 32;
    uint64_t q = (w * 10486 >> 20) & 0x0000007f0000007f;
    w = q | (w - q * 100) << 16;
    q = (w * 103 >> 10) & 0x000f000f000f000f;
    return q | (w - q * 10) << 8;
}

/* The bytes of w, the lowest first. */
static inline void put_bytes(char *dst, uint64_t w) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(dst, &w, sizeof w);
}

/* Below 10^8; eight bytes are written. */
static inline size_t put_short(char *dst, uint32_t u) {
    uint64_t w = eight_bytes(u);
    unsigned leading = (unsigned)__builtin_ctzll(w | (uint64_t)1 << 56) / 8; /* zeros, but for the last digit */
    put_bytes(dst, (w | ASCII_ZEROS) >> 8 * leading);
    return 8 - leading;
}

/* May write NUM_MAX bytes. */
static size_t put_uint(char *dst, uint64_t u) {
    if (u < 100000000) return put_short(dst, (uint32_t)u);
    uint64_t above = u / 100000000;
    size_t n = above < 100000000 ? put_short(dst, (uint32_t)above) : put_uint(dst, above);
    put_bytes(dst + n, eight_bytes((uint32_t)(u % 100000000)) | ASCII_ZEROS);
    return n + 8;
}

size_t num_put_int(char *dst, int64_t v) {
    if (v >= 0 && v < 10) {
        dst[0] = (char)('0' + v);
        return 1;
    }
    if (v >= 0) return put_uint(dst, (uint64_t)v);
    dst[0] = '-';
    return 1 + put_uint(dst + 1, (uint64_t)0 - (uint64_t)v);
}

size_t num_put_stamp(char *dst, int64_t v, struct num_tops *tops) {
    if (v < 100000000) return num_put_int(dst, v);
    uint64_t above = (uint64_t)v / 100000000;
    size_t i = above % (sizeof tops->slot / sizeof *tops->slot);
    if (tops->slot[i].above != above) {
        tops->slot[i].above = above;
        tops->slot[i].n = put_uint(tops->slot[i].digits, above);
    }
    size_t n = tops->slot[i].n;
    memcpy(dst, tops->slot[i].digits, sizeof tops->slot[i].digits);
    put_bytes(dst + n, eight_bytes((uint32_t)((uint64_t)v % 100000000)) | ASCII_ZEROS);
    return n + 8;
}

static const uint64_t pow10_u64[] = {1,
                                     10,
                                     100,
                                     1000,
                                     10000,
                                     100000,
                                     1000000,
                                     10000000,
                                     100000000,
                                     1000000000,
                                     10000000000,
                                     100000000000,
                                     1000000000000,
                                     10000000000000,
                                     100000000000000,
                                     1000000000000000,
                                     10000000000000000};

/* Shortest digits of v in [1, 2^53) by exact integer arithmetic: v = m * 2^-k with 53-bit m, so v * 10^d = m * 10^d /
 * 2^k has a 128-bit numerator for d <= 16.  The first d whose nearest decimal reads back as v (lies within half a unit
 * of m's last place) is the shortest; at 15 significant digits or fewer trailing zeros are dropped instead.  0 = not
 * this way. */
static size_t put_common(char *dst, double v) {
    if (!(v >= 1 && v < 9007199254740992.0)) return 0;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    unsigned k = 1075 - (unsigned)(bits >> 52 & 0x7ff);
    uint64_t m = (bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
    uint64_t whole = k < 64 ? m >> k : 0;
    if (k == 0 || (m & ((1ULL << k) - 1)) == 0) return put_uint(dst, whole);
    size_t n_whole = put_uint(dst, whole);
    bool power_of_two = m == 0x10000000000000ULL; /* the gap below is half as wide: leave it to the general way */
    if (power_of_two || n_whole > 15) return 0;
    for (unsigned d = 15 - (unsigned)n_whole; d <= 17 - (unsigned)n_whole; d++) {
        unsigned __int128 exact = (unsigned __int128)m * pow10_u64[d];
        unsigned __int128 half = (unsigned __int128)1 << (k - 1);
        unsigned __int128 q = (exact + half) >> k;
        unsigned __int128 back = q << k;
        unsigned __int128 off = back > exact ? back - exact : exact - back;
        if (d < 17 - (unsigned)n_whole && off * 2 >= pow10_u64[d]) continue;
        uint64_t scaled = (uint64_t)q;
        uint64_t int_part = scaled / pow10_u64[d], fraction = scaled % pow10_u64[d];
        size_t n = put_uint(dst, int_part);
        if (!fraction) return n;
        dst[n++] = '.';
        for (unsigned i = d; i-- > 0;)
            dst[n++] = (char)('0' + fraction / pow10_u64[i] % 10);
        while (dst[n - 1] == '0')
            n--;
        return n;
    }
    return 0;
}

size_t num_put_real(char *dst, double v) {
    if (v == 0) {
        dst[0] = '0';
        return 1;
    }
    size_t sign = 0;
    if (v < 0) {
        *dst++ = '-';
        sign = 1;
        v = -v;
    }
    size_t n = put_common(dst, v);
    if (n) return sign + n;

    char text[40];
    for (int precision = v < DBL_MIN ? 0 : 14; precision <= 16; precision++) { /* subnormals carry fewer digits */
        snprintf(text, sizeof text, "%.*e", precision, v);
        if (strtod(text, NULL) == v) break;
    }
    /* d.ddde±xx -> digits and the decimal exponent, then ECMAScript's layout */
    char digits[20];
    int nd = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p != '.') digits[nd++] = *p;
    int e = atoi(p + 1) + 1; /* value = 0.digits * 10^e */
    while (nd > 1 && digits[nd - 1] == '0')
        nd--;
    char *o = dst;
    if (e > 21 || e < -5) {
        *o++ = digits[0];
        if (nd > 1) {
            *o++ = '.';
            memcpy(o, digits + 1, (size_t)nd - 1);
            o += nd - 1;
        }
        *o++ = 'e';
        *o++ = e - 1 < 0 ? '-' : '+';
        o += put_uint(o, (uint64_t)(e - 1 < 0 ? 1 - e : e - 1));
    } else if (e <= 0) {
        *o++ = '0';
        *o++ = '.';
        for (int i = e; i < 0; i++)
            *o++ = '0';
        memcpy(o, digits, (size_t)nd);
        o += nd;
    } else {
        for (int i = 0; i < (nd > e ? nd : e); i++) {
            if (i == e) *o++ = '.';
            *o++ = i < nd ? digits[i] : '0';
        }
    }
    return sign + (size_t)(o - dst);
}

int64_t num_span(int64_t a, int64_t b) {
    int64_t d;
    if (!int_known(a) || !int_known(b) || __builtin_sub_overflow(b, a, &d)) return INT_NONE;
    return d;
}
