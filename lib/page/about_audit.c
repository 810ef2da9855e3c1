#include "about_audit.h"

#include <math.h>
#include <string.h>

#include "figure.h"
#include "manifest.h"
#include "num.h"
#include "phrase.h"
#include "pick.h"

/* A value in words: text as it is, "key value, key value" of an object, elements of an array by commas. */
static void say(struct buf *b, struct page *p, const json_t *v) {
    const char *key, *comma = "";
    json_t *member;
    if (json_is_string(v)) {
        buf_str(b, page_safe(p, json_string_value(v), json_string_length(v)));
    } else if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, member) {
            buf_printf(b, "%s%s" NBSP, comma, page_safe(p, key, strlen(key)));
            say(b, p, member);
            comma = ", ";
        }
    } else if (json_is_array(v)) {
        for (size_t i = 0; i < json_array_size(v); i++, comma = ", ") {
            buf_str(b, comma);
            say(b, p, json_array_get(v, i));
        }
    } else if (json_is_boolean(v)) {
        buf_str(b, json_is_true(v) ? "yes" : "no");
    } else {
        doc_dump(b, v);
    }
}

/* ---- what the reports show by themselves ---- */

static void show_trace(struct buf *b, const struct run *run) {
    static const char *const which[][2] = {{"isl", "input"}, {"osl", "output"}};
    int64_t n = run->goodput ? doc_int_at(run->goodput, "offered") : doc_int_at(run->steady, "total.n_issued");
    int64_t data_set = run->steady ? doc_int_at(run->steady, "run.dataset_size") : INT_NONE;
    if (!int_known(n)) return;
    buf_printf(b, "%s requests", figure_count(n).s);
    if (int_known(data_set)) buf_printf(b, ", a data set of %s", figure_count(data_set).s);
    for (size_t i = 0; run->goodput && i < 2; i++) {
        double mean = pick_real(run->goodput, "lengths.%s.mean", which[i][0]);
        double p50 = pick_real(run->goodput, "lengths.%s.p50", which[i][0]);
        double p90 = pick_real(run->goodput, "lengths.%s.p90", which[i][0]);
        if (isnan(mean)) continue;
        buf_printf(b, "; %s tokens: mean %s", which[i][1], figure_number(mean, NAN).s);
        if (!isnan(p50)) buf_printf(b, ", p50 %s, p90 %s", figure_number(p50, NAN).s, figure_number(p90, NAN).s);
    }
}

static void show_arrival(struct buf *b, const struct run *run) {
    const char *mode = run->steady ? doc_text_at(run->steady, "mode") : NULL;
    int64_t c = run->steady ? doc_int_at(run->steady, "run.concurrency") : INT_NONE;
    double rate = pick_real(run->goodput, "rates.offered_rps"), target = pick_real(run->goodput, "run.target_rps");
    if (mode && strcmp(mode, "concurrency") == 0)
        buf_str(b, "closed loop");
    else if (mode && strcmp(mode, "poisson") == 0)
        buf_str(b, "open loop");
    else if (mode && strcmp(mode, "offline") == 0)
        buf_str(b, "everything at the start");
    if (int_known(c)) buf_printf(b, " of %s", figure_count(c).s);
    if (!isnan(rate)) buf_printf(b, "%s%s requests/s offered", b->len ? ", " : "", figure_number(rate, NAN).s);
    if (!isnan(target)) buf_printf(b, " (%s aimed at)", figure_number(target, NAN).s);
}

static void show_warmup(struct buf *b, const struct run *run) {
    int64_t passes = run->steady ? doc_int_at(run->steady, "warmup.passes") : INT_NONE;
    int64_t untracked = run->goodput ? doc_int_at(run->goodput, "untracked") : INT_NONE;
    if (int_known(passes))
        buf_printf(b, "%s %s (%s requests, %s) cropped", figure_count(passes).s, passes == 1 ? "pass" : "passes",
                   figure_count(doc_int_at(run->steady, "warmup.samples")).s,
                   figure_time(pick_real(run->steady, "warmup.seconds")).s);
    if (int_known(untracked))
        buf_printf(b, "%s%s requests outside of tracking", b->len ? ", " : "", figure_count(untracked).s);
}

/* Every criterion of the contract. */
static void show_contract(struct buf *b, struct page *p, const json_t *contract) {
    const char *key;
    json_t *v;
    json_object_foreach(doc_at(contract, "latency_ms"), key, v) {
        buf_printf(b, "%s%s ≤" NBSP "%s", b->len ? ", " : "", phrase_metric(p, key),
                   figure_latency(json_number_value(v) * 1e6).s);
    }
    json_object_foreach((json_t *)contract, key, v) {
        if (strcmp(key, "latency_ms") == 0) continue;
        buf_printf(b, "%s%s" NBSP, b->len ? ", " : "", page_safe(p, key, strlen(key)));
        say(b, p, v);
    }
}

