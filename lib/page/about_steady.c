#include "about_steady.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"
#include "plot_series.h"

static const char *percentile[] = {"p50", "p90", "p99"};

/* The run as a line of passes. */
static void course(struct page *p, const json_t *r) {
    static const struct {
        const char *column, *label;
        double unit;
    } series[] = {{"tpot_p50", "TPOT p50 per pass, ms", 1e6},
                  {"tpot_mean", "mean TPOT per pass, ms", 1e6},
                  {"tps", "tokens/s per pass", 1},
                  {"e2e_p50", "E2E p50 per pass, s", 1e9},
                  {"rps", "requests/s per pass", 1}};
    const json_t *passes = doc_at(r, "passes"), *gates = doc_at(r, "gates");
    size_t n = json_array_size(passes), at = 0, n_series = sizeof series / sizeof *series;
    const char *gate = json_string_value(json_array_get(gates, 0));
    for (size_t i = 0; gate && i < n_series; i++)
        if (strcmp(series[i].column, gate) == 0) at = i;
    while (at < n_series) { /* the gate, or else what there is */
        size_t i = 0;
        while (i < n && isnan(doc_real_at(json_array_get(passes, i), series[at].column)))
            i++;
        if (i < n) break;
        at++;
    }
    if (at == n_series) return;
    page_section(p, "Course of the run");
    const json_t *last = json_array_get(passes, n - 1);
    int64_t end = doc_int_at(last, "pass");
    page_plot(p, plot_series(p, r));
    page_chart(
        p, page_text(p, "%s, passes 0 to %s", series[at].label, figure_count(int_known(end) ? end : (int64_t)n - 1).s));
    for (size_t i = 0; i < n; i++) {
        const json_t *pass = json_array_get(passes, i);
        int64_t number = course_number(pass, i);
        double v = course_value(pass, series[at].column) / series[at].unit;
        page_point(p, v, course_mark(r, pass, number), number);
    }
}

/* The whole run beside the window: what ramp and drain do to the figures. */
static void beside_row(struct page *p, const char *label, double steady, double total, double diverges, struct unit u) {
    if (isnan(steady) && isnan(total)) return;
    if (isnan(diverges) || isnan(steady)) diverges = steady / total - 1;
    const char *unit = u.name ? u.name : "";
    double scale = u.name && u.ns > 1 ? u.ns : 1;
    page_row(p, label, page_text(p, "%s", figure_number(steady / scale, NAN).s),
             page_text(p, "%s", figure_number(total / scale, NAN).s), page_text(p, "%s", figure_change(diverges).s),
             unit, PAGE_END);
}

static void beside(struct page *p, const json_t *r) {
    static const char *const metric[][2] = {{"tpot", "TPOT"}, {"ttft", "TTFT"}, {"e2e", "E2E"}};
    if (!json_is_object(doc_at(r, "total"))) return;
    double total = pick_real(r, "total.tps");
    if (isnan(total)) total = pick_real(r, "total.tps.system");
    if (isnan(total)) total = pick_real(r, "total.tps.system.value");
    const json_t *from = r;
    if (!doc_true_at(r, "found") && json_is_object(doc_at(r, "best_effort"))) from = doc_at(r, "best_effort");
    page_section(p, from == r ? "Steady window beside the whole run" : "Passes after the warm-up beside the whole run");
    page_columns(p, "", from == r ? ">steady" : ">passes", ">whole run", ">difference", "", PAGE_END);
    beside_row(p, "System TPS", pick_real(from, "tps.system.value"), total,
               from == r ? pick_real(r, "divergence.tps") : NAN, (struct unit){1, "tokens/s"});
    beside_row(p, "Requests/s", pick_real(from, "qps.value"), pick_real(r, "total.qps"), NAN, (struct unit){1, ""});
    for (size_t m = 0; m < 3; m++) {
        struct unit u = figure_unit(pick_real(r, "total.metrics.%s.p50_ns", metric[m][0]));
        if (m < 2)
            beside_row(p, page_text(p, "%s mean", metric[m][1]), pick_real(from, "metrics.%s.mean_ns", metric[m][0]),
                       pick_real(r, "total.metrics.%s.mean_ns", metric[m][0]), NAN, u);
        for (size_t i = 0; i < 3; i++) {
            if (m == 2 && i == 1) continue; /* E2E is for context */
            beside_row(p, page_text(p, "%s %s", metric[m][1], percentile[i]),
                       pick_real(from, "metrics.%s.%s_ns", metric[m][0], percentile[i]),
                       pick_real(r, "total.metrics.%s.%s_ns", metric[m][0], percentile[i]), NAN, u);
        }
    }
}

