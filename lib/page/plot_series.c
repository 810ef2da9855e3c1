#include "plot_series.h"

#include <math.h>
#include <string.h>

#include "course.h"
#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"

enum { MOST_POINTS = 800 }; /* of longer runs, the means of several passes */

struct row {
    const char *label, *column[3], *name[3];
    double unit;
    const char *level; /* path of the window's figure, or NULL */
};
static const struct row row_of[] = {
    {"TPOT, ms", {"tpot_p50", "tpot_p90"}, {"p50", "p90"}, 1e6, NULL},
    {"TTFT, ms", {"ttft_p50", "ttft_p90", "ttft_p99"}, {"p50", "p90", "p99"}, 1e6, NULL},
    {"E2E, s", {"e2e_p50", "e2e_p90"}, {"p50", "p90"}, 1e9, NULL},
    {"tokens/s", {"tps"}, {NULL}, 1, "tps.system.value"},
    {"requests/s", {"rps"}, {NULL}, 1, "qps.value"},
};
enum { TPOT, TTFT, E2E, TPS, RPS, N_ROWS };

static bool has(const json_t *passes, const char *column) {
    for (size_t i = 0; i < json_array_size(passes); i++)
        if (!isnan(course_value(json_array_get(passes, i), column))) return true;
    return false;
}

/* A window that is no result looks like none. */
static bool certified(const json_t *r) { return phrase_certified(doc_text_at(r, "verdict")); }

static void bands(struct plot *p, const json_t *r) {
    static const struct {
        const char *name;
        enum ink ink;
        char mark;
    } part[] = {{"warm-up", INK_WARMUP, 'w'},
                {"window", INK_WINDOW, '='},
                {"tail", INK_TAIL, 't'},
                {"drain", INK_DRAIN, 'd'},
                {"other level", INK_SHIFT, '^'}};
    const json_t *passes = doc_at(r, "passes");
    bool result = certified(r);
    int64_t change = course_change(r), end = doc_int_at(r, "window.end_pass");
    for (size_t i = 0; i < json_array_size(passes); i++) {
        const json_t *pass = json_array_get(passes, i);
        int64_t number = course_number(pass, i);
        char mark = course_mark(r, pass, number);
        if (int_known(change) && number >= change && mark == '.') mark = '^';
        if (mark == '^' && int_known(end) && number < end) mark = '='; /* the change is marked by its line */
        for (size_t k = 0; k < sizeof part / sizeof *part; k++)
            if (part[k].mark == mark) {
                bool shown = mark == '=' && !result;
                plot_band(p, shown ? "not certified" : part[k].name, shown ? INK_UNCERTIFIED : part[k].ink,
                          (double)number - .5, (double)number + .5);
            }
    }
}

/* A line per percentile; means of `of` passes in a row. */
static void line(struct plot_panel *panel, const json_t *passes, const struct row *row, size_t c, size_t of) {
    static const enum ink ink[] = {INK_1, INK_2, INK_3};
    struct plot_line *l = plot_line(panel, row->name[c], LINE_DOTS, ink[c]);
    for (size_t i = 0; i < json_array_size(passes); i += of) {
        double sum = 0, x = (double)course_number(json_array_get(passes, i), i);
        size_t n = 0;
        for (size_t k = i; k < i + of && k < json_array_size(passes); k++) {
            double v = course_value(json_array_get(passes, k), row->column[c]);
            if (!isnan(v)) sum += v, n++;
        }
        plot_at(l, x + (double)(of - 1) / 2, n ? sum / (double)n / row->unit : NAN, NULL);
    }
}

/* The axis is that of the body; what the ramp or the drain adds may double it, and is cut off beyond.  Returns the highest
 * value cut off, or NAN. */
static double fit(struct plot_panel *panel, const json_t *r) {
    const json_t *passes = doc_at(r, "passes");
    double lo = INFINITY, hi = -INFINITY, most = -INFINITY;
    plot_fit_y(panel, false);
    for (size_t k = 0; k < panel->lines.n; k++)
        for (size_t j = 0; j < panel->lines.v[k].points.n; j++) {
            const struct plot_point *at = &panel->lines.v[k].points.v[j];
            if (isnan(at->y)) continue;
            size_t i = (size_t)((double)j * (double)json_array_size(passes) / (double)panel->lines.v[k].points.n);
            const json_t *pass = json_array_get(passes, i);
            char mark = course_mark(r, pass, course_number(pass, i));
            most = fmax(most, at->y);
            if (mark == 'w' || mark == 'd' || mark == 't') continue;
            lo = fmin(lo, at->y), hi = fmax(hi, at->y);
        }
    double room = fmax(hi - lo, fabs(hi + lo) / 2 * .1), top = hi + 1.5 * room;
    if (!(hi > lo) || most <= top) return NAN;
    panel->y0 = fmax(fmin(lo - room * .2, panel->y0 < 0 ? lo : panel->y0), 0);
    panel->y1 = hi + room;
    return most;
}

static void level(struct plot_panel *panel, const json_t *r, const struct row *row) {
    double v = row->level ? pick_real(r, "%s", row->level) / row->unit : NAN;
    int64_t first = doc_int_at(r, "window.first_pass"), end = doc_int_at(r, "window.end_pass");
    if (!certified(r) || isnan(v) || !int_known(first) || !int_known(end)) return;
    struct plot_line *l = plot_line(panel, "sustained", LINE_DASHES, INK_GOOD);
    plot_at(l, (double)first - .5, v, NULL);
    plot_at(l, (double)end - .5, v, NULL);
}

