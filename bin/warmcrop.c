/* warmcrop: mark the passes before the system had settled.
 *
 *     ledger2passes -n 6396 ledger.tsv | warmcrop > marked.passes.tsv
 *
 * A run begins with a ramp: the batch fills, and the first super-passes say nothing of what the system sustains.  Their
 * role becomes `warmup`; nothing is removed unless --drop.  How long the ramp is, the run itself says:
 *
 *   level   L = median of the driver (TPOT p50) over the second half of the full passes.  Leading passes outside
 *           L (1 ± band) are warm-up, up to the first inside it, and never more than a share of the run: a run that has
 *           not settled by then never did, and says so (capped).
 *   robust  (1) A ramp moves, a plateau does not: six or eight passes in a row that lie within the band of their own median
 *           and hardly drift end the crop wherever they lie.  Else a healthy level before an early step would be taken for ramp.
 *           (2) The fill burst: while the requests of the first burst are still ending, throughput is not the system's.
 *           (3) Offline there is no ramp of issues: the body is the longest stretch of bins within 10 % of their median,
 *           what lies before it is warm-up, what comes after it drain.
 *   follow  In a run that is still going on there is no second half yet.  Passes are held until they have settled as
 *           in (1); the first six of these are the level that leading passes are held against, and from then on every pass is body and
 *           leaves as it comes.  A run that ends before that is cropped as any other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "passes.h"
#include "quantile.h"
#include "trend.h"

enum profile { ROBUST, DESIGN };
enum { SETTLED = 6, SETTLED_LATER = 8 }; /* passes in a row that show a plateau */

struct options {
    struct common common;
    const char *driver; /* NULL: by mode */
    double band, max_frac;
    int64_t count, min_count; /* count < 0: adaptive */
    bool drop, follow;
    int profile, mode;
};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'d', "driver", "COLUMN", OPT_TEXT, AT(driver),
     "series that shows the ramp (default tpot_p50; offline tps, else rps)", NULL, 0, 0},
    {'b', "band", "FRACTION", OPT_REAL, AT(band), "a pass this close to the level has settled (default 0.05)", NULL, 0,
     1},
    {0, "count", "K", OPT_INT, AT(count), "crop exactly K passes, whatever the series says", NULL, 0, 1e9},
    {0, "min-count", "K", OPT_INT, AT(min_count), "crop at least K passes (default 0)", NULL, 0, 1e9},
    {0, "max-frac", "FRACTION", OPT_REAL, AT(max_frac), "crop at most this share of the passes (default 0.5)", NULL, 0,
     1},
    {0, "drop", NULL, OPT_FLAG, AT(drop), "leave the cropped passes out instead of marking them", NULL, 0, 0},
    {0, "follow", NULL, OPT_FLAG, AT(follow), "write passes as they come, once the run has settled", NULL, 0, 0},
    {0, "profile", "robust|design", OPT_CHOICE, AT(profile), "rules: robust (default), or the design document's own",
     "robust|design", 0, 0},
    {'m', "mode", "MODE", OPT_CHOICE, AT(mode), "auto|concurrency|poisson|offline: for plain tables, which do not say",
     "auto|concurrency|poisson|offline", 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "warmcrop",
    .what = "Mark the super-passes of the ramp (and, offline, of the drain), so that they are not measured.",
    .operands = "[FILE]",
    .example = "ledger2passes -n 300 ledger.tsv | warmcrop | tailguard | plateau",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
};

/* The driver series over the full passes, and what the crop found in it. */
struct crop {
    struct pass **full; /* [n] */
    double *v; /* [n], NAN = missing */
    size_t n;
    const char *driver;
    double level, level_seen; /* NAN = unknown */
    size_t warmup, drain; /* passes cropped before and after the body */
    bool capped;
    bool live; /* decided before the end of the run */
    const char *flag;
};

static double median_of(const double *v, size_t n) {
    double *known = xmalloc(n * sizeof *known);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i])) known[k++] = v[i];
    double m = quantile_median(known, k);
    free(known);
    return m;
}

