#include "jtok.h"

#include <string.h>

#include "jstring.h"

enum { VALUE, FIRST_KEY, NEXT_KEY, FIRST_ITEM, AFTER, FAILED };

static enum jtok_type fail(struct jtok *j, const char *at, const char *what) {
    j->p = at;
    j->error = what;
    j->state = FAILED;
    return JTOK_ERROR;
}

void jtok_init(struct jtok *j, const char *text, size_t n) {
    j->p = text;
    j->end = text + n;
    j->s = text;
    j->n = 0;
    j->escaped = j->nonfinite = false;
    j->error = NULL;
    j->depth = 0;
    j->state = VALUE;
}

static void skip_space(struct jtok *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\r' || *j->p == '\t'))
        j->p++;
}

/* A container opens or closes; in_object holds one bit per level, so that brackets must match. */
static enum jtok_type open_container(struct jtok *j, bool object) {
    if (j->depth == JTOK_DEPTH) return fail(j, j->p, "nested too deeply");
    uint64_t bit = (uint64_t)1 << j->depth % 64;
    uint64_t *word = &j->in_object[j->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    j->depth++;
    j->p++;
    j->state = object ? FIRST_KEY : FIRST_ITEM;
    return object ? JTOK_OBJECT : JTOK_ARRAY;
}

static bool in_object(const struct jtok *j) {
    unsigned level = j->depth - 1;
    return j->in_object[level / 64] >> level % 64 & 1;
}

static enum jtok_type close_container(struct jtok *j) {
    bool object = in_object(j);
    j->depth--;
    j->p++;
    j->state = AFTER;
    return object ? JTOK_OBJECT_END : JTOK_ARRAY_END;
}

/* The body of the string at p (its opening quote). */
static bool take_string(struct jtok *j) {
    const char *from = j->p + 1;
    j->escaped = false;
    const char *to = jstring_end(from, j->end, &j->escaped);
    if (to >= j->end || *to != '"') {
        fail(j, to, jstring_error(to, j->end));
        return false;
    }
    j->s = from;
    j->n = (size_t)(to - from);
    j->p = to + 1;
    return true;
}

static enum jtok_type take_word(struct jtok *j, const char *word, size_t n, enum jtok_type type) {
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0) return fail(j, j->p, "not a JSON value");
    j->s = j->p;
    j->n = n;
    j->p += n;
    j->state = AFTER;
    return type;
}

static const char *digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static enum jtok_type take_number(struct jtok *j) {
    const char *p = j->p, *end = j->end;
    if (*p == '-') p++;
    if (p < end && *p == 'I' && j->nonfinite) return take_word(j, "-Infinity", 9, JTOK_NONFINITE);
    const char *from = p;
    p = digits(p, end);
    if (p == from || (*from == '0' && p > from + 1)) return fail(j, j->p, "bad number");
    if (p < end && *p == '.') {
        from = ++p;
        p = digits(p, end);
        if (p == from) return fail(j, j->p, "bad number");
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        from = p;
        p = digits(p, end);
        if (p == from) return fail(j, j->p, "bad number");
    }
    j->s = j->p;
    j->n = (size_t)(p - j->p);
    j->p = p;
    j->state = AFTER;
    return JTOK_NUMBER;
}

static enum jtok_type take_value(struct jtok *j) {
    switch (*j->p) {
    case '{': return open_container(j, true);
    case '[': return open_container(j, false);
    case '"':
        if (!take_string(j)) return JTOK_ERROR;
        j->state = AFTER;
        return JTOK_STRING;
    case 't': return take_word(j, "true", 4, JTOK_TRUE);
    case 'f': return take_word(j, "false", 5, JTOK_FALSE);
    case 'n': return take_word(j, "null", 4, JTOK_NULL);
    case 'N':
        if (j->nonfinite) return take_word(j, "NaN", 3, JTOK_NONFINITE);
        break;
    case 'I':
        if (j->nonfinite) return take_word(j, "Infinity", 8, JTOK_NONFINITE);
        break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return take_number(j);
    }
    return fail(j, j->p, "not a JSON value");
}

static enum jtok_type take_key(struct jtok *j) {
    if (*j->p != '"') return fail(j, j->p, "key expected");
    if (!take_string(j)) return JTOK_ERROR;
    skip_space(j);
    if (j->p == j->end) return fail(j, j->p, "cut off");
    if (*j->p != ':') return fail(j, j->p, "':' expected");
    j->p++;
    j->state = VALUE;
    return JTOK_KEY;
}

enum jtok_type jtok_next(struct jtok *j) {
    if (j->state == FAILED) return JTOK_ERROR;
    skip_space(j);
    if (j->p == j->end) return j->state == AFTER && j->depth == 0 ? JTOK_END : fail(j, j->p, "cut off");
    char c = *j->p;
    switch (j->state) {
    case FIRST_KEY: return c == '}' ? close_container(j) : take_key(j);
    case NEXT_KEY: return take_key(j);
    case FIRST_ITEM: return c == ']' ? close_container(j) : take_value(j);
    case VALUE: return take_value(j);
    }
    if (j->depth == 0) return fail(j, j->p, "text after the value");
    bool object = in_object(j);
    if (c == (object ? '}' : ']')) return close_container(j);
    if (c != ',') return fail(j, j->p, object ? "',' or '}' expected" : "',' or ']' expected");
    j->p++;
    j->state = object ? NEXT_KEY : VALUE;
    return jtok_next(j);
}

bool jtok_skip(struct jtok *j) {
    unsigned outside = j->depth;
    if (j->state == FIRST_KEY || j->state == FIRST_ITEM) outside--;
    enum jtok_type t;
    do
        t = jtok_next(j);
    while (t != JTOK_ERROR && t != JTOK_END && (j->depth > outside || t == JTOK_KEY));
    return t != JTOK_ERROR;
}
