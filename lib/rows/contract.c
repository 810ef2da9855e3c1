#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"

const char *const target_name[N_TARGETS] = {"ttft", "tpot", "gap", "e2e"};
const char *const disposition_name[N_DISPOSITIONS] = {"accepted",       "quality_failure", "latency_failure",
                                                      "server_failure", "rejected",        "client_timeout",
                                                      "cancelled",      "unfinished"};
const char *const miss_name[N_MISSES] = {"ttft",
                                         "tpot",
                                         "gap",
                                         "e2e",
                                         "quality",
                                         "empty",
                                         "unjudged",
                                         "model",
                                         "unobserved:ttft",
                                         "unobserved:tpot",
                                         "unobserved:gap",
                                         "unobserved:e2e"};

#define DEN_MAX INT64_C(1000000000000)
#define MS_MAX 9e12 /* an int64 of ns */

bool limit_meets(const struct limit *l, int64_t span_ns, int64_t tail) {
    __int128 bound;
    if (__builtin_mul_overflow(l->num, (__int128)tail, &bound)) return true; /* beyond every span times den */
    return (__int128)span_ns * l->den <= bound;
}

double limit_ns(const struct limit *l) { return l->den ? (double)l->num / (double)l->den : NAN; }

/* The decimal digits somebody wrote are what counts, and those are the shortest that read back as the double. */
const char *limit_set(struct limit *l, double ms) {
    if (!(ms >= 0 && ms <= MS_MAX)) return "not a number of ms from 0 to 9e12";
    char digits[NUM_MAX + 1];
    digits[num_put_real(digits, ms)] = '\0';
    *l = (struct limit){.num = 0, .den = 1};
    int shift = 6; /* ms to ns */
    bool point = false;
    const char *s = digits;
    for (; *s && *s != 'e'; s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        l->num = l->num * 10 + (*s - '0');
        shift -= point;
    }
    int64_t exponent = 0; /* negative: so small a number is written 1e-7, so large a one is refused above */
    if (*s == 'e' && num_int(s + 1, strlen(s + 1), &exponent)) shift += (int)exponent;
    for (; shift > 0; shift--)
        l->num *= 10;
    for (; shift < 0; shift++) {
        if (l->den == DEN_MAX) return "more than 18 decimals";
        l->den *= 10;
    }
    return NULL;
}

int target_find(const char *s, size_t n) {
    for (int t = 0; t < N_TARGETS; t++)
        if (n == strlen(target_name[t]) && memcmp(s, target_name[t], n) == 0) return t;
    return n == 4 && memcmp(s, "e2el", n) == 0 ? TARGET_E2E : -1;
}

/* ---- reading: where we are, and what is wrong there ---- */

struct place {
    const char *file;
    char path[128];
};

static struct place within(const struct place *p, const char *key) {
    struct place in = {.file = p->file};
    snprintf(in.path, sizeof in.path, "%.60s%s%.60s", p->path, p->path[0] ? "." : "", key);
    return in;
}

static _Noreturn void bad(const struct place *p, const char *what) {
    if (p->path[0]) die("%s: %s: %s", p->file, p->path, what);
    die("%s: %s", p->file, what);
}

static void check_keys(const struct place *p, const json_t *object, const char *const *known) {
    if (!json_is_object(object)) bad(p, "not an object");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        struct place at = within(p, key);
        if (!known[i]) bad(&at, "unknown key");
    }
}

static const char *text(const struct place *p, const json_t *object, const char *key) {
    const json_t *v = json_object_get(object, key);
    struct place at = within(p, key);
    if (v && (!json_is_string(v) || !json_string_length(v))) bad(&at, "not a text");
    return json_string_value(v);
}

static double number(const struct place *p, const json_t *object, const char *key) {
    const json_t *v = json_object_get(object, key);
    struct place at = within(p, key);
    if (v && !json_is_number(v)) bad(&at, "not a number");
    return v ? json_number_value(v) : NAN;
}

/* Index of the text among the choices; 0 when the key is absent. */
static int choice(const struct place *p, const json_t *object, const char *key, const char *a, const char *b) {
    const char *s = text(p, object, key);
    if (!s || strcmp(s, a) == 0) return 0;
    if (strcmp(s, b) == 0) return 1;
    struct place at = within(p, key);
    char what[64];
    snprintf(what, sizeof what, "neither '%s' nor '%s'", a, b);
    bad(&at, what);
}

static struct limit limit_of(const struct place *p, const json_t *v) {
    struct limit l;
    if (!json_is_number(v)) bad(p, "not a number of ms");
    const char *why = limit_set(&l, json_number_value(v));
    if (why) bad(p, why);
    return l;
}

static int target_of(const struct place *p, const char *key) {
    int t = target_find(key, strlen(key));
    if (t < 0) bad(p, "not a latency: ttft, tpot, gap or e2e");
    return t;
}

/* ---- the fields that have fields ---- */

