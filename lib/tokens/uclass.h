/* uclass: what kind of character a code point is.  Layer 3.
 *
 * One table for all of Unicode, from the same tables that patterns are matched with, so that a splitter written by hand
 * and a regular expression agree.  Read-only once made; who calls uclass_new frees it. */
#ifndef UCLASS_H
#define UCLASS_H

#include <stddef.h>
#include <stdint.h>

enum {
    UC_UPPER = 1, /* Lu, Lt */
    UC_LOWER = 2, /* Ll */
    UC_OTHER = 4, /* Lm, Lo */
    UC_LETTER = UC_UPPER | UC_LOWER | UC_OTHER,
    UC_MARK = 8,
    UC_NUMBER = 16,
    UC_PUNCT = 32,
    UC_SYMBOL = 64,
    UC_SPACE = 128, /* White_Space */
    UC_WORD = 256 /* letters, marks, decimal digits, connectors and the like */
};

struct uclass {
    uint16_t of[0x110000];
};

struct uclass *uclass_new(void);
void uclass_free(struct uclass *u);

/* The code point at p, in valid UTF-8; *next is behind it. */
static inline uint32_t utf8_at(const char *p, const char **next) {
    const unsigned char *s = (const unsigned char *)p;
    if (s[0] < 0x80) {
        *next = p + 1;
        return s[0];
    }
    if (s[0] < 0xE0) {
        *next = p + 2;
        return (s[0] & 0x1Fu) << 6 | (s[1] & 0x3F);
    }
    if (s[0] < 0xF0) {
        *next = p + 3;
        return (s[0] & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3F);
    }
    *next = p + 4;
    return (s[0] & 7u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3F);
}

static inline unsigned uclass_at(const struct uclass *u, const char *p, const char **next) {
    return u->of[utf8_at(p, next)];
}

/* The character that ends at p, which is not the beginning of the text. */
static inline const char *utf8_before(const char *p) {
    do
        p--;
    while (((unsigned char)*p & 0xC0) == 0x80);
    return p;
}

#endif
