/* about_compare: two runs side by side: what may be compared, what may not and why, and how far apart they are.  Layer 7. */
#ifndef ABOUT_COMPARE_H
#define ABOUT_COMPARE_H

#include "page.h"
#include "runs.h"

/* Fill p, which the caller initialised to zero and frees.  Differences are b less a. */
void about_compare(struct page *p, const struct run *a, const struct run *b);

#endif