static void read_latency(struct contract *c, const struct place *top, const json_t *latency) {
    struct place p = within(top, "latency_ms");
    if (!json_is_object(latency)) bad(&p, "not an object");
    json_t *said = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)latency, key, value) {
        struct place at = within(&p, key);
        int t = target_of(&at, key);
        if (c->latency[t].den) bad(&at, "stated twice");
        c->latency[t] = limit_of(&at, value);
        doc_set_real(said, target_name[t], json_number_value(value));
    }
    json_object_set_new(c->document, "latency_ms", said);
}

/* "exact-match 1.2" names an evaluator and its version, and so does {"name":…,"version":…}. */
static void read_evaluator(struct contract *c, const struct place *quality, const json_t *v) {
    static const char *const known[] = {"name", "version", NULL};
    struct place p = within(quality, "evaluator");
    if (!json_is_string(v)) {
        check_keys(&p, v, known);
        c->evaluator_name = text(&p, v, "name");
        c->evaluator_version = text(&p, v, "version");
    } else {
        c->evaluator = xstrdup(json_string_value(v));
        size_t at = strlen(c->evaluator); /* of the version */
        while (at > 0 && !strchr(" @:/-", c->evaluator[at - 1]))
            at--;
        if (at > 1 && c->evaluator[at]) {
            c->evaluator[at - 1] = '\0';
            c->evaluator_name = c->evaluator;
            c->evaluator_version = c->evaluator + at;
        }
    }
    if (!c->evaluator_name || !c->evaluator_version) bad(&p, "a name and a version, such as \"exact-match 1.2\"");
}

static void read_quality(struct contract *c, const struct place *top, json_t *quality) {
    static const char *const known[] = {"rule", "evaluator", NULL};
    struct place p = within(top, "quality");
    check_keys(&p, quality, known);
    const char *rule = text(&p, quality, "rule");
    json_t *evaluator = json_object_get(quality, "evaluator"), *said = json_object();
    doc_set_text(said, "rule", rule ? rule : ".pass");
    if (evaluator) json_object_set(said, "evaluator", evaluator);
    json_object_set_new(c->document, "quality", said);
    c->quality = true;
    c->rule = doc_text_at(said, "rule");
    if (evaluator) read_evaluator(c, &p, json_object_get(said, "evaluator"));
}

static void read_percentile(struct contract *c, const struct place *at, enum target metric, const char *key,
                            const json_t *value) {
    struct percentile_limit l = {.metric = metric, .den = 100, .limit = limit_of(at, value)};
    size_t i = 1, n = strlen(key);
    for (; key[0] == 'p' && i < n && i < 8 && key[i] >= '0' && key[i] <= '9'; i++)
        l.num = l.num * 10 + (unsigned)(key[i] - '0');
    if (i > 1 && key[i] == '.' && key[i + 1])
        for (i++; i < n && i < 8 && key[i] >= '0' && key[i] <= '9'; i++) {
            l.num = l.num * 10 + (unsigned)(key[i] - '0');
            l.den *= 10;
        }
    if (i != n || l.num == 0 || l.num > l.den) bad(at, "not a percentile such as p99 or p99.9");
    memcpy(l.name, key, n + 1);
    c->percentile = xrealloc(c->percentile, c->n_percentiles + 1, sizeof *c->percentile);
    c->percentile[c->n_percentiles++] = l;
}

static void read_percentiles(struct contract *c, const struct place *top, json_t *percentiles) {
    struct place p = within(top, "percentiles_ms");
    if (!json_is_object(percentiles)) bad(&p, "not an object");
    json_t *said = json_object();
    const char *metric, *key;
    json_t *of, *value;
    json_object_foreach(percentiles, metric, of) {
        struct place in = within(&p, metric);
        int t = target_of(&in, metric);
        if (json_object_get(said, target_name[t])) bad(&in, "stated twice");
        if (!json_is_object(of)) bad(&in, "not an object");
        json_object_foreach(of, key, value) {
            struct place at = within(&in, key);
            read_percentile(c, &at, (enum target)t, key, value);
        }
        json_object_set(said, target_name[t], of);
    }
    json_object_set_new(c->document, "percentiles_ms", said);
}

static void read_repeats(struct contract *c, const struct place *top, json_t *repeats) {
    static const char *const known[] = {"need", "of", NULL};
    struct place p = within(top, "repeats");
    check_keys(&p, repeats, known);
    c->need = doc_int_at(repeats, "need");
    c->of = doc_int_at(repeats, "of");
    if (!int_known(c->need) || !int_known(c->of) || c->need < 1 || c->need > c->of)
        bad(&p, "need and of must be integers, 1 <= need <= of");
    json_object_set(c->document, "repeats", repeats);
}

static void read_primary(struct contract *c, const struct place *top, json_t *primary) {
    struct place p = within(top, "primary");
    const char *a = json_string_value(json_array_get(primary, 0)), *b = json_string_value(json_array_get(primary, 1));
    bool quality_first = a && b && strcmp(a, "quality") == 0 && strcmp(b, "latency") == 0;
    c->latency_first = a && b && strcmp(a, "latency") == 0 && strcmp(b, "quality") == 0;
    if (json_array_size(primary) != 2 || !(quality_first || c->latency_first))
        bad(&p, "not [\"quality\",\"latency\"] in either order");
}

