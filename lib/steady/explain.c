#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "num.h"
#include "table.h"

static const struct column fixed[] = {
    {"first_pass", TYPE_INT},  {"end_pass", TYPE_INT},  {"n_passes", TYPE_INT}, {"plateau", TYPE_INT},
    {"admissible", TYPE_BOOL}, {"decision", TYPE_TEXT}, {"reasons", TYPE_TEXT},
};
static const char *const figure[] = {"cov", "cov_bound", "rel_drift", "p", "jump", "jump_p", "gain"};
enum { N_FIXED = sizeof fixed / sizeof *fixed, N_FIGURES = sizeof figure / sizeof *figure };
static const struct schema schema = {"windows", fixed, N_FIXED};

static const enum segment_reason reasons[] = {SEGMENT_MISSING, SEGMENT_COV, SEGMENT_TREND, SEGMENT_STEP};

static struct view text(const char *s) { return (struct view){s, strlen(s)}; }

static const char *join(struct arena *names, const char *gate, const char *what) {
    struct buf b = {0};
    buf_printf(&b, "%s_%s", gate, what);
    const char *name = arena_copy(names, b.s, b.len);
    buf_free(&b);
    return name;
}

/* The plateau that begins at lo; n_plateaus where none does. */
static size_t plateau_at(const struct steady *s, size_t lo) {
    size_t i = 0;
    while (i < s->n_plateaus && s->plateau[i].lo != lo)
        i++;
    return i;
}

/* last: the last admissible end of those that begin here; 0 where none is. */
static const char *decision(const struct explain_window *w, size_t last, const struct steady_plateau *plateau) {
    if (!plateau) return "skip";
    if (w->hi > last) return "stop";
    if (w->hi > plateau->hi) return "cut";
    return w->admissible ? "grow" : "bridge";
}

static void put_window(struct table_out *out, const struct steady *s, const struct segment *search,
                       const struct explain_window *w, size_t last) {
    struct segment_finding *found = xcalloc(search->n_gates, sizeof *found);
    struct buf why = {0};
    for (size_t g = 0; g < search->n_gates; g++) {
        found[g] = segment_look(search, g, w->lo, w->hi);
        for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++)
            if (found[g].reasons & reasons[r])
                buf_printf(&why, "%s%s:%s", why.len ? "," : "", segment_reason_name(reasons[r]), s->series[g].name);
    }
    size_t i = plateau_at(s, w->lo);
    const struct steady_plateau *plateau = i < s->n_plateaus ? &s->plateau[i] : NULL;
    table_put_int(out, s->body[w->lo]->pass);
    table_put_int(out, s->body[w->hi - 1]->pass + 1);
    table_put_int(out, (int64_t)(w->hi - w->lo));
    table_put_int(out, plateau ? (int64_t)i : INT_NONE);
    table_put_int(out, w->admissible);
    table_put(out, text(decision(w, last, plateau)));
    table_put(out, (struct view){why.s, why.len});
    for (size_t g = 0; g < search->n_gates; g++) {
        const struct segment_finding *f = &found[g];
        const double value[N_FIGURES] = {
            f->cov, segment_cov_bound(search->gate[g].tail, w->hi - w->lo), f->drift, f->drift_p, f->jump, f->jump_p,
            f->gain};
        for (int k = 0; k < N_FIGURES; k++)
            table_put_real(out, value[k]);
    }
    table_row(out);
    free(found);
    buf_free(&why);
}

void explain_write(const struct steady *s, const struct segment *search, const struct explain_window *window, size_t n,
                   enum spelling spelling, bool header, const json_t *pg) {
    struct arena names = {0};
    struct column *column = xmalloc((N_FIXED + s->n_gates * N_FIGURES) * sizeof *column);
    size_t n_columns = N_FIXED;
    memcpy(column, fixed, sizeof fixed);
    for (size_t g = 0; g < s->n_gates; g++)
        for (int k = 0; k < N_FIGURES; k++)
            column[n_columns++] = (struct column){join(&names, s->series[g].name, figure[k]), TYPE_REAL};
    struct table_out out;
    json_t *writers = json_copy(s->passes->pg);
    json_array_append(writers, (json_t *)pg);
    table_begin(&out, spelling, header, &schema, column, n_columns, s->passes->run, writers);
    for (size_t i = 0, end; i < n; i = end) {
        size_t last = 0;
        for (end = i; end < n && window[end].lo == window[i].lo; end++)
            if (window[end].admissible) last = window[end].hi;
        for (size_t k = i; k < end; k++)
            put_window(&out, s, search, &window[k], last);
    }
    table_end(&out, json_object());
    json_decref(writers);
    free(column);
    arena_free(&names);
}
