#include "flat.h"

#include <math.h>
#include <string.h>

#include "phrase.h"

enum from { STEADY, GOODPUT, OTHER };
enum form { TEXT, REAL, COUNT, TRUTH, MS, LO, HI, N_ITEMS, CODES, CERTIFIED };

static const struct {
    const char *name;
    enum from from;
    const char *path;
    enum form form;
} column[] = {
    {"verdict", STEADY, "verdict", TEXT},
    {"goodput_verdict", GOODPUT, "verdict", TEXT},
    {"reasons", STEADY, "reasons", CODES},
    {"goodput_reasons", GOODPUT, "reasons", CODES},
    {"warnings", STEADY, "warnings", N_ITEMS},
    {"certified", STEADY, "verdict", CERTIFIED},
    {"found", STEADY, "found", TRUTH},
    {"coverage", STEADY, "coverage", TEXT},
    {"partial", STEADY, "partial", TRUTH},
    {"mode", STEADY, "mode", TEXT},
    {"profile", STEADY, "profile", TEXT},
    {"confidence", STEADY, "window.confidence", TEXT},
    {"tps_system", STEADY, "tps.system.value", REAL},
    {"tps_system_lo", STEADY, "tps.system.ci", LO},
    {"tps_system_hi", STEADY, "tps.system.ci", HI},
    {"tps_per_user", STEADY, "tps.per_user.value", REAL},
    {"tps_per_user_lo", STEADY, "tps.per_user.ci", LO},
    {"tps_per_user_hi", STEADY, "tps.per_user.ci", HI},
    {"tps_delivered", STEADY, "tps.delivered.value", REAL},
    {"tps_total", STEADY, "total.tps", REAL},
    {"tps_divergence", STEADY, "divergence.tps", REAL},
    {"qps", STEADY, "qps.value", REAL},
    {"tpot_mean_ms", STEADY, "metrics.tpot.mean_ns", MS},
    {"tpot_p50_ms", STEADY, "metrics.tpot.p50_ns", MS},
    {"tpot_p90_ms", STEADY, "metrics.tpot.p90_ns", MS},
    {"tpot_p99_ms", STEADY, "metrics.tpot.p99_ns", MS},
    {"ttft_mean_ms", STEADY, "metrics.ttft.mean_ns", MS},
    {"ttft_p50_ms", STEADY, "metrics.ttft.p50_ns", MS},
    {"ttft_p90_ms", STEADY, "metrics.ttft.p90_ns", MS},
    {"ttft_p99_ms", STEADY, "metrics.ttft.p99_ns", MS},
    {"e2e_p50_ms", STEADY, "metrics.e2e.p50_ns", MS},
    {"e2e_p99_ms", STEADY, "metrics.e2e.p99_ns", MS},
    {"warmup_passes", STEADY, "warmup.passes", COUNT},
    {"first_pass", STEADY, "window.first_pass", COUNT},
    {"end_pass", STEADY, "window.end_pass", COUNT},
    {"window_passes", STEADY, "window.n_passes", COUNT},
    {"window_requests", STEADY, "window.n_requests", COUNT},
    {"window_s", STEADY, "short_window.window_duration_s", REAL},
    {"min_duration_s", STEADY, "short_window.min_duration_s", REAL},
    {"plateaus", STEADY, "window.n_plateaus", COUNT},
    {"shift_pass", STEADY, "anomaly.change_pass", COUNT},
    {"shift_delta", STEADY, "anomaly.delta", REAL},
    {"duration_s", GOODPUT, "duration.s", REAL},
    {"offered", GOODPUT, "offered", COUNT},
    {"responses", GOODPUT, "responses", COUNT},
    {"succeeded", GOODPUT, "succeeded", COUNT},
    {"accepted", GOODPUT, "accepted", COUNT},
    {"offered_rps", GOODPUT, "rates.offered_rps", REAL},
    {"responses_rps", GOODPUT, "rates.responses_rps", REAL},
    {"goodput_rps", GOODPUT, "rates.goodput_rps", REAL},
    {"good_tokens_per_s", GOODPUT, "rates.good_tokens_per_s", REAL},
    {"acceptance", GOODPUT, "acceptance.ratio", REAL},
    {"acceptance_binomial_lo", GOODPUT, "acceptance.binomial", LO},
    {"acceptance_binomial_hi", GOODPUT, "acceptance.binomial", HI},
    {"acceptance_cluster_lo", GOODPUT, "acceptance.cluster", LO},
    {"acceptance_cluster_hi", GOODPUT, "acceptance.cluster", HI},
    {"offered_ttft_p99_ms", GOODPUT, "latency.ttft.offered.p99_ns", MS},
    {"offered_tpot_p99_ms", GOODPUT, "latency.tpot.offered.p99_ns", MS},
    {"rated_rps", OTHER, "rated_rps", REAL},
    {"derated_rps", OTHER, "derated_rps", REAL},
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
