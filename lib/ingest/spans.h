/* spans: from the stamps of one request to its latencies.  Layer 7.
 *
 * The one place where TTFT, E2E, TPOT and the flags that speak of clocks are computed, for the native log, for every
 * other harness, and for a contract that states another origin.  Allocates nothing, owns nothing.
 *
 * Stamps and spans are int64 ns, exact; tpot_ns is a double, the exact span over the tail.  A span that would be
 * negative, or does not fit int64, is missing, never 0. */
#ifndef SPANS_H
#define SPANS_H

#include "ledger.h"

enum latency_from { FROM_INTENDED, FROM_ISSUED }; /* the intended start where there is one; always the send */
enum retry_clock { RETRY_FIRST, RETRY_LAST }; /* the first send; for a retried request, its last send */
enum tpot_end { TPOT_TO_DONE, TPOT_TO_LAST }; /* the terminal event; the last logged delivery */

/* All zero is the default and what the method was calibrated on. */
struct spans_rule {
    enum latency_from latency_from;
    enum retry_clock retry_clock;
    enum tpot_end tpot_end;
};
extern const char *const latency_from_name[]; /* "intended" "issued" */
extern const char *const retry_clock_name[]; /* "first" "last" */
extern const char *const tpot_end_name[]; /* "done" "last" */

/* The stamp latencies run from, INT_NONE if the row has none.  RETRY_LAST takes reissued_ns where there is one; else
 * FROM_INTENDED takes intended_ns where there is one; else it is issued_ns. */
int64_t spans_start(const struct ledger_row *row, const struct spans_rule *rule);

/* tail_tokens from output_tokens where it is not known already: 0 for a reply of at most one token or known to be one
 * chunk, else the total less one, flagged first_assumed.  Nothing without a total. */
void spans_tail(struct ledger_row *row, bool one_chunk);

/* Fill ttft_ns, e2e_ns and tpot_ns, and set or clear the flags retry, no_first, late_first, clock_back, zero_span,
 * multi_token_chunk and limit_stop; the other flags are the caller's and stay.
 *
 * Reads outcome, the six stamps, output_tokens, tail_tokens, chunks, attempts, finish_reason, and gap_max_ns as the
 * caller measured it.  A row whose outcome is not completed loses output_tokens, tail_tokens, gap_max_ns and its
 * first_assumed and chunk_count flags.  A row without any start stamp keeps the ttft_ns and e2e_ns the caller gave
 * (harnesses that record spans only); its TPOT is then their difference over the tail.
 *
 *   tpot_ns     (end - first)/tail for tail > 0; missing for tail 0 (not applicable) or unknown
 *   late_first  the first delivery is stamped after done
 *   clock_back  ttft_ns, e2e_ns or tpot_ns would be negative
 *   zero_span   tokens after the first chunk, but end = first: below the clock's resolution, tpot_ns missing */
void spans_fill(struct ledger_row *row, const struct spans_rule *rule);

#endif
