#include "html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "figure.h"
#include "html_style.h"
#include "svg.h"

/* What is being written, and where it stands. */
struct html {
    struct buf *b;
    const struct page *page;
    struct svg_job *job; /* drawings, in the order of the blocks; NULL: none */
    size_t next_job;
    const char *section; /* title of the section at hand */
};

static void put(struct html *h, const char *s) { svg_escape(h->b, s); }

/* "<tag class>text</tag>" */
static void element(struct html *h, const char *open, const char *text, const char *close) {
    buf_str(h->b, open);
    put(h, text ? text : "");
    buf_str(h->b, close);
}

/* ---- blocks ---- */

/* Number and unit apart: "2850 tokens/s". */
static void tiles(struct html *h, const struct page_block *block) {
    buf_str(h->b, "<dl class=\"tiles\">\n");
    for (size_t i = 0; i < block->facts.n; i++) {
        const struct page_fact *f = &block->facts.v[i];
        const char *unit = strstr(f->value, NBSP);
        size_t n = unit ? (size_t)(unit - f->value) : strlen(f->value);
        char *value = xstrndup(f->value, n);
        element(h, "<div><dt>", f->label, "</dt><dd class=\"value\">");
        put(h, value);
        if (unit) element(h, " <span class=\"unit\">", unit + strlen(NBSP), "</span>");
        buf_str(h->b, "</dd>");
        if (f->note && *f->note) element(h, "<dd class=\"note\">", f->note, "</dd>");
        buf_str(h->b, "</div>\n");
        free(value);
    }
    buf_str(h->b, "</dl>\n");
}

static void facts(struct html *h, const struct page_block *block) {
    element(h, "<table class=\"facts\"><caption>", h->section, "</caption><tbody>\n");
    for (size_t i = 0; i < block->facts.n; i++) {
        const struct page_fact *f = &block->facts.v[i];
        if (*f->label)
            element(h, "<tr><th scope=\"row\">", f->label, "</th>");
        else
            buf_str(h->b, "<tr><td></td>");
        if (f->note && *f->note) {
            bool brief = page_width(f->value) < 36;
            element(h, brief ? "<td class=\"value brief\">" : "<td class=\"value\">", f->value, "</td>");
            element(h, "<td class=\"note\">", f->note, "</td></tr>\n");
        } else {
            element(h, "<td class=\"wide\" colspan=\"2\">", f->value, "</td></tr>\n");
        }
    }
    buf_str(h->b, "</tbody></table>\n");
}

