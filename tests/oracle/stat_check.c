/* stat_check: every statistic of lib/quantile, lib/trend and lib/interval against a file of reference values.
 *
 *     stat_check vectors.json            series with their statistics, tables of quantiles and counts
 *     stat_check passes.tsv report.json  a passes table and a report made from it by another program
 *
 * Prints a line "ok NAME" or "not ok NAME: got wanted" per comparison and ends with status 1 if one failed, 2 if the
 * file cannot be used.  Statistics agree to 1e-9, p-values to 1e-7 (relative), counts exactly. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "interval.h"
#include "quantile.h"
#include "trend.h"

#define N_MAX 4096

static unsigned failed, done;

static void verdict(bool good, const char *series, const char *name, double got, double want) {
    done++;
    if (good) {
        printf("ok %s %s\n", series, name);
    } else {
        failed++;
        printf("not ok %s %s: %.17g %.17g\n", series, name, got, want);
    }
}

/* The number at object[key]...; NAN when a key is absent or null. */
static double at(const json_t *o, ...) {
    va_list keys;
    va_start(keys, o);
    for (const char *k; o && (k = va_arg(keys, const char *));)
        o = json_object_get(o, k);
    va_end(keys);
    return json_is_number(o) ? json_number_value(o) : NAN;
}

static void near_by(const char *series, const char *name, double got, double want, double tolerance) {
    verdict(fabs(got - want) <= tolerance * fmax(fabs(want), 1e-300) || got == want, series, name, got, want);
}

static void same(const char *series, const char *name, double got, double want) {
    near_by(series, name, got, want, 1e-9);
}

static void same_p(const char *series, const char *name, double got, double want) {
    near_by(series, name, got, want, 1e-7);
}

static void exact(const char *series, const char *name, double got, double want) {
    verdict(got == want, series, name, got, want);
}

static void check_hamed_rao(const char *name, const json_t *ref, const double *x, size_t n, struct trend_work *w) {
    static const struct {
        enum trend_test test;
        const char *key;
    } forms[] = {
        {TREND_HAMED_RAO, "detr_fallback1"},
        {TREND_HAMED_RAO_RAW, "raw_fallback1"},
        {TREND_HAMED_RAO_AR1, "detr_ar1_rank"},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct trend_hr r = trend_hamed_rao(x, n, forms[f].test, w);
        const json_t *want = json_object_get(ref, forms[f].key);
        char label[64];
        snprintf(label, sizeof label, "%s c", trend_test_name[forms[f].test]);
        same(name, label, r.c, at(want, "c", NULL));
        snprintf(label, sizeof label, "%s z", trend_test_name[forms[f].test]);
        same(name, label, r.z, at(want, "z", NULL));
        snprintf(label, sizeof label, "%s p", trend_test_name[forms[f].test]);
        same_p(name, label, r.p, at(want, "p", NULL));
    }
}

