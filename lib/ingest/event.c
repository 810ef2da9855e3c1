#include "event.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "jtok.h"
#include "num.h"

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

static const struct {
    const char *s;
    size_t n;
} key_name[N_KEYS] = {
#define KEY(key, text) {text, sizeof text - 1},
    KEYS
#undef KEY
};

/* A value as it stands in the line.  s,n: the body of a string, else the JSON text. */
struct value {
    unsigned char type; /* enum jtok_type; 0 (JTOK_END) = absent */
    bool escaped;
    const char *s;
    size_t n;
};

/* The values of an object by key; a key that comes twice has its last value. */
struct object {
    uint32_t seen;
    struct value v[N_KEYS];
};

static enum key find_key(const char *s, size_t n) {
    for (int k = 0; k < N_KEYS; k++)
        if (key_name[k].n == n && memcmp(key_name[k].s, s, n) == 0) return (enum key)k;
    return K_UNKNOWN;
}

static struct value at(const struct object *o, enum key k) { return o->seen >> k & 1 ? o->v[k] : (struct value){0}; }

static bool is_text(struct value v) { return v.type == JTOK_STRING; }

/* Whole values and objects through jtok */

/* The value that begins with token t, passed over. */
static bool take_value(struct jtok *j, enum jtok_type t, struct value *v) {
    v->type = (unsigned char)t;
    v->escaped = j->escaped;
    v->s = j->s;
    v->n = j->n;
    if (t == JTOK_OBJECT || t == JTOK_ARRAY) {
        v->s = j->p - 1;
        if (!jtok_skip(j)) return false;
        v->n = (size_t)(j->p - v->s);
    }
    return t != JTOK_ERROR && t != JTOK_END;
}

/* Keys are compared decoded: "a\u0062" is "ab". */
static enum key decoded_key(const struct jtok *j) {
    char small[64];
    if (!j->escaped) return find_key(j->s, j->n);
    if (j->n > sizeof small) return K_UNKNOWN;
    return find_key(small, jtok_unescape(small, j->s, j->n));
}

/* The members of the object whose opening brace was just read. */
static bool take_members(struct jtok *j, struct object *o) {
    o->seen = 0;
    enum jtok_type t;
    while ((t = jtok_next(j)) == JTOK_KEY) {
        enum key k = decoded_key(j);
        struct value v;
        if (!take_value(j, jtok_next(j), &v)) return false;
        if (k == K_UNKNOWN) continue;
        o->seen |= (uint32_t)1 << k;
        o->v[k] = v;
    }
    return t == JTOK_OBJECT_END;
}

/* The members of an object inside a line that was found valid. */
static void open_object(struct value v, struct object *o) {
    struct jtok j;
    jtok_init(&j, v.s, v.n);
    o->seen = 0;
    if (jtok_next(&j) == JTOK_OBJECT) take_members(&j, o);
}

/* The first max elements of an array inside a line that was found valid; missing ones are absent. */
static void open_array(struct value v, struct value *items, size_t max) {
    struct jtok j;
    jtok_init(&j, v.s, v.n);
    size_t n = 0;
    enum jtok_type t;
    for (jtok_next(&j); n < max && (t = jtok_next(&j)) != JTOK_ARRAY_END; n++)
        take_value(&j, t, &items[n]);
    for (; n < max; n++)
        items[n] = (struct value){0};
}

/* Values */

/* A string decoded. */
static struct view decoded_of(struct event_parser *p, struct value v) {
    if (!v.escaped) return (struct view){v.s, v.n};
    buf_clear(&p->decoded);
    buf_room(&p->decoded, v.n);
    size_t n = jtok_unescape(p->decoded.s, v.s, v.n);
    return (struct view){arena_copy(&p->scratch, p->decoded.s, n), n};
}

static bool is_control(char c) { return (unsigned char)c < 0x20 || c == 0x7f; }

