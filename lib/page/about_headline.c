#include "about_headline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"

#define NOT_MEASURED "not measured"

/* A rate {value, ci, ci_adjusted}, in the digits of its interval. */
static void rate(struct page *p, const char *label, const json_t *rate, const char *unit) {
    double v = pick_real(rate, "value"), ci[2], wide[2];
    if (isnan(v)) {
        page_fact(p, label, NOT_MEASURED, NULL);
        return;
    }
    const char *note = NULL;
    bool known = pick_pair(doc_at(rate, "ci"), ci);
    if (known) note = page_text(p, "95" NBSP "%%: %s", figure_interval(ci[0], ci[1]).s);
    if (pick_pair(doc_at(rate, "ci_adjusted"), wide) && (!known || wide[0] != ci[0] || wide[1] != ci[1]))
        note = page_text(p, "%s%sallowing for autocorrelation: %s", note ? note : "", note ? "; " : "",
                         figure_interval(wide[0], wide[1]).s);
    double half = known ? (ci[1] - ci[0]) / 2 : NAN;
    page_fact(p, label, page_text(p, "%s" NBSP "%s", figure_number(v, half).s, unit), note);
}

/* "p50 rising, 19.9 to 23.1 ms": a metric without a level has its ends instead of a value. */
static const char *broken(struct page *p, const json_t *metric, const char *which) {
    char path[48];
    snprintf(path, sizeof path, "states.%s", which);
    const char *state = doc_text_at(metric, path);
    bool moves = state && (strcmp(state, "up") == 0 || strcmp(state, "down") == 0);
    if (!moves || !isnan(pick_real(metric, "%s_ns", which))) return NULL;
    snprintf(path, sizeof path, "first_last.%s", which);
    double end[2];
    const json_t *ends = doc_at(metric, path);
    if (json_is_object(ends)) {
        const char *names[2][2] = {{"first", "first_ns"}, {"last", "last_ns"}};
        for (size_t i = 0; i < 2; i++) {
            end[i] = doc_real_at(ends, names[i][0]);
            if (isnan(end[i])) end[i] = doc_real_at(ends, names[i][1]);
        }
    } else {
        pick_pair(ends, end);
    }
    if (isnan(end[0]) || isnan(end[1])) return page_text(p, "%s is %s", which, phrase_state(state));
    struct unit u = figure_unit(end[0]);
    return page_text(p, "%s is %s, %s → %s" NBSP "%s", which, phrase_state(state), figure_span(end[0], u).s,
                     figure_span(end[1], u).s, u.name);
}

static void latency(struct page *p, const char *label, const json_t *metric) {
    static const char *const which[] = {"p50", "p90"};
    struct pick_spread s = pick_spread(p, metric);
    const char *note = s.percentiles;
    for (size_t i = 0; metric && i < 2; i++) {
        const char *why = broken(p, metric, which[i]);
        if (why) note = note ? page_text(p, "%s; %s", note, why) : why;
    }
    if (!s.mean && !note)
        page_fact(p, label, NOT_MEASURED, NULL);
    else
        page_fact(p, label, s.mean ? page_text(p, "%s mean", s.mean) : "no single level", note);
}

static void steady_facts(struct page *p, const json_t *r) {
    bool no_tokens = isnan(pick_real(r, "tps.system.value")) && !isnan(pick_real(r, "qps.value"));
    if (no_tokens) {
        rate(p, "System", doc_at(r, "qps"), "requests/s");
    } else {
        bool overload = isnan(pick_real(r, "tps.system.value")) && !isnan(pick_real(r, "tps.delivered.value"));
        rate(p, "System TPS", doc_at(r, "tps.system"), "tokens/s");
        if (overload) rate(p, "Delivered TPS", doc_at(r, "tps.delivered"), "tokens/s");
        rate(p, "TPS per user", doc_at(r, "tps.per_user"), "tokens/s");
    }
    latency(p, "TPOT", doc_at(r, "metrics.tpot"));
    latency(p, "TTFT", doc_at(r, "metrics.ttft"));
}

/* Ranges are half open; people name the last pass. */
static int64_t last_pass(const json_t *range) {
    int64_t end = doc_int_at(range, "end_pass");
    return int_known(end) ? end - 1 : INT_NONE;
}

/* Levels that came before a window which is not the first: they belong beside its figures. */
static void earlier_levels(struct page *p, const json_t *r) {
    const json_t *list = doc_at(r, "plateaus");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *level = json_array_get(list, i);
        if (doc_true_at(level, "reported")) return;
        struct unit u = figure_unit(pick_real(level, "level"));
        page_fact(p, "Earlier level", page_text(p, "%s" NBSP "%s", figure_span(pick_real(level, "level"), u).s, u.name),
                  page_text(p, "passes %s to %s, %s", figure_count(doc_int_at(level, "first_pass")).s,
                            figure_count(last_pass(level)).s, figure_time(pick_real(level, "span_ns") / 1e9).s));
    }
}

