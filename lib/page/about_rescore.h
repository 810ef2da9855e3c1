/* about_rescore: what a goodput report says beside its own contract: acceptance at other targets and other scores, and the
 * wait in the client.  Layer 5. */
#ifndef ABOUT_RESCORE_H
#define ABOUT_RESCORE_H

#include "doc.h"
#include "page.h"

/* Sections for what the report has of them; none otherwise. */
void about_rescore(struct page *p, const json_t *report);

#endif
