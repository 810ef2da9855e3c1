/* plot: what a plot shows, before anything is drawn: panels of lines, bands and marks over one x axis.  Layer 2.
 *
 * A plot owns its arrays; its texts belong to whoever made it and must outlive it. */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Colours by what they stand for; every theme has its own. */
enum ink {
    INK_TEXT,
    INK_AXIS,
    INK_GRID,
    INK_1, /* data, in the order lines are read */
    INK_2,
    INK_3,
    INK_GOOD,
    INK_BAD,
    INK_WARMUP, /* backgrounds */
    INK_WINDOW,
    INK_UNCERTIFIED, /* a window that is shown, but is no result */
    INK_TAIL,
    INK_DRAIN,
    INK_SHIFT,
    N_INKS
};

enum line_style {
    LINE_PLAIN,
    LINE_DOTS, /* line and dots */
    LINE_STEPS, /* a level holds to the next point */
    LINE_DASHES,
    DOTS, /* dots alone */
    BARS /* from point to point, the last only ends it; y is the height */
};

struct plot_point {
    double x, y; /* y NAN: a gap */
    const char *label; /* beside the dot; NULL = none */
};

struct plot_line {
    const char *name; /* in the key; NULL = not there */
    enum line_style style;
    enum ink ink;
    VEC(struct plot_point) points;
};

/* A stretch of the x axis with another background. */
struct plot_band {
    const char *name;
    enum ink ink;
    double from, to;
};

/* A line across the panel. */
struct plot_rule {
    const char *label;
    enum ink ink;
    bool level; /* at a y instead of an x */
    double at;
};

struct plot_panel {
    const char *y_label;
    double y0, y1;
    VEC(struct plot_line) lines;
    VEC(struct plot_rule) rules;
};

enum plot_size { PLOT_FULL, PLOT_HALF, PLOT_SMALL };

struct plot {
    const char *id; /* letters and '-': unique within a page */
    const char *title; /* the caption */
    const char *alt; /* what is to be seen, for who does not see it */
    const char *x_label;
    double x0, x1;
    bool log_x;
    enum plot_size size;
    VEC(struct plot_band) bands; /* behind every panel */
    VEC(struct plot_panel) panels;
};

struct plot *plot_new(const char *id, enum plot_size size);
void plot_free(struct plot *p);

/* Each returns what it added, valid until the next call of its kind. */
struct plot_panel *plot_panel(struct plot *p, const char *y_label);
struct plot_line *plot_line(struct plot_panel *panel, const char *name, enum line_style style, enum ink ink);
/* A point that is not finite in x is left out, in y a gap. */
void plot_at(struct plot_line *line, double x, double y, const char *label);
void plot_band(struct plot *p, const char *name, enum ink ink, double from, double to);
void plot_rule(struct plot_panel *panel, const char *label, enum ink ink, bool level, double at);

/* Axes round what is there: x over all panels, from 0 on where asked for; y per panel.  An axis without a value is 0 to 1. */
void plot_fit_x(struct plot *p, bool from_zero);
void plot_fit_y(struct plot_panel *panel, bool from_zero);

bool plot_is_empty(const struct plot *p); /* no line has a value */

/* A round step that divides a span into about n parts; n > 0. */
double plot_step(double span, int n);

#endif
