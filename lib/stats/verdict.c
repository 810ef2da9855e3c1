#include "verdict.h"

#include <math.h>
#include <string.h>

const char *const verdict_name[N_VERDICTS] = {
    [VERDICT_STEADY] = "steady",
    [VERDICT_STEADY_THEN_SHIFT] = "steady_then_shift",
    [VERDICT_STEADY_AFTER_SHIFT] = "steady_after_shift",
    [VERDICT_LOCAL_PLATEAU] = "local_plateau",
    [VERDICT_NO_STEADY_STATE] = "no_steady_state",
    [VERDICT_TOO_SHORT] = "too_short",
    [VERDICT_NOT_ASSESSED] = "not_assessed",
    [VERDICT_UNSUPPORTED] = "unsupported",
};

unsigned verdict_set(const char *list, const char **bad, size_t *bad_len) {
    unsigned set = 0;
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");
        int v = 0;
        while (v < N_VERDICTS && (strlen(verdict_name[v]) != len || strncmp(verdict_name[v], p, len) != 0))
            v++;
        if (v == N_VERDICTS) {
            *bad = p;
            *bad_len = len;
            return 0;
        }
        set |= 1U << v;
        p += len;
        if (*p == '\0') return set;
    }
}

static void say(struct judgement *j, const char *code, const char *metric, double value, double bound) {
    if (j->n < VERDICT_MAX_REASONS) j->reason[j->n++] = (struct reason){code, metric, value, bound};
}

static void find(struct judgement *j, const char *code, const struct finding *f) {
    if (f->metric) say(j, code, f->metric, f->value, f->bound);
}

void verdict_against(struct evidence *e, const char *code, const char *metric, double value, double bound) {
    if (e->n_against < VERDICT_MAX_REASONS) e->against[e->n_against++] = (struct reason){code, metric, value, bound};
}

/* Rules 1..3: what makes any window meaningless. */
static bool cannot_say(const struct evidence *e, struct judgement *j) {
    if (e->agentic) {
        j->verdict = VERDICT_UNSUPPORTED;
        say(j, "agentic", NULL, NAN, NAN);
    } else if (e->unassessed) {
        j->verdict = VERDICT_NOT_ASSESSED;
        say(j, e->unassessed, NULL, NAN, NAN);
    } else {
        j->verdict = VERDICT_TOO_SHORT;
        if (e->n_body < 4) say(j, "passes", NULL, (double)e->n_body, 4);
        if (e->robust && e->n_requests <= e->ramp_requests) say(j, "coverage", NULL, e->n_requests, e->ramp_requests);
    }
    return j->n > 0;
}

/* Rule 4. */
static bool never_steady(const struct evidence *e, struct judgement *j) {
    j->verdict = VERDICT_NO_STEADY_STATE;
    if (e->n_plateaus == 0) {
        say(j, "no_window", NULL, 0, NAN);
        for (size_t i = 0; i < e->n_against; i++)
            say(j, e->against[i].code, e->against[i].metric, e->against[i].value, e->against[i].bound);
    }
    if (!e->any_long) find(j, "drift", &e->body_drift);
    if (e->robust) {
        if (!e->any_long) find(j, "wandering", &e->far_apart);
        if (e->backlog) say(j, "backlog", NULL, NAN, NAN);
        if (e->capped) say(j, "capped", NULL, NAN, NAN);
        find(j, "slope", &e->slope);
    }
    return j->n > 0;
}

/* Rules 6..8, of a window that lasts. */
static bool not_throughout(const struct evidence *e, struct judgement *j) {
    j->verdict = VERDICT_STEADY_THEN_SHIFT;
    find(j, "shift", &e->shift);
    if (j->n == 0) find(j, "end_shift", &e->end_shift);
    if (j->n > 0) return true;
    j->verdict = VERDICT_STEADY_AFTER_SHIFT;
    if (e->robust) find(j, "before_shift", &e->before_shift);
    if (j->n > 0) return true;
    j->verdict = VERDICT_LOCAL_PLATEAU;
    find(j, "drift", &e->rest_drift);
    return j->n > 0;
}

struct judgement verdict_of(const struct evidence *e) {
    struct judgement j = {0};
    if (cannot_say(e, &j)) return j;
    j.found = e->any_long;
    if (never_steady(e, &j)) return j;
    if (!e->any_long) {
        j.verdict = VERDICT_TOO_SHORT;
        find(&j, "short_window", &e->too_short);
        return j;
    }
    if (!not_throughout(e, &j)) j.verdict = VERDICT_STEADY;
    return j;
}
