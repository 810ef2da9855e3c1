/* event: one line of the event log of a load generator.  Layer 3.
 *
 * A line is a JSON object: event_type, timestamp_ns, sample_uuid, and what belongs to them.  Lines of the usual shape are
 * read in one pass without a tokenizer; every other line goes through jtok.  Both accept the same lines and find the
 * same facts.
 *
 * An event and all views in it belong to the parser and live until it is reset.  Views of `raw` values are JSON text as it
 * stands in the log; all other views are decoded, with control characters as \u00xx.
 * Stamps are int64 ns; INT_NONE and empty views are missing.  -2^63 is INT_NONE and therefore malformed as a stamp. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

enum event_kind {
    EV_STARTED, /* session.started … */
    EV_ENDED,
    EV_STOP_LOADGEN,
    EV_TRACK,
    EV_UNTRACK,
    EV_ISSUED, /* sample.issued …: these four have an id */
    EV_FIRST,
    EV_CHUNK,
    EV_COMPLETE,
    EV_ERROR, /* error.*: the id may be missing */
    EV_OTHER, /* an event type not known here */
    EV_MALFORMED /* see malformed, at */
};

enum payload_kind { PAY_NONE, PAY_PROMPT, PAY_REPLY, PAY_ERROR, PAY_BAD };

/* One of the two texts of a reply: a string, or an array of strings. */
enum part_form { PART_NONE, PART_STRING, PART_ARRAY };
struct reply_part {
    enum part_form form; /* PART_NONE: absent or null */
    bool first_text; /* the string, or the first element, is not empty */
    bool rest_text; /* an element after the first is not empty */
    struct view raw; /* JSON text, quotes or brackets included */
};

/* What an event says beyond kind, stamp and id. */
struct event_facts {
    enum payload_kind payload;
    bool has_hash; /* PAY_PROMPT */
    bool tool_calls; /* PAY_REPLY, and the two parts */
    uint64_t input_hash;
    int64_t input_tokens, output_tokens;
    struct reply_part output, reasoning;
    struct event_labels *labels; /* NULL: none */
};

/* What fewer events say. */
struct event_labels {
    struct view conversation, worker, finish_reason, model, schema, class_, tenant;
    int64_t turn, intended_ns;
    struct view error_type, error_message; /* PAY_ERROR: not for printing */
    int64_t error_code; /* a field code or status, 400…599 */
};

/* Why a line is no event. */
struct event_fault {
    const char *why; /* a static string */
    long long offset; /* bytes of the line before the fault */
};

struct event {
    enum event_kind kind;
    int64_t stamp;
    struct view id;
    uint64_t hash; /* of the id */
    long long line; /* from 1 */
    union {
        struct event_facts *facts; /* NULL: none */
        struct event_fault fault; /* of EV_MALFORMED, which has no stamp and no id */
    };
};

#define EVENT_PAD 64 /* bytes that can be read beyond lines of the usual shape */

/* Things of one size, taken one by one and given back all at once; they stay where they are. */
struct event_pool {
    VEC(void *) piece;
    size_t n;
};

/* What stood between id and data in a line of the usual shape, the key of data included, and said nothing: most lines have
 * the same there. */
struct usual_middle {
    char text[EVENT_PAD];
    size_t n;
    uint32_t keys; /* one bit a key */
};

/* Parses lines into events.  Holds the events and all they point to until it is reset. */
struct event_parser {
    VEC(struct event) event;
    struct event_pool facts, labels;
    long long lines; /* since it was reset, blank ones too */
    bool crlf; /* one of them ended in CRLF */
    struct usual_middle middle;
    struct arena scratch;
    struct buf decoded;
};

/* Parse one line without its newline (any bytes, nothing readable needed beyond) into the next event.  The event moves
 * when the next one is parsed. */
struct event *event_parse(struct event_parser *p, const char *line, size_t n);
/* The line at s, of text that ends at end; returns past it.  *event is NULL where the line is blank. */
const char *event_take(struct event_parser *p, const char *s, const char *end, struct event **event);
/* Lines of the usual shape, which need no tokenizer: as many as follow from s on.  Returns past them.  The text ends at end,
 * with a newline before it and EVENT_PAD readable bytes behind it. */
const char *event_take_usual(struct event_parser *p, const char *s, const char *end);
void event_parser_reset(struct event_parser *p);
void event_parser_free(struct event_parser *p);

/* Decode a part into text (appended to *to): all of it, or what comes after its first element. */
void event_part_text(struct buf *to, const struct reply_part *part, bool after_first);

#endif
