#include "splitter.h"

#include <string.h>

/* ---- What the expressions share ---- */

/* From p over characters that are of a class in the set. */
static inline const char *over(const struct uclass *u, const char *p, const char *end, unsigned set) {
    for (const char *next; p < end && uclass_at(u, p, &next) & set; p = next)
        ;
    return p;
}

static inline const char *over_others(const struct uclass *u, const char *p, const char *end, unsigned set) {
    for (const char *next; p < end && !(uclass_at(u, p, &next) & set); p = next)
        ;
    return p;
}

static inline const char *over_bytes(const char *p, const char *end, char a, char b, char c) {
    while (p < end && (*p == a || *p == b || *p == c))
        p++;
    return p;
}

/* 's|'t|'re|'ve|'m|'ll|'d at an apostrophe: its end, or p.  Any case: U+017F is an s. */
static inline const char *contraction(const char *p, const char *end, bool any_case) {
    size_t n = (size_t)(end - p);
    if (n < 2) return p;
    char fold = any_case ? 0x20 : 0, a = (char)(p[1] | fold), b = n < 3 ? '\0' : (char)(p[2] | fold);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return p + 2;
    if (any_case && n >= 3 && p[1] == '\xC5' && p[2] == '\xBF') return p + 3;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l')) return p + 3;
    return p;
}

/* \s+(?!\S)|\s+ at a space; by lines \s*[\r\n]+ goes before. */
static inline const char *spaces(const struct uclass *u, const char *p, const char *end, bool by_lines) {
    const char *line = NULL, *last = p, *q = p;
    for (const char *next; q < end && uclass_at(u, q, &next) & UC_SPACE; q = next) {
        last = q;
        if (*q == '\n' || *q == '\r') line = next;
    }
    if (by_lines && line) return line;
    return q < end && last > p ? last : q;
}

static inline bool is_break(char c) { return c == '\r' || c == '\n'; }

/* \p{N}{1,most} at a number. */
static inline const char *numbers(const struct uclass *u, const char *p, const char *end, int most) {
    for (const char *next; most-- > 0 && p < end && uclass_at(u, p, &next) & UC_NUMBER; p = next)
        ;
    return p;
}

enum { NO_SIGN = UC_SPACE | UC_LETTER | UC_NUMBER };

/*  ?[^\s\p{L}\p{N}]+ at p: its end, or p. */
static inline const char *signs(const struct uclass *u, const char *p, const char *end) {
    const char *q = *p == ' ' ? p + 1 : p, *to = over_others(u, q, end, NO_SIGN);
    return to > q ? to : p;
}

/* ---- GPT-2 ---- */

static bool gpt2(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    if (p == end) return false;
    *from = p;
    if (*p == '\'' && (*to = contraction(p, end, false)) > p) return true;
    const char *q = *p == ' ' && p + 1 < end ? p + 1 : p, *next;
    unsigned class = uclass_at(u, q, &next);
    if (class & UC_LETTER)
        *to = over(u, next, end, UC_LETTER);
    else if (class & UC_NUMBER)
        *to = over(u, next, end, UC_NUMBER);
    else if (class & UC_SPACE)
        *to = spaces(u, p, end, false);
    else
        *to = over_others(u, next, end, NO_SIGN);
    return true;
}

/* ---- cl100k, Llama 3, Qwen 2 ---- */

static inline bool cl100k_of(const struct uclass *u, const char *p, const char *end, const char **from, const char **to,
                             int digits) {
    if (p == end) return false;
    *from = p;
    if (*p == '\'' && (*to = contraction(p, end, true)) > p) return true;
    const char *next;
    unsigned class = uclass_at(u, p, &next);
    if (class & UC_NUMBER) {
        *to = numbers(u, p, end, digits);
        return true;
    }
    /* [^\r\n\p{L}\p{N}]?\p{L}+ */
    *to = is_break(*p) ? p : over(u, next, end, UC_LETTER);
    if (class & UC_LETTER || *to > next) return true;
    *to = signs(u, p, end);
    if (*to > p)
        *to = over_bytes(*to, end, '\r', '\n', '\n');
    else
        *to = spaces(u, p, end, true);
    return true;
}

static bool cl100k(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    return cl100k_of(u, p, end, from, to, 3);
}

static bool qwen2(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    return cl100k_of(u, p, end, from, to, 1);
}

/* ---- o200k ---- */

enum { HEAD = UC_UPPER | UC_OTHER | UC_MARK, TAIL = UC_LOWER | UC_OTHER | UC_MARK };

/* [HEAD]*[TAIL]+ at p: its end, or p. */
static inline const char *word_with_tail(const struct uclass *u, const char *p, const char *end) {
    const char *both = NULL, *q = p; /* behind the last character of the head that a tail may have too */
    for (const char *next; q < end; q = next) {
        unsigned class = uclass_at(u, q, &next);
        if (!(class & HEAD)) break;
        if (class & TAIL) both = next;
    }
    const char *to = over(u, q, end, TAIL);
    return to > q ? to : both ? both : p;
}

