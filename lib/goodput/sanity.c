#include "sanity.h"

#include <math.h>
#include <stdio.h>

#include "num.h"

#define SHARE .01
#define COUNT 10

static void add(struct sanity *found, size_t *n, const char *code, double value, const char *text) {
    struct sanity s = {.code = code, .text = text};
    snprintf(s.value, sizeof s.value, "%.4g", value);
    found[(*n)++] = s;
}

size_t sanity_check(struct sanity found[SANITY_MAX], const struct fact *const *f, size_t n, int64_t cutoff_ns,
                    const json_t *report) {
    int64_t completed = 0, empty = 0, longest = INT_NONE, at_longest = 0, lengths = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t tokens = f[i]->output_tokens;
        if (fact_outcome(f[i], cutoff_ns) != OUT_COMPLETED) continue;
        completed++;
        empty += tokens == 0 && !f[i]->tool_calls;
        if (!int_known(tokens)) continue;
        lengths += tokens != longest; /* whether there is more than one is enough to know */
        if (tokens > longest) at_longest = 0;
        if (tokens > longest) longest = tokens;
        at_longest += tokens == longest && f[i]->stopped;
    }
    size_t k = 0;
    double least = SHARE * (double)completed;
    if (empty > 0 && (double)empty >= least)
        add(found, &k, "zero_token_replies", (double)empty / (double)completed,
            "share of completed replies without a token: look at what the server returned");
    if (lengths > 1 && longest > 1 && at_longest >= COUNT && (double)at_longest >= least)
        add(found, &k, "limit_called_stop", (double)at_longest,
            "replies are as long as the longest and say 'stop': a length limit may have cut them");
    double good = doc_real_at(report, "rates.good_tokens_per_s"), most = NAN;
    const json_t *series = doc_at(report, "series");
    for (size_t i = 0; i < json_array_size(series); i++)
        most = fmax(most, doc_real_at(json_array_get(series, i), "tokens_per_s"));
    if (good > most * (1 + 1e-9))
        add(found, &k, "beyond_busiest_bin", good / most,
            "good tokens per second over those of the busiest bin: ends lack stamps, or the duration is too short");
    return k;
}
