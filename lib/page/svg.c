#include "svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "gnuplot.h"

const char *const svg_property[N_INKS] = {
    [INK_TEXT] = "--plot-text",
    [INK_AXIS] = "--axis",
    [INK_GRID] = "--grid",
    [INK_1] = "--data1",
    [INK_2] = "--data2",
    [INK_3] = "--data3",
    [INK_GOOD] = "--good",
    [INK_BAD] = "--bad",
    [INK_WARMUP] = "--warmup",
    [INK_WINDOW] = "--window",
    [INK_UNCERTIFIED] = "--uncertified",
    [INK_TAIL] = "--tail",
    [INK_DRAIN] = "--drain",
    [INK_SHIFT] = "--shift",
};

void svg_escape(struct buf *b, const char *s) {
    for (; s && *s; s++) {
        switch (*s) {
        case '<': buf_str(b, "&lt;"); break;
        case '>': buf_str(b, "&gt;"); break;
        case '&': buf_str(b, "&amp;"); break;
        case '"': buf_str(b, "&quot;"); break;
        case '\'': buf_str(b, "&#39;"); break;
        default: buf_char(b, *s);
        }
    }
}

/* What is being cleaned: s[0..n) goes to b.  A group is written when something is in it. */
struct cleaner {
    struct buf *b;
    bool themed;
    VEC(struct view) waiting; /* groups opened, but not written yet */
    int open;
};

/* "rgb( 30, 102, 208)" -> its ink, or N_INKS */
static int ink_of(const char *s, size_t n) {
    unsigned r, g, b, ir, ig, ib;
    char text[40];
    snprintf(text, sizeof text, "%.*s", (int)(n < 39 ? n : 39), s);
    if (sscanf(text, "rgb(%u ,%u ,%u", &r, &g, &b) != 3) return N_INKS;
    for (int i = 0; i < N_INKS; i++)
        if (sscanf(draw_colour[i], "#%2x%2x%2x", &ir, &ig, &ib) == 3 && ir == r && ig == g && ib == b) return i;
    return N_INKS;
}

/* An attribute of gnuplot's, unless it says what the page says better. */
static void attribute(struct cleaner *c, struct view name, struct view value) {
    static const char *const drop[] = {"id", "class", "font-family", "color", "style", "xlink:href"};
    for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
        if (strlen(drop[i]) == name.n && memcmp(drop[i], name.s, name.n) == 0) return;
    bool default_of_group =
        (value.n == 4 && memcmp(value.s, "butt", 4) == 0) || (value.n == 5 && memcmp(value.s, "miter", 5) == 0);
    if (default_of_group) return;
    buf_char(c->b, ' ');
    buf_add(c->b, name.s, name.n);
    buf_str(c->b, "=\"");
    int ink = ink_of(value.s, value.n);
    if (ink < N_INKS && c->themed) {
        buf_printf(c->b, "var(%s)", svg_property[ink]);
    } else if (ink < N_INKS) {
        buf_str(c->b, draw_colour[ink]);
    } else {
        for (size_t i = 0; i < value.n; i++) {
            char at = value.s[i];
            bool idle =
                (at == ' ' || at == '\n') && (i + 1 == value.n || value.s[i + 1] == ' ' || value.s[i + 1] == '\n');
            if (!idle) buf_char(c->b, at);
        }
    }
    buf_char(c->b, '"');
}

/* Walk over name=value pairs in s[0..n), with spaces anywhere. */
static bool next_attribute(const char **s, const char *end, struct view *name, struct view *value) {
    const char *p = *s;
    while (p < end && strchr(" \t\r\n/", *p))
        p++;
    name->s = p;
    while (p < end && !strchr(" \t\r\n=/", *p))
        p++;
    name->n = (size_t)(p - name->s);
    while (p < end && strchr(" \t\r\n=", *p))
        p++;
    if (name->n == 0 || p == end || (*p != '"' && *p != '\'')) return false;
    const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
    if (!close) return false;
    *value = (struct view){p + 1, (size_t)(close - p - 1)};
    *s = close + 1;
    return true;
}

static void write_tag(struct cleaner *c, struct view tag) {
    const char *at = tag.s + (tag.n > 0), *end = tag.s + tag.n; /* past the '/' of a closing tag */
    while (at < end && !strchr(" \t\r\n/", *at))
        at++;
    buf_char(c->b, '<');
    buf_add(c->b, tag.s, (size_t)(at - tag.s));
    struct view name, value;
    while (next_attribute(&at, end, &name, &value))
        attribute(c, name, value);
    if (tag.n && tag.s[tag.n - 1] == '/') buf_char(c->b, '/');
    buf_char(c->b, '>');
}

static void write_groups(struct cleaner *c) {
    for (size_t i = 0; i < c->waiting.n; i++) {
        write_tag(c, c->waiting.v[i]);
        c->open++;
    }
    c->waiting.n = 0;
}

