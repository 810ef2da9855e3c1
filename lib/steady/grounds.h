/* grounds: the evidence for a verdict, drawn from what was found in a run.  Layer 9.
 *
 * Reads a struct steady up to its trends and keeps nothing of it; names in the evidence live as long as the steady's. */
#ifndef GROUNDS_H
#define GROUNDS_H

#include "segment.h"
#include "steady.h"
#include "trend.h"
#include "verdict.h"

/* search: the finished search, to be asked what is wrong with the body where it found nothing. */
struct evidence grounds_of(const struct steady *s, const struct segment *search, struct trend_work *work);

#endif
