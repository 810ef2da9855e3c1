#include "plot_frontier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phrase.h"
#include "pick.h"

enum { MOST_LABELS = 24 };

struct spot {
    double user, system;
    const char *name;
    bool best;
};

static int by_user(const void *a, const void *b) {
    const struct spot *x = a, *y = b;
    return x->user < y->user ? 1 : x->user > y->user ? -1 : (x->system < y->system) - (x->system > y->system);
}

struct plot *plot_frontier(struct page *p, const struct runs *runs) {
    VEC(struct spot) spot = {0};
    double top = -INFINITY;
    size_t n_best = 0;
    for (size_t i = 0; i < runs->list.n; i++) {
        const struct run *run = &runs->list.v[i];
        if (!run->steady || !phrase_certified(doc_text_at(run->steady, "verdict"))) continue;
        struct spot s = {pick_real(run->steady, "tps.per_user.value"), pick_real(run->steady, "tps.system.value"),
                         page_safe(p, run->name, strlen(run->name)), false};
        if (!isnan(s.user) && !isnan(s.system)) vec_push(&spot, s);
    }
    if (spot.n < 2) {
        vec_free(&spot);
        return NULL;
    }
    qsort(spot.v, spot.n, sizeof *spot.v, by_user);
    struct plot *plot = plot_new("frontier", PLOT_FULL);
    struct plot_panel *panel = plot_panel(plot, "system, tokens/s");
    struct plot_line *line = plot_line(panel, "frontier", LINE_PLAIN, INK_1);
    for (size_t i = 0; i < spot.n; i++) {
        spot.v[i].best = spot.v[i].system > top;
        if (!spot.v[i].best) continue;
        top = spot.v[i].system;
        n_best++;
        plot_at(line, spot.v[i].user, spot.v[i].system, NULL);
    }
    for (int best = 1; best >= 0; best--) {
        if (!best && n_best == spot.n) break; /* the key would name what is not there */
        line = plot_line(panel, best ? "run" : "run that another beats in both", DOTS, best ? INK_1 : INK_AXIS);
        for (size_t i = 0; i < spot.n; i++)
            if (spot.v[i].best == best)
                plot_at(line, spot.v[i].user, spot.v[i].system, spot.n <= MOST_LABELS ? spot.v[i].name : NULL);
    }
    plot_fit_x(plot, true);
    plot_fit_y(panel, true);
    plot->x_label = "per user, tokens/s";
    plot->title = "Throughput against interactivity: certified steady windows.";
    plot->alt = page_text(p,
                          "System tokens per second against tokens per second and user of %zu certified runs; %zu of "
                          "them lie on the frontier.",
                          spot.n, n_best);
    vec_free(&spot);
    return plot;
}
