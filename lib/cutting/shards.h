/* shards: one or several ledgers as one sequence of tracked requests in order of issue.  Layer 7.
 *
 * Ledgers that are each in order are merged as they are read; what is out of order is handed out as it comes and said
 * so.  Two shards' requests are never the same request, whatever they are called: the key is file and request.  A struct
 * shards owns its readers and everything it hands out. */
#ifndef SHARDS_H
#define SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc.h"
#include "request.h"

/* What a request is told apart by, as fingerprints; 0 = missing. */
struct shards_mark {
    uint64_t prompt, conversation; /* conversation: of this file and run */
    int64_t turn; /* INT_NONE = missing */
};

struct shards_rule {
    bool align; /* the ledgers will be moved in time to a common start: their clocks need not agree */
    bool split; /* several values of a `run` column are welcome */
    const char *run; /* only requests of this run, NULL = all */
};

struct shards;

/* Open ledgers; paths ends in NULL.  Dies when clocks or definitions are unlike. */
struct shards *shards_open(char *const *paths, const struct shards_rule *rule);
void shards_close(struct shards *s);

/* True when every ledger says by its stream header and its ranks that it is in order and has times, so that what is
 * read first can be trusted to come first; and when one of them comes from a writer that may still be at work, not a
 * file. */
bool shards_claim_order(const struct shards *s);
bool shards_live(const struct shards *s);

/* The next tracked request; false at the end of all. */
bool shards_next(struct shards *s, struct request *r, struct shards_mark *mark);
/* Nothing came out of order so far. */
bool shards_in_order(const struct shards *s);
/* Names by request.at, kept where equal stamps may have to be ordered by them; NULL otherwise. */
const char *const *shards_names(const struct shards *s);

size_t shards_n(const struct shards *s);
size_t shards_n_runs(const struct shards *s);
const char *shards_run_name(const struct shards *s, size_t run);

/* Facts of all ledgers as one (equal ones kept, unlike ones null; tracking from the earliest start to the latest stop),
 * writers so far, and what was counted.  Final after the end.  New references. */
json_t *shards_facts(const struct shards *s);
json_t *shards_writers(const struct shards *s);
json_t *shards_counts(const struct shards *s);
/* Requests whose name also stands in another ledger: each counted once. */
size_t shards_duplicates(const struct shards *s);

#endif
