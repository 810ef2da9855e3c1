/* tokjson: a tokenizer from a Hugging Face tokenizer.json.  Layer 7.
 *
 * The model BPE over bytes, its normalizer, pre-tokenizers and added tokens.  Whatever would count otherwise than
 * written is refused; truncation, padding, post-processor and decoder do not concern a count and are passed over. */
#ifndef TOKJSON_H
#define TOKJSON_H

#include "tokmodel.h"

/* Fills an empty model from the text of the file, whose name is for messages.  Dies on what is not supported. */
void tokjson_read(struct tokmodel *m, const char *file, struct view text);

#endif
