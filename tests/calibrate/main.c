/* calibrate: print the tables of `make calibrate` that need passes and not requests.
 *
 *     calibrate [--draws N] [--seed S] [--workers N] [TABLE...]
 *
 * Without names, all tables. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "die.h"
#include "num.h"

static const struct {
    const char *name;
    void (*print)(const struct scale *s);
} table[] = {
    {"stationary", stationary_print}, {"drifts", drifts_print},     {"steps", steps_print},
    {"excursions", excursions_print}, {"coverage", coverage_print}, {"ingredients", ingredients_print},
    {"modes", modes_print},           {"grains", grains_print},     {"bands", bands_print},
};
enum { N_TABLES = sizeof table / sizeof *table };

static int64_t count(const char *option) {
    int64_t v;
    if (!num_int(optarg, strlen(optarg), &v) || v < 1) die("--%s: '%s' is no count", option, optarg);
    return v;
}

static const struct option options[] = {{"draws", required_argument, NULL, 'd'},
                                        {"seed", required_argument, NULL, 's'},
                                        {"workers", required_argument, NULL, 'w'},
                                        {0}};

int main(int argc, char **argv) {
    struct scale scale = {.draws = 400, .seed = 1, .workers = 2};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'd')
            scale.draws = (size_t)count("draws");
        else if (c == 's')
            scale.seed = (uint64_t)count("seed");
        else if (c == 'w')
            scale.workers = (int)count("workers");
        else
            return DIE_STATUS;
    }
    bool wanted[N_TABLES] = {0};
    for (int i = optind; i < argc; i++) {
        int t = 0;
        while (t < N_TABLES && strcmp(table[t].name, argv[i]) != 0)
            t++;
        if (t == N_TABLES) die("no table '%s'", argv[i]);
        wanted[t] = true;
    }
    printf("%zu draws of every cell, seed %llu\n", scale.draws, (unsigned long long)scale.seed);
    for (int t = 0; t < N_TABLES; t++)
        if (optind == argc || wanted[t]) table[t].print(&scale);
    if (fflush(stdout) != 0) die_errno("standard output");
    return 0;
}
