#include "spans.h"

#include <string.h>

#include "num.h"

const char *const latency_from_name[] = {"intended", "issued"};
const char *const retry_clock_name[] = {"first", "last"};
const char *const tpot_end_name[] = {"done", "last"};

/* The flags that spans_fill alone decides. */
#define OWN_FLAGS                                                                                                      \
    (unsigned)(FLAG_RETRY | FLAG_NO_FIRST | FLAG_LATE_FIRST | FLAG_CLOCK_BACK | FLAG_ZERO_SPAN |                       \
               FLAG_MULTI_TOKEN_CHUNK | FLAG_LIMIT_STOP)

static bool view_is(struct view v, const char *s) { return v.n == strlen(s) && memcmp(v.s, s, v.n) == 0; }

int64_t spans_start(const struct ledger_row *row, const struct spans_rule *rule) {
    if (rule->retry_clock == RETRY_LAST && int_known(row->reissued_ns)) return row->reissued_ns;
    if (rule->latency_from == FROM_INTENDED && int_known(row->intended_ns)) return row->intended_ns;
    return row->issued_ns;
}

void spans_tail(struct ledger_row *row, bool one_chunk) {
    if (int_known(row->tail_tokens) || !int_known(row->output_tokens)) return;
    if (one_chunk || row->output_tokens <= 1) {
        row->tail_tokens = 0;
    } else {
        row->tail_tokens = row->output_tokens - 1;
        row->flags |= FLAG_FIRST_ASSUMED;
    }
}

/* b - a, where a negative span is missing and says so. */
static int64_t forward(struct ledger_row *row, int64_t a, int64_t b) {
    if (!int_known(a) || !int_known(b)) return INT_NONE;
    if (b < a) {
        row->flags |= FLAG_CLOCK_BACK;
        return INT_NONE;
    }
    return num_span(a, b);
}

static void fill_tpot(struct ledger_row *row, int64_t first, int64_t end) {
    row->tpot_ns = NAN;
    if (!int_known(row->tail_tokens) || row->tail_tokens <= 0) return;
    int64_t span = forward(row, first, end);
    if (span == 0)
        row->flags |= FLAG_ZERO_SPAN;
    else if (int_known(span))
        row->tpot_ns = (double)span / (double)row->tail_tokens;
}

void spans_fill(struct ledger_row *row, const struct spans_rule *rule) {
    row->flags &= ~OWN_FLAGS;
    if (row->outcome != OUT_COMPLETED) {
        row->output_tokens = row->tail_tokens = row->gap_max_ns = INT_NONE;
        row->flags &= ~(unsigned)(FLAG_FIRST_ASSUMED | FLAG_CHUNK_COUNT);
    }

    int64_t first = row->first_ns, done = row->done_ns, last = row->last_ns;
    int64_t start = spans_start(row, rule);
    if (int_known(start)) {
        row->ttft_ns = forward(row, start, first);
        row->e2e_ns = forward(row, start, done);
    } else if (!int_known(first) && !int_known(done)) { /* spans only: measured from an origin at 0 */
        first = row->ttft_ns;
        done = row->e2e_ns;
        last = INT_NONE;
    }
    fill_tpot(row, first, rule->tpot_end == TPOT_TO_LAST ? last : done);

    if (int_known(row->attempts) && row->attempts > 1) row->flags |= FLAG_RETRY;
    if (row->outcome == OUT_COMPLETED && !int_known(first)) row->flags |= FLAG_NO_FIRST;
    if (int_known(first) && int_known(done) && first > done) row->flags |= FLAG_LATE_FIRST;
    if (int_known(row->output_tokens) && int_known(row->chunks) && row->output_tokens > row->chunks)
        row->flags |= FLAG_MULTI_TOKEN_CHUNK;
    if (view_is(row->finish_reason, "length") || view_is(row->finish_reason, "max_tokens"))
        row->flags |= FLAG_LIMIT_STOP;
}
