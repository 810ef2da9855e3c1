#include "turns.h"

void turn_rank(struct turn *t, uint64_t n) {
    static const uint64_t order[] = {[EV_COMPLETE] = 0, [EV_ERROR] = 1, [EV_ISSUED] = 2, [EV_FIRST] = 3,
                                     [EV_CHUNK] = 3,    [EV_TRACK] = 4, [EV_UNTRACK] = 4};
    t->rank = order[t->kind] << 56 | n;
}

bool turn_before(const struct turn *a, const struct turn *b) {
    return a->stamp < b->stamp || (a->stamp == b->stamp && a->rank < b->rank);
}

void turns_add(struct turns *t, struct turn turn) {
    vec_push(&t->v, turn);
    struct turn *v = t->v.v;
    size_t i = t->v.n - 1;
    for (; i > 0 && turn_before(&turn, &v[(i - 1) / 2]); i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = turn;
}

struct turn turns_take(struct turns *t) {
    struct turn *v = t->v.v, first = v[0], last = v[--t->v.n];
    size_t i = 0, n = t->v.n;
    for (size_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && turn_before(&v[k + 1], &v[k])) k++;
        if (!turn_before(&v[k], &last)) break;
        v[i] = v[k];
    }
    v[i] = last;
    return first;
}
