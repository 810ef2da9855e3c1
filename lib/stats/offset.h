/* offset: how far the clocks of two hosts are apart, from messages that passed between them.  Layer 1.
 *
 * A message cannot arrive before it was sent.  Every message from here to there therefore bounds from below, and every
 * one from there to here from above, what has to be added to a stamp of there to have one of here.  The messages that were
 * delayed least bound it best; their midpoint is wrong by at most half their distance, whatever the delays were and
 * however unlike in the two directions (Cristian 1989; the least delayed of many: Duda and others 1987, Mills 1991).
 *
 * Both clocks are taken to run at one rate.  Pure: no I/O, no allocation; stamps are int64 ns, INT_NONE is missing. */
#ifndef OFFSET_H
#define OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tightest bounds so far, both possible themselves; INT_NONE where no message went that way.  The number the caller
 * gave the message behind each is beside it. */
struct offset {
    int64_t lo_ns, hi_ns;
    size_t lo_from, hi_from;
};

void offset_init(struct offset *o);

/* Take in a message by its stamps, sent here and received there, or sent there and received here.  False, and nothing
 * learnt, when a stamp is missing or the difference does not fit int64: the bounds are then merely wider. */
bool offset_forth(struct offset *o, int64_t sent_here, int64_t received_there, size_t number);
bool offset_back(struct offset *o, int64_t sent_there, int64_t received_here, size_t number);

/* Whether both bounds are known and no offset satisfies them: the clocks drift, or a stamp is not what it was taken for. */
bool offset_crossed(const struct offset *o);

/* The midpoint of the bounds, rounded down; INT_NONE when one is missing or they cross. */
int64_t offset_estimate(const struct offset *o);

/* How far the truth can be from an offset of `ns`: its distance to the further bound.  INT_NONE when a bound is missing,
 * when they cross, or when it does not fit int64. */
int64_t offset_error(const struct offset *o, int64_t ns);

#endif
