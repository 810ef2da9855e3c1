/* tokens_check: counts of texts, and the splitters by hand against the regular expressions they stand for.
 *
 *     tokens_check count TOKENIZER       a JSON string a line in, its number of tokens a line out
 *     tokens_check threads TOKENIZER     the same with two handles in turn
 *     tokens_check raw TOKENIZER         the same, but any bytes a line in
 *     tokens_check time TOKENIZER        the same, and on stderr the bytes and seconds of counting alone
 *     tokens_check split                 a JSON string a line in; every splitter must cut it as its regex does
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "die.h"
#include "jstring.h"
#include "jtok.h"
#include "pattern.h"
#include "splitter.h"
#include "tokens.h"
#include "uclass.h"

/* The next line, or the string it is, decoded; false at the end. */
static bool next_text(struct buf *text, bool raw) {
    static char *line;
    static size_t cap;
    static long long number;
    ssize_t n = getline(&line, &cap, stdin);
    number++;
    buf_clear(text);
    if (n < 0) {
        free(line);
        line = NULL;
        return false;
    }
    if (raw) {
        buf_add(text, line, (size_t)n);
        return true;
    }
    struct jtok j;
    jtok_init(&j, line, (size_t)n);
    if (jtok_next(&j) != JTOK_STRING) die_at("stdin", number, "not a JSON string");
    char *to = buf_room(text, j.n);
    text->len = jstring_unescape(to, j.s, j.n);
    return true;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count(const char *file, bool raw, bool two, bool timed) {
    struct tokens *t[2] = {tokens_open(file), NULL};
    if (two) t[1] = tokens_share(t[0]);
    struct buf text = {0};
    double spent = 0, bytes = 0;
    for (long long i = 0; next_text(&text, raw); i++) {
        double start = seconds();
        long long n = tokens_count(t[two && i % 2], text.s, text.len);
        spent += seconds() - start;
        bytes += (double)text.len;
        printf("%lld\n", n);
    }
    if (timed) fprintf(stderr, "%.0f bytes, %.6f s, %.1f MB/s\n", bytes, spent, bytes / spent / 1e6);
    buf_free(&text);
    tokens_free(t[0]);
    tokens_free(t[1]);
}

static void compare(const struct uclass *u, struct pattern_match *m, const char *regex, const struct pattern *p,
                    const struct buf *text, long long number) {
    splitter *by_hand = splitter_of((struct view){regex, strlen(regex)});
    size_t at = 0, start, end;
    for (;;) {
        const char *from, *to;
        bool a = pattern_find(p, m, text->s, text->len, at, &start, &end);
        bool b = by_hand(u, text->s + at, text->s + text->len, &from, &to);
        if (a != b || (a && (from != text->s + start || to != text->s + end)))
            die_at("stdin", number, "byte %zu: cut otherwise than by %s", at, regex);
        if (!a) return;
        at = end;
    }
}

static void split(void) {
    enum { MOST = 16 };
    struct pattern *p[MOST];
    struct pattern_match *m = pattern_match_new();
    struct uclass *u = uclass_new();
    struct buf text = {0};
    size_t n = 0;
    for (char error[PATTERN_ERROR]; n < MOST && splitter_regex(n); n++)
        if (!(p[n] = pattern_new((struct view){splitter_regex(n), strlen(splitter_regex(n))}, error))) die("%s", error);
    long long number = 0;
    while (next_text(&text, false)) {
        number++;
        buf_room(&text, 1);
        for (size_t i = 0; i < n; i++)
            compare(u, m, splitter_regex(i), p[i], &text, number);
    }
    printf("%lld texts, %zu splitters, no difference\n", number, n);
    for (size_t i = 0; i < n; i++)
        pattern_free(p[i]);
    pattern_match_free(m);
    uclass_free(u);
    buf_free(&text);
}

int main(int argc, char **argv) {
    die_init("tokens_check");
    const char *what = argc > 1 ? argv[1] : "";
    bool raw = strcmp(what, "raw") == 0, two = strcmp(what, "threads") == 0, timed = strcmp(what, "time") == 0;
    if (argc == 3 && (raw || two || timed || strcmp(what, "count") == 0))
        count(argv[2], raw, two, timed);
    else if (argc == 2 && strcmp(what, "split") == 0)
        split();
    else
        die("tokens_check count|threads|raw|time TOKENIZER, or split");
    return 0;
}
