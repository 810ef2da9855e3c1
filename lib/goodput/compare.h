/* compare: whether two goodput reports may be set side by side, and how far apart they are.  Layer 6.
 *
 * Owns nothing; documents follow jansson's reference rules. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>

#include "report.h"

/* Distance of two length distributions as reports sketch them (Kolmogorov, Smirnov), 0..1, good to .01; NAN where one of
 * them has no sketch or no length. */
double compare_ks(const json_t *a, const json_t *b);

/* Two reports count the same thing: the same contract and definitions, the same view of what was offered, and, in the blocks
 * compared, lengths no more than COMPARE_KS apart.  False: why names what differs.  Blocks are the reports themselves or their cohorts. */
#define COMPARE_KS .1
bool compare_alike(const json_t *a, const json_t *b, const char *block, char why[160]);

/* Of a report and the baseline: the cohorts where both have one, else the whole runs.  {"block":…,
 * "acceptance":{"baseline","value","difference","newcombe","cluster","interval","why"},"goodput_rps":{the same},
 * "latency":{"ttft"|"tpot":{"p50_ns"|"p90_ns"|"p99_ns":{"baseline","baseline_ci","value","ci"}}}}; differences are value -
 * baseline, intervals 95 %: newcombe from Wilson intervals (Newcombe 1998), cluster from the blocks' own (null without).
 * interval names the one to go by and why says so: the cluster one where there is one, since requests do not fail one by one.
 * NULL and why when the two are unlike.  New reference. */
json_t *compare_baseline(const json_t *report, const json_t *baseline, char why[160]);

#endif
