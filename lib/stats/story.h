/* story: is a series one level, a line, or a step?  Layer 2.
 *
 * Pure: no I/O, nothing is kept.  Series are plain arrays without NAN, x[0..n), one value per super-pass.
 *
 * A test of trend asks whether one level can be refused.  From twenty passes whose noise lasts from pass to pass that is
 * answered wrongly too often, either way: noise that wanders looks like a trend, and a trend looks like noise that wanders.
 * Here the stories are set against each other instead.  Each is a mean with Gaussian noise round it that is AR(1),
 * x_t = mean_t + e_t, e_t = phi e_(t-1) + innovation, and its likelihood is exact (Prais & Winsten 1954; Beach & MacKinnon
 * 1978), at its greatest over the mean and the scatter.  What nobody knows is phi, and where so few passes cannot tell, the
 * greatest likelihood lets every story choose the phi that flatters it.  It is therefore averaged over phi = 0, .05 ... .95,
 * all alike beforehand (integrated likelihood, Berger, Liseo & Wolpert 1999).
 *
 * Gains are twice the logarithm of a ratio of likelihoods.  Between a level and a line that is about chi-squared with 1 degree of
 * freedom for long series of one level: above 5.4 in 2 %, above 10.8 in 0.1 %.  A step may choose its place and gains more. */
#ifndef STORY_H
#define STORY_H

#include <stddef.h>

#define STORY_SIDE 4 /* passes on either side of a step or a bend */
#define STORY_MIN_N (2 * STORY_SIDE) /* shorter series tell nothing: every figure is 0 */

/* line, step: gains over one level.  change: of the line from first to last value; jump: of the step, x[at] being the first
 * value after it, >= STORY_SIDE on either side.  Both in units of x, and in the mean over phi. */
struct story {
    double line, change;
    double step, jump;
    size_t at;
};
struct story story_of(const double *x, size_t n);

/* Gain of a ramp, which is a line up to some value and level from there on, over a line all along; the best bend of those
 * that leave STORY_SIDE values on either side. */
double story_ramp(const double *x, size_t n);

#endif
