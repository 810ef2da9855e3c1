/* worked: the ledger of the worked goodput example (throughput needs a qualification test).
 *
 * 600 s between the start and the stop of tracking, everything ended inside.  Late means a TTFT above 800 ms; a
 * request fails in one way only.  1: 72 000 offered, 68 400 accepted, 114/s.  2: 78 000 offered, 66 000 accepted. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "out.h"
#include "synth.h"

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)
#define START (1769000000 * S)
#define SPAN_S 600
#define ARRIVALS_S 590 /* the last arrivals leave time to end before the stop */

enum kind { GOOD, LATE, BAD, ERRONEOUS, OPEN, N_KINDS };

static const int64_t examples[2][N_KINDS] = {
    {[GOOD] = 68400, [LATE] = 2400, [BAD] = 600, [ERRONEOUS] = 300, [OPEN] = 300},
    {[GOOD] = 66000, [LATE] = 8000, [BAD] = 1600, [ERRONEOUS] = 600, [OPEN] = 1800},
};

static void put_run(int64_t example) {
    out_printf("{\"definitions\":{\"latency_from\":\"intended\",\"retry_clock\":\"first\",\"tpot_end\":\"done\","
               "\"tokens\":\"field\"},\"tracking\":\"logged\",\"truncated\":false,\"clock\":\"epoch\","
               "\"offered_complete\":true,\"tracking_start_ns\":%lld,\"tracking_stop_ns\":%lld,\"example\":%lld}",
               (long long)START, (long long)(START + SPAN_S * S), (long long)example);
}

/* The columns of a ledger, in order; a row fills those it can know. */
static void put_row(int64_t i, int64_t n, enum kind kind) {
    static const char *const outcome[] = {"completed", "completed", "completed", "error", "unfinished"};
    uint64_t u = (uint64_t)i;
    int64_t intended = START + i * ARRIVALS_S * S / n, issued = intended + (int64_t)(rand_unit(RAND_ARRIVAL, u) * 1e6);
    double ttft_ms = (kind == LATE ? 801 : 80) + 700 * rand_unit(RAND_TTFT, u);
    int64_t ttft = (int64_t)(ttft_ms * 1e6), tpot = 10 * MS + (int64_t)(rand_unit(RAND_REQUEST, u) * 2e7);
    int64_t tail = 20 + (int64_t)(rand_unit(RAND_ITEM, u) * 200);
    int64_t first = intended + ttft, done = first + tail * tpot;
    out_printf("q%05lld\t%lld\t1\t%s\t%lld\t%lld\t\t", (long long)i, (long long)i, outcome[kind], (long long)intended,
               (long long)issued);
    if (kind == OPEN) {
        out_str("\t\t\t\t\t\t\t512\t\t\t\t1\t\t\t");
    } else if (kind == ERRONEOUS) {
        out_printf("\t\t%lld\t\t\t\t%lld\t512\t\t\t\t1\t\tHTTPError\t", (long long)(intended + 50 * MS),
                   (long long)(50 * MS));
    } else {
        out_printf("%lld\t\t%lld\t%lld\t%lld\t\t%lld", (long long)first, (long long)done, (long long)ttft,
                   (long long)tpot, (long long)(done - intended));
        out_printf("\t512\t%lld\t%lld\t\t1\tstop\t\t%s", (long long)(tail + 1), (long long)tail,
                   kind == BAD ? "fail" : "pass");
    }
    out_str("\t\t\t\t\t\t\t\t\t\t\n");
}

void worked_write(int64_t example) {
    if (example > 2) die("option --worked: 1 or 2");
    const int64_t *share = examples[example - 1];
    VEC(uint32_t) kinds = {0};
    for (uint32_t kind = 0; kind < N_KINDS; kind++)
        for (int64_t i = 0; i < share[kind]; i++)
            vec_push(&kinds, kind);
    rand_shuffle(kinds.v, kinds.n, RAND_SHUFFLE, 0);
    out_str("#steadytools\tledger\t1\n#run\t");
    put_run(example);
    out_str("\nrequest\tseq\ttracked\toutcome\tintended_ns\tissued_ns\treissued_ns\tfirst_ns\tlast_ns\tdone_ns\t"
            "ttft_ns\ttpot_ns\tgap_max_ns\te2e_ns\tinput_tokens\toutput_tokens\ttail_tokens\tchunks\tattempts\t"
            "finish_reason\terror_type\tquality\tmodel\tschema\tclass\ttenant\tconversation\tturn\tworker\t"
            "input_hash\tanswer_first_ns\tflags\n");
    for (size_t i = 0; i < kinds.n; i++)
        put_row((int64_t)i, (int64_t)kinds.n, (enum kind)kinds.v[i]);
    out_printf("#end\t{\"rows\":%lld,\"outcomes\":{\"completed\":%lld,\"error\":%lld,\"rejected\":0,\"timeout\":0,"
               "\"cancelled\":0,\"unfinished\":%lld},\"run\":",
               (long long)kinds.n, (long long)(share[GOOD] + share[LATE] + share[BAD]), (long long)share[ERRONEOUS],
               (long long)share[OPEN]);
    put_run(example);
    out_str("}\n");
    vec_free(&kinds);
}
