#include "bpe.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };
#define NOWHERE UINT32_MAX
#define REMOVED (UINT32_MAX - 1) /* in place of a token */
#define UNKNOWN (UINT32_MAX - 2)

struct bpe_pair {
    uint32_t left, right; /* NAMES_NONE: a free slot */
    uint32_t rank, made;
};

struct bpe_made {
    uint32_t rank, token; /* NAMES_NONE: no merge */
};

struct bpe_symbol {
    uint32_t token, previous, next;
};

struct bpe_merge {
    uint64_t order; /* rank, then position */
    uint32_t made;
};

/* ---- Merges, by their pair of tokens ---- */

static struct bpe_pair *slot_of(const struct bpe *b, uint32_t left, uint32_t right) {
    uint64_t key = (uint64_t)left << 32 | right;
    key *= 0x9E3779B97F4A7C15;
    size_t i = (key ^ key >> 32) & (b->n_slots - 1);
    while (b->pair[i].left != NAMES_NONE && (b->pair[i].left != left || b->pair[i].right != right))
        i = (i + 1) & (b->n_slots - 1);
    return &b->pair[i];
}

static const struct bpe_pair *find(const struct bpe *b, uint32_t left, uint32_t right) {
    const struct bpe_pair *p = slot_of(b, left, right);
    return p->left == NAMES_NONE ? NULL : p;
}

static void grow(struct bpe *b) {
    struct bpe_pair *old = b->pair;
    size_t n = b->n_slots;
    b->n_slots = n ? n * 2 : SLOTS_MIN;
    b->pair = xmalloc(b->n_slots * sizeof *b->pair);
    memset(b->pair, 0xFF, b->n_slots * sizeof *b->pair);
    for (size_t i = 0; old && i < n; i++)
        if (old[i].left != NAMES_NONE) *slot_of(b, old[i].left, old[i].right) = old[i];
    free(old);
}

/* Of a pair that comes twice the last rank counts. */
static void set_pair(struct bpe *b, uint32_t left, uint32_t right, uint32_t rank, uint32_t made) {
    if (2 * b->n_pairs >= b->n_slots) grow(b);
    struct bpe_pair *p = slot_of(b, left, right);
    if (p->left == NAMES_NONE) b->n_pairs++;
    *p = (struct bpe_pair){left, right, rank, made};
}

bool bpe_merge(struct bpe *b, struct view left, struct view right, uint32_t rank) {
    buf_clear(&b->joined);
    buf_add(&b->joined, left.s, left.n);
    buf_add(&b->joined, right.s, right.n);
    uint32_t l = names_find(&b->token, left), r = names_find(&b->token, right);
    uint32_t made = names_find(&b->token, (struct view){b->joined.s, b->joined.len});
    if (l == NAMES_NONE || r == NAMES_NONE || made == NAMES_NONE) return false;
    set_pair(b, l, r, rank, made);
    return true;
}

void bpe_splits(struct bpe *b, uint32_t token, uint32_t rank) {
    struct view all = b->token.name.v[token];
    for (size_t n = 1; n < all.n; n++) {
        uint32_t left = names_find(&b->token, (struct view){all.s, n});
        if (left == NAMES_NONE) continue;
        uint32_t right = names_find(&b->token, (struct view){all.s + n, all.n - n});
        if (right != NAMES_NONE) set_pair(b, left, right, rank, token);
    }
}

void bpe_ready(struct bpe *b) {
    if (!b->pair) grow(b);
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        b->byte[i] = names_find(&b->token, (struct view){&c, 1});
    }
    b->first = xmalloc(256 * 256 * sizeof *b->first);
    for (int i = 0; i < 256 * 256; i++) {
        const struct bpe_pair *p = find(b, b->byte[i >> 8], b->byte[i & 255]);
        b->first[i] = p ? (struct bpe_made){p->rank, p->made} : (struct bpe_made){0, NAMES_NONE};
    }
}

/* ---- The merges that fit, lowest order first ---- */