/* A string decoded, its control characters as the six characters \u00xx. */
static struct view text_of(struct event_parser *p, struct value v) {
    struct view w = decoded_of(p, v);
    if (!v.escaped && !memchr(w.s, 0x7f, w.n)) return w; /* what else is a control character must be escaped */
    size_t controls = 0;
    for (size_t i = 0; i < w.n; i++)
        controls += is_control(w.s[i]);
    if (controls == 0) return w;
    struct buf b = {0};
    for (size_t i = 0; i < w.n; i++)
        if (is_control(w.s[i]))
            buf_printf(&b, "\\u%04x", (unsigned)w.s[i]);
        else
            buf_char(&b, w.s[i]);
    w = (struct view){arena_copy(&p->scratch, b.s, b.len), b.len};
    buf_free(&b);
    return w;
}

/* A label: a string, or a number as it is written. */
static struct view label_of(struct event_parser *p, struct value v) {
    if (is_text(v)) return text_of(p, v);
    return v.type == JTOK_NUMBER ? (struct view){v.s, v.n} : (struct view){0};
}

static int64_t int_of(struct value v) {
    int64_t i;
    return v.type == JTOK_NUMBER && num_int(v.s, v.n, &i) ? i : INT_NONE;
}

/* What no reply can hold is no count. */
static int64_t count_of(struct value v) {
    int64_t i = int_of(v);
    return i < 0 || i > INT32_MAX ? INT_NONE : i;
}

/* A field code or status: a number, or a string of one. */
static int64_t status_of(struct value v) {
    int64_t code;
    if ((v.type != JTOK_NUMBER && v.type != JTOK_STRING) || !num_int(v.s, v.n, &code)) return INT_NONE;
    return code >= 400 && code <= 599 ? code : INT_NONE;
}

static int64_t first_known(int64_t a, int64_t b) { return int_known(a) ? a : b; }

/* Prompts */

static uint64_t hash_text(struct event_parser *p, struct value v) {
    if (!v.escaped) return XXH3_64bits(v.s, v.n);
    buf_clear(&p->decoded);
    buf_room(&p->decoded, v.n);
    return XXH3_64bits(p->decoded.s, jtok_unescape(p->decoded.s, v.s, v.n));
}

