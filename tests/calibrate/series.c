/* series: verdicts, windows and levels on planted series of passes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "calibrate.h"

struct cell {
    char name[64];
    struct shape shape;
    struct variant variant;
};

/* What came of all draws of a cell. */
struct tally {
    size_t runs, verdict[N_VERDICTS];
    size_t shifts, close; /* close: of the shifts said to come after the window, those dated within 1 pass */
    size_t dated, edge; /* edge: of those, and of those before it, the ones where the window ends or begins there */
    size_t found, whole, silent;
    size_t wrong; /* steady at a level more than 3 % off the first planted one */
    size_t plain, covered, adjusted; /* windows without a planted change in them, and whose interval holds the level */
    double off, warmup, length; /* sums: reported level over planted - 1, passes cropped, passes of the window */
};

struct result {
    struct tally of[N_RULES];
};

/* ---- drawing ---- */

/* What the window claims: the planted level in its middle; on a slope, the mean over it. */
static double claimed(const struct shape *s, size_t lo, size_t hi) {
    size_t grain = s->grain ? s->grain : 1;
    double sum = 0;
    if (s->drift == 0) return shape_level(s, (lo + hi) / 2 * grain);
    for (size_t i = lo * grain; i < hi * grain; i++)
        sum += shape_level(s, i);
    return sum / (double)((hi - lo) * grain);
}

static bool within_a_pass(size_t a, size_t b) { return a <= b + 1 && b <= a + 1; }

static void count_shift(struct tally *t, const struct shape *s, const struct finding_of_run *f) {
    bool then = f->verdict == VERDICT_STEADY_THEN_SHIFT, after = f->verdict == VERDICT_STEADY_AFTER_SHIFT;
    size_t planted = s->step[0].at / (s->grain ? s->grain : 1);
    t->shifts += then || after;
    t->dated += then;
    t->close += then && within_a_pass(f->change, planted);
    t->edge += (then || after) && within_a_pass(then ? f->hi : f->lo, planted);
}

static void count_window(struct tally *t, const struct shape *s, const struct finding_of_run *f) {
    size_t grain = s->grain ? s->grain : 1;
    double truth = claimed(s, f->lo, f->hi);
    bool plain = true;
    for (size_t i = f->lo * grain; i < f->hi * grain; i++)
        plain = plain && shape_level(s, i) == truth;
    t->found++;
    t->whole += f->lo == f->first && f->hi == f->last;
    t->silent += f->silent;
    t->wrong += f->verdict == VERDICT_STEADY && fabs(f->level - shape_level(s, s->ramp)) > 0.03;
    t->off += f->level / truth - 1;
    t->length += (double)(f->hi - f->lo);
    t->plain += plain;
    t->covered += plain && f->ci[0] <= truth && truth <= f->ci[1];
    t->adjusted += plain && f->adjusted[0] <= truth && truth <= f->adjusted[1];
}

static const struct cell *cells_at_work;

/* Cells that plant the same draw the same series, whatever their variant. */
static uint64_t identity(const struct shape *s) {
    double v[] = {(double)s->n,          s->noise,        s->phi,   s->drift, s->step[0].delta,
                  (double)s->step[0].at, (double)s->ramp, s->span_s};
    uint64_t id = 0;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        id = id * 1000003 + (uint64_t)llround(1000 * v[i]);
    return id;
}

static void draw_cell(const struct scale *scale, size_t i, void *result) {
    const struct cell *c = &cells_at_work[i];
    struct result *r = result;
    for (size_t draw = 0; draw < scale->draws; draw++)
        for (int p = 0; p < N_RULES; p++) {
            struct chance chance = chance_of(scale->seed, identity(&c->shape), draw);
            struct tally *t = &r->of[p];
            struct passes s;
            shape_passes(&c->shape, &chance, &s);
            stage_warmcrop(&s, (enum rules)p, &c->variant);
            struct finding_of_run f = stage_plateau(&s, (enum rules)p, &c->variant);
            t->runs++;
            t->verdict[f.verdict]++;
            t->warmup += (double)f.first;
            count_shift(t, &c->shape, &f);
            if (f.found) count_window(t, &c->shape, &f);
            passes_free(&s);
        }
}

