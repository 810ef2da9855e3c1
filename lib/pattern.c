#define PCRE2_CODE_UNIT_WIDTH 8

#include "pattern.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

enum { STACK_MIN = 32 << 10, STACK_MAX = 8 << 20 };

struct pattern {
    pcre2_code *code;
};

struct pattern_match {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

/* ---- From Oniguruma's words to PCRE2's ---- */

/* White_Space, and everything else; PCRE2 counts U+180E as a space. */
#define SPACES                                                                                                         \
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define NO_SPACES                                                                                                      \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" \
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}"
#define WORDS "\\p{L}\\p{M}\\p{N}\\p{Pc}"

struct reader {
    const char *p, *end;
    struct buf out;
    const char *error;
};

static const struct {
    char letter;
    const char *in_class, *alone;
} escape[] = {
    {'s', SPACES, "[" SPACES "]"}, {'S', NO_SPACES, "[^" SPACES "]"}, {'w', WORDS, "[" WORDS "]"},
    {'W', NULL, "[^" WORDS "]"},   {'h', "0-9a-fA-F", "[0-9a-fA-F]"}, {'H', NULL, "[^0-9a-fA-F]"},
};

/* p stands behind a backslash. */
static void read_escape(struct reader *r, bool in_class) {
    if (r->p == r->end) {
        r->error = "it ends in a backslash";
        return;
    }
    for (size_t i = 0; i < sizeof escape / sizeof *escape; i++) {
        if (*r->p != escape[i].letter) continue;
        const char *means = in_class ? escape[i].in_class : escape[i].alone;
        if (means)
            buf_str(&r->out, means);
        else
            r->error = "\\W or \\H in a class";
        r->p++;
        return;
    }
    if (strchr("gkKQECbBGRXNoc", *r->p)) {
        r->error = "an escape that is not known here";
        return;
    }
    buf_char(&r->out, '\\');
    buf_char(&r->out, *r->p++);
}

/* The members of a class up to its bracket, or to the && of an intersection. */
static void read_members(struct reader *r) {
    bool first = true;
    for (; r->p < r->end && !r->error; first = false) {
        if (*r->p == ']' && !first) return;
        if (r->end - r->p >= 2 && r->p[0] == '&' && r->p[1] == '&') return;
        if (*r->p == '[') {
            const char *close =
                r->end - r->p > 1 && r->p[1] == ':' ? memmem(r->p, (size_t)(r->end - r->p), ":]", 2) : NULL;
            if (!close) {
                r->error = "a class within a class";
                return;
            }
            buf_add(&r->out, r->p, (size_t)(close + 2 - r->p));
            r->p = close + 2;
        } else if (*r->p == '\\') {
            r->p++;
            read_escape(r, true);
        } else {
            buf_char(&r->out, *r->p++);
        }
    }
    if (!r->error) r->error = "a class without end";
}

/* p stands behind the bracket that opens a class. */
static void read_class(struct reader *r) {
    size_t at = r->out.len;
    buf_char(&r->out, '[');
    bool negated = r->p < r->end && *r->p == '^';
    if (negated) buf_char(&r->out, *r->p++);
    read_members(r);
    if (r->error) return;
    buf_char(&r->out, ']');
    if (*r->p == ']') {
        r->p++;
        return;
    }
    /* [A&&[B]] is (?:(?=[A])[B]) */
    r->p += 2;
    bool simple = !negated && r->p < r->end && *r->p == '[';
    struct buf left = {0};
    buf_add(&left, r->out.s + at, r->out.len - at);
    r->out.len = at;
    buf_str(&r->out, "(?:(?=");
    buf_add(&r->out, left.s, left.len);
    buf_char(&r->out, ')');
    buf_free(&left);
    if (simple) {
        r->p++;
        read_class(r);
    }
    if (!simple || r->error || r->p == r->end || *r->p != ']') {
        r->error = "an intersection of classes of this form";
        return;
    }
    r->p++;
    buf_char(&r->out, ')');
}

/* In Ruby's syntax {1,3}+ repeats a repetition; in PCRE2's it is possessive. */
static void read_braces(struct reader *r) {
    const char *close = memchr(r->p, '}', (size_t)(r->end - r->p));
    if (!close) close = r->end - 1;
    bool interval = close > r->p + 1;
    for (const char *q = r->p + 1; q < close; q++)
        interval &= isdigit((unsigned char)*q) || *q == ',';
    buf_add(&r->out, r->p, (size_t)(close + 1 - r->p));
    r->p = close + 1;
    if (!interval || r->p == r->end || *r->p != '+') return;
    buf_str(&r->out, "{1,}");
    r->p++;
}

static void read_regex(struct reader *r) {
    while (r->p < r->end && !r->error) {
        switch (*r->p) {
        case '\\':
            r->p++;
            read_escape(r, false);
            if (r->p < r->end && !r->error && (r->p[-1] == 'p' || r->p[-1] == 'P') && *r->p == '{') {
                const char *close = memchr(r->p, '}', (size_t)(r->end - r->p));
                const char *to = close ? close + 1 : r->end;
                buf_add(&r->out, r->p, (size_t)(to - r->p));
                r->p = to;
            }
            break;
        case '[':
            r->p++;
            read_class(r);
            break;
        case '{': read_braces(r); break;
        default: buf_char(&r->out, *r->p++);
        }
    }
}

/* ---- Compiling and matching ---- */

struct pattern *pattern_new(struct view regex, char error[PATTERN_ERROR]) {
    struct reader r = {.p = regex.s, .end = regex.s + regex.n};
    read_regex(&r);
    struct pattern *p = NULL;
    if (r.error) {
        snprintf(error, PATTERN_ERROR, "%s", r.error);
    } else {
        pcre2_compile_context *context = pcre2_compile_context_create(NULL);
        if (!context) die("memory");
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        int code;
        size_t at;
        pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)(r.out.len ? r.out.s : ""), r.out.len,
                                             PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &code, &at, context);
        pcre2_compile_context_free(context);
        if (!compiled) {
            pcre2_get_error_message(code, (PCRE2_UCHAR *)error, PATTERN_ERROR);
        } else {
            pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* without a JIT it is interpreted */
            p = xmalloc(sizeof *p);
            p->code = compiled;
        }
    }
    buf_free(&r.out);
    return p;
}

