#include "hash.h"

#include <stdlib.h>

#include "buf.h"

/* By the best instructions of the processor, where the library chooses at run time. */
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

uint64_t hash_bytes(const void *p, size_t n) { return XXH3_64bits(p, n); }

static int by_value(const void *pa, const void *pb) {
    uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

/* By their upper bits into groups of a few, which are sorted. */
size_t hash_repeats(const uint64_t *hash, size_t n) {
    unsigned bits = 1;
    while (bits < 20 && n >> bits > 4)
        bits++;
    size_t *end = xcalloc(((size_t)1 << bits) + 1, sizeof *end), repeats = 0;
    uint64_t *sorted = xmalloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        end[(hash[i] >> (64 - bits)) + 1]++;
    for (size_t g = 0; g < (size_t)1 << bits; g++)
        end[g + 1] += end[g];
    for (size_t i = 0; i < n; i++)
        sorted[end[hash[i] >> (64 - bits)]++] = hash[i];
    for (size_t g = 0, from = 0; g < (size_t)1 << bits; from = end[g++])
        if (end[g] - from > 1) qsort(sorted + from, end[g] - from, sizeof *sorted, by_value);
    for (size_t i = 1; i < n; i++)
        repeats += sorted[i] == sorted[i - 1];
    free(sorted);
    free(end);
    return repeats;
}
