#include "plot_histogram.h"

#include <math.h>
#include <string.h>

#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"

static void bars(struct plot_panel *panel, const json_t *bins, struct unit u) {
    double n = 0, end = NAN;
    for (size_t i = 0; i < json_array_size(bins); i++)
        n += pick_real(json_array_get(bins, i), "count");
    struct plot_line *line = plot_line(panel, NULL, BARS, INK_1);
    for (size_t i = 0; i < json_array_size(bins); i++) {
        const json_t *bin = json_array_get(bins, i);
        double lo = doc_real_at(bin, "lo_ns") / u.ns;
        if (!(lo > 0)) continue; /* the axis is logarithmic */
        if (!isnan(end) && lo > end * 1.0001) plot_at(line, end, NAN, NULL); /* empty bins are not listed */
        plot_at(line, lo, doc_real_at(bin, "count") / n * 100, NULL);
        end = doc_real_at(bin, "hi_ns") / u.ns;
    }
    plot_at(line, end, NAN, NULL);
}

static void rules(struct page *p, struct plot_panel *panel, const json_t *metric, struct unit u, double target_ms) {
    static const char *const which[] = {"p50", "p90", "p99"};
    static const enum ink ink[] = {INK_TEXT, INK_2, INK_3};
    for (size_t i = 0; i < 3; i++) {
        double v = pick_real(metric, "%s_ns", which[i]);
        plot_rule(panel, page_text(p, "%s %s", which[i], figure_latency(v).s), ink[i], false, v / u.ns);
    }
    plot_rule(panel, page_text(p, "target %s", figure_latency(target_ms * 1e6).s), INK_BAD, false,
              target_ms * 1e6 / u.ns);
}

struct plot *plot_histogram(struct page *p, const json_t *steady, const char *metric, double target_ms) {
    bool window = json_is_object(doc_at(steady, "window")) && int_known(doc_int_at(steady, "window.first_pass"));
    const char *path = page_text(p, "%smetrics.%s", window ? "" : "best_effort.", metric),
               *name = phrase_metric(p, metric);
    const json_t *of = doc_at(steady, path), *bins = doc_at(of, "histogram");
    if (json_array_size(bins) == 0) return NULL;
    double typical = doc_real_at(of, "p50_ns");
    if (isnan(typical)) typical = doc_real_at(json_array_get(bins, json_array_size(bins) / 2), "lo_ns");
    struct unit u = figure_unit(typical);
    struct plot *plot = plot_new(strcmp(metric, "tpot") == 0 ? "hist-tpot" : "hist-ttft", PLOT_HALF);
    struct plot_panel *panel = plot_panel(plot, "samples, %");
    bars(panel, bins, u);
    plot->log_x = true;
    plot_fit_x(plot, false);
    plot_fit_y(panel, true);
    double bin = pow(10, .05), target = target_ms * 1e6 / u.ns;
    bool within = target <= plot->x1 * 10; /* a target far beyond would press the bars together */
    plot->x0 /= bin;
    plot->x1 = fmax(plot->x1, within ? target : 0) * bin;
    rules(p, panel, of, u, within ? target_ms : NAN);
    bool certified = phrase_certified(doc_text_at(steady, "verdict"));
    plot->x_label = page_text(p, "%s, %s", name, u.name);
    plot->title = page_text(p, "%s of %s%s.", name,
                            !window     ? "all passes after the warm-up, not certified"
                            : certified ? "the window"
                                        : "the window, which is not certified",
                            isnan(target_ms) || within
                                ? ""
                                : page_text(p, "; the target, %s, lies beyond", figure_latency(target_ms * 1e6).s));
    plot->alt = page_text(p, "Histogram of %s over %s samples, 20 bins per decade: p50 %s, p90 %s, p99 %s.", name,
                          figure_count(doc_int_at(of, "n")).s, figure_latency(doc_real_at(of, "p50_ns")).s,
                          figure_latency(doc_real_at(of, "p90_ns")).s, figure_latency(doc_real_at(of, "p99_ns")).s);
    return plot;
}
