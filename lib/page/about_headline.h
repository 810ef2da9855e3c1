/* about_headline: the verdict, and what the system sustains and is good for, in ten lines.  Layer 7. */
#ifndef ABOUT_HEADLINE_H
#define ABOUT_HEADLINE_H

#include "page.h"
#include "runs.h"

/* Sets headline, tone and lead of the page, and begins it with the main figures.  Figures that are not certified stand under
 * a title that says so. */
void about_headline(struct page *p, const struct run *run);

#endif
