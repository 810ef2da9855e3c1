#include "added.h"

#include <stdlib.h>

struct added_node {
    uint32_t child, sibling; /* 0: none */
    char byte;
    bool ends; /* a token */
    unsigned char flags;
};

static uint32_t child_of(const struct added *a, uint32_t node, char byte) {
    uint32_t c = a->node.v[node].child;
    while (c && a->node.v[c].byte != byte)
        c = a->node.v[c].sibling;
    return c;
}

void added_token(struct added *a, struct view text, unsigned flags) {
    if (text.n == 0) return;
    if (a->node.n == 0) vec_push(&a->node, (struct added_node){0});
    a->first[(unsigned char)text.s[0]] = true;
    uint32_t at = 0;
    for (size_t i = 0; i < text.n; i++) {
        uint32_t next = child_of(a, at, text.s[i]);
        if (!next) {
            next = (uint32_t)a->node.n;
            struct added_node node = {.sibling = a->node.v[at].child, .byte = text.s[i]};
            vec_push(&a->node, node);
            a->node.v[at].child = next;
        }
        at = next;
    }
    if (a->node.v[at].ends) return;
    a->node.v[at].ends = true;
    a->node.v[at].flags = (unsigned char)flags;
}

void added_free(struct added *a) { vec_free(&a->node); }

/* The length of the longest token at s[0..n), 0 if there is none. */
static size_t longest(const struct added *a, const char *s, size_t n, unsigned *flags) {
    size_t found = 0;
    uint32_t at = 0;
    for (size_t i = 0; i < n && (at = child_of(a, at, s[i])); i++) {
        if (!a->node.v[at].ends) continue;
        found = i + 1;
        *flags = a->node.v[at].flags;
    }
    return found;
}

static bool within_word(const struct uclass *u, struct view text, size_t from, size_t to) {
    const char *next;
    if (from > 0 && uclass_at(u, utf8_before(text.s + from), &next) & UC_WORD) return true;
    return to < text.n && uclass_at(u, text.s + to, &next) & UC_WORD;
}

static size_t strip_left(const struct uclass *u, struct view text, size_t from, size_t least) {
    if (from < least) return least;
    while (from > least) {
        const char *next, *before = utf8_before(text.s + from);
        if (!(uclass_at(u, before, &next) & UC_SPACE)) break;
        from = (size_t)(before - text.s);
    }
    return from;
}

static size_t strip_right(const struct uclass *u, struct view text, size_t to) {
    const char *next;
    while (to < text.n && uclass_at(u, text.s + to, &next) & UC_SPACE)
        to = (size_t)(next - text.s);
    return to;
}

bool added_next(const struct added *a, const struct uclass *u, struct added_walk *w) {
    struct view text = w->text;
    w->found = false;
    for (size_t i = w->searched, n; a->node.n > 0 && i < text.n; i += n) {
        unsigned flags = 0;
        n = a->first[(unsigned char)text.s[i]] ? longest(a, text.s + i, text.n - i, &flags) : 0;
        if (n == 0) {
            n = 1;
            continue;
        }
        size_t from = i, to = i + n;
        if (flags & ADDED_SINGLE_WORD && within_word(u, text, from, to)) continue;
        w->searched = to;
        if (flags & ADDED_STRIP_LEFT) from = strip_left(u, text, from, w->taken);
        if (flags & ADDED_STRIP_RIGHT) to = strip_right(u, text, to);
        w->before = (struct view){text.s + w->taken, from > w->taken ? from - w->taken : 0};
        w->taken = to;
        w->found = from < to; /* else the last token took these spaces too */
        return true;
    }
    w->before = (struct view){text.s + w->taken, text.n - w->taken};
    w->searched = w->taken = text.n;
    return w->before.n > 0;
}
