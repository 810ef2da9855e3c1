#include "annotate.h"

#include <stdlib.h>
#include <string.h>

static const struct column ours[] = {{"disposition", TYPE_TEXT}, {"miss", TYPE_TEXT}};

size_t annotate_misses(char text[ANNOTATE_MISSES], unsigned misses) {
    size_t n = 0;
    for (int m = 0; m < N_MISSES; m++) {
        /* a target that was not observed stands in the target's place */
        int of = m < N_TARGETS && !(misses & MISS_BIT(m)) ? m + MISS_UNOBSERVED : m;
        if (m >= MISS_UNOBSERVED || !(misses & MISS_BIT(of))) continue;
        if (n) text[n++] = ',';
        size_t len = strlen(miss_name[of]);
        memcpy(text + n, miss_name[of], len);
        n += len;
    }
    return n;
}

void annotate_begin(struct annotate *a, const struct table_in *ledger, enum spelling spelling, bool header,
                    const json_t *pg) {
    *a = (struct annotate){0};
    a->column = xcalloc(ledger->n + 2, sizeof *a->column);
    a->from = xcalloc(ledger->n + 1, sizeof *a->from);
    size_t n = 0;
    for (size_t i = 0; i < ledger->n; i++) {
        if (strcmp(ledger->column[i].name, ours[0].name) == 0 || strcmp(ledger->column[i].name, ours[1].name) == 0)
            continue;
        a->from[n] = (int)i;
        a->column[n++] = ledger->column[i];
    }
    memcpy(a->column + n, ours, sizeof ours);
    table_begin(&a->out, spelling, header, ledger->schema, a->column, n + 2, ledger->stream.run, pg);
}

static void finish_row(struct annotate *a, int disposition, unsigned misses) {
    char text[ANNOTATE_MISSES];
    const char *name = disposition < 0 ? "" : disposition_name[disposition];
    table_put(&a->out, (struct view){name, strlen(name)});
    table_put(&a->out, (struct view){text, annotate_misses(text, misses)});
    table_row(&a->out);
}

void annotate_row(struct annotate *a, const struct table_in *ledger, int disposition, unsigned misses) {
    for (size_t i = 0; i < a->out.n - 2; i++)
        table_put(&a->out, ledger->cell[a->from[i]]);
    finish_row(a, disposition, misses);
}

void annotate_hold(struct annotate *a, const struct table_in *ledger) {
    for (size_t i = 0; i < a->out.n - 2; i++) {
        struct view v = ledger->cell[a->from[i]];
        if (v.n) v.s = arena_copy(&a->text, v.s, v.n);
        vec_push(&a->held, v);
    }
}

void annotate_held(struct annotate *a, size_t row, int disposition, unsigned misses) {
    size_t n = a->out.n - 2;
    for (size_t i = 0; i < n; i++)
        table_put(&a->out, a->held.v[row * n + i]);
    finish_row(a, disposition, misses);
}

void annotate_end(struct annotate *a, const struct table_in *ledger, const int64_t dispositions[N_DISPOSITIONS]) {
    json_t *end = ledger->stream.end ? json_copy(ledger->stream.end) : json_object(), *counts = json_object();
    json_object_del(end, "rows");
    for (int d = 0; d < N_DISPOSITIONS; d++)
        doc_set_int(counts, disposition_name[d], dispositions[d]);
    json_object_set_new(end, "dispositions", counts);
    json_object_set(end, "run", ledger->stream.run);
    table_end(&a->out, end);
    free(a->column);
    free(a->from);
    vec_free(&a->held);
    arena_free(&a->text);
}
