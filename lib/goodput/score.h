/* score: what became of one request under a contract.  Layer 7.
 *
 * The rule of goodput, pure: one ledger row, one contract and one verdict on the reply's quality give one disposition and
 * the misses behind it.  Allocates nothing, owns nothing. */
#ifndef SCORE_H
#define SCORE_H

#include "contract.h"
#include "ledger.h"

struct score {
    enum disposition disposition;
    unsigned misses; /* MISS_BITs; 0 unless the request completed */
    unsigned not_applicable; /* bits by target: nothing to measure */
    /* What this row tells of: bits by target, and two more.  A target that is not applicable to it is in neither. */
    unsigned observed, unobserved;
};
#define SCORE_MODEL (1U << N_TARGETS)
#define SCORE_SCHEMA (2U << N_TARGETS)

/* The row's value of a target, ns; INT_NONE or NAN where it is missing.  TPOT is a quotient, so score_value gives
 * doubles; spans below 2^53 ns (104 days) are exact in them. */
double score_value(const struct ledger_row *row, enum target t);

/* A completed reply with nothing after its first chunk has no TPOT and no gap. */
bool score_not_applicable(const struct ledger_row *row, enum target t);

/* Spans are the row's, and must already run from where the contract says they do.  Every row gets a disposition:
 *   completed, no miss                      accepted
 *   completed, a miss of either kind        quality_failure or latency_failure; one with both by contract's `primary`
 *   error rejected timeout cancelled unfinished   server_failure rejected client_timeout cancelled unfinished
 * Exactly on target meets it.  A missing value misses as unobserved, except that a reply delivered whole (no_first, or
 * nothing after its first chunk) has its first token no later than its end, and is within a TTFT target if its E2E is; and
 * that a span below the clock's resolution (zero_span) meets any TPOT. */
struct score score_row(const struct ledger_row *row, const struct contract *c, enum judged judged);

/* Which of n rising limits is the first that a completed row would meet as target t, by the same rules; n for none. */
unsigned score_rank(const struct ledger_row *row, const struct contract *c, enum target t, const struct limit *limit,
                    unsigned n);

#endif
