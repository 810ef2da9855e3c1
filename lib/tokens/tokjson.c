#include "tokjson.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "jstring.h"
#include "jtok.h"

struct reader {
    const char *file;
    struct view text;
    struct tokmodel *model;
    struct buf a, b, c; /* decoded strings */
};

/* ---- JSON: a value is a view into the text, n == 0 a missing one ---- */

static enum jtok_type next(const struct reader *r, struct jtok *j) {
    enum jtok_type type = jtok_next(j);
    if (type != JTOK_ERROR) return type;
    long long line = 1;
    for (const char *p = r->text.s; p < j->p; p++)
        line += *p == '\n';
    die_at(r->file, line, "not a tokenizer.json: %s", j->error);
}

/* The whole value whose first token was just read. */
static struct view whole(const struct reader *r, struct jtok *j, enum jtok_type type) {
    const char *from;
    switch (type) {
    case JTOK_OBJECT:
    case JTOK_ARRAY:
        from = j->p - 1;
        for (unsigned outside = j->depth - 1; j->depth > outside;)
            next(r, j);
        break;
    case JTOK_STRING: from = j->s - 1; break;
    case JTOK_NUMBER: from = j->s; break;
    case JTOK_FALSE: from = j->p - strlen("false"); break;
    default: from = j->p - strlen("null"); /* or true */
    }
    return (struct view){from, (size_t)(j->p - from)};
}

/* The first token of a value; JTOK_NULL if it is missing. */
static enum jtok_type enter(const struct reader *r, struct view value, struct jtok *j) {
    if (value.n == 0) return JTOK_NULL;
    jtok_init(j, value.s, value.n);
    return next(r, j);
}

/* The values of some keys of an object, missing for one that is not there and for all if it is no object. */
static void members(const struct reader *r, struct view object, size_t n, const char *const key[],
                    struct view value[]) {
    struct jtok j;
    memset(value, 0, n * sizeof *value);
    if (enter(r, object, &j) != JTOK_OBJECT) return;
    while (next(r, &j) == JTOK_KEY) {
        struct view name = {j.s, j.n}, is = whole(r, &j, next(r, &j));
        for (size_t i = 0; i < n; i++)
            if (name.n == strlen(key[i]) && memcmp(name.s, key[i], name.n) == 0) value[i] = is;
    }
    next(r, &j); /* nothing may follow */
}

static struct view member(const struct reader *r, struct view object, const char *key) {
    struct view value;
    members(r, object, 1, &key, &value);
    return value;
}

static struct view decoded(struct buf *b, const struct jtok *j) {
    buf_clear(b);
    char *to = buf_room(b, j->n);
    b->len = jstring_unescape(to, j->s, j->n);
    return (struct view){b->s, b->len};
}

/* A string, decoded into b; n == 0 if it is empty, missing or anything else. */
static struct view string(const struct reader *r, struct buf *b, struct view value) {
    struct jtok j;
    return enter(r, value, &j) == JTOK_STRING ? decoded(b, &j) : (struct view){0};
}

static bool truth(const struct reader *r, struct view value, bool missing) {
    struct jtok j;
    enum jtok_type type = enter(r, value, &j);
    return type == JTOK_TRUE || (type != JTOK_FALSE && missing);
}

static bool is(struct view s, const char *word) { return s.n == strlen(word) && memcmp(s.s, word, s.n) == 0; }

/* ---- What is not supported, by name ---- */

static _Noreturn void unsupported(const struct reader *r, const char *part, struct view name) {
    char plain[41];
    size_t n = 0;
    for (; n < name.n && n + 1 < sizeof plain; n++)
        plain[n] = name.s[n] > ' ' && name.s[n] < 0x7F ? name.s[n] : '?';
    plain[n] = '\0';
    die("%s: %s%s%s is not supported; count with --tokens-cmd", r->file, part, n ? " " : "", plain);
}

static _Noreturn void unsupported_regex(const struct reader *r, const char *error) {
    die("%s: a regular expression of the pre-tokenizer is not supported: %s; count with --tokens-cmd", r->file, error);
}

