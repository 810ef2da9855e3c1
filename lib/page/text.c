#include "text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "figure.h"

enum { WIDTH = 80, INDENT = 2, GAP = 2, VALUE_MAX = 24, BAR_MAX = 24, CHART_ROWS = 3 };

struct text {
    struct buf *b;
    struct text_style style;
};

static const char BOLD[] = "\033[1m", DIM[] = "\033[2m", RESET[] = "\033[0m";
static const char *const tone_colour[] = {"\033[1m", "\033[1;32m", "\033[1;33m", "\033[1;31m"};

static void paint(struct text *t, const char *code) {
    if (t->style.colour) buf_str(t->b, code);
}

static void spaces(struct text *t, size_t n) {
    while (n-- > 0)
        buf_char(t->b, ' ');
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* n bytes, with the spaces that held words together made plain */
static void put(struct text *t, const char *s, size_t n) {
    const size_t len = sizeof NBSP - 1;
    for (size_t i = 0; i < n;) {
        if (n - i >= len && memcmp(s + i, NBSP, len) == 0) {
            buf_char(t->b, ' ');
            i += len;
        } else {
            buf_char(t->b, s[i++]);
        }
    }
}

static size_t width_of(const char *s, size_t n) {
    char word[512];
    if (n >= sizeof word) return n;
    memcpy(word, s, n);
    word[n] = '\0';
    return page_width(word);
}

/* Words from column `at`, broken before WIDTH, further lines from column `indent`; ends the line. */
static void wrap(struct text *t, const char *s, size_t at, size_t indent) {
    bool first = true;
    while (*(s += strspn(s, " "))) {
        size_t n = strcspn(s, " "), w = width_of(s, n);
        if (!first && at + 1 + w > WIDTH) {
            buf_char(t->b, '\n');
            spaces(t, indent);
            at = indent;
        } else if (!first) {
            buf_char(t->b, ' ');
            at++;
        }
        put(t, s, n);
        at += w;
        s += n;
        first = false;
    }
    buf_char(t->b, '\n');
}

static void rule(struct text *t, size_t indent, size_t n) {
    spaces(t, indent);
    paint(t, DIM);
    while (n-- > 0)
        buf_str(t->b, t->style.ascii ? "-" : "─");
    paint(t, RESET);
    buf_char(t->b, '\n');
}

/* Bytes of the longest beginning of s (or, from the end, of the longest ending) that is no wider than room. */
static size_t fits(const char *s, size_t room, bool from_end) {
    size_t n = strlen(s), best = 0;
    for (size_t i = 1; i <= n; i++) {
        const char *cut = from_end ? s + n - i : s + i;
        if (((unsigned char)*cut & 0xc0) == 0x80) continue; /* within a character */
        if (width_of(from_end ? cut : s, i) <= room) best = i;
    }
    return best;
}

/* A cell in a column of w; the middle of a longer one is left out, for names often differ at their ends. */
static void cell(struct text *t, const char *s, size_t w, bool right) {
    size_t need = page_width(s), len = strlen(s);
    if (need <= w) {
        if (right) spaces(t, w - need);
        put(t, s, len);
        if (!right) spaces(t, w - need);
        return;
    }
    const char *more = t->style.ascii ? "..." : "…";
    size_t room = w - page_width(more), tail = fits(s, room / 2, true);
    size_t tail_width = width_of(s + len - tail, tail), lead = fits(s, room - tail_width, false);
    put(t, s, lead);
    buf_str(t->b, more);
    put(t, s + len - tail, tail);
    spaces(t, room - tail_width - width_of(s, lead));
}

static void trim_line(struct text *t) {
    while (t->b->len > 0 && t->b->s[t->b->len - 1] == ' ')
        t->b->s[--t->b->len] = '\0';
    buf_char(t->b, '\n');
}

static void facts(struct text *t, const struct page_block *block) {
    size_t label = 0, value = 0;
    for (size_t i = 0; i < block->facts.n; i++) {
        const struct page_fact *f = &block->facts.v[i];
        label = most(label, page_width(f->label));
        if (f->note && page_width(f->value) <= VALUE_MAX) value = most(value, page_width(f->value));
    }
    size_t at_value = INDENT + most(label, 18) + GAP, at_note = at_value + value + GAP + 1;
    for (size_t i = 0; i < block->facts.n; i++) {
        const struct page_fact *f = &block->facts.v[i];
        spaces(t, INDENT);
        cell(t, f->label, at_value - INDENT, false);
        if (!f->note) {
            wrap(t, f->value, at_value, at_value);
            continue;
        }
        if (page_width(f->value) <= value) {
            cell(t, f->value, at_note - at_value, false);
        } else {
            wrap(t, f->value, at_value, at_value);
            spaces(t, at_note);
        }
        wrap(t, f->note, at_note, at_note);
    }
}

static void bar(struct text *t, double share, size_t room) {
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share > 0)) return;
    size_t eighths = (size_t)llround(fmin(share, 1) * (double)room * 8);
    if (eighths == 0) eighths = 1;
    size_t full = t->style.ascii ? (eighths + 4) / 8 : eighths / 8;
    for (size_t i = 0; i < full; i++)
        buf_str(t->b, t->style.ascii ? "#" : "█");
    if (!t->style.ascii) buf_str(t->b, part[eighths % 8]);
}

