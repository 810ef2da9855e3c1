#include "plot_rates.h"

#include <math.h>

#include "figure.h"
#include "pick.h"

static const struct {
    const char *key, *name;
    enum line_style style;
    enum ink ink;
    int panel;
} line_of[] = {{"offered_rps", "offered", LINE_STEPS, INK_AXIS, 0},
               {"completed_rps", "answered", LINE_STEPS, INK_2, 0},
               {"goodput_rps", "goodput", LINE_STEPS, INK_1, 0},
               {"in_flight", NULL, LINE_STEPS, INK_3, 1}};

static void line(struct plot_panel *panel, const json_t *bins, size_t k, double unit) {
    struct plot_line *l = plot_line(panel, line_of[k].name, line_of[k].style, line_of[k].ink);
    double end = NAN, last = NAN;
    for (size_t i = 0; i < json_array_size(bins); i++) {
        const json_t *bin = json_array_get(bins, i);
        last = doc_real_at(bin, line_of[k].key);
        plot_at(l, doc_real_at(bin, "t_s") / unit, last, NULL);
        end = (doc_real_at(bin, "t_s") + doc_real_at(bin, "s")) / unit;
    }
    if (!isnan(end)) plot_at(l, end, last, NULL);
}

struct plot *plot_rates(struct page *p, const json_t *r) {
    const json_t *bins = doc_at(r, "series");
    size_t n = json_array_size(bins);
    if (n == 0 || isnan(doc_real_at(json_array_get(bins, 0), "t_s"))) return NULL;
    struct plot *plot = plot_new("rates", PLOT_FULL);
    double whole = doc_real_at(json_array_get(bins, n - 1), "t_s"), unit = whole > 7200 ? 3600 : whole > 600 ? 60 : 1;
    plot_panel(plot, "requests/s");
    plot_panel(plot, "in flight");
    for (size_t k = 0; k < sizeof line_of / sizeof *line_of; k++)
        line(&plot->panels.v[line_of[k].panel], bins, k, unit);
    for (size_t i = 0; i < plot->panels.n; i++)
        plot_fit_y(&plot->panels.v[i], true);
    plot_fit_x(plot, true);
    plot->x1 = (whole + doc_real_at(json_array_get(bins, n - 1), "s")) / unit;
    double t0 = pick_real(r, "cohort.t0_s"), t1 = pick_real(r, "cohort.t1_s");
    if (t0 < t1) plot_band(plot, "cohort", INK_WINDOW, t0 / unit, t1 / unit);
    plot->x_label = unit > 60 ? "hours from the start" : unit > 1 ? "minutes from the start" : "seconds from the start";
    plot->title = page_text(p, "Requests offered, answered and useful, in bins of %s.",
                            figure_time(doc_real_at(json_array_get(bins, 0), "s")).s);
    plot->alt =
        page_text(p,
                  "Rates over time: on the whole %s requests/s offered, %s answered, %s useful (goodput). Below: "
                  "requests in flight.",
                  figure_number(pick_real(r, "rates.offered_rps"), NAN).s,
                  figure_number(pick_real(r, "rates.responses_rps"), NAN).s,
                  figure_number(pick_real(r, "rates.goodput_rps"), NAN).s);
    return plot;
}
