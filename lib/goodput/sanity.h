/* sanity: figures that look good for a bad reason.  Layer 8.
 *
 * None of these is wrong for certain, so each is a warning and changes no number.  Owns nothing. */
#ifndef SANITY_H
#define SANITY_H

#include "tally.h"

struct sanity {
    const char *code, *text;
    char value[32]; /* a share or a count; empty = none */
};
#define SANITY_MAX 3

/* What is odd about a run of n facts and its report, whose rates and series are set already:
 *   zero_token_replies   1 % of the completed replies or more hold no token, and are no tool calls
 *   limit_called_stop    1 % of them or more, and at least 10, are exactly as long as the longest of all, yet say that
 *                        they stopped of themselves: the limit cut them, and nothing says so
 *   beyond_busiest_bin   good tokens per second above what any bin of the series saw: ends without stamps, or a
 *                        duration that is too short
 * Returns how many. */
size_t sanity_check(struct sanity found[SANITY_MAX], const struct fact *const *f, size_t n, int64_t cutoff_ns,
                    const json_t *report);

#endif
