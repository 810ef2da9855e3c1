/* occupancy: how many requests are in flight, and what that says of the load.  Layer 2.
 *
 * Fed with requests in order of issue; ends come before issues at equal stamps.  Stamps are ns.  A struct occupancy
 * owns its memory: the ends of open requests, and of those issued before the first end, and a number for each count. */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct occupancy {
    int64_t in_flight, peak; /* just after the latest issue; the largest so far */
    int64_t first_done_ns; /* the run's first terminal event, INT_NONE while none */
    int64_t after, max; /* issues after that event; the largest count just after one of them */
    VEC(int64_t) at; /* [max + 1]: how many of these issues had which count */
    VEC(int64_t) end; /* min-heap: ends of the open requests; those that never end are only counted */
    VEC(int64_t) fill; /* ends of the requests issued before the first end, INT_NONE = never */
};

#define OCCUPANCY_NONE                                                                                                 \
    { .first_done_ns = INT64_MIN } /* no request yet */

/* Take in the next request.  done_ns INT_NONE = never ended.  Returns the count in flight, this one included. */
int64_t occupancy_issue(struct occupancy *o, int64_t issued_ns, int64_t done_ns);
/* No more requests: settles first_done_ns where nothing was issued after it. */
void occupancy_end(struct occupancy *o);
void occupancy_free(struct occupancy *o);

/* A cap stays a cap: after the first end, at least half of the issues, or at least 1 % and 20 of them, stand at the
 * maximum.  Clients that dawdle between requests still touch their cap; Poisson arrivals reach their own maximum in at
 * most .15 % of issues.
 *
 * A few issues above it - at most one for every 20 that stand at it - leave it one, where chance does not look like that: a
 * request that was logged twice, or whose end is missing since the log was cut.  So many stand at no count above 7 of Poisson
 * arrivals with so few above, and half of them at none from 2 on.  Returns the cap, 0 = none. */
int64_t occupancy_cap(const struct occupancy *o);

/* Stamp by which 90 % of the fill set had ended; INT_NONE when that many never did, or there is no fill set. */
int64_t occupancy_fill_ended90(const struct occupancy *o);

/* Does open-loop load pile up?  issued[n] ascending, done[n] (INT_NONE = never), in_flight[n] just after each issue.
 * True when in the second half of the issue span's time fewer ends than 95 % of the issues fall, and the median in
 * flight of its last quarter exceeds 1.2 times that of its second. */
bool occupancy_backlog(const int64_t *issued, const int64_t *done, const int64_t *in_flight, size_t n);

#endif
