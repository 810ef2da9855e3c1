/* grain: how large is the dataset that a run repeats?  Layer 2.
 *
 * A dataset issued in full, pass after pass and in any order, shows as two neighbouring blocks that hold the same
 * prompts equally often.  Pure: no I/O; the caller owns every array. */
#ifndef GRAIN_H
#define GRAIN_H

#include <stddef.h>
#include <stdint.h>

/* A dataset size, and how far the run bears it out. */
struct grain {
    size_t size; /* 0 = none found */
    size_t blocks, alike; /* whole blocks of that size, and how many hold the prompts of the first one */
};

/* Smallest d, 2d <= n, for which the multiset of prompt[0..d) equals that of prompt[d..2d).  A prompt is a fingerprint;
 * 0 = unknown, equal to nothing.  O(n): multisets are compared by sums of mixed fingerprints, wrong once in 2^64. */
struct grain grain_find(const uint64_t *prompt, size_t n);

#endif
