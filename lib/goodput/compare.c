#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interval.h"
#include "num.h"

#define CONFIDENCE .95
#define COHORT_TOLERANCE .02 /* of its length */

double compare_ks(const json_t *a, const json_t *b) {
    const json_t *at[] = {doc_at(a, "cdf.at"), doc_at(b, "cdf.at")};
    const json_t *share[] = {doc_at(a, "cdf.share"), doc_at(b, "cdf.share")};
    size_t n[] = {json_array_size(at[0]), json_array_size(at[1])}, i[] = {0, 0};
    double f[] = {0, 0}, most = 0;
    if (n[0] == 0 || n[1] == 0) return NAN;
    while (i[0] < n[0] && i[1] < n[1]) {
        double x = json_number_value(json_array_get(at[0], i[0])), y = json_number_value(json_array_get(at[1], i[1]));
        if (x <= y) f[0] = json_number_value(json_array_get(share[0], i[0]++));
        if (y <= x) f[1] = json_number_value(json_array_get(share[1], i[1]++));
        most = fmax(most, fabs(f[0] - f[1]));
    }
    return most;
}

/* Equal as values: 800 is 800.0, and the order of keys is nothing. */
static bool same(const json_t *a, const json_t *b) {
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    if (json_is_array(a) && json_array_size(a) == json_array_size(b)) {
        for (size_t i = 0; i < json_array_size(a); i++)
            if (!same(json_array_get(a, i), json_array_get(b, i))) return false;
        return true;
    }
    if (!json_is_object(a) || !json_is_object(b)) return json_equal(a, b);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)a, key, v) {
        if (!same(v, json_object_get(b, key))) return false;
    }
    return json_object_size(a) == json_object_size(b);
}

/* The first key under which two objects differ; NULL if they do not. */
static const char *differing_key(const json_t *a, const json_t *b) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)a, key, v) {
        if (!same(v, json_object_get(b, key))) return key;
    }
    json_object_foreach((json_t *)b, key, v) {
        if (!json_object_get(a, key)) return key;
    }
    return NULL;
}

static const json_t *block_of(const json_t *report, const char *block) {
    return block[0] ? json_object_get(report, block) : report;
}

/* Whether the harness logged all it offered; it did, where it does not say otherwise. */
static const json_t *complete(const json_t *report) {
    const json_t *said = doc_at(report, "run.offered_complete");
    return said ? said : json_true();
}

bool compare_alike(const json_t *a, const json_t *b, const char *block, char why[160]) {
    static const char *const part[] = {"contract", "definitions"};
    static const char *const length[] = {"lengths.isl", "lengths.osl"};
    for (size_t i = 0; i < 2; i++) {
        const char *key = differing_key(json_object_get(a, part[i]), json_object_get(b, part[i]));
        if (!key) continue;
        snprintf(why, 160, "%s.%.60s differs", part[i], key);
        return false;
    }
    if (!same(complete(a), complete(b))) {
        snprintf(why, 160, "run.offered_complete differs: one of the two knows only what finished");
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        double ks = compare_ks(doc_at(block_of(a, block), length[i]), doc_at(block_of(b, block), length[i]));
        if (!(ks > COMPARE_KS)) continue;
        snprintf(why, 160, "%s differs: distributions are %.2f apart, %.2f is allowed", length[i], ks, COMPARE_KS);
        return false;
    }
    return true;
}

static bool same_cohort(const json_t *a, const json_t *b, char why[160]) {
    double drain[] = {doc_real_at(a, "drain_s"), doc_real_at(b, "drain_s")};
    double span[] = {doc_real_at(a, "t1_s") - doc_real_at(a, "t0_s"), doc_real_at(b, "t1_s") - doc_real_at(b, "t0_s")};
    const char *what = NULL;
    if (isnan(drain[0]) != isnan(drain[1]) || drain[0] > drain[1] || drain[0] < drain[1])
        what = "drain_s";
    else if (!(fabs(span[0] - span[1]) <= COHORT_TOLERANCE * span[1]))
        what = "length";
    if (what) snprintf(why, 160, "cohort.%s differs", what);
    return !what;
}

/* ---- differences ---- */

static json_t *pair(struct interval ci) {
    if (isnan(ci.lo) || isnan(ci.hi)) return json_null();
    return json_pack("[oo]", doc_real(ci.lo), doc_real(ci.hi));
}