/* [HEAD]+[TAIL]* at p: its end, or p. */
static inline const char *word_with_head(const struct uclass *u, const char *p, const char *end) {
    const char *q = over(u, p, end, HEAD);
    return q > p ? over(u, q, end, TAIL) : p;
}

static bool o200k(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    if (p == end) return false;
    *from = p;
    const char *next;
    unsigned class = uclass_at(u, p, &next);
    bool sign_first = !is_break(*p) && !(class & (UC_LETTER | UC_NUMBER)); /* [^\r\n\p{L}\p{N}] */
    bool word_first = class & (UC_LETTER | UC_MARK);
    const char *q = p;
    if (sign_first && (q = word_with_tail(u, next, end)) == next) q = p;
    if (q == p && word_first) q = word_with_tail(u, p, end);
    if (q == p && sign_first && (q = word_with_head(u, next, end)) == next) q = p;
    if (q == p && word_first) q = word_with_head(u, p, end);
    if (q > p) {
        *to = q < end && *q == '\'' ? contraction(q, end, true) : q;
        return true;
    }
    if (class & UC_NUMBER) {
        *to = numbers(u, p, end, 3);
        return true;
    }
    *to = signs(u, p, end);
    if (*to > p)
        *to = over_bytes(*to, end, '\r', '\n', '/');
    else
        *to = spaces(u, p, end, true);
    return true;
}

/* ---- DeepSeek V3: three expressions, each on the pieces of the last ---- */

static bool three_numbers(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    p = over_others(u, p, end, UC_NUMBER);
    if (p == end) return false;
    *from = p;
    *to = numbers(u, p, end, 3);
    return true;
}

/* Characters of three bytes, of which the first is E3 to E9. */
static inline bool is_cjk(const char *p) {
    const char *next;
    if ((unsigned char)*p - 0xE3u > 0xE9u - 0xE3u) return false;
    uint32_t c = utf8_at(p, &next);
    return (c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x309F) || (c >= 0x30A0 && c <= 0x30FF);
}

static bool cjk(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    (void)u;
    while (p < end && !is_cjk(p))
        p++;
    if (p == end) return false;
    *from = p;
    while (p < end && is_cjk(p))
        p += 3;
    *to = p;
    return true;
}

static inline bool is_ascii_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }

/* The match at p, NULL if there is none. */
static inline const char *deepseek_at(const struct uclass *u, const char *p, const char *end) {
    const char *next, *to;
    unsigned class = uclass_at(u, p, &next);
    /* an ASCII sign and ASCII letters */
    if ((unsigned char)*p < 0x80 && class & (UC_PUNCT | UC_SYMBOL) && next < end && is_ascii_letter(*next)) {
        for (to = next; to < end && is_ascii_letter(*to);)
            to++;
        return to;
    }
    /* [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+ */
    if (class & UC_LETTER) return over(u, next, end, UC_LETTER | UC_MARK);
    if (!(class & (UC_PUNCT | UC_SYMBOL)) && !is_break(*p)) {
        to = over(u, next, end, UC_LETTER | UC_MARK);
        if (to > next || class & UC_MARK) return to;
    }
    /*  ?[\p{P}\p{S}]+[\r\n]* */
    const char *q = *p == ' ' ? next : p;
    to = over(u, q, end, UC_PUNCT | UC_SYMBOL);
    if (to > q) return over_bytes(to, end, '\r', '\n', '\n');
    return class & UC_SPACE ? spaces(u, p, end, true) : NULL;
}

static bool deepseek(const struct uclass *u, const char *p, const char *end, const char **from, const char **to) {
    while (p < end && !(*to = deepseek_at(u, p, end)))
        utf8_at(p, &p);
    *from = p;
    return p < end;
}

/* ---- All of them ---- */

const char splitter_gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const char splitter_cl100k[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
                               " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const char splitter_qwen2[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
                              " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const char splitter_o200k[] = "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
                              "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
                              "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
                              "*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
                              "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
static const char deepseek_regex[] =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
    " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

static const struct {
    const char *regex;
    splitter *by_hand;
} known[] = {
    {splitter_gpt2, gpt2},      {splitter_cl100k, cl100k},      {splitter_qwen2, qwen2},
    {splitter_o200k, o200k},    {"\\p{N}{1,3}", three_numbers}, {"[一-龥\u3040-ゟ゠-ヿ]+", cjk},
    {deepseek_regex, deepseek},
};

splitter *splitter_of(struct view regex) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].regex) == regex.n && memcmp(known[i].regex, regex.s, regex.n) == 0) return known[i].by_hand;
    return NULL;
}

const char *splitter_regex(size_t i) { return i < sizeof known / sizeof *known ? known[i].regex : NULL; }
