/* jstring: strings of JSON text: where they end, whether they are valid, what they say.  Layer 0.
 *
 * By the best vector instructions of the processor, chosen when the program starts; UTF-8 is validated (RFC 3629; Keiser
 * and Lemire 2021). */
#ifndef JSTRING_H
#define JSTRING_H

#include <stdbool.h>
#include <stddef.h>

/* Where a string ends: p is just past its opening quote.  Returns the closing quote, or the first byte at fault: `end`
 * (unterminated), a control character, a backslash that starts no escape, or the lead of invalid UTF-8.  *escaped is set to
 * true if there is an escape before that, else untouched.  Never reads at or beyond end. */
const char *jstring_end(const char *p, const char *end, bool *escaped);
/* The words for a byte at fault (a static string). */
const char *jstring_error(const char *at, const char *end);

/* The rest of an array of strings, written without white space: p is just past the closing quote of an element.  Returns
 * past the closing bracket, or NULL when that is not what is there.  *text is set to true if an element that follows is
 * not empty, else untouched. */
const char *jstring_list_end(const char *p, const char *end, bool *text);

/* Which instructions scan strings: the best the processor has, unless a test says otherwise.  False = not available. */
enum jstring_path { JSTRING_SCALAR, JSTRING_SIMD128, JSTRING_SIMD256, JSTRING_SIMD512, JSTRING_BEST };
bool jstring_force_path(enum jstring_path path);

/* Decode the body of a string into dst (room for n bytes), return the bytes written.  A lone surrogate becomes U+FFFD. */
size_t jstring_unescape(char *dst, const char *s, size_t n);

#endif
