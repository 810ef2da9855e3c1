#include "about_goodput.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "about_rescore.h"
#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"
#include "plot_rates.h"

static const char *text_count(struct page *p, int64_t n) { return page_text(p, "%s", figure_count(n).s); }
static const char *text_number(struct page *p, double v) { return page_text(p, "%s", figure_number(v, NAN).s); }
static const char *text_share(struct page *p, double v) { return page_text(p, "%s", figure_share(v).s); }

/* Offered, answered, useful: the three rates that must be read together. */
static void load(struct page *p, const json_t *r) {
    static const struct {
        const char *label, *count, *rate;
    } row[] = {{"offered", "offered", "rates.offered_rps"},
               {"sent", "sent", "rates.sent_rps"},
               {"answered", "responses", "rates.responses_rps"},
               {"succeeded", "succeeded", "rates.succeeded_rps"},
               {"accepted (goodput)", "accepted", "rates.goodput_rps"}};
    double offered = pick_real(r, "offered");
    page_columns(p, "load", ">requests", ">per second", ">of offered", PAGE_END);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double n = pick_real(r, "%s", row[i].count);
        page_row(p, row[i].label, text_count(p, doc_int_at(r, row[i].count)),
                 text_number(p, pick_real(r, "%s", row[i].rate)), text_share(p, n / offered), PAGE_END)
            ->bar = n / offered;
    }
}

static void dispositions(struct page *p, const json_t *r) {
    const json_t *d = doc_at(r, "dispositions");
    if (!json_is_object(d)) return;
    int64_t offered = doc_int_at(r, "offered"), sum = 0;
    const char *key;
    json_t *v;
    page_columns(p, "disposition", ">requests", ">of offered", PAGE_END);
    json_object_foreach((json_t *)d, key, v) {
        char label[48];
        size_t n = 0;
        for (; n < sizeof label - 1 && key[n]; n++)
            label[n] = key[n] == '_' ? ' ' : key[n];
        int64_t count = json_integer_value(v);
        double part = offered > 0 ? (double)count / (double)offered : NAN;
        sum += count;
        page_row(p, page_safe(p, label, n), text_count(p, count), text_share(p, part), PAGE_END)->bar = part;
    }
    const char *closes = sum == offered ? "all offered" : page_text(p, "≠ %s", figure_count(offered).s);
    page_row(p, "sum", text_count(p, sum), closes, PAGE_END)->sum = true;
}

static void misses(struct page *p, const json_t *r) {
    const json_t *m = doc_at(r, "misses");
    struct buf b = {0};
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)m, key, v) {
        if (json_integer_value(v) == 0) continue;
        buf_printf(&b, "%s%s %s", b.len ? ", " : "", phrase_metric(p, key), figure_count(json_integer_value(v)).s);
    }
    if (b.len > 0)
        page_paragraph(p, page_text(p, "Missed by completed requests: %s (one request may miss several).", b.s));
    buf_free(&b);
}

/* A percentile that falls among the requests that never ended is infinite, not missing. */
static const char *percentile(struct page *p, const json_t *d, const char *key, struct unit u) {
    double v = doc_real_at(d, key);
    if (!isnan(v)) return page_text(p, "%s", figure_span(v, u).s);
    return doc_true_at(d, "censored") && strcmp(key, "mean_ns") != 0 ? "∞" : FIGURE_MISSING;
}

static void latency(struct page *p, const json_t *r) {
    static const char *const metric[][2] = {{"ttft", "TTFT"}, {"tpot", "TPOT"}, {"gap", "max gap"}, {"e2e", "E2E"}};
    static const char *const population[] = {"completed", "offered"};
    page_columns(p, "latency", "of", ">requests", ">mean", ">p50", ">p90", ">p99", "", ">target", PAGE_END);
    struct buf unseen = {0};
    for (size_t m = 0; m < 4; m++) {
        if (!(pick_real(r, "latency.%s.completed.n", metric[m][0]) > 0)) {
            buf_printf(&unseen, "%s%s", unseen.len ? ", " : "", metric[m][1]);
            continue;
        }
        struct unit u = figure_unit(pick_real(r, "latency.%s.completed.p50_ns", metric[m][0]));
        double target = pick_real(r, "contract.latency_ms.%s", metric[m][0]) * 1e6;
        for (size_t i = 0; i < 2; i++) {
            char path[48];
            snprintf(path, sizeof path, "latency.%s.%s", metric[m][0], population[i]);
            const json_t *d = doc_at(r, path);
            page_row(p, i ? "" : metric[m][1], population[i], text_count(p, doc_int_at(d, "n")),
                     percentile(p, d, "mean_ns", u), percentile(p, d, "p50_ns", u), percentile(p, d, "p90_ns", u),
                     percentile(p, d, "p99_ns", u), u.name,
                     i || isnan(target) ? "" : page_text(p, "≤" NBSP "%s", figure_span(target, u).s), PAGE_END);
        }
    }
    page_paragraph(p,
                   page_text(p, "offered: a request that did not complete counts as infinitely late.%s%s%s",
                             unseen.len ? " Not measured: " : "", unseen.len ? unseen.s : "", unseen.len ? "." : ""));
    buf_free(&unseen);
}

