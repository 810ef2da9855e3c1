#include "format.h"

#include <string.h>

#include "jtok.h"

const char *format_text(const char *name) {
    for (const struct format *f = format_shipped; f->name; f++)
        if (strcmp(f->name, name) == 0) return f->text;
    return NULL;
}

struct view format_what(const struct format *f) {
    const char *what = f->text + strlen("# ") + strlen(f->name) + strlen(": ");
    return (struct view){what, strcspn(what, "\n")};
}

/* What tells a file of JSON: keys of its first object, or (after a '/') of an object right inside that one.  The first
 * entry whose keys are all there names it.  Entries without keys after a name that is no format are files that hold no
 * requests. */
static const struct {
    const char *name;
    bool array; /* the first object stands in an array */
    const char *key[3];
    const char *unsupported;
} signs[] = {
    {"ledger", false, {"#steadytools"}, NULL},
    {"ledger", false, {"request", "outcome"}, NULL},
    {"events", false, {"event_type"}, NULL},
    {"loadgen", false, {"traceEvents"}, NULL},
    {"genai-perf", false, {"experiments"}, NULL},
    {"guidellm", false, {"benchmarks"}, NULL},
    {"guidellm", false, {"/guidellm_version"}, NULL},
    {"aiperf", false, {"metadata", "metrics"}, NULL},
    {"aiperf", false, {"/x_request_id"}, NULL},
    {"sglang", false, {"total_output_tokens_retokenized"}, NULL},
    {"sglang", false, {"dataset_name", "ttfts"}, NULL},
    {"vllm", false, {"tokenizer_id"}, NULL},
    {"vllm", false, {"ttfts", "itls"}, NULL},
    {"llmperf", true, {"error_code", "end_to_end_latency_s"}, NULL},
    {"inference-perf", true, {"start_time", "end_time", "info"}, NULL},
    {"distserve", true, {"prompt_len", "token_timestamps"}, NULL},
    {NULL, false, {"kind", "verdict"}, "a report of this suite, which has no requests in it"},
    {NULL,
     false,
     {"records", "input_config", "error_summary"},
     "a summary of AIPerf, which has no requests in it: take profile_export.jsonl"},
    {NULL, false, {"individual_request_metrics"}, "a genai-bench run: no adapter is shipped for it, see --map"},
    {NULL, false, {"aggregated_metrics"}, "a genai-bench run: no adapter is shipped for it, see --map"},
};
enum { N_SIGNS = sizeof signs / sizeof *signs, N_KEYS = 3 };

static bool key_is(struct view key, bool inner, const char *sign) {
    if (inner != (*sign == '/')) return false;
    sign += inner;
    return key.n == strlen(sign) && memcmp(key.s, sign, key.n) == 0;
}

static void see_key(unsigned char seen[N_SIGNS], bool array, bool inner, struct view key) {
    for (size_t i = 0; i < N_SIGNS; i++)
        for (unsigned k = 0; k < N_KEYS && signs[i].key[k]; k++)
            if (array == signs[i].array && key_is(key, inner, signs[i].key[k])) seen[i] |= (unsigned char)(1u << k);
}

static bool all_seen(unsigned char seen, size_t i) {
    for (unsigned k = 0; k < N_KEYS && signs[i].key[k]; k++)
        if (!(seen & (1u << k))) return false;
    return true;
}

static const char *detect_json(struct view head, const char **unsupported) {
    unsigned char seen[N_SIGNS] = {0};
    struct jtok j;
    jtok_init(&j, head.s, head.n);
    j.nonfinite = true;
    bool array = head.s[0] == '[';
    unsigned outer = array ? 2 : 1; /* depth inside the first object */
    for (enum jtok_type t; (t = jtok_next(&j)) != JTOK_ERROR && t != JTOK_END;) {
        if (t == JTOK_KEY && (j.depth == outer || j.depth == outer + 1))
            see_key(seen, array, j.depth > outer, (struct view){j.s, j.n});
        else if (t == JTOK_OBJECT_END && j.depth < outer)
            break;
    }
    for (size_t i = 0; i < N_SIGNS; i++)
        if (all_seen(seen[i], i)) {
            *unsupported = signs[i].unsupported;
            return signs[i].name;
        }
    return NULL;
}

static bool has_cell(struct view line, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i + n <= line.n; i++)
        if ((i == 0 || line.s[i - 1] == '\t') && memcmp(line.s + i, name, n) == 0 &&
            (i + n == line.n || strchr("\t\r", line.s[i + n])))
            return true;
    return false;
}

static bool starts(struct view head, const char *with) {
    size_t n = strlen(with);
    return head.n >= n && memcmp(head.s, with, n) == 0;
}

const char *format_detect(struct view head, const char **unsupported) {
    *unsupported = NULL;
    if (starts(head, "\xEF\xBB\xBF")) head = (struct view){head.s + 3, head.n - 3};
    while (head.n > 0 && strchr(" \t\r\n", *head.s))
        head = (struct view){head.s + 1, head.n - 1};
    if (starts(head, "{") || starts(head, "[")) return detect_json(head, unsupported);
    if (starts(head, "#steadytools\t")) return "ledger"; /* of another kind: refused by name when it is opened */
    if (starts(head, ":::MLLOG"))
        *unsupported = "a LoadGen detail log, which has no requests in it: take mlperf_log_trace.json";
    const char *lf = head.n > 0 ? memchr(head.s, '\n', head.n) : NULL;
    struct view line = {head.s, lf ? (size_t)(lf - head.s) : head.n};
    return has_cell(line, "request") && has_cell(line, "outcome") ? "ledger" : NULL;
}
