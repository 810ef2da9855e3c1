/* plot_histogram: how the latencies of a window are spread.  Layer 5. */
#ifndef PLOT_HISTOGRAM_H
#define PLOT_HISTOGRAM_H

#include "doc.h"
#include "page.h"

/* metric: "tpot" or "ttft" of a steady report's window, or of its best effort; target_ms: a line there, NAN = none.  NULL
 * where there is no histogram.  The caller owns the plot, the page its texts. */
struct plot *plot_histogram(struct page *p, const json_t *steady, const char *metric, double target_ms);

#endif
