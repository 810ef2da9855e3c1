/* page: what a report says, before any format: headline, facts, tables, lists, charts, plots.  Layer 3.
 *
 * A page owns all its text; strings given to it must come from page_text, page_safe or the program itself.  Text is UTF-8
 * free of control characters; U+00A0 marks a space where no line may break. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "plot.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_CAUTION, TONE_BAD };

enum { PAGE_COLUMNS = 9 };
#define PAGE_END ((const char *)NULL)

struct page_fact {
    const char *label, *value, *note; /* note may be NULL */
};

struct page_row {
    const char *cell[PAGE_COLUMNS]; /* NULL: nothing to say there */
    const char *across; /* instead of cells: text over the whole width */
    double bar; /* in [0,1], drawn after the last cell; NAN = none */
    bool sum; /* a sum of the rows above */
};

/* A value per super-pass, with the part of the run each belongs to. */
struct page_point {
    double v; /* NAN = missing */
    char mark; /* 'w' warm-up, '=' window, 'd' drain, 't' tail, '^' shift, '.' other */
    long long pass;
};

enum block_type { BLOCK_TEXT, BLOCK_LIST, BLOCK_FACTS, BLOCK_TABLE, BLOCK_CHART, BLOCK_PLOT };

struct page_block {
    enum block_type type;
    const char *title; /* begins a section; NULL: goes on */
    const char *text; /* TEXT; CHART: what is drawn, and in which unit */
    VEC(const char *) items; /* LIST */
    VEC(struct page_fact) facts;
    const char *column[PAGE_COLUMNS]; /* TABLE */
    bool right[PAGE_COLUMNS];
    size_t n_columns;
    VEC(struct page_row) rows;
    VEC(struct page_point) points; /* CHART */
    struct plot *plot; /* PLOT: for formats that can draw; others leave the block out */
};

struct page {
    const char *name; /* of the run */
    const char *headline; /* the verdict, in a few words */
    enum tone tone;
    const char *lead; /* what that means, one or two sentences */
    VEC(struct page_block) blocks;
    const char *pending; /* title of the block to come */
    struct arena text;
};

void page_free(struct page *p);

const char *page_text(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text of somebody else, n bytes: control characters, bidirectional overrides and bytes that are no UTF-8 come out as
 * \u00xx, so that nothing in a report can move the cursor or hide a word. */
const char *page_safe(struct page *p, const char *s, size_t n);

/* Each appends to the block at hand when it is of that type and no section was begun, else begins a block. */
void page_section(struct page *p, const char *title);
void page_paragraph(struct page *p, const char *text);
void page_item(struct page *p, const char *text);
void page_fact(struct page *p, const char *label, const char *value, const char *note);
/* Columns of a new table, then PAGE_END; a name that begins with '>' is set flush right. */
void page_columns(struct page *p, ...) __attribute__((sentinel));
struct page_row *page_row(struct page *p, ...) __attribute__((sentinel)); /* cells, then PAGE_END */
void page_across(struct page *p, const char *text);
void page_chart(struct page *p, const char *text);
void page_point(struct page *p, double v, char mark, long long pass);
void page_plot(struct page *p, struct plot *plot); /* takes it; one without a value is freed and leaves no trace */

/* Rewrite every string of the page in ASCII. */
void page_ascii(struct page *p);

/* What a mark of a point stands for: "warm-up", "window", …; "" for none. */
const char *page_part(char mark);

/* Append text escaped for a JSON string, without its quotes; NULL = nothing. */
void page_json(struct buf *b, const char *s);

/* Columns a terminal needs for UTF-8 text. */
size_t page_width(const char *s);

#endif
