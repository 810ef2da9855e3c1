/* pattern: the regular expressions of tokenizers.  Layer 2, the only user of PCRE2 for them.
 *
 * They are written for Oniguruma (Ruby's syntax): what that means otherwise than PCRE2 is put in PCRE2's words first,
 * and what cannot be is refused.  Text is valid UTF-8; properties of characters are those of PCRE2's Unicode tables.
 *
 * A pattern is read-only once made and may be shared by threads; a struct pattern_match belongs to one thread. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct pattern;
struct pattern_match;

enum { PATTERN_ERROR = 160 };

/* NULL if it cannot be used, with the reason in error. */
struct pattern *pattern_new(struct view regex, char error[PATTERN_ERROR]);
/* The regex of a literal text. */
void pattern_quote(struct buf *regex, struct view text);
void pattern_free(struct pattern *p);

struct pattern_match *pattern_match_new(void);
void pattern_match_free(struct pattern_match *m);

/* The first match in text[0..n) that starts at from or after it: [*start, *end), false if there is none. */
bool pattern_find(const struct pattern *p, struct pattern_match *m, const char *text, size_t n, size_t from,
                  size_t *start, size_t *end);

#endif
