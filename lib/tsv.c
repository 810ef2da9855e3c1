#include "tsv.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

static int never_space(unsigned char c) {
    (void)c;
    return 0;
}

static int only_lf(unsigned char c) { return c == '\n'; }

/* libcsv's field: its length only, since text moves while it grows */
static void field(void *s, size_t n, void *data) {
    struct tsv *t = data;
    struct view cell = {NULL, n};
    buf_add(&t->text, s, n);
    vec_push(&t->cell, cell);
}

static void split_by_libcsv(struct tsv *t, struct view line) {
    if (!t->csv) {
        t->csv = xmalloc(sizeof *t->csv);
        if (csv_init(t->csv, CSV_REPALL_NL) != 0) die("libcsv does not start");
        csv_set_delim(t->csv, CSV_TAB);
        csv_set_space_func(t->csv, never_space);
        csv_set_term_func(t->csv, only_lf);
    }
    buf_clear(&t->text);
    if (csv_parse(t->csv, line.s, line.n, field, NULL, t) != line.n || csv_fini(t->csv, field, NULL, t) != 0)
        die("libcsv: %s", csv_strerror(csv_error(t->csv)));
    const char *at = t->text.s;
    for (size_t i = 0; i < t->cell.n; i++) {
        t->cell.v[i].s = at;
        at += t->cell.v[i].n;
    }
}

void tsv_split(struct tsv *t, struct view line) {
    t->cell.n = 0;
    if (line.n > 0 && memchr(line.s, '"', line.n)) {
        split_by_libcsv(t, line);
        return;
    }
    const char *p = line.s, *end = p + line.n;
    for (;;) {
        const char *tab = p < end ? memchr(p, '\t', (size_t)(end - p)) : NULL;
        struct view cell = {p, (size_t)((tab ? tab : end) - p)};
        vec_push(&t->cell, cell);
        if (!tab) break;
        p = tab + 1;
    }
}

void tsv_free(struct tsv *t) {
    vec_free(&t->cell);
    buf_free(&t->text);
    if (t->csv) csv_free(t->csv);
    free(t->csv);
    *t = (struct tsv){0};
}

void tsv_put(struct buf *b, struct view cell) {
    if (cell.n == 0 || (cell.s[0] != '#' && cell.s[0] != '"')) {
        buf_add(b, cell.s, cell.n);
        return;
    }
    buf_char(b, '"');
    for (size_t i = 0; i < cell.n; i++) {
        if (cell.s[i] == '"') buf_char(b, '"');
        buf_char(b, cell.s[i]);
    }
    buf_char(b, '"');
}
