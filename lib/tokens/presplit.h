/* presplit: the steps that cut a text into the pieces that are encoded each by itself.  Layer 5.
 *
 * The pre-tokenizers of the byte-level family: splits by a regular expression, and the byte-level step, after which
 * each byte is written as one character.  A presplit is read-only once its steps are added; a struct presplit_scratch
 * belongs to one thread. */
#ifndef PRESPLIT_H
#define PRESPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "pattern.h"
#include "uclass.h"

enum presplit_behavior {
    PRESPLIT_REMOVED,
    PRESPLIT_ISOLATED,
    PRESPLIT_MERGED_WITH_PREVIOUS,
    PRESPLIT_MERGED_WITH_NEXT,
    PRESPLIT_CONTIGUOUS
};

struct presplit {
    VEC(struct presplit_step) step;
    const struct uclass *classes; /* borrowed */
    bool bytes_are_characters; /* the byte-level step was added */
};

/* Matches of the regex are pieces (or are dropped, or joined with a neighbour); inverted, so is what lies between.
 * False with an error if the regex cannot be used. */
bool presplit_split(struct presplit *p, struct view regex, enum presplit_behavior behavior, bool invert,
                    char error[PATTERN_ERROR]);
/* A space is put before a piece without one; the pieces are split with GPT-2's regex; bytes become characters. */
void presplit_byte_level(struct presplit *p, bool add_space, bool use_regex);
void presplit_free(struct presplit *p);

/* The bytes that such characters stand for, appended to b; false if there is any other character. */
bool presplit_bytes(struct buf *b, struct view characters);

struct presplit_scratch *presplit_scratch_new(const struct presplit *p);
void presplit_scratch_free(struct presplit_scratch *t);
/* Calls take for each piece of text (valid UTF-8), in bytes.  Pieces live until take returns; none is empty. */
void presplit_run(const struct presplit *p, struct presplit_scratch *t, struct view text,
                  void (*take)(void *context, const char *s, size_t n), void *context);

#endif
