/* about_sweep: many runs as one page: a line each, what load does to them, and every run in small.  Layer 10. */
#ifndef ABOUT_SWEEP_H
#define ABOUT_SWEEP_H

#include "about.h"

/* Fill p, which the caller initialised to zero and frees.  Runs stand in the order given. */
void about_sweep(struct page *p, const struct runs *runs, const struct about *with);

#endif
