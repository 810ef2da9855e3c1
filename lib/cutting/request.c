#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

static int by_issue(const void *pa, const void *pb, void *id_of) {
    const struct request *a = pa, *b = pb;
    const char *const *id = id_of;
    int c = SIGN(a->issued_ns, b->issued_ns);
    if (c == 0 && id && int_known(a->issued_ns)) c = strcmp(id[a->at], id[b->at]);
    if (c == 0 && int_known(a->issued_ns)) c = SIGN(a->seq, b->seq);
    return c ? c : SIGN(a->at, b->at);
}

void requests_sort(struct requests *r, const char *const *id) {
    if (r->n > 0) qsort_r(r->v, r->n, sizeof *r->v, by_issue, (void *)id);
}

static void shift(int64_t *stamp, int64_t by) {
    int64_t moved;
    if (int_known(*stamp)) *stamp = __builtin_add_overflow(*stamp, by, &moved) ? INT_NONE : moved;
}

void requests_align(struct requests *r, size_t n_files) {
    int64_t *first = xmalloc(n_files * sizeof *first);
    for (size_t f = 0; f < n_files; f++)
        first[f] = INT_NONE;
    for (size_t i = 0; i < r->n; i++) {
        int64_t *f = &first[r->v[i].file], t = r->v[i].issued_ns;
        if (int_known(t) && (!int_known(*f) || t < *f)) *f = t;
    }
    for (size_t i = 0; i < r->n; i++) {
        struct request *q = &r->v[i];
        int64_t by = num_span(first[q->file], first[0]);
        if (!int_known(by)) continue;
        shift(&q->issued_ns, by);
        shift(&q->done_ns, by);
        shift(&q->latest_ns, by);
    }
    free(first);
}

size_t requests_drop_unplaced(struct requests *r) {
    size_t kept = 0, n = r->n;
    for (size_t i = 0; i < n; i++)
        kept += int_known(r->v[i].issued_ns);
    if (kept == 0 || kept == n) return 0;
    r->n = 0;
    for (size_t i = 0; i < n; i++)
        if (int_known(r->v[i].issued_ns)) r->v[r->n++] = r->v[i];
    return n - kept;
}

struct requests requests_of_run(const struct requests *r, uint16_t run) {
    struct requests of = {0};
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].run == run) vec_push(&of, r->v[i]);
    return of;
}
