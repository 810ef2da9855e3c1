/* jtok: strict JSON text, token by token.  Layer 0.
 *
 * Nothing is copied: tokens are views into the caller's text, which must outlive them.  No recursion and no allocation:
 * depth is bounded by JTOK_DEPTH.  UTF-8 is validated (RFC 3629), duplicate keys are the caller's business. */
#ifndef JTOK_H
#define JTOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JTOK_DEPTH 512

enum jtok_type {
    JTOK_END, /* end of text after one whole value */
    JTOK_ERROR, /* j->error says what, j->p where; every later call says the same */
    JTOK_OBJECT,
    JTOK_OBJECT_END,
    JTOK_ARRAY,
    JTOK_ARRAY_END,
    JTOK_KEY, /* s,n: the body between the quotes, still escaped */
    JTOK_STRING,
    JTOK_NUMBER, /* s,n: the literal */
    JTOK_TRUE,
    JTOK_FALSE,
    JTOK_NULL,
    JTOK_NONFINITE /* bare NaN, Infinity, -Infinity: not JSON, but written by other tools; only with .nonfinite */
};

struct jtok {
    const char *p, *end; /* next byte, end of text */
    const char *s; /* last token */
    size_t n;
    bool escaped; /* last key or string holds a backslash */
    bool nonfinite; /* set by the caller after jtok_init to accept JTOK_NONFINITE */
    const char *error;
    unsigned depth;
    unsigned char state;
    uint64_t in_object[JTOK_DEPTH / 64];
};

void jtok_init(struct jtok *j, const char *text, size_t n);
enum jtok_type jtok_next(struct jtok *j);
/* After JTOK_KEY: skip its value.  After JTOK_OBJECT or JTOK_ARRAY: skip to past its end.  False on an error. */
bool jtok_skip(struct jtok *j);
/* Decode the body of a string into dst (room for n bytes), return the bytes written.  A lone surrogate becomes U+FFFD. */
size_t jtok_unescape(char *dst, const char *s, size_t n);

/* The string scanner by itself, for readers who know the shape of their lines.  p is just past an opening quote; returns
 * the closing quote, or the first byte at fault: `end` (unterminated), a control character, a backslash that starts no
 * escape, or the lead of invalid UTF-8.  *escaped is set to true if there is an escape before that, else untouched.
 * Never reads at or beyond end. */
const char *jtok_string_end(const char *p, const char *end, bool *escaped);
/* The words for a byte at fault (a static string). */
const char *jtok_string_error(const char *at, const char *end);

/* The rest of an array of strings, written without white space: p is just past the closing quote of an element.  Returns
 * past the closing bracket, or NULL when that is not what is there.  *text is set to true if an element that follows is
 * not empty, else untouched. */
const char *jtok_strings_end(const char *p, const char *end, bool *text);

/* Which instructions scan strings: the best the processor has, unless a test says otherwise.  False = not available. */
enum jtok_path { JTOK_SCALAR, JTOK_SIMD128, JTOK_SIMD256, JTOK_SIMD512, JTOK_BEST };
bool jtok_force_path(enum jtok_path path);

#endif
