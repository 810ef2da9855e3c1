#include "lives.h"

#include <stdlib.h>
#include <string.h>

uint32_t lives_new(struct lives *l, uint64_t hash, struct view id) {
    if (l->vacant.n == 0) {
        if ((uint64_t)l->n + LIVES_CHUNK >= LIFE_NONE) return LIFE_NONE;
        struct lives_chunk chunk = {xmap(XMAP_UNIT)};
        vec_push(&l->chunk, chunk);
        vec_reserve(&l->vacant, LIVES_CHUNK);
        for (uint32_t i = LIVES_CHUNK; i-- > 0;)
            l->vacant.v[l->vacant.n++] = l->n + i;
        l->n += LIVES_CHUNK;
    }
    uint32_t i = l->vacant.v[--l->vacant.n];
    life_init(lives_at(l, i), hash, id);
    return i;
}

void lives_drop(struct lives *l, uint32_t i) {
    life_free(lives_at(l, i));
    vec_push(&l->vacant, i);
}

void lives_free(struct lives *l) {
    bool *gone = xcalloc(l->n, sizeof *gone);
    for (size_t k = 0; k < l->vacant.n; k++)
        gone[l->vacant.v[k]] = true;
    for (uint32_t i = 0; i < l->n; i++)
        if (!gone[i]) life_free(lives_at(l, i));
    free(gone);
    for (size_t c = 0; c < l->chunk.n; c++)
        xunmap(l->chunk.v[c].life, XMAP_UNIT);
    vec_free(&l->chunk);
    vec_free(&l->vacant);
}

int lives_by_rank(const void *a, const void *b, void *lives) {
    const struct life *p = lives_at(lives, *(const uint32_t *)a), *q = lives_at(lives, *(const uint32_t *)b);
    if (p->issued_ns != q->issued_ns) return p->issued_ns < q->issued_ns ? -1 : 1;
    struct view s = life_id(p), t = life_id(q);
    int c = memcmp(s.s, t.s, s.n < t.n ? s.n : t.n);
    return c ? c : (s.n > t.n) - (s.n < t.n);
}

static bool ranks_before(const struct lives *l, uint32_t i, uint32_t k) { return lives_by_rank(&i, &k, (void *)l) < 0; }

/* The first place from `at` on whose request does not rank before request i. */
static size_t place_of(const struct ranks *r, const struct lives *l, uint32_t i) {
    size_t lo = r->at, hi = r->sorted;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ranks_before(l, r->v.v[mid], i))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* What would have to move further waits to be sorted with its like. */
enum { FAR = 1 << 16 };

bool ranks_enter(struct ranks *r, const struct lives *l, uint32_t i) {
    vec_push(&r->v, i);
    size_t last = r->v.n - 1, k = last;
    if (r->sorted != last) return false;
    if (last > r->at && ranks_before(l, i, r->v.v[last - 1])) k = place_of(r, l, i);
    if (last - k > FAR) return false;
    memmove(&r->v.v[k + 1], &r->v.v[k], (last - k) * sizeof i);
    r->v.v[k] = i;
    r->sorted++;
    return k == r->at;
}

void ranks_sort(struct ranks *r, const struct lives *l) {
    if (r->sorted == r->v.n) return;
    qsort_r(r->v.v + r->at, r->v.n - r->at, sizeof *r->v.v, lives_by_rank, (void *)l);
    r->sorted = r->v.n;
}

bool ranks_move(struct ranks *r, const struct lives *l, uint32_t i, int64_t issued_ns) {
    size_t k = place_of(r, l, i);
    bool found = k < r->sorted && r->v.v[k] == i, all_sorted = r->sorted == r->v.n;
    if (found && all_sorted) {
        memmove(&r->v.v[k], &r->v.v[k + 1], (r->v.n - 1 - k) * sizeof i);
        r->v.n--;
        r->sorted--;
    } else if (found) {
        r->sorted = k; /* what follows is to be sorted as well */
    }
    lives_at(l, i)->issued_ns = issued_ns;
    if (found && all_sorted) ranks_enter(r, l, i);
    return found || !all_sorted;
}

void ranks_tidy(struct ranks *r) {
    if (r->at <= r->v.n / 2) return;
    r->v.n -= r->at;
    memmove(r->v.v, r->v.v + r->at, r->v.n * sizeof *r->v.v);
    r->sorted = r->v.n;
    r->at = 0;
}

void ranks_free(struct ranks *r) { vec_free(&r->v); }
