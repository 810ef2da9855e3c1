/* stage_warmcrop: the steps of bin/warmcrop.c, which is taken in whole. */
#include "calibrate.h"

int warmcrop_main(int argc, char **argv);
#define main warmcrop_main
#include "../../bin/warmcrop.c"
#undef main

void stage_warmcrop(struct passes *s, enum rules r, const struct variant *v) {
    struct options o = {.band = v->band > 0 ? v->band : 0.05, .max_frac = 0.5, .count = v->no_crop ? 1 : -1};
    o.profile = r == DESIGN_RULES || v->no_settled ? DESIGN : ROBUST;
    o.min_count = r == ROBUST_RULES; /* where the robust crop is switched off, its first pass is not */
    struct crop c = series_of(s, &o);
    crop_run(&c, s, &o);
    mark(&c);
    json_object_set_new(s->run, "warmup", facts(&c, &o));
    free(c.full);
    free(c.v);
}