static bool inside(double v, double level, double band) { return fabs(v - level) / fabs(level) <= band; }

/* n passes from i on that neither leave the band round their own median nor drift faster than half of it in six passes. */
static bool calm(const struct crop *c, size_t i, size_t n, double band) {
    if (i + n > c->n) return false;
    double m = quantile_median(c->v + i, n), most = band / 2 * (double)(n - 1) / (SETTLED - 1);
    for (size_t k = i; k < i + n; k++)
        if (!inside(c->v[k], m, band)) return false; /* also where a value is missing */
    return fabs(trend_ols(c->v + i, n).rel_drift) <= most;
}

/* Six passes tell a ramp of half a percent a pass from noise of 2 % badly, eight rather better: healthy passes that seem to
 * drift over six of them may still be seen to stand. */
static bool settled(const struct crop *c, size_t i, double band) {
    return calm(c, i, SETTLED, band) || calm(c, i, SETTLED_LATER, band);
}

static void crop_ramp(struct crop *c, const struct options *o) {
    size_t most = (size_t)((double)c->n * o->max_frac), i = 0;
    c->level = median_of(c->v + c->n / 2, c->n - c->n / 2);
    for (; i < most; i++) {
        if (inside(c->v[i], c->level, o->band)) break;
        if (o->profile == ROBUST && settled(c, i, o->band)) break;
    }
    bool plateau = o->profile == ROBUST && settled(c, i, o->band);
    if (plateau) c->level_seen = quantile_median(c->v + i, SETTLED);
    c->capped = i == most && i < c->n && !plateau && !inside(c->v[i], c->level, o->band);
    c->warmup = i;
}

/* Passes that begin before 90 % of the first burst has ended; at least one. */
static size_t fill_burst(const struct crop *c, const json_t *run) {
    int64_t ended = doc_int_at(run, "fill.ended90_ns");
    size_t k = 1;
    while (k < c->n && ended != INT_NONE && c->full[k]->first_issue_ns != INT_NONE &&
           c->full[k]->first_issue_ns < ended)
        k++;
    return k;
}

static void longest_stretch(const struct crop *c, double band, size_t *lo, size_t *hi) {
    *lo = *hi = 0;
    for (size_t i = 0, start = 0; i < c->n; i++) {
        if (!inside(c->v[i], c->level, band))
            start = i + 1;
        else if (i + 1 - start > *hi - *lo) {
            *lo = start;
            *hi = i + 1;
        }
    }
}

static void crop_offline(struct crop *c) {
    const double band = 0.10;
    size_t lo, hi;
    c->level = median_of(c->v, c->n);
    longest_stretch(c, band, &lo, &hi);
    if (3 * (hi - lo) < c->n) { /* more drain than plateau: the median is the drain's */
        double *known = xmalloc(c->n * sizeof *known);
        size_t k = 0;
        for (size_t i = 0; i < c->n; i++)
            if (!isnan(c->v[i])) known[k++] = c->v[i];
        c->level = quantile_floor(known, k, 3, 4);
        free(known);
        c->flag = "level_p75";
        longest_stretch(c, band, &lo, &hi);
    }
    c->warmup = lo;
    c->drain = c->n - hi;
}

static bool offline(const struct passes *s, const struct options *o) {
    const char *mode = doc_text_at(s->run, "mode");
    return o->mode ? o->mode == 3 : mode && strcmp(mode, "offline") == 0;
}

static bool some(const struct passes *s, int column) {
    bool any = false;
    for (size_t i = 0; i < s->n; i++)
        any = any || !isnan(passes_value(&s->v[i], column));
    return any;
}

