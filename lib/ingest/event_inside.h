/* event_inside: what the two parsers of a line share, event (any line) and usual (lines of the usual shape).  Layer 3.
 *
 * Not for others. */
#ifndef EVENT_INSIDE_H
#define EVENT_INSIDE_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "event.h"
#include "jstring.h"
#include "jtok.h"

/* The keys of a record (to STATUS), and of payloads and usage in object form. */
/* clang-format off */
#define KEYS                                                                                                         \
    KEY(EVENT_TYPE, "event_type") KEY(TIMESTAMP, "timestamp_ns") KEY(SAMPLE, "sample_uuid")                          \
    KEY(CONVERSATION, "conversation_id") KEY(TURN, "turn") KEY(DATA, "data") KEY(FINISH_REASON, "finish_reason")     \
    KEY(WORKER, "worker_id") KEY(OUTPUT_TOKENS, "output_tokens") KEY(INPUT_TOKENS, "input_tokens")                   \
    KEY(USAGE, "usage") KEY(INTENDED, "intended_ns") KEY(SCHEDULED, "scheduled_ns") KEY(MODEL, "model")              \
    KEY(SCHEMA, "schema") KEY(CLASS, "class") KEY(TENANT, "tenant") KEY(CODE, "code") KEY(STATUS, "status")          \
    KEY(TYPE, "type") KEY(TEXT, "text") KEY(TOKEN_IDS, "token_ids") KEY(MESSAGES, "messages") KEY(OUTPUT, "output")  \
    KEY(REASONING, "reasoning") KEY(TOOL_CALLS, "tool_calls") KEY(ERROR_TYPE, "error_type")                          \
    KEY(ERROR_MESSAGE, "error_message") KEY(MESSAGE, "message") KEY(COMPLETION_TOKENS, "completion_tokens")          \
    KEY(PROMPT_TOKENS, "prompt_tokens")
/* clang-format on */

enum key {
#define KEY(key, text) K_##key,
    KEYS N_KEYS,
#undef KEY
    K_UNKNOWN = N_KEYS
};

/* A value as it stands in the line.  s,n: the body of a string, else the JSON text. */
struct value {
    unsigned char type; /* enum jtok_type; 0 (JTOK_END) = absent */
    bool escaped;
    const char *s;
    size_t n;
};

static inline bool is_text(struct value v) { return v.type == JTOK_STRING; }

/* A missing value: absent, null, an empty string. */
static inline bool is_empty(struct value v) {
    return v.type == JTOK_END || v.type == JTOK_NULL || v.type == JTOK_NONFINITE || (is_text(v) && v.n == 0);
}

/* A key of a record that says something by itself: neither the three that make an event, nor data. */
static inline bool is_fact(enum key k) { return k >= K_CONVERSATION && k <= K_STATUS && k != K_DATA; }

enum key event_key(const char *s, size_t n);
/* A string decoded, its control characters as the six characters \u00xx. */
struct view event_text(struct event_parser *p, struct value v);
/* XXH3-64 of a string decoded. */
uint64_t event_hash_text(struct event_parser *p, struct value v);

/* What an event says, none of it at first; one key of the record with its value. */
struct event_facts *event_facts_of(struct event_parser *p, struct event *ev);
void event_set_fact(struct event_parser *p, struct event *ev, enum key k, struct value v);

/* The next event; event_end keeps it. */
static inline struct event *event_begin(struct event_parser *p) {
    vec_reserve(&p->event, p->event.n + 1);
    struct event *ev = &p->event.v[p->event.n];
    ev->facts = NULL;
    return ev;
}

static inline void event_end(struct event_parser *p, struct event *ev) {
    ev->hash = XXH3_64bits(ev->id.s, ev->id.n);
    ev->line = ++p->lines;
    p->event.n++;
}

#endif
