/* contract: what a request has to do to count, and the names of what can become of it.  Layer 4.
 *
 * A contract is read from a JSON file, or from the short form of latency targets; its fields are listed in
 * steadytools-contract(5).  An unknown key, a wrong type or a value out of range ends the program with status 2 and the path
 * of the key.  A struct contract owns everything it points at. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc.h"

/* Latencies a contract can bound. */
enum target { TARGET_TTFT, TARGET_TPOT, TARGET_GAP, TARGET_E2E, N_TARGETS };
extern const char *const target_name[N_TARGETS];

/* One per offered request, in the order reports list them. */
enum disposition {
    DISP_ACCEPTED,
    DISP_QUALITY_FAILURE,
    DISP_LATENCY_FAILURE,
    DISP_SERVER_FAILURE,
    DISP_REJECTED,
    DISP_CLIENT_TIMEOUT,
    DISP_CANCELLED,
    DISP_UNFINISHED,
    N_DISPOSITIONS
};
extern const char *const disposition_name[N_DISPOSITIONS];

/* Why a completed request was not accepted: any number of them.  The first four are the targets, and so are the last four,
 * where the value was not observed: "unobserved:ttft". */
enum miss {
    MISS_QUALITY = N_TARGETS,
    MISS_EMPTY,
    MISS_UNJUDGED,
    MISS_MODEL,
    MISS_UNOBSERVED,
    N_MISSES = MISS_UNOBSERVED + N_TARGETS
};
extern const char *const miss_name[N_MISSES];
#define MISS_BIT(m) (1U << (m))
#define MISSES_OF_LATENCY (0xfU | 0xfU << MISS_UNOBSERVED)

/* What is known of the quality of one reply. */
enum judged { JUDGED_NOT, JUDGED_PASS, JUDGED_FAIL };

/* An upper bound of num/den ns, exact, so that "at most 50.1 ms" is decided in integers.  den = 0: no bound. */
struct limit {
    __int128 num;
    int64_t den; /* a power of ten <= 10^12 */
};

/* span <= limit, and span / tail <= limit as span <= limit * tail; the spans are not negative, tail > 0. */
bool limit_meets(const struct limit *l, int64_t span_ns, int64_t tail);
double limit_ns(const struct limit *l); /* NAN when there is no bound */

/* The bound of a number of ms, by the digits it is written with; NULL, or why it is none. */
const char *limit_set(struct limit *l, double ms);

/* "ttft", "tpot", "gap", "e2e" or "e2el"; -1 for anything else. */
int target_find(const char *s, size_t n);

/* At least num/den of the offered requests within the limit. */
struct percentile_limit {
    enum target metric;
    char name[16]; /* "p99.9" */
    unsigned num, den;
    struct limit limit;
};

enum contract_origin {
    ORIGIN_LEDGER,
    ORIGIN_INTENDED,
    ORIGIN_ISSUED
}; /* where latencies run from; LEDGER = not stated */

struct contract {
    const char *model, *schema; /* NULL = any */
    struct limit latency[N_TARGETS];
    bool quality; /* replies must pass a rule */
    const char *rule; /* jq, over ledger row and verdict row */
    const char *evaluator_name, *evaluator_version; /* NULL = not stated */
    struct percentile_limit *percentile;
    size_t n_percentiles;
    double acceptance_min, quality_floor; /* NAN = none */
    int64_t need, of; /* repeats; 1 of 1 when not stated */
    bool not_applicable_fails, zero_tokens_pass, first_answer, latency_first;
    enum contract_origin origin;
    json_t *document; /* the contract as it stands in reports, defaults filled in */
    char *evaluator;
};

void contract_read(struct contract *c, const char *path);
/* "ttft:800,tpot:50,gap:200,e2e:30000", in ms; with the default quality rule if wanted. */
void contract_parse(struct contract *c, const char *targets, bool quality);
/* The same of a contract that stands in a report; name is for messages. */
void contract_load(struct contract *c, const char *name, const json_t *document);
void contract_free(struct contract *c);

/* Whether the contract bounds a latency, of each request or of the run. */
bool contract_asks(const struct contract *c, enum target t);

/* Whether there is a floor or a percentile, that is, something a whole run can fail. */
bool contract_has_criteria(const struct contract *c);

#endif
