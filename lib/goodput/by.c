#include "by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"

static const char missing[] = "missing";

static void read_edges(struct by *b, const char *spec, const char *s) {
    for (;;) {
        size_t n = strcspn(s, ",");
        int64_t edge;
        if (!num_int(s, n, &edge) || edge < 0 || (b->edge.n > 0 && edge <= b->edge.v[b->edge.n - 1]))
            die("--by: '%s': the edges of bands are ascending integers from 0", spec);
        if (b->edge.n == 0 && edge > 0) vec_push(&b->edge, 0);
        vec_push(&b->edge, edge);
        if (!s[n]) return;
        s += n + 1;
    }
}

void by_init(struct by *b, const char *spec) {
    *b = (struct by){.column = -1, .text = xstrdup(spec)};
    b->key = b->text;
    size_t n = strcspn(spec, ":");
    if (strncmp(spec, "isl:", 4) == 0 || strncmp(spec, "osl:", 4) == 0) {
        b->what = spec[0] == 'i' ? BY_ISL : BY_OSL;
        b->text[n] = '\0';
        read_edges(b, spec, spec + n + 1);
    } else if (strcmp(spec, "isl") == 0 || strcmp(spec, "osl") == 0) {
        die("--by: '%s' needs the edges of its bands, such as %s:0,128,512,2048", spec, spec);
    }
}

void by_open(struct by *b, const struct table_in *ledger) {
    if (b->what != BY_COLUMN || ledger->n == 0) return;
    b->column = b->optional ? table_find(ledger, b->key) : table_need(ledger, b->key, "by --by");
}

/* The band's name: "[128,512)"; empty where the length is missing. */
static struct view band(const struct by *b, int64_t length, char name[64]) {
    if (!int_known(length) || length < 0) return (struct view){0};
    size_t i = b->edge.n - 1;
    while (b->edge.v[i] > length)
        i--;
    int n = i + 1 < b->edge.n ? snprintf(name, 64, "[%lld,%lld)", (long long)b->edge.v[i], (long long)b->edge.v[i + 1])
                              : snprintf(name, 64, "[%lld,inf)", (long long)b->edge.v[i]);
    return (struct view){name, (size_t)n};
}

void by_row(struct by *b, const struct table_in *ledger, const struct ledger_row *row) {
    char name[64];
    struct view v = b->what == BY_COLUMN ? table_text(ledger, b->column)
                                         : band(b, b->what == BY_ISL ? row->input_tokens : row->output_tokens, name);
    if (v.n == 0) v = (struct view){missing, sizeof missing - 1};
    vec_push(&b->of, names_add(&b->segment, v));
}

void by_free(struct by *b) {
    vec_free(&b->edge);
    vec_free(&b->of);
    names_free(&b->segment);
    free(b->text);
}

static bool is_missing(struct view v) { return v.n == sizeof missing - 1 && memcmp(v.s, missing, v.n) == 0; }

/* Where a band begins. */
static int64_t edge_of(struct view band) {
    int64_t edge = 0;
    num_int(band.s + 1, strcspn(band.s + 1, ","), &edge);
    return edge;
}

static bool before(const struct by *b, struct view x, struct view y) {
    if (is_missing(x) || is_missing(y)) return !is_missing(x);
    if (b->what != BY_COLUMN) return edge_of(x) < edge_of(y);
    int order = memcmp(x.s, y.s, x.n < y.n ? x.n : y.n);
    return order ? order < 0 : x.n < y.n;
}

/* Merge sort: there may be as many segments as requests. */
static void sort(const struct by *b, uint32_t *v, size_t n, uint32_t *work) {
    if (n < 2) return;
    size_t half = n / 2, i = 0, j = half, k = 0;
    sort(b, v, half, work);
    sort(b, v + half, n - half, work);
    memcpy(work, v, n * sizeof *v);
    const struct view *name = b->segment.name.v;
    while (k < n) {
        bool right = i == half || (j < n && before(b, name[work[j]], name[work[i]]));
        v[k++] = work[right ? j++ : i++];
    }
}

uint32_t *by_order(const struct by *b) {
    size_t n = b->segment.name.n;
    uint32_t *order = xmalloc((n + 1) * sizeof *order), *work = xmalloc((n + 1) * sizeof *work);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    sort(b, order, n, work);
    free(work);
    return order;
}
