#include "opts.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "num.h"
#include "out.h"

#ifndef VERSION
#define VERSION "0.0.0"
#endif

enum { LIST_OPTIONS = 256, FIRST_LONG }; /* beyond every letter */

#define AT(m) offsetof(struct common, m)
static const struct opt common_opt[] = {
    {'o', "output", "tsv|ndjson", OPT_CHOICE, AT(output),
     "spelling to write (default: as read; ev2ledger, ledger2passes: tsv)", "|tsv|ndjson", 0, 0},
    {'H', "no-header", NULL, OPT_FLAG, AT(no_header), "leave out the lines that begin with '#'", NULL, 0, 0},
    {'q', "quiet", NULL, OPT_FLAG, AT(quiet), "no warnings, no progress", NULL, 0, 0},
    {'v', "verbose", NULL, OPT_FLAG, AT(verbose), "say what was decided and why, on stderr", NULL, 0, 0},
    {'e', "exit-status", NULL, OPT_FLAG, AT(exit_status), NULL, NULL, 0, 0},
    {'t', "threads", "N", OPT_INT, AT(threads), "threads to use at most (default: one per processor)", NULL, 1, 1024},
};
#undef AT
enum { N_COMMON = sizeof common_opt / sizeof *common_opt };

static size_t count(const struct tool *t) { return t->n + N_COMMON; }
static const struct opt *nth(const struct tool *t, size_t i) { return i < t->n ? &t->opt[i] : &common_opt[i - t->n]; }

static const char *help_text(const struct tool *t, const struct opt *o) {
    if (o->help) return o->help;
    return t->exit_1 ? t->exit_1 : "accepted; this tool has no verdict";
}

static void help(const struct tool *t) {
    out_printf("usage: %s [options] %s\n%s\n\n", t->name, t->operands, t->what);
    for (size_t i = 0; i < count(t); i++) {
        const struct opt *o = nth(t, i);
        char left[64];
        int n = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                          : snprintf(left, sizeof left, "    --%s", o->name);
        if (o->arg) snprintf(left + n, sizeof left - (size_t)n, " %s", o->arg);
        if (strlen(left) > 28)
            out_printf("  %s\n  %28s  %s\n", left, "", help_text(t, o));
        else
            out_printf("  %-28s  %s\n", left, help_text(t, o));
    }
    out_printf("  %-28s  %s\n  %-28s  %s\n", "-h, --help", "this text", "-V, --version", "name and version");
    out_printf(
        "\nexample:\n  %s\n\nstatus: 0 done, 1 the verdict is no (with -e only), 2 usage, input or output error\n",
        t->example);
}

/* letter, name, argument, help: for completions and for the check of the man pages */
static void list(const struct tool *t) {
    for (size_t i = 0; i < count(t); i++) {
        const struct opt *o = nth(t, i);
        char letter[2] = {o->letter, '\0'};
        out_printf("%s\t%s\t%s\t%s\n", letter, o->name, o->arg ? o->arg : "", help_text(t, o));
    }
    out_str("h\thelp\t\tthis text\nV\tversion\t\tname and version\n");
}

static _Noreturn void usage(const struct tool *t) {
    fprintf(stderr, "usage: %s [options] %s\ntry '%s --help'\n", t->name, t->operands, t->name);
    exit(DIE_STATUS);
}

/* Index of text among "a|b|c", or -1. */
static int choice(const char *choices, const char *text) {
    size_t n = strlen(text);
    for (int i = 0; choices; i++) {
        size_t len = strcspn(choices, "|");
        if (len == n && n > 0 && memcmp(choices, text, n) == 0) return i;
        choices = choices[len] ? choices + len + 1 : NULL;
    }
    return -1;
}

bool opts_real(const char *s, size_t n, double *v) {
    char with_zero[64] = "0";
    if (n == 0 || *s != '.' || n >= sizeof with_zero) return num_real(s, n, v);
    memcpy(with_zero + 1, s, n);
    return num_real(with_zero, n + 1, v);
}

static void set(const struct opt *o, void *options, const char *arg) {
    void *at = (char *)options + o->at;
    if (!arg) arg = ""; /* a flag: getopt sees to it that the others have a value */
    size_t n = strlen(arg);
    bool limited = o->min != 0 || o->max != 0;
    switch (o->type) {
    case OPT_FLAG: *(bool *)at = true; return;
    case OPT_INT: {
        int64_t v;
        if (!num_int(arg, n, &v)) die("--%s: '%s' is not an integer", o->name, arg);
        if (limited && ((double)v < o->min || (double)v > o->max))
            die("--%s: '%s' is not between %.16g and %.16g", o->name, arg, o->min, o->max);
        *(int64_t *)at = v;
        return;
    }
    case OPT_REAL: {
        double v;
        if (!opts_real(arg, n, &v)) die("--%s: '%s' is not a number", o->name, arg);
        if (limited && (v < o->min || v > o->max))
            die("--%s: '%s' is not between %.16g and %.16g", o->name, arg, o->min, o->max);
        *(double *)at = v;
        return;
    }
    case OPT_TEXT: *(const char **)at = arg; return;
    case OPT_CHOICE: {
        int i = choice(o->choices, arg);
        if (i < 0) die("--%s: '%s' is none of %s", o->name, arg, o->choices + (o->choices[0] == '|'));
        *(int *)at = i;
        return;
    }
    case OPT_LIST: {
        struct opt_list *l = at;
        l->v = xrealloc(l->v, l->n + 1, sizeof *l->v);
        l->v[l->n++] = arg;
        return;
    }
    }
}

