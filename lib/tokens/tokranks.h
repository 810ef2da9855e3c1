/* tokranks: a tokenizer from a tiktoken rank file.  Layer 7.
 *
 * Lines of a token in base64, a space and its rank.  How text is split, and which special tokens there are, is not in
 * the file: the number of ranks tells which encoding it is. */
#ifndef TOKRANKS_H
#define TOKRANKS_H

#include "tokmodel.h"

/* Fills an empty model from the text of the file, whose name is for messages.  Returns the name of the encoding
 * (static), NULL if the number of ranks is none that is known: then text is split as by cl100k_base.  Dies on anything
 * else. */
const char *tokranks_read(struct tokmodel *m, const char *file, struct view text);

#endif