void pattern_quote(struct buf *regex, struct view text) {
    for (size_t i = 0; i < text.n; i++) {
        if (ispunct((unsigned char)text.s[i])) buf_char(regex, '\\');
        buf_char(regex, text.s[i]);
    }
}

void pattern_free(struct pattern *p) {
    if (!p) return;
    pcre2_code_free(p->code);
    free(p);
}

struct pattern_match *pattern_match_new(void) {
    struct pattern_match *m = xcalloc(1, sizeof *m);
    m->data = pcre2_match_data_create(1, NULL);
    m->context = pcre2_match_context_create(NULL);
    m->stack = pcre2_jit_stack_create(STACK_MIN, STACK_MAX, NULL);
    if (!m->data || !m->context) die("memory");
    if (m->stack) pcre2_jit_stack_assign(m->context, NULL, m->stack);
    return m;
}

void pattern_match_free(struct pattern_match *m) {
    if (!m) return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    pcre2_jit_stack_free(m->stack);
    free(m);
}

bool pattern_find(const struct pattern *p, struct pattern_match *m, const char *text, size_t n, size_t from,
                  size_t *start, size_t *end) {
    int found = pcre2_match(p->code, (PCRE2_SPTR)text, n, from, PCRE2_NO_UTF_CHECK, m->data, m->context);
    if (found == PCRE2_ERROR_NOMATCH) return false;
    if (found < 0) {
        char why[PATTERN_ERROR];
        pcre2_get_error_message(found, (PCRE2_UCHAR *)why, sizeof why);
        die("tokenizer: its regular expression gives up on a text of %zu bytes: %s", n, why);
    }
    const size_t *at = pcre2_get_ovector_pointer(m->data);
    *start = at[0];
    *end = at[1];
    return true;
}
