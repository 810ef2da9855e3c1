#include "phrase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

static const struct phrase_verdict steady[] = {
    {"steady", "Steady", "The run held one level long enough to certify it.", TONE_GOOD, true, true},
    {"steady_then_shift", "Steady, then a shift",
     "The run held one level long enough to certify it; later the level changed. The figures are those of the window "
     "before the change.",
     TONE_CAUTION, true, true},
    {"steady_after_shift", "Steady after a shift",
     "The window is steady, but an earlier level, too short to certify, differs from it. Neither speaks for the whole "
     "run.",
     TONE_CAUTION, true, false},
    {"local_plateau", "Local plateau",
     "A stretch of the run is flat, yet the run as a whole drifts. The figures hold for that stretch only.",
     TONE_CAUTION, true, false},
    {"no_steady_state", "No steady state",
     "Nothing is certified: the run never held a level that could be told from drift or wandering.", TONE_BAD, false,
     false},
    {"too_short", "Too short", "Nothing is certified: the run is too short to tell its level.", TONE_BAD, false, false},
    {"not_assessed", "Not assessed", "Whether the run was steady could not be assessed.", TONE_BAD, false, false},
    {"unsupported", "NOT-YET-SUPPORTED",
     "This is a multi-turn (agentic) run. The method is validated for single-turn load only, so no verdict is given.",
     TONE_BAD, false, false},
};

static const struct phrase_verdict goodput[] = {
    {"pass", "Contract met", "Every criterion of the contract is met.", TONE_GOOD, true, true},
    {"fail", "Contract not met", "A criterion of the contract is not met.", TONE_BAD, true, false},
    {"none", "No pass mark",
     "The contract sets targets per request, but no share or percentile that the run must reach.", TONE_PLAIN, true,
     true},
};

/* {key:form} is a member of the reason; what stands in [] is left out when one of its members is missing, and a sentence
 * that misses one outside of [] gives way to the next for its code. */
static const struct {
    const char *code, *text;
} sentence[] = {
    /* what the window is, and is not */
    {"shift",
     "From pass {pass:count} on a later plateau lies {value:change} off the window's level[ (bound {bound:share})]."},
    {"shift", "A later plateau has another level than the window."},
    {"end_shift",
     "From pass {pass:count} to the end the passes lie {value:change} off the level[ (bound {bound:share})]."},
    {"end_shift", "The last passes leave the level."},
    {"before_shift", "An earlier plateau, too short to certify, lies[ {value:change}] off this level."},
    {"drift", "{metric} drifts[ by {value:change}][ (allowed: {bound:share})]."},
    {"slope",
     "{metric} moves all along[, by {value:change}][ (allowed: {bound:share})]: a line fits better than levels do."},
    {"trend", "Even the shortest window drifts: {metric}[ by {value:change}][ (allowed: {bound:share})]."},
    {"step", "Even the shortest window holds a jump: {metric}[ by {value:change}][ (allowed: {bound:share})]."},
    {"cov", "Passes scatter too much: {metric}[ by {value:share}][ (allowed: {bound:share})]."},
    {"missing", "{metric} is missing in a pass."},
    {"wandering",
     "The run moves from level to level: no plateau is long enough, and they lie[ {value:share}] apart[ (allowed: "
     "{bound:share})]."},
    {"backlog", "Requests came faster than they were answered and the queue grew: the offered load exceeds capacity."},
    {"capped", "The ramp never settled: half of the run would have to be cropped as warm-up."},
    {"no_window", "No stretch of the run is flat and quiet enough for a window."},
    {"passes", "Passes that remain after the warm-up: {value:count}[; {bound:count} are needed]."},
    {"coverage", "The run issued {value:count} requests; up to {bound:count}, twice the first filling of the system, "
                 "it may be ramp "
                 "throughout."},
    {"coverage", "The run is not much longer than the first filling of the system: it may be ramp throughout."},
    {"short_window", "The longest plateau lasts {value:time}; {bound:time} are needed[ ({metric} term)]."},
    {"short_window", "The window is shorter than a certified one must be."},
    {"no_tokens",
     "No token counts: TPOT could not be computed, and TTFT is no substitute. Give ev2ledger a tokenizer."},
    {"no_times", "The log has no times of day, so passes cannot be placed in time."},
    {"no_requests", "The log holds no request."},
    {"agentic", "Conversations of several turns are not yet supported."},
    {"gate_missing", "The metric that must be steady was not measured."},
    /* warnings */
    {"partial", "The log or the stream was cut short: the figures are of what was there."},
    {"size_assumed", "The size of a pass is assumed, not that of the data set: the mix of requests per pass may vary."},
    {"warmup_capped", "The warm-up crop stopped at its cap: the run had not settled by then."},
    {"percentile_moves", "A percentile moves over the window: it has its first and last value instead of one level."},
    {"p99_moves", "A p99 moves over the window: its number is shown, but describes no level."},
    {"not_in_balance", "Tokens issued and tokens delivered in the window differ[ by {value:change}][ (allowed: "
                       "{bound:share})]: what goes in "
                       "does not come out."},
    {"other_level",
     "Another plateau of the run lies more than 5 % off the reported one, too briefly to be a shift: see "
     "the plateaus."},
    {"drifting_up", "{metric} gets worse over the rest of the run[ ({value:change})]."},
    {"settling",
     "{metric} still improves over the rest of the run[ ({value:change})]: a larger warm-up crop may be right."},
    {"insufficient_passes", "Fewer passes than the warm-up and one more: best effort only."},
    {"partial_dataset", "Fewer requests than one pass over the data set: unreliable."},
    /* the contract */
    {"acceptance", "{value:share} of the offered requests were accepted; at least {bound:share} are required."},
    {"quality_floor", "The mean quality score is {value:number}; at least {bound:number} is required."},
    {"quality_floor", "No quality score was given; at least {bound:number} is required."},
    {"percentile", "{metric} of the offered requests, by nearest rank, is {value:ns}; at most {bound:ns} is allowed."},
    {"percentile",
     "{metric} of the offered requests is infinite: too many never ended; at most {bound:ns} is allowed."},
    {"segment", "Segment {segment} fails although the whole passes."},
    {"client_limited", "The client sent {value:number} requests/s of the {bound:number} planned."},
    {"unproven", "{value:count} of {bound:count} repeats passed: too few to prove the level."},
};

