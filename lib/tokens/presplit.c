#include "presplit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "splitter.h"

struct presplit_step {
    enum { SPLIT, SPACE_FIRST, BYTES } kind;
    splitter *by_hand; /* either this */
    struct pattern *pattern; /* or this */
    enum presplit_behavior behavior;
    bool invert;
};

struct presplit_scratch {
    struct pattern_match *match;
    size_t n;
    struct buf text[]; /* one per step, and one for the last bytes */
};

/* ---- Bytes as characters: GPT-2's alphabet ---- */

/* Printable Latin-1 stands for itself, the other 68 bytes are U+0100 and on. */
static bool stands_for_itself(unsigned c) {
    return (c >= 0x21 && c <= 0x7E) || (c >= 0xA1 && c <= 0xAC) || (c >= 0xAE && c <= 0xFF);
}

static unsigned character_of(unsigned byte) {
    if (stands_for_itself(byte)) return byte;
    if (byte <= 0x20) return 0x100 + byte;
    return byte == 0xAD ? 0x143 : 0x100 + 0x21 + byte - 0x7F;
}

static int byte_of(unsigned c) {
    if (c < 0x100) return stands_for_itself(c) ? (int)c : -1;
    if (c <= 0x120) return (int)(c - 0x100);
    if (c < 0x143) return (int)(c - 0x121 + 0x7F);
    return c == 0x143 ? 0xAD : -1;
}

bool presplit_bytes(struct buf *b, struct view characters) {
    const char *p = characters.s, *end = p + characters.n;
    while (p < end) {
        int byte = byte_of(utf8_at(p, &p));
        if (byte < 0) return false;
        buf_char(b, (char)byte);
    }
    return true;
}

static void add_characters(struct buf *b, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned c = character_of((unsigned char)s[i]);
        if (c >= 0x80) buf_char(b, (char)(0xC0 | c >> 6));
        buf_char(b, (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c));
    }
}

/* ---- Steps ---- */

bool presplit_split(struct presplit *p, struct view regex, enum presplit_behavior behavior, bool invert,
                    char error[PATTERN_ERROR]) {
    struct presplit_step step = {.kind = SPLIT, .behavior = behavior, .invert = invert};
    step.by_hand = splitter_of(regex);
    if (!step.by_hand) step.pattern = pattern_new(regex, error);
    if (!step.by_hand && !step.pattern) return false;
    vec_push(&p->step, step);
    return true;
}

void presplit_byte_level(struct presplit *p, bool add_space, bool use_regex) {
    char error[PATTERN_ERROR];
    if (add_space) vec_push(&p->step, (struct presplit_step){.kind = SPACE_FIRST});
    if (use_regex)
        presplit_split(p, (struct view){splitter_gpt2, strlen(splitter_gpt2)}, PRESPLIT_ISOLATED, false, error);
    vec_push(&p->step, (struct presplit_step){.kind = BYTES});
    p->bytes_are_characters = true;
}

void presplit_free(struct presplit *p) {
    for (size_t i = 0; i < p->step.n; i++)
        pattern_free(p->step.v[i].pattern);
    vec_free(&p->step);
}

/* ---- Running them: each piece goes through the next step before the next piece is looked for ---- */

struct run {
    const struct presplit *p;
    struct presplit_scratch *t;
    void (*take)(void *context, const char *s, size_t n);
    void *context;
    bool characters; /* a text that stands in the last step's buffer is in characters */
};

static void run_from(struct run *r, size_t step, const char *s, size_t n);

/* What a step has found and not yet passed on: it may still be joined with what follows. */
struct pending {
    const char *s;
    size_t n;
    bool any, match;
};

static void pass(struct run *r, size_t step, const struct pending *p) {
    if (p->any && p->n > 0) run_from(r, step + 1, p->s, p->n);
}

