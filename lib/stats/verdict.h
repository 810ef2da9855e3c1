/* verdict: what may be said of a run, from what was found in it.  Layer 0.
 *
 * Pure: evidence in, verdict and its reasons out.  Strings belong to the caller or are literals.
 *
 * Nine rules, and the first that applies decides; a rule marked R belongs to the robust profile only.
 *
 *     1  unsupported         turns depend on each other: there is no steady state to speak of
 *     2  not_assessed        the gate was not measured: no token counts, no times, no requests
 *     3  too_short           fewer than 4 passes of body; R: no more requests than twice what was in flight at the first
 *                            completion, so that the run never left its ramp
 *     4  no_steady_state     no window is flat; or none lasts and a gate drifts; R: or none lasts and they lie far apart, more
 *                            was offered than served, the ramp never ended, or the run is a slope and not levels
 *     5  too_short           flat windows, none that lasts
 *     6  steady_then_shift   the window lasts, and the system left its level afterwards
 *     7  steady_after_shift  R: the window lasts, but an earlier, shorter plateau had another level
 *     8  local_plateau       the window lasts, but a gate moves over the rest of the run
 *     9  steady */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict {
    VERDICT_STEADY,
    VERDICT_STEADY_THEN_SHIFT,
    VERDICT_STEADY_AFTER_SHIFT,
    VERDICT_LOCAL_PLATEAU,
    VERDICT_NO_STEADY_STATE,
    VERDICT_TOO_SHORT,
    VERDICT_NOT_ASSESSED,
    VERDICT_UNSUPPORTED,
    N_VERDICTS
};
extern const char *const verdict_name[N_VERDICTS]; /* "steady" ... */

/* The verdicts of a comma-separated list as a set of bits 1 << verdict.  On an unknown name: 0, and the name in *bad. */
unsigned verdict_set(const char *list, const char **bad, size_t *bad_len);

/* Why: code, the metric or term concerned (NULL = none), its value and the bound it was held against (NAN = none). */
struct reason {
    const char *code, *metric;
    double value, bound;
};

/* A finding that counts when `metric` is set. */
struct finding {
    const char *metric;
    double value, bound;
};

#define VERDICT_MAX_REASONS 16

struct evidence {
    bool robust;
    bool agentic;
    const char *unassessed; /* why the gates cannot be assessed: "no_tokens" ...; NULL = they can */
    size_t n_body; /* passes */
    double n_requests, ramp_requests; /* issued; twice the in-flight count at the first completion.  NAN = unknown */
    struct reason
        against[VERDICT_MAX_REASONS]; /* what the rules have against the body, where no window is admissible */
    size_t n_against;
    size_t n_plateaus;
    bool any_long; /* a plateau lasts, or need not */
    struct finding too_short; /* the longest plateau: dominant term, its duration, the duration needed, s */
    struct finding body_drift, far_apart, slope, rest_drift; /* far_apart: levels of three or more plateaus; slope: R */
    bool backlog, capped;
    struct finding shift, end_shift, before_shift;
};

struct judgement {
    enum verdict verdict;
    bool found; /* a window lasts: rules 6..9, and 4 where it is shown but not certified */
    struct reason reason[VERDICT_MAX_REASONS];
    size_t n;
};
/* Add to e->against; what is beyond the most that fit is left out. */
void verdict_against(struct evidence *e, const char *code, const char *metric, double value, double bound);

struct judgement verdict_of(const struct evidence *e);

#endif
