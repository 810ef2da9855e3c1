/* ndjson: a line holding one flat JSON object.  Layer 2.
 *
 * Strict JSON, except that bare NaN and Infinity, which other tools write, are read as missing. */
#ifndef NDJSON_H
#define NDJSON_H

#include <stdbool.h>

#include "buf.h"

/* A member as a table cell: strings decoded, true and false as 1 and 0, null and NaN empty, an array of numbers as its
 * comma-joined elements (missing ones empty), any other array or object as its JSON text. */
struct ndjson_member {
    struct view key, text;
};

struct ndjson {
    VEC(struct ndjson_member) member; /* of the last line; views into the line or into text */
    bool odd; /* a string of the line may hold control characters */
    struct buf text;
    const char *error; /* why ndjson_split failed, and at which byte of the line */
    size_t error_at;
};

bool ndjson_split(struct ndjson *r, struct view line);
void ndjson_free(struct ndjson *r);

/* Append a value: a string, a number, or an array of numbers from a comma-joined cell.  An empty cell is null.
 * False, and nothing appended, when the cell is no number or holds an element that is none. */
void ndjson_put_text(struct buf *b, struct view cell);
bool ndjson_put_number(struct buf *b, struct view cell);
bool ndjson_put_numbers(struct buf *b, struct view cell);

#endif