static struct phrase_verdict find(struct page *p, const struct phrase_verdict *v, size_t n, const char *code) {
    for (size_t i = 0; code && i < n; i++)
        if (strcmp(v[i].code, code) == 0) return v[i];
    const char *title = code ? page_safe(p, code, strlen(code)) : "No verdict";
    return (struct phrase_verdict){.code = code, .title = title, .tone = TONE_PLAIN};
}

struct phrase_verdict phrase_verdict(struct page *p, const char *code) {
    return find(p, steady, sizeof steady / sizeof *steady, code);
}

bool phrase_certified(const char *verdict) {
    for (size_t i = 0; verdict && i < sizeof steady / sizeof *steady; i++)
        if (strcmp(steady[i].code, verdict) == 0) return steady[i].certified;
    return false;
}

struct phrase_verdict phrase_goodput_verdict(struct page *p, const char *code) {
    return find(p, goodput, sizeof goodput / sizeof *goodput, code);
}

/* "value:change" of n bytes; false if the reason has no such member. */
static bool put_member(struct buf *b, struct page *p, const json_t *reason, const char *slot, size_t n) {
    char name[32];
    size_t len = strcspn(slot, ":}");
    if (len >= sizeof name) return false;
    memcpy(name, slot, len);
    name[len] = '\0';
    const json_t *v = json_object_get(reason, name);
    if (json_is_string(v)) {
        buf_str(b, phrase_metric(p, json_string_value(v)));
        return true;
    }
    if (!json_is_number(v)) return false;
    double x = json_number_value(v);
    const char *form = slot + len + 1;
    struct figure f;
    if (n <= len + 1 || strncmp(form, "number", 6) == 0)
        f = figure_number(x, NAN);
    else if (*form == 'n')
        f = figure_latency(x);
    else if (*form == 's')
        f = figure_share(x);
    else if (*form == 't')
        f = figure_time(x);
    else if (form[1] == 'h')
        f = figure_change(x);
    else
        f = figure_count((int64_t)llround(x));
    char *round = strcmp(name, "bound") == 0 ? strstr(f.s, ".0" NBSP) : NULL;
    if (round) memmove(round, round + 2, strlen(round + 2) + 1); /* a bound is 5 %, not 5.0 % */
    buf_str(b, f.s);
    return true;
}

/* Fill text[0..n); false if a member is missing. */
static bool fill(struct buf *b, struct page *p, const json_t *reason, const char *text, size_t n) {
    bool whole = true;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '[') {
            size_t end = i + strcspn(text + i, "]"), mark = b->len;
            if (!fill(b, p, reason, text + i + 1, end - i - 1)) b->s[b->len = mark] = '\0';
            i = end;
        } else if (text[i] == '{') {
            size_t end = i + strcspn(text + i, "}");
            whole &= put_member(b, p, reason, text + i + 1, end - i - 1);
            i = end;
        } else {
            buf_char(b, text[i]);
        }
    }
    return whole;
}

