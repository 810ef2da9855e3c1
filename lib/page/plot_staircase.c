#include "plot_staircase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "pick.h"

/* What is useful would be all of what is offered on this line. */
static void diagonal(struct plot_panel *panel, double to) {
    struct plot_line *line = plot_line(panel, "offered", LINE_DASHES, INK_AXIS);
    plot_at(line, 0, 0, NULL);
    plot_at(line, to, to, NULL);
}

static struct plot *staircase(void) {
    struct plot *plot = plot_new("staircase", PLOT_FULL);
    plot_panel(plot, "requests/s");
    plot_panel(plot, "accepted, %");
    plot->x_label = "offered, requests/s";
    return plot;
}

static void fit(struct plot *plot) {
    plot_fit_x(plot, true);
    for (size_t i = 0; i < plot->panels.n; i++)
        plot_fit_y(&plot->panels.v[i], true);
    plot->panels.v[1].y1 = 108;
}

static double mean(const json_t *list) {
    double sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_number_value(json_array_get(list, i));
    return sum / (double)json_array_size(list);
}

struct plot *plot_staircase_levels(struct page *p, const json_t *r) {
    static const char *const rate[] = {"goodput_rps", "acceptance"};
    const json_t *levels = doc_at(r, "levels");
    double top = 0, rated = pick_real(r, "rated_rps");
    if (json_array_size(levels) == 0) return NULL;
    struct plot *plot = staircase();
    for (size_t k = 0; k < json_array_size(levels); k++)
        top = fmax(top, mean(doc_at(json_array_get(levels, k), "achieved_rps")));
    diagonal(&plot->panels.v[0], top);
    for (size_t i = 0; i < 2; i++) {
        struct plot_panel *panel = &plot->panels.v[i];
        double scale = i ? 100 : 1;
        struct plot_line *line = plot_line(panel, i ? NULL : "goodput, mean of a level", LINE_PLAIN, INK_1);
        for (size_t k = 0; k < json_array_size(levels); k++) {
            const json_t *l = json_array_get(levels, k);
            plot_at(line, mean(doc_at(l, "achieved_rps")), mean(doc_at(l, rate[i])) * scale, NULL);
        }
        for (int passes = 1; passes >= 0; passes--) {
            line = plot_line(panel, passes ? "run of a level that passes" : "run of one that does not", DOTS,
                             passes ? INK_GOOD : INK_BAD);
            for (size_t k = 0; k < json_array_size(levels); k++) {
                const json_t *l = json_array_get(levels, k), *x = doc_at(l, "achieved_rps"), *y = doc_at(l, rate[i]);
                const char *state = doc_text_at(l, "state");
                if ((state && strcmp(state, "pass") == 0) != passes) continue;
                for (size_t n = 0; n < json_array_size(x) && n < json_array_size(y); n++)
                    plot_at(line, json_number_value(json_array_get(x, n)),
                            json_number_value(json_array_get(y, n)) * scale, NULL);
            }
        }
        plot_rule(panel, i ? NULL : page_text(p, "rated %s", figure_number(rated, NAN).s), INK_GOOD, false, rated);
    }
    double floor = pick_real(r, "contract.acceptance_min") * 100;
    plot_rule(&plot->panels.v[1], page_text(p, "floor %s", figure_share(floor / 100).s), INK_BAD, true, floor);
    fit(plot);
    plot->title = "Goodput and acceptance against offered load.";
    plot->alt = page_text(p,
                          "Goodput against offered load at %zu levels, up to %s requests/s offered. Rated capacity: %s "
                          "requests/s.",
                          json_array_size(levels), figure_number(top, NAN).s,
                          isnan(rated) ? "none" : figure_number(rated, NAN).s);
    return plot;
}

struct step {
    double offered, answered, useful, accepted;
};

static int by_load(const void *a, const void *b) {
    const struct step *x = a, *y = b;
    return x->offered < y->offered ? -1 : x->offered > y->offered;
}

struct plot *plot_staircase_runs(struct page *p, const struct runs *runs) {
    VEC(struct step) step = {0};
    for (size_t i = 0; i < runs->list.n; i++) {
        const json_t *r = runs->list.v[i].goodput;
        struct step s = {pick_real(r, "rates.offered_rps"), pick_real(r, "rates.responses_rps"),
                         pick_real(r, "rates.goodput_rps"), pick_real(r, "acceptance.ratio")};
        if (!isnan(s.offered) && !isnan(s.useful)) vec_push(&step, s);
    }
    if (step.n > 1) qsort(step.v, step.n, sizeof *step.v, by_load);
    if (step.n < 2 || step.v[step.n - 1].offered <= step.v[0].offered * 1.02) {
        vec_free(&step);
        return NULL;
    }
    struct plot *plot = staircase();
    diagonal(&plot->panels.v[0], step.v[step.n - 1].offered);
    struct plot_line *line = plot_line(&plot->panels.v[0], "answered", LINE_DOTS, INK_2);
    for (size_t i = 0; i < step.n; i++)
        plot_at(line, step.v[i].offered, step.v[i].answered, NULL);
    line = plot_line(&plot->panels.v[0], "goodput", LINE_DOTS, INK_1);
    for (size_t i = 0; i < step.n; i++)
        plot_at(line, step.v[i].offered, step.v[i].useful, NULL);
    line = plot_line(&plot->panels.v[1], NULL, LINE_DOTS, INK_1);
    for (size_t i = 0; i < step.n; i++)
        plot_at(line, step.v[i].offered, step.v[i].accepted * 100, NULL);
    fit(plot);
    plot->title = "Answered and useful against offered load, a dot per run.";
    plot->alt =
        page_text(p,
                  "Completed throughput, goodput and acceptance of %zu runs against offered load, from %s to %s "
                  "requests/s.",
                  step.n, figure_number(step.v[0].offered, NAN).s, figure_number(step.v[step.n - 1].offered, NAN).s);
    vec_free(&step);
    return plot;
}
