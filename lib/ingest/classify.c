#include "classify.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "die.h"
#include "doc.h"
#include "jqmap.h"
#include "num.h"

#define MESSAGE_MAX 200 /* bytes of a message in which words are looked for */
#define CODE_REACH 3 /* characters between a keyword and its code */

struct classify {
    char *name; /* of the jq file, NULL for the native rule */
    struct jqmap *rule;
    struct buf question;
};

struct classify *classify_new(const char *jq_file) {
    struct classify *c = xcalloc(1, sizeof *c);
    if (jq_file) {
        c->name = xstrdup(jq_file);
        c->rule = jqmap_open(jq_file, "");
    }
    return c;
}

void classify_free(struct classify *c) {
    if (!c) return;
    jqmap_free(c->rule);
    buf_free(&c->question);
    free(c->name);
    free(c);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The 4xx or 5xx at s[i..], not part of a longer word or number ("500ms", "4096", "500.5"); 0 = none. */
static int code_at(struct view s, size_t i) {
    const char *p = s.s + i;
    if (s.n < i + 3 || (p[0] != '4' && p[0] != '5') || !is_digit(p[1]) || !is_digit(p[2])) return 0;
    if (s.n > i + 3 && (is_alnum(p[3]) || p[3] == '_' || (p[3] == '.' && s.n > i + 4 && is_digit(p[4])))) return 0;
    return 100 * (p[0] - '0') + 10 * (p[1] - '0') + (p[2] - '0');
}

static bool has_at(struct view s, size_t i, const char *word) {
    size_t n = strlen(word);
    return s.n - i >= n && strncasecmp(s.s + i, word, n) == 0;
}

/* The end of a keyword at s[i..], with the version of HTTP/x.y taken in; 0 = none. */
static size_t keyword_end(struct view s, size_t i) {
    static const char *const keyword[] = {"http", "status", "code", "error"};
    for (size_t k = 0; k < sizeof keyword / sizeof *keyword; k++) {
        if (!has_at(s, i, keyword[k])) continue;
        size_t end = i + strlen(keyword[k]);
        bool version = k == 0 && s.n >= end + 4 && s.s[end] == '/' && is_digit(s.s[end + 1]) && s.s[end + 2] == '.' &&
                       is_digit(s.s[end + 3]);
        return version ? end + 4 : end;
    }
    return 0;
}

/* The code that follows a keyword ending at s[end]: there, or after a character that belongs to no word. */
static int code_after(struct view s, size_t end) {
    int code = code_at(s, end);
    size_t i = end;
    for (int gap = 0; code == 0 && gap < CODE_REACH && i < s.n; gap++) {
        do
            i++;
        while (i < s.n && ((unsigned char)s.s[i] & 0xC0) == 0x80); /* the rest of a UTF-8 character */
        if (!is_alnum(s.s[i - 1])) code = code_at(s, i);
    }
    return code;
}

static int code_in(struct view s) {
    int code = code_at(s, 0);
    for (size_t i = 0; code == 0 && i < s.n; i++) {
        size_t end = keyword_end(s, i);
        if (end > 0) code = code_after(s, end);
    }
    return code;
}

static enum outcome of_code(int64_t code) {
    switch (code) {
    case 429:
    case 503:
    case 529: return OUT_REJECTED;
    case 499: return OUT_CANCELLED;
    case 408: return OUT_TIMEOUT;
    default: return OUT_ERROR;
    }
}

/* The outcome named by a word in text, OUT_ERROR if none does. */
static enum outcome of_words(struct view text) {
    static const struct {
        const char *word;
        enum outcome outcome;
    } words[] = {
        {"cancel", OUT_CANCELLED},         {"clientabort", OUT_CANCELLED},    {"timeout", OUT_TIMEOUT},
        {"timedout", OUT_TIMEOUT},         {"deadlineexceeded", OUT_TIMEOUT}, {"ratelimit", OUT_REJECTED},
        {"toomanyrequests", OUT_REJECTED}, {"overload", OUT_REJECTED},        {"serviceunavailable", OUT_REJECTED},
        {"queuefull", OUT_REJECTED},       {"queueisfull", OUT_REJECTED}};
    char bare[MESSAGE_MAX + 1];
    size_t n = 0;
    for (size_t i = 0; i < text.n && i < MESSAGE_MAX; i++)
        if (!strchr(" _-", text.s[i])) /* a NUL is left out, too */
            bare[n++] = text.s[i] >= 'A' && text.s[i] <= 'Z' ? (char)(text.s[i] + 'a' - 'A') : text.s[i];
    bare[n] = '\0';
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strstr(bare, words[w].word)) return words[w].outcome;
    return OUT_ERROR;
}

static enum outcome of_rule(struct view type, struct view message, int64_t code) {
    if (!int_known(code) || code < 400 || code > 599) code = code_in(type);
    if (code == 0) code = code_in(message);
    if (code != 0) return of_code(code);
    enum outcome outcome = of_words(type);
    return outcome != OUT_ERROR ? outcome : of_words(message);
}

static void ask_text(struct buf *q, const char *key, struct view text) {
    buf_str(q, key);
    doc_dump_string(q, text.s, text.n);
}

static enum outcome of_program(struct classify *c, struct view type, struct view message, int64_t code) {
    struct buf *q = &c->question;
    buf_clear(q);
    ask_text(q, "{\"type\":", type);
    ask_text(q, ",\"message\":", message);
    buf_str(q, ",\"code\":");
    if (int_known(code))
        buf_printf(q, "%lld}", (long long)code);
    else
        buf_str(q, "null}");
    size_t at;
    struct view answer;
    if (!jqmap_start(c->rule, q->s, q->len, &at) && jqmap_next(c->rule, &answer) == JQMAP_VALUE && answer.n >= 2)
        for (int o = OUT_COMPLETED + 1; o < N_OUTCOMES; o++)
            if (answer.n - 2 == strlen(outcome_name[o]) && memcmp(answer.s + 1, outcome_name[o], answer.n - 2) == 0)
                return (enum outcome)o;
    die("%s: the program answered an error with something else than the name of an outcome", c->name);
}

enum outcome classify_error(struct classify *c, struct view type, struct view message, int64_t code) {
    return c->rule ? of_program(c, type, message, code) : of_rule(type, message, code);
}

size_t classify_type_name(char dst[CLASSIFY_TYPE_MAX], struct view type) {
    size_t n = 0;
    for (size_t i = 0; i < type.n && n < CLASSIFY_TYPE_MAX; i++)
        if (type.s[i] > ' ' && type.s[i] <= '~') dst[n++] = type.s[i];
    return n;
}
