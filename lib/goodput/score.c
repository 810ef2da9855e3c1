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

/* Delivered in one piece, at its end: nothing is known of a first token but that it came no later. */
static bool came_whole(const struct ledger_row *row) {
    bool one_piece = row->flags & FLAG_NO_FIRST || row->tail_tokens == 0;
    return one_piece && !int_known(row->ttft_ns) && !int_known(row->first_ns) && int_known(row->e2e_ns);
}

/* Whether the row tells anything of a target that applies to it. */
static bool tells(const struct ledger_row *row, enum target t) {
    return !isnan(score_value(row, t)) || (t == TARGET_TPOT && row->flags & FLAG_ZERO_SPAN) ||
           (t == TARGET_TTFT && came_whole(row));
}

/* tpot_ns is an exact span divided by the tail.  The product gives the span back, unless somebody else's quotient was
 * rounded; then it is compared as it stands. */
static bool meets_tpot(const struct ledger_row *row, const struct limit *l) {
    double product = row->tpot_ns * (double)row->tail_tokens, span = nearbyint(product);
    bool exact = row->tail_tokens > 0 && product < 0x1p53 && fabs(product - span) <= product * 0x1p-51;
    if (exact) return limit_meets(l, (int64_t)span, row->tail_tokens);
    return row->tpot_ns <= limit_ns(l);
}

/* The miss of a target that applies and that the row tells of; -1 for none. */
static int miss_of(const struct ledger_row *row, enum target t, const struct limit *l) {
    bool meets;
    if (t == TARGET_TTFT && came_whole(row)) return limit_meets(l, row->e2e_ns, 1) ? -1 : MISS_UNOBSERVED + TARGET_TTFT;
    if (t == TARGET_TPOT)
        meets = row->flags & FLAG_ZERO_SPAN || meets_tpot(row, l);
    else
        meets = limit_meets(l, t == TARGET_TTFT ? row->ttft_ns : t == TARGET_GAP ? row->gap_max_ns : row->e2e_ns, 1);
    return meets ? -1 : (int)t;
}

static void judge_latency(struct score *s, const struct ledger_row *row, const struct contract *c) {
    for (enum target t = 0; t < N_TARGETS; t++) {
        const struct limit *l = &c->latency[t];
        if (score_not_applicable(row, t)) {
            s->not_applicable |= MISS_BIT(t);
            if (l->den && c->not_applicable_fails) s->misses |= MISS_BIT(t);
            continue;
        }
        bool told = tells(row, t);
        *(told ? &s->observed : &s->unobserved) |= MISS_BIT(t);
        if (!l->den) continue;
        int miss = told ? miss_of(row, t, l) : (int)(MISS_UNOBSERVED + t);
        if (miss >= 0) s->misses |= MISS_BIT(miss);
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

unsigned score_rank(const struct ledger_row *row, const struct contract *c, enum target t, const struct limit *limit,
                    unsigned n) {
    if (score_not_applicable(row, t)) return c->not_applicable_fails ? n : 0;
    unsigned i = tells(row, t) ? 0 : n;
    while (i < n && miss_of(row, t, &limit[i]) >= 0)
        i++;
    return i;
}
