/* binomial: what sampling alone does to a count of accepted requests.  Layer 6.
 *
 * Owns nothing. */
#ifndef BINOMIAL_H
#define BINOMIAL_H

#include "report.h"

/* Write the report of kind "binomial" for "N,P": mean, sd, and P(exactly k) and P(at most k) accepted for k = 0..N, if N
 * requests are accepted independently with probability P.  Another text dies.
 * reports: goodput reports to hold against it, NULL-terminated; "-" alone is none.  `observed` tells of each run how much
 * more the acceptance of its clusters scattered than independent requests would. */
void binomial_write(const char *n_and_p, char **reports, enum spelling spelling);

#endif
