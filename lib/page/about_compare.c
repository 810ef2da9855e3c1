#include "about_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"

#define NOT_COMPARABLE "not comparable"

struct pair {
    const struct run *a, *b;
    bool steady, goodput; /* may these be compared? */
};

/* ---- what differs ---- */

static const char *leaf(struct page *p, const json_t *v) {
    struct buf b = {0};
    if (!v) return FIGURE_MISSING;
    if (json_is_string(v)) return page_safe(p, json_string_value(v), json_string_length(v));
    doc_dump(&b, v);
    const char *text = page_safe(p, b.s, b.len);
    buf_free(&b);
    return text;
}

/* A row for every leaf under path in which a and b differ; returns how many. */
static size_t differences(struct page *p, const char *path, const json_t *a, const json_t *b) {
    const char *key;
    json_t *v;
    size_t n = 0;
    if (!json_is_object(a) && !json_is_object(b)) {
        bool same = (!a && !b) || (a && b && json_equal(a, b)) ||
                    (json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b));
        if (same) return 0;
        page_row(p, path, leaf(p, a), leaf(p, b), PAGE_END);
        return 1;
    }
    json_object_foreach((json_t *)a, key, v) {
        n += differences(p, page_text(p, "%s.%s", path, page_safe(p, key, strlen(key))), v, json_object_get(b, key));
    }
    json_object_foreach((json_t *)b, key, v) {
        if (!json_object_get(a, key))
            n += differences(p, page_text(p, "%s.%s", path, page_safe(p, key, strlen(key))), NULL, v);
    }
    return n;
}

static const json_t *at(const json_t *report, const char *path) { return report ? doc_at(report, path) : NULL; }

static void what_differs(struct page *p, const struct pair *of) {
    static const char *const steady[] = {"definitions", "gates", "profile", "mode", "run.concurrency", "run.size"};
    static const char *const goodput[] = {"contract", "definitions", "run.target_rps"};
    size_t n = 0;
    page_section(p, "What differs between A and B");
    page_columns(p, "setting", "A", "B", PAGE_END);
    for (size_t i = 0; of->a->steady && of->b->steady && i < sizeof steady / sizeof *steady; i++)
        n += differences(p, page_text(p, "steady: %s", steady[i]), at(of->a->steady, steady[i]),
                         at(of->b->steady, steady[i]));
    for (size_t i = 0; of->a->goodput && of->b->goodput && i < sizeof goodput / sizeof *goodput; i++)
        n += differences(p, page_text(p, "goodput: %s", goodput[i]), at(of->a->goodput, goodput[i]),
                         at(of->b->goodput, goodput[i]));
    if (n == 0) page_across(p, "Nothing: the same contract, definitions, gates and mode.");
    page_section(p, NULL);
}

/* ---- may they be compared? ---- */

static void refuse(struct page *p, bool *may, const char *text) {
    *may = false;
    page_item(p, text);
}

static void judge_steady(struct page *p, struct pair *of) {
    static const char *const must[][2] = {{"definitions", "definitions"},
                                          {"gates", "gate metrics"},
                                          {"profile", "profiles"},
                                          {"mode", "modes of issuing"}};
    const struct run *run[] = {of->a, of->b};
    of->steady = true;
    for (size_t i = 0; i < 2; i++) {
        const char *verdict = run[i]->steady ? doc_text_at(run[i]->steady, "verdict") : NULL;
        if (!run[i]->steady)
            refuse(p, &of->steady, page_text(p, "Steady figures: %c has no steady report.", "AB"[i]));
        else if (!phrase_certified(verdict))
            refuse(p, &of->steady,
                   page_text(p, "Steady figures: those of %c are not certified (%s).", "AB"[i],
                             phrase_verdict(p, verdict).title));
    }
    for (size_t i = 0; of->a->steady && of->b->steady && i < sizeof must / sizeof *must; i++) {
        const json_t *a = at(of->a->steady, must[i][0]), *b = at(of->b->steady, must[i][0]);
        if ((a || b) && !(a && b && json_equal(a, b)))
            refuse(p, &of->steady, page_text(p, "Steady figures: unlike %s.", must[i][1]));
    }
}

