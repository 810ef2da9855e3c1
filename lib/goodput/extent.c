#include "extent.h"

#include <math.h>
#include <string.h>

#include "num.h"

int64_t extent_after(int64_t ns, double s) {
    double span = fmax(-9e18, fmin(s * 1e9, 9e18));
    int64_t stamp;
    if (__builtin_add_overflow(ns, llround(span), &stamp)) return s > 0 ? INT64_MAX : -INT64_MAX;
    return stamp;
}

int64_t extent_tracking(const json_t *run, const char *edge) {
    const char *how = doc_text_at(run, "tracking");
    return how && strcmp(how, "assumed") == 0 ? INT_NONE : doc_int_at(run, edge);
}

/* First arrival, and the span of n arrivals: n - 1 gaps between them, and one more until the next would have come. */
static double arrivals(const struct fact *const *f, size_t n, int64_t *first_ns) {
    int64_t first = INT64_MAX, last = INT_NONE, stamped = 0;
    for (size_t i = 0; i < n; i++) {
        if (!int_known(f[i]->arrival_ns)) continue;
        stamped++;
        if (f[i]->arrival_ns < first) first = f[i]->arrival_ns;
        if (f[i]->arrival_ns > last) last = f[i]->arrival_ns;
    }
    *first_ns = stamped > 0 ? first : INT_NONE;
    int64_t span = stamped > 1 ? num_span(first, last) : INT_NONE;
    return int_known(span) ? (double)span * ((double)stamped / (double)(stamped - 1)) / 1e9 : NAN;
}

/* The later of the end of the arrival span and the last terminal event, from the same start. */
static double duration(const struct extent *s, const struct fact *const *f, size_t n) {
    int64_t last = INT_NONE;
    for (size_t i = 0; i < n; i++)
        if (f[i]->outcome != OUT_UNFINISHED && f[i]->done_ns <= s->cutoff_ns && f[i]->done_ns > last)
            last = f[i]->done_ns;
    int64_t to_last = num_span(s->start_ns, last);
    return int_known(to_last) ? fmax(s->arrival_s, (double)to_last / 1e9) : s->arrival_s;
}

struct extent extent_of_arrivals(const struct fact *const *f, size_t n) {
    struct extent s = {.stop_ns = INT_NONE, .end_ns = INT64_MAX, .cutoff_ns = INT64_MAX};
    s.arrival_s = arrivals(f, n, &s.start_ns);
    s.source = int_known(s.start_ns) ? "arrivals" : NULL;
    s.duration_s = duration(&s, f, n);
    return s;
}

struct extent extent_of_run(const json_t *run, double duration_s, double drain_s, const struct fact **in, size_t *n) {
    struct extent s = extent_of_arrivals(in, *n);
    int64_t start = extent_tracking(run, "tracking_start_ns"), stop = extent_tracking(run, "tracking_stop_ns");
    if (!s.source) return s;
    if (!isnan(duration_s)) {
        s.source = "option";
        if (int_known(start)) s.start_ns = start;
        s.stop_ns = s.end_ns = extent_after(s.start_ns, duration_s);
        s.cutoff_ns = isnan(drain_s) ? s.end_ns : extent_after(s.end_ns, drain_s);
        s.arrival_s = duration_s;
        size_t kept = 0;
        for (size_t i = 0; i < *n; i++)
            if (in[i]->arrival_ns < s.end_ns) in[kept++] = in[i];
        *n = kept;
    } else if (int_known(start) && int_known(stop)) {
        s.source = "tracking";
        s.start_ns = start;
        s.stop_ns = stop;
        s.arrival_s = (double)num_span(start, stop) / 1e9;
    }
    s.duration_s = duration(&s, in, *n);
    return s;
}

json_t *extent_json(const struct extent *s, const struct fact *const *f, size_t n, int64_t beyond) {
    int64_t late = 0;
    for (size_t i = 0; i < n && int_known(s->stop_ns); i++)
        late += fact_disposition(f[i], s->cutoff_ns) == DISP_ACCEPTED && f[i]->done_ns > s->stop_ns;
    json_t *j = json_object();
    doc_set_real(j, "s", s->duration_s);
    doc_set_real(j, "arrival_s", s->arrival_s);
    doc_set_text(j, "source", s->source);
    doc_set_int(j, "start_ns", s->start_ns);
    if (!s->source) doc_set_text(j, "reason", n + (size_t)beyond > 0 ? "no_times" : "no_requests");
    doc_set_int(j, "late_completions", late);
    doc_set_int(j, "beyond", beyond);
    return j;
}
