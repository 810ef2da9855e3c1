#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "num.h"

const char *const draw_colour[N_INKS] = {
    [INK_TEXT] = "#3b4250",   [INK_AXIS] = "#8b93a1",   [INK_GRID] = "#e3e6eb",        [INK_1] = "#1e66d0",
    [INK_2] = "#b4540a",      [INK_3] = "#7748c9",      [INK_GOOD] = "#1d8348",        [INK_BAD] = "#c0303c",
    [INK_WARMUP] = "#f6e7c8", [INK_WINDOW] = "#dff1e4", [INK_UNCERTIFIED] = "#e2eaf6", [INK_TAIL] = "#e6e0f5",
    [INK_DRAIN] = "#e8eaee",  [INK_SHIFT] = "#fadcd9",
};

enum { KEY_ROW = 18, FONT = 12 };

static bool is_first(const struct plot *p, size_t band) {
    for (size_t i = 0; i < band; i++)
        if (p->bands.v[i].ink == p->bands.v[band].ink) return false;
    return true;
}

static int most(int a, int b) { return a > b ? a : b; }

/* Characters of UTF-8 text. */
static int letters(const char *s) {
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* A name that no line before has. */
static bool is_new(const struct plot *p, size_t panel, size_t line) {
    const char *name = p->panels.v[panel].lines.v[line].name;
    for (size_t i = 0; i <= panel; i++)
        for (size_t k = 0; k < (i == panel ? line : p->panels.v[i].lines.n); k++) {
            const char *other = p->panels.v[i].lines.v[k].name;
            if (name && other && strcmp(name, other) == 0) return false;
        }
    return name != NULL;
}

/* Where lines stand close together, their labels would stand in each other's way. */
static bool rules_in_key(const struct plot *p) { return p->size == PLOT_HALF; }

/* A key above the plot: columns as wide as its longest entry, a sample and a text. */
struct key {
    int columns, rows;
    double width; /* correction, in gnuplot's characters */
};

static struct key key_of(const struct plot *p, int room) {
    int n = 0, longest = 0;
    for (size_t i = 0; i < p->bands.n; i++) {
        if (!is_first(p, i)) continue;
        n++;
        longest = most(longest, letters(p->bands.v[i].name));
    }
    for (size_t i = 0; i < p->panels.n; i++)
        for (size_t k = 0; k < p->panels.v[i].lines.n; k++) {
            if (!is_new(p, i, k)) continue;
            n++;
            longest = most(longest, letters(p->panels.v[i].lines.v[k].name));
        }
    for (size_t k = 0; rules_in_key(p) && k < p->panels.v[0].rules.n; k++, n++)
        longest = most(longest, letters(p->panels.v[0].rules.v[k].label));
    /* gnuplot takes a character for .7 of the size of the font, and a sample and its margins for 5; text is narrower */
    double width = 1 - .22 * longest;
    int columns = most(1, (int)(room / (.7 * FONT * (longest + 5 + width))));
    return (struct key){columns, (n + columns - 1) / columns, width};
}

struct draw_frame draw_frame(const struct plot *p, bool narrow) {
    static const int wide[] = {[PLOT_FULL] = 780, [PLOT_HALF] = 384, [PLOT_SMALL] = 250};
    static const int panel[] = {[PLOT_FULL] = 150, [PLOT_HALF] = 190, [PLOT_SMALL] = 84};
    struct draw_frame f = {.width = narrow ? 350 : wide[p->size],
                           .left = p->size == PLOT_SMALL ? 44 : 66,
                           .right = 14,
                           .gap = 16,
                           .bottom = p->size == PLOT_SMALL ? 8 : 46};
    int n = (int)p->panels.n;
    f.top = 10 + (p->size == PLOT_SMALL ? 0 : KEY_ROW * key_of(p, f.width - f.left - f.right).rows);
    int each = p->size == PLOT_FULL && n == 1 ? 250 : panel[p->size];
    f.height = f.top + n * each + (n - 1) * f.gap + f.bottom;
    return f;
}

/* In single quotes gnuplot takes every character for itself, but for the quote; a line break would end it. */
static void quote(struct buf *b, const char *s) {
    buf_char(b, '\'');
    for (; s && *s; s++) {
        if (*s == '\'') buf_char(b, '\'');
        buf_char(b, (unsigned char)*s < 0x20 ? ' ' : *s);
    }
    buf_char(b, '\'');
}

static void number(struct buf *b, double v) {
    char text[NUM_MAX] = "";
    buf_add(b, text, num_put_real(text, v));
}

/* `set xtics` or ytics at round numbers, about n of them. */
static void tics(struct buf *b, char axis, double from, double to, int n) {
    double step = plot_step(to - from, n), first = ceil(from / step) * step;
    buf_printf(b, "set %ctics %.10g, %.10g\n", axis, fabs(first) < step * 1e-9 ? 0 : first, step);
}

/* The same on a logarithmic axis, where every one has to be named: evenly in less than a decade, else 1, and in few decades
 * 3, or 2 and 5, of each.  0 < from < to. */
static void log_tics(struct buf *b, double from, double to, int n) {
    double step = plot_step(to - from, n), tens = log10(to / from), first = ceil(from / step) * step;
    int count = 0, low = (int)floor(log10(from)), high = (int)ceil(log10(to));
    buf_str(b, "set xtics (");
    for (int i = 0; tens < .8 && i < 4 * n && first + i * step <= to; i++)
        buf_printf(b, "%s'%.6g' %.10g", count++ ? ", " : "", first + i * step, first + i * step);
    for (int decade = low; tens >= .8 && decade <= high; decade++)
        for (int d = 1; d < 10; d++) {
            bool shown = d == 1 || (tens < 1.8 && (d == 2 || d == 5)) || (tens >= 1.8 && tens < 3.5 && d == 3);
            double at = d * pow(10, decade);
            if (shown && at >= from && at <= to) buf_printf(b, "%s'%.6g' %.10g", count++ ? ", " : "", at, at);
        }
    buf_str(b, ")\n");
}

static const char *with(const struct plot_line *line) {
    bool many = line->points.n > 120;
    switch (line->style) {
    case LINE_DOTS: return many ? "lines lw 1.4" : "linespoints lw 1.6 pt 7 ps 0.35";
    case LINE_STEPS: return "steps lw 1.6";
    case LINE_DASHES: return "lines lw 1.2 dt 2";
    case DOTS: return "points pt 7 ps 0.7";
    case BARS: return "boxxyerror lw 0.6";
    case LINE_PLAIN: break;
    }
    return "lines lw 1.6";
}

static void data(struct buf *b, const struct plot_line *line, size_t panel, size_t k) {
    buf_printf(b, "$d%zu_%zu << EOD\n", panel, k);
    for (size_t i = 0; i < line->points.n; i++) {
        const struct plot_point *at = &line->points.v[i];
        bool bar = line->style == BARS;
        if (bar && (i + 1 == line->points.n || isnan(at->y))) continue;
        if (isnan(at->y)) {
            buf_str(b, "\n"); /* a gap */
            continue;
        }
        number(b, at->x);
        buf_char(b, ' ');
        number(b, at->y);
        if (bar) { /* x, y, then the box: x from, x to, y from, y to */
            buf_char(b, ' ');
            number(b, at->x);
            buf_char(b, ' ');
            number(b, at[1].x);
            buf_str(b, " 0 ");
            number(b, at->y);
        }
        buf_char(b, '\n');
    }
    buf_str(b, "EOD\n");
}

/* Labels of dots, and of rules where they meet the frame. */
static void labels(struct buf *b, const struct plot *p, const struct plot_panel *panel) {
    buf_str(b, "unset label\nunset arrow\n");
    for (size_t k = 0; k < panel->lines.n; k++)
        for (size_t i = 0; i < panel->lines.v[k].points.n; i++) {
            const struct plot_point *at = &panel->lines.v[k].points.v[i];
            if (!at->label || isnan(at->y)) continue;
            bool right = at->x > p->x0 + (p->x1 - p->x0) * .92;
            buf_str(b, "set label ");
            quote(b, at->label);
            buf_str(b, " at ");
            number(b, at->x);
            buf_char(b, ',');
            number(b, at->y);
            buf_printf(b, " %s offset %s0.7,0.5 tc rgb '%s' font ',11'\n", right ? "right" : "left", right ? "-" : "",
                       draw_colour[INK_TEXT]);
        }
    for (size_t k = 0; k < panel->rules.n; k++) {
        const struct plot_rule *r = &panel->rules.v[k];
        double share = p->log_x && !r->level ? log(r->at / p->x0) / log(p->x1 / p->x0)
                       : r->level            ? (r->at - panel->y0) / (panel->y1 - panel->y0)
                                             : (r->at - p->x0) / (p->x1 - p->x0);
        if (!(share >= 0 && share <= 1)) continue;
        const char *form = r->level ? "set arrow from graph 0,first %.10g to graph 1,first %.10g"
                                    : "set arrow from first %.10g,graph 0 to first %.10g,graph 1";
        buf_printf(b, form, r->at, r->at);
        buf_printf(b, " nohead front lw 1.2 dt 2 lc rgb '%s'\n", draw_colour[r->ink]);
        if (!r->label || rules_in_key(p)) continue;
        buf_str(b, "set label ");
        quote(b, r->label);
        if (r->level)
            buf_printf(b, " at graph 0.01,first %.10g left offset 0,%s", r->at, share > .85 ? "-0.6" : "0.6");
        else /* rules side by side: their labels one below the other */
            buf_printf(b, " at first %.10g,graph %.2f %s", r->at, .93 - .11 * (double)(k % 5),
                       share > .6 ? "right offset -0.5,0" : "left offset 0.5,0");
        buf_printf(b, " front tc rgb '%s' font ',11'\n", draw_colour[r->ink]);
    }
}

static void bands(struct buf *b, const struct plot *p) {
    buf_str(b, "unset object\n");
    for (size_t i = 0; i < p->bands.n; i++) {
        const struct plot_band *band = &p->bands.v[i];
        double from = fmax(band->from, p->x0), to = fmin(band->to, p->x1);
        if (from < to)
            buf_printf(b,
                       "set object rect from first %.10g,graph 0 to first %.10g,graph 1 behind fs solid noborder fc "
                       "rgb '%s'\n",
                       from, to, draw_colour[band->ink]);
    }
}

/* Every name once, whichever panel it is in. */
static void key(struct buf *b, const struct plot *p) {
    for (size_t i = 0; i < p->panels.n; i++)
        for (size_t k = 0; k < p->panels.v[i].lines.n; k++) {
            const struct plot_line *line = &p->panels.v[i].lines.v[k];
            if (!is_new(p, i, k)) continue;
            bool bars = line->style == BARS, steps = line->style == LINE_STEPS;
            buf_printf(b, ", \\\n    keyentry with %s lc rgb '%s' title ",
                       bars    ? "boxes fs solid 0.75"
                       : steps ? "lines lw 1.6"
                               : with(line),
                       draw_colour[line->ink]);
            quote(b, line->name);
        }
    for (size_t k = 0; rules_in_key(p) && k < p->panels.v[0].rules.n; k++) {
        const struct plot_rule *r = &p->panels.v[0].rules.v[k];
        buf_printf(b, ", \\\n    keyentry with lines lw 1.2 dt 2 lc rgb '%s' title ", draw_colour[r->ink]);
        quote(b, r->label);
    }
    for (size_t k = 0; k < p->bands.n; k++) {
        if (!is_first(p, k)) continue;
        buf_printf(b, ", \\\n    keyentry with boxes fs solid noborder lc rgb '%s' title ",
                   draw_colour[p->bands.v[k].ink]);
        quote(b, p->bands.v[k].name);
    }
}

static void draw_panel(struct buf *b, const struct plot *p, size_t i, const struct draw_frame *f) {
    const struct plot_panel *panel = &p->panels.v[i];
    int n = (int)p->panels.n, each = (f->height - f->top - f->bottom - (n - 1) * f->gap) / n;
    int from_top = f->top + (int)i * (each + f->gap);
    bool small = p->size == PLOT_SMALL, last = (int)i == n - 1;
    buf_printf(b, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", (double)f->left / f->width,
               1 - (double)f->right / f->width);
    buf_printf(b, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - (double)from_top / f->height,
               1 - (double)(from_top + each) / f->height);
    buf_printf(b, "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n", p->x0, p->x1, panel->y0, panel->y1);
    int n_tics = f->width < 400 ? 4 : 8;
    if (small)
        buf_str(b, "unset xtics\n");
    else if (p->log_x)
        log_tics(b, p->x0, p->x1, n_tics);
    else
        tics(b, 'x', p->x0, p->x1, n_tics);
    tics(b, 'y', panel->y0, panel->y1, small ? 2 : 4);
    buf_printf(b, "set format x '%s'\n", last ? "%h" : "");
    buf_printf(b, "set format y '%s'\n", fmax(fabs(panel->y0), fabs(panel->y1)) >= 1e5 ? "%.1s%c" : "%h");
    buf_str(b, "set xlabel ");
    quote(b, last && !small ? p->x_label : "");
    buf_str(b, " offset 0,0.6\nset ylabel ");
    quote(b, small ? "" : panel->y_label);
    buf_str(b, " offset 0.5,0\n");
    bands(b, p);
    labels(b, p, panel);
    for (size_t k = 0; k < panel->lines.n; k++)
        data(b, &panel->lines.v[k], i, k);

    struct key k0 = key_of(p, f->width - f->left - f->right);
    if (i == 0 && !small)
        buf_printf(b,
                   "set key at screen %.5f,%.5f left top horizontal Left reverse samplen 1.4 width %.2f maxcols %d\n",
                   (double)f->left / f->width - .005, 1 - 2.0 / f->height, k0.width, k0.columns);
    else
        buf_str(b, "unset key\n");
    buf_str(b, "plot ");
    for (size_t k = 0; k < panel->lines.n; k++) {
        const struct plot_line *line = &panel->lines.v[k];
        bool bars = line->style == BARS;
        buf_printf(b, "%s$d%zu_%zu using 1:2%s with %s lc rgb '%s'%s notitle", k ? ", \\\n    " : "", i, k,
                   bars ? ":3:4:5:6" : "", with(line), draw_colour[line->ink], bars ? " fs solid 0.75 border" : "");
    }
    if (i == 0 && !small) key(b, p);
    buf_char(b, '\n');
}

void draw_script(struct buf *b, const struct plot *p, bool narrow) {
    struct draw_frame f = draw_frame(p, narrow);
    buf_printf(
        b,
        "reset\nset encoding utf8\nset terminal svg size %d,%d dynamic noenhanced font 'sans-serif,%d' linewidth 1\n",
        f.width, f.height, FONT);
    buf_printf(b, "set border 3 lw 1 lc rgb '%s'\n", draw_colour[INK_AXIS]);
    buf_printf(b, "set tics nomirror out scale 0.5 tc rgb '%s'\n", draw_colour[INK_TEXT]);
    buf_printf(b, "set grid y lt 1 lw 1 lc rgb '%s'\n", draw_colour[INK_GRID]);
    buf_printf(b, "set xlabel tc rgb '%s'\nset ylabel tc rgb '%s'\nset key tc rgb '%s'\n", draw_colour[INK_TEXT],
               draw_colour[INK_TEXT], draw_colour[INK_TEXT]);
    if (p->log_x) buf_str(b, "set logscale x\n");
    buf_str(b, "set multiplot\n");
    for (size_t i = 0; i < p->panels.n; i++)
        draw_panel(b, p, i, &f);
    buf_str(b, "unset multiplot\n");
}
