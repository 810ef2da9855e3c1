/* loads: runs at many offered loads, read from goodput reports.  Layer 6.
 *
 * A struct loads owns the reports it points at and the names of files found in directories. */
#ifndef LOADS_H
#define LOADS_H

#include <stdbool.h>

#include "buf.h"
#include "doc.h"

struct load {
    const char *file;
    json_t *report;
    double target_rps, offered_rps; /* target: NAN = none */
    int64_t start_ns;
    size_t given; /* its place among the reports */
    bool passes;
};

struct loads {
    VEC(struct load) run;
    json_t *kept;
    struct arena names;
};

/* Every run of the files, NULL-terminated: a report with segments by run is the runs in it; a directory is its goodput
 * reports among *.json, *.ndjson and *.tsv, by name.  Dies, naming the file, on a report that offers an unknown number
 * of requests or an unknown rate, or whose contract has nothing to fail, and where there is no run at all. */
void loads_read(struct loads *l, char **files);
void loads_free(struct loads *l);

#endif
