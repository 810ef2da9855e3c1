/* explain: why a window grew, bridged or broke.  Layer 9.
 *
 * The search for plateaus as a table, one row per window it tested, in order.  Nothing is kept; what is given stays the
 * caller's. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "doc.h"
#include "segment.h"
#include "steady.h"
#include "stream.h"

/* A window that was tested: passes of the body by index. */
struct explain_window {
    size_t lo, hi;
    bool admissible;
};

/* Write the table to stdout: first_pass, end_pass, n_passes, plateau (its index, missing where none begins at first_pass),
 * admissible, decision, reasons, and for every gate G: G_cov and the bound it was held against, G_rel_drift and its p,
 * G_jump and its p, G_gain of the likelihood.  A figure no test needed is missing.  decision is one of
 *
 *     grow    the window takes this end
 *     bridge  not admissible, but a later end was
 *     stop    not admissible, and no later end was: the plateau ended before it
 *     cut     beyond where the plateau was cut back to: its right edge, or a fault at the end of the run
 *     skip    no window that begins here is admissible
 *
 * reasons: "cov:tpot_p50,step:tpot_p90".  search: finished, and still with its gates; header: with the lines of a stream,
 * and pg (borrowed) in them. */
void explain_write(const struct steady *s, const struct segment *search, const struct explain_window *window, size_t n,
                   enum spelling spelling, bool header, const json_t *pg);

#endif
