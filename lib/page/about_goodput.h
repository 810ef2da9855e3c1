/* about_goodput: the sections of a goodput report: load, dispositions, latencies, lengths, cohort, segments.  Layer 6. */
#ifndef ABOUT_GOODPUT_H
#define ABOUT_GOODPUT_H

#include "doc.h"
#include "page.h"

void about_goodput(struct page *p, const json_t *report);

#endif
