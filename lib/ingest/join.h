/* join: from the events of a log to the rows of a ledger.  Layer 11.
 *
 * All rules go by stamp, never by the order of lines.  A request is *plain* while it has at most one issue, one first
 * delivery and one complete: those three commute and wait for nobody.  With anything more its events pass through one
 * buffer that puts them in order of stamp, up to --slack behind the log's time (the highest stamp so far), into a small
 * state machine.  Rows leave in rank order as soon as nothing can change them any more.
 *
 * Memory: a request is held from its first line until its row has left; 16 bytes stay of a finished one (64 bits of
 * hash).  The join owns all it was told; rows given to the sink live until the sink returns. */
#ifndef JOIN_H
#define JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "doc.h"
#include "events.h"
#include "ledger.h"
#include "spans.h"
#include "told.h"

enum join_tracking { TRACKING_LOGGED, TRACKING_ALL, TRACKING_WINDOW };

struct join_rule {
    enum join_tracking tracking;
    int64_t from_ns, to_ns; /* TRACKING_WINDOW, both ends included */
    int64_t slack_ns, retry_hold_ns;
    int64_t give_up_ns; /* INT_NONE: never */
    bool sort; /* hold everything */
    bool ids_reused; /* a row per issue */
    int64_t session; /* 0: the log must hold only one; else the one to read, from 1 */
    struct spans_rule spans;
    struct classify *classify; /* borrowed */
    enum told_tokens tokens;
    struct told_counter *counter; /* NULL: none; borrowed */
    int64_t token_sample; /* replies counted of 1000; 1000: all */
};

typedef void join_sink(void *context, const struct ledger_row *row);

struct join;

/* file is for messages and borrowed.  join_start dies on what the rule cannot mean. */
struct join *join_start(const struct join_rule *rule, const char *file, join_sink *sink, void *context);
/* The next n events, in the order of their lines.  A second session.started dies unless the rule names a session. */
void join_events(struct join *j, const struct event *event, size_t n);
/* The log has ended: the remaining rows leave.  Dies when nothing in it was well-formed, when its ids are reused, and on
 * a violated invariant (rows = distinct ids issued; tracked rows = sum of outcomes). */
void join_finish(struct join *j);
/* After join_finish: counts and run facts of the trailer.  New reference. */
json_t *join_trailer(const struct join *j);
/* Run facts known before the first event.  New reference. */
json_t *join_run(const struct join_rule *rule);
void join_free(struct join *j);

#endif