static void table(struct text *t, const struct page_block *block) {
    size_t w[PAGE_COLUMNS], total = INDENT, n = block->n_columns, widest = 0;
    bool bars = false;
    for (size_t c = 0; c < n; c++) {
        w[c] = page_width(block->column[c]);
        for (size_t r = 0; r < block->rows.n; r++)
            if (block->rows.v[r].cell[c]) w[c] = most(w[c], page_width(block->rows.v[r].cell[c]));
        total += w[c] + (c > 0 ? GAP : 0);
        if (!block->right[c] && (block->right[widest] || w[c] > w[widest])) widest = c;
    }
    if (total > WIDTH) {
        size_t cut = least(total - WIDTH, w[widest] > 8 ? w[widest] - 8 : 0);
        w[widest] -= cut;
        total -= cut;
    }
    for (size_t r = 0; r < block->rows.n; r++)
        bars |= !isnan(block->rows.v[r].bar);
    size_t room = bars && total + GAP < WIDTH ? least(BAR_MAX, WIDTH - total - GAP) : 0;

    spaces(t, INDENT);
    paint(t, DIM);
    for (size_t c = 0; c < n; c++) {
        if (c > 0) spaces(t, GAP);
        cell(t, block->column[c], w[c], block->right[c]);
    }
    paint(t, RESET);
    trim_line(t);
    for (size_t r = 0; r < block->rows.n; r++) {
        const struct page_row *row = &block->rows.v[r];
        if (row->sum) rule(t, INDENT, total - INDENT);
        spaces(t, INDENT);
        if (row->across) {
            wrap(t, row->across, INDENT, INDENT + 4);
            continue;
        }
        for (size_t c = 0; c < n; c++) {
            if (c > 0) spaces(t, GAP);
            cell(t, row->cell[c] ? row->cell[c] : "", w[c], block->right[c]);
        }
        if (room > 0 && row->bar > 0) {
            spaces(t, GAP);
            bar(t, row->bar, room);
        }
        trim_line(t);
    }
}

static void list(struct text *t, const struct page_block *block) {
    for (size_t i = 0; i < block->items.n; i++) {
        spaces(t, INDENT);
        buf_str(t->b, t->style.ascii ? "* " : "• ");
        wrap(t, block->items.v[i], INDENT + 2, INDENT + 2);
    }
}

/* Passes of columns [from, to): their mean, and the mark that matters most. */
static struct page_point gather(const struct page_block *block, size_t from, size_t to) {
    static const char rank[] = "^t dw.="; /* the shift is never hidden by its neighbours */
    struct page_point p = {NAN, block->points.v[from].mark, block->points.v[from].pass};
    double sum = 0;
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const struct page_point *q = &block->points.v[i];
        if (!isnan(q->v)) sum += q->v, n++;
        const char *now = strchr(rank, p.mark), *next = strchr(rank, q->mark);
        if (next && (!now || next < now)) p.mark = q->mark;
    }
    if (n > 0) p.v = sum / (double)n;
    return p;
}

