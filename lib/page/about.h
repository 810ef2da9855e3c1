/* about: what is worth saying about a run, as a page.  Layer 9.
 *
 * Headline first: the verdict in words, what the system sustains and how much of it is useful; then whatever limits that
 * (reasons, anomalies, warnings); then the course of the run, the window, the whole run beside it, the accounts. */
#ifndef ABOUT_H
#define ABOUT_H

#include "page.h"
#include "runs.h"

/* What a page has beyond the run itself. */
struct about {
    bool audit, glossary;
    const json_t *manifest; /* for the audit; NULL = none was given */
};

/* Fill p, which the caller initialised to zero and frees. */
void about_run(struct page *p, const struct run *run, const struct about *with);

/* Is every verdict of the run a yes (-e)?  A run that could not be read is none. */
bool about_yes(const struct run *run);

/* A reason of a steady report in words, with the pass at which a shift began. */
const char *about_reason(struct page *p, const json_t *steady, const json_t *reason);

#endif
