#include "about_other.h"

#include <math.h>
#include <string.h>

#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"
#include "plot_staircase.h"

static const char *number(struct page *p, double v) { return page_text(p, "%s", figure_number(v, NAN).s); }

/* "1.99, 2.01" of an array of numbers; shares in percent. */
static const char *numbers(struct page *p, const json_t *list, bool shares) {
    struct buf b = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        double x = json_is_number(v) ? json_number_value(v) : NAN;
        buf_printf(&b, "%s%s", b.len ? ", " : "", shares ? figure_share(x).s : figure_number(x, NAN).s);
    }
    const char *text = b.len ? page_text(p, "%s", b.s) : FIGURE_MISSING;
    buf_free(&b);
    return text;
}

static void capacity(struct page *p, const json_t *r) {
    double rated = pick_real(r, "rated_rps"), derated = pick_real(r, "derated_rps"), margin = pick_real(r, "margin");
    const json_t *levels = doc_at(r, "levels"), *warnings = doc_at(r, "warnings"), *list = doc_at(r, "reasons");
    p->headline = isnan(rated) ? "No rated capacity"
                               : page_text(p, "Rated capacity %s" NBSP "requests/s", figure_number(rated, NAN).s);
    p->tone = isnan(rated) ? TONE_BAD : TONE_GOOD;
    p->lead = isnan(rated) ? "No offered load passes the contract with every lower load passing."
                           : "The highest offered load that passes the contract, with every lower load passing.";
    page_fact(p, "Rated",
              isnan(rated) ? "not proven" : page_text(p, "%s" NBSP "requests/s", figure_number(rated, NAN).s),
              "lowest achieved rate of that level");
    page_fact(p, "Derated", isnan(derated) ? "—" : page_text(p, "%s" NBSP "requests/s", figure_number(derated, NAN).s),
              isnan(margin) ? NULL : page_text(p, "after a margin of %s", figure_share(margin).s));
    if (json_array_size(doc_at(r, "next_rps")) > 0)
        page_fact(p, "Test next", page_text(p, "%s" NBSP "requests/s", numbers(p, doc_at(r, "next_rps"), false)),
                  "between the last pass and the first fail");
    double demand = pick_real(r, "units.demand_rps");
    if (!isnan(demand))
        page_fact(p, "Replicas", number(p, pick_real(r, "units.replicas")),
                  page_text(p, "for a demand of %s" NBSP "requests/s", figure_number(demand, NAN).s));
    const char *evidence = pick_text(p, r, "evidence");
    if (evidence) page_fact(p, "Evidence", evidence, "acceptance against its floor, by the wider interval");
    page_section(p, "Look out");
    if (json_is_false(doc_at(r, "monotone")) && json_array_size(warnings) == 0)
        page_item(p, "A level passes above one that fails: the results are not monotone and need repeats.");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        page_item(p, phrase_reason(p, json_array_get(warnings, i)));
    for (size_t i = 0; i < json_array_size(list); i++)
        page_item(p, phrase_reason(p, json_array_get(list, i)));
    page_section(p, "Staircase");
    page_plot(p, plot_staircase_levels(p, r));
    page_section(p, "Levels, requests/s");
    page_columns(p, ">level", ">achieved", ">goodput", ">accepted", ">passed", "state", PAGE_END);
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *l = json_array_get(levels, i);
        const char *state = pick_text(p, l, "state");
        int64_t passed = doc_int_at(l, "passed"), of = doc_int_at(l, "of");
        page_row(p, number(p, pick_real(l, "level_rps")), numbers(p, doc_at(l, "achieved_rps"), false),
                 numbers(p, doc_at(l, "goodput_rps"), false), numbers(p, doc_at(l, "acceptance"), true),
                 page_text(p, "%s of %s", figure_count(passed).s, figure_count(of).s), state ? state : FIGURE_MISSING,
                 PAGE_END);
        const json_t *why = doc_at(l, "reasons");
        for (size_t k = 0; k < json_array_size(why); k++)
            page_across(p, page_text(p, NBSP NBSP "%s", phrase_reason(p, json_array_get(why, k))));
    }
}