static int choose_driver(const struct passes *s, const struct options *o, struct crop *c) {
    c->driver = o->driver ? o->driver : !offline(s, o) ? "tpot_p50" : "tps";
    int column = passes_column(c->driver);
    if (!o->driver && offline(s, o) && !(passes_has(s, column) && some(s, column))) {
        c->driver = "rps";
        column = passes_column(c->driver);
    }
    if (column < 0) die("--driver: '%s' is none of the numbers of a pass, such as tpot_p50, ttft_p90, rps", c->driver);
    if (s->n > 0 && !passes_has(s, column))
        die("%s: no column '%s': name the driver with -d/--driver", s->file, c->driver);
    return column;
}

/* The driver over the full passes so far. */
static struct crop series_of(const struct passes *s, const struct options *o) {
    struct crop c = {.level = NAN, .level_seen = NAN};
    int column = choose_driver(s, o, &c);
    c.full = xcalloc(s->n, sizeof(struct pass *));
    c.v = xcalloc(s->n, sizeof *c.v);
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].full) {
            c.v[c.n] = passes_value(&s->v[i], column);
            c.full[c.n++] = &s->v[i];
        }
    return c;
}

/* Which full passes of a whole run are warm-up, which drain. */
static void crop_run(struct crop *c, const struct passes *s, const struct options *o) {
    bool off = offline(s, o);
    if (o->count >= 0) {
        c->warmup = (size_t)o->count;
        c->level = median_of(c->v + c->n / 2, c->n - c->n / 2);
    } else if (isnan(median_of(c->v, c->n))) {
        c->flag = "no_driver";
    } else if (off && o->profile == ROBUST) {
        crop_offline(c);
    } else {
        crop_ramp(c, o);
        size_t burst = o->profile == ROBUST && !off ? fill_burst(c, s->run) : 0;
        if (c->warmup < burst) c->warmup = burst;
    }
    if (o->count < 0 && !c->flag && c->warmup < (size_t)o->min_count) c->warmup = (size_t)o->min_count;
    if (c->warmup > c->n) c->warmup = c->n;
}

/* The same for a run that is still going on: true when the passes so far decide it. */
static bool crop_live(struct crop *c, const struct passes *s, const struct options *o) {
    size_t i = 0, burst = fill_burst(c, s->run);
    while (i < c->n && !settled(c, i, o->band))
        i++;
    c->live = o->count >= 0 ? c->n >= (size_t)o->count : i < c->n && burst < c->n && (size_t)o->min_count < c->n;
    if (!c->live || offline(s, o)) return false;
    if (o->count >= 0) {
        c->warmup = (size_t)o->count;
        return true;
    }
    c->level = c->level_seen = quantile_median(c->v + i, SETTLED);
    while (c->warmup < i && !inside(c->v[c->warmup], c->level, o->band))
        c->warmup++;
    if (c->warmup < burst) c->warmup = burst;
    if (c->warmup < (size_t)o->min_count) c->warmup = (size_t)o->min_count;
    return true;
}

static void mark(const struct crop *c) {
    for (size_t i = 0; i < c->n; i++)
        c->full[i]->role = i < c->warmup ? ROLE_WARMUP : i < c->n - c->drain ? ROLE_BODY : ROLE_DRAIN;
}

static json_t *facts(const struct crop *c, const struct options *o) {
    int64_t samples = 0;
    double seconds = 0;
    for (size_t i = 0; i < c->warmup; i++) { /* a count or span that one pass lacks is unknown for all */
        const struct pass *p = c->full[i];
        samples = int_known(samples) && int_known(p->n_issued) ? samples + p->n_issued : INT_NONE;
        seconds += int_known(p->span_ns) ? (double)p->span_ns / 1e9 : NAN;
    }
    json_t *f = json_object();
    doc_set_int(f, "passes", (int64_t)c->warmup);
    doc_set_int(f, "samples", samples);
    doc_set_real(f, "seconds", seconds);
    doc_set_real(f, "level", c->level);
    doc_set_real(f, "level_seen", c->level_seen);
    doc_set_real(f, "band", o->band);
    doc_set_text(f, "driver", c->driver);
    doc_set_bool(f, "capped", c->capped);
    doc_set_text(f, "flag", c->flag);
    doc_set_int(f, "drain_passes", (int64_t)c->drain);
    if (c->live) doc_set_bool(f, "live", true);
    return f;
}

