#include "ndjson.h"

#include <stdlib.h>
#include <string.h>

#include "jstring.h"
#include "jtok.h"
#include "num.h"

/* The text buffer of a line never moves while its views are made: it is given room for the whole line first. */
static struct view decoded(struct ndjson *r, const struct jtok *j) {
    if (!j->escaped) return (struct view){j->s, j->n};
    r->odd = true;
    char *at = r->text.s + r->text.len;
    size_t n = jstring_unescape(at, j->s, j->n);
    r->text.len += n;
    return (struct view){at, n};
}

/* The elements of a number array, comma-joined.  False: it holds something else, and is to be taken as JSON text. */
static bool numbers(struct ndjson *r, struct jtok *j, struct view *cell) {
    char *start = r->text.s + r->text.len, *at = start;
    for (;;) {
        enum jtok_type t = jtok_next(j);
        if (t == JTOK_ARRAY_END) break;
        if (t != JTOK_NUMBER && t != JTOK_NULL && t != JTOK_NONFINITE) return false;
        if (at > start || cell->n > 0) *at++ = ',';
        cell->n = 1; /* an element was seen, though it may be empty */
        if (t == JTOK_NUMBER) {
            memcpy(at, j->s, j->n);
            at += j->n;
        }
    }
    *cell = (struct view){start, (size_t)(at - start)};
    r->text.len += cell->n;
    return true;
}

static bool value(struct ndjson *r, struct jtok *j, struct view *cell) {
    *cell = (struct view){0};
    enum jtok_type t = jtok_next(j);
    switch (t) {
    case JTOK_STRING: *cell = decoded(r, j); return true;
    case JTOK_NUMBER: *cell = (struct view){j->s, j->n}; return true;
    case JTOK_TRUE:
    case JTOK_FALSE: *cell = (struct view){t == JTOK_TRUE ? "1" : "0", 1}; return true;
    case JTOK_NULL:
    case JTOK_NONFINITE: return true;
    case JTOK_ARRAY:
    case JTOK_OBJECT: {
        const char *from = j->p - 1;
        struct jtok start = *j;
        if (t == JTOK_ARRAY && numbers(r, j, cell)) return true;
        *j = start;
        if (!jtok_skip(j)) return false;
        *cell = (struct view){from, (size_t)(j->p - from)};
        return true;
    }
    default: return false;
    }
}

static bool fail(struct ndjson *r, const struct jtok *j, struct view line, const char *why) {
    r->error = j->error ? j->error : why;
    r->error_at = (size_t)(j->p - line.s);
    return false;
}

bool ndjson_split(struct ndjson *r, struct view line) {
    struct jtok j;
    jtok_init(&j, line.s, line.n);
    j.nonfinite = true;
    r->member.n = 0;
    r->error = NULL;
    r->odd = memchr(line.s, 0x7f, line.n) != NULL;
    buf_clear(&r->text);
    buf_room(&r->text, line.n);
    if (jtok_next(&j) != JTOK_OBJECT) return fail(r, &j, line, "not a JSON object");
    for (;;) {
        enum jtok_type t = jtok_next(&j);
        if (t == JTOK_OBJECT_END) break;
        if (t != JTOK_KEY) return fail(r, &j, line, "not a JSON object");
        struct ndjson_member m = {.key = decoded(r, &j)};
        if (!value(r, &j, &m.text)) return fail(r, &j, line, "not a JSON object");
        vec_push(&r->member, m);
    }
    if (jtok_next(&j) != JTOK_END) return fail(r, &j, line, "more than one value on a line");
    return true;
}

void ndjson_free(struct ndjson *r) {
    vec_free(&r->member);
    buf_free(&r->text);
}

void ndjson_put_text(struct buf *b, struct view cell) {
    static const char hex[] = "0123456789abcdef";
    if (cell.n == 0) {
        buf_str(b, "null");
        return;
    }
    char *o = buf_room(b, cell.n * 6 + 2), *start = o;
    *o++ = '"';
    for (size_t i = 0; i < cell.n; i++) {
        unsigned char c = (unsigned char)cell.s[i];
        if (c == '"' || c == '\\') {
            *o++ = '\\';
            *o++ = (char)c;
        } else if (c < 0x20) {
            memcpy(o, "\\u00", 4);
            o[4] = hex[c >> 4];
            o[5] = hex[c & 15];
            o += 6;
        } else {
            *o++ = (char)c;
        }
    }
    *o++ = '"';
    b->len += (size_t)(o - start);
}

bool ndjson_put_number(struct buf *b, struct view cell) {
    double v;
    if (cell.n == 0)
        buf_str(b, "null");
    else if (num_real(cell.s, cell.n, &v))
        buf_add(b, cell.s, cell.n);
    else
        return false;
    return true;
}

bool ndjson_put_numbers(struct buf *b, struct view cell) {
    if (cell.n == 0) {
        buf_str(b, "null");
        return true;
    }
    size_t before = b->len;
    char open = '[';
    for (const char *p = cell.s, *end = cell.s + cell.n; p <= end;) {
        const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
        if (!comma) comma = end;
        buf_char(b, open);
        open = ',';
        if (!ndjson_put_number(b, (struct view){p, (size_t)(comma - p)})) {
            b->len = before;
            return false;
        }
        p = comma + 1;
    }
    buf_char(b, ']');
    return true;
}
