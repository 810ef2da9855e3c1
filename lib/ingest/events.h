/* events: the event log of a load generator, in blocks of lines.  Layer 4.
 *
 * Whole lines are read ahead of the caller and parsed (event), on as many threads as wanted; the caller gets them in the
 * order of the log.  An event belongs to the reader and lives until the next call of events_next. */
#ifndef EVENTS_H
#define EVENTS_H

#include "event.h"
#include "in.h"

/* A log, read in blocks of whole lines.  With more than one thread, blocks are read and parsed ahead of the caller, who
 * gets them in order and, on a file, helps rather than waits. */
struct events;

/* NULL or "-" = stdin; threads from 1. */
struct events *events_open(const char *path, unsigned threads);
/* The events of the next block, at least one; their number, 0 at the end.  Where the log is no file, stdout is flushed
 * before the wait for more of it.  Lines that end in CRLF are warned about once. */
size_t events_next(struct events *e, struct event **event);
const struct in *events_in(const struct events *e);
long long events_offset(const struct events *e); /* bytes of the log up to the end of the present block */
void events_close(struct events *e);

#endif
