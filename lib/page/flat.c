#include "flat.h"

#include <math.h>
#include <string.h>

#include "phrase.h"

enum from { STEADY, GOODPUT, OTHER };
enum form { TEXT, REAL, COUNT, TRUTH, MS, LO, HI, N_ITEMS, CODES, CERTIFIED };

static const struct {
    const char *name, *path;
    enum from from;
    enum form form;
} column[] = {
    {"verdict", "verdict", STEADY, TEXT},
    {"goodput_verdict", "verdict", GOODPUT, TEXT},
    {"reasons", "reasons", STEADY, CODES},
    {"goodput_reasons", "reasons", GOODPUT, CODES},
    {"warnings", "warnings", STEADY, N_ITEMS},
    {"certified", "verdict", STEADY, CERTIFIED},
    {"found", "found", STEADY, TRUTH},
    {"coverage", "coverage", STEADY, TEXT},
    {"partial", "partial", STEADY, TRUTH},
    {"mode", "mode", STEADY, TEXT},
    {"profile", "profile", STEADY, TEXT},
    {"confidence", "window.confidence", STEADY, TEXT},
    {"concurrency", "run.concurrency", STEADY, COUNT},
    {"tps_system", "tps.system.value", STEADY, REAL},
    {"tps_system_lo", "tps.system.ci", STEADY, LO},
    {"tps_system_hi", "tps.system.ci", STEADY, HI},
    {"tps_per_user", "tps.per_user.value", STEADY, REAL},
    {"tps_per_user_lo", "tps.per_user.ci", STEADY, LO},
    {"tps_per_user_hi", "tps.per_user.ci", STEADY, HI},
    {"tps_delivered", "tps.delivered.value", STEADY, REAL},
    {"tps_total", "total.tps", STEADY, REAL},
    {"tps_divergence", "divergence.tps", STEADY, REAL},
    {"qps", "qps.value", STEADY, REAL},
    {"tpot_mean_ms", "metrics.tpot.mean_ns", STEADY, MS},
    {"tpot_p50_ms", "metrics.tpot.p50_ns", STEADY, MS},
    {"tpot_p90_ms", "metrics.tpot.p90_ns", STEADY, MS},
    {"tpot_p99_ms", "metrics.tpot.p99_ns", STEADY, MS},
    {"ttft_mean_ms", "metrics.ttft.mean_ns", STEADY, MS},
    {"ttft_p50_ms", "metrics.ttft.p50_ns", STEADY, MS},
    {"ttft_p90_ms", "metrics.ttft.p90_ns", STEADY, MS},
    {"ttft_p99_ms", "metrics.ttft.p99_ns", STEADY, MS},
    {"e2e_p50_ms", "metrics.e2e.p50_ns", STEADY, MS},
    {"e2e_p99_ms", "metrics.e2e.p99_ns", STEADY, MS},
    {"warmup_passes", "warmup.passes", STEADY, COUNT},
    {"first_pass", "window.first_pass", STEADY, COUNT},
    {"end_pass", "window.end_pass", STEADY, COUNT},
    {"window_passes", "window.n_passes", STEADY, COUNT},
    {"window_requests", "window.n_requests", STEADY, COUNT},
    {"window_s", "short_window.window_duration_s", STEADY, REAL},
    {"min_duration_s", "short_window.min_duration_s", STEADY, REAL},
    {"plateaus", "window.n_plateaus", STEADY, COUNT},
    {"shift_pass", "anomaly.change_pass", STEADY, COUNT},
    {"shift_delta", "anomaly.delta", STEADY, REAL},
    {"duration_s", "duration.s", GOODPUT, REAL},
    {"offered", "offered", GOODPUT, COUNT},
    {"responses", "responses", GOODPUT, COUNT},
    {"succeeded", "succeeded", GOODPUT, COUNT},
    {"accepted", "accepted", GOODPUT, COUNT},
    {"offered_rps", "rates.offered_rps", GOODPUT, REAL},
    {"responses_rps", "rates.responses_rps", GOODPUT, REAL},
    {"goodput_rps", "rates.goodput_rps", GOODPUT, REAL},
    {"good_tokens_per_s", "rates.good_tokens_per_s", GOODPUT, REAL},
    {"acceptance", "acceptance.ratio", GOODPUT, REAL},
    {"acceptance_binomial_lo", "acceptance.binomial", GOODPUT, LO},
    {"acceptance_binomial_hi", "acceptance.binomial", GOODPUT, HI},
    {"acceptance_cluster_lo", "acceptance.cluster", GOODPUT, LO},
    {"acceptance_cluster_hi", "acceptance.cluster", GOODPUT, HI},
    {"offered_ttft_p99_ms", "latency.ttft.offered.p99_ns", GOODPUT, MS},
    {"offered_tpot_p99_ms", "latency.tpot.offered.p99_ns", GOODPUT, MS},
    {"rated_rps", "rated_rps", OTHER, REAL},
    {"derated_rps", "derated_rps", OTHER, REAL},
};
enum { N_COLUMNS = sizeof column / sizeof *column };

