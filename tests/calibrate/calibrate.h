/* calibrate: how often the method is right, on runs whose truth is planted.  A test program; not installed.
 *
 * A cell is one kind of run, drawn many times; every draw goes through the steps of warmcrop and plateau under both
 * profiles, in process and without a stream between them.  Every number drawn is a function of (seed, cell, draw, index),
 * so that a table depends neither on the number of workers nor on the cells beside it. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "passes.h"
#include "verdict.h"

struct scale {
    size_t draws; /* of a cell */
    uint64_t seed;
    int workers; /* processes */
};

/* ---- chance.c ---- */

struct chance {
    uint64_t key, n;
};
struct chance chance_of(uint64_t seed, uint64_t cell, uint64_t draw);
double chance_unit(struct chance *c); /* (0, 1) */
double chance_normal(struct chance *c); /* standard */
void chance_ar1(struct chance *c, double phi, double *x, size_t n); /* mean 0, sd 1, stationary from x[0] on */

/* ---- shape.c: a run of super-passes with a planted course of TPOT ---- */

#define SHAPE_STEPS 2
struct shape {
    size_t n; /* dataset passes */
    size_t grain; /* of them in a super-pass; 0 = 1 */
    double noise, phi; /* of every percentile of a dataset pass: coefficient of variation, lag-1 correlation */
    double drift; /* from the first pass to the last, relative */
    struct {
        double delta;
        size_t at, until; /* dataset passes; until 0 = the end */
    } step[SHAPE_STEPS];
    size_t ramp; /* passes over which TPOT climbs from 70 % of its level */
    double span_s; /* of a dataset pass */
};
double shape_level(const struct shape *s, size_t pass); /* planted in a dataset pass, relative to the nominal TPOT */
void shape_passes(const struct shape *s, struct chance *c, struct passes *out); /* for passes_free */

extern const double shape_tpot_ns; /* the nominal one */

/* ---- stage_warmcrop.c, stage_plateau.c: the tools' own steps ---- */

enum rules { ROBUST_RULES, DESIGN_RULES, N_RULES };

/* What a profile's rules are varied by. */
struct variant {
    bool no_crop; /* the first pass only */
    bool no_settled; /* warm-up by the band alone, as the design has it */
    bool no_step, no_right_edge, no_likelihood;
    size_t patience; /* 0 = the profile's */
    double band; /* 0 = the default */
};

struct finding_of_run {
    enum verdict verdict;
    bool found;
    size_t first, last; /* passes of the body, by number */
    size_t lo, hi; /* of the window, of all the body where none was found */
    size_t change; /* first pass after the shift, where there is one */
    bool silent; /* no shift is said, and a plateau lies more than 5 % off the reported one */
    double level; /* TPOT in the window, relative to the nominal one */
    double ci[2], adjusted[2]; /* of the same */
};

void stage_warmcrop(struct passes *s, enum rules r, const struct variant *v);
struct finding_of_run stage_plateau(struct passes *s, enum rules r, const struct variant *v);

/* ---- work.c ---- */

/* result[i], of `size` bytes, = job(i) for i < n, by several processes. */
void work(const struct scale *s, size_t n, size_t size, void *result,
          void (*job)(const struct scale *s, size_t i, void *result));

/* ---- sections, each printing its tables ---- */

void stationary_print(const struct scale *s);
void drifts_print(const struct scale *s);
void steps_print(const struct scale *s);
void excursions_print(const struct scale *s);
void ingredients_print(const struct scale *s);
void grains_print(const struct scale *s);
void bands_print(const struct scale *s);
void coverage_print(const struct scale *s);
void modes_print(const struct scale *s);

#endif