static const char *list_of_passes(struct page *p, const json_t *list) {
    struct buf b = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        int64_t pass = json_is_object(v) ? doc_int_at(v, "pass") : json_integer_value(v);
        buf_printf(&b, "%s%s", b.len ? ", " : "", figure_count(pass).s);
    }
    const char *text = b.len ? page_text(p, "%s", b.s) : NULL;
    buf_free(&b);
    return text;
}

static void duration(struct page *p, const json_t *r) {
    static const char *const term[] = {"precision", "relaxation", "floor"};
    double need = pick_real(r, "short_window.min_duration_s"), has = pick_real(r, "short_window.window_duration_s");
    double wall = pick_real(r, "total.span_ns") / 1e9;
    if (isnan(need) && isnan(has)) has = pick_real(r, "window.span_ns") / 1e9;
    struct buf b = {0};
    const char *dominant = pick_text(p, r, "short_window.dominant");
    if (!isnan(wall)) buf_printf(&b, "of %s", figure_time(wall).s);
    if (!isnan(need))
        buf_printf(&b, "%s%s %s needed", b.len ? "; " : "",
                   doc_true_at(r, "short_window.long_enough") ? "at least" : "short of the", figure_time(need).s);
    if (dominant) buf_printf(&b, " (%s)", dominant);
    page_fact(p, "Wall time", page_text(p, "%s", figure_time(has).s), b.len ? page_text(p, "%s", b.s) : NULL);
    buf_clear(&b);
    for (size_t i = 0; i < 3 && !isnan(need); i++) {
        double s = pick_real(r, "short_window.t_%s_s", term[i]);
        buf_printf(&b, "%s%s %s", b.len ? ", " : "", term[i],
                   isnan(s) ? "not known"
                   : s == 0 ? "not binding"
                            : figure_time(s).s);
    }
    if (b.len) page_fact(p, "Needed for", page_text(p, "%s", b.s), NULL);
    buf_free(&b);
}

static const char *passes_of(struct page *p, const json_t *range) {
    int64_t first = doc_int_at(range, "first_pass"), end = doc_int_at(range, "end_pass");
    if (!int_known(first) || !int_known(end)) return FIGURE_MISSING;
    return page_text(p, "%s to %s", figure_count(first).s, figure_count(end - 1).s);
}

static void candidate(struct page *p, const json_t *r) {
    const json_t *list = doc_at(r, "plateaus"), *longest = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        if (!longest || pick_real(v, "span_ns") > pick_real(longest, "span_ns")) longest = v;
    }
    if (longest) page_fact(p, "Passes", passes_of(p, longest), NULL);
}

static void window(struct page *p, const json_t *r) {
    int64_t first = doc_int_at(r, "window.first_pass"), end = doc_int_at(r, "window.end_pass");
    if (!int_known(first) || !int_known(end)) {
        if (isnan(pick_real(r, "short_window.min_duration_s"))) return;
        page_section(p, "Longest candidate");
        candidate(p, r);
        duration(p, r);
        return;
    }
    page_section(p, "Window");
    page_fact(p, "Passes", passes_of(p, doc_at(r, "window")),
              page_text(p, "%s passes, %s requests, %s with a TPOT", figure_count(doc_int_at(r, "window.n_passes")).s,
                        figure_count(doc_int_at(r, "window.n_requests")).s,
                        figure_count(doc_int_at(r, "window.n_samples")).s));
    duration(p, r);
    double cov = pick_real(r, "short_window.cov_b");
    const char *confidence = pick_text(p, r, "window.confidence");
    double concordance = pick_real(r, "window.concordance");
    if (confidence)
        page_fact(p, "Confidence", confidence,
                  page_text(p, "%s of the scatter tests passed; passes scatter by %s", figure_share(concordance).s,
                            figure_share(cov).s));
    int64_t bridged = doc_int_at(r, "window.bridged");
    if (int_known(bridged) && bridged > 0)
        page_fact(p, "Bridged", page_text(p, "%s", figure_count(bridged).s), "shorter ends of it were not admissible");
    const char *excursions = list_of_passes(p, doc_at(r, "window.excursions"));
    if (excursions) page_fact(p, "Excursions", excursions, "more than 5 % off the level, kept in the figures");
    int64_t skipped = doc_int_at(r, "window.skipped_short");
    if (int_known(skipped) && skipped > 0)
        page_fact(p, "Skipped", page_text(p, "%s", figure_count(skipped).s), "earlier plateaus, too short to certify");
    double delivered = pick_real(r, "tps.delivered.value");
    if (!isnan(delivered))
        page_fact(p, "Delivered TPS", page_text(p, "%s" NBSP "tokens/s", figure_number(delivered, NAN).s),
                  "tokens of requests that ended in the window");
}

