#include "grain.h"

#include <stdlib.h>

#include "buf.h"

/* Finalizer of SplitMix64 (Steele, Lea, Flood 2014): without it, sums of related fingerprints could agree by design. */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

struct grain grain_find(const uint64_t *prompt, size_t n) {
    struct grain g = {0};
    uint64_t *sum = xmalloc((n + 1) * sizeof *sum); /* of the first i prompts, modulo 2^64 */
    sum[0] = 0;
    for (size_t i = 0; i < n; i++) /* an unknown prompt gets a value of its own */
        sum[i + 1] = sum[i] + mix(prompt[i] ? prompt[i] : mix(i + 1) | 1);
    for (size_t d = 1; g.size == 0 && d <= n / 2; d++)
        if (sum[2 * d] - sum[d] == sum[d]) g.size = d;
    if (g.size > 0) g.blocks = n / g.size;
    for (size_t b = 0; b < g.blocks; b++)
        g.alike += sum[(b + 1) * g.size] - sum[b * g.size] == sum[g.size];
    free(sum);
    return g;
}
