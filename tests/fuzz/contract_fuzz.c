/* contract_fuzz: contracts, as documents and in the short form.
 *
 * The document of a contract as it stands in reports is the same contract. */
#include <math.h>
#include <stdlib.h>

#include "contract.h"
#include "fuzz.h"

static bool same_limit(const struct limit *a, const struct limit *b) { return a->num == b->num && a->den == b->den; }

static bool same_real(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void compare(const struct contract *a, const struct contract *b) {
    struct buf x = {0}, y = {0};
    doc_dump(&x, a->document);
    doc_dump(&y, b->document);
    fuzz_same((struct view){x.s, x.len}, (struct view){y.s, y.len}, "the document of a contract");
    buf_free(&x);
    buf_free(&y);
    for (int t = 0; t < N_TARGETS; t++)
        fuzz_require(same_limit(&a->latency[t], &b->latency[t]), "a latency");
    fuzz_require(a->n_percentiles == b->n_percentiles, "the number of percentiles");
    for (size_t i = 0; i < a->n_percentiles; i++) {
        const struct percentile_limit *p = &a->percentile[i], *q = &b->percentile[i];
        fuzz_require(p->metric == q->metric && p->num == q->num && p->den == q->den, "a percentile");
        fuzz_require(p->num <= p->den && strcmp(p->name, q->name) == 0, "a percentile's name");
        fuzz_require(same_limit(&p->limit, &q->limit), "a percentile's limit");
    }
    fuzz_require(same_text(a->model, b->model) && same_text(a->schema, b->schema), "a name");
    fuzz_require(a->quality == b->quality && same_text(a->rule, b->rule), "the rule");
    fuzz_require(same_text(a->evaluator_name, b->evaluator_name), "the evaluator");
    fuzz_require(same_text(a->evaluator_version, b->evaluator_version), "the evaluator's version");
    fuzz_require(same_real(a->acceptance_min, b->acceptance_min), "the acceptance");
    fuzz_require(same_real(a->quality_floor, b->quality_floor), "the floor of quality");
    fuzz_require(a->need == b->need && a->of == b->of, "the repeats");
    fuzz_require(a->not_applicable_fails == b->not_applicable_fails && a->zero_tokens_pass == b->zero_tokens_pass &&
                     a->first_answer == b->first_answer && a->latency_first == b->latency_first &&
                     a->origin == b->origin,
                 "a choice");
}

/* A limit is met at its bound and not above, in double arithmetic too where that is far from rounding. */
static void try_limit(const struct limit *l) {
    double bound = limit_ns(l);
    if (!l->den || l->num > (INT64_C(1) << 53)) return;
    fuzz_require(limit_meets(l, (int64_t)bound, 1) && !limit_meets(l, (int64_t)bound + 2, 1), "a bound");
}

static void try(struct view input) {
    struct contract c, again;
    if (input.n > 0 && input.s[0] != '{') {
        char *targets = xstrndup(input.s, input.n);
        contract_parse(&c, targets, input.n % 2);
        free(targets);
    } else {
        contract_read(&c, fuzz_file(0, input));
    }
    fuzz_accepted();
    contract_load(&again, "again", c.document);
    compare(&c, &again);
    for (int t = 0; t < N_TARGETS; t++)
        try_limit(&c.latency[t]);
    contract_free(&again);
    contract_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