static void plateaus(struct page *p, const json_t *r) {
    const json_t *list = doc_at(r, "plateaus");
    if (json_array_size(list) < 2) return;
    const char *gate = json_string_value(json_array_get(doc_at(r, "gates"), 0));
    bool time = !gate || strncmp(gate, "tpot", 4) == 0 || strncmp(gate, "e2e", 3) == 0;
    double base = NAN;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (doc_true_at(json_array_get(list, i), "reported")) base = pick_real(json_array_get(list, i), "level");
    page_section(p, "Plateaus");
    page_columns(p, "passes", ">wall time", time ? ">level, ms" : ">level", ">to window", "", PAGE_END);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        double level = pick_real(v, "level");
        bool reported = doc_true_at(v, "reported");
        page_row(p, passes_of(p, v), page_text(p, "%s", figure_time(pick_real(v, "span_ns") / 1e9).s),
                 page_text(p, "%s", figure_number(time ? level / 1e6 : level, NAN).s),
                 reported ? "" : page_text(p, "%s", figure_change(level / base - 1).s),
                 reported                        ? "the window"
                 : doc_true_at(v, "long_enough") ? "long enough"
                                                 : "too short to certify",
                 PAGE_END);
    }
}

static const char *state_cell(struct page *p, const json_t *r, const char *part, const char *metric) {
    char path[80];
    snprintf(path, sizeof path, "trend.%s.%s.state", part, metric);
    const char *state = doc_text_at(r, path);
    if (!state) return FIGURE_MISSING;
    double drift = pick_real(r, "trend.%s.%s.ols.rel_drift", part, metric);
    bool judged_by_p = strcmp(part, "window") != 0; /* elsewhere a large change may fail to be significant */
    const char *is = judged_by_p && strcmp(state, "plateau") == 0 ? "no trend" : phrase_state(state);
    return isnan(drift) ? is : page_text(p, "%s" NBSP "%s", is, figure_change(drift).s);
}

static const char *p_cell(struct page *p, const json_t *r, const char *part, const char *metric) {
    char path[80];
    snprintf(path, sizeof path, "trend.%s.%s.primary", part, metric);
    const char *primary = doc_text_at(r, path);
    bool plain = primary && strcmp(primary, "mann-kendall") == 0;
    double v = pick_real(r, plain ? "trend.%s.%s.mk.p" : "trend.%s.%s.hamed_rao.p", part, metric);
    snprintf(path, sizeof path, "trend.%s.%s.state", part, metric);
    const char *state = doc_text_at(r, path);
    bool told = !isnan(v) && !(state && strcmp(state, "insufficient") == 0);
    return !told ? FIGURE_MISSING : v < .001 ? "<0.001" : page_text(p, "%.3f", v);
}

static void trends(struct page *p, const json_t *r) {
    const json_t *window = doc_at(r, "trend.window"), *run = doc_at(r, "trend.run");
    bool found = json_object_size(window) > 0;
    const json_t *of = found ? window : run;
    if (json_object_size(of) == 0) return;
    page_section(p, "Trend, with the change a straight line sees");
    if (found)
        page_columns(p, "metric", ">window", ">p", ">window to end", ">all passes", PAGE_END);
    else
        page_columns(p, "metric", ">all passes", ">p", PAGE_END);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)of, key, v) {
        const char *label = phrase_metric(p, key), *all = state_cell(p, r, "run", key);
        if (found)
            page_row(p, label, state_cell(p, r, "window", key), p_cell(p, r, "window", key),
                     state_cell(p, r, "rest", key), all, PAGE_END);
        else
            page_row(p, label, all, p_cell(p, r, "run", key), PAGE_END);
    }
}

