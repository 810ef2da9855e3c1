#include "ids.h"

#include <string.h>

#include "buf.h"

enum { FIRST_PLACES = 1 << 15, FIRST_SPARE = 64 }; /* of a shard: the first table is one huge page */

#define REST UINT64_C(0x7FFFFFFF)
#define NOTE UINT64_C(0x80000000)

static uint64_t tag_of(uint64_t hash) { return hash >> 31 & 0x3FFFFFFF; }
static uint64_t place_of(uint64_t hash, enum id_state state, uint32_t low) {
    return tag_of(hash) << 34 | (uint64_t)state << 32 | low;
}

void ids_init(struct ids *ids) {
    *ids = (struct ids){.stride = FIRST_PLACES, .cap = FIRST_PLACES - FIRST_SPARE};
    ids->place = xmap(IDS_SHARDS * sizeof *ids->place * ids->stride);
}

void ids_free(struct ids *ids) { xunmap(ids->place, IDS_SHARDS * sizeof *ids->place * ids->stride); }

/* The first of the places from this one on that has the hash, all of them with its tag or a lower one; or NULL. */
static uint64_t *search(uint64_t hash, uint64_t *place) {
    uint64_t tag = tag_of(hash);
    for (; *place && *place >> 34 <= tag; place++)
        if (*place >> 34 == tag && (ids_state(place) == ID_LIVE || (*place & REST) == (hash & REST))) return place;
    return NULL;
}

uint64_t *ids_find(const struct ids *ids, uint64_t hash) { return search(hash, ids_home(ids, hash)); }
uint64_t *ids_find_next(uint64_t hash, uint64_t *place) { return search(hash, place + 1); }

/* Other homes for the ids of a shard, whose places were `was` before and are now the larger or equal `stride`: all are moved
 * to the end of them, and from there, in order of tag, each goes to its home or next to the one before, which is never
 * behind the place it comes from. */
static void settle(uint64_t *place, const uint64_t *from, size_t was, size_t stride, size_t cap) {
    uint64_t *next = place, *end = place + stride;
    memmove(end - was, from, was * sizeof *place);
    memset(place, 0, (stride - was) * sizeof *place);
    for (uint64_t *p = end - was; p < end; p++) {
        uint64_t it = *p, *home = place + ((it >> 34) * cap >> 30);
        if (!it) continue;
        next = home > next ? home : next;
        *p = 0;
        *next++ = it;
    }
}

/* A larger table, or one with more to spare behind the last home.  Shards grow in place, the last one first. */
static void resize(struct ids *ids, size_t stride, size_t cap) {
    size_t was = ids->stride, shard = IDS_SHARDS * sizeof *ids->place;
    if (stride > was) ids->place = xremap(ids->place, was * shard, stride * shard);
    ids->stride = stride;
    ids->cap = cap;
    for (size_t s = IDS_SHARDS; s-- > 0;)
        settle(ids->place + s * stride, ids->place + s * was, was, stride, cap);
}

/* By a third, in whole huge pages, when three quarters are taken: 10.7 to 14.2 bytes an id, and up to a page more. */
static void grow(struct ids *ids) {
    size_t step = XMAP_UNIT / (IDS_SHARDS * sizeof *ids->place), more = (ids->stride / 3 + step - 1) / step * step;
    resize(ids, ids->stride + more, ids->cap + more);
}

void ids_add(struct ids *ids, uint64_t hash, uint32_t index) {
    uint64_t *p = ids_home(ids, hash), it = place_of(hash, ID_LIVE, index);
    while (*p && *p < it)
        p++;
    for (; it; p++) { /* those behind it make room */
        uint64_t was = *p;
        *p = it;
        it = was;
    }
    size_t shard = hash >> 61;
    if (++ids->n[shard] > ids->cap / 4 * 3) grow(ids);
    for (size_t spare; ids->place[(shard + 1) * ids->stride - 1];) /* the last place is free: every search ends */
        if ((spare = ids->stride - ids->cap) < ids->stride / 8)
            resize(ids, ids->stride, ids->stride - 2 * spare);
        else
            grow(ids);
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

uint64_t *ids_retire(struct ids *ids, uint64_t hash, uint32_t index, bool failed) {
    uint64_t *place = live(ids, hash, index);
    *place = place_of(hash, failed ? ID_FAILED : ID_DONE, (uint32_t)(hash & REST));
    return place;
}

bool ids_noted(const uint64_t *place) { return (*place & NOTE) != 0; }

bool ids_note(uint64_t *place) {
    bool first = !ids_noted(place);
    *place |= NOTE;
    return first;
}
