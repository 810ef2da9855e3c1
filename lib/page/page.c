#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_free(struct page *p) {
    for (size_t i = 0; i < p->blocks.n; i++) {
        struct page_block *b = &p->blocks.v[i];
        vec_free(&b->items);
        vec_free(&b->facts);
        vec_free(&b->rows);
        vec_free(&b->points);
        plot_free(b->plot);
    }
    vec_free(&p->blocks);
    arena_free(&p->text);
}

const char *page_text(struct page *p, const char *fmt, ...) {
    char short_text[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(short_text, sizeof short_text, fmt, ap);
    va_end(ap);
    if (n < 0) return "";
    if ((size_t)n < sizeof short_text) return arena_copy(&p->text, short_text, (size_t)n);
    char *text = xmalloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    const char *copy = arena_copy(&p->text, text, (size_t)n);
    free(text);
    return copy;
}

/* Decode one character of UTF-8; returns its length, 0 if the bytes are none. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *c) {
    if (n == 0) return 0;
    size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (len == 0 || len > n || (s[0] >= 0x80 && s[0] < 0xc2)) return 0;
    *c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *c = *c << 6 | (s[i] & 0x3f);
    }
    bool overlong = (len == 3 && *c < 0x800) || (len == 4 && *c < 0x10000);
    return overlong || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : len;
}

/* C0, DEL, C1, line separators, and the marks that reorder or hide what follows. */
static bool unsafe(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

const char *page_safe(struct page *p, const char *s, size_t n) {
    struct buf b = {0};
    buf_str(&b, "");
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = decode((const unsigned char *)s + i, n - i, &c);
        if (len == 0)
            buf_printf(&b, "\\x%02x", (unsigned char)s[i]);
        else if (unsafe(c))
            buf_printf(&b, "\\u%04x", c);
        else
            buf_add(&b, s + i, len);
        i += len ? len : 1;
    }
    const char *copy = arena_copy(&p->text, b.s, b.len);
    buf_free(&b);
    return copy;
}

static struct page_block *block(struct page *p, enum block_type type, bool join) {
    struct page_block *last = p->blocks.n ? &p->blocks.v[p->blocks.n - 1] : NULL;
    if (join && !p->pending && last && last->type == type) return last;
    struct page_block fresh = {.type = type, .title = p->pending};
    p->pending = NULL;
    vec_push(&p->blocks, fresh); /* NOLINT(clang-analyzer-core.NullDereference): vec_push made room */
    return &p->blocks.v[p->blocks.n - 1];
}

void page_section(struct page *p, const char *title) { p->pending = title; }

void page_paragraph(struct page *p, const char *text) { block(p, BLOCK_TEXT, false)->text = text; }

void page_item(struct page *p, const char *text) {
    struct page_block *b = block(p, BLOCK_LIST, true);
    vec_push(&b->items, text);
}

void page_fact(struct page *p, const char *label, const char *value, const char *note) {
    struct page_block *b = block(p, BLOCK_FACTS, true);
    struct page_fact f = {label, value, note};
    vec_push(&b->facts, f);
}

void page_columns(struct page *p, ...) {
    struct page_block *b = block(p, BLOCK_TABLE, false);
    va_list ap;
    va_start(ap, p);
    const char *name;
    while ((name = va_arg(ap, const char *)) != NULL && b->n_columns < PAGE_COLUMNS) {
        b->right[b->n_columns] = *name == '>';
        b->column[b->n_columns++] = name + (*name == '>');
    }
    va_end(ap);
}

struct page_row *page_row(struct page *p, ...) {
    struct page_block *b = block(p, BLOCK_TABLE, true);
    struct page_row row = {.bar = NAN};
    va_list ap;
    va_start(ap, p);
    const char *cell;
    for (size_t i = 0; (cell = va_arg(ap, const char *)) != NULL && i < PAGE_COLUMNS; i++)
        row.cell[i] = cell;
    va_end(ap);
    vec_push(&b->rows, row);
    return &b->rows.v[b->rows.n - 1];
}

void page_across(struct page *p, const char *text) {
    struct page_block *b = block(p, BLOCK_TABLE, true);
    struct page_row row = {.across = text, .bar = NAN};
    vec_push(&b->rows, row);
}

void page_chart(struct page *p, const char *text) { block(p, BLOCK_CHART, false)->text = text; }

void page_point(struct page *p, double v, char mark, long long pass) {
    struct page_block *b = block(p, BLOCK_CHART, true);
    struct page_point point = {v, mark, pass};
    vec_push(&b->points, point);
}

void page_plot(struct page *p, struct plot *plot) {
    if (plot && !plot_is_empty(plot))
        block(p, BLOCK_PLOT, false)->plot = plot;
    else
        plot_free(plot);
}

static void to_ascii(struct page *p, const char **s) {
    static const struct {
        uint32_t c;
        const char *as;
    } known[] = {{0xb1, "+-"},   {0xb7, "."},     {0xd7, "x"},    {0x2013, "-"},  {0x2014, "-"}, {0x2026, "..."},
                 {0x2192, "->"}, {0x221e, "inf"}, {0x2260, "!="}, {0x2264, "<="}, {0x2265, ">="}};
    if (!*s) return;
    struct buf b = {0};
    buf_str(&b, "");
    size_t n = strlen(*s);
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = decode((const unsigned char *)*s + i, n - i, &c);
        const char *as = NULL;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (known[k].c == c) as = known[k].as;
        if (c == 0xa0)
            buf_add(&b, *s + i, len); /* the writer makes it a space, after it broke the lines */
        else if (as)
            buf_str(&b, as);
        else if (c >= 0x80)
            buf_printf(&b, "\\u%04x", c);
        else
            buf_char(&b, (*s)[i]);
        i += len ? len : 1;
    }
    *s = arena_copy(&p->text, b.s, b.len);
    buf_free(&b);
}