/* A code that has no sentence: the code and what it carries. */
static void plain(struct buf *b, struct page *p, const json_t *reason, const char *code) {
    const char *key;
    json_t *v;
    size_t n = 0;
    for (const char *s = page_safe(p, code, strlen(code)); *s; s++)
        buf_char(b, *s == '_' ? ' ' : *s);
    json_object_foreach((json_t *)reason, key, v) {
        if (strcmp(key, "code") == 0 || json_is_null(v) || json_is_object(v) || json_is_array(v)) continue;
        buf_printf(b, "%s%s ", n++ ? ", " : " (", page_safe(p, key, strlen(key)));
        if (json_is_string(v))
            buf_str(b, phrase_metric(p, json_string_value(v)));
        else if (json_is_number(v))
            buf_str(b, figure_number(json_number_value(v), NAN).s);
        else
            buf_str(b, json_is_true(v) ? "yes" : "no");
    }
    if (n) buf_char(b, ')');
}

static void capital(char *s) {
    if (*s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
}

/* A warning in its tool's own words, and what it is about. */
static const char *with_text(struct page *p, const json_t *reason, const char *text) {
    const char *metric = doc_text_at(reason, "metric"), *value = doc_text_at(reason, "value");
    struct buf b = {0};
    if (metric) buf_str(&b, phrase_metric(p, metric));
    if (value) buf_printf(&b, "%s%s", b.len ? " " : "", page_safe(p, value, strlen(value)));
    if (b.len) buf_str(&b, ": ");
    buf_str(&b, page_safe(p, text, strlen(text)));
    if (!metric && !value) capital(b.s);
    buf_char(&b, '.');
    const char *copy = page_text(p, "%s", b.s);
    buf_free(&b);
    return copy;
}

const char *phrase_reason(struct page *p, const json_t *reason) {
    const char *code = json_is_string(reason) ? json_string_value(reason) : doc_text_at(reason, "code");
    const char *text = doc_text_at(reason, "text");
    if (text) return with_text(p, reason, text);
    if (!code) return "A reason without a code.";
    if (strchr(code, ' ')) return page_safe(p, code, strlen(code)); /* a sentence already */
    struct buf b = {0};
    buf_str(&b, "");
    const json_t *members = json_is_object(reason) ? reason : NULL;
    for (size_t i = 0; i < sizeof sentence / sizeof *sentence && b.len == 0; i++)
        if (strcmp(sentence[i].code, code) == 0 && !fill(&b, p, members, sentence[i].text, strlen(sentence[i].text)))
            buf_clear(&b);
    if (b.len == 0) plain(&b, p, members, code);
    capital(b.s);
    const char *copy = page_text(p, "%s", b.s);
    buf_free(&b);
    return copy;
}

const char *phrase_metric(struct page *p, const char *metric) {
    static const char *const known[][2] = {{"tpot", "TPOT"}, {"ttft", "TTFT"}, {"e2e", "E2E"}, {"gap", "max gap"}};
    if (strcmp(metric, "tps") == 0) return "tokens/s";
    if (strcmp(metric, "rps") == 0) return "requests/s";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i][0]);
        if (strncmp(metric, known[i][0], n) != 0) continue;
        if (metric[n] == '\0') return known[i][1];
        if (metric[n] != '_' && metric[n] != ' ' && metric[n] != '.') continue;
        return page_text(p, "%s %s", known[i][1], page_safe(p, metric + n + 1, strlen(metric + n + 1)));
    }
    return page_safe(p, metric, strlen(metric));
}

static const char *lookup(const char *const known[][2], size_t n, const char *code, const char *otherwise) {
    for (size_t i = 0; code && i < n; i++)
        if (strcmp(code, known[i][0]) == 0) return known[i][1];
    return otherwise;
}
#define LOOKUP(known, code, otherwise) lookup(known, sizeof known / sizeof *known, code, otherwise)

const char *phrase_state(const char *state) {
    static const char *const known[][2] = {
        {"plateau", "flat"}, {"up", "rising"}, {"down", "falling"}, {"insufficient", "too few"}};
    return LOOKUP(known, state, FIGURE_MISSING);
}

const char *phrase_no_clusters(const char *flag) {
    static const char *const known[][2] = {{"few_clusters", "fewer than 10 clusters"},
                                           {"zero_variance", "clusters do not differ"}};
    return LOOKUP(known, flag, flag);
}

const char *phrase_warmup(const char *flag) {
    static const char *const known[][2] = {
        {"no_driver", "nothing cropped: the driver has no values"},
        {"level_p75", "by the 75th percentile: most of the run is drain, and its median no level"}};
    return LOOKUP(known, flag, flag);
}

const char *phrase_tail(const char *flag) {
    static const char *const known[][2] = {{"cov", "TPOT differs too much between requests for a safe cut"},
                                           {"skew", "mean and median TPOT lie too far apart for a safe cut"},
                                           {"share", "the tail is more than a quarter of the body"},
                                           {"no_tpot", "no TPOT was measured"},
                                           {"offline", "offline, the drain has no beginning that the client sees"},
                                           {"no_samples", "the passes carry no samples"}};
    return LOOKUP(known, flag, flag);
}
