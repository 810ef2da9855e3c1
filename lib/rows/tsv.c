#include "tsv.h"

#include <csv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* A cell that began where the last one ended. */
static void push_cell(struct tsv *t, const char **from, const char *tab) {
    struct view cell = {*from, (size_t)(tab - *from)};
    t->cell.v[t->cell.n++] = cell;
    *from = tab + 1;
}

enum { BLOCK = 16 };

static bool odd_byte(char c) { return (unsigned char)c >= 0x7f || ((unsigned char)c < 0x20 && c != '\t'); }

/* The cells of a line without a quote; false if it has one.  Cells are short, so looking for one tab after the other
 * costs more than looking at a block of bytes for all of them. */
static bool split_plain(struct tsv *t, struct view line) {
    const char *p = line.s, *end = p + line.n, *from = p;
#ifdef __SSE2__
    const __m128i tab = _mm_set1_epi8('\t'), quote = _mm_set1_epi8('"'), space = _mm_set1_epi8(' '),
                  del = _mm_set1_epi8(0x7f);
    int odd = 0;
    for (; end - p >= BLOCK; p += BLOCK) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote))) return false;
        vec_reserve(&t->cell, t->cell.n + BLOCK);
        int tabs = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, tab));
        /* below a blank are, as signed bytes, the control characters and all of UTF-8's many-byte sequences */
        odd |= tabs ^ _mm_movemask_epi8(_mm_or_si128(_mm_cmplt_epi8(bytes, space), _mm_cmpeq_epi8(bytes, del)));
        for (unsigned at = (unsigned)tabs; at; at &= at - 1)
            push_cell(t, &from, p + __builtin_ctz(at));
    }
    t->odd = odd != 0;
#endif
    for (; p < end; p++) {
        if (*p == '"') return false;
        t->odd = t->odd || odd_byte(*p);
        if (*p != '\t') continue;
        vec_reserve(&t->cell, t->cell.n + 1);
        push_cell(t, &from, p);
    }
    vec_reserve(&t->cell, t->cell.n + 1);
    push_cell(t, &from, end);
    return true;
}

void tsv_split(struct tsv *t, struct view line) {
    t->cell.n = 0;
    t->odd = false;
    if (split_plain(t, line)) return;
    t->cell.n = 0;
    t->odd = true; /* a quoted cell may hold a TAB */
    split_by_libcsv(t, line);
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