/* A share of n requests and its two intervals, times a scale: 1 for acceptance, requests per second for goodput. */
struct share {
    double value, scale;
    struct interval wilson, cluster;
};

static struct share share_of(const json_t *block, double scale) {
    int64_t accepted = doc_int_at(block, "accepted"), offered = doc_int_at(block, "offered");
    struct interval w = interval_wilson(accepted, offered, CONFIDENCE);
    return (struct share){
        .value = offered > 0 ? scale * (double)accepted / (double)offered : NAN,
        .wilson = {scale * w.lo, scale * w.hi},
        .cluster = {scale * doc_real_at(block, "acceptance.cluster.0"),
                    scale * doc_real_at(block, "acceptance.cluster.1")},
    };
}

static json_t *difference_json(struct share base, struct share now) {
    json_t *j = json_object();
    doc_set_real(j, "baseline", base.value);
    doc_set_real(j, "value", now.value);
    doc_set_real(j, "difference", now.value - base.value);
    json_object_set_new(j, "newcombe", pair(interval_difference(now.value, now.wilson, base.value, base.wilson)));
    json_object_set_new(j, "cluster", pair(interval_difference(now.value, now.cluster, base.value, base.cluster)));
    bool cluster = json_is_array(json_object_get(j, "cluster"));
    doc_set_text(j, "interval", cluster ? "cluster" : "newcombe");
    doc_set_text(j, "why",
                 cluster ? "requests near each other fail together: clusters of them are the unit"
                         : "one of the two has no cluster interval: this one takes requests as independent");
    return j;
}

/* Offered requests per second of the block's duration: goodput is acceptance times this. */
static double offered_per_duration(const json_t *block) {
    double goodput = doc_real_at(block, "rates.goodput_rps"), succeeded = doc_real_at(block, "rates.succeeded_rps");
    int64_t accepted = doc_int_at(block, "accepted"), completed = doc_int_at(block, "succeeded");
    double offered = (double)doc_int_at(block, "offered");
    if (accepted > 0) return goodput * offered / (double)accepted;
    return completed > 0 ? succeeded * offered / (double)completed : NAN;
}

static json_t *percentiles_json(const json_t *base, const json_t *now, const char *metric) {
    static const char *const point[] = {"p50_ns", "p90_ns", "p99_ns"};
    json_t *j = json_object();
    for (size_t i = 0; i < 3; i++) {
        json_t *p = json_object();
        char path[64];
        const json_t *of[] = {base, now};
        static const char *const key[][2] = {{"baseline", "baseline_ci"}, {"value", "ci"}};
        for (size_t k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "latency.%s.offered.%s", metric, point[i]);
            doc_set_real(p, key[k][0], doc_real_at(of[k], path));
            snprintf(path, sizeof path, "latency.%s.offered.ci.%s", metric, point[i]);
            json_t *ci = doc_at(of[k], path);
            json_object_set_new(p, key[k][1], ci ? json_incref(ci) : json_null());
        }
        json_object_set_new(j, point[i], p);
    }
    return j;
}

json_t *compare_baseline(const json_t *report, const json_t *baseline, char why[160]) {
    const json_t *cohort[] = {json_object_get(baseline, "cohort"), json_object_get(report, "cohort")};
    bool has[] = {json_is_object(cohort[0]), json_is_object(cohort[1])};
    if (has[0] != has[1]) {
        snprintf(why, 160, "cohort differs: one of the two has none");
        return NULL;
    }
    const char *block = has[0] ? "cohort" : "";
    if ((has[0] && !same_cohort(cohort[0], cohort[1], why)) || !compare_alike(report, baseline, block, why))
        return NULL;
    const json_t *base = block_of(baseline, block), *now = block_of(report, block);
    json_t *j = json_object();
    doc_set_text(j, "block", has[0] ? "cohort" : "run");
    json_object_set_new(j, "acceptance", difference_json(share_of(base, 1), share_of(now, 1)));
    json_object_set_new(
        j, "goodput_rps",
        difference_json(share_of(base, offered_per_duration(base)), share_of(now, offered_per_duration(now))));
    json_object_set_new(
        j, "latency",
        json_pack("{soso}", "ttft", percentiles_json(base, now, "ttft"), "tpot", percentiles_json(base, now, "tpot")));
    return j;
}
