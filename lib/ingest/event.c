#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "event_inside.h"
#include "hash.h"
#include "num.h"

static const struct {
    const char *s;
    size_t n;
} key_name[N_KEYS] = {
#define KEY(key, text) {text, sizeof text - 1},
    KEYS
#undef KEY
};

/* The values of an object by key; a key that comes twice has its last value. */
struct object {
    uint32_t seen;
    struct value v[N_KEYS];
};

enum key event_key(const char *s, size_t n) {
    for (int k = 0; k < N_KEYS; k++)
        if (key_name[k].n == n && memcmp(key_name[k].s, s, n) == 0) return (enum key)k;
    return K_UNKNOWN;
}

static struct value at(const struct object *o, enum key k) { return o->seen >> k & 1 ? o->v[k] : (struct value){0}; }

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
    if (!j->escaped) return event_key(j->s, j->n);
    if (j->n > sizeof small) return K_UNKNOWN;
    return event_key(small, jstring_unescape(small, j->s, j->n));
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
    size_t n = jstring_unescape(p->decoded.s, v.s, v.n);
    return (struct view){arena_copy(&p->scratch, p->decoded.s, n), n};
}

/* A string decoded, its control characters as the six characters \u00xx. */
struct view event_text(struct event_parser *p, struct value v) {
    struct view w = decoded_of(p, v);
    if (!v.escaped && !memchr(w.s, 0x7f, w.n)) return w; /* what else is a control character must be escaped */
    if (buf_is_visible(w.s, w.n)) return w;
    struct buf b = {0};
    buf_visible(&b, w.s, w.n);
    w = (struct view){arena_copy(&p->scratch, b.s, b.len), b.len};
    buf_free(&b);
    return w;
}