static json_t *codes(const json_t *list) {
    struct buf b = {0};
    buf_str(&b, "");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        const char *code = json_is_string(v) ? json_string_value(v) : doc_text_at(v, "code");
        if (b.len) buf_char(&b, ',');
        buf_str(&b, code ? code : "?");
    }
    json_t *text = b.len ? json_string(b.s) : json_null();
    buf_free(&b);
    return text;
}

static json_t *value(const json_t *report, const char *path, enum form form) {
    json_t *v = report ? doc_at(report, path) : NULL;
    if (!v || json_is_null(v)) return json_null();
    switch (form) {
    case TEXT: return json_is_string(v) ? json_incref(v) : json_null();
    case TRUTH: return json_is_boolean(v) ? json_incref(v) : json_null();
    case REAL:
    case COUNT: return json_is_number(v) ? json_incref(v) : json_null();
    case MS: return json_is_number(v) ? json_real(json_number_value(v) / 1e6) : json_null();
    case LO:
    case HI: {
        json_t *end = json_array_get(v, form == HI);
        return json_is_number(end) ? json_incref(end) : json_null();
    }
    case N_ITEMS: return json_is_array(v) ? json_integer((json_int_t)json_array_size(v)) : json_null();
    case CODES: return codes(v);
    case CERTIFIED: return json_boolean(phrase_certified(json_string_value(v)));
    }
    return json_null();
}

static json_t *status(const struct run *run) {
    if (run->unreadable) return json_sprintf("unreadable: %s", run->unreadable);
    const json_t *reports[] = {run->steady, run->goodput, run->other};
    for (size_t i = 0; i < 3; i++) {
        const char *s = reports[i] ? doc_text_at(reports[i], "verdict") : NULL;
        if (reports[i]) return json_string(s ? s : doc_text_at(reports[i], "kind"));
    }
    return json_null();
}

json_t *flat_row(const struct run *run) {
    const json_t *report[] = {[STEADY] = run->steady, [GOODPUT] = run->goodput, [OTHER] = run->other};
    json_t *row = json_object();
    json_t *is = status(run);
    json_object_set_new(row, "status", is ? is : json_string("unreadable"));
    json_t *name = json_string(run->name); /* NULL when a file name is no UTF-8 */
    json_object_set_new(row, "name", name ? name : json_string("?"));
    for (size_t i = 0; i < N_COLUMNS; i++)
        json_object_set_new(row, column[i].name, value(report[column[i].from], column[i].path, column[i].form));
    return row;
}

/* A string in a cell: control characters as \u00xx, quoted where a reader would take it for more than text. */
static void put_text(struct buf *b, const char *s) {
    bool quote = *s == '"' || *s == '#';
    if (quote) buf_char(b, '"');
    for (; *s; s++) {
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            buf_printf(b, "\\u%04x", (unsigned char)*s);
        else if (*s == '"' && quote)
            buf_str(b, "\"\"");
        else
            buf_char(b, *s);
    }
    if (quote) buf_char(b, '"');
}

void flat_tsv(struct buf *b, const struct runs *runs) {
    buf_str(b, "status\tname");
    for (size_t i = 0; i < N_COLUMNS; i++) {
        buf_char(b, '\t');
        buf_str(b, column[i].name);
    }
    buf_char(b, '\n');
    for (size_t i = 0; i < runs->list.n; i++) {
        json_t *row = flat_row(&runs->list.v[i]), *v;
        const char *key, *tab = "";
        json_object_foreach(row, key, v) {
            buf_str(b, tab);
            tab = "\t";
            if (json_is_string(v))
                put_text(b, json_string_value(v));
            else if (json_is_boolean(v))
                buf_char(b, json_is_true(v) ? '1' : '0');
            else if (!json_is_null(v))
                doc_dump(b, v);
        }
        buf_char(b, '\n');
        json_decref(row);
    }
}

void flat_json(struct buf *b, const struct runs *runs) {
    for (size_t i = 0; i < runs->list.n; i++) {
        json_t *row = flat_row(&runs->list.v[i]);
        doc_dump(b, row);
        buf_char(b, '\n');
        json_decref(row);
    }
}
