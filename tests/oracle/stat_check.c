/* stat_check: every statistic of lib/quantile, lib/trend and lib/interval against a file of reference values.
 *
 *     stat_check vectors.json
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

int main(int argc, char **argv) {
    die_init("stat_check");
    if (argc != 2) die("one operand: a file of reference values");
    json_error_t error;
    json_t *root = json_load_file(argv[1], 0, &error);
    if (root == NULL) die("%s: %s", argv[1], error.text);
    struct trend_work *w = trend_work_new(N_MAX);
    const char *name;
    json_t *series;
    json_object_foreach(json_object_get(root, "series"), name, series) check_series(name, series, w);
    check_tables(root);
    trend_work_free(w);
    json_decref(root);
    fprintf(stderr, "%u comparisons, %u failed\n", done, failed);
    return failed != 0 || done == 0;
}
