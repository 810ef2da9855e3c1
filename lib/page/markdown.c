#include "markdown.h"

#include <math.h>
#include <string.h>

#include "figure.h"

static void put(struct buf *b, const char *s) {
    const size_t nbsp = sizeof NBSP - 1;
    for (; *s; s++) {
        if (strncmp(s, NBSP, nbsp) == 0) {
            buf_char(b, ' ');
            s += nbsp - 1;
            continue;
        }
        if (*s == '<' || *s == '>' || *s == '&') {
            buf_str(b, *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&amp;");
            continue;
        }
        if (strchr("\\`*_[]|#~!", *s)) buf_char(b, '\\');
        buf_char(b, *s);
    }
}

static void row(struct buf *b, const char *const *cell, size_t n, const char *around) {
    for (size_t i = 0; i < n; i++) {
        buf_str(b, "| ");
        if (cell[i] && *cell[i]) {
            buf_str(b, around);
            put(b, cell[i]);
            buf_str(b, around);
        }
        buf_char(b, ' ');
    }
    buf_str(b, "|\n");
}

static void table(struct buf *b, const struct page_block *block) {
    row(b, block->column, block->n_columns, "");
    for (size_t i = 0; i < block->n_columns; i++)
        buf_str(b, block->right[i] ? "| ---: " : "| --- ");
    buf_str(b, "|\n");
    for (size_t i = 0; i < block->rows.n; i++) {
        const struct page_row *r = &block->rows.v[i];
        if (r->across)
            row(b, &r->across, 1, "");
        else
            row(b, r->cell, block->n_columns, r->sum ? "**" : "");
    }
}

static void facts(struct buf *b, const struct page_block *block) {
    buf_str(b, "|  |  |  |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < block->facts.n; i++) {
        const struct page_fact *f = &block->facts.v[i];
        const char *cell[] = {f->label, f->value, f->note};
        row(b, cell, 3, "");
    }
}

/* Runs of passes of one kind, since a document has no grid to draw on. */
static void chart(struct buf *b, const struct page_block *block) {
    put(b, block->text);
    buf_str(b, "\n\n| passes | part | lowest | mean | highest |\n| --- | --- | ---: | ---: | ---: |\n");
    for (size_t i = 0, end; i < block->points.n; i = end) {
        const struct page_point *p = block->points.v;
        double lo = INFINITY, hi = -INFINITY, sum = 0;
        size_t n = 0;
        for (end = i; end < block->points.n && p[end].mark == p[i].mark; end++) {
            if (isnan(p[end].v)) continue;
            lo = fmin(lo, p[end].v);
            hi = fmax(hi, p[end].v);
            sum += p[end].v;
            n++;
        }
        buf_printf(b, "| %lld", p[i].pass);
        if (p[end - 1].pass != p[i].pass) buf_printf(b, "–%lld", p[end - 1].pass);
        buf_printf(b, " | %s | %s", page_part(p[i].mark), figure_number(n ? lo : NAN, NAN).s);
        buf_printf(b, " | %s", figure_number(n ? sum / (double)n : NAN, NAN).s);
        buf_printf(b, " | %s |\n", figure_number(n ? hi : NAN, NAN).s);
    }
}

void markdown_write(struct buf *b, const struct page *p) {
    buf_str(b, "# ");
    put(b, p->name);
    buf_str(b, ": ");
    put(b, p->headline);
    buf_char(b, '\n');
    if (p->lead) {
        buf_char(b, '\n');
        put(b, p->lead);
        buf_char(b, '\n');
    }
    const char *title = NULL;
    for (size_t i = 0; i < p->blocks.n; i++) {
        const struct page_block *block = &p->blocks.v[i];
        if (block->title) title = block->title;
        if (block->type == BLOCK_PLOT) continue; /* its section may begin with the next block */
        if (title) {
            buf_str(b, "\n## ");
            put(b, title);
            buf_char(b, '\n');
        }
        buf_char(b, '\n');
        title = NULL;
        switch (block->type) {
        case BLOCK_TEXT:
            put(b, block->text);
            buf_char(b, '\n');
            break;
        case BLOCK_LIST:
            for (size_t k = 0; k < block->items.n; k++) {
                buf_str(b, "- ");
                put(b, block->items.v[k]);
                buf_char(b, '\n');
            }
            break;
        case BLOCK_FACTS: facts(b, block); break;
        case BLOCK_TABLE: table(b, block); break;
        case BLOCK_CHART: chart(b, block); break;
        case BLOCK_PLOT: break;
        }
    }
}
