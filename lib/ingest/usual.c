/* The usual shape of a line, in one pass; any other goes through event_parse.  Nothing here finds a line malformed, and
 * whatever is accepted event_parse would accept with the same facts.  A line is known to end in a newline, which no step
 * below passes, and EVENT_PAD bytes can be read beyond it, so that literals are compared without looking for the end. */
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "event_inside.h"
#include "hash.h"
#include "num.h"

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
static inline uint64_t eight_digits(const char *s, unsigned *n) {
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
static const char *usual_int(const char *s, int64_t *v) {
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    bool minus = *s == '-';
    const char *from = s += minus;
    unsigned n;
    uint64_t u = eight_digits(s, &n);
    s += n;
    while (n == 8 && s - from < 24) {
        uint64_t more = eight_digits(s, &n);
        u = u * ten[n] + more;
        s += n;
    }
    if (s == from || s - from > 19 || u > INT64_MAX || (*from == '0' && s - from > 1)) return NULL;
    *v = minus ? -(int64_t)u : (int64_t)u;
    return s;
}

/* A string, from past its opening quote to past its closing one. */
static const char *usual_string(const char *s, const char *end, struct value *v) {
    v->type = JTOK_STRING;
    v->escaped = false;
    v->s = s;
    const char *q = jtok_string_end(s, end, &v->escaped);
    if (*q != '"') return NULL;
    v->n = (size_t)(q - s);
    return q + 1;
}

/* An array of strings, from past its opening bracket to past its closing one. */
static const char *usual_strings(const char *s, const char *end, struct reply_part *part) {
    *part = (struct reply_part){PART_ARRAY, false, false, {s - 1, 0}};
    struct value v;
    if (*s == ']') {
        s++;
    } else {
        if (*s != '"' || (s = usual_string(s + 1, end, &v)) == NULL) return NULL;
        part->first_text = v.n > 0;
        if ((s = jtok_strings_end(s, end, &part->rest_text)) == NULL) return NULL;
    }
    part->raw.n = (size_t)(s - part->raw.s);
    return s;
}

/* null, a string or an array of strings. */
static const char *usual_part(const char *s, const char *end, struct reply_part *part) {
    *part = (struct reply_part){PART_NONE, false, false, {NULL, 0}};
    if (*s == '[') return usual_strings(s + 1, end, part);
    if (*s != '"') return LITERAL(s, "null") ? s : NULL;
    struct value v;
    s = usual_string(s + 1, end, &v);
    if (s) *part = (struct reply_part){PART_STRING, v.n > 0, false, {v.s - 1, v.n + 2}};
    return s;
}

/* Any number of `,null`, and the bracket. */
static const char *usual_rest(const char *s) {
    while (LITERAL(s, ",null"))
        ;
    return *s == ']' ? s + 1 : NULL;
}

static const char *usual_reply(const char *s, const char *end, struct event_facts *f) {
    f->payload = PAY_REPLY;
    if ((s = usual_part(s, end, &f->output)) == NULL) return NULL;
    if (*s == ',' && (s = usual_part(s + 1, end, &f->reasoning)) == NULL) return NULL;
    return usual_rest(s);
}

/* The ids of an array as little-endian int64 in p->decoded, from past the opening bracket to past the closing one. */
static const char *usual_ids(struct event_parser *p, const char *s, size_t *n) {
    *n = 0;
    buf_clear(&p->decoded);
    if (*s == ']') return s + 1;
    for (;; s++) {
        int64_t id;
        if ((s = usual_int(s, &id)) == NULL) return NULL;
        char *to = buf_room(&p->decoded, 8);
        for (int i = 0; i < 8; i++)
            to[i] = (char)((uint64_t)id >> 8 * i);
        p->decoded.len += 8;
        ++*n;
        if (*s == ']') return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *usual_prompt(struct event_parser *p, const char *s, const char *end, struct event_facts *f) {
    f->payload = PAY_PROMPT;
    struct value text = {0};
    if (*s == '"') {
        if ((s = usual_string(s + 1, end, &text)) == NULL) return NULL;
    } else if (!LITERAL(s, "null")) {
        return NULL;
    }
    if (LITERAL(s, ",[")) {
        size_t n;
        if ((s = usual_ids(p, s, &n)) == NULL) return NULL;
        if (n > 0) {
            if (!int_known(f->input_tokens)) f->input_tokens = (int64_t)n;
            f->has_hash = true;
            if (text.n == 0) f->input_hash = hash_bytes(p->decoded.s, p->decoded.len);
        }
    }
    if (text.n > 0) {
        f->has_hash = true;
        f->input_hash = event_hash_text(p, text);
    }
    return usual_rest(s);
}

static const char *usual_data(struct event_parser *p, const char *s, const char *end, struct event *ev) {
    if (LITERAL(s, "null")) return s;
    if (ev->kind == EV_COMPLETE && LITERAL(s, "[\"TextModelOutput\",")) return usual_reply(s, end, event_facts_of(p, ev));
    if (ev->kind == EV_ISSUED && LITERAL(s, "[\"PromptData\",")) return usual_prompt(p, s, end, event_facts_of(p, ev));
    return NULL;
}

/* A value that needs no brackets. */
static const char *usual_scalar(const char *s, const char *end, struct value *v) {
    *v = (struct value){.s = s};
    if (LITERAL(s, "\"\"")) { /* a text that is missing: the most frequent one */
        v->type = JTOK_STRING;
        return s;
    }
    if (*s == '"') return usual_string(s + 1, end, v);
    if (LITERAL(s, "null")) {
        v->type = JTOK_NULL;
        return s;
    }
    int64_t i;
    v->type = JTOK_NUMBER;
    s = usual_int(s, &i);
    if (s == NULL || *s == '.' || *s == 'e' || *s == 'E') return NULL;
    v->n = (size_t)(s - v->s);
    return s;
}

/* How many bytes at s are ASCII that needs no second look: neither quote nor backslash nor control (DEL is one, too).
 * At most EVENT_PAD; 0 where there are no instructions for it. */
static inline size_t plain_ascii(const char *s) {
#if defined(__SSE2__)
    for (size_t i = 0; i < EVENT_PAD; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(s + i));
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
        hit = _mm_or_si128(hit, _mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
        unsigned bits = (unsigned)_mm_movemask_epi8(_mm_or_si128(hit, _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f))));
        if (bits) return i + (size_t)__builtin_ctz(bits);
    }
    return EVENT_PAD;
#else
    (void)s;
    return 0;
#endif
}

/* An id, from past its opening quote to past its closing one. */
static const char *usual_id(struct event_parser *p, const char *s, const char *end, struct view *id) {
    size_t n = plain_ascii(s);
    if (n > 0 && s[n] == '"') {
        *id = (struct view){s, n};
        return s + n + 1;
    }
    struct value v;
    if ((s = usual_string(s, end, &v)) == NULL || v.n == 0) return NULL;
    *id = event_text(p, v);
    return s;
}

/* A key, from past its opening quote to past its colon. */
static const char *usual_key(const char *s, const char *end, enum key *k) {
    struct value v;
    if ((s = usual_string(s, end, &v)) == NULL || v.escaped || *s != ':') return NULL;
    *k = event_key(v.s, v.n);
    return s + 1;
}

/* Members of the record from a comma on: up to the closing bracket, or past the key of data. */
static const char *usual_members(struct event_parser *p, const char *s, const char *end, struct event *ev,
                                 uint32_t *keys) {
    while (*s != '}') {
        enum key k;
        struct value v;
        if (!LITERAL(s, ",\"") || (s = usual_key(s, end, &k)) == NULL) return NULL;
        if (k < N_KEYS && *keys >> k & 1) return NULL;
        if (k < N_KEYS) *keys |= (uint32_t)1 << k;
        if (k == K_DATA) return s;
        if ((s = usual_scalar(s, end, &v)) == NULL) return NULL;
        if (is_fact(k) && !is_empty(v)) event_set_fact(p, ev, k, v);
    }
    return s;
}

/* Whether the n bytes at s are those of text, n from 8 to EVENT_PAD. */
static inline bool repeats(const char *s, const char *text, size_t n) {
    uint64_t differ = word_at(s + n - 8) ^ word_at(text + n - 8);
    for (size_t i = 0; i + 8 < n; i += 8)
        differ |= word_at(s + i) ^ word_at(text + i);
    return differ == 0;
}

/* What stands between id and data, and what it says. */
static const char *usual_middle(struct event_parser *p, const char *s, const char *end, struct event *ev,
                                uint32_t *keys) {
    struct usual_middle *m = &p->middle;
    if (m->n && repeats(s, m->text, m->n)) {
        *keys = m->keys;
        return s + m->n;
    }
    *keys = 1 << K_EVENT_TYPE | 1 << K_TIMESTAMP | 1 << K_SAMPLE;
    const char *to = usual_members(p, s, end, ev, keys);
    size_t n = to ? (size_t)(to - s) : 0;
    if (n >= 8 && n <= sizeof m->text && !ev->facts) {
        memcpy(m->text, s, n);
        m->n = n;
        m->keys = *keys;
    }
    return to;
}

#define AFTER_KIND "\",\"timestamp_ns\":"

/* From the beginning of the line to the stamp. */
static const char *usual_kind(const char *s, enum event_kind *kind) {
    if (!LITERAL(s, "{\"event_type\":\"sample.") && !LITERAL(s, "{\"event_type\":\"")) return NULL;
    if (LITERAL(s, "recv_non_first" AFTER_KIND))
        *kind = EV_CHUNK;
    else if (LITERAL(s, "recv_first" AFTER_KIND))
        *kind = EV_FIRST;
    else if (LITERAL(s, "complete" AFTER_KIND))
        *kind = EV_COMPLETE;
    else if (LITERAL(s, "issued" AFTER_KIND))
        *kind = EV_ISSUED;
    else
        return NULL;
    return s;
}

/* The line at s; past its newline. */
static const char *usual_line(struct event_parser *p, const char *s, const char *end) {
    struct event *ev = event_begin(p);
    uint32_t keys;
    if ((s = usual_kind(s, &ev->kind)) == NULL || (s = usual_int(s, &ev->stamp)) == NULL) return NULL;
    if (!LITERAL(s, ",\"sample_uuid\":\"") || (s = usual_id(p, s, end, &ev->id)) == NULL) return NULL;
    if ((s = usual_middle(p, s, end, ev, &keys)) == NULL) return NULL;
    if (*s != '}') {
        if ((s = usual_data(p, s, end, ev)) == NULL) return NULL;
        if (*s != '}' && ((s = usual_members(p, s, end, ev, &keys)) == NULL || *s != '}')) return NULL;
    }
    s++;
    if (*s == '\r') {
        p->crlf = true;
        s++;
    }
    if (*s != '\n') return NULL;
    event_end(p, ev);
    return s + 1;
}

const char *event_take_usual(struct event_parser *p, const char *s, const char *end) {
    while (s < end) {
        bool crlf = p->crlf;
        const char *past = usual_line(p, s, end);
        if (!past) {
            p->crlf = crlf;
            break;
        }
        s = past;
    }
    return s;
}
