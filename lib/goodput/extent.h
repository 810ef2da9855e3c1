/* extent: over which time a run is counted.  Layer 8.
 *
 * Rates of what was offered and sent are over the arrival span: --duration, else tracking from start to stop, else the span
 * of the arrivals themselves.  Everything else is over the duration: from the same start to the later of the span's end and
 * the last terminal event.  Owns nothing. */
#ifndef EXTENT_H
#define EXTENT_H

#include "tally.h"

struct extent {
    const char *source; /* "option", "tracking", "arrivals"; NULL = no times */
    int64_t start_ns, stop_ns; /* stop: INT_NONE where nobody stopped anything */
    int64_t end_ns, cutoff_ns; /* arrivals from end on are left out; what ends after the cut-off is unfinished */
    double arrival_s, duration_s; /* NAN = unknown */
};

/* The stamp s seconds after another, at most the last there is. */
int64_t extent_after(int64_t ns, double s);

/* The stamp at a run's "tracking_start_ns" or "tracking_stop_ns"; INT_NONE where it was not logged. */
int64_t extent_tracking(const json_t *run, const char *edge);

/* Of n requests that tell no more than when they came: (last - first arrival) n/(n - 1), since n arrivals are n - 1 gaps
 * and one more until the next would have come; NAN for n = 1. */
struct extent extent_of_arrivals(const struct fact *const *f, size_t n);

/* Of a run with the facts `run`; in[0..*n) loses the arrivals that duration_s leaves out.  NAN: no such option. */
struct extent extent_of_run(const json_t *run, double duration_s, double drain_s, const struct fact **in, size_t *n);

/* The report's `duration`; beyond: arrivals left out.  New reference. */
json_t *extent_json(const struct extent *s, const struct fact *const *f, size_t n, int64_t beyond);

#endif