static json_t *judge_goodput(struct page *p, struct pair *of) {
    const struct run *run[] = {of->a, of->b};
    char why[160];
    of->goodput = true;
    for (size_t i = 0; i < 2; i++)
        if (!run[i]->goodput) refuse(p, &of->goodput, page_text(p, "Goodput: %c has no goodput report.", "AB"[i]));
    if (!of->goodput) return NULL;
    json_t *distance = compare_baseline(of->b->goodput, of->a->goodput, why);
    if (!distance) refuse(p, &of->goodput, page_text(p, "Goodput: %s.", page_safe(p, why, strlen(why))));
    return distance;
}

/* ---- figures ---- */

static const char *number(struct page *p, double v, double half) {
    return page_text(p, "%s", figure_number(v, half).s);
}

/* "+4.6 – +6.6 %" */
static const char *changes(struct page *p, double lo, double hi) {
    struct figure from = figure_change(lo);
    char *unit = strstr(from.s, NBSP "%");
    if (unit) *unit = '\0';
    return page_text(p, "%s – %s", from.s, figure_change(hi).s);
}

/* A row of two values and what lies between them: relative to a, with the interval of that where one is known. */
static void row(struct page *p, const char *label, double a, double b, double half_a, double half_b, bool may) {
    if (isnan(a) && isnan(b)) return;
    double half = sqrt(half_a * half_a + half_b * half_b), change = (b - a) / a;
    const char *interval = "", *told = "";
    if (may && !isnan(half)) {
        double lo = (b - a - half) / a, hi = (b - a + half) / a;
        interval = changes(p, lo, hi);
        told = lo > 0 ? "more" : hi < 0 ? "less" : "undecided";
    }
    page_row(p, label, number(p, a, half_a), number(p, b, half_b),
             may ? page_text(p, "%s", figure_change(change).s) : NOT_COMPARABLE, interval, told, PAGE_END);
}

static double half_width(const json_t *rate) {
    double end[2];
    if (!pick_pair(at(rate, "ci_adjusted"), end)) pick_pair(at(rate, "ci"), end);
    return (end[1] - end[0]) / 2;
}

static void steady_figures(struct page *p, const struct pair *of) {
    static const char *const rate[][2] = {{"tps.system", "System TPS, tokens/s"},
                                          {"tps.delivered", "Delivered TPS, tokens/s"},
                                          {"tps.per_user", "TPS per user, tokens/s"},
                                          {"qps", "Requests/s"}};
    static const char *const metric[][2] = {{"tpot", "TPOT"}, {"ttft", "TTFT"}};
    static const char *const point[] = {"mean", "p50", "p90", "p99"};
    if (!of->a->steady || !of->b->steady) return;
    page_section(p, "Steady windows");
    page_columns(p, "figure", ">A", ">B", ">B to A", ">95 % interval", "", PAGE_END);
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
        const json_t *a = at(of->a->steady, rate[i][0]), *b = at(of->b->steady, rate[i][0]);
        row(p, rate[i][1], pick_real(a, "value"), pick_real(b, "value"), half_width(a), half_width(b), of->steady);
    }
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < 4; i++) {
            const json_t *a = at(of->a->steady, page_text(p, "metrics.%s", metric[m][0]));
            const json_t *b = at(of->b->steady, page_text(p, "metrics.%s", metric[m][0]));
            double va = pick_real(a, "%s_ns", point[i]), vb = pick_real(b, "%s_ns", point[i]), end[2][2];
            struct unit u = figure_unit(isnan(va) ? vb : va);
            pick_pair(at(a, page_text(p, "%s_ci_ns", point[i])), end[0]);
            pick_pair(at(b, page_text(p, "%s_ci_ns", point[i])), end[1]);
            row(p, page_text(p, "%s %s, %s", metric[m][1], point[i], u.name), va / u.ns, vb / u.ns,
                (end[0][1] - end[0][0]) / 2 / u.ns, (end[1][1] - end[1][0]) / 2 / u.ns, of->steady);
        }
    page_paragraph(p, "Intervals take the two runs for independent; those of rates allow for autocorrelation.");
}

/* Differences as the baseline comparison gives them: in the unit of the value. */
static void told_apart(struct page *p, const char *label, const json_t *d, bool shares) {
    double end[2] = {NAN, NAN}, v = pick_real(d, "difference"), a = pick_real(d, "baseline"), b = pick_real(d, "value");
    if (!pick_pair(at(d, "cluster"), end)) pick_pair(at(d, "newcombe"), end);
    const char *sign = v > 0 ? "+" : "";
    bool known = !isnan(end[0]) && !isnan(end[1]);
    double scale = shares ? 100 : 1, half = (end[1] - end[0]) / 2 * scale;
    page_row(p, label, shares ? page_text(p, "%s", figure_share(a).s) : number(p, a, NAN),
             shares ? page_text(p, "%s", figure_share(b).s) : number(p, b, NAN),
             page_text(p, "%s%s%s", sign, figure_number(v * scale, half).s, shares ? NBSP "points" : ""),
             known ? page_text(p, "%s", figure_interval(end[0] * scale, end[1] * scale).s) : "",
             !known       ? ""
             : end[0] > 0 ? "more"
             : end[1] < 0 ? "less"
                          : "undecided",
             PAGE_END);
}

