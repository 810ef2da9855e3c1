/* offset_check: the offset of two clocks from messages whose delays are planted.
 *
 * Prints "ok NAME" or "not ok NAME: what"; status 1 on any failure. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "num.h"
#include "offset.h"

/* At least floor, mostly little more, now and then very much. */
static int64_t random_delay(int64_t floor) {
    int64_t tail = (int64_t)1 << (next() % 34);
    return floor + (int64_t)(next() % (uint64_t)tail);
}

/* By hand: there = here - 1000.  Delays 3 and 7 one way, 5 and 11 back. */
static void check_by_hand(void) {
    struct offset o;
    offset_init(&o);
    check(!int_known(offset_estimate(&o)) && !int_known(offset_error(&o, 0)) && !offset_crossed(&o), "nothing known",
          "an estimate from nothing");
    check(offset_forth(&o, 5000, 4007, 1) && offset_forth(&o, 6000, 5003, 2), "forth", "refused");
    check(o.lo_ns == 997 && o.lo_from == 2 && !int_known(offset_estimate(&o)), "one way bounds one side",
          "it does not");
    check(offset_back(&o, 7000, 8005, 3) && offset_back(&o, 7500, 8511, 4), "back", "refused");
    check(o.hi_ns == 1005 && o.hi_from == 3, "the least delayed bounds", "another does");
    check(offset_estimate(&o) == 1001 && offset_error(&o, 1001) == 4, "the midpoint, 4 off at most", "another");
    check(offset_error(&o, 1000) == 5 && offset_error(&o, 2000) == 1003, "the error of another offset", "another");
    check(!offset_forth(&o, INT_NONE, 5, 5) && !offset_back(&o, 5, INT_NONE, 5), "a missing stamp", "taken");
    check(!offset_forth(&o, INT64_MAX, -2, 6) && o.lo_ns == 997, "a difference beyond 64 bits", "taken");
    offset_back(&o, 9000, 9996, 7);
    check(offset_crossed(&o) && !int_known(offset_estimate(&o)) && !int_known(offset_error(&o, 0)), "crossed bounds",
          "an estimate all the same");
    offset_init(&o);
    offset_forth(&o, 0, INT64_MAX, 0);
    offset_back(&o, 0, INT64_MAX, 0);
    check(offset_estimate(&o) == 0 && offset_error(&o, 0) == INT64_MAX, "the widest bounds", "overflow");
    offset_init(&o);
    offset_forth(&o, 0, 3, 0);
    offset_back(&o, 3, 3, 0);
    check(offset_estimate(&o) == -2 && offset_error(&o, -2) == 2, "an odd distance: rounded down, the error up", "not");
}

/* Whatever the delays, the truth lies within the bounds, and within the error of the estimate; some error as large as the
 * bound says does occur. */
static void check_planted(void) {
    bool covered = true, inside = true, consistent = true;
    double worst = 0;
    for (int run = 0; run < 20000; run++) {
        struct offset o;
        offset_init(&o);
        int64_t truth = (int64_t)(next() >> 2) - ((int64_t)1 << 61);
        int64_t floor_in = (int64_t)(next() % 1000000), floor_out = (int64_t)(next() % 1000000);
        for (uint64_t n = 1 + next() % 40; n > 0; n--) {
            int64_t sent = (int64_t)(next() % 1000000000000), answer = (int64_t)(next() % 1000000000000);
            offset_forth(&o, sent, sent + random_delay(floor_in) - truth, n);
            offset_back(&o, answer - truth, answer + random_delay(floor_out), n);
        }
        int64_t estimate = offset_estimate(&o), error = offset_error(&o, estimate);
        consistent &= !offset_crossed(&o) && int_known(estimate) && error >= 0;
        inside &= o.lo_ns <= truth && truth <= o.hi_ns;
        int64_t off = estimate > truth ? estimate - truth : truth - estimate;
        covered &= off <= error;
        if (error > 0 && (double)off / (double)error > worst) worst = (double)off / (double)error;
    }
    check(consistent, "planted delays never contradict each other", "they did");
    check(inside, "the truth is within the bounds", "it is not");
    check(covered, "the error bound holds", "it does not");
    check(worst > 0.99, "the error bound is no larger than it must be", "no run came near it");
}

/* Clocks of two rates are found out as soon as they have gone apart by more than the least delays add up to. */
static void check_drift(void) {
    struct offset o;
    offset_init(&o);
    for (int64_t i = 0; i < 1000; i++) {
        int64_t t = i * 1000000000, apart = i * 10000; /* 10 us a second */
        offset_forth(&o, t, t + 1000000 + apart, (size_t)i);
        offset_back(&o, t + 500000000 + apart, t + 501000000, (size_t)i);
        if (offset_crossed(&o)) {
            check(i == 201 && o.hi_from == 201 && o.lo_from == 0, "drift is found out", "too early or too late");
            return;
        }
    }
    check(false, "drift is found out", "never");
}

int main(void) {
    check_by_hand();
    check_planted();
    check_drift();
    return failures > 0;
}
