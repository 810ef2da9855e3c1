#include "manifest.h"

#include <ctype.h>
#include <string.h>

#include "die.h"

const struct manifest_item manifest_item[MANIFEST_ITEMS] = {
    {"model", "Model and its version"},
    {"engine", "Engine and its version"},
    {"hardware", "Hardware allocation"},
    {"precision", "Precision"},
    {"parallelism", "Parallelism"},
    {"max_lengths", "Maximum lengths"},
    {"trace", "Request trace"},
    {"arrival", "Arrival process"},
    {"batching", "Batching settings"},
    {"timeouts", "Time-outs"},
    {"duration", "Test duration"},
    {"warmup", "Warm-up"},
    {"acceptance", "Acceptance criteria"},
    {"evaluator", "Quality evaluator and its version"},
    {"ledger", "Request ledger or aggregate"},
};

/* Other names an item goes by, without case, '_' and '-'. */
static const char *const also[MANIFEST_ITEMS][5] = {
    {"modelversion", "modelname"},
    {"server", "engineversion", "framework", "backend"},
    {"gpus", "accelerator", "hardwareallocation", "system"},
    {"quantization", "dtype"},
    {"tensorparallelism", "tp"},
    {"maximumlengths", "maxlength", "maxmodellen", "limits"},
    {"requesttrace", "dataset", "tracesummary", "workload"},
    {"arrivalprocess", "arrivals", "load"},
    {"batchingsettings", "batch", "scheduler"},
    {"timeout", "timeoutbehavior", "timeoutbehaviour", "timeoutpolicy"},
    {"testduration", "durations"},
    {"warmupprocedure"},
    {"contract", "acceptancecriteria", "criteria", "slo"},
    {"qualityevaluator", "quality"},
    {"aggregate", "requestledger", "rawledger"},
};

static void plain(char *to, size_t room, const char *key) {
    size_t n = 0;
    for (; *key && n + 1 < room; key++)
        if (*key != '_' && *key != '-' && *key != ' ') to[n++] = (char)tolower((unsigned char)*key);
    to[n] = '\0';
}

static bool names(const char *key, size_t item) {
    char given[40], own[40];
    plain(given, sizeof given, key);
    plain(own, sizeof own, manifest_item[item].key);
    if (strcmp(given, own) == 0) return true;
    for (size_t i = 0; i < 5 && also[item][i]; i++)
        if (strcmp(given, also[item][i]) == 0) return true;
    return false;
}

json_t *manifest_read(const char *file) {
    struct buf b = {0};
    char why[128] = "empty";
    int line = 0;
    doc_slurp(&b, file);
    json_t *v = b.len ? doc_parse(b.s, b.len, why, &line) : NULL;
    buf_free(&b);
    if (!v && line > 0) die_at(file, line, "not JSON: %s", why);
    if (!json_is_object(v)) die("%s: not a JSON object", file);
    return v;
}

static bool is_empty(const json_t *v) {
    return !v || json_is_null(v) || (json_is_string(v) && json_string_length(v) == 0) ||
           (json_is_object(v) && json_object_size(v) == 0) || (json_is_array(v) && json_array_size(v) == 0);
}

const json_t *manifest_find(const json_t *manifest, size_t i) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)manifest, key, v) {
        if (names(key, i) && !is_empty(v)) return v;
    }
    return NULL;
}

bool manifest_knows(const char *key) {
    for (size_t i = 0; i < MANIFEST_ITEMS; i++)
        if (names(key, i)) return true;
    return false;
}
