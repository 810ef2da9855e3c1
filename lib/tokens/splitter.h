/* splitter: the regular expressions of well-known tokenizers, by hand.  Layer 4.
 *
 * A splitter finds what its regular expression finds, several times faster; a test compares the two. */
#ifndef SPLITTER_H
#define SPLITTER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "uclass.h"

/* The first match at or after p in valid UTF-8 up to end, which is the end of the text: [*from, *to). */
typedef bool splitter(const struct uclass *u, const char *p, const char *end, const char **from, const char **to);

/* The splitter of a regex, NULL if there is none. */
splitter *splitter_of(struct view regex);

extern const char splitter_gpt2[], splitter_cl100k[], splitter_o200k[], splitter_qwen2[];

/* Number i of the regexes that have a splitter; NULL after the last. */
const char *splitter_regex(size_t i);

#endif