/* ---- tables ---- */

struct table {
    VEC(struct cell) cells;
};

static struct cell *add(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static struct cell *add(struct table *t, const char *format, ...) {
    struct cell c = {.shape = {.n = 40, .noise = .02, .phi = .3, .span_s = 60}};
    va_list arg;
    va_start(arg, format);
    vsnprintf(c.name, sizeof c.name, format, arg);
    va_end(arg);
    vec_push(&t->cells, c);
    return &t->cells.v[t->cells.n - 1];
}

enum shown {
    STEADY,
    LOCAL,
    SHIFT,
    NONE,
    SHORT,
    WHOLE,
    COVERED,
    ADJUSTED,
    CLOSE,
    EDGE,
    WRONG,
    SILENT,
    OFF,
    WARMUP,
    LENGTH
};
static const char *const shown_name[] = {"steady", "local", "shift", "none",   "short", "whole",  "ci",    "adj.ci",
                                         "change", "edge",  "wrong", "unsaid", "bias",  "warmup", "window"};

static double share(size_t k, size_t n) { return n ? 100 * (double)k / (double)n : NAN; }

static double value(const struct tally *t, enum shown c) {
    switch (c) {
    case STEADY: return share(t->verdict[VERDICT_STEADY], t->runs);
    case LOCAL: return share(t->verdict[VERDICT_LOCAL_PLATEAU], t->runs);
    case SHIFT: return share(t->shifts, t->runs);
    case NONE: return share(t->verdict[VERDICT_NO_STEADY_STATE], t->runs);
    case SHORT: return share(t->verdict[VERDICT_TOO_SHORT], t->runs);
    case WHOLE: return share(t->whole, t->runs);
    case COVERED: return share(t->covered, t->plain);
    case ADJUSTED: return share(t->adjusted, t->plain);
    case CLOSE: return share(t->close, t->dated);
    case EDGE: return share(t->edge, t->shifts);
    case WRONG: return share(t->wrong, t->runs);
    case SILENT: return share(t->silent, t->runs);
    case OFF: return 100 * t->off / (double)t->found;
    case WARMUP: return t->warmup / (double)t->runs;
    case LENGTH: return t->length / (double)t->found;
    }
    return NAN;
}

static void put(double v, enum shown c) {
    if (isnan(v))
        printf(" %6s", "-");
    else
        printf(c == OFF ? " %+6.2f" : " %6.1f", v);
}

/* Draw the cells, print them, robust then design, and empty the table. */
static void print(const struct scale *scale, struct table *t, const char *title, const enum shown *column, size_t n) {
    struct result *r = xcalloc(t->cells.n, sizeof *r);
    cells_at_work = t->cells.v;
    work(scale, t->cells.n, sizeof *r, r, draw_cell);
    printf("\n%s\n\n%-42s | %-*s | design\n%-42s", title, "", (int)(7 * n - 1), "robust", "");
    for (int p = 0; p < N_RULES; p++) {
        printf(" |");
        for (size_t c = 0; c < n; c++)
            printf("%*s", c ? 7 : 6, shown_name[column[c]]);
    }
    printf("\n");
    for (size_t i = 0; i < t->cells.n; i++) {
        printf("%-42s", t->cells.v[i].name);
        for (int p = 0; p < N_RULES; p++) {
            printf(" |");
            for (size_t c = 0; c < n; c++)
                put(value(&r[i].of[p], column[c]), column[c]);
        }
        printf("\n");
    }
    free(r);
    vec_free(&t->cells);
    t->cells.v = NULL;
    t->cells.n = 0;
}
#define PRINT(scale, table, title, ...)                                                                                \
    print(scale, table, title, (const enum shown[]){__VA_ARGS__},                                                      \
          sizeof(enum shown[]){__VA_ARGS__} / sizeof(enum shown))
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const double noises[] = {.01, .02, .03};

void stationary_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const double phi[] = {0, .3, .6, .8};
    static const size_t n[] = {20, 40, 80, 200};
    for (size_t j = 0; j < COUNT(noises); j++)
        for (size_t f = 0; f < COUNT(phi); f++)
            for (size_t i = 0; i < COUNT(n); i++) {
                struct shape *s = &add(t, "noise %g%% phi %g, %zu passes", 100 * noises[j], phi[f], n[i])->shape;
                s->n = n[i];
                s->noise = noises[j];
                s->phi = phi[f];
            }
    PRINT(scale, t, "2. Stationary runs: verdicts, window is all of the body, intervals of it hold the truth, %",
          STEADY, LOCAL, SHIFT, NONE, SHORT, WHOLE, COVERED, ADJUSTED);
}

