/* life: what happened to one request, from its events to its row.  Layer 9.
 *
 * A life is *plain* while it has at most one issue, one first delivery and one complete; these may come in any order.  With
 * anything more it has a story: a small state machine that wants its events in order of stamp, a complete before an
 * error before an issue before a delivery where stamps are equal.  Who keeps lives puts the events in order.
 *
 * A struct life owns its id, story and traits. */
#ifndef LIFE_H
#define LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "ledger.h"
#include "spans.h"
#include "told.h"

enum { LIFE_ID = 36, LIFE_NONE = UINT32_MAX };

/* 128 bytes. */
struct life {
    uint64_t hash;
    int64_t issued_ns, first_ns, done_ns; /* the first send; of the latest attempt: first delivery, complete */
    int64_t input_tokens, output_tokens, tail_tokens;
    uint64_t input_hash;
    struct story *story; /* NULL: plain */
    struct traits *traits; /* NULL: none */
    char id[LIFE_ID]; /* or, of a longer id, a pointer to it */
    uint32_t id_n;
    uint32_t finish; /* a word */
    uint16_t bits;
};

/* The state of a request that is not plain, after its events before the frontier. */
struct story {
    int64_t reissued_ns; /* the last send */
    int64_t last_ns, gap_max_ns; /* of deliveries in the latest attempt */
    int64_t error_ns;
    struct failure error, end; /* of the first error.* in the latest attempt, of its complete */
    uint32_t attempts, deliveries;
    uint32_t pending; /* events in the buffer */
    uint32_t next; /* --ids-reused: the request of the next issue */
    uint32_t number; /* --ids-reused: the k of ID#k */
    bool chunks_logged, dup_done;
    bool reissued_after_end; /* what follows belongs to an issue that is ignored */
};

void life_init(struct life *l, uint64_t hash, struct view id);
void life_free(struct life *l);
static inline struct view life_id(const struct life *l) {
    const char *s = l->id;
    if (l->id_n > LIFE_ID) memcpy(&s, l->id, sizeof s);
    return (struct view){s, l->id_n};
}

/* Plain lives. */
void life_take_prompt(struct life *l, struct told *t, bool first_issue);
void life_take_reply(struct life *l, struct told *t);

/* The end of being plain: a story without events.  What the life knew is forgotten but for issued_ns and what issues
 * told; the caller gives it back as events. */
void life_begin_story(struct life *l);
/* Events, in order.  t may be NULL, but not of an error. */
void life_complete(struct life *l, int64_t stamp, struct told *t);
void life_error(struct life *l, int64_t stamp, struct told *t);
void life_deliver(struct life *l, int64_t stamp, bool chunk);
/* False: the request had completed, and the issue is ignored; *first says whether it is the first one that is. */
bool life_issue(struct life *l, int64_t stamp, struct told *t, bool *first);

/* An error of the latest attempt is known, whether or not the attempt has ended. */
bool life_has_failed(const struct life *l);

/* The row, but seq and tracked.  Its views are the life's and the teller's, and hex's. */
void life_row(const struct life *l, const struct teller *by, const struct spans_rule *spans, char hex[16],
              struct ledger_row *row);

#endif
