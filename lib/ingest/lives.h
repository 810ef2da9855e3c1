/* lives: the requests that are open: where they are kept, and in which order their rows leave.  Layer 10.
 *
 * A request is known by a number, which is given again when its life has been dropped. */
#ifndef LIVES_H
#define LIVES_H

#include "life.h"

struct lives_chunk {
    struct life *life; /* [LIVES_CHUNK] */
};

/* All zeros hold none. */
struct lives {
    VEC(struct lives_chunk) chunk;
    VEC(uint32_t) vacant;
    uint32_t n; /* in all chunks */
};

enum { LIVES_CHUNK = XMAP_UNIT / sizeof(struct life) };

static inline struct life *lives_at(const struct lives *l, uint32_t i) {
    return &l->chunk.v[i / LIVES_CHUNK].life[i % LIVES_CHUNK];
}
/* LIFE_NONE: there are too many. */
uint32_t lives_new(struct lives *l, uint64_t hash, struct view id);
void lives_drop(struct lives *l, uint32_t i);
void lives_free(struct lives *l); /* with those that are left */

/* Rank: by first issue, then by id.  For qsort_r over numbers; the context is a struct lives. */
int lives_by_rank(const void *a, const void *b, void *lives);

/* Numbers of requests by rank; all zeros are none.  Issues are logged nearly in order, and a request enters near the end; what
 * comes far from its place waits for ranks_sort. */
struct ranks {
    VEC(uint32_t) v; /* [at, sorted): by rank; [sorted, n): as they came */
    size_t at, sorted;
};

/* True where the request is the first one now. */
bool ranks_enter(struct ranks *r, const struct lives *l, uint32_t i);
/* Give a request an earlier issue, and the rank that goes with it if it is here; true if it may be. */
bool ranks_move(struct ranks *r, const struct lives *l, uint32_t i, int64_t issued_ns);
void ranks_sort(struct ranks *r, const struct lives *l);
static inline size_t ranks_n(const struct ranks *r) { return r->v.n - r->at; }
/* The first request (LIFE_NONE: there is none), or one behind it, when all are sorted. */
static inline uint32_t ranks_first(const struct ranks *r) { return r->at < r->v.n ? r->v.v[r->at] : LIFE_NONE; }
static inline uint32_t ranks_ahead(const struct ranks *r, size_t k) { return r->v.v[r->at + k]; }
static inline void ranks_pass(struct ranks *r) { r->at++; } /* the first one leaves */
void ranks_tidy(struct ranks *r); /* give room back, when all are sorted */
void ranks_free(struct ranks *r);

#endif
