/* coverage: how often the intervals of a rate hold the truth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "calibrate.h"
#include "interval.h"
#include "measure.h"
#include "num.h"

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

/* ---- percentiles ---- */

enum { N_PERCENTILES = 3, REQUESTS = 100, K_MAX = 80 }; /* p50, p90, p99; requests of a pass */
static const double normal_quantile[N_PERCENTILES] = {0, 1.2815515655446004, 2.3263478740408408};
static const double of_passes = .02, of_requests = .2; /* sd of the logarithm of TPOT */

struct percentiles_covered {
    size_t given[N_PERCENTILES], covered[N_PERCENTILES];
};

static void draw_samples(struct chance *c, double f, struct pass *p, size_t k, double *tpot) {
    double level[K_MAX];
    chance_ar1(c, f, level, k);
    for (size_t i = 0; i < k * REQUESTS; i++)
        tpot[i] = shape_tpot_ns * exp(of_passes * level[i / REQUESTS] + of_requests * chance_normal(c));
    for (size_t j = 0; j < k; j++)
        p[j].samples.tpot = tpot + j * REQUESTS;
}

/* Log-normal requests in passes whose level is log-normal, too: so is all of it, and its percentiles are known. */
static void cover_percentiles(const struct scale *s, size_t i, void *result) {
    static int64_t none[REQUESTS];
    static struct pass pass[K_MAX];
    static double tpot[K_MAX * REQUESTS];
    const struct pass *v[K_MAX];
    struct percentiles_covered r = {0};
    size_t k = passes[i % N_K];
    double sd = hypot(of_passes, of_requests);
    for (size_t j = 0; j < REQUESTS; j++)
        none[j] = INT_NONE;
    for (size_t j = 0; j < k; j++) {
        pass[j] = (struct pass){.n_issued = REQUESTS, .span_ns = INT64_C(60000000000), .first_issue_ns = INT_NONE};
        pass[j].samples =
            (struct samples){.n = REQUESTS, .seq = none, .ttft = none, .e2e = none, .osl = none, .done = none};
        v[j] = &pass[j];
    }
    struct passes run = {.v = pass, .n = k, .has_samples = true};
    for (size_t draw = 0; draw < s->draws; draw++) {
        struct chance c = chance_of(s->seed, 1500 + i, draw);
        draw_samples(&c, phi[i / N_K], pass, k, tpot);
        struct measure m;
        measure_of(&run, v, k, &m);
        const struct measure_metric *f = &m.metric[TPOT];
        const struct interval ci[] = {f->p50_ci, f->p90_ci, f->p99_ci};
        for (int p = 0; p < N_PERCENTILES; p++) {
            double truth = shape_tpot_ns * exp(sd * normal_quantile[p]);
            r.given[p] += !isnan(ci[p].lo);
            r.covered[p] += ci[p].lo <= truth && truth <= ci[p].hi;
        }
    }
    *(struct percentiles_covered *)result = r;
}

static void percentiles_print(const struct scale *s) {
    struct percentiles_covered c[N_PHI * N_K];
    work(s, N_PHI * N_K, sizeof *c, c, cover_percentiles);
    printf("\n4c. The same of percentiles of %d requests a pass, %%: p50 / p90 / p99; and of all draws, those with an "
           "interval for p99\n\n%-8s",
           REQUESTS, "");
    for (size_t j = 0; j < N_K; j++)
        printf("  k = %-19zu", passes[j]);
    for (size_t i = 0; i < N_PHI * N_K; i++) {
        if (i % N_K == 0) printf("\nphi %-4g", phi[i / N_K]);
        for (int p = 0; p < N_PERCENTILES; p++) {
            double share = c[i].given[p] ? 100 * (double)c[i].covered[p] / (double)c[i].given[p] : NAN;
            printf(isnan(share) ? "%s    -" : "%s%5.1f", p ? " / " : "  ", share);
        }
        printf(" %3.0f", 100 * (double)c[i].given[2] / (double)s->draws);
    }
    printf("\n");
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
    percentiles_print(s);
}
