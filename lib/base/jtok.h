/* jtok: strict JSON text, token by token.  Layer 1.
 *
 * Nothing is copied: tokens are views into the caller's text, which must outlive them.  No recursion and no allocation:
 * depth is bounded by JTOK_DEPTH.  Strings are found by jstring, duplicate keys are the caller's business. */
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

#endif
