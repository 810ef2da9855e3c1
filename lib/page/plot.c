#include "plot.h"

#include <math.h>
#include <stdlib.h>

struct plot *plot_new(const char *id, enum plot_size size) {
    struct plot *p = xcalloc(1, sizeof *p);
    p->id = id;
    p->size = size;
    p->x1 = 1;
    return p;
}

void plot_free(struct plot *p) {
    if (!p) return;
    for (size_t i = 0; i < p->panels.n; i++) {
        struct plot_panel *panel = &p->panels.v[i];
        for (size_t k = 0; k < panel->lines.n; k++)
            vec_free(&panel->lines.v[k].points);
        vec_free(&panel->lines);
        vec_free(&panel->rules);
    }
    vec_free(&p->panels);
    vec_free(&p->bands);
    free(p);
}

struct plot_panel *plot_panel(struct plot *p, const char *y_label) {
    struct plot_panel fresh = {.y_label = y_label, .y1 = 1};
    vec_push(&p->panels, fresh);
    return &p->panels.v[p->panels.n - 1];
}

struct plot_line *plot_line(struct plot_panel *panel, const char *name, enum line_style style, enum ink ink) {
    struct plot_line fresh = {.name = name, .style = style, .ink = ink};
    vec_push(&panel->lines, fresh);
    return &panel->lines.v[panel->lines.n - 1];
}

void plot_at(struct plot_line *line, double x, double y, const char *label) {
    struct plot_point point = {x, isfinite(y) ? y : NAN, label};
    if (isfinite(x)) vec_push(&line->points, point);
}

void plot_band(struct plot *p, const char *name, enum ink ink, double from, double to) {
    struct plot_band *last = p->bands.n ? &p->bands.v[p->bands.n - 1] : NULL;
    if (last && last->ink == ink && last->to == from) {
        last->to = to;
        return;
    }
    struct plot_band fresh = {name, ink, from, to};
    vec_push(&p->bands, fresh); /* NOLINT(clang-analyzer-core.NullDereference): vec_push made room */
}

void plot_rule(struct plot_panel *panel, const char *label, enum ink ink, bool level, double at) {
    struct plot_rule fresh = {label, ink, level, at};
    if (!isnan(at)) vec_push(&panel->rules, fresh);
}

double plot_step(double span, int n) {
    double raw = span / n, ten = pow(10, floor(log10(raw)));
    if (!(raw > 0) || !isfinite(raw)) return 1;
    double digit = raw / ten;
    return ten * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

void plot_fit_x(struct plot *p, bool from_zero) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < p->panels.n; i++)
        for (size_t k = 0; k < p->panels.v[i].lines.n; k++) {
            const struct plot_line *line = &p->panels.v[i].lines.v[k];
            for (size_t j = 0; j < line->points.n; j++)
                lo = fmin(lo, line->points.v[j].x), hi = fmax(hi, line->points.v[j].x);
        }
    if (lo > hi) return;
    if (from_zero) lo = fmin(lo, 0);
    double margin = p->log_x ? 0 : (hi - lo) * .06;
    p->x0 = from_zero && lo == 0 ? 0 : lo - margin;
    p->x1 = hi + margin;
    if (p->x0 == p->x1) p->x0 -= fabs(lo) * .05 + .5, p->x1 += fabs(hi) * .05 + .5;
}

void plot_fit_y(struct plot_panel *panel, bool from_zero) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t k = 0; k < panel->lines.n; k++)
        for (size_t j = 0; j < panel->lines.v[k].points.n; j++) {
            double y = panel->lines.v[k].points.v[j].y;
            if (!isnan(y)) lo = fmin(lo, y), hi = fmax(hi, y);
        }
    for (size_t k = 0; k < panel->rules.n; k++)
        if (panel->rules.v[k].level) lo = fmin(lo, panel->rules.v[k].at), hi = fmax(hi, panel->rules.v[k].at);
    if (lo > hi) return;
    if (from_zero) lo = fmin(lo, 0);
    double middle = fabs(lo + hi) / 2;
    if (!from_zero && hi - lo < middle * .1) lo -= middle * .05, hi += middle * .05; /* noise stays small */
    if (lo == hi) hi = lo + 1;
    double margin = (hi - lo) * .08;
    panel->y0 = from_zero && lo == 0 ? 0 : lo - margin;
    panel->y1 = hi + margin;
}

bool plot_is_empty(const struct plot *p) {
    for (size_t i = 0; i < p->panels.n; i++)
        for (size_t k = 0; k < p->panels.v[i].lines.n; k++) {
            const struct plot_line *line = &p->panels.v[i].lines.v[k];
            for (size_t j = 0; j < line->points.n; j++)
                if (!isnan(line->points.v[j].y)) return false;
        }
    return true;
}
