/* plot_series: the course of a run, pass by pass.  Layer 5. */
#ifndef PLOT_SERIES_H
#define PLOT_SERIES_H

#include "doc.h"
#include "page.h"

/* TPOT, TTFT and throughput of every pass over warm-up, window, tail and later level; NULL where the report has no passes.
 * The caller owns the plot, the page its texts. */
struct plot *plot_series(struct page *p, const json_t *steady);

/* The gate metric alone, small, under the run's name: one of many.  id: unique within the page. */
struct plot *plot_series_small(struct page *p, const json_t *steady, const char *name, const char *id);

#endif