static void push(struct bpe_scratch *t, uint32_t at, uint32_t rank, uint32_t made) {
    struct bpe_merge merge = {(uint64_t)rank << 32 | at, made};
    if (t->heap_n == t->heap_cap) t->heap = vec_grow(t->heap, &t->heap_cap, t->heap_n + 1, sizeof *t->heap);
    size_t i = t->heap_n++;
    for (; i > 0 && merge.order < t->heap[(i - 1) / 2].order; i = (i - 1) / 2)
        t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = merge;
}

static struct bpe_merge pop(struct bpe_scratch *t) {
    struct bpe_merge top = t->heap[0], last = t->heap[--t->heap_n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < t->heap_n; i = child) {
        if (child + 1 < t->heap_n && t->heap[child + 1].order < t->heap[child].order) child++;
        if (last.order <= t->heap[child].order) break;
        t->heap[i] = t->heap[child];
    }
    t->heap[i] = last;
    return top;
}

static void consider(const struct bpe *b, struct bpe_scratch *t, uint32_t at) {
    const struct bpe_symbol *left = &t->symbol[at];
    const struct bpe_pair *p = find(b, left->token, t->symbol[left->next].token);
    if (p) push(t, at, p->rank, p->made);
}

/* A symbol for each byte; returns how many. */
static uint32_t take_bytes(const struct bpe *b, struct bpe_scratch *t, const char *s, size_t n) {
    if (n > t->symbol_cap) t->symbol = vec_grow(t->symbol, &t->symbol_cap, n, sizeof *t->symbol);
    uint32_t m = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t token = b->byte[(unsigned char)s[i]];
        if (token == NAMES_NONE) {
            if (b->unknown == BPE_UNKNOWN_DROPPED) continue;
            if (b->unknown == BPE_UNKNOWN_FUSED && m > 0 && t->symbol[m - 1].token == UNKNOWN) continue;
            token = UNKNOWN;
        }
        t->symbol[m] = (struct bpe_symbol){token, m - 1, m + 1};
        m++;
    }
    if (m > 0) t->symbol[m - 1].next = NOWHERE;
    return m;
}

size_t bpe_count(const struct bpe *b, struct bpe_scratch *t, const char *s, size_t n) {
    if (b->whole_words && names_find(&b->token, (struct view){s, n}) != NAMES_NONE) return 1;
    uint32_t m = take_bytes(b, t, s, n);
    size_t left = m;
    t->heap_n = 0;
    for (uint32_t i = 0; i + 1 < m; i++) {
        if (m < n) { /* not every byte is a symbol */
            consider(b, t, i);
            continue;
        }
        struct bpe_made made = b->first[(unsigned char)s[i] << 8 | (unsigned char)s[i + 1]];
        if (made.token != NAMES_NONE) push(t, i, made.rank, made.token);
    }
    while (t->heap_n > 0) {
        struct bpe_merge top = pop(t);
        uint32_t at = (uint32_t)top.order;
        struct bpe_symbol *here = &t->symbol[at];
        if (here->token == REMOVED || here->next == NOWHERE) continue;
        struct bpe_symbol *gone = &t->symbol[here->next];
        const struct bpe_pair *p = find(b, here->token, gone->token);
        if (!p || p->made != top.made) continue; /* one of the two has changed since */
        here->token = top.made;
        here->next = gone->next;
        gone->token = REMOVED;
        left--;
        if (here->previous != NOWHERE) consider(b, t, here->previous);
        if (here->next != NOWHERE) {
            t->symbol[here->next].previous = at;
            consider(b, t, at);
        }
    }
    return left;
}

void bpe_scratch_free(struct bpe_scratch *t) {
    free(t->symbol);
    free(t->heap);
    *t = (struct bpe_scratch){0};
}

void bpe_free(struct bpe *b) {
    names_free(&b->token);
    free(b->pair);
    free(b->first);
    buf_free(&b->joined);
    *b = (struct bpe){0};
}
