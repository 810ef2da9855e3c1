/* tally: a set of scored requests as the numbers of a goodput report.  Layer 7.
 *
 * A request is reduced to a fact, about 110 bytes; a block is every number of a report about some of the facts: all of
 * them, a cohort, a segment.  Facts and lists belong to the caller; documents follow jansson's reference rules. */
#ifndef TALLY_H
#define TALLY_H

#include "contract.h"
#include "ledger.h"

struct fact {
    int64_t arrival_ns; /* intended start, else the first send */
    int64_t issued_ns, first_ns, done_ns;
    double value[N_TARGETS]; /* ns, NAN where missing */
    int64_t input_tokens, output_tokens;
    double score; /* of the evaluator, NAN = none */
    uint8_t outcome, disposition, not_applicable, judged; /* enums; not_applicable: bits by target */
    bool scheduled; /* arrival_ns is an intended start */
    bool stopped, tool_calls; /* the reply says that it ended of itself; is calls of tools */
    uint8_t rank[2]; /* place on a grid of targets, see frontier */
    unsigned misses;
};

/* What the numbers are taken over. */
struct tally_over {
    int64_t cutoff_ns; /* what ended after it is unfinished; INT64_MAX = nothing is cut */
    double arrival_s; /* for what was offered and sent; NAN = rates unknown */
    double duration_s; /* for everything else */
    int64_t cluster; /* requests per cluster; 0 = ceil(n/30) */
    bool sketch; /* add what a comparison with another run needs: the shape of the length distributions */
    const double *threshold; /* [n_thresholds]: scores at which acceptance is told as well */
    size_t n_thresholds;
};

/* What became of a request by the cut-off. */
enum disposition fact_disposition(const struct fact *f, int64_t cutoff_ns);
enum outcome fact_outcome(const struct fact *f, int64_t cutoff_ns);

/* Set the keys of a block in `into`: counts, rates, acceptance, latency, the client's wait where there is a schedule,
 * lengths, quality where the contract has any, and verdict and reasons against the contract.  f: n facts in issue
 * order.  Dispositions that do not sum to n end the program with status 2. */
void tally_block(json_t *into, const struct fact *const *f, size_t n, const struct tally_over *over,
                 const struct contract *c);

#endif
