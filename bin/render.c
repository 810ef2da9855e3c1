/* render: reports as people, documents and machines read them.
 *
 *     render steady.json goodput.json
 *     render -f markdown steady.json goodput.json >> $GITHUB_STEP_SUMMARY
 *     render runs/ *.json | head
 *     render -f tsv runs/ *.json > sweep.tsv
 *
 * Reports of one run make one page, headline first; several runs make a table, a row each.  Page and table say the same in
 * every format: what is said is decided once (about), how it looks by one writer per format. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "about.h"
#include "die.h"
#include "flat.h"
#include "html.h"
#include "markdown.h"
#include "opts.h"
#include "out.h"
#include "text.h"

enum format { AUTO, TEXT, MARKDOWN, HTML, TSV, JSON };

struct options {
    struct common common;
    int format;
    bool ascii;
};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'f', "format", "FORMAT", OPT_CHOICE, AT(format), "text (default), markdown, html; tsv, json: a row or object per run",
     "|text|markdown|html|tsv|json", 0, 0},
    {0, "ascii", NULL, OPT_FLAG, AT(ascii), "text without characters beyond ASCII", NULL, 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "render",
    .what = "Reports as text, Markdown, or flat rows: one run as a page, several as a table.",
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

static void write_page(struct buf *b, const struct options *o, const struct runs *runs) {
    struct page page = {0};
    if (runs->list.n == 1)
        about_run(&page, &runs->list.v[0]);
    else
        about_runs(&page, runs);
    if (o->format == MARKDOWN) {
        markdown_write(b, &page);
    } else if (o->format == HTML) {
        char why[160];
        if (!html_write(b, &page, why)) warn("plots are left out: %s", why);
    } else {
        if (o->ascii) page_ascii(&page);
        text_write(b, &page, (struct text_style){o->ascii, colour()});
    }
    page_free(&page);
}

int main(int argc, char **argv) {
    struct options o = {0};
    char **files = opts_parse(&tool, &o, argc, argv);
    if (o.format == AUTO) o.format = o.common.output == SPELL_TSV ? TSV : o.common.output == SPELL_NDJSON ? JSON : TEXT;

    struct runs runs;
    struct buf b = {0};
    runs_read(&runs, files);
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
