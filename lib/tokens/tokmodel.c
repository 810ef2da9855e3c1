#include "tokmodel.h"

#include <stdlib.h>

struct tokmodel *tokmodel_new(void) {
    struct tokmodel *m = xcalloc(1, sizeof *m);
    m->classes = uclass_new();
    m->split.classes = m->classes;
    return m;
}

void tokmodel_free(struct tokmodel *m) {
    if (!m) return;
    uclass_free(m->classes);
    added_free(&m->as_written);
    added_free(&m->normalized);
    presplit_free(&m->split);
    bpe_free(&m->bpe);
    free(m);
}
