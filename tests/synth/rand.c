/* rand: numbers that depend on (seed, stream, index) only. */

#include <math.h>

#include "synth.h"

static uint64_t seed_mixed;

/* The finaliser of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void rand_seed(uint64_t seed) { seed_mixed = mix(seed + 0x9e3779b97f4a7c15u); }

uint64_t rand_bits(enum stream stream, uint64_t index) {
    return mix(mix(seed_mixed + (uint64_t)stream * 0x9e3779b97f4a7c15u) + index * 0xd1342543de82ef95u);
}

double rand_unit(enum stream stream, uint64_t index) { return (double)(rand_bits(stream, index) >> 11) * 0x1p-53; }

double rand_quantile(double p) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (p > 0.5) return -rand_quantile(1 - p);
    if (p < 0.02425) {
        double q = sqrt(-2 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    }
    double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double rand_normal(enum stream stream, uint64_t index) {
    double z = rand_quantile(fmax(rand_unit(stream, index), 1e-12));
    return fmin(fmax(z, -3.5), 3.5);
}

void rand_shuffle(uint32_t *v, size_t n, enum stream stream, uint64_t index) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(rand_unit(stream, (index << 32) + i) * (double)i);
        uint32_t keep = v[i - 1];
        v[i - 1] = v[j];
        v[j] = keep;
    }
}
