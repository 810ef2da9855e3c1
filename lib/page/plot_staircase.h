/* plot_staircase: useful against offered load, level by level, up to the knee.  Layer 7. */
#ifndef PLOT_STAIRCASE_H
#define PLOT_STAIRCASE_H

#include "page.h"
#include "runs.h"

/* Of a capacity report, and of many runs with goodput reports (NULL unless at least two loads differ).  The caller owns the
 * plot, the page its texts. */
struct plot *plot_staircase_levels(struct page *p, const json_t *capacity);
struct plot *plot_staircase_runs(struct page *p, const struct runs *runs);

#endif
