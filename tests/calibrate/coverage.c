/* coverage: how often the intervals of a rate hold the truth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "calibrate.h"
#include "interval.h"

static const double phi[] = {0, .3, .6, .8};
static const size_t passes[] = {8, 12, 20, 40, 80};
enum { N_PHI = sizeof phi / sizeof *phi, N_K = sizeof passes / sizeof *passes };

struct covered {
    double plain, adjusted; /* shares */
};

/* 2 % noise of the pass means; each cell gets ten times the draws of the others, for they cost next to nothing. */
static void cover(const struct scale *s, size_t i, void *result) {
    size_t k = passes[i % N_K], draws = 10 * s->draws, plain = 0, adjusted = 0;
    double *y = xcalloc(k, sizeof *y), *x = xcalloc(k, sizeof *x);
    for (size_t draw = 0; draw < draws; draw++) {
        struct chance c = chance_of(s->seed, 1000 + i, draw);
        chance_ar1(&c, phi[i / N_K], y, k);
        for (size_t j = 0; j < k; j++) {
            x[j] = 100;
            y[j] = x[j] * (1 + .02 * y[j]);
        }
        struct interval_ratio r = interval_ratio(y, x, k);
        plain += r.ci.lo <= 1 && 1 <= r.ci.hi;
        adjusted += r.adjusted.lo <= 1 && 1 <= r.adjusted.hi;
    }
    free(y);
    free(x);
    *(struct covered *)result = (struct covered){(double)plain / (double)draws, (double)adjusted / (double)draws};
}

void coverage_print(const struct scale *s) {
    struct covered c[N_PHI * N_K];
    work(s, N_PHI * N_K, sizeof *c, c, cover);
    printf("\n4b. 95 %% intervals that hold the truth, %%: ci / ci_adjusted, by passes of the window\n\n%-8s", "");
    for (size_t j = 0; j < N_K; j++)
        printf("  k = %-8zu", passes[j]);
    for (size_t i = 0; i < N_PHI * N_K; i++) {
        if (i % N_K == 0) printf("\nphi %-4g", phi[i / N_K]);
        printf("  %4.1f / %4.1f", 100 * c[i].plain, 100 * c[i].adjusted);
    }
    printf("\n");
}
