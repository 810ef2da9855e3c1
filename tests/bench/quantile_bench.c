/* quantile_bench: an exact percentile of many values, beside sorting them.
 *
 *     quantile_bench [N]       default 10000000
 *
 * Prints the seconds of each, the least of five. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "buf.h"
#include "die.h"
#include "quantile.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    die_init("quantile_bench");
    size_t n = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 10000000;
    if (n == 0) die("no values");
    double *x = xcalloc(n, sizeof *x), best = INFINITY, p99 = 0;
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = 2e7 * (1 + (double)(state >> 11) / 9007199254740992.);
    }
    for (int i = 0; i < 5; i++) {
        double start = now();
        p99 = quantile_floor(x, n, 99, 100);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    double start = now();
    qsort(x, n, sizeof *x, ascending);
    double sorting = now() - start;
    if (x[quantile_rank(n, 99, 100)] != p99) die("the percentile is not the value of that rank");
    printf("%.4f\t%.4f\n", best, sorting);
    free(x);
    return 0;
}
