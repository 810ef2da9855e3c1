/* tokens: how many tokens a text is.  Layer 8.
 *
 * Byte-level BPE from a Hugging Face tokenizer.json or a tiktoken rank file.  No special tokens are added; those that
 * stand in the text count one each.  Counts are those of the tokenizer's own implementation, but for characters newer
 * than the Unicode tables of PCRE2 and utf8proc.
 *
 * A handle belongs to one thread: it remembers what it counted.  Handles of one file share all that is read-only; who
 * opens or shares one frees it, in any order. */
#ifndef TOKENS_H
#define TOKENS_H

#include <stddef.h>
#include <stdint.h>

struct tokens;

/* Dies on a file that cannot be read, or that would have to be counted otherwise, with a line that names what. */
struct tokens *tokens_open(const char *file);
/* Another handle, for another thread. */
struct tokens *tokens_share(const struct tokens *t);
void tokens_free(struct tokens *t);

/* From 0.  Bytes that are no UTF-8 count as U+FFFD. */
int64_t tokens_count(struct tokens *t, const char *text, size_t n);

/* What is counted with, in words: the kind of file, its size and the hash of its bytes (XXH3-64). */
const char *tokens_name(const struct tokens *t);

#endif