static void goodput_figures(struct page *p, const struct pair *of, const json_t *distance) {
    static const char *const metric[][2] = {{"ttft", "TTFT"}, {"tpot", "TPOT"}};
    static const char *const point[] = {"p50", "p90", "p99"};
    if (!of->a->goodput || !of->b->goodput) return;
    bool cohort = distance && doc_text_at(distance, "block") && strcmp(doc_text_at(distance, "block"), "cohort") == 0;
    const json_t *a = cohort ? at(of->a->goodput, "cohort") : of->a->goodput;
    const json_t *b = cohort ? at(of->b->goodput, "cohort") : of->b->goodput;
    page_section(p, cohort ? "Goodput of the cohorts" : "Goodput");
    page_columns(p, "figure", ">A", ">B", ">B to A", ">95 % interval", "", PAGE_END);
    static const char *const load[][2] = {{"rates.offered_rps", "Offered, requests/s"},
                                          {"rates.responses_rps", "Answered, requests/s"}};
    for (size_t i = 0; i < 2; i++)
        row(p, load[i][1], pick_real(a, "%s", load[i][0]), pick_real(b, "%s", load[i][0]), NAN, NAN, of->goodput);
    if (distance) {
        told_apart(p, "Goodput, requests/s", at(distance, "goodput_rps"), false);
        told_apart(p, "Acceptance", at(distance, "acceptance"), true);
    } else {
        row(p, "Goodput, requests/s", pick_real(a, "rates.goodput_rps"), pick_real(b, "rates.goodput_rps"), NAN, NAN,
            false);
        row(p, "Acceptance, %", pick_real(a, "acceptance.ratio") * 100, pick_real(b, "acceptance.ratio") * 100, NAN,
            NAN, false);
    }
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < 3; i++) {
            double va = pick_real(a, "latency.%s.offered.%s_ns", metric[m][0], point[i]);
            double vb = pick_real(b, "latency.%s.offered.%s_ns", metric[m][0], point[i]);
            struct unit u = figure_unit(isnan(va) ? vb : va);
            row(p, page_text(p, "%s %s offered, %s", metric[m][1], point[i], u.name), va / u.ns, vb / u.ns, NAN, NAN,
                of->goodput);
        }
}

static void side(struct page *p, const char *label, const struct run *run) {
    const char *name = page_safe(p, run->name, strlen(run->name));
    const char *steady = run->steady ? phrase_verdict(p, doc_text_at(run->steady, "verdict")).title : NULL;
    const char *goodput = run->goodput ? phrase_goodput_verdict(p, doc_text_at(run->goodput, "verdict")).title : NULL;
    page_fact(p, label, name,
              page_text(p, "%s%s%s", steady ? steady : "", steady && goodput ? "; " : "", goodput ? goodput : ""));
}

void about_compare(struct page *p, const struct run *a, const struct run *b) {
    struct pair of = {.a = a, .b = b};
    p->name =
        page_text(p, "%s beside %s", page_safe(p, a->name, strlen(a->name)), page_safe(p, b->name, strlen(b->name)));
    side(p, "A", a);
    side(p, "B", b);
    page_section(p, "Not comparable, and why");
    judge_steady(p, &of);
    json_t *distance = judge_goodput(p, &of);
    page_section(p, NULL);
    p->headline = of.steady && of.goodput ? "Comparable"
                  : of.steady             ? "Comparable in the steady figures only"
                  : of.goodput            ? "Comparable in goodput only"
                                          : "Not comparable";
    p->tone = of.steady && of.goodput ? TONE_GOOD : of.steady || of.goodput ? TONE_CAUTION : TONE_BAD;
    p->lead = "Changes are those from A to B.";
    what_differs(p, &of);
    steady_figures(p, &of);
    goodput_figures(p, &of, distance);
    json_decref(distance);
    page_section(p, NULL);
}
