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

/* Of the bytes of a word, those that are no digits: 80 in each. */
static inline uint64_t no_digits(uint64_t w) {
    uint64_t low = w ^ 0x3030303030303030;
    return ((low + 0x7676767676767676) | low) & 0x8080808080808080;
}

/* The number that the first n of eight bytes write, n from 1 to 8: digits are moved to the end of the word, and halves,
 * quarters and eighths are added up. */
static inline uint64_t digits_of(uint64_t w, unsigned n) {
    w = (w ^ 0x3030303030303030) << (64 - 8 * n);
    w = w * 2561 >> 8 & 0x00ff00ff00ff00ff;
    w = w * 6553601 >> 16 & 0x0000ffff0000ffff;
    return w * 42949672960001 >> 32;
}

/* An integer of at most 19 digits, read as num_int does. */
static const char *any_int(const char *s, int64_t *v) {
    size_t n = *s == '-';
    while (n < 21 && s[n] >= '0' && s[n] <= '9')
        n++;
    return num_int(s, n, v) ? s + n : NULL;
}

/* The same, for the 8 to 19 digits of a stamp: a word, and what follows it in one or two more. */
static inline const char *usual_int(const char *s, int64_t *v) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t first = word_at(s), rest = word_at(s + 8), end = no_digits(rest);
    if (no_digits(first) || *s == '0') return any_int(s, v);
    uint64_t u = digits_of(first, 8);
    s += 8;
    if (!end) {
        u = u * 100000000 + digits_of(rest, 8);
        s += 8;
        rest = word_at(s);
        end = no_digits(rest);
        if (!(uint32_t)end) return any_int(s - 16, v); /* more than 19 digits */
    }
    unsigned n = (unsigned)__builtin_ctzll(end) / 8;
    if (n > 0) u = u * ten[n] + digits_of(rest, n);
    if (u > INT64_MAX) return NULL;
    *v = (int64_t)u;
    return s + n;
#else
    return any_int(s, v);
#endif
}

/* A string, from past its opening quote to past its closing one. */
static const char *usual_string(const char *s, const char *end, struct value *v) {
    v->type = JTOK_STRING;
    v->escaped = false;
    v->s = s;
    const char *q = jstring_end(s, end, &v->escaped);
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
        if ((s = jstring_list_end(s, end, &part->rest_text)) == NULL) return NULL;
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
    if (ev->kind == EV_COMPLETE && LITERAL(s, "[\"TextModelOutput\","))
        return usual_reply(s, end, event_facts_of(p, ev));
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

#if defined(__SSE2__)
/* Of 16 bytes, those that are not ASCII or need a second look: quotes, backslashes, controls (DEL is one, too). */
static inline unsigned not_plain(const char *s) {
    __m128i x = _mm_loadu_si128((const __m128i *)s);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    hit = _mm_or_si128(hit, _mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(hit, _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f))));
}
#endif

/* How many plain bytes there are at s, up to 47; 0 if there are more, or no instructions to tell. */
static inline size_t plain_ascii(const char *s) {
#if defined(__SSE2__)
    uint64_t hit =
        not_plain(s) | (uint64_t)not_plain(s + 16) << 16 | (uint64_t)not_plain(s + 32) << 32; /* ids are short */
    return hit ? (size_t)__builtin_ctzll(hit) : 0;
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

/* Members of the record from a comma on: up to the closing bracket, or, where keys come to have K_DATA, past that key. */
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

static inline bool has_data(uint32_t keys) { return keys >> K_DATA & 1; }

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
    if (n >= 8 && n <= sizeof m->text && has_data(*keys) && !ev->facts) {
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
    switch (*s) {
    case 'c': *kind = EV_COMPLETE; return LITERAL(s, "complete" AFTER_KIND) ? s : NULL;
    case 'i': *kind = EV_ISSUED; return LITERAL(s, "issued" AFTER_KIND) ? s : NULL;
    case 'r':
        *kind = EV_FIRST;
        if (LITERAL(s, "recv_first" AFTER_KIND)) return s;
        *kind = EV_CHUNK;
        return LITERAL(s, "recv_non_first" AFTER_KIND) ? s : NULL;
    default: return NULL;
    }
}

/* The line at s; past its newline. */
static const char *usual_line(struct event_parser *p, const char *s, const char *end) {
    struct event *ev = event_begin(p);
    uint32_t keys;
    if ((s = usual_kind(s, &ev->kind)) == NULL || (s = usual_int(s, &ev->stamp)) == NULL) return NULL;
    if (!LITERAL(s, ",\"sample_uuid\":\"") || (s = usual_id(p, s, end, &ev->id)) == NULL) return NULL;
    if ((s = usual_middle(p, s, end, ev, &keys)) == NULL) return NULL;
    if (has_data(keys)) {
        if ((s = usual_data(p, s, end, ev)) == NULL) return NULL;
        if ((s = usual_members(p, s, end, ev, &keys)) == NULL) return NULL;
    }
    if (*s++ != '}') return NULL;
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
