/* render: reports as people, documents and machines read them.
 *
 *     render steady.json goodput.json
 *     render -f markdown steady.json goodput.json >> $GITHUB_STEP_SUMMARY
 *     render -f html --manifest manifest.json steady.json goodput.json > run.html
 *     render runs/ *.json | head
 *     render -f tsv runs/ *.json > sweep.tsv
 *     render -f svg --plot frontier runs/ *.json > frontier.svg
 *
 * Reports of one run make one page, headline first; several runs make a table, a row each.  Page and table say the same in
 * every format: what is said is decided once (about), how it looks by one writer per format. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "about.h"
#include "about_compare.h"
#include "about_sweep.h"
#include "die.h"
#include "draw.h"
#include "flat.h"
#include "html.h"
#include "manifest.h"
#include "markdown.h"
#include "opts.h"
#include "out.h"
#include "svg.h"
#include "text.h"

enum format { AUTO, TEXT, MARKDOWN, HTML, TSV, JSON, GNUPLOT, SVG };

struct options {
    struct common common;
    int format; /* enum format */
    int plot; /* index into plots */
    const char *manifest;
    bool ascii, compare;
};

/* Plots that can be had alone, by the ids they have in a page. */
static const char *const plots[] = {"", "series", "hist-ttft", "hist-tpot", "rates", "staircase", "frontier"};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'f', "format", "FORMAT", OPT_CHOICE, AT(format),
     "text (default), markdown, html; tsv, json: a row or object per run; gnuplot, svg: one plot",
     "|text|markdown|html|tsv|json|gnuplot|svg", 0, 0},
    {0, "plot", "PLOT", OPT_CHOICE, AT(plot), "with -f gnuplot and svg: series, hist-ttft, hist-tpot, rates, ...",
     "|series|hist-ttft|hist-tpot|rates|staircase|frontier", 0, 0},
    {0, "manifest", "FILE", OPT_TEXT, AT(manifest), "what was tested, for the audit section (JSON)", NULL, 0, 0},
    {0, "compare", NULL, OPT_FLAG, AT(compare), "two runs side by side, and what of them may be compared", NULL, 0, 0},
    {0, "ascii", NULL, OPT_FLAG, AT(ascii), "text without characters beyond ASCII", NULL, 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "render",
    .what = "Reports as text, Markdown, HTML, plots or flat rows: one run as a page, several as a table.",
    .operands = "[FILE...]",
    .example = "render steady.json goodput.json",
    .exit_1 = "status 1 unless every run is steady (or steady_then_shift) and meets its contract",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
};

static bool colour(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no && *no) return false;
    return term && *term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static void fill_page(struct page *page, const struct options *o, const struct runs *runs, const json_t *manifest) {
    struct about with = {.audit = manifest || o->format == HTML, .glossary = o->format == HTML, .manifest = manifest};
    if (o->compare) {
        if (runs->list.n != 2 || runs->readable != 2)
            die("--compare: two runs are compared, and %zu can be read here", runs->readable);
        about_compare(page, &runs->list.v[0], &runs->list.v[1]);
    } else if (runs->list.n == 1) {
        about_run(page, &runs->list.v[0], &with);
    } else {
        about_sweep(page, runs, &with);
    }
}

/* One plot of the page, as a script or drawn. */
static void write_plot(struct buf *b, const struct options *o, const struct page *page) {
    const struct plot *found = NULL;
    for (size_t i = 0; i < page->blocks.n; i++)
        if (page->blocks.v[i].type == BLOCK_PLOT && strcmp(page->blocks.v[i].plot->id, plots[o->plot]) == 0)
            found = page->blocks.v[i].plot;
    if (!found) die("--plot: these reports have nothing to draw as '%s'", plots[o->plot]);
    if (o->format == GNUPLOT) {
        buf_printf(b, "# %s: gnuplot FILE > %s.svg\n", found->id, found->id);
        draw_script(b, found, false);
        return;
    }
    struct svg_job job = {.plot = found};
    char why[160];
    if (!svg_draw(&job, 1, SVG_ALONE, why)) die("%s", why);
    buf_add(b, job.svg.s, job.svg.len);
    buf_free(&job.svg);
}

static void write_page(struct buf *b, const struct options *o, const struct runs *runs) {
    struct page page = {0};
    json_t *manifest = o->manifest ? manifest_read(o->manifest) : NULL;
    char why[160];
    fill_page(&page, o, runs, manifest);
    switch ((enum format)o->format) {
    case GNUPLOT:
    case SVG: write_plot(b, o, &page); break;
    case MARKDOWN: markdown_write(b, &page); break;
    case HTML:
        if (!html_write(b, &page, why)) warn("plots are left out: %s", why);
        break;
    default:
        if (o->ascii) page_ascii(&page);
        text_write(b, &page, (struct text_style){o->ascii, colour()});
    }
    page_free(&page);
    json_decref(manifest);
}

static void check_options(struct options *o) {
    enum format spelled = o->common.output == SPELL_TSV ? TSV : o->common.output == SPELL_NDJSON ? JSON : TEXT;
    if (o->format == AUTO) o->format = spelled;
    bool draws = o->format == GNUPLOT || o->format == SVG, rows = o->format == TSV || o->format == JSON;
    if (draws && !o->plot) die("-f gnuplot and -f svg draw one plot: name it with --plot");
    if (!draws && o->plot) die("--plot goes with -f gnuplot or -f svg");
    if (rows && (o->compare || o->manifest)) die("rows of figures hold no %s", o->compare ? "comparison" : "manifest");
}

int main(int argc, char **argv) {
    struct options o = {0};
    char **files = opts_parse(&tool, &o, argc, argv);
    check_options(&o);

    struct runs runs;
    struct buf b = {0};
    runs_read(&runs, files);
    if (!o.compare) runs_by_load(&runs);
    if (runs.list.n == 1 && runs.readable == 0) die("%s: %s", runs.list.v[0].file, runs.list.v[0].unreadable);
    if (o.format == TSV)
        flat_tsv(&b, &runs);
    else if (o.format == JSON)
        flat_json(&b, &runs);
    else
        write_page(&b, &o, &runs);
    out_add(b.s, b.len);
    out_close();

    int status = 0;
    for (size_t i = 0; o.common.exit_status && i < runs.list.n; i++)
        if (!about_yes(&runs.list.v[i])) status = 1;
    for (size_t i = 0; i < runs.list.n; i++)
        if (runs.list.v[i].unreadable) warn("%s: %s", runs.list.v[i].file, runs.list.v[i].unreadable);
    if (runs.readable == 0) status = DIE_STATUS;
    buf_free(&b);
    runs_free(&runs);
    return status;
}