static void check_trend(const char *name, const json_t *ref, const double *x, size_t n, struct trend_work *w) {
    struct trend_mk mk = trend_mann_kendall(x, n, w);
    exact(name, "mk s", (double)mk.s, at(ref, "mk", "S", NULL));
    same(name, "mk var", mk.var, at(ref, "mk", "varS", NULL));
    same(name, "mk z", mk.z, at(ref, "mk", "z", NULL));
    same_p(name, "mk p", mk.p, at(ref, "mk", "p", NULL));
    same(name, "theil-sen", trend_theil_sen(x, n, w), at(ref, "theil_sen", "slope", NULL));
    check_hamed_rao(name, json_object_get(ref, "hamed_rao"), x, n, w);

    struct trend_ols o = trend_ols(x, n);
    const json_t *ols = json_object_get(ref, "ols");
    same(name, "ols slope", o.slope, at(ols, "slope", NULL));
    same(name, "ols resid_sd", o.resid_sd, at(ols, "resid_sd_pop", NULL));
    same(name, "ols change", o.change, at(ols, "total_change", NULL));
    same(name, "ols rel_drift", o.rel_drift, at(ols, "rel_drift_abs_median", NULL));
    same(name, "ols snr", o.snr, at(ols, "snr", NULL));
    same(name, "median", quantile_median(x, n), at(ols, "median", NULL));

    struct trend_nw nw = trend_newey_west(x, n);
    const json_t *hac = json_object_get(ref, "newey_west");
    exact(name, "newey-west degenerate", nw.degenerate, json_is_true(json_object_get(hac, "degenerate")));
    if (!nw.degenerate) {
        same(name, "newey-west t", nw.t, at(hac, "t", NULL));
        same_p(name, "newey-west p", nw.p, at(hac, "p_normal", NULL));
    }

    struct trend_pettitt pt = trend_pettitt(x, n, w);
    exact(name, "pettitt k", (double)pt.k, at(ref, "pettitt", "K", NULL));
    exact(name, "pettitt change", (double)pt.change, at(ref, "pettitt", "cp_first", NULL));
    same_p(name, "pettitt p", pt.p, at(ref, "pettitt", "p", NULL));

    struct trend_mser m = trend_mser(x, n);
    exact(name, "mser d", (double)m.d, at(ref, "mser", "d_half", NULL));
    same(name, "mser stat", m.stat, at(ref, "mser", "stat", NULL));
    const json_t *five = json_object_get(ref, "mser5");
    if (five) {
        m = trend_mser5(x, n, w);
        exact(name, "mser5 d", (double)m.d, at(five, "d_batches_half", NULL));
        same(name, "mser5 stat", m.stat, at(five, "stat", NULL));
    }
}

static void check_series(const char *name, const json_t *series, struct trend_work *w) {
    static double x[N_MAX];
    const json_t *values = json_object_get(series, "x"), *ref = json_object_get(series, "ref");
    size_t n = json_array_size(values);
    if (n == 0 || n > N_MAX) die("%s: %zu values", name, n);
    for (size_t i = 0; i < n; i++)
        x[i] = json_number_value(json_array_get(values, i));

    struct quantile_moments m = quantile_moments(x, n);
    double cov = quantile_cov(&m);
    if (m.mean == 0)
        verdict(isnan(cov), name, "cov undefined", cov, NAN); /* the reference file has 0 here */
    else
        same(name, "cov", cov, at(ref, "cov", NULL));

    const json_t *percentiles = json_object_get(ref, "percentile_lower");
    const char *p;
    json_t *want;
    json_object_foreach((json_t *)percentiles, p, want)
        exact(name, p, quantile_floor(x, n, (unsigned)lround(1000 * atof(p)), 1000), json_number_value(want));

    double mean;
    struct interval ci = interval_mean(x, n, &mean);
    const json_t *batch = json_object_get(ref, "batch_means_ci95"),
                 *r = json_object_get(json_object_get(series, "r"), "t_ci95");
    if (isnan(at(r, "lo", NULL))) r = batch; /* R gives none for a constant series; elsewhere its t is the exact one */
    same(name, "mean", mean, at(batch, "mean", NULL));
    near_by(name, "mean lo", ci.lo, at(r, "lo", NULL), 1e-9 + 1e-13 * fabs(mean / ci.lo));
    near_by(name, "mean hi", ci.hi, at(r, "hi", NULL), 1e-9 + 1e-13 * fabs(mean / ci.hi));
    if (n >= TREND_MIN_N) check_trend(name, ref, x, n, w);
}