void drifts_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const double drift[] = {.05, .1, .2, -.1, -.2};
    static const size_t n[] = {20, 40, 80, 200};
    for (size_t j = 0; j < 2; j++)
        for (size_t f = 0; f < COUNT(drift); f++)
            for (size_t i = 0; i < COUNT(n); i++) {
                struct shape *s =
                    &add(t, "drift %+g%% noise %g%%, %zu passes", 100 * drift[f], 100 * noises[j], n[i])->shape;
                s->n = n[i];
                s->noise = noises[j];
                s->drift = drift[f];
            }
    PRINT(scale, t, "3a. TPOT drifts along a line from the first pass to the last, phi .3: verdicts, %", STEADY, LOCAL,
          SHIFT, NONE, SHORT);
}

void steps_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const double delta[] = {.05, .1, .2, -.1};
    static const struct { size_t at, of; } place[] = {{10, 20}, {9, 40},  {20, 40}, {32, 40},
                                                      {16, 80}, {40, 80}, {64, 80}, {72, 80}};
    for (size_t j = 0; j < 2; j++)
        for (size_t f = 0; f < COUNT(delta); f++)
            for (size_t i = 0; i < COUNT(place); i++) {
                struct shape *s = &add(t, "%+g%% from pass %zu of %zu, noise %g%%", 100 * delta[f], place[i].at,
                                       place[i].of, 100 * noises[j])
                                       ->shape;
                s->n = place[i].of;
                s->noise = noises[j];
                s->step[0].delta = delta[f];
                s->step[0].at = place[i].at;
            }
    for (size_t j = 0; j < 2; j++) {
        struct shape *s = &add(t, "+30%% in the last 2 of 40, noise %g%%", 100 * noises[j])->shape;
        s->noise = noises[j];
        s->step[0].delta = .3;
        s->step[0].at = 38;
    }
    PRINT(scale, t,
          "3b. One step, phi .3: verdicts, %; of the shifts, change_pass and edge of the window within a pass, %;\n"
          "    steady at another level than the first, %; bias of the reported level, %",
          STEADY, LOCAL, SHIFT, NONE, CLOSE, EDGE, WRONG, OFF);
}

void excursions_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const double delta[] = {.1, .3};
    static const size_t length[] = {1, 2, 4, 6, 8, 12, 16, 20};
    for (size_t f = 0; f < COUNT(delta); f++)
        for (size_t i = 0; i < COUNT(length); i++) {
            struct shape *s = &add(t, "%+g%% for %zu passes", 100 * delta[f], length[i])->shape;
            s->n = 80;
            s->step[0].delta = delta[f];
            s->step[0].at = 30;
            s->step[0].until = 30 + length[i];
        }
    PRINT(scale, t,
          "4a. An excursion from pass 30 of 80 on, noise 2%, phi .3: verdicts, bridged by the window, unsaid by the\n"
          "    verdict, %; passes of the window; bias of the level, %",
          STEADY, LOCAL, SHIFT, NONE, WHOLE, SILENT, LENGTH, OFF);
}

