/* about_other: a report that is of no single run: capacity, binomial, or a kind this version does not know.  Layer 8. */
#ifndef ABOUT_OTHER_H
#define ABOUT_OTHER_H

#include "doc.h"
#include "page.h"

/* The whole page but its name, which the caller has set. */
void about_other(struct page *p, const json_t *report);

#endif
