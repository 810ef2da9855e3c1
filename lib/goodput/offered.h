/* offered: the requests of a run, read from its ledgers, each scored under one contract or several.  Layer 9.
 *
 * One pass: a row becomes a fact per contract and is forgotten, so memory is what exact percentiles need, about 110
 * bytes a request and contract, and 4 more for each --by.  A struct offered owns everything in it but the contracts and
 * the grid. */
#ifndef OFFERED_H
#define OFFERED_H

#include "annotate.h"
#include "by.h"
#include "frontier.h"
#include "opts.h"
#include "quality.h"
#include "tally.h"

/* What one contract makes of the requests. */
struct scoring {
    const struct contract *contract;
    struct quality *quality; /* NULL: the ledger's own column */
    VEC(struct fact) fact; /* tracked requests, as read */
    const struct fact **in_order; /* [fact.n], by first send */
    unsigned observed, unobserved; /* or'ed over completed requests, see struct score */
};

struct offered {
    struct scoring *scoring; /* [n_scorings] */
    size_t n_scorings;
    const struct frontier *frontier; /* NULL: no grid */
    struct by *by; /* [n_by] */
    size_t n_by;
    bool by_run; /* rows of several runs may stand in one ledger */

    int64_t untracked;
    VEC(uint64_t) name; /* of several ledgers: a hash of each tracked request's name and run */
    size_t repeated; /* names that came before */
    json_t *run, *pg; /* settled facts; what wrote the ledgers */
    enum spelling spelling;
    bool partial;

    /* Of an annotated ledger, under the first contract: NULL common = not wanted.  held: its rows wait for
     * offered_annotate. */
    const struct common *common;
    json_t *pg_own;
    bool hold;
    struct annotate annotate;
    VEC(int64_t) held; /* fact of each held row, -1 for an untracked one */
    struct ledger_in *ledger; /* open until offered_free */
};

/* Read the ledgers, one or the shards of one run.  Dies where they cannot be one run: other definitions, clocks that
 * are not of the epoch, or a column `run` of several values without by_run. */
void offered_read(struct offered *o, char **files);
void offered_free(struct offered *o);

/* A contract the ledger cannot answer ends the program: latency_from without stamps and, unless those are to fail, a
 * target (of the contract, or of the grid), model or schema that no completed request tells anything of. */
void offered_check(const struct offered *o, bool unobserved_fails);

/* Finish the annotated ledger: held rows, of which those arriving before end_ns and ended by cutoff_ns have their
 * disposition, then the trailer. */
void offered_annotate(struct offered *o, int64_t end_ns, int64_t cutoff_ns);

#endif
