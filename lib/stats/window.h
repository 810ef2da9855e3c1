/* window: is a stretch of passes long enough to be certified, and how much does it say?  Layer 3.
 *
 * Pure: no I/O, nothing is kept; work arrays belong to the caller.  Series have one value per super-pass, without NAN unless
 * said otherwise.
 *
 * Flat is not yet steady: four passes of a fast system are seconds, and no eviction, sick worker or slow autoscaler shows in
 * seconds.  A window must therefore also last, in wall time, as long as the longest of three terms:
 *
 *     precision    k* tau, k* = ceil((1.96 CoV / .05)^2): passes needed for a mean good to 5 %.  Binds for noisy systems;
 *                  nothing where four passes are enough, for those are demanded anyway
 *     relaxation   5 L, L = p90 of the time a request is in the system: transients die out at that scale
 *     floor        600 s by default: binds for clean, fast systems */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WINDOW_MIN_PASSES 4 /* fewest passes of a window: the trend tests say nothing below */

/* In the order in which ties go. */
enum window_term { WINDOW_PRECISION, WINDOW_RELAXATION, WINDOW_FLOOR };
extern const char *const window_term_name[]; /* "precision" "relaxation" "floor" */

struct window_duration {
    bool long_enough;
    double span_ns; /* wall time it has, exact below 104 days */
    double window_s, min_s; /* the same in s, and what it needs */
    enum window_term dominant; /* the term that min_s is */
    double precision_s, relaxation_s, floor_s; /* relaxation_s NAN = not known, and then not asked for */
    int64_t k_star;
    double cov_b, tau_s, l_p90_s; /* CoV of the gate, median pass span, L */
};

/* gate, span_ns: [k], of the first gate metric and of the passes' spans.  l_p90_s NAN = not known.  */
struct window_duration window_duration(const double *gate, const double *span_ns, size_t k, double l_p90_s,
                                       double floor_s);

/* Standard error of the mean, population sd / sqrt k (the rule of White 1997 minimises it); NAN for k = 0. */
double window_se(const double *gate, size_t k);
/* The same from means of 5 passes that follow each other, an incomplete last batch dropped; NAN for k < 10. */
double window_se5(const double *gate, size_t k);

/* none: fewer than 6 passes, where no trend test should be believed.  low: fewer than 20 passes of body in the run, CoV above
 * .025 or lag-1 correlation above .5.  Else full. */
enum window_confidence { WINDOW_NONE, WINDOW_LOW, WINDOW_FULL };
extern const char *const window_confidence_name[]; /* "none" "low" "full" */
enum window_confidence window_confidence(const double *gate, size_t k, size_t n_body);

#endif
