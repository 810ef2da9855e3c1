#include "about_glossary.h"

void about_glossary(struct page *p) {
    static const char *const term[][2] = {
        {"Steady state", "a stretch in which TPOT neither drifts nor steps nor scatters, long enough to be certified"},
        {"Super-pass", "a block of requests in the order of issue; the unit in which the run is judged"},
        {"Window", "the super-passes that the steady figures are of"},
        {"Warm-up", "leading super-passes, while the system still fills; not in the window"},
        {"Tail, drain", "requests still open when the last was issued; the time until they end"},
        {"Level shift", "a later stretch that is steady at another level than the window"},
        {"Excursion", "a super-pass of the window more than 5 % off its level; it stays in the figures"},
        {"TTFT", "time to first token, from the intended start where there is a schedule, else from the first send"},
        {"TPOT", "time per output token: from the first chunk to the end, over the tokens after the first chunk"},
        {"E2E", "end to end: from the start of TTFT to the end of the reply"},
        {"System TPS", "output tokens of the window's requests per second of the window"},
        {"TPS per user", "output tokens per second of one request: 1 over mean TPOT"},
        {"Delivered TPS", "output tokens, per second of the window, of requests that ended in it"},
        {"Hairball", "share of the requests open when issuing stopped that were not among the last issued: long ones, "
                     "which pile up in a closed loop"},
        {"Needed for", "how long a window must last: for the precision of its figures, for requests to settle "
                       "(several times their E2E), and at least (floor)"},
        {"p50, p90, p99", "half, nine tenths, 99 of 100 values are not larger: of n values in order, the one at "
                          "(n - 1) p, rounded down; a contract takes the nearest rank"},
        {"95 %: a – b", "an interval that covers the true value in 95 of 100 such runs, super-passes taken for "
                        "independent"},
        {"Offered", "every request that was to be made, whatever became of it"},
        {"Answered", "requests that ended in a reply, an error or a rejection: the completed throughput"},
        {"Goodput", "requests per second that succeed, pass quality and meet every latency target"},
        {"Acceptance", "accepted requests over offered ones"},
        {"Disposition", "what became of an offered request; each has exactly one"},
        {"Cohort", "the requests that arrived in one stretch of time, however long they took"},
    };
    page_section(p, "Terms");
    for (size_t i = 0; i < sizeof term / sizeof *term; i++)
        page_fact(p, term[i][0], term[i][1], NULL);
    page_section(p, NULL);
}
