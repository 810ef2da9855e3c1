#include "occupancy.h"

#include <stdlib.h>

#include "num.h"
#include "quantile.h"

static void heap_push(struct occupancy *o, int64_t end) {
    vec_push(&o->end, end);
    size_t i = o->end.n - 1;
    for (; i > 0 && o->end.v[(i - 1) / 2] > end; i = (i - 1) / 2)
        o->end.v[i] = o->end.v[(i - 1) / 2];
    o->end.v[i] = end;
}

static void heap_pop(struct occupancy *o) {
    int64_t last = o->end.v[--o->end.n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < o->end.n; i = child) {
        if (child + 1 < o->end.n && o->end.v[child + 1] < o->end.v[child]) child++;
        if (o->end.v[child] >= last) break;
        o->end.v[i] = o->end.v[child];
    }
    if (o->end.n > 0) o->end.v[i] = last;
}

int64_t occupancy_issue(struct occupancy *o, int64_t issued_ns, int64_t done_ns) {
    if (int_known(done_ns) && done_ns < issued_ns)
        done_ns = issued_ns; /* clocks that disagree: it was open for no time */
    while (o->end.n > 0 && o->end.v[0] <= issued_ns) {
        if (!int_known(o->first_done_ns)) o->first_done_ns = o->end.v[0];
        heap_pop(o);
        o->in_flight--;
    }
    if (!int_known(o->first_done_ns)) vec_push(&o->fill, done_ns);
    o->in_flight++;
    if (o->in_flight > o->peak) o->peak = o->in_flight;
    if (int_known(done_ns)) heap_push(o, done_ns);
    if (!int_known(o->first_done_ns)) return o->in_flight;
    o->after++;
    if (o->in_flight > o->max) o->max = o->in_flight;
    while (o->at.n <= (size_t)o->in_flight)
        vec_push(&o->at, 0);
    o->at.v[o->in_flight]++;
    return o->in_flight;
}

void occupancy_end(struct occupancy *o) {
    if (o->end.n > 0 && !int_known(o->first_done_ns)) o->first_done_ns = o->end.v[0];
}

void occupancy_free(struct occupancy *o) {
    vec_free(&o->end);
    vec_free(&o->fill);
    vec_free(&o->at);
}

int64_t occupancy_cap(const struct occupancy *o) {
    int64_t above = 0;
    for (int64_t c = o->max; c > 0; c--) {
        int64_t at = o->at.v[c];
        bool half = 2 * at >= o->after, some = at >= 20 && 100 * at >= o->after;
        bool not_chance = (half && c >= 2) || (some && c >= 8);
        if (above == 0 ? half || some : not_chance && 20 * above <= at) return c;
        above += at;
    }
    return 0;
}

int64_t occupancy_fill_ended90(const struct occupancy *o) {
    size_t n = o->fill.n;
    if (n == 0) return INT_NONE;
    double *end = xmalloc(n * sizeof *end);
    int64_t origin =
        int_known(o->first_done_ns) ? o->first_done_ns : 0; /* so that doubles hold the differences exactly */
    for (size_t i = 0; i < n; i++) {
        int64_t after = num_span(origin, o->fill.v[i]);
        end[i] = int_known(after) ? (double)after : INFINITY;
    }
    double at = quantile_floor(end, n, 9, 10);
    free(end);
    return isfinite(at) ? origin + (int64_t)at : INT_NONE;
}

/* Median in flight over the issues of [from, to) quarters of the span. */
static double quarter_median(const int64_t *issued, const int64_t *in_flight, size_t n, __int128 span, int quarter,
                             double *work) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        __int128 at = 4 * ((__int128)issued[i] - issued[0]);
        if (at >= quarter * span && (at < (quarter + 1) * span || quarter == 3)) work[k++] = (double)in_flight[i];
    }
    return quantile_median(work, k);
}

bool occupancy_backlog(const int64_t *issued, const int64_t *done, const int64_t *in_flight, size_t n) {
    if (n == 0 || issued[n - 1] == issued[0]) return false;
    __int128 span = (__int128)issued[n - 1] - issued[0];
    int64_t issues = 0, ends = 0;
    for (size_t i = 0; i < n; i++) {
        issues += 2 * ((__int128)issued[i] - issued[0]) >= span;
        ends += int_known(done[i]) && done[i] <= issued[n - 1] && 2 * ((__int128)done[i] - issued[0]) >= span;
    }
    if (100 * ends >= 95 * issues) return false;
    double *work = xmalloc(n * sizeof *work);
    double second = quarter_median(issued, in_flight, n, span, 1, work);
    double last = quarter_median(issued, in_flight, n, span, 3, work);
    free(work);
    return last > 1.2 * second;
}