void page_ascii(struct page *p) {
    to_ascii(p, &p->name);
    to_ascii(p, &p->headline);
    to_ascii(p, &p->lead);
    for (size_t i = 0; i < p->blocks.n; i++) {
        struct page_block *b = &p->blocks.v[i];
        to_ascii(p, &b->title);
        to_ascii(p, &b->text);
        for (size_t k = 0; k < b->items.n; k++)
            to_ascii(p, &b->items.v[k]);
        for (size_t k = 0; k < b->facts.n; k++) {
            to_ascii(p, &b->facts.v[k].label);
            to_ascii(p, &b->facts.v[k].value);
            to_ascii(p, &b->facts.v[k].note);
        }
        for (size_t k = 0; k < b->n_columns; k++)
            to_ascii(p, &b->column[k]);
        for (size_t r = 0; r < b->rows.n; r++) {
            to_ascii(p, &b->rows.v[r].across);
            for (size_t k = 0; k < PAGE_COLUMNS; k++)
                to_ascii(p, &b->rows.v[r].cell[k]);
        }
    }
}

const char *page_part(char mark) {
    static const struct {
        char mark;
        const char *means;
    } part[] = {{'w', "warm-up"}, {'=', "window"}, {'^', "level shift"},
                {'t', "tail"},    {'d', "drain"},  {'.', "outside"}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].mark == mark) return part[i].means;
    return "";
}

void page_json(struct buf *b, const char *s) {
    for (; s && *s; s++) {
        if (*s == '"' || *s == '\\') buf_char(b, '\\');
        buf_char(b, *s);
    }
}

size_t page_width(const char *s) {
    size_t width = 0, n = strlen(s);
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t len = decode((const unsigned char *)s + i, n - i, &c);
        bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
                    (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
                    (c >= 0x1f300 && c < 0x1fb00) || (c >= 0x20000 && c < 0x40000);
        bool zero = c >= 0x300 && c < 0x370;
        width += zero ? 0 : wide ? 2 : 1;
        i += len ? len : 1;
    }
    return width;
}
