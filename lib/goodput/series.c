#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "num.h"

#define BINS 120

/* Time in steps of 1, 2 or 5 times a power of ten of seconds, kept in two parts so that 0.3 s is written 0.3. */
struct ruler {
    int step, exponent;
};

static double ruler_s(const struct ruler *r, double bins) {
    double tens = pow(10, abs(r->exponent));
    return r->exponent < 0 ? bins * r->step / tens : bins * r->step * tens;
}

/* The finest one that needs no more than BINS bins, nor more than there are requests. */
static struct ruler ruler_for(double span_s, size_t n) {
    static const int steps[] = {1, 2, 5};
    double most = n < BINS ? (double)n : BINS;
    for (struct ruler r = {.exponent = -9};; r.exponent++)
        for (size_t i = 0; i < 3; i++) {
            r.step = steps[i];
            if (span_s <= ruler_s(&r, most)) return r;
        }
}

struct bin {
    int64_t offered, ended, completed, accepted;
    double tokens;
};

static void add_end(struct bin *b, const struct fact *f) {
    bool completed = f->outcome == OUT_COMPLETED;
    b->ended++;
    b->completed += completed;
    b->accepted += f->disposition == DISP_ACCEPTED;
    if (completed) b->tokens += int_known(f->output_tokens) ? (double)f->output_tokens : NAN;
}

json_t *series_json(const struct fact *const *f, size_t n, int64_t start_ns, double span_s, int64_t cutoff_ns) {
    json_t *series = json_array();
    if (!(span_s > 0) || !int_known(start_ns) || n == 0) return series;
    struct ruler ruler = ruler_for(span_s, n);
    double width = ruler_s(&ruler, 1);
    long bins = lround(ceil(span_s / width - 1e-9));
    struct bin *bin = xcalloc((size_t)bins, sizeof *bin);
    for (size_t i = 0; i < n; i++) {
        bool cut = int_known(f[i]->done_ns) && f[i]->done_ns > cutoff_ns;
        int64_t stamp[2] = {f[i]->arrival_ns, cut ? INT_NONE : f[i]->done_ns};
        for (int end = 0; end < 2; end++) {
            int64_t since = num_span(start_ns, stamp[end]);
            if (!int_known(since)) continue;
            long b = (long)fmax(0, fmin(floor((double)since / 1e9 / width), (double)bins - 1));
            if (end)
                add_end(&bin[b], f[i]);
            else
                bin[b].offered++;
        }
    }
    int64_t in_flight = 0;
    for (long b = 0; b < bins; b++) {
        double t = ruler_s(&ruler, (double)b), seconds = fmin(width, span_s - t);
        in_flight += bin[b].offered - bin[b].ended;
        json_t *j = json_object();
        doc_set_real(j, "t_s", t);
        doc_set_real(j, "s", seconds);
        doc_set_real(j, "offered_rps", (double)bin[b].offered / seconds);
        doc_set_real(j, "completed_rps", (double)bin[b].completed / seconds);
        doc_set_real(j, "goodput_rps", (double)bin[b].accepted / seconds);
        doc_set_real(j, "tokens_per_s", bin[b].tokens / seconds);
        doc_set_int(j, "in_flight", in_flight);
        json_array_append_new(series, j);
    }
    free(bin);
    return series;
}