static void chart(struct text *t, const struct page_block *block) {
    static const char *const eighth[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const struct {
        char mark;
        const char *means;
    } legend[] = {{'w', "w warm-up"}, {'=', "= window"}, {'^', "^ level shift"}, {'t', "t tail"}, {'d', "d drain"}};
    enum { MARGIN = 10, COLUMNS = WIDTH - MARGIN - INDENT };
    struct page_point col[COLUMNS];
    size_t points = block->points.n, n = least(points, COLUMNS);
    if (points == 0) return;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t c = 0; c < n; c++) {
        col[c] = gather(block, c * points / n, (c + 1) * points / n);
        if (!isnan(col[c].v)) lo = fmin(lo, col[c].v), hi = fmax(hi, col[c].v);
    }
    if (lo > hi) return;
    double middle = (lo + hi) / 2, low = fmin(lo, middle * .95), high = fmax(hi, middle * 1.05); /* noise stays small */
    double step = (high - low) / CHART_ROWS;
    spaces(t, INDENT);
    wrap(t, block->text, INDENT, INDENT);
    for (int row = CHART_ROWS - 1; row >= 0; row--) {
        struct figure label = {""};
        if (row == CHART_ROWS - 1) label = figure_number(high, step);
        if (row == 0) label = figure_number(low, step);
        cell(t, label.s, MARGIN - 2, true);
        buf_str(t->b, t->style.ascii ? " |" : " ┤");
        for (size_t c = 0; c < n; c++) {
            double h = step > 0 ? (col[c].v - low) / step - row : .5; /* height within this row */
            int level = isnan(col[c].v) ? 0 : h >= 1 ? 8 : h <= 0 ? 0 : (int)(h * 8 + .5);
            if (row == 0 && level == 0 && !isnan(col[c].v)) level = 1;
            if (t->style.ascii)
                buf_char(t->b, level == 0 ? ' ' : level <= 3 ? '.' : level <= 6 ? ':' : '#');
            else
                buf_str(t->b, eighth[level]);
        }
        trim_line(t);
    }
    spaces(t, MARGIN);
    for (size_t c = 0; c < n; c++)
        buf_char(t->b, col[c].mark);
    buf_char(t->b, '\n');
    size_t shown = 0;
    for (size_t k = 0; k < sizeof legend / sizeof *legend; k++) {
        bool used = false;
        for (size_t c = 0; c < n; c++)
            used |= col[c].mark == legend[k].mark;
        if (!used) continue;
        spaces(t, shown++ ? 3 : MARGIN);
        buf_str(t->b, legend[k].means);
    }
    if (shown) buf_char(t->b, '\n');
}

static void head(struct text *t, const struct page *p) {
    size_t name = page_width(p->name);
    put(t, p->name, strlen(p->name));
    buf_str(t->b, ": ");
    paint(t, tone_colour[p->tone]);
    wrap(t, p->headline, name + 2, 2);
    paint(t, RESET);
    rule(t, 0, WIDTH);
    if (p->lead) wrap(t, p->lead, 0, 0);
}

void text_write(struct buf *b, const struct page *p, struct text_style style) {
    struct text t = {b, style};
    head(&t, p);
    const char *title = NULL;
    for (size_t i = 0; i < p->blocks.n; i++) {
        const struct page_block *block = &p->blocks.v[i];
        if (block->title) title = block->title;
        if (block->type == BLOCK_PLOT) continue; /* its section may begin with the next block */
        buf_char(b, '\n');
        if (title) {
            paint(&t, BOLD);
            put(&t, title, strlen(title));
            paint(&t, RESET);
            buf_char(b, '\n');
        }
        title = NULL;
        switch (block->type) {
        case BLOCK_TEXT:
            spaces(&t, INDENT);
            wrap(&t, block->text, INDENT, INDENT);
            break;
        case BLOCK_LIST: list(&t, block); break;
        case BLOCK_FACTS: facts(&t, block); break;
        case BLOCK_TABLE: table(&t, block); break;
        case BLOCK_CHART: chart(&t, block); break;
        case BLOCK_PLOT: break;
        }
    }
}