static void begin_table(struct html *h, const char *class, const char *what) {
    buf_printf(h->b, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    put(h, what);
    buf_printf(h->b, "\"><table%s%s%s><caption>", *class ? " class=\"" : "", class, *class ? "\"" : "");
    put(h, what);
    buf_str(h->b, "</caption>\n<thead><tr>");
}

static void row(struct html *h, const struct page_block *block, const struct page_row *r, bool bars) {
    buf_str(h->b, r->sum ? "<tr class=\"sum\">" : "<tr>");
    if (r->across) {
        buf_printf(h->b, "<td class=\"across\" colspan=\"%zu\">", block->n_columns + bars);
        element(h, "", r->across, "</td></tr>\n");
        return;
    }
    for (size_t c = 0; c < block->n_columns; c++) {
        const char *tag = c == 0 ? "th" : "td";
        buf_printf(h->b, "<%s%s%s>", tag, c == 0 ? " scope=\"row\"" : "", block->right[c] ? " class=\"r\"" : "");
        put(h, r->cell[c]);
        buf_printf(h->b, "</%s>", tag);
    }
    if (bars) {
        buf_str(h->b, "<td class=\"bar\">");
        if (r->bar > 0) buf_printf(h->b, "<span style=\"width:%.2f%%\"></span>", fmin(r->bar, 1) * 100);
        buf_str(h->b, "</td>");
    }
    buf_str(h->b, "</tr>\n");
}

static void table(struct html *h, const struct page_block *block) {
    bool bars = false;
    for (size_t i = 0; i < block->rows.n; i++)
        bars |= !isnan(block->rows.v[i].bar);
    bool named = block->n_columns > 0 && *block->column[0] && !block->title;
    begin_table(h, bars ? "bars" : "", named ? block->column[0] : h->section);
    for (size_t c = 0; c < block->n_columns; c++) {
        if (!*block->column[c] && c > 0) {
            buf_str(h->b, "<td></td>");
            continue;
        }
        buf_str(h->b, block->right[c] ? "<th scope=\"col\" class=\"r\">" : "<th scope=\"col\">");
        put(h, *block->column[c] ? block->column[c] : "figure");
        buf_str(h->b, "</th>");
    }
    if (bars) buf_str(h->b, "<td></td>");
    buf_str(h->b, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < block->rows.n; i++)
        row(h, block, &block->rows.v[i], bars);
    buf_str(h->b, "</tbody></table></div>\n");
}

/* The values of a chart, for who cannot or need not see the drawing. */
static void chart(struct html *h, const struct page_block *block) {
    element(h, h->job ? "<details><summary>" : "<details open><summary>", block->text, "</summary>");
    begin_table(h, "", block->text);
    buf_str(h->b, "<th scope=\"col\" class=\"r\">pass</th><th scope=\"col\" class=\"r\">value</th>"
                  "<th scope=\"col\">part</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < block->points.n; i++) {
        const struct page_point *at = &block->points.v[i];
        buf_printf(h->b, "<tr><th scope=\"row\" class=\"r\">%lld</th><td class=\"r\">%s</td><td>%s</td></tr>\n",
                   at->pass, figure_number(at->v, NAN).s, page_part(at->mark));
    }
    buf_str(h->b, "</tbody></table></div></details>\n");
}

/* What the script needs to show values: the frame, and all points. */
static void plot_data(struct html *h, const struct plot *p) {
    struct buf text = {0};
    buf_printf(&text, "{\"x\":[%.10g,%.10g],\"log\":%s,\"label\":\"", p->x0, p->x1, p->log_x ? "true" : "false");
    page_json(&text, p->x_label ? p->x_label : "pass");
    buf_str(&text, "\"");
    for (int narrow = 0; narrow < 2; narrow++) {
        struct draw_frame f = draw_frame(p, narrow);
        buf_printf(&text, ",\"%s\":[%d,%d,%d,%d]", narrow ? "narrow" : "wide", f.left, f.width - f.right, f.top,
                   f.height - f.bottom);
    }
    buf_str(&text, ",\"lines\":[");
    const char *comma = "";
    for (size_t i = 0; i < p->panels.n; i++)
        for (size_t k = 0; k < p->panels.v[i].lines.n; k++) {
            const struct plot_line *line = &p->panels.v[i].lines.v[k];
            if (line->style == LINE_DASHES) continue;
            buf_printf(&text, "%s[\"", comma);
            page_json(&text, p->panels.v[i].y_label);
            if (line->name) buf_char(&text, ' ');
            page_json(&text, line->name);
            buf_str(&text, "\",[");
            comma = "";
            for (size_t j = 0; j < line->points.n; j++) {
                const struct plot_point *at = &line->points.v[j];
                if (isnan(at->y)) continue;
                buf_printf(&text, "%s[%.5g,%.5g", comma, at->x, at->y);
                if (at->label) {
                    buf_str(&text, ",\"");
                    page_json(&text, at->label);
                    buf_char(&text, '"');
                }
                buf_char(&text, ']');
                comma = ",";
            }
            buf_str(&text, "]]");
            comma = ",";
        }
    buf_str(&text, "]}");
    put(h, text.s);
    buf_free(&text);
}

static bool continues(const struct page_block *a, const struct page_block *b) {
    return a && b && a->type == BLOCK_PLOT && b->type == BLOCK_PLOT && !b->title && a->plot->size == b->plot->size;
}

static void plot(struct html *h, const struct page_block *block, const struct page_block *before,
                 const struct page_block *after) {
    static const char *const class[] = {[PLOT_FULL] = "full", [PLOT_HALF] = "half", [PLOT_SMALL] = "small"};
    if (!h->job) return;
    const struct plot *p = block->plot;
    if (!continues(before, block)) buf_printf(h->b, "<div class=\"%s\">\n", class[p->size]);
    buf_printf(h->b, "<figure id=\"%s\" data-plot=\"", p->id);
    plot_data(h, p);
    buf_str(h->b, "\">\n");
    do {
        const struct svg_job *job = &h->job[h->next_job++];
        buf_add(h->b, job->svg.s, job->svg.len);
    } while (h->job[h->next_job].plot == p);
    element(h, "<figcaption>", p->title, "</figcaption></figure>\n");
    if (!continues(block, after)) buf_str(h->b, "</div>\n");
}

/* ---- the page ---- */

static void head(struct html *h) {
    buf_str(h->b,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n");
    element(h, "<title>", h->page->name, ": ");
    put(h, h->page->headline);
    buf_printf(h->b, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
}

static void title(struct html *h) {
    static const char *const tone[] = {"plain", "good", "caution", "bad"};
    buf_printf(h->b, "<header class=\"%s\">\n", tone[h->page->tone]);
    element(h, "<p class=\"run\">", h->page->name, "</p>\n");
    element(h, "<h1>", h->page->headline, "</h1>\n");
    if (h->page->lead) element(h, "<p class=\"lead\">", h->page->lead, "</p>\n");
    buf_str(h->b, "</header>\n");
}

static bool shown(const struct html *h, const struct page_block *block) { return block->type != BLOCK_PLOT || h->job; }

static void contents(struct html *h) {
    buf_str(h->b, "<nav aria-label=\"Contents\">\n");
    for (size_t i = 0; i < h->page->blocks.n; i++) {
        const struct page_block *block = &h->page->blocks.v[i];
        if (!block->title || !shown(h, block)) continue;
        buf_printf(h->b, "<a href=\"#s%zu\">", i);
        size_t n = strcspn(block->title, ":,");
        char *brief = xstrndup(block->title, n);
        element(h, "", brief, "</a>\n");
        free(brief);
    }
    buf_str(h->b, "</nav>\n");
}

static void body(struct html *h) {
    const struct page_block *v = h->page->blocks.v;
    bool tiled = false, listed = false;
    for (size_t i = 0; i < h->page->blocks.n; i++) {
        const struct page_block *block = &v[i];
        if (!shown(h, block)) continue;
        if (block->title) {
            buf_printf(h->b, "<h2 id=\"s%zu\">", i);
            element(h, "", block->title, "</h2>\n");
            h->section = block->title;
        }
        switch (block->type) {
        case BLOCK_TEXT: element(h, "<p>", block->text, "</p>\n"); break;
        case BLOCK_LIST:
            buf_str(h->b, "<ul>\n");
            for (size_t k = 0; k < block->items.n; k++)
                element(h, "<li>", block->items.v[k], "</li>\n");
            buf_str(h->b, "</ul>\n");
            break;
        case BLOCK_FACTS:
            tiled |= i > 1;
            tiled ? facts(h, block) : tiles(h, block);
            break;
        case BLOCK_TABLE: table(h, block); break;
        case BLOCK_CHART: chart(h, block); break;
        case BLOCK_PLOT: plot(h, block, i ? &v[i - 1] : NULL, i + 1 < h->page->blocks.n ? &v[i + 1] : NULL); break;
        }
        if (!listed) contents(h);
        listed = true;
    }
}

/* Every plot in both widths; the small ones in one.  Ended by one without a plot. */
static struct svg_job *jobs(const struct page *p, size_t *n) {
    VEC(struct svg_job) job = {0};
    for (size_t i = 0; i < p->blocks.n; i++) {
        struct svg_job wide = {.plot = p->blocks.v[i].plot}, narrow = {.plot = wide.plot, .narrow = true};
        if (p->blocks.v[i].type != BLOCK_PLOT) continue;
        vec_push(&job, wide);
        if (wide.plot->size != PLOT_SMALL) vec_push(&job, narrow);
    }
    *n = job.n;
    struct svg_job end = {0};
    vec_push(&job, end);
    return job.v;
}

bool html_write(struct buf *b, const struct page *p, char why[160]) {
    size_t n;
    struct svg_job *job = jobs(p, &n);
    bool drawn = svg_draw(job, n, SVG_INLINE, why);
    struct html h = {.b = b, .page = p, .job = drawn ? job : NULL, .section = "Main figures"};
    head(&h);
    title(&h);
    if (!drawn) element(&h, "<p class=\"notice\">Plots are left out: ", why, ".</p>\n");
    body(&h);
    buf_printf(b, "<footer>Rates, shares and latencies by the definitions above; intervals at 95 %%.</footer>\n"
                  "</main>\n");
    if (drawn && n > 0) buf_printf(b, "<script>\n%s</script>\n", html_script);
    buf_str(b, "</body>\n</html>\n");
    for (size_t i = 0; i < n; i++)
        buf_free(&job[i].svg);
    free(job);
    return drawn;
}