static void check_tables(const json_t *root) {
    size_t i;
    json_t *row;
    char name[64];
    json_array_foreach(json_object_get(root, "t_crit"), i, row) {
        double df = at(row, "df", NULL), confidence = at(row, "conf", NULL);
        snprintf(name, sizeof name, "df=%g conf=%g", df, confidence);
        same("t", name, interval_t((1 + confidence) / 2, df), at(row, "R", NULL));
    }
    json_array_foreach(json_object_get(root, "clopper_pearson"), i, row) {
        double k = at(row, "k", NULL), n = at(row, "n", NULL);
        const json_t *want = json_object_get(row, "R");
        struct interval ci = interval_clopper_pearson((int64_t)k, (int64_t)n, at(row, "conf", NULL));
        snprintf(name, sizeof name, "k=%g n=%g", k, n);
        same("clopper-pearson lo", name, ci.lo, json_number_value(json_array_get(want, 0)));
        same("clopper-pearson hi", name, ci.hi, json_number_value(json_array_get(want, 1)));
    }
    json_array_foreach(json_object_get(root, "binom_pmf"), i, row) {
        double k = at(row, "k", NULL), n = at(row, "n", NULL), p = at(row, "p", NULL);
        snprintf(name, sizeof name, "k=%g n=%g p=%g", k, n, p);
        same("binomial", name, interval_binomial_pmf((int64_t)k, (int64_t)n, p), at(row, "exact", NULL));
    }
    json_array_foreach(json_object_get(root, "early_stopping"), i, row) {
        double n = at(row, "n", NULL), percent = at(row, "percentile", NULL), confidence = at(row, "confidence", NULL);
        const json_t *want = json_object_get(row, "ref");
        snprintf(name, sizeof name, "n=%g p%g", n, percent);
        struct interval_stopping s =
            interval_early_stopping((size_t)n, (unsigned)lround(1000 * percent), 100000, confidence);
        exact("early stopping min_queries", name, (double)s.min_queries, at(want, "min_queries", NULL));
        exact("early stopping t", name, (double)s.t, at(want, "t", NULL));
        exact("early stopping ok", name, s.ok, json_is_number(json_object_get(want, "estimate_index")));
        if (s.ok) exact("early stopping index", name, (double)s.index, at(want, "estimate_index", NULL));
    }
}

/* ---- a report made by another program ---- */

/* Column `name` of a passes table without its ramp: values of passes first..N_MAX-1; returns how many. */
static size_t column_of(const char *path, const char *name, size_t first, double *x) {
    static char line[1 << 16];
    size_t column = SIZE_MAX, n = 0, row = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL) die_errno("%s", path);
    while (fgets(line, sizeof line, f) && n < N_MAX) {
        if (line[0] == '#') continue;
        char *rest = line, *cell;
        for (size_t c = 0; (cell = strsep(&rest, "\t\n")); c++) {
            if (column == SIZE_MAX && strcmp(cell, name) == 0)
                column = c;
            else if (column == c && row++ >= first)
                x[n++] = strtod(cell, NULL);
        }
    }
    fclose(f);
    if (column == SIZE_MAX) die("%s: no column %s", path, name);
    return n;
}

/* first: the pass number of x[0], which is what a report counts change points from. */
static void check_summary(const char *name, const json_t *want, const double *x, size_t n, size_t first,
                          struct trend_work *w) {
    struct trend_summary s;
    trend_summarise(x, n, TREND_HAMED_RAO_AR1, .05, w, &s);
    exact(name, "n", (double)s.n, at(want, "n", NULL));
    const char *state = json_string_value(json_object_get(want, "state"));
    exact(name, "state", strcmp(trend_state_name[s.state], state ? state : "") == 0, 1);
    exact(name, "mk s", (double)s.mk.s, at(want, "mk", "s", NULL));
    same(name, "mk var", s.mk.var, at(want, "mk", "var", NULL));
    same_p(name, "mk p", s.mk.p, at(want, "mk", "p", NULL));
    same(name, "hamed-rao-ar1 c", s.hamed_rao.c, at(want, "hamed_rao", "c", NULL));
    same_p(name, "hamed-rao-ar1 p", s.hamed_rao.p, at(want, "hamed_rao", "p", NULL));
    same(name, "ols slope", s.ols.slope, at(want, "ols", "slope", NULL));
    same(name, "ols rel_drift", s.ols.rel_drift, at(want, "ols", "rel_drift", NULL));
    same(name, "ols snr", s.ols.snr, at(want, "ols", "snr", NULL));
    same(name, "newey-west t", s.newey_west.t, at(want, "newey_west", "t", NULL));
    same_p(name, "newey-west p", s.newey_west.p, at(want, "newey_west", "p", NULL));
    same(name, "theil-sen", s.sen, at(want, "theil_sen", "slope", NULL));
    exact(name, "pettitt k", (double)s.pettitt.k, at(want, "pettitt", "k", NULL));
    exact(name, "pettitt change", (double)(first + s.pettitt.change), at(want, "pettitt", "change", NULL));
    same_p(name, "pettitt p", s.pettitt.p, at(want, "pettitt", "p", NULL));
}

