/* ledger: one row per offered request.  Layer 6.
 *
 * The columns, their types and order stand here once (SPEC of the stream: steadytools-ledger(5)).  Views in a row belong
 * to whoever filled it: after ledger_read they live until the next read. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "table.h"

/* What was observed of a request, in the order of `#end.outcomes`. */
enum outcome { OUT_COMPLETED, OUT_ERROR, OUT_REJECTED, OUT_TIMEOUT, OUT_CANCELLED, OUT_UNFINISHED, N_OUTCOMES };
extern const char *const outcome_name[N_OUTCOMES];

/* Flags of a row, in the order they are written. */
enum ledger_flag {
    FLAG_RETRY = 1 << 0,
    FLAG_NO_FIRST = 1 << 1,
    FLAG_LATE_FIRST = 1 << 2,
    FLAG_CLOCK_BACK = 1 << 3,
    FLAG_ZERO_SPAN = 1 << 4,
    FLAG_DUP_DONE = 1 << 5,
    FLAG_FIRST_ASSUMED = 1 << 6,
    FLAG_MULTI_TOKEN_CHUNK = 1 << 7,
    FLAG_CHUNK_COUNT = 1 << 8,
    FLAG_SAMPLED = 1 << 9,
    FLAG_TOOL_CALLS = 1 << 10,
    FLAG_LIMIT_STOP = 1 << 11
};

/* Stamps and spans in ns, counts in tokens; INT_NONE, NAN and empty views are missing. */
struct ledger_row {
    struct view request;
    int64_t seq; /* rank among tracked requests; missing when untracked */
    bool tracked;
    enum outcome outcome;
    int64_t intended_ns, issued_ns, reissued_ns, first_ns, last_ns, done_ns;
    int64_t ttft_ns;
    double tpot_ns;
    int64_t gap_max_ns, e2e_ns;
    int64_t input_tokens, output_tokens, tail_tokens, chunks, attempts;
    struct view finish_reason, error_type, quality, model, schema, class_, tenant, conversation;
    int64_t turn;
    struct view worker, input_hash;
    int64_t answer_first_ns;
    unsigned flags; /* enum ledger_flag, or'ed */
};

extern const struct ledger_row ledger_row_missing; /* completed, untracked, and nothing else known */

extern const struct schema ledger_schema;

/* Columns of an open ledger, resolved by name once; -1 = absent.  A plain table must have at least `request` and
 * `outcome`, or die_at names what lacks. */
struct ledger_in;
struct ledger_in *ledger_open(const char *path); /* NULL or "-" = stdin */
struct table_in *ledger_table(struct ledger_in *in); /* header facts, run, and raw cells of the current row */
bool ledger_read(struct ledger_in *in,
                 struct ledger_row *row); /* false at the end; a bad value dies with file and line */
void ledger_close(struct ledger_in *in);

/* run.offered_complete of two ledgers taken together: false where one is not complete, true where both are, else "unknown";
 * NULL is no statement.  A new reference, NULL without any statement. */
json_t *ledger_complete(const json_t *a, const json_t *b);

/* Write a row in the spelling of the output table.  Extra cells, if the table has extra columns, are the caller's. */
void ledger_write(struct table_out *out, const struct ledger_row *row);

#endif
