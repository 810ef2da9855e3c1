/* events: the event log of a load generator, line by line.  Layer 3.
 *
 * Lines are JSON objects: event_type, timestamp_ns, sample_uuid, and what belongs to them.  Lines of the usual shape are
 * read in one pass without a tokenizer; every other line goes through jtok.  Both accept the same lines and find the
 * same facts.
 *
 * An event and all views in it belong to the reader and live until the next call of events_next.  Views of `raw` values
 * are JSON text as it stands in the log; all other views are decoded, with control characters as \u00xx.
 * Stamps are int64 ns; INT_NONE and empty views are missing.  -2^63 is INT_NONE and therefore malformed as a stamp. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "in.h"

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
    struct view conversation, worker, finish_reason, model, schema, class_, tenant;
    int64_t turn, intended_ns, input_tokens, output_tokens;
    bool has_hash; /* PAY_PROMPT */
    uint64_t input_hash;
    struct reply_part output, reasoning; /* PAY_REPLY */
    bool tool_calls;
    struct view error_type, error_message; /* PAY_ERROR: the message's first EVENTS_MESSAGE bytes, not for printing */
    int64_t error_code; /* a field code or status, 400…599 */
};
#define EVENTS_MESSAGE 4096

struct event {
    enum event_kind kind;
    int64_t stamp;
    struct view id;
    uint64_t hash; /* of the id */
    const struct event_facts *facts; /* NULL: none */
    long long line; /* from 1 */
    long long offset; /* bytes before the line; EV_MALFORMED: before the fault */
    const char *malformed; /* the reason, a static string */
};

/* Facts are kept EVENTS_FACTS at a time, so that they stay where they are. */
#define EVENTS_FACTS 64
struct event_piece {
    struct event_facts *facts;
};

/* Parses lines into events.  Holds the events and all they point to until it is reset. */
struct event_parser {
    VEC(struct event) event;
    VEC(struct event_piece) piece;
    size_t n_facts;
    struct arena scratch;
    struct buf decoded;
};

/* Parse one line without its newline (any bytes, nothing readable needed beyond) into the next event.  The event moves
 * when the next one is parsed. */
struct event *event_parse(struct event_parser *p, const char *line, size_t n);
/* The same by the fast path alone: line must end in a newline at line[n-1] with EVENTS_PAD readable bytes after it.
 * NULL if the line has not the usual shape. */
struct event *event_parse_fast(struct event_parser *p, const char *line, size_t n);
#define EVENTS_PAD 64
void event_parser_reset(struct event_parser *p);
void event_parser_free(struct event_parser *p);

/* A log, read in blocks of whole lines.  With more than one thread, blocks are read and parsed ahead of the caller, who
 * gets them in order and, on a file, helps rather than waits. */
struct events;

/* NULL or "-" = stdin; threads from 1. */
struct events *events_open(const char *path, unsigned threads);
/* The events of the next block, at least one; their number, 0 at the end.  Where the log is no file, stdout is flushed
 * before the wait for more of it.  Lines that end in CRLF are warned about once. */
size_t events_next(struct events *e, struct event **event);
const struct in *events_in(const struct events *e);
long long events_offset(const struct events *e); /* bytes of the log up to the end of the present block */
void events_close(struct events *e);

/* Decode a part into text (appended to *to): all of it, or what comes after its first element. */
void event_part_text(struct buf *to, const struct reply_part *part, bool after_first);

#endif