char **opts_parse(const struct tool *t, void *options, int argc, char **argv) {
    static char *std[] = {"-", NULL};
    die_init(t->name);
    json_set_alloc_funcs(xmalloc,
                         free); /* a document that lacks a member for want of memory would pass for a whole one */
    size_t n = count(t);
    struct option *longs = xcalloc(n + 4, sizeof *longs);
    struct buf letters = {0};
    buf_str(&letters, ":hV");
    for (size_t i = 0; i < n; i++) {
        const struct opt *o = nth(t, i);
        longs[i] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, FIRST_LONG + (int)i};
        if (o->letter) buf_printf(&letters, "%c%s", o->letter, o->arg ? ":" : "");
    }
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    longs[n + 1] = (struct option){"version", no_argument, NULL, 'V'};
    longs[n + 2] = (struct option){"list-options", no_argument, NULL, LIST_OPTIONS};

    opterr = 0;
    int c;
    while ((c = getopt_long(argc, argv, letters.s, longs, NULL)) != -1) {
        if (c == 'h' || c == 'V' || c == LIST_OPTIONS) {
            if (c == LIST_OPTIONS)
                list(t);
            else if (c == 'h')
                help(t);
            else
                out_printf("%s (steadytools) %s\n", t->name, VERSION);
            out_close();
            exit(0);
        }
        const struct opt *o = c >= FIRST_LONG ? nth(t, (size_t)(c - FIRST_LONG)) : NULL;
        for (size_t i = 0; !o && i < n; i++)
            if (nth(t, i)->letter == c) o = nth(t, i);
        if (!o) {
            if (c == ':')
                warn("option '%s' needs a value", argv[optind - 1]);
            else
                warn("unknown option '%s'", argv[optind - 1]);
            usage(t);
        }
        set(o, options, optarg);
    }
    free(longs);
    buf_free(&letters);
    const struct common *common = options;
    die_verbosity(common->quiet, common->verbose);
    if (optind < argc) return argv + optind;
    if (isatty(STDIN_FILENO) && !(t->no_input && t->no_input(options))) usage(t);
    return std;
}

const char *opts_single(char **operand) {
    if (operand[1]) die("one input at a time: '%s' is one too many", operand[1]);
    return operand[0];
}

static bool differs(const struct opt *o, const void *a, const void *b) {
    const char *x = (const char *)a + o->at, *y = (const char *)b + o->at;
    switch (o->type) {
    case OPT_FLAG: return *(const bool *)x != *(const bool *)y;
    case OPT_INT: return *(const int64_t *)x != *(const int64_t *)y;
    case OPT_REAL: return memcmp(x, y, sizeof(double)) != 0;
    case OPT_CHOICE: return *(const int *)x != *(const int *)y;
    case OPT_LIST: return ((const struct opt_list *)x)->n > 0;
    case OPT_TEXT: {
        const char *s = *(const char *const *)x, *d = *(const char *const *)y;
        return s != d && (!s || !d || strcmp(s, d) != 0);
    }
    }
    return false;
}

static json_t *value(const struct opt *o, const void *options) {
    const void *at = (const char *)options + o->at;
    switch (o->type) {
    case OPT_FLAG: return json_boolean(*(const bool *)at);
    case OPT_INT: return json_integer(*(const int64_t *)at);
    case OPT_REAL: return doc_real(*(const double *)at);
    case OPT_TEXT: return json_string(*(const char *const *)at);
    case OPT_CHOICE: {
        const char *s = o->choices;
        for (int i = *(const int *)at; i > 0; i--)
            s += strcspn(s, "|") + 1;
        return json_stringn(s, strcspn(s, "|"));
    }
    case OPT_LIST: {
        json_t *list_value = json_array();
        const struct opt_list *l = at;
        for (size_t i = 0; i < l->n; i++)
            json_array_append_new(list_value, json_string(l->v[i]));
        return list_value;
    }
    }
    return json_null();
}

json_t *opts_provenance(const struct tool *t, const void *options, const void *defaults) {
    json_t *pg = json_object();
    doc_set_text(pg, "name", t->name);
    doc_set_text(pg, "version", VERSION);
    json_t *changed = json_object();
    for (size_t i = 0; i < t->n; i++) /* the common ones change no figure */
        if (differs(&t->opt[i], options, defaults))
            json_object_set_new(changed, t->opt[i].name, value(&t->opt[i], options));
    if (json_object_size(changed) > 0) json_object_set(pg, "options", changed);
    json_decref(changed);
    return pg;
}

enum spelling opts_spelling(const struct common *c, enum spelling read) {
    return c->output != SPELL_AS_READ ? (enum spelling)c->output : read;
}
