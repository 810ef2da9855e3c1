/* about: what is worth saying about a run, or about many, as a page.  Layer 9.
 *
 * Headline first: the verdict in words, what the system sustains and how much of it is useful; then whatever limits that
 * (reasons, anomalies, warnings); then the course of the run, the window, the whole run beside it, the accounts. */
#ifndef ABOUT_H
#define ABOUT_H

#include "page.h"
#include "runs.h"

/* Fill p, which the caller initialised to zero and frees. */
void about_run(struct page *p, const struct run *run);
void about_runs(struct page *p, const struct runs *runs);

/* Is every verdict of the run a yes (-e)?  A run that could not be read is none. */
bool about_yes(const struct run *run);

#endif
