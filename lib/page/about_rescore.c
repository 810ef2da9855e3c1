#include "about_rescore.h"

#include <math.h>
#include <string.h>

#include "figure.h"
#include "pick.h"

static const char *share(struct page *p, double v) { return page_text(p, "%s", figure_share(v).s); }
static const char *number(struct page *p, double v) { return page_text(p, "%s", figure_number(v, NAN).s); }

/* The names of the two targets of a grid, from its first cell: "ttft_ms" and "tpot_ms". */
static bool axes(const json_t *cell, const char *key[2]) {
    size_t n = 0;
    const char *k;
    json_t *v;
    json_object_foreach((json_t *)cell, k, v) {
        size_t len = strlen(k);
        if (n < 2 && len > 3 && strcmp(k + len - 3, "_ms") == 0) key[n++] = k;
    }
    return n == 2;
}

static const char *heading(struct page *p, const char *key) {
    struct buf b = {0};
    for (size_t i = 0; key[i] && key[i] != '_'; i++)
        buf_char(&b, key[i] >= 'a' && key[i] <= 'z' ? (char)(key[i] - 'a' + 'A') : key[i]);
    const char *text = page_safe(p, b.s ? b.s : "", b.len);
    buf_free(&b);
    return text;
}

/* A row for each pair: grids are of any size, and the bar shows where acceptance falls off. */
static void grid(struct page *p, const json_t *cells) {
    const char *key[2];
    if (!axes(json_array_get(cells, 0), key)) return;
    double before = NAN;
    page_section(p, "Acceptance at other targets");
    page_columns(p, page_text(p, ">%s" NBSP "≤" NBSP "ms", heading(p, key[0])),
                 page_text(p, ">%s" NBSP "≤" NBSP "ms", heading(p, key[1])), ">accepted", ">per second", ">of offered",
                 PAGE_END);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *c = json_array_get(cells, i);
        double x = pick_real(c, "%s", key[0]), accepted = pick_real(c, "acceptance");
        bool again = x >= before && x <= before; /* a value of the first target is written once */
        page_row(p, again ? "" : number(p, x), number(p, pick_real(c, "%s", key[1])),
                 page_text(p, "%s", figure_count(doc_int_at(c, "accepted")).s), number(p, pick_real(c, "goodput_rps")),
                 share(p, accepted), PAGE_END)
            ->bar = accepted;
        before = x;
    }
    page_paragraph(p, "Everything else in the contract as it is.");
}

static void scores(struct page *p, const json_t *thresholds) {
    if (json_array_size(thresholds) == 0) return;
    page_section(p, "Acceptance if the score decided");
    page_columns(p, ">score" NBSP "≥", ">accepted", ">per second", ">of offered", PAGE_END);
    for (size_t i = 0; i < json_array_size(thresholds); i++) {
        const json_t *t = json_array_get(thresholds, i);
        double accepted = pick_real(t, "acceptance");
        page_row(p, number(p, pick_real(t, "threshold")), page_text(p, "%s", figure_count(doc_int_at(t, "accepted")).s),
                 number(p, pick_real(t, "goodput_rps")), share(p, accepted), PAGE_END)
            ->bar = accepted;
    }
}

static void wait(struct page *p, const json_t *w) {
    static const struct {
        const char *label, *of, *path;
    } row[] = {{"wait", "schedule", NULL},
               {"TTFT", "schedule", "ttft.intended"},
               {"", "send", "ttft.sent"},
               {"E2E", "schedule", "e2e.intended"},
               {"", "send", "e2e.sent"}};
    if (!(pick_real(w, "n") > 0)) return;
    page_section(p, "The client's own queue");
    page_columns(p, "latency", "from", ">requests", ">mean", ">p50", ">p90", ">p99", ">max", "", PAGE_END);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const json_t *d = row[i].path ? doc_at(w, row[i].path) : w;
        if (!(pick_real(d, "n") > 0)) continue;
        struct unit u = figure_unit(pick_real(d, "p50_ns"));
        const char *cell[5];
        static const char *const key[5] = {"mean_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};
        for (size_t k = 0; k < 5; k++)
            cell[k] = page_text(p, "%s", figure_span(doc_real_at(d, key[k]), u).s);
        page_row(p, row[i].label, row[i].of, page_text(p, "%s", figure_count(doc_int_at(d, "n")).s), cell[0], cell[1],
                 cell[2], cell[3], cell[4], u.name, PAGE_END);
    }
    page_paragraph(p, "Latencies of completed requests. Those from the send leave out the wait; if it is not small "
                      "against the targets, the run measured the client.");
}

void about_rescore(struct page *p, const json_t *report) {
    grid(p, doc_at(report, "frontier"));
    scores(p, doc_at(report, "quality.thresholds"));
    wait(p, doc_at(report, "client_wait"));
}
