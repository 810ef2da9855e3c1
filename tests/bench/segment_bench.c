/* segment_bench: how long the search for plateaus takes, and how that grows with the number of passes.
 *
 *     segment_bench [MOST]       n = 100 ... MOST (default 10000), two gates
 *
 * A table on stdout: series, profile, passes, plateaus, seconds, and the exponent between this n and the one before it
 * (seconds ~ n^exponent).  The series are those that ask for unlike work: nothing to find, a slope that breaks windows,
 * a step that no test of trend resolves, and many levels. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "buf.h"
#include "die.h"
#include "segment.h"

#define GATES 2

static const struct {
    const char *name;
    struct segment_rules rules;
} profile[] = {{"robust", {TREND_HAMED_RAO_AR1, .05, .05, true, true, 3, true}},
               {"design", {TREND_HAMED_RAO, .05, .05, false, false, 1, false}}};

/* Level at a share t of the run, and the noise around it. */
static double steady(double t) { return 1 + 0 * t; }
static double slope(double t) { return 1 + .2 * t; }
static double step(double t) { return t < .5 ? 1 : 1.15; }
static double early_step(double t) { return t < .1 ? 1 : 1.15; }
static double stairs(double t) { return 1 + .1 * floor(10 * t); }

static const struct {
    const char *name;
    double (*level)(double t);
    double noise;
} series[] = {
    {"steady", steady, .01},           {"slope", slope, .01},  {"step", step, .01}, {"sharp-step", step, .001},
    {"sharp-early", early_step, .001}, {"stairs", stairs, .01}};

static double uniform(uint64_t *s) {
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*s >> 11) / 9007199254740992.;
}

static double normal(uint64_t *s) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(s);
    return sum;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of one search, and the plateaus it finds. */
static double search(size_t which, size_t n, const struct segment_rules *rules, size_t *plateaus) {
    double *x[GATES];
    struct segment_gate gate[GATES];
    uint64_t seed = 1;
    for (size_t g = 0; g < GATES; g++) {
        x[g] = xcalloc(n, sizeof(double));
        for (size_t i = 0; i < n; i++)
            x[g][i] = 2e7 * (series[which].level((double)i / (double)n) + series[which].noise * normal(&seed));
        gate[g] = (struct segment_gate){x[g], g > 0};
    }
    double start = now();
    struct trend_work *work = trend_work_new(n);
    struct segment s = {.gate = gate, .n_gates = GATES, .n_passes = n, .rules = rules, .work = work};
    segment_find(&s);
    double seconds = now() - start;
    *plateaus = s.n;
    segment_free(&s);
    trend_work_free(work);
    for (size_t g = 0; g < GATES; g++)
        free(x[g]);
    return seconds;
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {100, 300, 1000, 3000, 10000, 30000, 100000};
    die_init("segment_bench");
    size_t most = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 10000;
    puts("series\tprofile\tpasses\tplateaus\tseconds\texponent");
    for (size_t which = 0; which < sizeof series / sizeof *series; which++)
        for (size_t p = 0; p < sizeof profile / sizeof *profile; p++) {
            double before = 0;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
                size_t plateaus;
                double seconds = search(which, sizes[i], &profile[p].rules, &plateaus);
                printf("%s\t%s\t%zu\t%zu\t%.4f\t", series[which].name, profile[p].name, sizes[i], plateaus, seconds);
                if (i > 0) printf("%.1f", log(seconds / before) / log((double)sizes[i] / (double)sizes[i - 1]));
                putchar('\n');
                fflush(stdout);
                before = seconds;
            }
        }
    return 0;
}
