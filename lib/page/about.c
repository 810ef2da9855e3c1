#include "about.h"

#include <math.h>
#include <string.h>

#include "about_audit.h"
#include "about_glossary.h"
#include "about_goodput.h"
#include "about_headline.h"
#include "about_other.h"
#include "about_steady.h"
#include "figure.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"
#include "plot_histogram.h"

static void reasons(struct page *p, const json_t *report, const char *path) {
    const json_t *list = report ? doc_at(report, path) : NULL;
    for (size_t i = 0; i < json_array_size(list); i++)
        page_item(p, phrase_reason(p, json_array_get(list, i)));
}

/* A shift is said with the pass at which it began, which stands elsewhere in the report. */
static const char *const shift_kind[][3] = {{"shift", "anomaly.change_pass", "anomaly.delta"},
                                            {"end_shift", "anomaly.end.first_pass", "anomaly.end.delta"}};

const char *about_reason(struct page *p, const json_t *steady, const json_t *reason) {
    const char *code = doc_text_at(reason, "code");
    for (size_t k = 0; code && k < 2; k++) {
        if (strcmp(code, shift_kind[k][0]) != 0) continue;
        json_t *with_pass = json_copy((json_t *)reason);
        doc_set_int(with_pass, "pass", doc_int_at(steady, shift_kind[k][1]));
        const char *text = phrase_reason(p, with_pass);
        json_decref(with_pass);
        return text;
    }
    return phrase_reason(p, reason);
}

/* The anomaly of a run whose verdict rests on something else. */
static void other_anomaly(struct page *p, const json_t *steady) {
    const json_t *list = doc_at(steady, "reasons");
    if (!doc_true_at(steady, "anomaly.detected")) return;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *code = doc_text_at(json_array_get(list, i), "code");
        if (code && (strcmp(code, shift_kind[0][0]) == 0 || strcmp(code, shift_kind[1][0]) == 0)) return;
    }
    for (size_t k = 0; k < 2; k++) {
        if (!int_known(doc_int_at(steady, shift_kind[k][1]))) continue;
        json_t *reason = json_object();
        doc_set_text(reason, "code", shift_kind[k][0]);
        doc_set_real(reason, "value", doc_real_at(steady, shift_kind[k][2]));
        page_item(p, about_reason(p, steady, reason));
        json_decref(reason);
    }
}

/* Warnings of a steady report are bare codes; what they are about stands elsewhere in it. */
static const char *steady_warning(struct page *p, const json_t *steady, const json_t *warning) {
    const char *code = json_string_value(warning);
    if (!code) return phrase_reason(p, warning);
    json_t *full = json_object();
    doc_set_text(full, "code", code);
    if (strcmp(code, "not_in_balance") == 0)
        doc_set_real(full, "value",
                     doc_real_at(steady, "tps.delivered.value") / doc_real_at(steady, "tps.system.value") - 1);
    const json_t *metrics = doc_at(steady, code);
    struct buf b = {0};
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *metric = json_string_value(json_array_get(metrics, i));
        if (metric) buf_printf(&b, "%s%s", b.len ? ", " : "", phrase_metric(p, metric));
    }
    if (b.len) doc_set_text(full, "metric", b.s);
    const char *text = phrase_reason(p, full);
    buf_free(&b);
    json_decref(full);
    return text;
}

/* Two reports printed as one run should be of one run. */
static void same_run(struct page *p, const struct run *run) {
    if (!run->steady || !run->goodput) return;
    int64_t a = doc_int_at(run->steady, "total.n_issued"), b = doc_int_at(run->goodput, "offered");
    if (!int_known(a) || !int_known(b) || a == b) return;
    page_item(
        p, page_text(p, "The steady report counts %s requests, the goodput report %s: they may be of different runs.",
                     figure_count(a).s, figure_count(b).s));
}

static void reconcile(struct page *p, const json_t *goodput) {
    const json_t *d = goodput ? doc_at(goodput, "dispositions") : NULL;
    int64_t offered = goodput ? doc_int_at(goodput, "offered") : INT_NONE, sum = 0;
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)d, key, v) { sum += json_integer_value(v); }

    if (d && int_known(offered) && sum != offered)
        page_item(p,
                  page_text(p, "The dispositions sum to %s, but %s requests were offered: the account does not close.",
                            figure_count(sum).s, figure_count(offered).s));
}

