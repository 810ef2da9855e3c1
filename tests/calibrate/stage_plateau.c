/* stage_plateau: the steps of bin/plateau.c, which is taken in whole. */
#include "calibrate.h"

int plateau_main(int argc, char **argv);
#define main plateau_main
#include "../../bin/plateau.c"
#undef main

static struct steady_options varied(enum rules r, const struct variant *v) {
    struct options o = {.trend = -1,
                        .rel_drift = 0.05,
                        .alpha = 0.05,
                        .floor_s = 600,
                        .profile = r == DESIGN_RULES ? DESIGN : ROBUST,
                        .patience = (int64_t)v->patience,
                        .no_step = v->no_step,
                        .no_right_edge = v->no_right_edge,
                        .no_likelihood = v->no_likelihood};
    return rules_of(&o);
}

/* Bounds of a TPOT from those of its inverse, which is what the report gives. */
static void invert(double out[2], struct interval i) {
    out[0] = 1e9 / i.hi / shape_tpot_ns;
    out[1] = 1e9 / i.lo / shape_tpot_ns;
}

static bool unsaid(const struct steady *s) {
    if (!steady_found(s) || s->judgement.verdict != VERDICT_STEADY) return false;
    for (size_t i = 0; i < s->n_plateaus; i++)
        if (shift_differs(s->plateau[i].level, s->plateau[s->reported].level)) return true;
    return false;
}

struct finding_of_run stage_plateau(struct passes *passes, enum rules r, const struct variant *v) {
    struct steady_options rules = varied(r, v);
    struct look *l = look_at(&rules, passes);
    struct steady *s = &l->s;
    measure(s, &l->search, l->work);

    size_t first = s->n ? (size_t)s->body[0]->pass : 0;
    struct finding_of_run f = {.verdict = s->judgement.verdict,
                               .found = steady_found(s),
                               .first = first,
                               .last = first + s->n,
                               .lo = first + s->lo,
                               .hi = first + s->hi,
                               .change = first + (s->shift.found ? s->shift.change : s->end.first),
                               .silent = unsaid(s),
                               .level = 1e9 / s->measure.per_user.value / shape_tpot_ns};
    invert(f.ci, s->measure.per_user.ci);
    invert(f.adjusted, s->measure.per_user.adjusted);
    look_free(l);
    return f;
}
