/* shape: planted passes.
 *
 * p50 and p90 of a dataset pass share what disturbs the system and add what their own samples scatter: each has the
 * coefficient of variation `noise` and the correlation `phi` from pass to pass, and they correlate at .7.  The mean goes
 * with p50. */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"
#include "num.h"

const double shape_tpot_ns = 50e6;
static const double e2e_ns = 15e9, shared = 0.7, p90_above = 1.04;

double shape_level(const struct shape *s, size_t pass) {
    double level = 1;
    for (size_t i = 0; i < SHAPE_STEPS; i++)
        if (pass >= s->step[i].at && (s->step[i].until == 0 || pass < s->step[i].until)) level += s->step[i].delta;
    if (pass < s->ramp) level *= 0.7 + 0.3 * (double)pass / (double)s->ramp;
    return level * (1 + s->drift * (double)pass / (double)(s->n - 1));
}

static struct metric_stats unknown(void) { return (struct metric_stats){0, NAN, NAN, NAN, NAN, NAN}; }

/* One super-pass with the given TPOT, relative to the nominal one. */
static struct pass pass_of(size_t number, int64_t first_ns, int64_t span_ns, double p50, double p90) {
    struct pass p = {.pass = (int64_t)number,
                     .full = true,
                     .n_issued = 100,
                     .n_done = 100,
                     .n_ok = 100,
                     .first_issue_ns = first_ns,
                     .last_issue_ns = first_ns + span_ns - span_ns / 100,
                     .next_issue_ns = first_ns + span_ns,
                     .last_done_ns = first_ns + span_ns,
                     .span_ns = span_ns,
                     .in_flight = INT_NONE,
                     .active_pct = NAN,
                     .output_tokens = 30000,
                     .tps = NAN,
                     .rps = NAN,
                     .metric = {unknown(), unknown(), unknown()},
                     .isl_mean = NAN,
                     .osl_mean = NAN,
                     .osl_p50 = NAN,
                     .osl_p99 = NAN};
    p.metric[TPOT].n = 100;
    p.metric[TPOT].mean = p.metric[TPOT].p50 = shape_tpot_ns * p50;
    p.metric[TPOT].p90 = shape_tpot_ns * p90_above * p90;
    p.metric[E2E].p90 = e2e_ns;
    return p;
}

void shape_passes(const struct shape *s, struct chance *c, struct passes *out) {
    size_t grain = s->grain ? s->grain : 1, n = s->n / grain;
    double *system = xcalloc(3 * s->n, sizeof *system), *own50 = system + s->n, *own90 = own50 + s->n;
    chance_ar1(c, s->phi, system, s->n);
    chance_ar1(c, s->phi, own50, s->n);
    chance_ar1(c, s->phi, own90, s->n);

    passes_new(out, json_object(), json_array());
    out->file = "planted";
    out->has_samples = false;
    json_object_set_new(out->run, "mode", json_string("concurrency"));
    out->v = xcalloc(n, sizeof *out->v);
    out->n = n;
    int64_t span_ns = (int64_t)(s->span_s * 1e9) * (int64_t)grain;
    for (size_t i = 0; i < n; i++) {
        double p50 = 0, p90 = 0;
        for (size_t k = i * grain; k < (i + 1) * grain; k++) {
            double common = sqrt(shared) * system[k], own = sqrt(1 - shared);
            p50 += shape_level(s, k) * (1 + s->noise * (common + own * own50[k])) / (double)grain;
            p90 += shape_level(s, k) * (1 + s->noise * (common + own * own90[k])) / (double)grain;
        }
        out->v[i] = pass_of(i, (int64_t)i * span_ns, span_ns, p50, p90);
    }
    free(system);
}
