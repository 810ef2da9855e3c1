#include "maprow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "jstring.h"
#include "jtok.h"
#include "num.h"
#include "stamp.h"

/* A decoded string with its control characters as \u00xx, kept in texts. */
static struct view keep_text(struct arena *texts, const char *s, size_t n) {
    struct buf b = {0};
    buf_visible(&b, s, n);
    struct view kept = {b.len > 0 ? arena_copy(texts, b.s, b.len) : NULL, b.len};
    buf_free(&b);
    return kept;
}

/* The request being read: what of it is not a column of the ledger. */
struct reader {
    struct jtok j;
    struct arena *texts;
    struct buf text; /* the last string, decoded */
    struct stamps gaps, deliveries, tokens_at;
    bool has_outcome, has_error, whole;
    struct buf error_type, error_message;
    int64_t error_code;
    struct ledger_row *row;
};

static void decode(struct reader *r) {
    buf_clear(&r->text);
    r->text.len = jstring_unescape(buf_room(&r->text, r->j.n), r->j.s, r->j.n);
}

static bool text_is(const struct reader *r, const char *s) {
    return r->text.len == strlen(s) && memcmp(r->text.s, s, r->text.len) == 0;
}

/* A string or the literal of a number. */
static bool take_text(struct reader *r, enum jtok_type t, struct view *text) {
    if (t == JTOK_STRING) {
        decode(r);
        *text = keep_text(r->texts, r->text.s, r->text.len);
    } else if (t == JTOK_NUMBER) {
        *text = keep_text(r->texts, r->j.s, r->j.n);
    }
    return t == JTOK_STRING || t == JTOK_NUMBER || t == JTOK_NULL;
}

static bool take_count(struct reader *r, enum jtok_type t, int64_t *v) {
    if (t == JTOK_NULL) return true;
    return (t == JTOK_NUMBER || t == JTOK_STRING) && num_int(r->j.s, r->j.n, v) && *v >= 0 && *v <= INT32_MAX;
}

static bool take_bool(enum jtok_type t, bool *v) {
    if (t == JTOK_TRUE || t == JTOK_FALSE) *v = t == JTOK_TRUE;
    return t == JTOK_TRUE || t == JTOK_FALSE || t == JTOK_NULL;
}

static bool take_outcome(struct reader *r, enum jtok_type t) {
    if (t != JTOK_STRING) return t == JTOK_NULL;
    decode(r);
    for (int o = 0; o < N_OUTCOMES; o++)
        if (text_is(r, outcome_name[o])) {
            r->row->outcome = (enum outcome)o;
            r->has_outcome = true;
        }
    return r->has_outcome;
}

static bool take_quality(struct reader *r, enum jtok_type t) {
    static const struct view pass = {"pass", 4}, fail = {"fail", 4};
    if (t == JTOK_STRING) decode(r);
    if (t == JTOK_TRUE || (t == JTOK_STRING && text_is(r, "pass")))
        r->row->quality = pass;
    else if (t == JTOK_FALSE || (t == JTOK_STRING && text_is(r, "fail")))
        r->row->quality = fail;
    else
        return t == JTOK_NULL;
    return true;
}

static bool take_tool_calls(struct reader *r, enum jtok_type t) {
    bool calls = false;
    bool ok = take_bool(t, &calls);
    if (calls) r->row->flags |= FLAG_TOOL_CALLS;
    return ok;
}

/* A text or number of the error object into b; anything else is passed over. */
static bool take_error_text(struct reader *r, struct buf *b) {
    enum jtok_type t = jtok_next(&r->j);
    buf_clear(b);
    if (t == JTOK_NUMBER) {
        buf_add(b, r->j.s, r->j.n);
    } else if (t == JTOK_STRING) {
        decode(r);
        buf_add(b, r->text.s, r->text.len);
    } else if (t == JTOK_OBJECT || t == JTOK_ARRAY) {
        return jtok_skip(&r->j);
    }
    return true;
}

