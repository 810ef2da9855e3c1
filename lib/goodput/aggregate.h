/* aggregate: a run as counts that may be published: no ids, no hashes, no text of a request.  Layer 8.
 *
 * A table of kind "aggregate": a row per combination of disposition, misses, outcome, class and bands of prompt and reply
 * length, with the number of requests and their tokens.  Requests add up to the offered count, which the trailer repeats. */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include "by.h"
#include "opts.h"
#include "tally.h"

/* The keys whose segments an aggregate counts: class and bands of lengths.  n structs are written to by. */
#define AGGREGATE_BY 3
void aggregate_keys(struct by by[AGGREGATE_BY]);

/* Write the table of f[0..n), pointers into fact, whose row numbers the keys' segments follow.  It says of itself which
 * tool wrote it (pg), and nothing of the run. */
void aggregate_write(const struct fact *const *f, size_t n, const struct fact *fact, const struct by by[AGGREGATE_BY],
                     int64_t cutoff_ns, const json_t *pg, const struct common *common, enum spelling read);

#endif
