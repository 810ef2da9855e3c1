#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "num.h"

static double real(int64_t v) { return int_known(v) ? (double)v : NAN; }
static int64_t whole(double v) { return fabs(v) < 9e18 ? (int64_t)v : INT_NONE; } /* also where v is missing */

/* ---- pooled samples ---- */

static double sample(const struct samples *s, enum metric m, size_t i) {
    return m == TPOT ? s->tpot[i] : real(m == TTFT ? s->ttft[i] : s->e2e[i]);
}

static size_t n_samples(const struct pass *const *v, size_t k) {
    size_t n = 0;
    for (size_t i = 0; i < k; i++)
        n += v[i]->samples.n;
    return n;
}

/* Samples of all passes that are there and uncut, pass by pass into x, with the end of each pass in end[k]. */
static void pool(const struct pass *const *v, size_t k, enum metric m, double *x, size_t *end) {
    size_t n = 0;
    for (size_t i = 0; i < k; i++) {
        const struct samples *s = &v[i]->samples;
        for (size_t j = 0; j < s->n; j++) {
            double value = sample(s, m, j);
            if (!isnan(value) && !(s->tail && s->tail[j])) x[n++] = value;
        }
        end[i] = n;
    }
}

static double early_stopping(const double *x, size_t n, unsigned percent) {
    struct interval_stopping e = interval_early_stopping(n, percent, 100, .99);
    return e.ok ? quantile_select(x, n, e.index) : NAN;
}

/* Interval of a percentile from samples that resemble each other within a pass (Woodruff 1952): how far the share of
 * samples at or below it is known, passes being clusters that resemble their neighbours, read off as order statistics. */
static struct interval percentile_interval(const double *x, const size_t *end, size_t k, unsigned percent) {
    const struct interval none = {NAN, NAN};
    size_t n = end[k - 1];
    double at = quantile_floor(x, n, percent, 100), *below = xcalloc(2 * k, sizeof *below), *all = below + k;
    for (size_t i = 0, j = 0; i < k; i++) {
        all[i] = (double)(end[i] - j);
        for (; j < end[i]; j++)
            below[i] += x[j] <= at;
    }
    struct interval share = interval_ratio(below, all, k).adjusted;
    free(below);
    double half = (share.hi - share.lo) / 2, last = (double)n - 1;
    double lo = floor((percent / 100. - half) * last), hi = ceil((percent / 100. + half) * last);
    if (!(lo >= 0 && hi <= last)) return none;
    return (struct interval){quantile_select(x, n, (size_t)lo), quantile_select(x, n, (size_t)hi)};
}

static void pooled(struct measure_metric *f, const double *x, const size_t *end, size_t k) {
    size_t n = end[k - 1];
    f->n = (int64_t)n;
    f->mean = n ? quantile_moments(x, n).mean : NAN;
    f->p50 = quantile_floor(x, n, 1, 2);
    f->p90 = quantile_floor(x, n, 9, 10);
    f->p99 = quantile_floor(x, n, 99, 100);
    f->p50_ci = percentile_interval(x, end, k, 50);
    f->p90_ci = percentile_interval(x, end, k, 90);
    f->p99_ci = percentile_interval(x, end, k, 99);
    f->early_p90 = early_stopping(x, n, 90);
    f->early_p99 = early_stopping(x, n, 99);
    quantile_histogram(&f->histogram, x, n);
}

/* Without samples: what the means of the passes still tell. */
static void unpooled(struct measure_metric *f, const struct pass *const *v, size_t k, enum metric m) {
    double n = 0, sum = 0;
    for (size_t i = 0; i < k; i++) {
        n += real(v[i]->metric[m].n);
        sum += real(v[i]->metric[m].n) * v[i]->metric[m].mean;
    }
    const struct interval none = {NAN, NAN};
    *f = (struct measure_metric){.n = whole(n),
                                 .mean = sum / n,
                                 .p50 = NAN,
                                 .p90 = NAN,
                                 .p99 = NAN,
                                 .p50_ci = none,
                                 .p90_ci = none,
                                 .p99_ci = none,
                                 .early_p90 = NAN,
                                 .early_p99 = NAN};
}

