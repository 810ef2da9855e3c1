/* maprow: what an adapter says, one JSON object at a time.  Layer 8.
 *
 * This is the contract between an adapter (a jq program) and the ledger.  An adapter puts out objects of four kinds:
 *
 *   {"#run": {…}}      a run begins: facts about it (name, target_rps, offered_complete true|false|"unknown", partial …)
 *   {"#facts": {…}}    more facts about the present run
 *   {"#error": "…"}    the file cannot be used, and why
 *   {…}                a request; every key may be left out or null:
 *
 * request model schema class tenant conversation worker finish_reason
 *                      texts (or numbers, taken as text)
 * tracked              false for warm-up
 * intended_ns issued_ns reissued_ns first_ns answer_first_ns last_ns done_ns
 *                      STAMPs
 * ttft_ns e2e_ns gap_max_ns
 *                      STAMPs that are spans, of a harness that keeps no time of day
 * gaps_ns              a list of spans between all chunks after the first: gives gap_max_ns, chunks and last_ns
 * deliveries_ns        a list of STAMPs, one per chunk: gives first_ns, last_ns, gap_max_ns and chunks
 * tokens_at_ns         a list of STAMPs, one per token (tokens of one chunk share it): as deliveries_ns, and tail_tokens
 * input_tokens output_tokens tail_tokens chunks attempts turn
 *                      integers
 * outcome              "completed" … "unfinished"; without it: completed, or what `error` says
 * error                {"type", "message", "code" or "status"}: classified; only the type is kept
 * quality              "pass" | "fail" | true | false
 * whole                true: the reply came in one piece, without deliveries: nothing came after its first chunk
 * tool_calls           true: the reply calls tools
 * prompt               text, or an array of token ids, or of messages: kept as a hash only
 *
 * STAMP  N or "N"                    a decimal literal in ns
 *        {"s": N} {"ms": N} {"us": N} {"ns": N}
 *                                    in another unit; {"-s": N} … to be subtracted; N null: the stamp is missing
 *        [STAMP, …]                  their sum, exactly; missing if one is missing
 * A list is [STAMP, …], or {"s": [N, …]}.
 *
 * An adapter may use three definitions that stand before it:
 *   num        a number, also where it came as a string (see jqmap.h)
 *   nonzero    null for 0 and null, else the input
 *   need(f)    the input where f holds, else an error: a line that is not what the adapter expects is skipped and counted,
 *              a document ends the program
 *
 * Decimals are taken digit by digit, to the nearest ns (half away from zero), so that nothing passes through a double on
 * the way.  Adapters never subtract stamps, and 0 in a span that means "missing" is theirs to leave out. */
#ifndef MAPROW_H
#define MAPROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"
#include "ledger.h"
#include "spans.h"

/* Where an object's token counts come from. */
enum maprow_tokens { MAPROW_FIELD, MAPROW_CHUNKS, MAPROW_NONE };

struct maprow_rule {
    struct classify *classify;
    struct spans_rule spans;
    enum maprow_tokens tokens;
};

enum maprow_kind { MAPROW_REQUEST, MAPROW_RUN, MAPROW_FACTS, MAPROW_ERROR, MAPROW_BAD, MAPROW_UNKNOWN };

/* Read one object.
 *   MAPROW_REQUEST  *row is filled, spans and flags included, but seq; its views live in texts (an empty request id is
 *                   the caller's to fill)
 *   MAPROW_RUN, MAPROW_FACTS, MAPROW_ERROR  *said is the value: JSON text, or the decoded words in texts
 *   MAPROW_BAD      not an object, or a value that does not fit: *said is the name of its key (empty: no object)
 *   MAPROW_UNKNOWN  a key that is none of the above, *said: the program is wrong, not the file */
enum maprow_kind maprow_read(struct view object, const struct maprow_rule *rule, struct arena *texts,
                             struct ledger_row *row, struct view *said);

#endif