static bool take_error(struct reader *r, enum jtok_type t) {
    if (t != JTOK_OBJECT) return t == JTOK_NULL;
    r->has_error = true;
    while (jtok_next(&r->j) == JTOK_KEY) {
        decode(r);
        bool ok;
        if (text_is(r, "type")) {
            ok = take_error_text(r, &r->error_type);
        } else if (text_is(r, "message")) {
            ok = take_error_text(r, &r->error_message);
        } else if (text_is(r, "code") || text_is(r, "status")) {
            struct buf code = {0};
            ok = take_error_text(r, &code);
            if (!int_known(r->error_code)) num_int(code.s, code.len, &r->error_code);
            buf_free(&code);
        } else {
            ok = jtok_skip(&r->j);
        }
        if (!ok) return false;
    }
    return true;
}

/* input_hash of a prompt: of its text, else of its token ids as little-endian int64, else of its messages' JSON. */
static bool take_prompt(struct reader *r, enum jtok_type t) {
    const char *from = r->j.p - 1;
    struct stamps ids = {0};
    bool all_ids = true;
    buf_clear(&r->text);
    if (t == JTOK_STRING) {
        decode(r);
    } else if (t == JTOK_ARRAY) {
        while ((t = jtok_next(&r->j)) != JTOK_ARRAY_END && t != JTOK_ERROR) {
            int64_t id;
            if (t == JTOK_NUMBER && num_int(r->j.s, r->j.n, &id))
                vec_push(&ids, id);
            else
                all_ids = false;
            if (t == JTOK_OBJECT || t == JTOK_ARRAY) jtok_skip(&r->j);
        }
        if (!all_ids)
            buf_add(&r->text, from, (size_t)(r->j.p - from));
        else if (ids.n > 0)
            buf_add(&r->text, ids.v, ids.n * sizeof *ids.v);
    } else if (t != JTOK_NULL) {
        return false;
    }
    vec_free(&ids);
    if (r->text.len > 0) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_bytes(r->text.s, r->text.len));
        r->row->input_hash = (struct view){arena_copy(r->texts, hash, 16), 16};
    }
    return true;
}

/* Keys */

enum key_kind { TEXT, STAMP, COUNT, LIST, TRACKED, OUTCOME, ERROR, QUALITY, WHOLE, TOOL_CALLS, PROMPT };

