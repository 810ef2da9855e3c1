/* doc: JSON documents (run facts, reports, contracts) held by jansson.  Layer 3.
 *
 * References follow jansson: functions that return json_t * give a new reference unless they say "borrowed".
 * Integers are exact int64; a missing number is null. */
#ifndef DOC_H
#define DOC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* Parse one JSON value; NULL on an error, with the reason and its line in why and *line (never the text itself). */
json_t *doc_parse(const char *text, size_t n, char why[128], int *line);
/* Everything of a file ("-" or NULL = stdin), for documents small enough to hold. */
void doc_slurp(struct buf *b, const char *path);

/* Append compact JSON: keys in the order they were set, numbers as num_put_real writes them, never NaN. */
void doc_dump(struct buf *b, const json_t *v);
void doc_dump_string(struct buf *b, const char *s, size_t n);

/* Append `path<TAB>value` lines, one per leaf; doc_unflatten reads them back (NULL on an error, line in *line). */
void doc_flatten(struct buf *b, const json_t *v);
json_t *doc_unflatten(const char *text, size_t n, int *line);

/* Set a number, or null when it is NAN or INT_NONE. */
void doc_set_real(json_t *object, const char *key, double v);
void doc_set_int(json_t *object, const char *key, int64_t v);
void doc_set_text(json_t *object, const char *key, const char *s); /* NULL = null */
void doc_set_bool(json_t *object, const char *key, bool v);
json_t *doc_real(double v);

/* Follow a path such as "window.first_pass"; borrowed, NULL if a step is absent. */
json_t *doc_at(const json_t *v, const char *path);
/* The value there as a number, text or truth; NAN, INT_NONE, NULL (borrowed) or false where absent or of another type. */
double doc_real_at(const json_t *v, const char *path);
int64_t doc_int_at(const json_t *v, const char *path);
const char *doc_text_at(const json_t *v, const char *path);
bool doc_true_at(const json_t *v, const char *path);

#endif