/* JSON text without the white space outside strings. */
static uint64_t hash_json(struct event_parser *p, struct value v) {
    struct buf *b = &p->decoded;
    buf_clear(b);
    char *to = buf_room(b, v.n);
    bool inside = false;
    for (size_t i = 0; i < v.n; i++) {
        char c = v.s[i];
        if (!inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
        *to++ = c;
        if (inside && c == '\\')
            *to++ = v.s[++i];
        else if (c == '"')
            inside = !inside;
    }
    return XXH3_64bits(b->s, (size_t)(to - b->s));
}

/* The token ids of an array as little-endian int64 in p->decoded; false if it holds anything else. */
static bool decode_ids(struct event_parser *p, struct value v) {
    struct jtok j;
    jtok_init(&j, v.s, v.n);
    jtok_next(&j);
    buf_clear(&p->decoded);
    for (enum jtok_type t; (t = jtok_next(&j)) != JTOK_ARRAY_END;) {
        int64_t id;
        if (t != JTOK_NUMBER || !num_int(j.s, j.n, &id)) return false;
        unsigned char le[8];
        for (int i = 0; i < 8; i++)
            le[i] = (unsigned char)((uint64_t)id >> 8 * i);
        buf_add(&p->decoded, le, sizeof le);
    }
    return true;
}

/* A missing value: absent, null, an empty string. */
static bool is_empty(struct value v) {
    return v.type == JTOK_END || v.type == JTOK_NULL || v.type == JTOK_NONFINITE || (is_text(v) && v.n == 0);
}

static bool read_prompt(struct event_parser *p, struct event_facts *f, struct value text, struct value ids,
                        struct value messages) {
    if (!is_empty(text) && !is_text(text)) return false;
    if (!is_empty(ids)) {
        if (ids.type != JTOK_ARRAY || !decode_ids(p, ids)) return false;
        size_t n = p->decoded.len / 8;
        if (n > 0) {
            f->input_tokens = first_known(f->input_tokens, (int64_t)n);
            f->has_hash = true;
            f->input_hash = XXH3_64bits(p->decoded.s, p->decoded.len);
        }
    }
    if (is_text(text) && text.n > 0) {
        f->has_hash = true;
        f->input_hash = hash_text(p, text);
    } else if (!f->has_hash && !is_empty(messages)) {
        f->has_hash = true;
        f->input_hash = hash_json(p, messages);
    }
    return true;
}

/* Replies */

static bool read_part(struct value v, struct reply_part *part) {
    *part = (struct reply_part){PART_NONE, false, false, {NULL, 0}};
    if (v.type == JTOK_END || v.type == JTOK_NULL) return true;
    if (is_text(v)) {
        *part = (struct reply_part){PART_STRING, v.n > 0, false, {v.s - 1, v.n + 2}};
        return true;
    }
    if (v.type != JTOK_ARRAY) return false;
    *part = (struct reply_part){PART_ARRAY, false, false, {v.s, v.n}};
    struct jtok j;
    jtok_init(&j, v.s, v.n);
    jtok_next(&j);
    enum jtok_type t;
    for (bool first = true; (t = jtok_next(&j)) != JTOK_ARRAY_END; first = false) {
        if (t != JTOK_STRING) return false;
        if (first)
            part->first_text = j.n > 0;
        else
            part->rest_text |= j.n > 0;
    }
    return true;
}

/* Anything but null, false, and an empty string, array or object. */
static bool has_calls(struct value v) {
    if (is_empty(v) || v.type == JTOK_FALSE) return false;
    if (v.type != JTOK_ARRAY && v.type != JTOK_OBJECT) return true;
    struct jtok j;
    jtok_init(&j, v.s, v.n);
    jtok_next(&j);
    enum jtok_type t = jtok_next(&j);
    return t != JTOK_ARRAY_END && t != JTOK_OBJECT_END;
}

static bool read_reply(struct event_facts *f, struct value output, struct value reasoning, struct value calls) {
    f->tool_calls = has_calls(calls);
    return read_part(output, &f->output) && read_part(reasoning, &f->reasoning);
}

void event_part_text(struct buf *to, const struct reply_part *part, bool after_first) {
    if (part->form == PART_NONE || (part->form == PART_STRING && after_first)) return;
    struct jtok j;
    jtok_init(&j, part->raw.s, part->raw.n);
    size_t i = 0;
    for (enum jtok_type t; (t = jtok_next(&j)) != JTOK_END && t != JTOK_ERROR;) {
        if (t != JTOK_STRING || (i++ == 0 && after_first)) continue;
        buf_room(to, j.n);
        to->len += jtok_unescape(to->s + to->len, j.s, j.n);
    }
}

/* Errors */

static struct view words_of(struct event_parser *p, struct value v) {
    if (is_text(v)) return decoded_of(p, v);
    return v.type == JTOK_NUMBER ? (struct view){v.s, v.n} : (struct view){0};
}

static int64_t code_in(const struct object *o) {
    return first_known(status_of(at(o, K_CODE)), status_of(at(o, K_STATUS)));
}

static struct value message_in(const struct object *o) {
    return at(o, at(o, K_MESSAGE).type ? K_MESSAGE : K_ERROR_MESSAGE);
}

static void read_error(struct event_parser *p, struct event_facts *f, struct value type, struct value message) {
    if (message.type == JTOK_OBJECT) {
        struct object o;
        open_object(message, &o);
        message = message_in(&o);
        f->error_code = first_known(code_in(&o), f->error_code);
    }
    f->error_type = words_of(p, type);
    f->error_message = words_of(p, message);
}

/* Payloads */

static bool tag_is(struct value v, const char *tag) {
    return is_text(v) && v.n == strlen(tag) && memcmp(v.s, tag, v.n) == 0;
}

/* Counts of an object with output_tokens or usage, where none are known yet. */
static void read_tokens(struct event_facts *f, struct value output, struct value input, struct value usage) {
    f->output_tokens = first_known(f->output_tokens, count_of(output));
    f->input_tokens = first_known(f->input_tokens, count_of(input));
    if (usage.type != JTOK_OBJECT) return;
    struct object u;
    open_object(usage, &u);
    f->output_tokens = first_known(f->output_tokens, count_of(at(&u, K_COMPLETION_TOKENS)));
    f->input_tokens = first_known(f->input_tokens, count_of(at(&u, K_PROMPT_TOKENS)));
}

/* What a payload is, and the values it holds in whichever form. */
struct payload {
    struct value tag, a, b, c; /* text, ids, messages; output, reasoning, calls; type, message */
};

static void open_payload(struct event_parser *p, struct event_facts *f, struct value data, struct payload *load) {
    if (data.type == JTOK_ARRAY) {
        open_array(data, &load->tag, 4);
        return;
    }
    struct object o;
    open_object(data, &o);
    load->tag = at(&o, K_TYPE);
    if (tag_is(load->tag, "PromptData")) {
        load->a = at(&o, K_TEXT);
        load->b = at(&o, K_TOKEN_IDS);
        load->c = at(&o, K_MESSAGES);
    } else if (tag_is(load->tag, "ErrorData")) {
        load->a = at(&o, K_ERROR_TYPE);
        load->b = message_in(&o);
        f->error_code = first_known(code_in(&o), f->error_code);
    } else {
        load->a = at(&o, K_OUTPUT);
        load->b = at(&o, K_REASONING);
        load->c = at(&o, K_TOOL_CALLS);
    }
    read_tokens(f, at(&o, K_OUTPUT_TOKENS), at(&o, K_INPUT_TOKENS), at(&o, K_USAGE));
    if (f->finish_reason.n == 0) f->finish_reason = label_of(p, at(&o, K_FINISH_REASON));
}

static enum payload_kind read_payload(struct event_parser *p, enum event_kind kind, struct event_facts *f,
                                      const struct payload *load) {
    bool reply = kind == EV_COMPLETE && tag_is(load->tag, "TextModelOutput");
    if (reply) return read_reply(f, load->a, load->b, load->c) ? PAY_REPLY : PAY_BAD;
    if (kind == EV_ISSUED && tag_is(load->tag, "PromptData"))
        return read_prompt(p, f, load->a, load->b, load->c) ? PAY_PROMPT : PAY_BAD;
    if (kind != EV_ISSUED && tag_is(load->tag, "ErrorData")) {
        read_error(p, f, load->a, load->b);
        return PAY_ERROR;
    }
    return PAY_BAD;
}

/* Event types */

static const struct {
    const char *name; /* without its category */
    unsigned char category; /* bytes of "sample." or "session." */
    enum event_kind kind;
} event_names[] = {
    {"session.started", 8, EV_STARTED},
    {"session.ended", 8, EV_ENDED},
    {"session.stop_loadgen", 8, EV_STOP_LOADGEN},
    {"session.start_performance_tracking", 8, EV_TRACK},
    {"session.stop_performance_tracking", 8, EV_UNTRACK},
    {"sample.issued", 7, EV_ISSUED},
    {"sample.recv_first", 7, EV_FIRST},
    {"sample.recv_non_first", 7, EV_CHUNK},
    {"sample.complete", 7, EV_COMPLETE},
    {"error.generic", 6, EV_ERROR},
};

static bool starts(struct view s, const char *with) {
    size_t n = strlen(with);
    return s.n >= n && memcmp(s.s, with, n) == 0;
}

static enum event_kind kind_of(struct view type) {
    if (starts(type, "error.")) return EV_ERROR;
    for (size_t i = 0; i < sizeof event_names / sizeof *event_names; i++) {
        const char *whole = event_names[i].name, *bare = whole + event_names[i].category;
        if ((type.n == strlen(whole) && starts(type, whole)) || (type.n == strlen(bare) && starts(type, bare)))
            return event_names[i].kind;
    }
    return EV_OTHER;
}

/* Facts */

static struct event_facts *facts_of(struct event_parser *p, struct event *ev) {
    size_t i = ev->facts ? p->n_facts - 1 : p->n_facts++;
    if (i / EVENT_FACTS == p->piece.n) {
        struct event_piece piece = {xmalloc(EVENT_FACTS * sizeof(struct event_facts))};
        vec_push(&p->piece, piece);
    }
    struct event_facts *f = &p->piece.v[i / EVENT_FACTS].facts[i % EVENT_FACTS];
    if (ev->facts) return f;
    *f = (struct event_facts){.turn = INT_NONE,
                              .intended_ns = INT_NONE,
                              .input_tokens = INT_NONE,
                              .output_tokens = INT_NONE,
                              .error_code = INT_NONE};
    ev->facts = f;
    return f;
}

static bool is_fact(enum key k) { return k >= K_CONVERSATION && k <= K_STATUS && k != K_DATA; }

/* One key of a record, in any order. */
static void set_fact(struct event_parser *p, struct event *ev, enum key k, struct value v) {
    if (is_empty(v)) return;
    struct event_facts *f = facts_of(p, ev);
    switch (k) {
    case K_CONVERSATION: f->conversation = label_of(p, v); break;
    case K_TURN: f->turn = int_of(v); break;
    case K_FINISH_REASON: f->finish_reason = label_of(p, v); break;
    case K_WORKER: f->worker = label_of(p, v); break;
    case K_OUTPUT_TOKENS: f->output_tokens = first_known(count_of(v), f->output_tokens); break;
    case K_INPUT_TOKENS: f->input_tokens = first_known(count_of(v), f->input_tokens); break;
    case K_INTENDED: f->intended_ns = first_known(int_of(v), f->intended_ns); break;
    case K_SCHEDULED: f->intended_ns = first_known(f->intended_ns, int_of(v)); break;
    case K_MODEL: f->model = label_of(p, v); break;
    case K_SCHEMA: f->schema = label_of(p, v); break;
    case K_CLASS: f->class_ = label_of(p, v); break;
    case K_TENANT: f->tenant = label_of(p, v); break;
    case K_CODE: f->error_code = first_known(status_of(v), f->error_code); break;
    case K_STATUS: f->error_code = first_known(f->error_code, status_of(v)); break;
    default: break;
    }
}

/* Whole lines through jtok */

static struct event *open_event(struct event_parser *p) {
    vec_reserve(&p->event, p->event.n + 1);
    struct event *ev = &p->event.v[p->event.n];
    ev->facts = NULL;
    ev->malformed = NULL;
    return ev;
}

static struct event *close_event(struct event_parser *p, struct event *ev) {
    ev->hash = ev->id.n ? XXH3_64bits(ev->id.s, ev->id.n) : 0;
    p->event.n++;
    return ev;
}

static struct event *malformed(struct event_parser *p, struct event *ev, const char *why, size_t offset) {
    ev->kind = EV_MALFORMED;
    ev->malformed = why;
    ev->offset = (long long)offset;
    ev->id = (struct view){0};
    ev->stamp = INT_NONE;
    return close_event(p, ev);
}

static bool has_payload(enum event_kind kind) { return kind == EV_ISSUED || kind == EV_COMPLETE || kind == EV_ERROR; }

struct event *event_parse(struct event_parser *p, const char *line, size_t n) {
    struct event *ev = open_event(p);
    struct jtok j;
    struct object o;
    jtok_init(&j, line, n);
    j.nonfinite = true; /* written by other tools for a value they do not have; no reason to lose an event */
    enum jtok_type t = jtok_next(&j);
    if (t != JTOK_ERROR && t != JTOK_OBJECT) return malformed(p, ev, "not an object", (size_t)(j.s - line));
    if (t == JTOK_ERROR || !take_members(&j, &o) || jtok_next(&j) != JTOK_END)
        return malformed(p, ev, j.error, (size_t)(j.p - line));

    struct value type = at(&o, K_EVENT_TYPE), stamp = at(&o, K_TIMESTAMP), id = at(&o, K_SAMPLE);
    if (!is_text(type)) return malformed(p, ev, "event_type is not a string", 0);
    ev->stamp = int_of(stamp);
    if (!int_known(ev->stamp)) return malformed(p, ev, "timestamp_ns is not an integer of 64 bits", 0);
    struct view name = decoded_of(p, type);
    ev->kind = kind_of(name);
    ev->id = is_text(id) ? text_of(p, id) : (struct view){0};
    bool sample = (ev->kind >= EV_ISSUED && ev->kind <= EV_COMPLETE) || starts(name, "sample.");
    if (sample && ev->id.n == 0) return malformed(p, ev, "sample_uuid is not a string with an id", 0);

    for (enum key k = 0; k < N_KEYS; k++)
        if (is_fact(k)) set_fact(p, ev, k, at(&o, k));
    if (at(&o, K_USAGE).type == JTOK_OBJECT)
        read_tokens(facts_of(p, ev), (struct value){0}, (struct value){0}, at(&o, K_USAGE));
    struct value data = at(&o, K_DATA);
    if (has_payload(ev->kind) && data.type != JTOK_END && data.type != JTOK_NULL) {
        struct event_facts *f = facts_of(p, ev);
        struct payload load = {0};
        if (data.type == JTOK_ARRAY || data.type == JTOK_OBJECT) open_payload(p, f, data, &load);
        f->payload = read_payload(p, ev->kind, f, &load);
    }
    return close_event(p, ev);
}

/* The fast path: the usual shape, or NULL and the line goes through jtok.  It never finds a line malformed, and whatever
 * it accepts jtok would accept with the same facts.  A line is known to end in a newline, which no step below passes, and
 * EVENT_PAD bytes can be read beyond it, so that literals are compared without looking for the end. */

static inline uint64_t word_at(const char *s) {
    uint64_t w;
    memcpy(&w, s, sizeof w);
    return w;
}

/* Whether the n bytes at s are those of text, n a constant: a word at a time, the last two of which may overlap. */
static inline bool literal(const char *s, const char *text, size_t n) {
    if (n < sizeof(uint64_t)) return memcmp(s, text, n) == 0;
    uint64_t differ = 0;
    for (size_t i = 0; i + sizeof differ < n; i += sizeof differ)
        differ |= word_at(s + i) ^ word_at(text + i);
    return (differ | (word_at(s + (n - sizeof differ)) ^ word_at(text + (n - sizeof differ)))) == 0;
}

#define LITERAL(s, text) (literal(s, text, sizeof text - 1) && (s += sizeof text - 1, true))

/* The digits at s, at most 8, as a number; how many there are in *n.  In a word, digits are 30 ... 39; those that count are
 * moved to its end, and halves, quarters and eighths are added up. */
static inline uint64_t fast_digits(const char *s, unsigned *n) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t w = word_at(s), low = w ^ 0x3030303030303030;
    uint64_t other = ((low + 0x7676767676767676) | low) & 0x8080808080808080; /* 80 where it is above 9 */
    *n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
    if (*n == 0) return 0;
    w = low << (64 - 8 * *n);
    w = w * 2561 >> 8 & 0x00ff00ff00ff00ff;
    w = w * 6553601 >> 16 & 0x0000ffff0000ffff;
    return w * 42949672960001 >> 32;
#else
    uint64_t u = 0;
    for (*n = 0; *n < 8 && s[*n] >= '0' && s[*n] <= '9'; ++*n)
        u = u * 10 + (uint64_t)(s[*n] - '0');
    return u;
#endif
}

