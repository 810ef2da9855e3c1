/* report_fuzz: report documents, and the pages made of them.
 *
 * Whatever the members of a report hold, every page of it is made, without a control character; a report is the same after
 * lines of path and value.  Capacity and comparison may refuse it. */
#include <stdlib.h>

#include "about.h"
#include "about_compare.h"
#include "about_sweep.h"
#include "capacity.h"
#include "compare.h"
#include "draw.h"
#include "flat.h"
#include "fuzz.h"
#include "html.h"
#include "markdown.h"
#include "report.h"
#include "svg.h"
#include "text.h"

bool __wrap_svg_draw(struct svg_job *job, size_t n, enum svg_use use, char why[160]);

/* gnuplot is not started: the scripts are made. */
bool __wrap_svg_draw(struct svg_job *job, size_t n, enum svg_use use, char why[160]) {
    for (size_t i = 0; i < n; i++)
        draw_script(&job[i].svg, job[i].plot, job[i].narrow);
    for (size_t i = 0; i < n; i++)
        buf_free(&job[i].svg);
    snprintf(why, 160, "not drawn for %d", (int)use);
    return false;
}

static void require_text(struct buf *b, bool tabs) {
    for (size_t i = 0; i < b->len; i++) {
        unsigned char c = (unsigned char)b->s[i];
        fuzz_require((c >= ' ' && c != 0x7f) || c == '\n' || (tabs && c == '\t'), "a control character on a page");
    }
    buf_free(b);
}

static void make_page(struct page *page) {
    struct buf b = {0};
    char why[160];
    html_write(&b, page, why);
    require_text(&b, false);
    markdown_write(&b, page);
    require_text(&b, false);
    text_write(&b, page, (struct text_style){0});
    require_text(&b, false);
    page_ascii(page);
    text_write(&b, page, (struct text_style){.ascii = true});
    require_text(&b, false);
    page_free(page);
}

static void make_pages(struct runs *runs) {
    struct buf b = {0};
    flat_tsv(&b, runs);
    require_text(&b, true);
    flat_json(&b, runs);
    require_text(&b, false);
    const struct about with = {.audit = true, .glossary = true};
    struct page page = {0};
    if (runs->list.n > 0 && !runs->list.v[0].unreadable) {
        about_yes(&runs->list.v[0]);
        about_run(&page, &runs->list.v[0], &with);
        make_page(&page);
    }
    page = (struct page){0};
    about_sweep(&page, runs, &with);
    make_page(&page);
    if (runs->list.n == 2 && runs->readable == 2) {
        page = (struct page){0};
        about_compare(&page, &runs->list.v[0], &runs->list.v[1]);
        make_page(&page);
    }
}

/* The same document once more, as lines. */
static struct buf as_lines(const json_t *report) {
    report_write(report, SPELL_TSV);
    return fuzz_stdout();
}

static void try_lines(const json_t *report) {
    char why[160];
    struct buf lines = as_lines(report);
    json_t *back = report_read(fuzz_file(1, (struct view){lines.s, lines.len}), NULL, why);
    fuzz_require(json_array_size(back) == 1, "the lines of a report are no report");
    struct buf again = as_lines(json_array_get(back, 0));
    fuzz_same((struct view){lines.s, lines.len}, (struct view){again.s, again.len}, "a report after lines");
    buf_free(&again);
    buf_free(&lines);
    json_decref(back);
}

static void read_and_show(struct view input) {
    char why[160], first[32], second[32];
    snprintf(first, sizeof first, "%s", fuzz_file(0, input));
    json_t *list = report_read(first, NULL, why);
    fuzz_accepted(); /* a bad report is a row of a table */
    for (size_t i = 0; i < json_array_size(list); i++)
        try_lines(json_array_get(list, i));
    if (json_array_size(list) > 1) json_decref(compare_baseline(json_array_get(list, 0), json_array_get(list, 1), why));
    json_decref(list);
    snprintf(second, sizeof second, "%s", fuzz_file(1, input));
    for (size_t n = 1; n <= 2; n++) {
        char *files[] = {first, n > 1 ? second : NULL, NULL};
        struct runs runs;
        runs_read(&runs, files);
        runs_by_load(&runs);
        make_pages(&runs);
        runs_free(&runs);
    }
}

static void rate(struct view input) {
    char path[32];
    snprintf(path, sizeof path, "%s", fuzz_file(0, input));
    char *files[] = {path, NULL};
    json_decref(capacity_rate(files, .1, 100));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct view input = {(const char *)data, size};
    if (fuzz_attempt(read_and_show, input)) fuzz_attempt(rate, input);
    return 0;
}