/* A dot is a reference to a shape in gnuplot's <defs>; here it is a circle, so that no two drawings share a name. */
static void dot(struct cleaner *c, struct view tag) {
    const char *at = tag.s + 3, *end = tag.s + tag.n;
    struct view name, value;
    double x = 0, y = 0, scale = 1;
    int ink = N_INKS;
    while (next_attribute(&at, end, &name, &value)) {
        char text[96];
        snprintf(text, sizeof text, "%.*s", (int)(value.n < 95 ? value.n : 95), value.s);
        if (name.n == 9 && memcmp(name.s, "transform", 9) == 0)
            sscanf(text, "translate(%lf ,%lf ) scale(%lf", &x, &y, &scale);
        else if (name.n == 5 && memcmp(name.s, "color", 5) == 0)
            ink = ink_of(value.s, value.n);
    }
    buf_printf(c->b, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" stroke=\"none\"", x, y, scale);
    if (ink < N_INKS && c->themed) buf_printf(c->b, " fill=\"var(%s)\"", svg_property[ink]);
    if (ink < N_INKS && !c->themed) buf_printf(c->b, " fill=\"%s\"", draw_colour[ink]);
    buf_str(c->b, "/>");
}

static bool is(struct view tag, const char *name) {
    size_t n = strlen(name);
    return tag.n >= n && memcmp(tag.s, name, n) == 0 && (tag.n == n || strchr(" \t\r\n/", tag.s[n]));
}

/* The body of a drawing, between <svg> and </svg>. */
static void clean(struct cleaner *c, const char *s, const char *end) {
    static const char *const skipped[] = {"title", "desc", "defs"};
    while (s < end) {
        if (*s != '<') {
            const char *next = memchr(s, '<', (size_t)(end - s));
            if (!next) next = end;
            if (strspn(s, " \t\r\n") < (size_t)(next - s)) {
                write_groups(c);
                buf_add(c->b, s, (size_t)(next - s));
            }
            s = next;
            continue;
        }
        const char *close = memchr(s, '>', (size_t)(end - s));
        if (!close) return;
        struct view tag = {s + 1, (size_t)(close - s - 1)};
        s = close + 1;
        bool skip = false;
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
            if (!is(tag, skipped[i])) continue;
            char last[16];
            snprintf(last, sizeof last, "</%s>", skipped[i]);
            const char *over = memmem(s, (size_t)(end - s), last, strlen(last));
            s = over ? over + strlen(last) : end;
            skip = true;
        }
        if (skip) continue;
        if (is(tag, "g")) {
            vec_push(&c->waiting, tag);
        } else if (is(tag, "/g")) {
            if (c->waiting.n > 0) {
                c->waiting.n--;
            } else if (c->open > 0) {
                buf_str(c->b, "</g>\n");
                c->open--;
            }
        } else {
            write_groups(c);
            if (is(tag, "use"))
                dot(c, tag);
            else
                write_tag(c, tag);
        }
    }
}

static void head(struct buf *b, const struct svg_job *job, enum svg_use use) {
    struct draw_frame f = draw_frame(job->plot, job->narrow);
    if (use == SVG_ALONE)
        buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", f.width, f.height);
    else
        buf_printf(b, "<svg class=\"%s\"", job->plot->size == PLOT_SMALL ? "any" : job->narrow ? "narrow" : "wide");
    buf_printf(b, " viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"%s\" aria-label=\"", f.width, f.height,
               use == SVG_ALONE ? "Helvetica, Arial, sans-serif" : "inherit");
    svg_escape(b, job->plot->alt);
    buf_str(b, "\">\n");
    if (use != SVG_ALONE) return;
    buf_str(b, "<title>");
    svg_escape(b, job->plot->title);
    buf_str(b, "</title>\n<desc>");
    svg_escape(b, job->plot->alt);
    buf_printf(b, "</desc>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", f.width, f.height);
}

bool svg_draw(struct svg_job *job, size_t n, enum svg_use use, char why[160]) {
    struct buf script = {0}, answer = {0};
    for (size_t i = 0; i < n; i++)
        draw_script(&script, job[i].plot, job[i].narrow);
    bool ok = n == 0 || gnuplot_run(&answer, &script, why);
    const char *at = answer.s;
    for (size_t i = 0; ok && i < n; i++) {
        const char *open = at ? strstr(at, "<svg") : NULL, *body = open ? strchr(open, '>') : NULL;
        const char *end = body ? strstr(body, "</svg>") : NULL;
        if (!end) {
            snprintf(why, 160, "gnuplot drew %zu of %zu plots", i, n);
            ok = false;
            break;
        }
        struct cleaner c = {.b = &job[i].svg, .themed = use == SVG_INLINE};
        head(c.b, &job[i], use);
        clean(&c, body + 1, end);
        vec_free(&c.waiting);
        buf_str(c.b, "</svg>\n");
        at = end;
    }
    buf_free(&script);
    buf_free(&answer);
    return ok;
}