/* An integer of at most 19 digits. */
static const char *fast_int(const char *s, int64_t *v) {
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    bool minus = *s == '-';
    const char *from = s += minus;
    unsigned n;
    uint64_t u = fast_digits(s, &n);
    s += n;
    while (n == 8 && s - from < 24) {
        uint64_t more = fast_digits(s, &n);
        u = u * ten[n] + more;
        s += n;
    }
    if (s == from || s - from > 19 || u > INT64_MAX || (*from == '0' && s - from > 1)) return NULL;
    *v = minus ? -(int64_t)u : (int64_t)u;
    return s;
}

/* A string, from past its opening quote to past its closing one. */
static const char *fast_string(const char *s, const char *end, struct value *v) {
    v->type = JTOK_STRING;
    v->escaped = false;
    v->s = s;
    const char *q = jtok_string_end(s, end, &v->escaped);
    if (*q != '"') return NULL;
    v->n = (size_t)(q - s);
    return q + 1;
}

/* An array of strings, from past its opening bracket to past its closing one. */
static const char *fast_strings(const char *s, const char *end, struct reply_part *part) {
    *part = (struct reply_part){PART_ARRAY, false, false, {s - 1, 0}};
    struct value v;
    if (*s == ']') {
        s++;
    } else {
        if (*s != '"' || (s = fast_string(s + 1, end, &v)) == NULL) return NULL;
        part->first_text = v.n > 0;
        if ((s = jtok_strings_end(s, end, &part->rest_text)) == NULL) return NULL;
    }
    part->raw.n = (size_t)(s - part->raw.s);
    return s;
}

