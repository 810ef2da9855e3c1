/* classify: from an error's type and message to an outcome.  Layer 7.
 *
 * The rule, first that applies:
 *   1. A status code, 400 to 599: the code the harness recorded, else three digits by themselves that are the whole
 *      type or message, or stand at its start, or follow HTTP, HTTP/x.y, status, code or error (any case) with at most
 *      three characters between.  The type is searched before the message.
 *      429 503 529 -> rejected, 499 -> cancelled, 408 -> timeout, others -> error.
 *   2. Words in the type, then in the first 200 bytes of the message, in any case and with spaces, _ and - removed:
 *      cancel, clientabort -> cancelled; timeout, timedout, deadlineexceeded -> timeout; ratelimit, toomanyrequests,
 *      overload, serviceunavailable, queuefull, queueisfull -> rejected.
 *   3. error.
 * lib/adapters/classify.jq says the same in jq and is the pattern for a user's own.
 *
 * A struct classify owns its program; views given to it are only read. */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include "ledger.h"

struct classify;

/* NULL = the rule above, else a jq program: input {"type":…,"message":…,"code":N|null}, output the name of an outcome.
 * Dies on a file that cannot be read or does not compile. */
struct classify *classify_new(const char *jq_file);
void classify_free(struct classify *c);

/* Type and message are UTF-8, empty where missing; code is the number in a field `code` or `status`, else INT_NONE.
 * Never OUT_COMPLETED.  A jq program that fails or answers anything else dies, naming the program. */
enum outcome classify_error(struct classify *c, struct view type, struct view message, int64_t code);

/* What may be shown of an error type: its printable ASCII without spaces, cut to CLASSIFY_TYPE_MAX bytes.  Returns the
 * bytes written to dst. */
#define CLASSIFY_TYPE_MAX 80
size_t classify_type_name(char dst[CLASSIFY_TYPE_MAX], struct view type);

#endif