/* A type that is a Sequence of others has each of them read, else false. */
static bool read_sequence(struct reader *r, struct view type, struct view list,
                          void (*read)(struct reader *r, struct view value)) {
    struct jtok j;
    if (!is(type, "Sequence")) return false;
    if (enter(r, list, &j) != JTOK_ARRAY) return true;
    for (enum jtok_type t; (t = next(r, &j)) != JTOK_ARRAY_END;)
        read(r, whole(r, &j, t));
    return true;
}

/* ---- normalizer ---- */

static void read_normalizer(struct reader *r, struct view value) {
    static const char *const form[] = {
        [NORMAL_NFC] = "NFC", [NORMAL_NFD] = "NFD", [NORMAL_NFKC] = "NFKC", [NORMAL_NFKD] = "NFKD"};
    struct jtok j;
    if (enter(r, value, &j) != JTOK_OBJECT) return;
    struct view type = string(r, &r->a, member(r, value, "type"));
    if (read_sequence(r, type, member(r, value, "normalizers"), read_normalizer)) return;
    for (size_t i = NORMAL_NFC; i < sizeof form / sizeof *form; i++) {
        if (!is(type, form[i])) continue;
        if (r->model->form != NORMAL_NONE) unsupported(r, "a sequence of normalizers with", type);
        r->model->form = (enum normal_form)i;
        return;
    }
    unsupported(r, "normalizer", type);
}

/* ---- pre_tokenizer ---- */

static void add_split(struct reader *r, struct view regex, enum presplit_behavior behavior, bool invert) {
    char error[PATTERN_ERROR];
    if (!presplit_split(&r->model->split, regex, behavior, invert, error)) unsupported_regex(r, error);
}