static void check_ratio(const char *name, const json_t *want, struct interval_ratio r) {
    same(name, "value", r.value, at(want, "value", NULL));
    same(name, "lag1", r.lag1, at(want, "lag1", NULL));
    const json_t *ci = json_object_get(want, "ci"), *adjusted = json_object_get(want, "ci_adjusted");
    same(name, "lo", r.ci.lo, json_number_value(json_array_get(ci, 0)));
    same(name, "hi", r.ci.hi, json_number_value(json_array_get(ci, 1)));
    same(name, "adjusted lo", r.adjusted.lo, json_number_value(json_array_get(adjusted, 0)));
    same(name, "adjusted hi", r.adjusted.hi, json_number_value(json_array_get(adjusted, 1)));
}

/* The window only: in the rest of the run the report leaves out what the tail guard cut, the table does not. */
static void check_report(const char *path, const json_t *report, struct trend_work *w) {
    static double x[N_MAX], y[N_MAX];
    size_t first = (size_t)at(report, "window", "first_pass", NULL), k = (size_t)at(report, "window", "n_passes", NULL);
    const char *name;
    json_t *want;
    json_object_foreach(json_object_get(json_object_get(report, "trend"), "window"), name, want) {
        column_of(path, name, first, x);
        check_summary(name, want, x, k, first, w);
    }
    column_of(path, "tpot_p50", first, x);
    struct quantile_moments m = quantile_moments(x, k);
    same("window", "cov_b", quantile_cov(&m), at(report, "short_window", "cov_b", NULL));
    same("window", "se", quantile_sd(&m) / sqrt((double)k), at(report, "window", "se", NULL));
    const json_t *mser = json_object_get(report, "mser");
    size_t mser_k = (size_t)(at(mser, "end_pass", NULL) - at(mser, "first_pass", NULL));
    column_of(path, "tpot_p50", (size_t)at(mser, "first_pass", NULL), x);
    m = quantile_moments(x, mser_k);
    same("mser", "se", quantile_sd(&m) / sqrt((double)mser_k), at(mser, "se", NULL));
    size_t rest = column_of(path, "tpot_mean", first, x);
    struct trend_pettitt p = trend_pettitt(x, rest, w);
    exact("anomaly", "pettitt k", (double)p.k, at(report, "anomaly", "pettitt", "k", NULL));
    same_p("anomaly", "pettitt p", p.p, at(report, "anomaly", "pettitt", "p", NULL));

    column_of(path, "tpot_n", first, y);
    for (size_t i = 0; i < k; i++)
        x[i] *= y[i] / 1e9;
    check_ratio("tps.per_user", json_object_get(json_object_get(report, "tps"), "per_user"), interval_ratio(y, x, k));
    column_of(path, "output_tokens", first, y);
    column_of(path, "span_ns", first, x);
    for (size_t i = 0; i < k; i++)
        x[i] /= 1e9;
    check_ratio("tps.system", json_object_get(json_object_get(report, "tps"), "system"), interval_ratio(y, x, k));
}

int main(int argc, char **argv) {
    die_init("stat_check");
    if (argc != 2 && argc != 3) die("operands: a file of reference values, or a passes table and its report");
    json_error_t error;
    json_t *root = json_load_file(argv[argc - 1], 0, &error);
    if (root == NULL) die("%s: %s", argv[argc - 1], error.text);
    struct trend_work *w = trend_work_new(N_MAX);
    if (argc == 3) {
        check_report(argv[1], root, w);
    } else {
        const char *name;
        json_t *series;
        json_object_foreach(json_object_get(root, "series"), name, series) check_series(name, series, w);
        check_tables(root);
    }
    trend_work_free(w);
    json_decref(root);
    fprintf(stderr, "%u comparisons, %u failed\n", done, failed);
    return failed != 0 || done == 0;
}
