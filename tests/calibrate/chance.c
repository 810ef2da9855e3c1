/* chance: numbers by counting, so that none depends on how many were drawn before. */
#include <math.h>

#include "calibrate.h"

/* Finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

struct chance chance_of(uint64_t seed, uint64_t cell, uint64_t draw) {
    return (struct chance){.key = mix(mix(mix(seed + 1) + cell) + draw)};
}

double chance_unit(struct chance *c) {
    return ((double)(mix(c->key + ++c->n * 0x9e3779b97f4a7c15U) >> 11) + 0.5) * 0x1p-53;
}

double chance_normal(struct chance *c) { /* Box and Muller 1958 */
    double r = sqrt(-2 * log(chance_unit(c)));
    return r * cos(2 * M_PI * chance_unit(c));
}

void chance_ar1(struct chance *c, double phi, double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = i == 0 ? chance_normal(c) : phi * x[i - 1] + sqrt(1 - phi * phi) * chance_normal(c);
}
