/* plot_frontier: throughput against interactivity over many runs.  Layer 7. */
#ifndef PLOT_FRONTIER_H
#define PLOT_FRONTIER_H

#include "page.h"
#include "runs.h"

/* System TPS over TPS per user of the certified runs, and the runs that no other beats in both; NULL with fewer than two.
 * The caller owns the plot, the page its texts. */
struct plot *plot_frontier(struct page *p, const struct runs *runs);

#endif
