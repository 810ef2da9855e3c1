#include "score.h"

#include <math.h>
#include <string.h>

#include "num.h"

double score_value(const struct ledger_row *row, enum target t) {
    if (t == TARGET_TPOT) return row->tpot_ns;
    int64_t span = t == TARGET_TTFT ? row->ttft_ns : t == TARGET_GAP ? row->gap_max_ns : row->e2e_ns;
    return int_known(span) ? (double)span : NAN;
}

bool score_not_applicable(const struct ledger_row *row, enum target t) {
    if (row->outcome != OUT_COMPLETED || (t != TARGET_TPOT && t != TARGET_GAP)) return false;
    if (!isnan(score_value(row, t))) return false;
    bool one_token = int_known(row->output_tokens) && row->output_tokens <= 1;
    return row->tail_tokens == 0 || row->chunks == 1 || (one_token && !int_known(row->tail_tokens));
}

enum sight { MEETS, EXCEEDS, UNOBSERVED };

/* tpot_ns is an exact span divided by the tail.  The product gives the span back, unless somebody else's quotient was
 * rounded; then it is compared as it stands. */
static enum sight see_tpot(const struct ledger_row *row, const struct limit *l) {
    if (row->flags & FLAG_ZERO_SPAN) return MEETS;
    if (isnan(row->tpot_ns)) return UNOBSERVED;
    double product = row->tpot_ns * (double)row->tail_tokens, span = nearbyint(product);
    bool exact = row->tail_tokens > 0 && product < 0x1p53 && fabs(product - span) <= product * 0x1p-51;
    if (exact) return limit_meets(l, (int64_t)span, row->tail_tokens) ? MEETS : EXCEEDS;
    return row->tpot_ns <= limit_ns(l) ? MEETS : EXCEEDS;
}

static enum sight see_span(int64_t span_ns, const struct limit *l) {
    if (!int_known(span_ns)) return UNOBSERVED;
    return limit_meets(l, span_ns, 1) ? MEETS : EXCEEDS;
}

static enum sight see(const struct ledger_row *row, enum target t, const struct limit *l) {
    switch (t) {
    case TARGET_TPOT: return see_tpot(row, l);
    case TARGET_GAP: return see_span(row->gap_max_ns, l);
    case TARGET_E2E: return see_span(row->e2e_ns, l);
    default: break;
    }
    bool whole = !int_known(row->ttft_ns) && !int_known(row->first_ns);
    if (whole) return see_span(row->e2e_ns, l) == MEETS ? MEETS : UNOBSERVED;
    return see_span(row->ttft_ns, l);
}

static void judge_latency(struct score *s, const struct ledger_row *row, const struct contract *c) {
    for (enum target t = 0; t < N_TARGETS; t++) {
        if (score_not_applicable(row, t)) s->not_applicable |= MISS_BIT(t);
        if (!c->latency[t].den) continue;
        if (s->not_applicable & MISS_BIT(t)) {
            if (c->not_applicable_fails) s->misses |= MISS_BIT(t);
            continue;
        }
        enum sight sight = see(row, t, &c->latency[t]);
        if (sight == UNOBSERVED) {
            s->unobserved |= MISS_BIT(t);
            s->misses |= MISS_BIT(MISS_UNOBSERVED + t);
        } else {
            s->observed |= MISS_BIT(t);
            if (sight == EXCEEDS) s->misses |= MISS_BIT(t);
        }
    }
}

/* The row's model or schema is the one wanted; notes whether the row names one at all. */
static bool same(struct score *s, const char *want, struct view is, unsigned bit) {
    if (!want) return true;
    *(is.n ? &s->observed : &s->unobserved) |= bit;
    return is.n == strlen(want) && memcmp(is.s, want, is.n) == 0;
}

static void judge_quality(struct score *s, const struct ledger_row *row, const struct contract *c, enum judged judged) {
    bool model = same(s, c->model, row->model, SCORE_MODEL), schema = same(s, c->schema, row->schema, SCORE_SCHEMA);
    if (!model || !schema) s->misses |= MISS_BIT(MISS_MODEL);
    if (!c->zero_tokens_pass && row->output_tokens == 0 && !(row->flags & FLAG_TOOL_CALLS))
        s->misses |= MISS_BIT(MISS_EMPTY);
    if (c->quality && judged != JUDGED_PASS)
        s->misses |= MISS_BIT(judged == JUDGED_FAIL ? MISS_QUALITY : MISS_UNJUDGED);
}

struct score score_row(const struct ledger_row *row, const struct contract *c, enum judged judged) {
    static const enum disposition of_outcome[N_OUTCOMES] = {
        [OUT_COMPLETED] = DISP_ACCEPTED,     [OUT_ERROR] = DISP_SERVER_FAILURE, [OUT_REJECTED] = DISP_REJECTED,
        [OUT_TIMEOUT] = DISP_CLIENT_TIMEOUT, [OUT_CANCELLED] = DISP_CANCELLED,  [OUT_UNFINISHED] = DISP_UNFINISHED,
    };
    struct score s = {.disposition = of_outcome[row->outcome]};
    if (row->outcome != OUT_COMPLETED) return s;
    judge_latency(&s, row, c);
    judge_quality(&s, row, c, judged);
    bool late = s.misses & MISSES_OF_LATENCY, poor = s.misses & ~MISSES_OF_LATENCY;
    if (late && poor)
        s.disposition = c->latency_first ? DISP_LATENCY_FAILURE : DISP_QUALITY_FAILURE;
    else if (late || poor)
        s.disposition = late ? DISP_LATENCY_FAILURE : DISP_QUALITY_FAILURE;
    return s;
}
