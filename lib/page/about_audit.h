/* about_audit: what a reader needs to check a result: what was published, where it came from, and whether the accounts close.
 * Layer 7. */
#ifndef ABOUT_AUDIT_H
#define ABOUT_AUDIT_H

#include "page.h"
#include "runs.h"

/* Every item that has to be published, as the manifest (NULL = none was given) states it and as the reports of the run show
 * it, or that it is missing; then the accounts.  run NULL: the manifest alone, for many runs. */
void about_audit(struct page *p, const struct run *run, const json_t *manifest);

#endif