/* ---- the whole ---- */

void contract_load(struct contract *c, const char *name, const json_t *document) {
    static const char *const known[] = {
        "name",           "model",          "schema",        "latency_ms", "quality",
        "percentiles_ms", "acceptance_min", "quality_floor", "repeats",    "not_applicable",
        "zero_tokens",    "latency_from",   "first",         "primary",    NULL};
    static const char *const texts[] = {"name", "model", "schema"};
    struct place top = {.file = name};
    *c = (struct contract){.need = 1, .of = 1, .document = json_object()};
    check_keys(&top, document, known);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (text(&top, document, texts[i])) json_object_set(c->document, texts[i], json_object_get(document, texts[i]));
    c->model = doc_text_at(c->document, "model");
    c->schema = doc_text_at(c->document, "schema");

    json_t *v;
    if ((v = json_object_get(document, "latency_ms"))) read_latency(c, &top, v);
    if ((v = json_object_get(document, "quality"))) read_quality(c, &top, v);
    if ((v = json_object_get(document, "percentiles_ms"))) read_percentiles(c, &top, v);

    c->acceptance_min = number(&top, document, "acceptance_min");
    struct place at = within(&top, "acceptance_min");
    if (c->acceptance_min < 0 || c->acceptance_min > 1) bad(&at, "not between 0 and 1");
    if (!isnan(c->acceptance_min)) doc_set_real(c->document, "acceptance_min", c->acceptance_min);
    c->quality_floor = number(&top, document, "quality_floor");
    if (!isnan(c->quality_floor)) doc_set_real(c->document, "quality_floor", c->quality_floor);
    if ((v = json_object_get(document, "repeats"))) read_repeats(c, &top, v);

    c->not_applicable_fails = choice(&top, document, "not_applicable", "pass", "fail");
    c->zero_tokens_pass = choice(&top, document, "zero_tokens", "fail", "pass");
    c->first_answer = choice(&top, document, "first", "any", "answer");
    if (json_object_get(document, "latency_from"))
        c->origin = choice(&top, document, "latency_from", "intended", "issued") ? ORIGIN_ISSUED : ORIGIN_INTENDED;
    if ((v = json_object_get(document, "primary"))) read_primary(c, &top, v);

    doc_set_text(c->document, "not_applicable", c->not_applicable_fails ? "fail" : "pass");
    doc_set_text(c->document, "zero_tokens", c->zero_tokens_pass ? "pass" : "fail");
    if (c->origin) doc_set_text(c->document, "latency_from", c->origin == ORIGIN_ISSUED ? "issued" : "intended");
    doc_set_text(c->document, "first", c->first_answer ? "answer" : "any");
    json_object_set_new(c->document, "primary",
                        c->latency_first ? json_pack("[ss]", "latency", "quality")
                                         : json_pack("[ss]", "quality", "latency"));
}

void contract_read(struct contract *c, const char *path) {
    struct buf b = {0};
    doc_slurp(&b, path);
    char why[128];
    int line;
    json_t *document = doc_parse(b.s ? b.s : "", b.len, why, &line);
    const char *file = strcmp(path, "-") == 0 ? "stdin" : path;
    if (!document) die_at(file, line, "not JSON: %s", why);
    contract_load(c, file, document);
    json_decref(document);
    buf_free(&b);
}

void contract_parse(struct contract *c, const char *targets, bool quality) {
    json_t *latency = json_object();
    for (const char *s = targets;;) {
        size_t n = strcspn(s, ","), name = strcspn(s, ":,");
        double ms;
        if (name >= n || name == 0 || !num_real(s + name + 1, n - name - 1, &ms))
            die("-g: '%.*s' is not METRIC:MS, such as ttft:800", (int)n, s);
        char *key = xstrndup(s, name);
        if (json_object_get(latency, key)) die("-g: '%s' stands twice", key);
        doc_set_real(latency, key, ms);
        free(key);
        if (!s[n]) break;
        s += n + 1;
    }
    json_t *document = json_object();
    json_object_set_new(document, "latency_ms", latency);
    if (quality) json_object_set_new(document, "quality", json_object());
    contract_load(c, "-g", document);
    json_decref(document);
}

void contract_free(struct contract *c) {
    json_decref(c->document);
    free(c->percentile);
    free(c->evaluator);
    *c = (struct contract){0};
}

bool contract_asks(const struct contract *c, enum target t) {
    bool asks = c->latency[t].den != 0;
    for (size_t i = 0; i < c->n_percentiles; i++)
        asks |= c->percentile[i].metric == t;
    return asks;
}

bool contract_has_criteria(const struct contract *c) {
    return c->n_percentiles > 0 || !isnan(c->acceptance_min) || !isnan(c->quality_floor);
}
