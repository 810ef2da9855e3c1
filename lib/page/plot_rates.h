/* plot_rates: offered, answered and useful requests over the time of a run.  Layer 5. */
#ifndef PLOT_RATES_H
#define PLOT_RATES_H

#include "doc.h"
#include "page.h"

/* NULL where the goodput report has no series.  The caller owns the plot, the page its texts. */
struct plot *plot_rates(struct page *p, const json_t *goodput);

#endif