/* null, a string or an array of strings. */
static const char *fast_part(const char *s, const char *end, struct reply_part *part) {
    *part = (struct reply_part){PART_NONE, false, false, {NULL, 0}};
    if (*s == '[') return fast_strings(s + 1, end, part);
    if (*s != '"') return LITERAL(s, "null") ? s : NULL;
    struct value v;
    s = fast_string(s + 1, end, &v);
    if (s) *part = (struct reply_part){PART_STRING, v.n > 0, false, {v.s - 1, v.n + 2}};
    return s;
}

/* Any number of `,null`, and the bracket. */
static const char *fast_rest(const char *s) {
    while (LITERAL(s, ",null"))
        ;
    return *s == ']' ? s + 1 : NULL;
}

static const char *fast_reply(const char *s, const char *end, struct event_facts *f) {
    f->payload = PAY_REPLY;
    if ((s = fast_part(s, end, &f->output)) == NULL) return NULL;
    if (*s == ',' && (s = fast_part(s + 1, end, &f->reasoning)) == NULL) return NULL;
    return fast_rest(s);
}

/* The ids of an array as little-endian int64 in p->decoded, from past the opening bracket to past the closing one. */
static const char *fast_ids(struct event_parser *p, const char *s, size_t *n) {
    *n = 0;
    buf_clear(&p->decoded);
    if (*s == ']') return s + 1;
    for (;; s++) {
        int64_t id;
        if ((s = fast_int(s, &id)) == NULL) return NULL;
        char *to = buf_room(&p->decoded, 8);
        for (int i = 0; i < 8; i++)
            to[i] = (char)((uint64_t)id >> 8 * i);
        p->decoded.len += 8;
        ++*n;
        if (*s == ']') return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *fast_prompt(struct event_parser *p, const char *s, const char *end, struct event_facts *f) {
    f->payload = PAY_PROMPT;
    struct value text = {0};
    if (*s == '"') {
        if ((s = fast_string(s + 1, end, &text)) == NULL) return NULL;
    } else if (!LITERAL(s, "null")) {
        return NULL;
    }
    if (LITERAL(s, ",[")) {
        size_t n;
        if ((s = fast_ids(p, s, &n)) == NULL) return NULL;
        if (n > 0) {
            f->input_tokens = first_known(f->input_tokens, (int64_t)n);
            f->has_hash = true;
            if (text.n == 0) f->input_hash = XXH3_64bits(p->decoded.s, p->decoded.len);
        }
    }
    if (text.n > 0) {
        f->has_hash = true;
        f->input_hash = hash_text(p, text);
    }
    return fast_rest(s);
}

static const char *fast_data(struct event_parser *p, const char *s, const char *end, struct event *ev) {
    if (LITERAL(s, "null")) return s;
    if (ev->kind == EV_COMPLETE && LITERAL(s, "[\"TextModelOutput\",")) return fast_reply(s, end, facts_of(p, ev));
    if (ev->kind == EV_ISSUED && LITERAL(s, "[\"PromptData\",")) return fast_prompt(p, s, end, facts_of(p, ev));
    return NULL;
}

/* A value that needs no brackets. */
static const char *fast_scalar(const char *s, const char *end, struct value *v) {
    *v = (struct value){.s = s};
    if (LITERAL(s, "\"\"")) { /* a text that is missing: the most frequent one */
        v->type = JTOK_STRING;
        return s;
    }
    if (*s == '"') return fast_string(s + 1, end, v);
    if (LITERAL(s, "null")) {
        v->type = JTOK_NULL;
        return s;
    }
    int64_t i;
    v->type = JTOK_NUMBER;
    s = fast_int(s, &i);
    if (s == NULL || *s == '.' || *s == 'e' || *s == 'E') return NULL;
    v->n = (size_t)(s - v->s);
    return s;
}

/* A key, from past its opening quote to past its colon. */
static const char *fast_key(const char *s, const char *end, enum key *k) {
    if (LITERAL(s, "conversation_id\":")) {
        *k = K_CONVERSATION;
    } else if (LITERAL(s, "turn\":")) {
        *k = K_TURN;
    } else if (LITERAL(s, "data\":")) {
        *k = K_DATA;
    } else if (LITERAL(s, "finish_reason\":")) {
        *k = K_FINISH_REASON;
    } else {
        struct value v;
        if ((s = fast_string(s, end, &v)) == NULL || v.escaped || *s++ != ':') return NULL;
        *k = find_key(v.s, v.n);
    }
    return s;
}

static const char *fast_kind(const char *s, enum event_kind *kind) {
    if (!LITERAL(s, "{\"event_type\":\"")) return NULL;
    (void)LITERAL(s, "sample.");
    if (LITERAL(s, "recv_non_first\""))
        *kind = EV_CHUNK;
    else if (LITERAL(s, "recv_first\""))
        *kind = EV_FIRST;
    else if (LITERAL(s, "complete\""))
        *kind = EV_COMPLETE;
    else if (LITERAL(s, "issued\""))
        *kind = EV_ISSUED;
    else
        return NULL;
    return s;
}

/* The line at s; past its newline. */
static const char *fast_line(struct event_parser *p, const char *s, const char *end) {
    struct event *ev = open_event(p);
    if ((s = fast_kind(s, &ev->kind)) == NULL) return NULL;
    if (!LITERAL(s, ",\"timestamp_ns\":") || (s = fast_int(s, &ev->stamp)) == NULL) return NULL;
    struct value v;
    if (!LITERAL(s, ",\"sample_uuid\":\"") || (s = fast_string(s, end, &v)) == NULL || v.n == 0) return NULL;
    ev->id = text_of(p, v);
    uint32_t seen = 1 << K_EVENT_TYPE | 1 << K_TIMESTAMP | 1 << K_SAMPLE;
    while (*s != '}') {
        enum key k;
        if (!LITERAL(s, ",\"") || (s = fast_key(s, end, &k)) == NULL) return NULL;
        if (k < N_KEYS && seen >> k & 1) return NULL;
        seen |= k < N_KEYS ? (uint32_t)1 << k : 0;
        if ((s = k == K_DATA ? fast_data(p, s, end, ev) : fast_scalar(s, end, &v)) == NULL) return NULL;
        if (is_fact(k) && !is_empty(v)) set_fact(p, ev, k, v);
    }
    s++;
    if (*s == '\r') s++;
    if (*s != '\n') return NULL;
    close_event(p, ev);
    return s + 1;
}

struct event *event_parse_fast(struct event_parser *p, const char *line, size_t n) {
    size_t n_facts = p->n_facts;
    const char *past = fast_line(p, line, line + n);
    if (past == line + n) return &p->event.v[p->event.n - 1];
    p->event.n -= past != NULL;
    p->n_facts = n_facts;
    return NULL;
}

static bool is_blank(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r') return false;
    return true;
}

const char *event_take(struct event_parser *p, const char *s, const char *end, bool fast, struct event **ev) {
    size_t n_facts = p->n_facts;
    const char *past = fast ? fast_line(p, s, end) : NULL;
    *ev = past ? &p->event.v[p->event.n - 1] : NULL;
    if (past) return past;
    p->n_facts = n_facts;
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    size_t n = (size_t)((newline ? newline : end) - s);
    if (!is_blank(s, n)) *ev = event_parse(p, s, n);
    return newline ? newline + 1 : end;
}

void event_parser_reset(struct event_parser *p) {
    p->event.n = p->n_facts = 0;
    if (p->scratch.piece) arena_free(&p->scratch);
}

void event_parser_free(struct event_parser *p) {
    for (size_t i = 0; i < p->piece.n; i++)
        free(p->piece.v[i].facts);
    vec_free(&p->piece);
    vec_free(&p->event);
    arena_free(&p->scratch);
    buf_free(&p->decoded);
}