/* What the requests were worth that the steady figures are of: the cohort, where it is as long as the window. */
static void cohort_facts(struct page *p, const json_t *steady, const json_t *r) {
    const json_t *c = doc_at(r, "cohort");
    double s = pick_real(steady, "window.span_ns") / 1e9;
    if (!(fabs(pick_real(c, "t1_s") - pick_real(c, "t0_s") - s) < s / 1000)) return;
    double goodput = pick_real(c, "rates.goodput_rps"), ratio = pick_real(c, "acceptance.ratio");
    if (!isnan(goodput))
        page_fact(p, "Goodput in the window", page_text(p, "%s" NBSP "requests/s", figure_number(goodput, NAN).s),
                  isnan(ratio) ? NULL : page_text(p, "%s accepted", figure_share(ratio).s));
    const char *whole = doc_text_at(r, "verdict"), *within = doc_text_at(c, "verdict");
    if (whole && within && strcmp(whole, within) != 0)
        page_fact(p, "Contract in the window", phrase_goodput_verdict(p, within).title, NULL);
}

static void goodput_facts(struct page *p, const json_t *r) {
    bool quality = json_is_object(doc_at(r, "contract.quality")) || pick_real(r, "quality.judged") > 0;
    /* some harnesses log only what finished */
    bool bounded = doc_text_at(r, "offered_bound") || json_is_false(doc_at(r, "run.offered_complete"));
    double goodput = pick_real(r, "rates.goodput_rps"), offered = pick_real(r, "rates.offered_rps");
    const char *value = NOT_MEASURED, *note = quality ? "" : "quality not assessed; ";
    if (!isnan(goodput)) value = page_text(p, "%s" NBSP "requests/s", figure_number(goodput, NAN).s);
    if (isnan(offered))
        note = page_text(p, "%sthe log has no times", note);
    else
        note = page_text(p, "%sof %s%s offered", note, bounded ? "≥" NBSP : "", figure_number(offered, NAN).s);
    page_fact(p, quality ? "Goodput" : "Latency goodput", value, note);

    double ratio = pick_real(r, "acceptance.ratio"), end[2];
    if (isnan(ratio)) {
        page_fact(p, "Acceptance", NOT_MEASURED, NULL);
        return;
    }
    struct buf b = {0};
    if (pick_pair(doc_at(r, "acceptance.binomial"), end))
        buf_printf(&b, "95" NBSP "%%: %s", figure_share_interval(end[0], end[1]).s);
    if (pick_pair(doc_at(r, "acceptance.cluster"), end))
        buf_printf(&b, "%s%s",
                   b.len ? "; by clusters " : "95" NBSP "%, by clusters: ", figure_share_interval(end[0], end[1]).s);
    const char *why = pick_text(p, r, "acceptance.cluster_reason");
    if (why) buf_printf(&b, "%sno cluster interval: %s", b.len ? "; " : "", phrase_no_clusters(why));
    page_fact(
        p, "Acceptance",
        page_text(p, "%s%s", bounded || doc_text_at(r, "acceptance_bound") ? "≤" NBSP : "", figure_share(ratio).s),
        b.len ? page_text(p, "%s", b.s) : NULL);
    buf_free(&b);
}

/* Which passes the figures are of, when they are not certified. */
static const char *shown(struct page *p, const json_t *r, const json_t *from) {
    if (from != r) return "All passes after the warm-up: best effort, not certified";
    return page_text(p, "Passes %s to %s: shown, not certified", figure_count(doc_int_at(r, "window.first_pass")).s,
                     figure_count(last_pass(doc_at(r, "window"))).s);
}

void about_headline(struct page *p, const struct run *run) {
    struct phrase_verdict v = {0};
    if (run->steady) v = phrase_verdict(p, doc_text_at(run->steady, "verdict"));
    p->tone = v.tone;
    p->headline = v.title;
    p->lead = v.meaning;
    if (run->goodput) {
        struct phrase_verdict g = phrase_goodput_verdict(p, doc_text_at(run->goodput, "verdict"));
        if (!run->steady) {
            p->headline = g.title;
            p->lead = g.meaning;
            p->tone = g.tone;
        } else if (strcmp(g.code ? g.code : "none", "none") != 0) {
            p->headline = page_text(p, "%s; %s", v.title, g.title);
            p->lead = page_text(p, "%s %s", v.meaning ? v.meaning : "", g.meaning ? g.meaning : "");
            if (g.tone == TONE_BAD) p->tone = TONE_BAD;
        }
    }
    if (run->steady) {
        const json_t *r = run->steady;
        bool found = doc_true_at(r, "found");
        const json_t *from = found || v.certified ? r : doc_at(r, "best_effort");
        if (!v.certified && json_is_object(from)) page_section(p, shown(p, r, from));
        if (v.certified && run->goodput) page_section(p, "In the steady window");
        if (json_is_object(from)) {
            steady_facts(p, from);
            if (v.code && strcmp(v.code, "steady_after_shift") == 0) earlier_levels(p, r);
        } else {
            page_fact(p, "Steady figures", "none", NULL);
        }
        if (v.certified && run->goodput) cohort_facts(p, r, run->goodput);
    } else {
        page_fact(p, "Steadiness", "not assessed", "no steady report given");
    }
    if (run->steady && run->goodput) page_section(p, "Over the whole run");
    if (run->goodput)
        goodput_facts(p, run->goodput);
    else
        page_fact(p, "Goodput", NOT_MEASURED, "no goodput report given");
}