/* The next stretch of text, a match or not.  All of the text comes by, in order. */
static void found(struct run *r, size_t step, struct pending *last, const char *s, size_t n, bool match) {
    const struct presplit_step *how = &r->p->step.v[step];
    match ^= how->invert;
    bool join = false, drop = false;
    switch (how->behavior) {
    case PRESPLIT_ISOLATED: break;
    case PRESPLIT_REMOVED: drop = match; break;
    case PRESPLIT_CONTIGUOUS: join = last->any && match == last->match; break;
    case PRESPLIT_MERGED_WITH_PREVIOUS: join = last->any && match && !last->match; break;
    case PRESPLIT_MERGED_WITH_NEXT: join = last->any && !match && last->match; break;
    }
    if (join) {
        last->n += n;
        last->match = match;
        return;
    }
    pass(r, step, last);
    *last = (struct pending){s, n, !drop, match};
}

/* The matches in a text, one after the other. */
struct search {
    const struct presplit_step *step;
    const char *s;
    size_t n;
    size_t start, end; /* of the last match */
    bool any;
};

/* An empty match is none where the last one ended. */
static bool next_match(struct run *r, struct search *q) {
    if (q->step->by_hand) {
        const char *from, *to;
        if (!q->step->by_hand(r->p->classes, q->s + q->end, q->s + q->n, &from, &to)) return false;
        q->start = (size_t)(from - q->s);
        q->end = (size_t)(to - q->s);
        return true;
    }
    size_t last = q->end;
    for (size_t at = last; at <= q->n; at++) {
        if (at < q->n && ((unsigned char)q->s[at] & 0xC0) == 0x80) continue; /* within a character */
        if (!pattern_find(q->step->pattern, r->t->match, q->s, q->n, at, &q->start, &q->end)) return false;
        if (q->start < q->end || q->end != last || !q->any) {
            q->any = true;
            return true;
        }
    }
    return false;
}

static void split(struct run *r, size_t step, const char *s, size_t n) {
    struct search q = {.step = &r->p->step.v[step], .s = s, .n = n};
    struct pending last = {0};
    size_t done = 0;
    while (next_match(r, &q)) {
        if (done < q.start) found(r, step, &last, s + done, q.start - done, false);
        found(r, step, &last, s + q.start, q.end - q.start, true);
        done = q.end;
    }
    if (done < n) found(r, step, &last, s + done, n - done, false);
    pass(r, step, &last);
}

static void run_from(struct run *r, size_t step, const char *s, size_t n) {
    const struct presplit *p = r->p;
    struct buf *b = &r->t->text[step];
    if (step == p->step.n) {
        if (r->characters) {
            buf_clear(b);
            presplit_bytes(b, (struct view){s, n});
            s = b->s;
            n = b->len;
        }
        r->take(r->context, s, n);
        return;
    }
    switch (p->step.v[step].kind) {
    case SPLIT: split(r, step, s, n); break;
    case SPACE_FIRST:
        if (*s != ' ') {
            buf_clear(b);
            buf_char(b, ' ');
            buf_add(b, s, n);
            s = b->s;
            n = b->len;
        }
        run_from(r, step + 1, s, n);
        break;
    case BYTES:
        if (step + 1 == p->step.n) { /* the last step: the bytes themselves will do */
            r->take(r->context, s, n);
            break;
        }
        buf_clear(b);
        add_characters(b, s, n);
        r->characters = true;
        run_from(r, step + 1, b->s, b->len);
        r->characters = false;
        break;
    }
}

void presplit_run(const struct presplit *p, struct presplit_scratch *t, struct view text,
                  void (*take)(void *context, const char *s, size_t n), void *context) {
    struct run r = {.p = p, .t = t, .take = take, .context = context};
    if (text.n > 0) run_from(&r, 0, text.s, text.n);
}

struct presplit_scratch *presplit_scratch_new(const struct presplit *p) {
    struct presplit_scratch *t = xcalloc(1, sizeof *t + (p->step.n + 1) * sizeof *t->text);
    t->match = pattern_match_new();
    t->n = p->step.n + 1;
    return t;
}

void presplit_scratch_free(struct presplit_scratch *t) {
    if (!t) return;
    for (size_t i = 0; i < t->n; i++)
        buf_free(&t->text[i]);
    pattern_match_free(t->match);
    free(t);
}
