#include "ids.h"

#include <stdlib.h>

#include "buf.h"

enum { N_SHARDS = 8, FIRST_CAP = 64, FIRST_SPARE = 32, SMALL_CAP = 1 << 15 };

#define REST UINT64_C(0x7FFFFFFF)
#define NOTE UINT64_C(0x80000000)

static uint64_t tag_of(uint64_t hash) { return hash >> 31 & 0x3FFFFFFF; }
static uint64_t place_of(uint64_t hash, enum id_state state, uint32_t low) {
    return tag_of(hash) << 34 | (uint64_t)state << 32 | low;
}

void ids_init(struct ids *ids) {
    for (size_t i = 0; i < N_SHARDS; i++)
        ids->shard[i] =
            (struct ids_shard){xcalloc(FIRST_CAP + FIRST_SPARE, sizeof(uint64_t)), 0, FIRST_CAP, FIRST_SPARE};
}

void ids_free(struct ids *ids) {
    for (size_t i = 0; i < N_SHARDS; i++)
        free(ids->shard[i].place);
}

/* The first of the places from this one on that has the hash, all of them with its tag or a lower one; or NULL. */
static uint64_t *search(uint64_t hash, uint64_t *place) {
    uint64_t tag = tag_of(hash);
    for (; *place && *place >> 34 <= tag; place++)
        if (*place >> 34 == tag && (ids_state(place) == ID_LIVE || (*place & REST) == (hash & REST))) return place;
    return NULL;
}

uint64_t *ids_find(const struct ids *ids, uint64_t hash) { return search(hash, ids_home(ids, hash)); }
uint64_t *ids_find_next(uint64_t hash, uint64_t *place) { return search(hash, place + 1); }

/* Into a larger table, or one with more to spare: in order of tag each goes to its home, or next to the one before.  What
 * is pushed beyond the last home is no more than before, for each has at least as many places behind its home. */
static void resize(struct ids_shard *s, uint32_t cap, uint32_t spare) {
    uint64_t *to = xtable((size_t)cap + spare, sizeof *to), *next = to;
    for (size_t i = 0; i < (size_t)s->cap + s->spare; i++) {
        uint64_t it = s->place[i], *home = to + ((it >> 34) * cap >> 30);
        next = home > next ? home : next;
        *next = it; /* a free place stays one */
        next += it != 0;
    }
    free(s->place);
    *s = (struct ids_shard){to, s->n, cap, spare};
}

void ids_add(struct ids *ids, uint64_t hash, uint32_t index) {
    struct ids_shard *s = &ids->shard[hash >> 61];
    uint64_t *p = ids_home(ids, hash), it = place_of(hash, ID_LIVE, index);
    while (*p && *p < it)
        p++;
    for (; it; p++) { /* those behind it make room */
        uint64_t was = *p;
        *p = it;
        it = was;
    }
    /* A shard grows by a third when three quarters are taken: 10.7 to 14.2 bytes an id, 16 while one of them grows.  Small
     * ones double: all together they take 2 MiB at most. */
    if (++s->n > s->cap / 4 * 3) resize(s, s->cap + (s->cap < SMALL_CAP ? s->cap : s->cap / 3), s->spare);
    if (s->place[s->cap + s->spare - 1])
        resize(s, s->cap, 2 * s->spare); /* the last place is free: every search ends */
}

static uint64_t *live(const struct ids *ids, uint64_t hash, uint32_t index) {
    uint64_t *p = ids_find(ids, hash);
    while (ids_state(p) != ID_LIVE || ids_index(p) != index)
        p = ids_find_next(hash, p);
    return p;
}

void ids_move(struct ids *ids, uint64_t hash, uint32_t index, uint32_t to) {
    *live(ids, hash, index) = place_of(hash, ID_LIVE, to);
}

void ids_retire(struct ids *ids, uint64_t hash, uint32_t index, bool failed) {
    *live(ids, hash, index) = place_of(hash, failed ? ID_FAILED : ID_DONE, (uint32_t)(hash & REST));
}

bool ids_noted(const uint64_t *place) { return (*place & NOTE) != 0; }

bool ids_note(uint64_t *place) {
    bool first = !ids_noted(place);
    *place |= NOTE;
    return first;
}