static void excursions(struct plot_panel *panel, const json_t *r) {
    const json_t *list = doc_at(r, "window.excursions");
    if (json_array_size(list) == 0) return;
    const struct plot_line shown = panel->lines.v[0];
    struct plot_line *dots = plot_line(panel, "excursion", DOTS, INK_BAD);
    for (size_t i = 0; i < json_array_size(list); i++) {
        double pass = (double)json_integer_value(json_array_get(list, i));
        for (size_t k = 0; k < shown.points.n; k++)
            if (shown.points.v[k].x == pass) plot_at(dots, pass, shown.points.v[k].y, NULL);
    }
}

static void change(struct page *p, struct plot_panel *panel, const json_t *r, bool named) {
    int64_t pass = course_change(r);
    double delta = pick_real(r, "anomaly.delta");
    if (isnan(delta)) delta = pick_real(r, "anomaly.end.delta");
    if (int_known(pass))
        plot_rule(panel, named ? page_text(p, "level shift %s", figure_change(delta).s) : NULL, INK_BAD, false,
                  (double)pass - .5);
}

static const char *alt(struct page *p, const json_t *r, const char *metrics, size_t n) {
    const char *verdict = doc_text_at(r, "verdict");
    int64_t first = doc_int_at(r, "window.first_pass"), end = doc_int_at(r, "window.end_pass"), at = course_change(r);
    struct buf b = {0};
    buf_printf(&b, "%s of %zu super-passes. Verdict: %s.", metrics, n, phrase_verdict(p, verdict).title);
    if (int_known(doc_int_at(r, "warmup.passes")))
        buf_printf(&b, " Warm-up: %s passes.", figure_count(doc_int_at(r, "warmup.passes")).s);
    if (int_known(first) && int_known(end))
        buf_printf(&b, " Window%s: passes %s to %s.", certified(r) ? "" : ", not certified", figure_count(first).s,
                   figure_count(end - 1).s);
    if (int_known(at))
        buf_printf(&b, " Another level from pass %s, %s.", figure_count(at).s,
                   figure_change(pick_real(r, "anomaly.delta")).s);
    const char *text = page_text(p, "%s", b.s);
    buf_free(&b);
    return text;
}

static const struct row *rows_shown(const json_t *passes, const struct row *shown[3]) {
    bool tokens = has(passes, "tpot_p50");
    const int order[] = {tokens ? TPOT : E2E, TTFT, has(passes, "tps") ? TPS : RPS};
    for (size_t i = 0; i < 3; i++)
        shown[i] = &row_of[order[i]];
    return shown[0];
}

struct plot *plot_series(struct page *p, const json_t *r) {
    const json_t *passes = doc_at(r, "passes");
    size_t n = json_array_size(passes), of = (n + MOST_POINTS - 1) / MOST_POINTS;
    if (n == 0) return NULL;
    struct plot *plot = plot_new("series", PLOT_FULL);
    const struct row *shown[3];
    struct buf cut = {0};
    rows_shown(passes, shown);
    for (size_t i = 0; i < 3; i++) {
        struct plot_panel *panel = NULL;
        for (size_t c = 0; c < 3 && shown[i]->column[c]; c++) {
            if (!has(passes, shown[i]->column[c])) continue;
            if (!panel) panel = plot_panel(plot, shown[i]->label);
            line(panel, passes, shown[i], c, of);
        }
        if (!panel) continue;
        double most = fit(panel, r);
        if (!isnan(most))
            buf_printf(&cut, " Off the scale of %s: up to %s.", shown[i]->label, figure_number(most, NAN).s);
        level(panel, r, shown[i]);
        if (i == 0 && of == 1) excursions(panel, r);
        change(p, panel, r, i == 0);
    }
    bands(plot, r);
    plot->x0 = (double)course_number(json_array_get(passes, 0), 0) - .5;
    plot->x1 = (double)course_number(json_array_get(passes, n - 1), n - 1) + .5;
    double tau = pick_real(r, "short_window.tau_s");
    plot->x_label = isnan(tau) ? "super-pass" : page_text(p, "super-pass, of about %s each", figure_time(tau).s);
    plot->title =
        page_text(p, "Every super-pass%s.%s", of > 1 ? page_text(p, ", means of %zu", of) : "", cut.len ? cut.s : "");
    plot->alt = alt(p, r, "TPOT, TTFT and throughput", n);
    buf_free(&cut);
    return plot;
}

struct plot *plot_series_small(struct page *p, const json_t *r, const char *name, const char *id) {
    const json_t *passes = doc_at(r, "passes");
    size_t n = json_array_size(passes);
    if (n == 0) return NULL;
    struct plot *plot = plot_new(id, PLOT_SMALL);
    const struct row *shown[3];
    const struct row *row = rows_shown(passes, shown);
    struct plot_panel *panel = plot_panel(plot, row->label);
    line(panel, passes, row, 0, (n + MOST_POINTS - 1) / MOST_POINTS);
    fit(panel, r);
    bands(plot, r);
    change(p, panel, r, false);
    plot->x0 = (double)course_number(json_array_get(passes, 0), 0) - .5;
    plot->x1 = (double)course_number(json_array_get(passes, n - 1), n - 1) + .5;
    plot->title = page_text(p, "%s: %s", name, phrase_verdict(p, doc_text_at(r, "verdict")).title);
    plot->alt = alt(p, r, page_text(p, "%s p50", row->label), n);
    return plot;
}
