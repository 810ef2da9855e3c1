#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "die.h"

static struct {
    bool asked, wanted, shown;
    double start, last;
} state;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool wanted(void) {
    if (!state.asked) {
        const char *term = getenv("TERM");
        state.asked = true;
        state.wanted = !die_is_quiet() && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
        state.start = state.last = now();
    }
    return state.wanted;
}

void progress_show(const char *what, long long bytes, long long total) {
    if (!wanted()) return;
    double t = now();
    if (t - state.start < 1 || t - state.last < 0.25) return;
    state.last = t;
    state.shown = true;
    if (total > 0)
        fprintf(stderr, "\r%s: %s: %.0f %% of %.0f MB ", die_tool(), what, 100.0 * (double)bytes / (double)total,
                (double)total / 1e6);
    else
        fprintf(stderr, "\r%s: %s: %.0f MB ", die_tool(), what, (double)bytes / 1e6);
}

void progress_clear(void) {
    if (state.shown) fputs("\r\033[K", stderr);
    state.shown = false;
}
