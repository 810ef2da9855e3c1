/* turns: events on their way into order of stamp.  Layer 9.
 *
 * At equal stamps a complete comes before an error, both before an issue (they are of the attempt before), an issue before
 * its deliveries, and tracking last; else the order in which they were added holds.
 *
 * What an event told goes with it: whoever takes the event owns it. */
#ifndef TURNS_H
#define TURNS_H

#include "told.h"

struct turn {
    int64_t stamp;
    enum event_kind kind; /* EV_ISSUED … EV_ERROR, EV_TRACK or EV_UNTRACK */
    uint32_t request;
    struct told *told; /* may be NULL */
    uint64_t rank; /* among equal stamps; set by turn_rank */
};

/* The rank of event number n. */
void turn_rank(struct turn *t, uint64_t n);
bool turn_before(const struct turn *a, const struct turn *b);

/* A heap; all zeros is an empty one. */
struct turns {
    VEC(struct turn) v; /* the first one's turn comes first */
};
void turns_add(struct turns *t, struct turn turn);
struct turn turns_take(struct turns *t); /* the first; there must be one */

#endif
