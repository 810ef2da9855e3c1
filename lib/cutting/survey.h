/* survey: what kind of run is this?  Layer 4.
 *
 * Looks at the requests of one run in order of issue: its span, how many were in flight, whether clients held a cap,
 * sent everything at once, let arrivals come freely or held conversations, and how large a dataset it repeats.  Stamps
 * are ns, INT_NONE where unknown.  A struct survey owns its memory; the requests stay the caller's. */
#ifndef SURVEY_H
#define SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "doc.h"
#include "occupancy.h"
#include "request.h"

enum mode { MODE_AUTO, MODE_CONCURRENCY, MODE_POISSON, MODE_OFFLINE, MODE_AGENTIC, MODE_NONE };
extern const char *const mode_name[]; /* NULL for MODE_NONE: there is no request to judge by */

/* Fingerprints by request.at, 0 = missing; an empty array where nobody asks. */
struct survey_marks {
    VEC(uint64_t) prompt, conversation;
};
#define LATER_TURN UINT64_MAX /* in place of a conversation: a turn that cannot be its first */
void survey_marks_free(struct survey_marks *m);

struct survey {
    struct occupancy occupancy;
    VEC(int64_t) in_flight; /* just after each issue */
    bool times; /* requests have stamps */
    bool later_turns; /* a conversation came back */
    int64_t first_issue_ns, last_issue_ns, last_event_ns, wall_ns; /* wall: first issue to last event */
    int64_t n, early; /* requests, and those issued in the first 1 % of the wall span */
};

/* Either all at once, or one by one (watch returns the count in flight) and then the end. */
void survey_init(struct survey *s);
int64_t survey_watch(struct survey *s, const struct request *r);
void survey_end(struct survey *s, const struct requests *r);
/* What a run looks like that may still go on: s is only looked at, and owns what the result points to. */
struct survey survey_so_far(const struct survey *s, const struct requests *r, const struct survey_marks *marks);
void survey_all(struct survey *s, const struct requests *r, const struct survey_marks *marks);
void survey_free(struct survey *s);

/* Agentic: a conversation that came back.  Offline: 99 % of the issues within 1 % of the wall span.  Concurrency: a cap
 * that holds (occupancy_cap).  Else poisson. */
enum mode survey_mode(const struct survey *s);
/* The cap: the most that were in flight after the run's first end, or at all where nothing was issued after it;
 * INT_NONE without stamps. */
int64_t survey_concurrency(const struct survey *s);
/* A dataset is seen to repeat. */
bool survey_repeats(const struct requests *r, const struct survey_marks *marks);
/* Size of the dataset the run repeats, INT_NONE if none is seen; warns where the run goes on with other prompts. */
int64_t survey_dataset(const struct requests *r, const struct survey_marks *marks);
/* Warns where the run is seen to repeat a dataset, in every pass over it, of which size is no multiple. */
void survey_doubt_dataset(const struct requests *r, const struct survey_marks *marks, int64_t size);
/* Open-loop load that piles up (occupancy_backlog). */
bool survey_backlog(const struct survey *s, const struct requests *r);

/* What the mode is judged by: `from` (option or detected), `later_turns`, `early_share`, and over the issues after the
 * first end: `issues`, `max_in_flight`, and `at_max`, how many stand at that maximum; where the cap is
 * below it, `cap` and `at_cap`.  A new reference. */
json_t *survey_evidence(const struct survey *s, bool told);
/* The fill set is known: requests are in order of issue, and one was issued after the run's first end. */
bool survey_filled(const struct survey *s);
/* Set fill and in_flight_at_first_done; and besides them n_issued, first_issue_ns, last_issue_ns, last_event_ns, and
 * no_times where so. */
void survey_state_fill(json_t *facts, const struct survey *s);
void survey_state(json_t *facts, const struct survey *s);

#endif
