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
#define WORDS "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
#define LATIN_NUMBERS "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}" /* part of \w, but not within a class */

struct reader {
    const char *p, *end;
    struct buf out;
    size_t atom; /* where in out the last atom begins that is no group */
    bool after_group;
    const char *error;
};

static const struct {
    char letter;
    const char *in_class, *alone;
} escape[] = {
    {'s', SPACES, "[" SPACES "]"},
    {'S', NO_SPACES, "[^" SPACES "]"},
    {'w', WORDS, "[" WORDS LATIN_NUMBERS "]"},
    {'W', NULL, "[^" WORDS LATIN_NUMBERS "]"},
    {'h', "0-9a-fA-F", "[0-9a-fA-F]"},
    {'H', NULL, "[^0-9a-fA-F]"},
};

static const struct {
    const char *name, *in_class;
} posix[] = {
    {"alpha", "\\p{Alphabetic}"},
    {"alnum", "\\p{Alphabetic}\\p{Nd}"},
    {"digit", "\\p{Nd}"},
    {"punct", "\\p{P}\\p{S}"},
    {"space", SPACES},
    {"word", WORDS},
    {"upper", "\\p{Lu}"},
    {"lower", "\\p{Ll}"},
};

/* Characters that Unicode 15, 15.1 and 16 added, by category: PCRE2 may be older than they are. */
static const struct {
    const char *category, *members;
} younger[] = {
    {"Lu", "\\x{1c89}\\x{a7cb}-\\x{a7cc}\\x{a7da}\\x{a7dc}\\x{10d50}-\\x{10d65}"},
    {"Ll", "\\x{1c8a}\\x{a7cd}\\x{a7db}\\x{10d70}-\\x{10d85}\\x{1df25}-\\x{1df2a}"},
    {"Lm", "\\x{10d4e}\\x{10d6f}\\x{16d40}-\\x{16d42}\\x{16d6b}-\\x{16d6c}\\x{1e030}-\\x{1e06d}\\x{1e4eb}"},
    {"Lo", "\\x{105c0}-\\x{105f3}\\x{10d4a}-\\x{10d4d}\\x{10d4f}\\x{10ec2}-\\x{10ec4}\\x{1123f}-\\x{11240}"
           "\\x{11380}-\\x{11389}\\x{1138b}\\x{1138e}\\x{11390}-\\x{113b5}\\x{113b7}\\x{113d1}\\x{113d3}"
           "\\x{11bc0}-\\x{11be0}\\x{11f02}\\x{11f04}-\\x{11f10}\\x{11f12}-\\x{11f33}\\x{1342f}"
           "\\x{13441}-\\x{13446}\\x{13460}-\\x{143fa}\\x{16100}-\\x{1611d}\\x{16d43}-\\x{16d6a}\\x{18cff}"
           "\\x{1b132}\\x{1b155}\\x{1e4d0}-\\x{1e4ea}\\x{1e5d0}-\\x{1e5ed}\\x{1e5f0}\\x{2b739}"
           "\\x{2ebf0}-\\x{2ee5d}\\x{31350}-\\x{323af}"},
    {"Mn", "\\x{897}\\x{ece}\\x{10d69}-\\x{10d6d}\\x{10efc}-\\x{10eff}\\x{11241}\\x{113bb}-\\x{113c0}\\x{113ce}"
           "\\x{113d0}\\x{113d2}\\x{113e1}-\\x{113e2}\\x{11f00}-\\x{11f01}\\x{11f36}-\\x{11f3a}\\x{11f40}"
           "\\x{11f42}\\x{11f5a}\\x{13440}\\x{13447}-\\x{13455}\\x{1611e}-\\x{16129}\\x{1612d}-\\x{1612f}"
           "\\x{1e08f}\\x{1e4ec}-\\x{1e4ef}\\x{1e5ee}-\\x{1e5ef}"},
    {"Mc", "\\x{cf3}\\x{113b8}-\\x{113ba}\\x{113c2}\\x{113c5}\\x{113c7}-\\x{113ca}\\x{113cc}-\\x{113cd}"
           "\\x{113cf}\\x{11f03}\\x{11f34}-\\x{11f35}\\x{11f3e}-\\x{11f3f}\\x{11f41}\\x{1612a}-\\x{1612c}"},
    {"Nd", "\\x{10d40}-\\x{10d49}\\x{116d0}-\\x{116e3}\\x{11bf0}-\\x{11bf9}\\x{11f50}-\\x{11f59}"
           "\\x{16130}-\\x{16139}\\x{16d70}-\\x{16d79}\\x{1ccf0}-\\x{1ccf9}\\x{1e4f0}-\\x{1e4f9}"
           "\\x{1e5f1}-\\x{1e5fa}"},
    {"No", "\\x{1d2c0}-\\x{1d2d3}"},
    {"Pd", "\\x{10d6e}"},
    {"Po", "\\x{1b4e}-\\x{1b4f}\\x{1b7f}\\x{113d4}-\\x{113d5}\\x{113d7}-\\x{113d8}\\x{11b00}-\\x{11b09}"
           "\\x{11be1}\\x{11f43}-\\x{11f4f}\\x{16d6d}-\\x{16d6f}\\x{1e5ff}"},
    {"Sm", "\\x{10d8e}-\\x{10d8f}"},
    {"So", "\\x{2427}-\\x{2429}\\x{2ffc}-\\x{2fff}\\x{31e4}-\\x{31e5}\\x{31ef}\\x{1cc00}-\\x{1ccef}"
           "\\x{1cd00}-\\x{1ceb3}\\x{1f6dc}\\x{1f774}-\\x{1f776}\\x{1f77b}-\\x{1f77f}\\x{1f7d9}"
           "\\x{1f8b2}-\\x{1f8bb}\\x{1f8c0}-\\x{1f8c1}\\x{1fa75}-\\x{1fa77}\\x{1fa87}-\\x{1fa89}\\x{1fa8f}"
           "\\x{1faad}-\\x{1faaf}\\x{1fabb}-\\x{1fabf}\\x{1fac6}\\x{1face}-\\x{1facf}\\x{1fada}-\\x{1fadc}"
           "\\x{1fadf}\\x{1fae8}-\\x{1fae9}\\x{1faf7}-\\x{1faf8}\\x{1fbcb}-\\x{1fbef}"},
};

