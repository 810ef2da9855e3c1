/* modes: closed loop or open, told by the requests in flight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "calibrate.h"
#include "survey.h"

#define MS INT64_C(1000000)

/* How the load comes, and what it is. */
static const struct load {
    const char *name;
    bool closed;
    double dawdle; /* closed: mean pause of a client, in service times */
    double spread; /* of the service time, sigma of its logarithm */
    double capacity; /* open: of the arrivals, that the server can take; 0 = any number at once */
} load[] = {
    {"closed, no pause", true, 0, .5, 0},
    {"closed, no pause, equal lengths", true, 0, 0, 0},
    {"closed, pause .1 %", true, .001, .5, 0},
    {"closed, pause 1 %", true, .01, .5, 0},
    {"closed, pause 20 %", true, .2, .5, 0},
    {"closed, pause 100 %", true, 1, .5, 0},
    {"poisson", false, 0, .5, 0},
    {"poisson, equal lengths", false, 0, 0, 0},
    {"poisson, server at 95 %", false, 0, .5, 1 / .95},
    {"poisson, server overloaded 1.3", false, 0, .5, 1 / 1.3},
};
static const int64_t clients[] = {4, 12, 64, 256, 1024, 4096, 20000};
static const int64_t times[] = {2, 3, 5, 10, 50};
enum {
    N_LOAD = sizeof load / sizeof *load,
    N_C = sizeof clients / sizeof *clients,
    N_TIMES = sizeof times / sizeof *times
};

/* Time of the next event of every client (or server), earliest first. */
struct clock {
    int64_t *at; /* min-heap */
    size_t n;
};

static void sift(struct clock *c) {
    int64_t x = c->at[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < c->n; i = child) {
        if (child + 1 < c->n && c->at[child + 1] < c->at[child]) child++;
        if (c->at[child] >= x) break;
        c->at[i] = c->at[child];
    }
    c->at[i] = x;
}

static double service(struct chance *c, const struct load *l) {
    return 1000 * exp(l->spread * (chance_normal(c) - l->spread / 2));
}

/* n requests of c clients; or, open, as many in flight in the mean. */
static void issue(struct request *v, int64_t n, int64_t c, const struct load *l, struct chance *chance) {
    struct clock clock = {xcalloc((size_t)c, sizeof *clock.at), (size_t)c};
    for (int64_t i = 0; l->closed && i < c; i++)
        clock.at[i] = i * MS / 100;
    double now = 0, servers = l->capacity > 0 ? l->capacity : 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t issued = clock.at[0], serve = (int64_t)(service(chance, l) * (double)MS);
        if (!l->closed) {
            now -= 1000 / (double)c * log(chance_unit(chance));
            issued = (int64_t)(now * (double)MS);
        }
        int64_t start = issued;
        if (l->capacity > 0) {
            serve = (int64_t)((double)serve / servers);
            if (clock.at[0] > start) start = clock.at[0];
        }
        v[i] = (struct request){.issued_ns = issued,
                                .done_ns = start + serve,
                                .latest_ns = start + serve,
                                .seq = (uint32_t)i,
                                .at = (uint32_t)i,
                                .ended = true,
                                .completed = true};
        clock.at[0] = start + serve;
        if (l->dawdle > 0) clock.at[0] -= (int64_t)(1000 * l->dawdle * log(chance_unit(chance)) * (double)MS);
        sift(&clock);
    }
    free(clock.at);
}

static void classify(const struct scale *s, size_t i, void *result) {
    const struct load *l = &load[i / (N_C * N_TIMES)];
    int64_t c = clients[i / N_TIMES % N_C], n = c * times[i % N_TIMES], wrong = 0, runs = 200000 / n;
    if (runs < 1) runs = 1;
    if (runs > (int64_t)s->draws) runs = (int64_t)s->draws;
    struct request *v = xcalloc((size_t)n, sizeof *v);
    for (int64_t run = 0; run < runs; run++) {
        struct chance chance = chance_of(s->seed, 2000 + i, (uint64_t)run);
        issue(v, n, c, l, &chance);
        struct requests r = {.v = v, .n = (size_t)n};
        struct survey survey;
        struct survey_marks none = {0};
        survey_all(&survey, &r, &none);
        wrong += survey_mode(&survey) != (l->closed ? MODE_CONCURRENCY : MODE_POISSON);
        survey_free(&survey);
    }
    free(v);
    *(double *)result = (double)wrong / (double)runs;
}

void modes_print(const struct scale *s) {
    double *wrong = xcalloc(N_LOAD * N_C * N_TIMES, sizeof *wrong);
    work(s, N_LOAD * N_C * N_TIMES, sizeof *wrong, wrong, classify);
    printf("\n6. Mode taken for another, %%, by C (poisson: mean in flight) and requests issued, n = 2C / 3C / 5C / "
           "10C / 50C\n");
    for (size_t i = 0; i < N_LOAD * N_C * N_TIMES; i++) {
        if (i % (N_C * N_TIMES) == 0) printf("\n%s\n", load[i / (N_C * N_TIMES)].name);
        if (i % N_TIMES == 0) printf("    C = %-6lld", (long long)clients[i / N_TIMES % N_C]);
        printf("%s%5.1f", i % N_TIMES ? " / " : " ", 100 * wrong[i]);
        if (i % N_TIMES == N_TIMES - 1) printf("\n");
    }
    free(wrong);
}
