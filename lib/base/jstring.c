#include "jstring.h"

#include <stdint.h>
#include <string.h>

/* One character after the other */

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
/* The scanners of one set of instructions. */
struct scanners {
    const char *(*end)(const char *p, const char *end, bool *escaped);
    const char *(*list_end)(const char *p, const char *end, bool *text);
    const char *(*copy)(char *dst, const char *p, const char *end);
};

/* vector_scanners: those of a path other than JSTRING_SCALAR, NULL where the processor has none. */
#if defined(__x86_64__)
#include "jstring_x86.inc"
#elif defined(__aarch64__)
#include "jstring_arm.inc"
#else
static const struct scanners *vector_scanners(enum jstring_path path) { return (void)path, NULL; }
#endif

static const struct scanners scalar = {scan_scalar, strings_scalar, copy_plain}, *by = &scalar;

bool jstring_force_path(enum jstring_path path) {
    const struct scanners *found = NULL;
    if (path == JSTRING_BEST)
        while (path > JSTRING_SCALAR && !found)
            found = vector_scanners(--path);
    else
        found = vector_scanners(path);
    if (path == JSTRING_SCALAR) found = &scalar;
    if (found) by = found;
    return found != NULL;
}

/* Before main, so that threads find it settled. */
__attribute__((constructor)) static void pick_path(void) { jstring_force_path(JSTRING_BEST); }

const char *jstring_end(const char *p, const char *end, bool *escaped) { return by->end(p, end, escaped); }

/* Long strings one by one, until a short one shows that many may follow. */
const char *jstring_list_end(const char *p, const char *end, bool *text) {
    bool escaped = false;
    while (end - p >= 2 && p[0] == ',' && p[1] == '"') {
        const char *q = by->end(p + 2, end, &escaped);
        if (q == end || *q != '"' || q - p < 64) break;
        *text = true;
        p = q + 1;
    }
    return by->list_end(p, end, text);
}

const char *jstring_error(const char *at, const char *end) {
    if (at >= end) return "unterminated string";
    if (*at == '\\') return "bad escape in string";
    return (signed char)*at < 0 ? "invalid UTF-8" : "control character in string";
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

size_t jstring_unescape(char *dst, const char *s, size_t n) {
    static const char meaning[128] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    const char *p = s, *end = s + n;
    char *to = dst;
    while (p < end) {
        const char *slash = by->copy(to, p, end);
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
