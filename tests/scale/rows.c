/* rows: a run of any length as a stream, for measuring what the tools hold.
 *
 *     rows ledger|events N [SEED]
 *
 * An open loop at 1000 requests a second, 600 ms each: at most 600 in flight, whatever N.  Deliveries and lengths are noisy,
 * the dataset has 1000 prompts, a request in 500 fails.  The ledger is what ev2ledger makes of the
 * events, but for the hash of the prompts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "die.h"
#include "ledger.h"
#include "num.h"
#include "out.h"

enum { GAP_NS = 1000000, FIRST = 100, LAST = 600, PROMPTS = 1000 }; /* first token and end after so many gaps */
#define START_NS INT64_C(1769000000000000000)

struct request {
    int64_t number, issued_ns, first_ns, done_ns, tokens;
    unsigned prompt;
    bool failed;
    char id[24];
    size_t id_n;
};

static uint64_t hash(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static struct request request(int64_t i, uint64_t seed) {
    uint64_t h = hash((uint64_t)i * 0x9E3779B97F4A7C15u + seed), pass = (uint64_t)i / PROMPTS;
    struct request r = {.number = i, .issued_ns = START_NS + i * GAP_NS};
    r.prompt = (unsigned)(((uint64_t)i * 7 + hash(pass + seed)) % PROMPTS); /* each once in a pass, in another order */
    r.tokens = 20 + (int64_t)(hash(r.prompt) % 60);
    r.first_ns = r.issued_ns + FIRST * GAP_NS + (int64_t)(h % GAP_NS);
    r.done_ns = r.issued_ns + LAST * GAP_NS + (int64_t)(h >> 32) % GAP_NS;
    r.failed = h % 500 == 0;
    r.id_n = (size_t)snprintf(r.id, sizeof r.id, "r%010" PRId64, i);
    return r;
}

/* ---- a ledger ---- */

static void write_ledger(int64_t n, uint64_t seed) {
    struct table_out out;
    json_t *run = json_pack("{s:s, s:I, s:I}", "clock", "epoch", "tracking_start_ns", (json_int_t)START_NS,
                            "tracking_stop_ns", (json_int_t)(START_NS + n * GAP_NS)),
           *pg = json_array();
    table_begin(&out, SPELL_TSV, true, &ledger_schema, ledger_schema.column, ledger_schema.n, run, pg);
    for (int64_t i = 0; i < n; i++) {
        struct request r = request(i, seed);
        char prompt[17];
        struct view input_hash = {prompt, (size_t)snprintf(prompt, sizeof prompt, "%016" PRIx64, hash(r.prompt))};
        struct ledger_row row = {.request = {r.id, r.id_n},
                                 .seq = i,
                                 .tracked = true,
                                 .outcome = r.failed ? OUT_ERROR : OUT_COMPLETED,
                                 .intended_ns = INT_NONE,
                                 .issued_ns = r.issued_ns,
                                 .reissued_ns = INT_NONE,
                                 .first_ns = r.first_ns,
                                 .last_ns = INT_NONE,
                                 .done_ns = r.done_ns,
                                 .ttft_ns = r.first_ns - r.issued_ns,
                                 .tpot_ns = r.failed ? NAN : (double)(r.done_ns - r.first_ns) / (double)(r.tokens - 1),
                                 .gap_max_ns = INT_NONE,
                                 .e2e_ns = r.done_ns - r.issued_ns,
                                 .input_tokens = INT_NONE,
                                 .output_tokens = r.failed ? INT_NONE : r.tokens,
                                 .tail_tokens = r.failed ? INT_NONE : r.tokens - 1,
                                 .chunks = INT_NONE,
                                 .attempts = 1,
                                 .turn = INT_NONE,
                                 .input_hash = input_hash,
                                 .answer_first_ns = r.first_ns,
                                 .error_type = {"Broken", r.failed ? 6 : 0},
                                 .flags = r.failed ? 0 : FLAG_FIRST_ASSUMED};
        ledger_write(&out, &row);
        table_row(&out);
    }
    table_end(&out, json_object());
    json_decref(run);
    json_decref(pg);
}

/* ---- an event log, in order of stamp but for the noise ---- */

static void session(const char *type, int64_t stamp) {
    out_printf("{\"event_type\":\"session.%s\",\"timestamp_ns\":%" PRId64 "}\n", type, stamp);
}

static void write_events(int64_t n, uint64_t seed) {
    session("started", START_NS - 1);
    session("start_performance_tracking", START_NS - 1);
    for (int64_t at = 0; at < n + LAST; at++) {
        if (at < n) {
            struct request r = request(at, seed);
            out_printf("{\"event_type\":\"sample.issued\",\"timestamp_ns\":%" PRId64
                       ",\"sample_uuid\":\"%s\",\"data\":[\"PromptData\",\"prompt %u\"]}\n",
                       r.issued_ns, r.id, r.prompt);
        }
        if (at >= FIRST && at - FIRST < n) {
            struct request r = request(at - FIRST, seed);
            out_printf("{\"event_type\":\"sample.recv_first\",\"timestamp_ns\":%" PRId64 ",\"sample_uuid\":\"%s\"}\n",
                       r.first_ns, r.id);
        }
        if (at >= LAST) {
            struct request r = request(at - LAST, seed);
            out_printf("{\"event_type\":\"sample.complete\",\"timestamp_ns\":%" PRId64
                       ",\"sample_uuid\":\"%s\",\"data\":",
                       r.done_ns, r.id);
            if (r.failed)
                out_str("[\"ErrorData\",\"Broken\",null]}\n");
            else
                out_printf("[\"TextModelOutput\",[\"a\",\" b c\"]],\"output_tokens\":%" PRId64 "}\n", r.tokens);
        }
    }
    session("stop_performance_tracking", START_NS + n * GAP_NS);
    session("ended", START_NS + (n + LAST + 1) * GAP_NS);
}

int main(int argc, char **argv) {
    int64_t n, seed = 1;
    die_init("rows");
    if (argc < 3 || argc > 4 || !num_int(argv[2], strlen(argv[2]), &n) || n < 0 ||
        (argc == 4 && !num_int(argv[3], strlen(argv[3]), &seed)))
        die("usage: rows ledger|events N [SEED]");
    if (strcmp(argv[1], "ledger") == 0)
        write_ledger(n, (uint64_t)seed);
    else
        write_events(n, (uint64_t)seed);
    out_close();
    return 0;
}
