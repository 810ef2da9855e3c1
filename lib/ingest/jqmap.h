/* jqmap: jq programs.  Layer 4, the only user of libjq.
 *
 * A program is compiled once and run over one JSON text after another; its outputs come back as compact JSON text, so
 * that no caller holds a libjq value.  The map owns everything it hands out; a view lives until the next call.
 *
 * Programs are trusted input: one can read the environment and loop for ever.  What they are run over is not: messages
 * never show it.
 *
 * libjq's numbers are doubles.  What a double would spoil goes round it: a number literal of more than 15 significant
 * digits (trailing zeros of an integer count) reaches the program as a string of the same characters.  Bare NaN and
 * Infinity, which other tools write, become null. */
#ifndef JQMAP_H
#define JQMAP_H

#include "buf.h"

struct jqmap;

/* Compile text; name is for messages.  Dies on a program that does not compile, with the compiler's first line. */
struct jqmap *jqmap_new(const char *name, const char *text);
/* The same for a file, with a prelude of definitions before it ("" = none).  Dies on a file that cannot be read. */
struct jqmap *jqmap_open(const char *path, const char *prelude);
void jqmap_free(struct jqmap *map);

/* Give the program its next input.  NULL when text is exactly one JSON value in valid UTF-8, else what is wrong with it
 * and, in *at, the offset of the byte where; then there is nothing to read.  Abandons unread outputs. */
const char *jqmap_start(struct jqmap *map, const char *text, size_t n, size_t *at);

enum jqmap_result {
    JQMAP_VALUE, /* *value is the next output */
    JQMAP_END,
    JQMAP_FAILED /* the program raised an error, or halted: no more outputs for this input */
};
enum jqmap_result jqmap_next(struct jqmap *map, struct view *value);

#endif
