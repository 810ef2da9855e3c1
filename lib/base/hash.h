/* hash: XXH3-64 (Collet 2019), seed 0, of texts of any length.  Layer 2. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n);

/* How many of n hashes are equal to an earlier one.  O(n) time for hashes that are spread evenly, and 8 n bytes. */
size_t hash_repeats(const uint64_t *hash, size_t n);

#endif