static pcre2_code *compile(const char *s, size_t n, int *why) {
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) die("memory");
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    size_t at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)s, n, PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, why, &at, context);
    pcre2_compile_context_free(context);
    return code;
}

/* \p{Han} is the characters of that script; to PCRE2 also those that other scripts share with it. */
static bool is_script(const char *name, size_t n) {
    if (n < 3 || !isalpha((unsigned char)*name)) return false;
    struct buf regex = {0};
    buf_printf(&regex, "\\p{sc:%.*s}", (int)n, name);
    int why;
    pcre2_code *code = compile(regex.s, regex.len, &why);
    buf_free(&regex);
    pcre2_code_free(code);
    return code != NULL;
}

/* What PCRE2 may lack of a category or group of categories. */
static void add_younger(struct buf *out, const char *name, size_t n) {
    for (size_t i = 0; n <= 2 && i < sizeof younger / sizeof *younger; i++)
        if (memcmp(younger[i].category, name, n) == 0) buf_str(out, younger[i].members);
}

/* \p{…} or \P{…}, at the p. */
static void read_property(struct reader *r, bool in_class) {
    const char *name = r->p + 2, *close = memchr(name, '}', (size_t)(r->end - name));
    if (!close) {
        r->error = "a property without end";
        return;
    }
    size_t n = (size_t)(close - name);
    bool negated = *r->p == 'P';
    if (!in_class) buf_str(&r->out, negated ? "[^" : "[");
    buf_printf(&r->out, negated && in_class ? "\\P{%s" : "\\p{%s", is_script(name, n) ? "sc:" : "");
    buf_add(&r->out, name, n + 1);
    if (!negated || !in_class) add_younger(&r->out, name, n);
    if (!in_class) buf_char(&r->out, ']');
    r->p = close + 1;
}

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
    if (r->end - r->p > 2 && (*r->p == 'p' || *r->p == 'P') && r->p[1] == '{') {
        read_property(r, in_class);
        return;
    }
    buf_char(&r->out, '\\');
    buf_char(&r->out, *r->p++);
}

/* [:name:] at p, within a class. */
static void read_posix(struct reader *r) {
    const char *name = r->p + 2, *close = memmem(name, (size_t)(r->end - name), ":]", 2);
    for (size_t i = 0; close && i < sizeof posix / sizeof *posix; i++) {
        size_t n = strlen(posix[i].name);
        if (n != (size_t)(close - name) || memcmp(posix[i].name, name, n) != 0) continue;
        buf_str(&r->out, posix[i].in_class);
        r->p = close + 2;
        return;
    }
    r->error = "a POSIX class that is not known here";
}

/* The members of a class up to its bracket, or to the && of an intersection. */
static void read_members(struct reader *r) {
    bool first = true;
    for (; r->p < r->end && !r->error; first = false) {
        if (*r->p == ']' && !first) return;
        if (r->end - r->p >= 2 && r->p[0] == '&' && r->p[1] == '&') return;
        if (*r->p == '[' && r->end - r->p > 1 && r->p[1] == ':') {
            read_posix(r);
        } else if (*r->p == '[') {
            r->error = "a class within a class";
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
    if (r->after_group) {
        r->error = "a repeated interval of a group";
        return;
    }
    static const char open[] = "(?:";
    size_t n = strlen(open);
    buf_room(&r->out, n);
    memmove(r->out.s + r->atom + n, r->out.s + r->atom, r->out.len - r->atom);
    memcpy(r->out.s + r->atom, open, n);
    r->out.len += n;
    buf_str(&r->out, ")+");
    r->p++;
}

static void read_regex(struct reader *r) {
    while (r->p < r->end && !r->error) {
        if (*r->p == '{') {
            read_braces(r);
            continue;
        }
        if ((*r->p & 0xC0) != 0x80) r->atom = r->out.len; /* a character is an atom, all of its bytes */
        r->after_group = *r->p == ')';
        if (*r->p == '\\') {
            r->p++;
            read_escape(r, false);
        } else if (*r->p == '[') {
            r->p++;
            read_class(r);
        } else {
            buf_char(&r->out, *r->p++);
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
        int why;
        pcre2_code *compiled = compile(r.out.len ? r.out.s : "", r.out.len, &why);
        if (!compiled) {
            pcre2_get_error_message(why, (PCRE2_UCHAR *)error, PATTERN_ERROR);
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
