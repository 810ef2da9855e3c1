/* shift: did the system change its level, and when?  Layer 3.
 *
 * Pure: no I/O, the caller owns every array.  Series have one value per super-pass of the body, by index 0..n-1; plateaus
 * are stretches of them, in order, without NAN.
 *
 * A run that steps to another level has two honest answers, and the first is the system as it was healthy.  What must not
 * happen is that the second goes unsaid, or that a slope, which has no level at all, is cut into two and reported as one.
 * Levels and slope are therefore set against each other: K levels with K - 1 places where they change, or one line. */
#ifndef SHIFT_H
#define SHIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "trend.h"

/* A plateau and its level: sum w y / sum w. */
struct shift_plateau {
    size_t lo, hi;
    double level;
};

extern const double shift_least; /* smallest relative difference between levels that counts: .05 */

double shift_level(const double *y, const double *w, size_t lo, size_t hi);

/* level / base - 1, and whether that is more than shift_least either way. */
double shift_between(double level, double base);
bool shift_differs(double level, double base);

/* Levels against line over the passes of k plateaus: n ln(SSE/n) + p ln n (BIC, Schwarz 1978), p = 2k - 1 and 2.  The lower
 * one wins; on a tie neither does. */
struct shift_fit {
    double levels, line;
};
struct shift_fit shift_fit(const double *y, const struct shift_plateau *p, size_t k);
static inline bool shift_levels_win(struct shift_fit f) { return f.levels < f.line; }
static inline bool shift_line_wins(struct shift_fit f) { return f.line < f.levels; }

/* A later plateau differs from plateau `base`, and the passes from there on have a change point (Pettitt 1979, p < alpha).
 * robust: the levels must also win over the plateaus from `base` on.
 * y may hold NAN outside the plateaus (skipped).  p: [k]; change: index into y of the first pass after the change. */
struct shift {
    bool found;
    double delta; /* of the plateau that differs most; 0 where none differs */
    size_t change;
    struct trend_pettitt pettitt;
};
struct shift shift_find(const double *y, size_t n, const struct shift_plateau *p, size_t k, size_t base, double alpha,
                        bool robust, struct trend_work *work);

/* A fault in the last passes, too short to be a plateau: two or more trailing passes in which every gate is > 5 % and > 4 MAD
 * (unscaled) off its median in the plateau, reached by a jump and not by a slope: medians of 2..4 passes either side, within
 * 3 passes of the first, at least 5 % of the level apart.
 * gate: [n_gates] series of n; y: the series that levels are of.  first: index of the first such pass; delta: the first
 * gate's mean there against its median in the plateau. */
struct shift_end {
    bool found;
    size_t first;
    double delta;
};
struct shift_end shift_end(const double *const *gate, size_t n_gates, const double *y, size_t n,
                           struct shift_plateau plateau);

#endif