static const char *shown(struct page *p, const struct run *run, const char *key) {
    struct buf b = {0};
    const json_t *goodput = run ? run->goodput : NULL, *steady = run ? run->steady : NULL;
    double s = pick_real(goodput, "duration.s");
    if (isnan(s)) s = pick_real(steady, "total.span_ns") / 1e9;
    if (strcmp(key, "duration") == 0 && !isnan(s)) buf_str(&b, figure_time(s).s);
    if (strcmp(key, "trace") == 0 && (goodput || steady)) show_trace(&b, run);
    if (strcmp(key, "arrival") == 0 && (goodput || steady)) show_arrival(&b, run);
    if (strcmp(key, "warmup") == 0 && (goodput || steady)) show_warmup(&b, run);
    if (strcmp(key, "acceptance") == 0 && goodput) show_contract(&b, p, doc_at(goodput, "contract"));
    if (strcmp(key, "model") == 0 && goodput && doc_text_at(goodput, "contract.model"))
        buf_str(&b, pick_text(p, goodput, "contract.model"));
    const json_t *evaluator = goodput ? doc_at(goodput, "definitions.evaluator") : NULL;
    if (!evaluator && goodput) evaluator = doc_at(goodput, "contract.quality.evaluator");
    if (strcmp(key, "evaluator") == 0 && evaluator && !json_is_null(evaluator)) say(&b, p, evaluator);
    const char *text = b.len ? page_text(p, "%s", b.s) : NULL;
    buf_free(&b);
    return text;
}

static void items(struct page *p, const struct run *run, const json_t *manifest) {
    size_t missing = 0;
    struct buf b = {0};
    for (size_t i = 0; i < MANIFEST_ITEMS; i++) {
        const json_t *stated = manifest_find(manifest, i);
        const char *reported = shown(p, run, manifest_item[i].key), *value = "missing", *note = NULL;
        buf_clear(&b);
        if (stated) {
            say(&b, p, stated);
            value = page_text(p, "%s", b.s);
            if (reported) note = page_text(p, "reports: %s", reported);
        } else if (reported) {
            value = "not stated";
            note = page_text(p, "reports: %s", reported);
        } else {
            missing++;
        }
        page_fact(p, manifest_item[i].label, value, note);
    }
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)manifest, key, v) {
        if (manifest_knows(key)) continue;
        buf_clear(&b);
        say(&b, p, v);
        page_fact(p, page_safe(p, key, strlen(key)), page_text(p, "%s", b.len ? b.s : ""), NULL);
    }
    buf_free(&b);
    page_paragraph(p, missing == 0 ? "Every item is there."
                                   : page_text(p, "%zu of %d items are missing%s.", missing, MANIFEST_ITEMS,
                                               manifest ? "" : ": state them in a manifest"));
}

/* ---- accounts ---- */

static void check(struct page *p, const char *what, int64_t parts, const char *of, int64_t whole) {
    if (!int_known(parts) || !int_known(whole)) return;
    page_row(p, what, page_text(p, "%s", figure_count(parts).s), page_text(p, "%s", figure_count(whole).s), of,
             parts == whole ? "closes" : "DOES NOT CLOSE", PAGE_END);
}

static int64_t sum(const json_t *counts) {
    const char *key;
    json_t *v;
    int64_t n = 0;
    json_object_foreach((json_t *)counts, key, v) { n += json_integer_value(v); }
    return json_is_object(counts) ? n : INT_NONE;
}

/* Segments by one key after the other: each key splits all that was offered. */
static void check_segments(struct page *p, const json_t *r, int64_t offered) {
    const json_t *list = doc_at(r, "segments");
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n;) {
        const char *by = doc_text_at(json_array_get(list, i), "by");
        int64_t total = 0;
        size_t k = i;
        for (; k < n; k++) {
            const char *other = doc_text_at(json_array_get(list, k), "by");
            if ((by == NULL) != (other == NULL) || (by && strcmp(by, other) != 0)) break;
            int64_t part = doc_int_at(json_array_get(list, k), "offered");
            total += int_known(part) ? part : 0;
        }
        check(p, page_text(p, "segments by %s", by ? page_safe(p, by, strlen(by)) : "?"), total, "offered", offered);
        i = k;
    }
}

static void accounts(struct page *p, const struct run *run) {
    const json_t *r = run->goodput;
    int64_t offered = doc_int_at(r, "offered");
    page_section(p, "Accounts");
    page_columns(p, "sum of", ">requests", ">should be", "which are", "", PAGE_END);
    check(p, "dispositions", sum(doc_at(r, "dispositions")), "offered", offered);
    if (json_is_object(doc_at(r, "cohort")))
        check(p, "dispositions of the cohort", sum(doc_at(r, "cohort.dispositions")), "offered in it",
              doc_int_at(r, "cohort.offered"));
    check_segments(p, r, offered);
    int64_t admitted = doc_int_at(r, "admitted"), rejected = doc_int_at(r, "dispositions.rejected");
    if (int_known(admitted) && int_known(rejected))
        check(p, "admitted and rejected", admitted + rejected, "offered", offered);
    if (run->steady)
        check(p, "requests of the steady report", doc_int_at(run->steady, "total.n_issued"), "offered", offered);
    page_section(p, NULL);
}

void about_audit(struct page *p, const struct run *run, const json_t *manifest) {
    page_section(p, "Audit: what to publish beside these figures");
    items(p, run, manifest);
    if (run && run->goodput) accounts(p, run);
    page_section(p, NULL);
}