static const struct {
    const char *name;
    enum key_kind kind;
    size_t at; /* in struct ledger_row; LIST: in struct reader */
} keys[] = {
#define COLUMN(name, kind)                                                                                             \
    { #name, kind, offsetof(struct ledger_row, name) }
    COLUMN(request, TEXT),
    COLUMN(intended_ns, STAMP),
    COLUMN(issued_ns, STAMP),
    COLUMN(reissued_ns, STAMP),
    COLUMN(first_ns, STAMP),
    COLUMN(answer_first_ns, STAMP),
    COLUMN(last_ns, STAMP),
    COLUMN(done_ns, STAMP),
    COLUMN(ttft_ns, STAMP),
    COLUMN(e2e_ns, STAMP),
    COLUMN(gap_max_ns, STAMP),
    COLUMN(input_tokens, COUNT),
    COLUMN(output_tokens, COUNT),
    COLUMN(tail_tokens, COUNT),
    COLUMN(chunks, COUNT),
    COLUMN(attempts, COUNT),
    COLUMN(turn, COUNT),
    COLUMN(finish_reason, TEXT),
    COLUMN(model, TEXT),
    COLUMN(schema, TEXT),
    {"class", TEXT, offsetof(struct ledger_row, class_)},
    COLUMN(tenant, TEXT),
    COLUMN(conversation, TEXT),
    COLUMN(worker, TEXT),
#undef COLUMN
    {"gaps_ns", LIST, offsetof(struct reader, gaps)},
    {"deliveries_ns", LIST, offsetof(struct reader, deliveries)},
    {"tokens_at_ns", LIST, offsetof(struct reader, tokens_at)},
    {"tracked", TRACKED, 0},
    {"outcome", OUTCOME, 0},
    {"error", ERROR, 0},
    {"quality", QUALITY, 0},
    {"whole", WHOLE, 0},
    {"tool_calls", TOOL_CALLS, 0},
    {"prompt", PROMPT, 0},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static bool take_value(struct reader *r, size_t key) {
    enum jtok_type t = jtok_next(&r->j);
    char *column = (char *)r->row + keys[key].at;
    switch (keys[key].kind) {
    case TEXT: return take_text(r, t, (struct view *)(void *)column);
    case STAMP: return stamp_take(&r->j, t, (int64_t *)(void *)column);
    case COUNT: return take_count(r, t, (int64_t *)(void *)column);
    case LIST: return stamp_take_list(&r->j, t, (struct stamps *)(void *)((char *)r + keys[key].at));
    case TRACKED: return take_bool(t, &r->row->tracked);
    case OUTCOME: return take_outcome(r, t);
    case ERROR: return take_error(r, t);
    case QUALITY: return take_quality(r, t);
    case WHOLE: return take_bool(t, &r->whole);
    case TOOL_CALLS: return take_tool_calls(r, t);
    case PROMPT: return take_prompt(r, t);
    }
    return false;
}

/* What follows from what was said */

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* first_ns, last_ns, chunks and gap_max_ns from the stamps of all deliveries; equal stamps are one chunk. */
static void from_deliveries(struct ledger_row *row, struct stamps *at) {
    if (at->n == 0) return;
    qsort(at->v, at->n, sizeof *at->v, by_value);
    row->first_ns = at->v[0];
    row->last_ns = at->v[at->n - 1];
    row->chunks = 1;
    for (size_t i = 1; i < at->n; i++) {
        int64_t gap = num_span(at->v[i - 1], at->v[i]);
        row->chunks += gap != 0;
        if (gap != 0 && (!int_known(row->gap_max_ns) || gap > row->gap_max_ns)) row->gap_max_ns = gap;
    }
}

static void from_token_times(struct ledger_row *row, struct stamps *at) {
    from_deliveries(row, at);
    if (at->n == 0) return;
    if (!int_known(row->output_tokens)) row->output_tokens = (int64_t)at->n;
    if (row->output_tokens != (int64_t)at->n)
        return; /* the harness counted otherwise: which of them came first is not known */
    size_t first = 0;
    while (first < at->n && at->v[first] == at->v[0])
        first++;
    row->tail_tokens = (int64_t)(at->n - first);
}

/* gap_max_ns, chunks and last_ns from the spans between all deliveries, given that there was a first one. */
static void from_gaps(struct ledger_row *row, const struct stamps *gaps) {
    if (!gaps->given || (!int_known(row->first_ns) && !int_known(row->ttft_ns))) return;
    int64_t sum = 0;
    bool fits = true;
    for (size_t i = 0; i < gaps->n; i++) {
        if (gaps->v[i] > 0 && !(row->gap_max_ns >= gaps->v[i]))
            row->gap_max_ns = gaps->v[i]; /* INT_NONE is the least */
        fits = fits && !__builtin_add_overflow(sum, gaps->v[i], &sum);
    }
    row->chunks = (int64_t)gaps->n + 1;
    int64_t last;
    if (fits && int_known(row->first_ns) && !int_known(row->last_ns) &&
        !__builtin_add_overflow(row->first_ns, sum, &last))
        row->last_ns = last;
}

static void settle_outcome(struct reader *r, struct classify *classify) {
    if (!r->has_error) return;
    struct view type = {r->error_type.s, r->error_type.len};
    char name[CLASSIFY_TYPE_MAX];
    size_t n = classify_type_name(name, type);
    if (n > 0) r->row->error_type = (struct view){arena_copy(r->texts, name, n), n};
    if (!r->has_outcome)
        r->row->outcome =
            classify_error(classify, type, (struct view){r->error_message.s, r->error_message.len}, r->error_code);
}

static void settle_tokens(struct ledger_row *row, enum maprow_tokens from, bool whole) {
    if (from == MAPROW_FIELD) {
        spans_tail(row, whole || row->chunks == 1);
        return;
    }
    row->output_tokens = row->tail_tokens = INT_NONE;
    if (from == MAPROW_CHUNKS && int_known(row->chunks)) {
        row->output_tokens = row->chunks;
        row->tail_tokens = row->chunks - 1;
        row->flags |= FLAG_CHUNK_COUNT;
    }
}

static void settle(struct reader *r, const struct maprow_rule *rule) {
    struct ledger_row *row = r->row;
    from_deliveries(row, &r->deliveries);
    from_token_times(row, &r->tokens_at);
    from_gaps(row, &r->gaps);
    settle_outcome(r, rule->classify);
    settle_tokens(row, rule->tokens, r->whole);
    spans_fill(row, &rule->spans);
}

/* The value after a key that begins with '#'. */
static enum maprow_kind read_said(struct reader *r, struct view key, struct view *said) {
    static const struct {
        const char *name;
        enum maprow_kind kind;
        enum jtok_type type;
    } kinds[] = {{"#run", MAPROW_RUN, JTOK_OBJECT},
                 {"#facts", MAPROW_FACTS, JTOK_OBJECT},
                 {"#error", MAPROW_ERROR, JTOK_STRING}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (key.n != strlen(kinds[i].name) || memcmp(key.s, kinds[i].name, key.n) != 0) continue;
        enum jtok_type t = jtok_next(&r->j);
        const char *from = r->j.p - 1;
        *said = key;
        if (t != kinds[i].type) return MAPROW_BAD;
        if (t == JTOK_STRING) {
            take_text(r, t, said);
        } else {
            if (!jtok_skip(&r->j)) return MAPROW_BAD;
            *said = (struct view){from, (size_t)(r->j.p - from)};
        }
        return jtok_next(&r->j) == JTOK_OBJECT_END ? kinds[i].kind : MAPROW_BAD;
    }
    return MAPROW_UNKNOWN;
}

static enum maprow_kind read_object(struct reader *r, const struct maprow_rule *rule, struct view *said) {
    if (jtok_next(&r->j) != JTOK_OBJECT) return MAPROW_BAD;
    for (enum jtok_type t; (t = jtok_next(&r->j)) != JTOK_OBJECT_END;) {
        if (t != JTOK_KEY) return MAPROW_BAD;
        *said = (struct view){r->j.s, r->j.n};
        if (said->n > 0 && *said->s == '#') return read_said(r, *said, said);
        size_t k = 0;
        while (k < N_KEYS && (strlen(keys[k].name) != said->n || memcmp(keys[k].name, said->s, said->n) != 0))
            k++;
        if (k == N_KEYS) return MAPROW_UNKNOWN;
        if (!take_value(r, k)) return MAPROW_BAD;
    }
    settle(r, rule);
    return MAPROW_REQUEST;
}

enum maprow_kind maprow_read(struct view object, const struct maprow_rule *rule, struct arena *texts,
                             struct ledger_row *row, struct view *said) {
    struct reader r = {.texts = texts, .row = row, .error_code = INT_NONE};
    *row = ledger_row_missing;
    row->tracked = true;
    *said = (struct view){NULL, 0};
    jtok_init(&r.j, object.s, object.n);
    enum maprow_kind kind = read_object(&r, rule, said);
    vec_free(&r.gaps);
    vec_free(&r.deliveries);
    vec_free(&r.tokens_at);
    buf_free(&r.text);
    buf_free(&r.error_type);
    buf_free(&r.error_message);
    return kind;
}