/* Runs held against the chance of independent requests: how much more the acceptance of their clusters scattered. */
static void observed(struct page *p, const json_t *runs) {
    if (json_array_size(runs) == 0) return;
    page_section(p, "Real runs beside it");
    page_columns(p, "report", ">offered", ">accepted", ">clusters", ">overdispersion", PAGE_END);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const char *file = pick_text(p, run, "file");
        double factor = pick_real(run, "overdispersion");
        page_row(p, file ? file : FIGURE_MISSING, page_text(p, "%s", figure_count(doc_int_at(run, "offered")).s),
                 page_text(p, "%s", figure_share(pick_real(run, "acceptance")).s),
                 page_text(p, "%s", figure_count(doc_int_at(run, "clusters")).s),
                 isnan(factor) ? FIGURE_MISSING : page_text(p, "%s" NBSP "×", figure_number(factor, NAN).s), PAGE_END);
    }
    page_paragraph(p, "Overdispersion: the variance of acceptance between clusters of consecutive requests, over what "
                      "independent requests would show. Far above 1, requests fail together and a binomial interval is "
                      "too narrow.");
}

static void binomial(struct page *p, const json_t *r) {
    int64_t n = doc_int_at(r, "n");
    double prob = pick_real(r, "p");
    const json_t *pmf = doc_at(r, "pmf"), *cdf = doc_at(r, "cdf");
    const char *shown = isnan(prob) ? FIGURE_MISSING : page_text(p, "%.10g", prob);
    p->name = page_text(p, "n = %s, p = %s", figure_count(n).s, shown);
    p->headline = "What sampling alone does";
    p->lead = page_text(
        p, "The number accepted out of %s requests, each accepted with probability %s, by chance alone. No load test.",
        figure_count(n).s, shown);
    page_fact(p, "Mean", number(p, pick_real(r, "mean")), NULL);
    page_fact(p, "Standard deviation", number(p, pick_real(r, "sd")), NULL);
    double top = 0;
    for (size_t i = 0; i < json_array_size(pmf); i++)
        top = fmax(top, json_number_value(json_array_get(pmf, i)));
    page_section(p, "Distribution");
    page_columns(p, ">accepted", ">probability", ">at most", PAGE_END);
    size_t hidden = 0;
    for (size_t i = 0; i < json_array_size(pmf); i++) {
        double v = json_number_value(json_array_get(pmf, i));
        if (v < 5e-5) { /* a bar of nothing */
            hidden++;
            continue;
        }
        page_row(p, page_text(p, "%zu", i), page_text(p, "%.4f", v),
                 page_text(p, "%.4f", json_number_value(json_array_get(cdf, i))), PAGE_END)
            ->bar = v / top;
    }
    if (hidden) page_paragraph(p, page_text(p, "%zu values of probability below 0.00005 are left out.", hidden));
    observed(p, doc_at(r, "observed"));
}

static void leaves(struct page *p, const char *path, const json_t *v) {
    const char *key;
    json_t *member;
    if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, member) {
            leaves(p, page_text(p, "%s%s%s", path, *path ? "." : "", page_safe(p, key, strlen(key))), member);
        }
        return;
    }
    struct buf b = {0};
    doc_dump(&b, v);
    page_fact(p, path, page_safe(p, b.s, b.len), NULL);
    buf_free(&b);
}

void about_other(struct page *p, const json_t *report) {
    const char *kind = pick_text(p, report, "kind");
    if (strcmp(kind, "capacity") == 0) {
        capacity(p, report);
    } else if (strcmp(kind, "binomial") == 0) {
        binomial(p, report);
    } else {
        p->headline = page_text(p, "Report of kind %s", kind);
        page_section(p, "Contents");
        leaves(p, "", report);
    }
}
