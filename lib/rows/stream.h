/* stream: what a stream says of itself: header, run facts, provenance, trailer.  Layer 4.
 *
 *     #steadytools<TAB>KIND<TAB>1            {"#steadytools":KIND,"version":1,"columns":[…],"run":{…},"pg":[…]}
 *     #run<TAB>{…}   #pg<TAB>{…} …
 *     … rows …
 *     #end<TAB>{"rows":N,…,"run":{…}}        {"#end":{"rows":N,…,"run":{…}}}
 *
 * A struct stream owns its documents; borrowed pointers die with stream_free. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "doc.h"

enum spelling { SPELL_AS_READ, SPELL_TSV, SPELL_NDJSON };

struct stream {
    char kind[16]; /* "" until a header was seen */
    json_t *run, *pg; /* object, array: never NULL after stream_init */
    json_t *columns; /* NDJSON header only */
    json_t *end; /* the trailer, NULL until seen */
};

void stream_init(struct stream *s);
void stream_free(struct stream *s);

/* Take in a line that begins with '#' (TSV), or an object with the key "#steadytools" or "#end" (NDJSON; reference kept).
 * NULL, or the reason why it is not one.  Other comment lines are passed over. */
const char *stream_take_line(struct stream *s, const char *line, size_t n);
const char *stream_take_object(struct stream *s, json_t *object);
/* Lay the trailer's run facts over the header's. */
void stream_settle(struct stream *s);

void stream_put_head(struct buf *b, enum spelling spelling, const char *kind, json_t *columns, const json_t *run,
                     const json_t *pg);
void stream_put_end(struct buf *b, enum spelling spelling, const json_t *end);

#endif
