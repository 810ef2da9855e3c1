/* ids: which ids a log has named, and what became of them.  Layer 2.
 *
 * A hash table of 8-byte places, keyed by 64-bit hashes.  A live id has the index of its request there, and the caller
 * compares the id itself; of a finished one only the hash stays (with n finished ids, an id that was never seen is taken
 * for one of them with probability n/2^64).  Nothing is ever removed, so that at most 16 bytes are spent on an id.
 *
 * Places are pointers into the table: good until the next ids_add. */
#ifndef IDS_H
#define IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum id_state { ID_FREE, ID_LIVE, ID_DONE, ID_FAILED };

/* A place: 30 bits of hash, 2 of state, then the index (live) or 1 bit of note and 31 bits of hash.  The other 3
 * bits of the hash choose the shard.  Places lie in order of hash, as in a phone book (Amble and Knuth 1974), so that a
 * search for a new id is short, and growing reads and writes in sequence. */
enum { IDS_SHARDS = 8 };
struct ids {
    uint64_t *place; /* [IDS_SHARDS][stride], all zero where free; the last one of a shard is */
    size_t stride,
        cap; /* homes lie in the first cap places of a shard; the others are for what is pushed beyond them */
    size_t n[IDS_SHARDS];
};

void ids_init(struct ids *ids);
void ids_free(struct ids *ids);

static inline enum id_state ids_state(const uint64_t *place) { return (enum id_state)(*place >> 32 & 3); }
static inline uint32_t ids_index(const uint64_t *place) { return (uint32_t)*place; }

/* The place where a hash is looked for first. */
static inline uint64_t *ids_home(const struct ids *ids, uint64_t hash) {
    return &ids->place[(hash >> 61) * ids->stride + ((hash >> 31 & 0x3FFFFFFF) * ids->cap >> 30)];
}

/* The first place of a hash, and the next one where a live place turned out to be another id's; NULL: not known. */
uint64_t *ids_find(const struct ids *ids, uint64_t hash);
uint64_t *ids_find_next(uint64_t hash, uint64_t *place);

/* One more live id of this hash. */
void ids_add(struct ids *ids, uint64_t hash, uint32_t index);
void ids_move(struct ids *ids, uint64_t hash, uint32_t index, uint32_t to); /* a live id gets another index */
/* The id is finished; its place. */
uint64_t *ids_retire(struct ids *ids, uint64_t hash, uint32_t index, bool failed);

/* A mark on a finished id; the first call says true. */
bool ids_note(uint64_t *place);
bool ids_noted(const uint64_t *place);

#endif