static void lengths(struct measure *f, const struct pass *const *v, size_t k, double *x) {
    size_t n = 0;
    double isl = 0, requests = 0, tokens = 0;
    for (size_t i = 0; i < k; i++) {
        const struct samples *s = &v[i]->samples;
        for (size_t j = 0; j < s->n; j++)
            if (int_known(s->osl[j])) tokens += x[n++] = (double)s->osl[j];
        isl += v[i]->isl_mean * real(v[i]->n_issued);
        requests += real(v[i]->n_issued);
    }
    f->isl_mean = isl / requests;
    f->osl_n = n ? (int64_t)n : INT_NONE;
    f->osl_mean = n ? tokens / (double)n : NAN;
    f->osl_p50 = quantile_floor(x, n, 1, 2);
    f->osl_p99 = quantile_floor(x, n, 99, 100);
}

/* ---- rates ---- */

/* Passes tile the run: one ends where the next begins, the last of the run with its last issue. */
static int64_t end_of(const struct pass *p) {
    return int_known(p->next_issue_ns) ? p->next_issue_ns : p->last_issue_ns;
}

/* Tokens of the requests of the whole run that ended within the time of each pass, into y. */
static void delivered_tokens(const struct passes *s, const struct pass *const *v, size_t k, double *y) {
    for (size_t i = 0; i < k; i++)
        y[i] = s->has_samples && int_known(v[i]->output_tokens) ? 0 : NAN;
    for (size_t p = 0; p < s->n; p++) {
        const struct samples *all = &s->v[p].samples;
        for (size_t j = 0; j < all->n; j++) {
            int64_t done = all->done[j];
            if (!int_known(done) || !int_known(all->osl[j])) continue;
            size_t lo = 0, hi = k; /* the last pass that begins at or before done */
            while (hi - lo > 1) {
                size_t mid = (lo + hi) / 2;
                *(v[mid]->first_issue_ns <= done ? &lo : &hi) = mid;
            }
            if (done >= v[lo]->first_issue_ns && done < end_of(v[lo])) y[lo] += (double)all->osl[j];
        }
    }
}

static void rates(struct measure *f, const struct passes *s, const struct pass *const *v, size_t k) {
    double *work = xcalloc(6 * k, sizeof *work), *span = work, *tokens = span + k, *delivered = tokens + k,
           *done = delivered + k, *samples = done + k, *time = samples + k;
    delivered_tokens(s, v, k, delivered);
    for (size_t i = 0; i < k; i++) {
        span[i] = real(v[i]->span_ns) / 1e9;
        tokens[i] = real(v[i]->output_tokens);
        done[i] = real(v[i]->n_done);
        samples[i] = real(v[i]->metric[TPOT].n);
        time[i] = samples[i] > 0 ? samples[i] * v[i]->metric[TPOT].mean / 1e9 : samples[i];
    }
    f->per_user = interval_ratio(samples, time, k);
    f->system = interval_ratio(tokens, span, k);
    f->delivered = interval_ratio(delivered, span, k);
    f->qps = interval_ratio(done, span, k);
    free(work);
}

void measure_of(const struct passes *s, const struct pass *const *v, size_t k, struct measure *out) {
    double *x = xcalloc(n_samples(v, k) + 1, sizeof *x), requests = 0, span = 0;
    out->n_passes = k;
    for (size_t i = 0; i < k; i++) {
        requests += real(v[i]->n_issued);
        span += real(v[i]->span_ns);
    }
    out->n_requests = whole(requests);
    out->span_ns = span;
    rates(out, s, v, k);
    size_t *end = xcalloc(k, sizeof *end);
    for (int m = 0; m < N_METRICS; m++) {
        pool(v, k, m, x, end);
        if (s->has_samples)
            pooled(&out->metric[m], x, end, k);
        else
            unpooled(&out->metric[m], v, k, m);
    }
    free(end);
    out->n_samples = out->metric[TPOT].n;
    lengths(out, v, k, x);
    free(x);
}

double measure_l_p90(const struct passes *s, const struct pass *const *v, size_t k, bool in_service) {
    if (in_service && !s->has_samples) return NAN;
    size_t n = 0;
    double *x = xcalloc(n_samples(v, k) + k, sizeof *x);
    for (size_t i = 0; i < k; i++) {
        const struct samples *all = &v[i]->samples;
        for (size_t j = 0; j < all->n; j++) {
            double time = real(all->e2e[j]) - (in_service ? real(all->ttft[j]) : 0);
            if (!isnan(time)) x[n++] = time;
        }
        if (!s->has_samples && !isnan(v[i]->metric[E2E].p90)) x[n++] = v[i]->metric[E2E].p90;
    }
    double p90 = s->has_samples ? quantile_floor(x, n, 9, 10) : quantile_median(x, n);
    free(x);
    return p90;
}
