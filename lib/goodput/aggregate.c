#include "aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "num.h"

#define BANDS "0,128,512,2048,8192"

static const struct column columns[] = {
    {"disposition", TYPE_TEXT}, {"miss", TYPE_TEXT},        {"outcome", TYPE_TEXT},
    {"class", TYPE_TEXT},       {"isl", TYPE_TEXT},         {"osl", TYPE_TEXT},
    {"requests", TYPE_INT},     {"input_tokens", TYPE_INT}, {"output_tokens", TYPE_INT}};
static const struct schema schema = {"aggregate", columns, sizeof columns / sizeof *columns};

void aggregate_keys(struct by by[AGGREGATE_BY]) {
    static const char *const spec[AGGREGATE_BY] = {"class", "isl:" BANDS, "osl:" BANDS};
    for (size_t i = 0; i < AGGREGATE_BY; i++) {
        by_init(&by[i], spec[i]);
        by[i].optional = true;
    }
}

/* What the requests of one row have in common, and what is counted of them; tokens are INT_NONE once one is unknown. */
struct cell {
    uint32_t disposition, outcome, misses, segment[AGGREGATE_BY];
    int64_t requests, input_tokens, output_tokens;
};
#define KEY_SIZE offsetof(struct cell, requests)

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return int_known(a) && int_known(b) && !__builtin_add_overflow(a, b, &sum) ? sum : INT_NONE;
}

static int compare(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < KEY_SIZE / sizeof *x; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void put_text(struct table_out *out, const char *s) { table_put(out, (struct view){s, strlen(s)}); }

static void put_cell(struct table_out *out, const struct cell *k, const struct by by[AGGREGATE_BY],
                     uint32_t *const order[AGGREGATE_BY]) {
    char text[ANNOTATE_MISSES];
    put_text(out, disposition_name[k->disposition]);
    table_put(out, (struct view){text, annotate_misses(text, k->misses)});
    put_text(out, outcome_name[k->outcome]);
    for (size_t i = 0; i < AGGREGATE_BY; i++)
        table_put(out, by[i].segment.name.v[order[i][k->segment[i]]]);
    table_put_int(out, k->requests);
    table_put_int(out, k->input_tokens);
    table_put_int(out, k->output_tokens);
    table_row(out);
}

void aggregate_write(const struct fact *const *f, size_t n, const struct fact *fact, const struct by by[AGGREGATE_BY],
                     int64_t cutoff_ns, const json_t *pg, const struct common *common, enum spelling read) {
    struct names keys = {0};
    VEC(struct cell) cell = {0};
    uint32_t *order[AGGREGATE_BY], *place[AGGREGATE_BY];
    for (size_t i = 0; i < AGGREGATE_BY; i++) { /* segments by their place in order, so that rows sort by them */
        order[i] = by_order(&by[i]);
        place[i] = xcalloc(by[i].segment.name.n + 1, sizeof *place[i]);
        for (size_t k = 0; k < by[i].segment.name.n; k++)
            place[i][order[i][k]] = (uint32_t)k;
    }
    int64_t accepted = 0;
    vec_reserve(&cell, N_DISPOSITIONS);
    for (size_t i = 0; i < n; i++) {
        enum disposition d = fact_disposition(f[i], cutoff_ns);
        bool cut = d != f[i]->disposition;
        struct cell key = {
            .disposition = d, .outcome = cut ? OUT_UNFINISHED : f[i]->outcome, .misses = cut ? 0 : f[i]->misses};
        for (size_t k = 0; k < AGGREGATE_BY; k++)
            key.segment[k] = place[k][by[k].of.v[f[i] - fact]];
        uint32_t at = names_add(&keys, (struct view){(const char *)&key, KEY_SIZE});
        if (at == cell.n) vec_push(&cell, key);
        cell.v[at].requests++;
        cell.v[at].input_tokens = plus(cell.v[at].input_tokens, f[i]->input_tokens);
        cell.v[at].output_tokens = plus(cell.v[at].output_tokens, f[i]->output_tokens);
        accepted += d == DISP_ACCEPTED;
    }
    qsort(cell.v, cell.n, sizeof *cell.v, compare);

    struct table_out out;
    json_t *nothing = json_object(), *writers = json_pack("[O]", pg);
    table_begin(&out, opts_spelling(common, read), !common->no_header, &schema, columns, schema.n, nothing, writers);
    for (size_t i = 0; i < cell.n; i++)
        put_cell(&out, &cell.v[i], by, order);
    json_t *end = json_object();
    doc_set_int(end, "offered", (int64_t)n);
    doc_set_int(end, "accepted", accepted);
    table_end(&out, end);
    json_decref(nothing);
    json_decref(writers);

    for (size_t i = 0; i < AGGREGATE_BY; i++) {
        free(order[i]);
        free(place[i]);
    }
    names_free(&keys);
    vec_free(&cell);
}