static void warmup(struct page *p, const json_t *r) {
    int64_t passes = doc_int_at(r, "warmup.passes");
    double level = pick_real(r, "warmup.level"), seen = pick_real(r, "warmup.level_seen");
    double band = pick_real(r, "warmup.band");
    const char *driver = pick_text(p, r, "warmup.driver"), *flag = pick_text(p, r, "warmup.flag");
    if (!int_known(passes)) return;
    page_section(p, "Warm-up and tail");
    page_fact(p, "Warm-up", page_text(p, "%s %s", figure_count(passes).s, passes == 1 ? "pass" : "passes"),
              page_text(p, "%s requests, %s%s", figure_count(doc_int_at(r, "warmup.samples")).s,
                        figure_time(pick_real(r, "warmup.seconds")).s,
                        doc_true_at(r, "warmup.capped") ? "; stopped at the cap" : ""));
    if (driver && !isnan(level)) {
        bool time = strncmp(driver, "tp", 2) == 0 ? driver[2] == 'o' : driver[0] == 't' || driver[0] == 'e';
        struct unit u = time ? figure_unit(level) : (struct unit){1, "tokens/s"};
        if (!time && driver[0] == 'r') u.name = "requests/s";
        bool apart = fabs(seen / level - 1) > .02;
        page_fact(p, "Settled at", page_text(p, "%s" NBSP "%s", figure_span(isnan(seen) ? level : seen, u).s, u.name),
                  page_text(p, "by %s, within %s%s%s", phrase_metric(p, driver), figure_share(band).s,
                            apart ? "; the second half of the run lies at " : "",
                            apart ? figure_span(level, u).s : ""));
    }
    if (flag) page_fact(p, "Crop", phrase_warmup(flag), NULL);
}

static void tail(struct page *p, const json_t *r) {
    int64_t open = doc_int_at(r, "tail.n_at_stop"), n = doc_int_at(r, "tail.n");
    const char *flag = pick_text(p, r, "tail.flag");
    if (!json_is_object(doc_at(r, "tail"))) return;
    if (flag) flag = phrase_tail(flag);
    const char *what = doc_true_at(r, "tail.cut") ? "cut" : "kept"; /* latency samples only: tokens stay */
    if (!int_known(n) || n == 0) {
        page_fact(p, "Tail", n == 0 ? "none" : what, flag);
        return;
    }
    page_fact(p, "Tail", what,
              page_text(p, "%s requests open when issuing stopped, %s of the samples%s%s", figure_count(n).s,
                        figure_share(pick_real(r, "tail.share")).s, flag ? "; " : "", flag ? flag : ""));
    if (!isnan(pick_real(r, "tail.tpot_shift")))
        page_fact(p, "Tail's TPOT", page_text(p, "%s", figure_change(pick_real(r, "tail.tpot_shift")).s),
                  page_text(p, "beside the body; its output lengths %s",
                            figure_change(pick_real(r, "tail.osl_p50_ratio") - 1).s));
    if (!isnan(pick_real(r, "tail.drain_s")))
        page_fact(p, "Drain", page_text(p, "%s", figure_time(pick_real(r, "tail.drain_s")).s),
                  page_text(p, "%s of the wall time", figure_share(pick_real(r, "tail.drain_share")).s));
    double hairball = pick_real(r, "tail.hairball_weight");
    if (hairball > 0)
        page_fact(p, "Hairball", page_text(p, "%s", figure_share(hairball).s),
                  page_text(p, "of the %s open at the stop were not among the last issued", figure_count(open).s));
}

static void upper_estimates(struct page *p, const json_t *r) {
    static const char *const metric[][2] = {{"tpot", "TPOT"}, {"ttft", "TTFT"}};
    bool begun = false;
    for (size_t m = 0; m < 2; m++) {
        double p90 = pick_real(r, "metrics.%s.early_stopping.p90_ns", metric[m][0]);
        double p99 = pick_real(r, "metrics.%s.early_stopping.p99_ns", metric[m][0]);
        if (isnan(p90) && isnan(p99)) continue;
        struct unit u = figure_unit(pick_real(r, "metrics.%s.p50_ns", metric[m][0]));
        if (!begun) page_section(p, "Upper estimates of the tail percentiles, for this many samples");
        begun = true;
        page_fact(p, metric[m][1],
                  page_text(p, "p90" NBSP "%s" NBSP NBSP " p99" NBSP "%s" NBSP "%s", figure_span(p90, u).s,
                            figure_span(p99, u).s, u.name),
                  NULL);
    }
}

void about_steady(struct page *p, const json_t *report) {
    course(p, report);
    window(p, report);
    beside(p, report);
    plateaus(p, report);
    trends(p, report);
    warmup(p, report);
    tail(p, report);
    upper_estimates(p, report);
}
