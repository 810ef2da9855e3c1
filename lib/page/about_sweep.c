#include "about_sweep.h"

#include <math.h>
#include <string.h>

#include "about_audit.h"
#include "about_glossary.h"
#include "figure.h"
#include "flat.h"
#include "num.h"
#include "phrase.h"
#include "plot_frontier.h"
#include "plot_series.h"
#include "plot_staircase.h"

static const char *steady_cell(struct page *p, const json_t *row, const char *key) {
    if (!doc_true_at(row, "certified")) return FIGURE_MISSING;
    return page_text(p, "%s", figure_number(doc_real_at(row, key), NAN).s);
}

/* Whether the runs are told apart by their concurrency, or by the rate that was offered. */
static bool are_closed(const struct runs *runs) {
    bool closed = false;
    for (size_t i = 0; i < runs->list.n; i++) {
        if (int_known(runs->list.v[i].concurrency))
            closed = true;
        else if (!isnan(runs->list.v[i].offered_rps))
            return false;
    }
    return closed;
}

static const char *load(struct page *p, const struct run *run, bool closed) {
    struct figure f = closed ? figure_count(run->concurrency) : figure_number(run->offered_rps, NAN);
    return page_text(p, "%s", f.s);
}

static const char *share(struct page *p, const json_t *row, const char *key) {
    return page_text(p, "%s", figure_share(doc_real_at(row, key)).s);
}

/* "12 steady, 3 too_short, 1 unreadable", in order of appearance */
static const char *tally(struct page *p, const json_t *counts) {
    struct buf b = {0};
    const char *key;
    json_t *n;
    json_object_foreach((json_t *)counts, key, n) {
        buf_printf(&b, "%s%s %s", b.len ? ", " : "", figure_count(json_integer_value(n)).s,
                   page_safe(p, key, strlen(key)));
    }
    const char *text = b.len ? page_text(p, "%s.", b.s) : NULL;
    buf_free(&b);
    return text;
}

static void notes(struct page *p, const struct run *run) {
    const char *name = page_safe(p, run->name, strlen(run->name));
    const json_t *steady = run->steady ? doc_at(run->steady, "reasons") : NULL;
    const json_t *goodput = run->goodput ? doc_at(run->goodput, "reasons") : NULL;
    for (size_t i = 0; i < json_array_size(steady); i++)
        page_item(p, page_text(p, "%s: %s", name, about_reason(p, run->steady, json_array_get(steady, i))));
    for (size_t i = 0; i < json_array_size(goodput); i++)
        page_item(p, page_text(p, "%s: %s", name, phrase_reason(p, json_array_get(goodput, i))));
}

/* Drawings of a sweep: what load does, what is to be had, and every run in small. */
static void drawings(struct page *p, const struct runs *runs) {
    page_section(p, "Load and what is useful of it");
    page_plot(p, plot_staircase_runs(p, runs));
    page_section(p, "Throughput and interactivity");
    page_plot(p, plot_frontier(p, runs));
    page_section(p, "Every run");
    for (size_t i = 0; i < runs->list.n; i++) {
        const struct run *run = &runs->list.v[i];
        if (run->steady)
            page_plot(p, plot_series_small(p, run->steady, page_safe(p, run->name, strlen(run->name)),
                                           page_text(p, "run-%zu", i)));
    }
    page_section(p, NULL);
}

void about_sweep(struct page *p, const struct runs *runs, const struct about *with) {
    json_t *counts = json_object();
    bool yes = true, closed = are_closed(runs);
    page_columns(p, "status", "run", ">load", ">TPS", ">TPOT", ">TTFT", ">goodput", ">accepted", PAGE_END);
    for (size_t i = 0; i < runs->list.n; i++) {
        const struct run *run = &runs->list.v[i];
        json_t *row = flat_row(run);
        const char *status = run->unreadable ? "unreadable" : doc_text_at(row, "status");
        int64_t n = json_integer_value(json_object_get(counts, status));
        doc_set_int(counts, status, n + 1);
        yes &= about_yes(run);
        if (run->unreadable)
            page_across(p, page_text(p, "unreadable: %s: %s", page_safe(p, run->file, strlen(run->file)),
                                     page_safe(p, run->unreadable, strlen(run->unreadable))));
        else
            page_row(p, page_safe(p, status, strlen(status)), page_safe(p, run->name, strlen(run->name)),
                     load(p, run, closed), steady_cell(p, row, "tps_system"), steady_cell(p, row, "tpot_p50_ms"),
                     steady_cell(p, row, "ttft_p99_ms"),
                     page_text(p, "%s", figure_number(doc_real_at(row, "goodput_rps"), NAN).s),
                     share(p, row, "acceptance"), PAGE_END);
        json_decref(row);
    }
    p->name = "sweep";
    p->headline = page_text(p, "%zu runs", runs->list.n);
    p->tone = yes ? TONE_GOOD : TONE_CAUTION;
    p->lead = tally(p, counts);
    json_decref(counts);
    page_paragraph(
        p, page_text(p,
                     "Load: %s. TPS: system tokens/s in the steady window. TPOT p50 and TTFT p99 there, ms. Goodput: "
                     "requests/s. Accepted: share of offered. —: not measured, or not certified.",
                     closed ? "clients of a closed loop" : "requests/s offered"));
    drawings(p, runs);
    page_section(p, "Why");
    for (size_t i = 0; i < runs->list.n; i++)
        notes(p, &runs->list.v[i]);
    if (with->audit && with->manifest) about_audit(p, NULL, with->manifest);
    if (with->glossary) about_glossary(p);
}
