#include "uclass.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "die.h"
#include "pattern.h"

static const struct {
    uint16_t class;
    const char *regex;
} classes[] = {
    {UC_UPPER, "[\\p{Lu}\\p{Lt}]+"},
    {UC_LOWER, "\\p{Ll}+"},
    {UC_OTHER, "[\\p{Lm}\\p{Lo}]+"},
    {UC_MARK, "\\p{M}+"},
    {UC_NUMBER, "\\p{N}+"},
    {UC_PUNCT, "\\p{P}+"},
    {UC_SYMBOL, "\\p{S}+"},
    {UC_SPACE, "\\s+"},
    {UC_WORD, "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]+"},
};

/* Beyond these no character has a class. */
static const struct { uint32_t from, to; } block[] = {{0, 0xD800}, {0xE000, 0x34000}, {0xE0000, 0xE0200}};

static void add_utf8(struct buf *b, uint32_t c) {
    if (c < 0x80) {
        buf_char(b, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    buf_char(b, (char)(lead[more] | c >> 6 * more));
    while (more-- > 0)
        buf_char(b, (char)(0x80 | (c >> 6 * more & 0x3F)));
}

static struct pattern *compile(const char *regex) {
    char error[PATTERN_ERROR];
    struct pattern *p = pattern_new((struct view){regex, strlen(regex)}, error);
    if (p) return p;
    die("%s: %s", regex, error);
}

struct uclass *uclass_new(void) {
    struct uclass *u = xcalloc(1, sizeof *u);
    struct buf all = {0};
    for (size_t b = 0; b < sizeof block / sizeof *block; b++)
        for (uint32_t c = block[b].from; c < block[b].to; c++)
            add_utf8(&all, c);
    struct pattern_match *m = pattern_match_new();
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        struct pattern *p = compile(classes[k].regex);
        for (size_t from = 0, start, end; pattern_find(p, m, all.s, all.len, from, &start, &end); from = end)
            for (const char *c = all.s + start; c < all.s + end;)
                u->of[utf8_at(c, &c)] |= classes[k].class;
        pattern_free(p);
    }
    pattern_match_free(m);
    buf_free(&all);
    return u;
}

void uclass_free(struct uclass *u) { free(u); }
