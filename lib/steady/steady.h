/* steady: what is found in a run, step by step.  Layer 8.
 *
 * A struct steady is begun by steady_read and filled by plateau.  The passes it points into stay their owner's; the rest is
 * freed by steady_free.  Indices count the passes of the body (full, role body) from 0. */
#ifndef STEADY_H
#define STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"
#include "passes.h"
#include "segment.h"
#include "shift.h"
#include "trend.h"
#include "verdict.h"
#include "window.h"

/* The trend tests over one range of a series. */
struct steady_trend {
    struct trend_summary tests;
    enum trend_state state;
    int agree; /* corroborating tests that come to the same state */
    int64_t change_pass; /* where Pettitt's test sees the change; INT_NONE = nowhere */
};

/* A metric over the body, one value per pass.  Gates come first. */
struct steady_series {
    const char *name; /* column of passes */
    int metric; /* enum metric, or -1: a rate */
    int percent; /* 50, 90, 99; 0: a mean or a rate */
    bool gate;
    double *x; /* [n], NAN = missing */
    /* over the window (all of the body where none was found), from its begin to the last pass, over all of the body */
    struct steady_trend window, rest, run;
};

struct steady_plateau {
    size_t lo, hi, bridged;
    double level;
    struct window_duration duration;
};

/* A window and its standard error; hi = lo: none. */
struct steady_choice {
    size_t lo, hi;
    double se;
};

struct steady_options {
    const char *profile;
    bool robust;
    const char *mode; /* NULL = as the stream says */
    const char *gate; /* comma-separated; NULL = by mode */
    struct segment_rules segment;
    double floor_s;
    bool min_duration, token_free;
};

struct steady {
    const struct passes *passes;
    const struct steady_options *options;
    const char *mode, *coverage;
    bool partial, agentic, offline;

    const struct pass **body; /* [n] */
    size_t n;
    double *span_ns; /* [n], NAN = missing */
    struct steady_series *series;
    size_t n_series, n_gates;
    const char *unassessed; /* why there is nothing to judge, or NULL */

    struct steady_plateau *plateau;
    size_t n_plateaus, reported, longest; /* reported = n_plateaus: none lasts */
    struct steady_choice mser, mser5; /* what standard error alone would choose, of passes and of means of five */

    const char *level_name;
    double *level, *weight; /* [n]: the series that levels are of, NAN = missing */
    struct shift shift;
    struct shift_end end;

    const char *follow; /* of a run that is followed: "open", "steady" (and left), "ended"; else NULL */

    struct judgement judgement;
    size_t lo, hi; /* the window, or all of the body where none was found */
    double concordance;
    struct measure measure; /* of [lo, hi) */
    bool measured;
};

static inline bool steady_found(const struct steady *s) { return s->judgement.found; }

/* Begin: body, gates, levels; spans missing from a plain table are filled in.  An unknown gate, or one named by the user that
 * the table lacks, dies. */
void steady_read(struct steady *s, const struct steady_options *options, struct passes *all);

/* All tests over passes [lo, hi) of a series, missing ones skipped.  by_rule: the state is that of the rule that breaks
 * windows, else it is significance alone. */
struct steady_trend steady_trend(const struct steady *s, const struct steady_series *x, size_t lo, size_t hi,
                                 bool by_rule, struct trend_work *work);

/* A plateau as shift sees it. */
static inline struct shift_plateau steady_level(const struct steady_plateau *p) {
    return (struct shift_plateau){p->lo, p->hi, p->level};
}

void steady_free(struct steady *s);

#endif
