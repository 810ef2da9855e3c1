/* join_fuzz: event logs, whole, to ledgers.
 *
 * A log gives the same ledger whatever the number of threads, and with everything held to the end where no line came too
 * late to count; the ledger reads back as it was written. */
#include "fuzz.h"
#include "join.h"
#include "num.h"

static struct classify *classify;

static struct join_rule usual_rule(void) {
    return (struct join_rule){.slack_ns = 1000000000,
                              .retry_hold_ns = 10000000000,
                              .give_up_ns = INT_NONE,
                              .classify = classify,
                              .tokens = TOKENS_AUTO,
                              .token_sample = 1000};
}

static void put_row(void *table, const struct ledger_row *row) {
    ledger_write(table, row);
    table_row(table);
}

/* The rows, without the stream's own lines, and the trailer. */
static struct buf join(struct view log, const struct join_rule *rule, unsigned threads, json_t **trailer) {
    struct events *events = events_open(fuzz_file(0, log), threads);
    struct table_out out;
    json_t *pg = json_array(), *run = join_run(rule);
    table_begin(&out, SPELL_TSV, false, &ledger_schema, ledger_schema.column, ledger_schema.n, run, pg);
    struct join *j = join_start(rule, "log", put_row, &out);
    struct event *event;
    for (size_t n; (n = events_next(events, &event)) > 0;)
        join_events(j, event, n);
    join_finish(j);
    *trailer = join_trailer(j);
    table_end(&out, json_object());
    join_free(j);
    events_close(events);
    json_decref(run);
    json_decref(pg);
    return fuzz_stdout();
}

#define VIEW(b) ((struct view){(b).s, (b).len})

static void require_readable(struct view ledger, const json_t *trailer) {
    struct ledger_in *in = ledger_open(fuzz_file(1, ledger));
    struct table_in *t = ledger_table(in);
    struct table_out out;
    struct ledger_row row;
    int64_t tracked = 0, outcomes = 0;
    table_begin(&out, SPELL_TSV, false, &ledger_schema, ledger_schema.column, ledger_schema.n, NULL, NULL);
    while (ledger_read(in, &row)) {
        fuzz_require(row.tracked == int_known(row.seq) && (!row.tracked || row.seq == tracked), "seq is no rank");
        tracked += row.tracked;
        ledger_write(&out, &row);
        table_row(&out);
    }
    const char *name;
    json_t *n;
    json_object_foreach(json_object_get(trailer, "outcomes"), name, n) outcomes += json_integer_value(n);
    fuzz_require(outcomes == tracked, "the outcomes do not sum to the tracked rows");
    fuzz_require((int64_t)t->rows >= tracked, "rows");
    table_end(&out, json_object());
    ledger_close(in);
    struct buf again = fuzz_stdout();
    fuzz_same(ledger, VIEW(again), "a ledger read and written");
    buf_free(&again);
}

static void try(struct view log) {
    struct join_rule rule = usual_rule();
    json_t *said, *other;
    struct buf rows = join(log, &rule, 1, &said);
    fuzz_accepted();
    require_readable(VIEW(rows), said);
    if (log.n % 16 == 0) {
        struct buf threads = join(log, &rule, 2, &other);
        fuzz_same(VIEW(rows), VIEW(threads), "two threads");
        json_decref(other);
        buf_free(&threads);
    }
    if (doc_int_at(said, "late_lines") == 0 && doc_int_at(said, "reopened_late") == 0) {
        rule.sort = true;
        struct buf sorted = join(log, &rule, 1, &other);
        fuzz_same(VIEW(rows), VIEW(sorted), "--sort");
        json_decref(other);
        buf_free(&sorted);
    }
    json_decref(said);
    buf_free(&rows);
}

/* Rules that are asked for: they may refuse. */
static void try_others(struct view log) {
    struct join_rule rule = usual_rule();
    json_t *said;
    rule.ids_reused = log.n & 1;
    rule.give_up_ns = log.n & 2 ? 1000000 : INT_NONE;
    rule.slack_ns = log.n & 4 ? 0 : 1000000;
    rule.retry_hold_ns = log.n & 8 ? 0 : 1000000;
    rule.tracking = log.n % 3 == 0 ? TRACKING_WINDOW : log.n % 3 == 1 ? TRACKING_ALL : TRACKING_LOGGED;
    rule.to_ns = INT64_MAX / 2;
    rule.session = log.n % 5 == 0;
    rule.spans = (struct spans_rule){(enum latency_from)(log.n >> 4 & 1), (enum retry_clock)(log.n >> 5 & 1),
                                     (enum tpot_end)(log.n >> 6 & 1)};
    rule.tokens = log.n % 7 == 0 ? TOKENS_CHUNKS : TOKENS_AUTO;
    struct buf rows = join(log, &rule, 1, &said);
    require_readable(VIEW(rows), said);
    json_decref(said);
    buf_free(&rows);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
    return fuzz_mutate_lines(data, size, max, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct view log = {(const char *)data, size};
    if (!classify) classify = classify_new(NULL);
    fuzz_attempt(try, log);
    fuzz_attempt(try_others, log);
    return 0;
}
