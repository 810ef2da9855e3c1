#include "normal.h"

#include <stdbool.h>
#include <stdint.h>
#include <utf8proc.h>

#include "die.h"

/* Code points that NFC never changes and never joins to what stands before: large blocks of everyday text. */
static const struct {
    uint32_t from, to;
} inert[] = {
    {0x0000, 0x0300}, {0x0400, 0x0483}, {0x048A, 0x0591}, {0x05D0, 0x0610},   {0x2010, 0x20D0},
    {0x2190, 0x219A}, {0x2500, 0x2800}, {0x3000, 0x302A}, {0x3041, 0x3099},   {0x309B, 0x3131},
    {0x3400, 0xA000}, {0xAC00, 0xD7A4}, {0xFF00, 0xFFF0}, {0x1F000, 0x1FB00}, {0x20000, 0x2A6E0},
};

static bool is_inert(enum normal_form form, uint32_t c) {
    if (c < 0x80) return true;
    if (form != NORMAL_NFC) return false;
    for (size_t i = 0; i < sizeof inert / sizeof *inert && inert[i].from <= c; i++)
        if (c < inert[i].to) return true;
    return false;
}

static const char *character(const char *p, const char *end, uint32_t *c) {
    if ((unsigned char)*p < 0x80) {
        *c = (unsigned char)*p;
        return p + 1;
    }
    utf8proc_int32_t point;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)p, end - p, &point);
    *c = n > 0 ? (uint32_t)point : 0xFFFD;
    return p + (n > 0 ? n : 1);
}

static void add_normal(enum normal_form form, struct normal_scratch *t, const char *s, size_t n) {
    static const utf8proc_option_t option[] = {
        [NORMAL_NFC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE,
        [NORMAL_NFD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
        [NORMAL_NFKC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
        [NORMAL_NFKD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
    };
    utf8proc_ssize_t room = 0, want = (utf8proc_ssize_t)n;
    while (want > room) {
        room = want;
        buf_room(&t->points, ((size_t)room + 1) * sizeof(utf8proc_int32_t));
        want = utf8proc_decompose((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, (utf8proc_int32_t *)t->points.s,
                                  room, option[form]);
    }
    if (want >= 0) want = utf8proc_reencode((utf8proc_int32_t *)t->points.s, want, option[form]);
    if (want < 0) die("tokenizer: normalization: %s", utf8proc_errmsg(want));
    buf_add(&t->text, t->points.s, (size_t)want);
}

struct view normal_apply(enum normal_form form, struct normal_scratch *t, struct view text) {
    if (form == NORMAL_NONE) return text;
    buf_clear(&t->text);
    const char *end = text.s + text.n, *copied = text.s, *last = text.s;
    for (const char *p = text.s, *next; p < end; p = next) {
        uint32_t c;
        next = character(p, end, &c);
        if (is_inert(form, c)) {
            last = p;
            continue;
        }
        /* from the last inert character, which may join with this, to the next one */
        const char *to = next, *beyond;
        while (to < end && (beyond = character(to, end, &c), !is_inert(form, c)))
            to = beyond;
        buf_add(&t->text, copied, (size_t)(last - copied));
        add_normal(form, t, last, (size_t)(to - last));
        copied = last = next = to;
    }
    if (copied == text.s) return text;
    buf_add(&t->text, copied, (size_t)(end - copied));
    return (struct view){t->text.s, t->text.len};
}

void normal_scratch_free(struct normal_scratch *t) {
    buf_free(&t->text);
    buf_free(&t->points);
}