/* Every ingredient of the robust rules left out in turn, and all of them. */
void ingredients_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const struct {
        const char *name;
        struct variant variant;
    } without[] = {{"all", {0}},
                   {"first pass as warm-up, no crop", {.no_crop = true}},
                   {"no plateau ends the crop", {.no_settled = true}},
                   {"no step test", {.no_step = true}},
                   {"no cut of the right edge", {.no_right_edge = true}},
                   {"no likelihood", {.no_likelihood = true}},
                   {"patience 1", {.patience = 1}},
                   {"patience 6", {.patience = 6}}};
    static const struct {
        const char *name;
        struct shape shape;
    } run[] = {{"steady", {.n = 60, .noise = .02, .phi = .3, .span_s = 60}},
               {"ramp 6", {.n = 60, .noise = .02, .phi = .3, .span_s = 60, .ramp = 6}},
               {"+10% at 12", {.n = 60, .noise = .02, .phi = .3, .span_s = 60, .step = {{.1, 12, 0}}}},
               {"+10% at 30", {.n = 60, .noise = .02, .phi = .3, .span_s = 60, .step = {{.1, 30, 0}}}},
               {"-10% at 30", {.n = 60, .noise = .02, .phi = .3, .span_s = 60, .step = {{-.1, 30, 0}}}},
               {"+10% at 50", {.n = 60, .noise = .02, .phi = .3, .span_s = 60, .step = {{.1, 50, 0}}}}};
    for (size_t r = 0; r < COUNT(run); r++)
        for (size_t w = 0; w < COUNT(without); w++) {
            struct cell *c = add(t, "%-10s %s", run[r].name, without[w].name);
            c->shape = run[r].shape;
            c->variant = without[w].variant;
        }
    PRINT(scale, t,
          "5a. Rules left out, 60 passes, noise 2%, phi .3: verdicts, window ends (begins) at the step, %; passes\n"
          "    cropped; bias of the level, %",
          STEADY, LOCAL, SHIFT, EDGE, WRONG, WARMUP, OFF);
}

void grains_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const size_t grain[] = {1, 2, 4, 6, 12};
    static const struct {
        const char *name;
        double drift;
        double delta;
        size_t at;
    } run[] = {{"steady", 0, 0, 0},          {"drift +10%", .1, 0, 0},    {"drift +20%", .2, 0, 0},
               {"+10% at half", 0, .1, 120}, {"+10% at 80%", 0, .1, 192}, {"+30% in the last 2%", 0, .3, 235}};
    for (size_t r = 0; r < COUNT(run); r++)
        for (size_t i = 0; i < COUNT(grain); i++) {
            struct shape *s = &add(t, "%s, k = %zu", run[r].name, grain[i])->shape;
            *s = (struct shape){.n = 240, .grain = grain[i], .noise = .04, .phi = .3, .span_s = 20};
            s->drift = run[r].drift;
            s->step[0].delta = run[r].delta;
            s->step[0].at = run[r].at;
        }
    PRINT(scale, t,
          "7a. Dataset passes per super-pass: 240 dataset passes of 20 s, noise 4% of each, phi .3: verdicts, window "
          "all\n"
          "    of the body, ci_adjusted holds the truth, steady at another level, %; bias, %",
          STEADY, LOCAL, SHIFT, NONE, WHOLE, ADJUSTED, WRONG, OFF);
}

void bands_print(const struct scale *scale) {
    struct table table = {0}, *t = &table;
    static const double band[] = {.02, .03, .05, .08, .1};
    static const size_t ramp[] = {0, 6, 12};
    for (size_t j = 0; j < 2; j++)
        for (size_t r = 0; r < COUNT(ramp); r++) {
            for (size_t b = 0; b <= COUNT(band); b++) {
                bool crop = b < COUNT(band);
                struct cell *c =
                    crop ? add(t, "ramp %zu, noise %g%%, band %g%%", ramp[r], 100 * noises[j], 100 * band[b])
                         : add(t, "ramp %zu, noise %g%%, first pass only", ramp[r], 100 * noises[j]);
                c->variant = crop ? (struct variant){.band = band[b]} : (struct variant){.no_crop = true};
                c->shape = (struct shape){.n = 60, .noise = noises[j], .phi = .3, .span_s = 60, .ramp = ramp[r]};
            }
        }
    PRINT(scale, t,
          "7b. Warm-up band, and the first pass as warm-up by construction: 60 passes, of which a ramp from 70%, phi "
          ".3:\n"
          "    passes cropped; verdicts, %; bias of the level, %",
          WARMUP, STEADY, LOCAL, SHIFT, NONE, OFF);
}
