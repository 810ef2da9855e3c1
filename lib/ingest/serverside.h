/* serverside: what a server or gateway says of the requests, beside what the client saw.  Layer 8.
 *
 * A file with a row per request, in either spelling, is read whole; its cells go behind the ledger's own, by the
 * request's id, as they stand.  Spans in them need no clock.  Stamps in them are another host's: they are compared with the
 * client's only by an offset that is given, or estimated from the least delayed requests (offset.h), which holds all rows
 * until the end.
 *
 * A struct serverside owns what it read and what it holds; NULL joins nothing, and every function but serverside_open takes
 * it.  Memory: the file, and with an offset to be estimated the rows of the ledger. */
#ifndef SERVERSIDE_H
#define SERVERSIDE_H

#include "ledger.h"

struct serverside_options {
    const char *join; /* the file; NULL: nothing is joined */
    const char *on; /* "request[=COLUMN][,received=COLUMN][,first_sent=COLUMN][,done=COLUMN]"; NULL: "request" */
    const char *clock_offset; /* "auto", or ns to be added to the server's stamps; NULL: no clocks are compared */
};

/* Read the file.  NULL if there is none.  Dies on options that do not fit together, a key that two rows have, a stamp
 * that is none, and where the columns that the offset is for are not there. */
struct serverside *serverside_open(const struct serverside_options *o);

/* The columns of a ledger that has those n, and *n_all of them: the server's follow, each called "server_" and its own name,
 * then the delays.  Valid until serverside_free; dies when two have one name. */
const struct column *serverside_columns(struct serverside *s, const struct column *before, size_t n, size_t *n_all);

/* End a row of the ledger whose own cells are put, with the server's behind them; or hold it.  Dies when two requests
 * claim one row of the server. */
void serverside_put(struct serverside *s, struct table_out *out, const struct ledger_row *row);

/* After the last row: write what is held, say what did not match, and add `join` and, in `run`, `clock_offset` to the
 * trailer.  Dies when no offset can be right. */
void serverside_finish(struct serverside *s, struct table_out *out, json_t *end);

void serverside_free(struct serverside *s);

#endif
