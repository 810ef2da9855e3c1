#include "totals.h"

#include <stdlib.h>

#include "num.h"
#include "passes.h"

enum { ISL = N_METRICS, OSL };

static double value(const struct request *r, int what) {
    int64_t whole = what == TTFT ? r->ttft_ns : r->e2e_ns;
    switch (what) {
    case TPOT: return r->tpot_ns;
    case ISL: return r->completed && r->isl != TOKENS_NONE ? r->isl : NAN;
    case OSL: return r->completed && r->osl != TOKENS_NONE ? r->osl : NAN;
    default: return int_known(whole) ? (double)whole : NAN;
    }
}

/* work: r->n doubles */
static json_t *distribution(const struct requests *r, int what, const char *unit, double *work) {
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        double x = value(&r->v[i], what);
        if (!isnan(x)) work[n++] = x;
    }
    struct metric_stats st = metric_stats_of(work, n);
    json_t *d = json_object();
    doc_set_int(d, "n", st.n);
    const struct {
        const char *name;
        double v;
    } figure[] = {{"mean", st.mean}, {"p50", st.p50}, {"p90", st.p90}, {"p99", st.p99}};
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        char key[16];
        snprintf(key, sizeof key, "%s%s", figure[i].name, unit);
        doc_set_real(d, key, figure[i].v);
    }
    return d;
}

json_t *totals_of(const struct requests *r, int64_t wall_ns) {
    int64_t tokens = INT_NONE;
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].osl != TOKENS_NONE) tokens = (int_known(tokens) ? tokens : 0) + r->v[i].osl;
    json_t *total = json_object(), *metrics = json_object();
    double *work = xmalloc(r->n * sizeof *work);
    for (int m = 0; m < N_METRICS; m++)
        json_object_set_new(metrics, metric_name[m], distribution(r, m, "_ns", work));
    free(work);
    doc_set_int(total, "n_issued", (int64_t)r->n);
    doc_set_int(total, "span_ns", wall_ns);
    json_object_set_new(total, "metrics", metrics);
    doc_set_int(total, "output_tokens", tokens);
    bool rate = int_known(tokens) && int_known(wall_ns) && wall_ns > 0;
    doc_set_real(total, "tps", rate ? (double)tokens / ((double)wall_ns / 1e9) : NAN);
    return total;
}

json_t *totals_lengths(const struct requests *r) {
    json_t *lengths = json_object();
    double *work = xmalloc(r->n * sizeof *work);
    json_object_set_new(lengths, "isl", distribution(r, ISL, "", work));
    json_object_set_new(lengths, "osl", distribution(r, OSL, "", work));
    free(work);
    return lengths;
}
