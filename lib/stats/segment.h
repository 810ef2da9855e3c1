/* segment: the plateaus of a run.  Layer 3.
 *
 * Pure: no I/O; what segment_find allocates is freed by segment_free, everything else is the caller's.  Series have one
 * value per super-pass of the body, by index 0..n_passes-1, NAN = missing; windows are half open, [lo, hi).
 *
 * A window is admissible when in every gate metric no value is missing, it scatters less than a bound, and nothing
 * breaks it: neither a trend nor, where the rules ask for it, a step, each both significant and large.  A plateau is
 * what an admissible window grows to from its first pass on; the next one begins where it ends.  All of them are found,
 * in order; which of them is reported is not decided here, and never by how good it looks. */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "trend.h"

#define SEGMENT_MIN_N 4 /* passes of the shortest window */

/* A series that must be steady.  tail: a percentile of 90 or more, which scatters more than a median or a mean. */
struct segment_gate {
    const double *x;
    bool tail;
};

/* The ingredients, each to be chosen by itself.  The two profiles are
 *     design   trend TREND_HAMED_RAO,     step false, right_edge false, patience 1, told false
 *     robust   trend TREND_HAMED_RAO_AR1, step true,  right_edge true,  patience 3, told true
 * both with alpha and rel_drift .05.
 *
 * A trend breaks a window when its test has p < alpha and the least squares line changes by >= rel_drift of |median|; a
 * step when Pettitt's test has p < alpha and the means on both sides differ by as much.  Growth stops after `patience`
 * inadmissible ends in a row, the shortest window's counted, and keeps the last admissible one.
 *
 * told: from STORY_MIN_N passes on, what the tests find breaks a window only if it is also more likely than one level under
 * noise that lasts from pass to pass: the gain of a line or of a step (see story) is > SEGMENT_TOLD, and it changes by >=
 * rel_drift of |median|. */
#define SEGMENT_TOLD 10.83 /* chi-squared, 1 degree of freedom, .1 %: many ends are tested */
#define SEGMENT_TOLD_ALONE 15.14 /* .01 %: where no test says so */
struct segment_rules {
    enum trend_test trend;
    double alpha, rel_drift;
    bool step, right_edge;
    size_t patience; /* >= 1 */
    bool told;
};

/* A right edge is cut where growth was stopped: the last passes may belong to the next level already, since a test
 * needs three or four of them before it fires.  [lo, stopping end) of the first gate is split in two levels at the
 * least sum of squares (the first of equals, >= 2 passes either side); hi moves back to the split when it fits better
 * than a line, the levels differ by >= .05 of |median|, and >= SEGMENT_MIN_N passes remain.
 *
 * told: the end of the run stops growth, too, where [lo, end of the run) of the first gate is a step with a gain >
 * SEGMENT_TOLD_ALONE and a jump >= rel_drift, in its second half.  Pettitt's test hardly sees 8 passes of another level after
 * 72. */
struct segment_plateau {
    size_t lo, hi;
    size_t bridged; /* inadmissible ends below hi */
};

/* Why a window is not admissible, as bits. */
enum segment_reason { SEGMENT_MISSING = 1, SEGMENT_COV = 2, SEGMENT_TREND = 4, SEGMENT_STEP = 8 };
const char *segment_reason_name(enum segment_reason r); /* "missing" "cov" "trend" "step" */

/* What one gate says about a window.  Figures of tests that were not needed or not asked for are NAN. */
struct segment_finding {
    unsigned reasons; /* 0 = nothing against it */
    double cov;
    double drift, drift_p; /* of the least squares line over |median|; drift_p only from rel_drift on */
    double jump, jump_p; /* likewise; jump only where jump_p < alpha */
    double gain; /* of a line or a step over one level, where a test found one of them and the rules ask */
};

/* gate[n_gates], rules and work (of at least n_passes points) are given; plateau[n] is found.  trace, if any, is called
 * for every window that segment_find tests, in order. */
struct segment {
    const struct segment_gate *gate;
    size_t n_gates, n_passes;
    const struct segment_rules *rules;
    struct trend_work *work;
    struct segment_plateau *plateau;
    size_t n;
    void (*trace)(void *arg, const struct segment *s, size_t lo, size_t hi, bool admissible);
    void *trace_arg;
};

/* Find all plateaus.  A steady run of n passes costs O(n^2) cheap steps; tests of trend are run only where the change
 * is large enough to matter. */
void segment_find(struct segment *s);
void segment_free(struct segment *s); /* the plateaus */

/* hi - lo >= SEGMENT_MIN_N and no gate has anything against it. */
bool segment_admissible(const struct segment *s, size_t lo, size_t hi);

/* Everything gate g says about a window, for whoever wants to know why. */
struct segment_finding segment_look(const struct segment *s, size_t g, size_t lo, size_t hi);

/* Bounds of scatter come as an ensemble of three settings: CoV of every p50 (mean, rate) < .03 and of every tail <
 * .045; < .05 and .075; from 5 passes on, < .08 and .12.  A window needs one.  The share of the applicable settings
 * that certify it; NAN when none applies. */
double segment_concordance(const struct segment *s, size_t lo, size_t hi);
double segment_cov_bound(bool tail, size_t n); /* the loosest of these bounds for n passes; 0 where none applies */

/* The state of a series by the rule that breaks windows: up or down when a trend or (if asked for) a step breaks it,
 * else plateau; insufficient below TREND_MIN_N.  x without NAN. */
enum trend_state segment_state(const double *x, size_t n, const struct segment_rules *rules, struct trend_work *work);

/* Whether a value lies > .05 of |median| off the median of its window: a plateau may hold some, and lists them. */
bool segment_is_excursion(double x, double median);

#endif
