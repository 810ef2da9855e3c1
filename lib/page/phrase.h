/* phrase: what the codes of a report mean, in sentences.  Layer 4. */
#ifndef PHRASE_H
#define PHRASE_H

#include <stdbool.h>

#include "doc.h"
#include "page.h"

struct phrase_verdict {
    const char *code, *title, *meaning; /* meaning NULL: a code that is not known */
    enum tone tone;
    bool certified; /* the window's figures are a result */
    bool yes; /* -e: status 0 */
};

/* Of a steady report, and of a goodput report.  A code that is not known speaks for itself; NULL = no verdict. */
struct phrase_verdict phrase_verdict(struct page *p, const char *code);
struct phrase_verdict phrase_goodput_verdict(struct page *p, const char *code);

bool phrase_certified(const char *verdict); /* of a steady report */

/* An element of reasons[] or warnings[]: an object {code, metric, value, bound, …}, a bare code, or a sentence. */
const char *phrase_reason(struct page *p, const json_t *reason);

/* "tpot_p50" -> "TPOT p50"; anything else as it is, made safe. */
const char *phrase_metric(struct page *p, const char *metric);

/* Why there is no cluster interval; what was odd about the crop; why the tail was kept.  A flag that is not known speaks for
 * itself. */
const char *phrase_no_clusters(const char *flag);
const char *phrase_warmup(const char *flag);
const char *phrase_tail(const char *flag);

/* A state of a trend: "flat", "rising", "falling", "too few". */
const char *phrase_state(const char *state);

#endif
