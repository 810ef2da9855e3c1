#include "ids.h"

#include <stdlib.h>

#include "buf.h"

enum { N_SHARDS = 8, FIRST_CAP = 64, SMALL_CAP = 1 << 15 };

#define REST UINT64_C(0x7FFFFFFF)
#define NOTE UINT64_C(0x80000000)

static uint64_t tag_of(uint64_t hash) { return hash >> 31 & 0x3FFFFFFF; }
static uint64_t place_of(uint64_t hash, enum id_state state, uint32_t low) {
    return tag_of(hash) << 34 | (uint64_t)state << 32 | low;
}

void ids_init(struct ids *ids) {
    for (size_t i = 0; i < N_SHARDS; i++)
        ids->shard[i] = (struct ids_shard){xcalloc(FIRST_CAP, sizeof(uint64_t)), 0, FIRST_CAP};
}

void ids_free(struct ids *ids) {
    for (size_t i = 0; i < N_SHARDS; i++)
        free(ids->shard[i].place);
}

static uint64_t *after(const struct ids_shard *s, uint64_t *place) {
    return place + 1 == s->place + s->cap ? s->place : place + 1;
}

static bool matches(const uint64_t *place, uint64_t hash) {
    if (*place >> 34 != tag_of(hash)) return false;
    return ids_state(place) == ID_LIVE || (*place & REST) == (hash & REST);
}

static uint64_t *search(const struct ids_shard *s, uint64_t hash, uint64_t *place) {
    while (ids_state(place) != ID_NEW && !matches(place, hash))
        place = after(s, place);
    return place;
}

uint64_t *ids_find(const struct ids *ids, uint64_t hash) {
    return search(&ids->shard[hash >> 61], hash, ids_home(ids, hash));
}

uint64_t *ids_find_after(const struct ids *ids, uint64_t hash, uint64_t *place) {
    const struct ids_shard *s = &ids->shard[hash >> 61];
    return search(s, hash, after(s, place));
}

/* A shard grows by a third when three quarters are taken: 10.7 to 14.2 bytes an id, 16 while one of them grows.  Small
 * ones double: all together they take 2 MiB at most. */
static void grow(struct ids_shard *s) {
    struct ids_shard old = *s;
    s->cap += s->cap < SMALL_CAP ? s->cap : s->cap / 3;
    s->place = xtable(s->cap, sizeof *s->place);
    for (uint32_t i = 0; i < old.cap; i++) {
        if (ids_state(&old.place[i]) == ID_NEW) continue;
        uint64_t *p = &s->place[(old.place[i] >> 34) * s->cap >> 30];
        while (ids_state(p) != ID_NEW)
            p = after(s, p);
        *p = old.place[i];
    }
    free(old.place);
}

void ids_add(struct ids *ids, uint64_t hash, uint64_t *place, uint32_t index) {
    struct ids_shard *s = &ids->shard[hash >> 61];
    *place = place_of(hash, ID_LIVE, index);
    if (++s->n > s->cap / 4 * 3) grow(s);
}

static uint64_t *live(const struct ids *ids, uint64_t hash, uint32_t index) {
    uint64_t *p = ids_find(ids, hash);
    while (ids_state(p) != ID_LIVE || ids_index(p) != index)
        p = ids_find_after(ids, hash, p);
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
