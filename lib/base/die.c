#include "die.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5, MAX_KINDS = 32 };

static struct {
    const char *tool;
    bool quiet, verbose;
    struct {
        const char *kind;
        unsigned long long n;
    } kinds[MAX_KINDS];
} state = {.tool = "steadytools"};

void die_init(const char *tool) { state.tool = tool; }

void die_verbosity(bool quiet, bool verbose) {
    state.quiet = quiet;
    state.verbose = verbose;
}

const char *die_tool(void) { return state.tool; }

bool die_is_quiet(void) { return state.quiet; }

static size_t vput(char *text, size_t n, size_t cap, const char *fmt, va_list ap) {
    int w = vsnprintf(text + n, cap - n, fmt, ap);
    return w < 0 ? n : (size_t)w >= cap - n ? cap - 1 : n + (size_t)w;
}

static size_t put(char *text, size_t n, size_t cap, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    n = vput(text, n, cap, fmt, ap);
    va_end(ap);
    return n;
}

/* A name of a file or an option is somebody's text, and is to be read, not obeyed by a terminal. */
static void disarm(char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) text[i] = '?';
}

/* One write per message, so that lines of the stages of a pipeline do not mix. */
static void say(const char *file, long long line, const char *fmt, va_list ap, const char *tail) {
    char text[1024];
    size_t n = 0, cap = sizeof text - 1; /* a byte is kept for the newline */
    n = put(text, n, cap, "%s: ", state.tool);
    if (file && line > 0)
        n = put(text, n, cap, "%s:%lld: ", file, line);
    else if (file)
        n = put(text, n, cap, "%s: ", file);
    n = vput(text, n, cap, fmt, ap);
    if (tail) n = put(text, n, cap, ": %s", tail);
    disarm(text, n);
    text[n++] = '\n';
    fwrite(text, 1, n, stderr);
}

void die(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say(NULL, 0, fmt, ap, NULL);
    va_end(ap);
    exit(DIE_STATUS);
}

void die_errno(const char *fmt, ...) {
    const char *why = strerror(errno);
    va_list ap;
    va_start(ap, fmt);
    say(NULL, 0, fmt, ap, why);
    va_end(ap);
    exit(DIE_STATUS);
}

void die_at(const char *file, long long line, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say(file, line, fmt, ap, NULL);
    va_end(ap);
    exit(DIE_STATUS);
}

void warn(const char *fmt, ...) {
    if (state.quiet) return;
    va_list ap;
    va_start(ap, fmt);
    say(NULL, 0, fmt, ap, NULL);
    va_end(ap);
}

void note(const char *fmt, ...) {
    if (!state.verbose) return;
    va_list ap;
    va_start(ap, fmt);
    say(NULL, 0, fmt, ap, NULL);
    va_end(ap);
}

void warn_at(const char *kind, const char *file, long long line, const char *fmt, ...) {
    size_t i = 0;
    while (i < MAX_KINDS - 1 && state.kinds[i].kind && strcmp(state.kinds[i].kind, kind) != 0)
        i++;
    if (!state.kinds[i].kind) state.kinds[i].kind = kind;
    if (++state.kinds[i].n > SHOWN || state.quiet) return;
    va_list ap;
    va_start(ap, fmt);
    say(file, line, fmt, ap, NULL);
    va_end(ap);
}

void warn_summary(void) {
    for (size_t i = 0; i < MAX_KINDS && state.kinds[i].kind; i++)
        if (state.kinds[i].n > SHOWN) warn("%llu more: %s", state.kinds[i].n - SHOWN, state.kinds[i].kind);
}