static void lengths(struct page *p, const json_t *r) {
    static const char *const which[][2] = {{"isl", "Input tokens"}, {"osl", "Output tokens"}};
    for (size_t i = 0; i < 2; i++) {
        double mean = pick_real(r, "lengths.%s.mean", which[i][0]);
        if (isnan(mean)) continue;
        double p50 = pick_real(r, "lengths.%s.p50", which[i][0]), p90 = pick_real(r, "lengths.%s.p90", which[i][0]);
        page_fact(p, which[i][1], page_text(p, "%s mean", figure_number(mean, NAN).s),
                  isnan(p50) ? page_text(p, "%s requests",
                                         figure_count(doc_int_at(r, page_text(p, "lengths.%s.n", which[i][0]))).s)
                             : page_text(p, "p50" NBSP "%s" NBSP NBSP " p90" NBSP "%s", figure_number(p50, NAN).s,
                                         figure_number(p90, NAN).s));
    }
    double tokens = pick_real(r, "rates.good_tokens_per_s");
    page_fact(p, "Good output tokens",
              isnan(tokens) ? "not measured" : page_text(p, "%s" NBSP "tokens/s", figure_number(tokens, NAN).s),
              "of accepted requests");
}

static const char *segment_name(struct page *p, const json_t *s) {
    const char *by = pick_text(p, s, "by"), *value = pick_text(p, s, "segment");
    if (!value) value = json_is_integer(doc_at(s, "segment")) ? text_count(p, doc_int_at(s, "segment")) : "missing";
    return by ? page_text(p, "%s %s", by, value) : value;
}

static void segments(struct page *p, const json_t *r) {
    const json_t *list = doc_at(r, "segments");
    if (json_array_size(list) == 0) return;
    page_section(p, "Segments");
    page_columns(p, "segment", ">offered", ">accepted", ">of offered", ">TTFT" NBSP "p99", ">TPOT" NBSP "p99",
                 "verdict", PAGE_END);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *s = json_array_get(list, i);
        const char *verdict = pick_text(p, s, "verdict");
        page_row(p, segment_name(p, s), text_count(p, doc_int_at(s, "offered")),
                 text_count(p, doc_int_at(s, "accepted")), text_share(p, pick_real(s, "acceptance.ratio")),
                 text_number(p, pick_real(s, "latency.ttft.offered.p99_ns") / 1e6),
                 text_number(p, pick_real(s, "latency.tpot.offered.p99_ns") / 1e6), verdict ? verdict : "", PAGE_END);
    }
    page_paragraph(p, "Percentiles in ms, of the offered requests.");
}

static void cohort(struct page *p, const json_t *r) {
    const json_t *c = doc_at(r, "cohort");
    if (!json_is_object(c)) return;
    page_section(p, "Cohort");
    double drain = pick_real(c, "drain_s");
    page_fact(p, "Arrivals",
              page_text(p, "%s to %s", figure_time(pick_real(c, "t0_s")).s, figure_time(pick_real(c, "t1_s")).s),
              isnan(drain) ? "answers awaited to the end of the log"
                           : page_text(p, "answers awaited for %s more", figure_time(drain).s));
    page_fact(p, "Offered", text_count(p, doc_int_at(c, "offered")),
              page_text(p, "%s accepted, %s", figure_count(doc_int_at(c, "accepted")).s,
                        figure_share(pick_real(c, "acceptance.ratio")).s));
    page_fact(p, "Cohort goodput",
              page_text(p, "%s" NBSP "requests/s", figure_number(pick_real(c, "rates.goodput_rps"), NAN).s),
              page_text(p, "accepted requests ending in the window, of any arrival: %s" NBSP "/s",
                        figure_number(pick_real(c, "completion_window_rps"), NAN).s));
}

static void account(struct page *p, const json_t *r) {
    double s = pick_real(r, "duration.s"), arrival = pick_real(r, "duration.arrival_s");
    const char *source = pick_text(p, r, "duration.source"), *contract = pick_text(p, r, "contract.name");
    if (contract) page_fact(p, "Contract", contract, NULL);
    page_fact(
        p, "Duration", page_text(p, "%s", figure_time(s).s),
        page_text(p, "arrivals over %s%s%s", figure_time(arrival).s, source ? ", by " : "", source ? source : ""));
    int64_t late = doc_int_at(r, "duration.late_completions"), beyond = doc_int_at(r, "duration.beyond");
    int64_t untracked = doc_int_at(r, "untracked");
    if (int_known(late) && late > 0)
        page_fact(p, "Ended late", text_count(p, late), "accepted ones that ended after the stop");
    if (int_known(beyond) && beyond > 0)
        page_fact(p, "Left out", text_count(p, beyond), "arrivals after the stated duration");
    if (int_known(untracked) && untracked > 0)
        page_fact(p, "Untracked", text_count(p, untracked), "not measured: warm-up requests");
}

void about_goodput(struct page *p, const json_t *report) {
    page_section(p, "Goodput: every offered request accounted for");
    load(p, report);
    page_plot(p, plot_rates(p, report));
    dispositions(p, report);
    misses(p, report);
    latency(p, report);
    lengths(p, report);
    account(p, report);
    cohort(p, report);
    segments(p, report);
    about_rescore(p, report);
}
