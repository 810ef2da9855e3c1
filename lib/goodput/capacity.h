/* capacity: the highest load that passes, from goodput reports at many loads.  Layer 7.
 *
 * Owns nothing; documents follow jansson's reference rules. */
#ifndef CAPACITY_H
#define CAPACITY_H

#include "report.h"

/* Read every report of the files and rate the system: the document of kind "capacity", listed in steadytools-report(5).
 * A directory is its *.json, *.ndjson and *.tsv files that are goodput reports; a report with segments by run is its runs.
 * margin: share of the rating kept in reserve, 0 <= margin < 1.  demand_rps: NAN, or a demand to serve by replicas of the
 * derated capacity.  Dies, naming the report and what differs, on reports that do not count the same thing, whose arrival
 * spans differ by more than 2 %, that offer an unknown number of requests, or whose contract has nothing to fail. */
json_t *capacity_rate(char **files, double margin, double demand_rps);

#endif
