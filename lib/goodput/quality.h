/* quality: verdicts on replies, given after the run.  Layer 6.
 *
 * A table with a row per request, keyed by `request`: `pass`, `score` and whatever the contract's rule asks for.  The rule
 * is a jq program over the ledger row with the verdict row laid over it.  It reaches the program as it stands in NDJSON;
 * in TSV, `pass` is true or false, and another cell that is a JSON number, true or false is that, else a string.  Integers
 * of more than 15 digits reach it as strings (see jqmap).  A struct quality owns everything of it. */
#ifndef QUALITY_H
#define QUALITY_H

#include "contract.h"
#include "table.h"

struct quality;

/* Read all verdicts.  Of several on one request the first counts.  Dies on a file without `request`, and when neither the
 * contract nor columns `evaluator` and `evaluator_version` (the same in every row) say who judged. */
struct quality *quality_open(const char *path, const struct contract *c);

/* Does the contract's rule compile?  Dies naming quality.rule if not. */
void quality_check_rule(const struct contract *c);

/* The verdict on the current row of a ledger, and its score (NAN = none).  No row, and a rule that yields null or nothing,
 * is JUDGED_NOT; a rule that fails, or yields anything but true, false, 1, 0, "pass" or "fail", dies. */
enum judged quality_judge(struct quality *q, const struct table_in *ledger, struct view request, double *score);

/* {"name":…,"version":…} of who judged; borrowed. */
json_t *quality_evaluator(const struct quality *q);

/* {"evaluator":{"name":…,"version":…},"verdicts":…,"foreign":…,"duplicate":…}: ids no ledger row had, rows that came again.
 * New reference. */
json_t *quality_json(const struct quality *q);
void quality_close(struct quality *q);

/* "pass" or "fail" of the ledger's own column. */
enum judged quality_of_ledger(struct view quality);

#endif
