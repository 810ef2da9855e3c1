/* report: one document per run, as an NDJSON object or as path<TAB>value lines.  Layer 5.
 *
 * Paths and units are listed in steadytools-report(5).  Documents follow jansson's reference rules. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>

#include "doc.h"
#include "stream.h"

/* Write to stdout: SPELL_TSV as path<TAB>value lines, otherwise one object on a line. */
void report_write(const json_t *report, enum spelling spelling);

/* Every report of a file, in either spelling ("-" or NULL = stdin).  Text that is no report dies with file and line, unless
 * why is given: then NULL and the reason.  kind NULL = any; otherwise reports of another kind die or fail likewise.
 * A new array. */
json_t *report_read(const char *path, const char *kind, char why[160]);

#endif
