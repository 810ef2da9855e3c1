/* num: exact numbers.  Layer 0.
 *
 * Stamps and spans are int64 ns; quotients are doubles.  A missing value is INT_NONE or NAN inside the program, an empty
 * cell or null outside, never 0.  Nothing here allocates. */
#ifndef NUM_H
#define NUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INT_NONE INT64_MIN /* so that -2^63 itself is not a value: num_int refuses it */
#define NUM_MAX 32 /* bytes num_put_* may write */

static inline bool int_known(int64_t v) { return v != INT_NONE; }

/* The whole of s[0..n) as a decimal int64 (JSON's integer grammar: no '+', no leading zeros), or as a finite double
 * (JSON's number grammar).  False = not one, *v untouched. */
bool num_int(const char *s, size_t n, int64_t *v);
bool num_real(const char *s, size_t n, double *v);

/* Write without NUL, return bytes written (<= NUM_MAX).  num_put_real writes the shortest digits that read back as v,
 * spelled like ECMAScript's Number.prototype.toString; v must be finite. */
size_t num_put_int(char *dst, int64_t v);
size_t num_put_real(char *dst, double v);

/* The same for stamps of one log: their upper digits, all but the last eight, recur and are kept.  {0} keeps none yet. */
struct num_tops {
    struct {
        uint64_t above;
        char digits[16];
        size_t n;
    } slot[64];
};
size_t num_put_stamp(char *dst, int64_t v, struct num_tops *tops);

/* b - a in int64; INT_NONE when either is missing or the difference does not fit. */
int64_t num_span(int64_t a, int64_t b);

#endif
