#include "pick.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"

double pick_real(const json_t *report, const char *fmt, ...) {
    char path[128];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    return report ? doc_real_at(report, path) : NAN;
}

const char *pick_text(struct page *p, const json_t *report, const char *path) {
    const char *s = report ? doc_text_at(report, path) : NULL;
    return s ? page_safe(p, s, strlen(s)) : NULL;
}

bool pick_pair(const json_t *interval, double end[2]) {
    for (size_t i = 0; i < 2; i++) {
        const json_t *v = json_array_get(interval, i);
        end[i] = json_is_number(v) ? json_number_value(v) : NAN;
    }
    return !isnan(end[0]) && !isnan(end[1]);
}

struct pick_spread pick_spread(struct page *p, const json_t *metric) {
    static const char *const name[] = {"p50", "p90", "p99"};
    struct pick_spread s = {NULL, NULL};
    double mean = pick_real(metric, "mean_ns"), v[3];
    for (size_t i = 0; i < 3; i++)
        v[i] = pick_real(metric, "%s_ns", name[i]);
    struct unit u = figure_unit(isnan(v[0]) ? mean : v[0]);
    if (!isnan(mean)) s.mean = page_text(p, "%s" NBSP "%s", figure_span(mean, u).s, u.name);
    struct buf b = {0};
    for (size_t i = 0; i < 3; i++)
        if (!isnan(v[i])) buf_printf(&b, "%s%s" NBSP "%s", b.len ? NBSP NBSP " " : "", name[i], figure_span(v[i], u).s);
    if (b.len > 0) s.percentiles = page_text(p, "%s" NBSP "%s", b.s, u.name);
    buf_free(&b);
    return s;
}
