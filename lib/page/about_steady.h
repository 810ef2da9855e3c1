/* about_steady: the sections of a steady report: course, window, whole run, plateaus, trends, warm-up and tail.  Layer 6. */
#ifndef ABOUT_STEADY_H
#define ABOUT_STEADY_H

#include "doc.h"
#include "page.h"

void about_steady(struct page *p, const json_t *report);

#endif
