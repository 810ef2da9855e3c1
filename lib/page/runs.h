/* runs: report files gathered into runs.  Layer 6.
 *
 * A run is what one row or one page is about: a steady and a goodput report of the same run, a report of another kind, or
 * a file that could not be read.  struct runs owns everything in it. */
#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc.h"

struct run {
    const char *name; /* run.name or run.id of its reports, else from the file name; foreign text */
    const char *key; /* what its reports have in common: the name they give, else the path less its endings */
    const char *file; /* the first file */
    json_t *steady, *goodput; /* NULL: not given */
    json_t *other; /* a report of another kind, alone */
    const char *unreadable; /* why nothing could be read, else NULL */
    double offered_rps; /* NAN: not known */
    int64_t concurrency; /* of a closed loop; INT_NONE: not known */
};

struct runs {
    VEC(struct run) list;
    size_t readable;
    struct arena text;
};

/* Read every report of the files ("-" = stdin), NULL-terminated.  One steady and one goodput report, and nothing else, are
 * one run; otherwise reports belong together when run.name, run.id or, without those, the path of the file less its endings
 * (.json, .steady, -goodput, …) agree; a file named for its kind alone goes by its directory.  In order of appearance.
 * A file that cannot be read becomes a run that says why; nothing dies. */
void runs_read(struct runs *r, char *const *files);
/* Sort by load, lightest first: by concurrency where every run with a load has one, else by offered rate.  Runs without a
 * load, and files that could not be read, follow in their order. */
void runs_by_load(struct runs *r);
void runs_free(struct runs *r);

#endif
