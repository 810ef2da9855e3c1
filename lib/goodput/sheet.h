/* sheet: a list in a report, as a plain table.  Layer 5.
 *
 * Owns nothing. */
#ifndef SHEET_H
#define SHEET_H

#include "stream.h"

/* Write the array at a path, such as "series" or "quality.thresholds": a row per element, a column per key of its
 * scalars.  Objects within give columns such as "rates.goodput_rps", lists are comma-joined, lists of objects are left
 * out.  TSV with a header row, or NDJSON.  False when there is no such list. */
bool sheet_write(const json_t *report, const char *path, enum spelling spelling);

#endif