/* Why a full pass is where it is. */
static const char *reason(const struct crop *c, size_t i, const struct options *o) {
    bool in = inside(c->v[i], c->level, o->band), stands = o->profile == ROBUST && settled(c, i, o->band);
    if (o->count >= 0) return "as --count says";
    if (i >= c->warmup)
        return in ? "inside the band" : stands ? "passes from here on have settled" : "the crop is capped";
    return isnan(c->v[i]) ? "no value" : in || stands ? "in the fill burst, or below --min-count" : "outside the band";
}

static void say(const struct crop *c, const struct options *o) {
    size_t shown = c->flag || c->drain > 0 ? 0 : c->warmup < c->n ? c->warmup + 1 : c->n;
    for (size_t i = 0; i < shown; i++)
        note("pass %lld: %s %.6g, %+.2f %% off the level: %s: %s", (long long)c->full[i]->pass, c->driver, c->v[i],
             100 * (c->v[i] - c->level) / fabs(c->level), i < c->warmup ? "warm-up" : "body", reason(c, i, o));
    if (c->flag) note("%s", c->flag);
    if (c->capped)
        warn("%s stayed outside its band for %zu of %zu passes: the run never settled", c->driver, c->warmup, c->n);
    note("%zu of %zu full passes%s are warm-up, %zu drain (%s, level %.6g)", c->warmup, c->n, c->live ? " so far" : "",
         c->drain, c->driver, c->level);
}

/* Read until it is known which passes are cropped: to the end of the run, or as far as --follow needs.  Marks them, and
 * returns what #run says of it; *more: the run goes on. */
static json_t *read_ramp(struct passes_in *in, struct passes *s, const struct options *o, bool *more) {
    for (;;) {
        *more = passes_next(in, s);
        if (*more && !o->follow) continue;
        struct crop c = series_of(s, o);
        json_t *warmup = NULL;
        if (!*more) crop_run(&c, s, o);
        if (!*more || crop_live(&c, s, o)) {
            mark(&c);
            say(&c, o);
            warmup = facts(&c, o);
        }
        free(c.full);
        free(c.v);
        if (warmup) return warmup;
    }
}

static void put(struct table_out *out, const struct passes *s, size_t i, bool drop) {
    const struct pass *p = &s->v[i];
    if (!drop || (p->role != ROLE_WARMUP && p->role != ROLE_DRAIN)) passes_put(out, s, p);
}

int main(int argc, char **argv) {
    const struct options defaults = {.band = 0.05, .max_frac = 0.5, .count = -1};
    struct options o = defaults;
    char **operand = opts_parse(&tool, &o, argc, argv);
    if (o.follow && o.profile == DESIGN)
        die("--follow: the design's level is that of the second half of the whole run");

    struct passes s;
    struct table_out out;
    bool more;
    struct passes_in *in = passes_open(&s, opts_single(operand));
    if (json_object_get(s.run, "tail"))
        warn("%s: tailguard came first, and took the ramp for body: it goes after this", s.file);
    json_t *warmup = read_ramp(in, &s, &o, &more);
    json_object_set(s.run, "warmup", warmup);
    json_array_append_new(s.pg, opts_provenance(&tool, &o, &defaults));
    passes_begin(&out, &s, opts_spelling(&o.common, s.spelling), !o.common.no_header);
    for (size_t i = 0; i < s.n; i++)
        put(&out, &s, i, o.drop);
    while (more && (more = passes_next(in, &s))) {
        if (s.v[s.n - 1].full) s.v[s.n - 1].role = ROLE_BODY;
        put(&out, &s, s.n - 1, o.drop);
    }
    json_object_set(s.run, "warmup", warmup);
    passes_end(&out, &s);
    out_close();
    passes_close(in);
    passes_free(&s);
    json_decref(warmup);
    return 0;
}
