/* told: what one event says of its request, in the compact form that is kept.  Layer 8.
 *
 * Texts are counted and errors classified here, where the event's text is still at hand; what is kept afterwards holds
 * no prompt, no output and no message.  A struct told owns its strings until a request takes them. */
#ifndef TOLD_H
#define TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "classify.h"
#include "event.h"
#include "ledger.h"
#include "names.h"

enum told_tokens { TOKENS_AUTO, TOKENS_FIELD, TOKENS_CHUNKS, TOKENS_NONE };

/* Counts the tokens of a text.  With `answer`, ask returns a ticket and the count is known at the end of the log only:
 * then no row leaves before. */
struct told_counter {
    const char *name; /* what counts, for run.definitions */
    void *context;
    int64_t (*ask)(void *context, const char *text, size_t n);
    int64_t (*answer)(void *context, int64_t ticket); /* INT_NONE: no count */
};

/* How events are understood, and what is remembered from one to the next. */
struct teller {
    enum told_tokens tokens;
    struct told_counter *counter; /* NULL: none; borrowed */
    int64_t sample; /* replies counted of 1000 */
    struct classify *classify; /* borrowed */
    struct names words; /* finish reasons, workers, models: each kept once */
    int64_t n_replies; /* that could be counted so far */
};
struct view told_word(const struct teller *t, uint32_t word); /* 0: missing */

/* What few logs say. */
struct traits {
    int64_t intended_ns, turn;
    char *conversation;
    uint32_t worker, model, schema, class_, tenant; /* words: see told_word */
};

/* A failure as an event told it. */
struct failure {
    enum outcome outcome; /* OUT_COMPLETED: none */
    char *type; /* printable, may be NULL */
};

enum {
    HASHED = 1 << 0, /* input_hash is known */
    TOOL_CALLS = 1 << 1,
    ONE_CHUNK = 1 << 2, /* the reply is an array with nothing after its first element */
    ONE_STRING = 1 << 3, /* the reply is a plain string: one chunk if no delivery was seen */
    REASONING = 1 << 4,
    SAMPLED = 1 << 5, /* not counted: not in the sample */
    TICKETS = 1 << 6 /* output_tokens and tail_tokens are tickets */
};
#define OF_REPLY (TOOL_CALLS | ONE_CHUNK | ONE_STRING | REASONING | SAMPLED | TICKETS)

/* What one issue, complete or error says beyond its stamp. */
struct told {
    struct traits traits;
    struct failure failure;
    int64_t input_tokens, output_tokens, tail_tokens;
    uint64_t input_hash;
    uint32_t finish;
    uint16_t bits;
};

/* Read an event (EV_ISSUED, EV_COMPLETE or EV_ERROR) into *t; false if it says nothing, and *t is untouched. */
bool told_read(struct teller *teller, const struct event *ev, struct told *t);
/* Nothing told: every value missing. */
void told_init(struct told *t);
void told_clear(struct told *t); /* frees what no request has taken */

#endif
