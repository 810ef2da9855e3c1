/* bpe: byte-level byte pair encoding.  Layer 3.
 *
 * Tokens are strings of bytes; a merge makes one token of two neighbours.  Of all merges that fit, the one of lowest
 * rank is made, of equal ones the leftmost, until none fits (Sennrich, Haddow and Birch 2016, over bytes).  A bpe owns
 * its copies of the tokens and is read-only after bpe_ready. */
#ifndef BPE_H
#define BPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "names.h"

enum bpe_unknown {
    BPE_UNKNOWN_DROPPED, /* a byte that is no token counts nothing */
    BPE_UNKNOWN_COUNTED, /* it counts one */
    BPE_UNKNOWN_FUSED /* a run of them counts one */
};

struct bpe {
    struct names token;
    uint32_t byte[256]; /* the token of each byte, or NAMES_NONE */
    struct bpe_pair *pair; /* hash table */
    struct bpe_made *first; /* merges of two bytes, 256 × 256 */
    size_t n_slots, n_pairs;
    struct buf joined; /* of bpe_merge */
    enum bpe_unknown unknown;
    bool whole_words; /* a piece that is a token counts one, whatever merges make of it */
};

/* Memory that calls reuse; {0} is empty.  One per thread. */
struct bpe_scratch {
    struct bpe_symbol *symbol;
    size_t symbol_cap;
    struct bpe_merge *heap;
    size_t heap_n, heap_cap;
};

static inline uint32_t bpe_token(struct bpe *b, struct view bytes) { return names_add(&b->token, bytes); }
/* The merge of left and right.  False if one of them, or both joined, is no token. */
bool bpe_merge(struct bpe *b, struct view left, struct view right, uint32_t rank);
/* Every merge of two tokens into this one. */
void bpe_splits(struct bpe *b, uint32_t token, uint32_t rank);
void bpe_ready(struct bpe *b);
/* Tokens of a piece of n bytes. */
size_t bpe_count(const struct bpe *b, struct bpe_scratch *scratch, const char *s, size_t n);
void bpe_scratch_free(struct bpe_scratch *scratch);
void bpe_free(struct bpe *b);

#endif
