#include "binomial.h"

#include <math.h>
#include <string.h>

#include "die.h"
#include "interval.h"
#include "num.h"
#include "opts.h"

#define N_MAX 1000000 /* a report holds every probability */

static json_t *observed_json(char **files) {
    json_t *list = json_array();
    for (; *files; files++) {
        json_t *reports = report_read(*files, "goodput", NULL);
        for (size_t i = 0; i < json_array_size(reports); i++) {
            const json_t *r = json_array_get(reports, i);
            json_t *j = json_object();
            doc_set_text(j, "file", *files);
            doc_set_int(j, "offered", doc_int_at(r, "offered"));
            doc_set_int(j, "accepted", doc_int_at(r, "accepted"));
            doc_set_real(j, "acceptance", doc_real_at(r, "acceptance.ratio"));
            doc_set_int(j, "clusters", doc_int_at(r, "acceptance.clusters"));
            doc_set_real(j, "overdispersion", doc_real_at(r, "acceptance.overdispersion"));
            json_array_append_new(list, j);
        }
        json_decref(reports);
    }
    return list;
}

void binomial_write(const char *n_and_p, char **reports, enum spelling spelling) {
    size_t comma = strcspn(n_and_p, ",");
    int64_t n;
    double p;
    bool ok = n_and_p[comma] && num_int(n_and_p, comma, &n) &&
              opts_real(n_and_p + comma + 1, strlen(n_and_p + comma + 1), &p);
    if (!ok || n < 0 || n > N_MAX || p < 0 || p > 1)
        die("--binomial: '%s' is not N,P with 0 <= N <= %d and 0 <= P <= 1", n_and_p, N_MAX);
    json_t *report = json_object(), *pmf = json_array(), *cdf = json_array();
    for (int64_t k = 0; k <= n; k++) {
        json_array_append_new(pmf, doc_real(interval_binomial_pmf(k, n, p)));
        json_array_append_new(cdf, doc_real(interval_binomial_cdf(k, n, p)));
    }
    doc_set_text(report, "kind", "binomial");
    doc_set_int(report, "version", 1);
    doc_set_text(report, "caption", "what sampling alone does if requests qualify independently: no load test");
    doc_set_int(report, "n", n);
    doc_set_real(report, "p", p);
    doc_set_real(report, "mean", (double)n * p);
    doc_set_real(report, "sd", sqrt((double)n * p * (1 - p)));
    json_object_set_new(report, "pmf", pmf);
    json_object_set_new(report, "cdf", cdf);
    if (strcmp(reports[0], "-") != 0) json_object_set_new(report, "observed", observed_json(reports));
    report_write(report, spelling);
    json_decref(report);
}