/* A label: a string, or a number as it is written. */
static struct view label_of(struct event_parser *p, struct value v) {
    if (is_text(v)) return event_text(p, v);
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

/* What is kept of an event */

static void *pool_take(struct event_pool *pool, size_t size) {
    enum { PIECE = 64 };
    size_t i = pool->n++;
    if (i / PIECE == pool->piece.n) vec_push(&pool->piece, xmalloc(PIECE * size));
    return (char *)pool->piece.v[i / PIECE] + i % PIECE * size;
}

static void pool_free(struct event_pool *pool) {
    for (size_t i = 0; i < pool->piece.n; i++)
        free(pool->piece.v[i]);
    vec_free(&pool->piece);
}

static struct event_labels *labels_of(struct event_parser *p, struct event_facts *f) {
    if (f->labels) return f->labels;
    f->labels = pool_take(&p->labels, sizeof *f->labels);
    *f->labels = (struct event_labels){.turn = INT_NONE, .intended_ns = INT_NONE, .error_code = INT_NONE};
    return f->labels;
}

/* Prompts */

uint64_t event_hash_text(struct event_parser *p, struct value v) {
    if (!v.escaped) return hash_bytes(v.s, v.n);
    buf_clear(&p->decoded);
    buf_room(&p->decoded, v.n);
    return hash_bytes(p->decoded.s, jstring_unescape(p->decoded.s, v.s, v.n));
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
    return hash_bytes(b->s, (size_t)(to - b->s));
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

static bool read_prompt(struct event_parser *p, struct event_facts *f, struct value text, struct value ids,
                        struct value messages) {
    if (!is_empty(text) && !is_text(text)) return false;
    if (!is_empty(ids)) {
        if (ids.type != JTOK_ARRAY || !decode_ids(p, ids)) return false;
        size_t n = p->decoded.len / 8;
        if (n > 0) {
            f->input_tokens = first_known(f->input_tokens, (int64_t)n);
            f->has_hash = true;
            f->input_hash = hash_bytes(p->decoded.s, p->decoded.len);
        }
    }
    if (is_text(text) && text.n > 0) {
        f->has_hash = true;
        f->input_hash = event_hash_text(p, text);
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
        to->len += jstring_unescape(to->s + to->len, j.s, j.n);
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
        if (int_known(code_in(&o))) labels_of(p, f)->error_code = code_in(&o);
    }
    struct event_labels *l = labels_of(p, f);
    l->error_type = words_of(p, type);
    l->error_message = words_of(p, message);
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
        if (int_known(code_in(&o))) labels_of(p, f)->error_code = code_in(&o);
    } else {
        load->a = at(&o, K_OUTPUT);
        load->b = at(&o, K_REASONING);
        load->c = at(&o, K_TOOL_CALLS);
    }
    read_tokens(f, at(&o, K_OUTPUT_TOKENS), at(&o, K_INPUT_TOKENS), at(&o, K_USAGE));
    struct view finish = label_of(p, at(&o, K_FINISH_REASON));
    if (finish.n > 0 && labels_of(p, f)->finish_reason.n == 0) f->labels->finish_reason = finish;
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

struct event_facts *event_facts_of(struct event_parser *p, struct event *ev) {
    if (ev->facts) return ev->facts;
    ev->facts = pool_take(&p->facts, sizeof *ev->facts);
    *ev->facts = (struct event_facts){.input_tokens = INT_NONE, .output_tokens = INT_NONE};
    return ev->facts;
}

/* One key of a record, in any order. */
void event_set_fact(struct event_parser *p, struct event *ev, enum key k, struct value v) {
    if (is_empty(v)) return;
    struct event_facts *f = event_facts_of(p, ev);
    if (k == K_OUTPUT_TOKENS) f->output_tokens = first_known(count_of(v), f->output_tokens);
    if (k == K_INPUT_TOKENS) f->input_tokens = first_known(count_of(v), f->input_tokens);
    if (k == K_OUTPUT_TOKENS || k == K_INPUT_TOKENS) return;
    struct event_labels *l = labels_of(p, f);
    switch (k) {
    case K_CONVERSATION: l->conversation = label_of(p, v); break;
    case K_TURN: l->turn = int_of(v); break;
    case K_FINISH_REASON: l->finish_reason = label_of(p, v); break;
    case K_WORKER: l->worker = label_of(p, v); break;
    case K_INTENDED: l->intended_ns = first_known(int_of(v), l->intended_ns); break;
    case K_SCHEDULED: l->intended_ns = first_known(l->intended_ns, int_of(v)); break;
    case K_MODEL: l->model = label_of(p, v); break;
    case K_SCHEMA: l->schema = label_of(p, v); break;
    case K_CLASS: l->class_ = label_of(p, v); break;
    case K_TENANT: l->tenant = label_of(p, v); break;
    case K_CODE: l->error_code = first_known(status_of(v), l->error_code); break;
    case K_STATUS: l->error_code = first_known(l->error_code, status_of(v)); break;
    default: break;
    }
}

/* Whole lines through jtok */

static struct event *malformed(struct event_parser *p, struct event *ev, const char *why, size_t offset) {
    ev->kind = EV_MALFORMED;
    ev->stamp = INT_NONE;
    ev->id = (struct view){0};
    event_end(p, ev);
    ev->fault = (struct event_fault){why, (long long)offset};
    return ev;
}

static bool has_payload(enum event_kind kind) { return kind == EV_ISSUED || kind == EV_COMPLETE || kind == EV_ERROR; }

struct event *event_parse(struct event_parser *p, const char *line, size_t n) {
    struct event *ev = event_begin(p);
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
    ev->id = is_text(id) ? event_text(p, id) : (struct view){0};
    bool sample = (ev->kind >= EV_ISSUED && ev->kind <= EV_COMPLETE) || starts(name, "sample.");
    if (sample && ev->id.n == 0) return malformed(p, ev, "sample_uuid is not a string with an id", 0);

    for (enum key k = 0; k < N_KEYS; k++)
        if (is_fact(k)) event_set_fact(p, ev, k, at(&o, k));
    if (at(&o, K_USAGE).type == JTOK_OBJECT)
        read_tokens(event_facts_of(p, ev), (struct value){0}, (struct value){0}, at(&o, K_USAGE));
    struct value data = at(&o, K_DATA);
    if (has_payload(ev->kind) && data.type != JTOK_END && data.type != JTOK_NULL) {
        struct event_facts *f = event_facts_of(p, ev);
        struct payload load = {0};
        if (data.type == JTOK_ARRAY || data.type == JTOK_OBJECT) open_payload(p, f, data, &load);
        f->payload = read_payload(p, ev->kind, f, &load);
    }
    event_end(p, ev);
    return ev;
}

static bool is_blank(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r') return false;
    return true;
}

const char *event_take(struct event_parser *p, const char *s, const char *end, struct event **ev) {
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    size_t n = (size_t)((newline ? newline : end) - s);
    p->crlf |= newline && n > 0 && s[n - 1] == '\r';
    if (is_blank(s, n)) {
        *ev = NULL;
        p->lines++;
    } else {
        *ev = event_parse(p, s, n);
    }
    return newline ? newline + 1 : end;
}

void event_parser_reset(struct event_parser *p) {
    p->event.n = p->facts.n = p->labels.n = 0;
    p->lines = 0;
    p->crlf = false;
    if (p->scratch.piece) arena_free(&p->scratch);
}

void event_parser_free(struct event_parser *p) {
    pool_free(&p->facts);
    pool_free(&p->labels);
    vec_free(&p->event);
    arena_free(&p->scratch);
    buf_free(&p->decoded);
}
