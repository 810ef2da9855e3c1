/* steadydoc: the steady report, kind "steady".  Layer 9.
 *
 * Reads a finished struct steady and keeps nothing of it.  Paths and units: steadytools-report(5). */
#ifndef STEADYDOC_H
#define STEADYDOC_H

#include "doc.h"
#include "steady.h"

/* pg: provenance of this run of plateau, reference taken.  A new reference. */
json_t *steadydoc(const struct steady *s, json_t *pg);

#endif