static enum presplit_behavior behavior_of(struct reader *r, struct view value, enum presplit_behavior missing) {
    static const char *const name[] = {[PRESPLIT_REMOVED] = "Removed",
                                       [PRESPLIT_ISOLATED] = "Isolated",
                                       [PRESPLIT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
                                       [PRESPLIT_MERGED_WITH_NEXT] = "MergedWithNext",
                                       [PRESPLIT_CONTIGUOUS] = "Contiguous"};
    struct view s = string(r, &r->a, value);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (is(s, name[i])) return (enum presplit_behavior)i;
    if (s.n > 0) unsupported(r, "pre-tokenizer behavior", s);
    return missing;
}

static void read_split(struct reader *r, struct view value) {
    enum { PATTERN, BEHAVIOR, INVERT, N };
    static const char *const key[N] = {"pattern", "behavior", "invert"};
    struct view v[N];
    members(r, value, N, key, v);
    struct view regex = string(r, &r->b, member(r, v[PATTERN], "Regex"));
    if (regex.n == 0) {
        struct view literal = string(r, &r->b, member(r, v[PATTERN], "String"));
        if (literal.n == 0) unsupported(r, "pre-tokenizer Split without a pattern", (struct view){0});
        buf_clear(&r->c);
        pattern_quote(&r->c, literal);
        regex = (struct view){r->c.s, r->c.len};
    }
    add_split(r, regex, behavior_of(r, v[BEHAVIOR], PRESPLIT_ISOLATED), truth(r, v[INVERT], false));
}

static void read_byte_level(struct reader *r, struct view value) {
    if (r->model->split.bytes_are_characters) unsupported(r, "a second pre-tokenizer ByteLevel", (struct view){0});
    bool add_space = truth(r, member(r, value, "add_prefix_space"), true);
    presplit_byte_level(&r->model->split, add_space, truth(r, member(r, value, "use_regex"), true));
}

static void read_pre_tokenizer(struct reader *r, struct view value) {
    static const char digit[] = "\\p{N}", punctuation[] = "[\\p{P}$+<=>^`|~]";
    struct jtok j;
    if (enter(r, value, &j) != JTOK_OBJECT) return;
    struct view type = string(r, &r->a, member(r, value, "type"));
    if (read_sequence(r, type, member(r, value, "pretokenizers"), read_pre_tokenizer)) return;
    if (is(type, "Split")) {
        read_split(r, value);
    } else if (is(type, "ByteLevel")) {
        read_byte_level(r, value);
    } else if (is(type, "Digits")) {
        bool each = truth(r, member(r, value, "individual_digits"), false);
        add_split(r, (struct view){digit, strlen(digit)}, each ? PRESPLIT_ISOLATED : PRESPLIT_CONTIGUOUS, false);
    } else if (is(type, "Punctuation")) {
        enum presplit_behavior behavior = behavior_of(r, member(r, value, "behavior"), PRESPLIT_ISOLATED);
        add_split(r, (struct view){punctuation, strlen(punctuation)}, behavior, false);
    } else {
        unsupported(r, "pre-tokenizer", type);
    }
}

/* ---- model ---- */

/* In bytes, into b; false for what no text is ever written as. */
static bool token_bytes(struct buf *b, struct view characters) {
    buf_clear(b);
    return presplit_bytes(b, characters);
}

static void read_vocabulary(struct reader *r, struct view vocabulary) {
    struct jtok j;
    if (enter(r, vocabulary, &j) != JTOK_OBJECT) die("%s: not a tokenizer.json: its model has no vocabulary", r->file);
    while (next(r, &j) == JTOK_KEY) {
        struct view token = decoded(&r->a, &j);
        if (next(r, &j) != JTOK_NUMBER) die("%s: not a tokenizer.json: a token without a number", r->file);
        if (token_bytes(&r->b, token)) bpe_token(&r->model->bpe, (struct view){r->b.s, r->b.len});
    }
}

/* "left right" or ["left", "right"], in characters, in a and b; false for a heading. */
static bool read_pair(struct reader *r, struct jtok *j, enum jtok_type type, long long n) {
    struct buf *a = &r->a, *b = &r->b;
    buf_clear(b);
    if (type == JTOK_STRING) {
        struct view both = decoded(a, j);
        if (both.n > 8 && memcmp(both.s, "#version", 8) == 0) return false;
        char *space = memchr(both.s, ' ', both.n);
        if (space && space > both.s) {
            size_t at = (size_t)(space - both.s);
            buf_add(b, space + 1, both.n - at - 1);
            a->len = at;
        }
    } else if (type == JTOK_ARRAY && next(r, j) == JTOK_STRING) {
        decoded(a, j);
        if (next(r, j) != JTOK_STRING) j->n = 0;
        decoded(b, j);
        if (next(r, j) != JTOK_ARRAY_END) buf_clear(b);
    }
    if (b->len == 0) die("%s: not a tokenizer.json: merge %lld is not of two tokens", r->file, n);
    return true;
}

static void read_merges(struct reader *r, struct view merges) {
    struct jtok j;
    if (enter(r, merges, &j) != JTOK_ARRAY) die("%s: not a tokenizer.json: its model has no merges", r->file);
    struct buf left = {0}, right = {0};
    uint32_t rank = 0;
    for (enum jtok_type t; (t = next(r, &j)) != JTOK_ARRAY_END;) {
        if (!read_pair(r, &j, t, rank + 1LL)) continue;
        bool ours =
            token_bytes(&left, (struct view){r->a.s, r->a.len}) && token_bytes(&right, (struct view){r->b.s, r->b.len});
        if (ours &&
            !bpe_merge(&r->model->bpe, (struct view){left.s, left.len}, (struct view){right.s, right.len}, rank))
            die("%s: merge %lld is of tokens that are not in the vocabulary", r->file, rank + 1LL);
        rank++;
    }
    buf_free(&left);
    buf_free(&right);
}

static void read_model(struct reader *r, struct view value, struct view pre_tokenizer) {
    enum { TYPE, VOCAB, MERGES, UNKNOWN, FUSE, PREFIX, SUFFIX, FALLBACK, IGNORE_MERGES, N };
    static const char *const key[N] = {"type",
                                       "vocab",
                                       "merges",
                                       "unk_token",
                                       "fuse_unk",
                                       "continuing_subword_prefix",
                                       "end_of_word_suffix",
                                       "byte_fallback",
                                       "ignore_merges"};
    struct view v[N];
    members(r, value, N, key, v);
    struct view type = string(r, &r->a, v[TYPE]);
    if (type.n > 0 ? !is(type, "BPE") : v[MERGES].n == 0) unsupported(r, "model", type);
    if (truth(r, v[FALLBACK], false)) unsupported(r, "model BPE with byte_fallback (SentencePiece)", (struct view){0});
    if (string(r, &r->a, v[PREFIX]).n > 0)
        unsupported(r, "model BPE with", (struct view){key[PREFIX], strlen(key[PREFIX])});
    if (string(r, &r->a, v[SUFFIX]).n > 0)
        unsupported(r, "model BPE with", (struct view){key[SUFFIX], strlen(key[SUFFIX])});
    read_pre_tokenizer(r, pre_tokenizer);
    if (!r->model->split.bytes_are_characters) unsupported(r, "model BPE without ByteLevel", (struct view){0});

    struct bpe *bpe = &r->model->bpe;
    if (string(r, &r->a, v[UNKNOWN]).n > 0)
        bpe->unknown = truth(r, v[FUSE], false) ? BPE_UNKNOWN_FUSED : BPE_UNKNOWN_COUNTED;
    bpe->whole_words = truth(r, v[IGNORE_MERGES], false);
    read_vocabulary(r, v[VOCAB]);
    read_merges(r, v[MERGES]);
    bpe_ready(bpe);
}

/* ---- added_tokens ---- */

/* The special ones, or the others. */
static void read_added(struct reader *r, struct view list, bool special) {
    enum { CONTENT, SINGLE_WORD, LSTRIP, RSTRIP, NORMALIZED, SPECIAL, N };
    static const char *const key[N] = {"content", "single_word", "lstrip", "rstrip", "normalized", "special"};
    struct normal_scratch scratch = {0};
    struct tokmodel *m = r->model;
    struct jtok j;
    if (enter(r, list, &j) != JTOK_ARRAY) return;
    for (enum jtok_type t; (t = next(r, &j)) != JTOK_ARRAY_END;) {
        struct view v[N];
        members(r, whole(r, &j, t), N, key, v);
        if (truth(r, v[SPECIAL], false) != special) continue;
        struct view content = string(r, &r->a, v[CONTENT]);
        unsigned flags = (truth(r, v[SINGLE_WORD], false) ? ADDED_SINGLE_WORD : 0u) |
                         (truth(r, v[LSTRIP], false) ? ADDED_STRIP_LEFT : 0u) |
                         (truth(r, v[RSTRIP], false) ? ADDED_STRIP_RIGHT : 0u);
        if (truth(r, v[NORMALIZED], !special))
            added_token(&m->normalized, normal_apply(m->form, &scratch, content), flags);
        else
            added_token(&m->as_written, content, flags);
    }
    normal_scratch_free(&scratch);
}

void tokjson_read(struct tokmodel *m, const char *file, struct view text) {
    enum { ADDED, NORMALIZER, PRE_TOKENIZER, MODEL, N };
    static const char *const key[N] = {"added_tokens", "normalizer", "pre_tokenizer", "model"};
    struct reader r = {.file = file, .text = text, .model = m};
    struct view v[N];
    members(&r, text, N, key, v);
    if (v[MODEL].n == 0) die("%s: not a tokenizer.json: it has no model", file);
    read_model(&r, v[MODEL], v[PRE_TOKENIZER]);
    read_normalizer(&r, v[NORMALIZER]);
    read_added(&r, v[ADDED], true);
    read_added(&r, v[ADDED], false);
    buf_free(&r.a);
    buf_free(&r.b);
    buf_free(&r.c);
}