/* "ledger2passes 0.1.0 (dataset-size 40)": one writer of the report. */
static const char *writer(struct page *p, const json_t *pg) {
    const char *name = pick_text(p, pg, "name"), *version = pick_text(p, pg, "version"), *key;
    struct buf b = {0};
    json_t *v;
    buf_printf(&b, "%s%s%s", name ? name : FIGURE_MISSING, version ? " " : "", version ? version : "");
    size_t n = 0;
    json_object_foreach(doc_at(pg, "options"), key, v) {
        buf_printf(&b, "%s%s ", n++ ? ", " : " (", page_safe(p, key, strlen(key)));
        struct buf value = {0};
        doc_dump(&value, v);
        buf_str(&b, page_safe(p, value.s, value.len));
        buf_free(&value);
    }
    if (n) buf_char(&b, ')');
    const char *text = page_text(p, "%s", b.s);
    buf_free(&b);
    return text;
}

/* What moves a number: reports under other definitions are not to be compared. */
static void provenance(struct page *p, const json_t *report, const char *label) {
    const json_t *pg = report ? doc_at(report, "pg") : NULL;
    struct buf b = {0};
    const char *key;
    json_t *v;
    json_object_foreach(report ? doc_at(report, "definitions") : NULL, key, v) {
        if (json_is_null(v)) continue;
        buf_printf(&b, "%s%s" NBSP, b.len ? ", " : "", page_safe(p, key, strlen(key)));
        if (json_is_string(v))
            buf_str(&b, page_safe(p, json_string_value(v), json_string_length(v)));
        else
            doc_dump(&b, v);
    }
    if (b.len) page_fact(p, label, page_text(p, "%s", b.s), NULL);
    buf_free(&b);
    for (size_t i = 0; i < json_array_size(pg); i++)
        page_fact(p, i ? "" : "  written by", writer(p, json_array_get(pg, i)), NULL);
}

/* Histograms, for formats that can draw, with the targets they are held against. */
static void spread(struct page *p, const struct run *run) {
    static const char *const metric[] = {"tpot", "ttft"};
    page_section(p, "Latency distributions");
    for (size_t i = 0; run->steady && i < 2; i++)
        page_plot(
            p, plot_histogram(p, run->steady, metric[i], pick_real(run->goodput, "contract.latency_ms.%s", metric[i])));
    page_section(p, NULL);
}

void about_run(struct page *p, const struct run *run, const struct about *with) {
    p->name = page_safe(p, run->name, strlen(run->name));
    if (run->unreadable) {
        p->headline = "Unreadable";
        p->tone = TONE_BAD;
        p->lead = page_text(p, "%s: %s", page_safe(p, run->file, strlen(run->file)),
                            page_safe(p, run->unreadable, strlen(run->unreadable)));
        return;
    }
    if (run->other) {
        about_other(p, run->other);
        if (with->audit && with->manifest) about_audit(p, NULL, with->manifest);
        if (with->glossary && json_is_array(doc_at(run->other, "levels"))) about_glossary(p);
        return;
    }
    about_headline(p, run);
    page_section(p, "Why");
    const json_t *list = run->steady ? doc_at(run->steady, "reasons") : NULL;
    for (size_t i = 0; i < json_array_size(list); i++)
        page_item(p, about_reason(p, run->steady, json_array_get(list, i)));
    reasons(p, run->goodput, "reasons");
    page_section(p, "Look out");
    if (run->steady) other_anomaly(p, run->steady);
    list = run->steady ? doc_at(run->steady, "warnings") : NULL;
    for (size_t i = 0; i < json_array_size(list); i++)
        page_item(p, steady_warning(p, run->steady, json_array_get(list, i)));
    reasons(p, run->goodput, "warnings");
    same_run(p, run);
    reconcile(p, run->goodput);
    page_section(p, NULL);
    if (run->steady) about_steady(p, run->steady);
    spread(p, run);
    if (run->goodput) about_goodput(p, run->goodput);
    page_section(p, "Definitions and provenance");
    provenance(p, run->steady, "Steady figures");
    provenance(p, run->goodput, "Goodput figures");
    page_section(p, NULL);
    if (with->audit) about_audit(p, run, with->manifest);
    if (with->glossary) about_glossary(p);
}

bool about_yes(const struct run *run) {
    struct page p = {0};
    bool yes = !run->unreadable;
    if (run->steady) yes &= phrase_verdict(&p, doc_text_at(run->steady, "verdict")).yes;
    const char *goodput = run->goodput ? doc_text_at(run->goodput, "verdict") : NULL;
    yes &= !goodput || strcmp(goodput, "fail") != 0;
    page_free(&p);
    return yes;
}
