/* pick: values of a report by their paths, as a page wants them.  Layer 4. */
#ifndef PICK_H
#define PICK_H

#include "doc.h"
#include "page.h"

/* The number at a path that is printed like printf; NAN where absent, or where report is NULL. */
double pick_real(const json_t *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Foreign text there, made safe; NULL where absent. */
const char *pick_text(struct page *p, const json_t *report, const char *path);

/* Both ends of an interval [lo, hi]; false where one is missing, which is then NAN. */
bool pick_pair(const json_t *interval, double end[2]);

/* Of a distribution {mean_ns, p50_ns, p90_ns, p99_ns}: "19.99 ms", and "p50 19.94   p90 20.23   p99 22.67 ms".  NULL: none
 * measured. */
struct pick_spread {
    const char *mean, *percentiles;
};
struct pick_spread pick_spread(struct page *p, const json_t *distribution);

#endif
