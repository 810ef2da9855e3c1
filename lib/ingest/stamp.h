/* stamp: times written with a unit, exactly.  Layer 2.
 *
 * Whatever unit a stamp or span is written in, it becomes int64 ns digit by digit, to the nearest ns (half away from
 * zero); nothing passes through a double.  Lists are freed by whoever declared them (vec_free). */
#ifndef STAMP_H
#define STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "jtok.h"

/* s[0..n), a JSON number, times 10^scale.  False if it is none or does not fit; *v is then untouched. */
bool stamp_decimal(const char *s, size_t n, int scale, int64_t *v);

/* The power of ten that makes ns of a unit: "s", "ms", "us", "ns".  False for any other name. */
bool stamp_unit(struct view name, int *scale);

/* The value whose first token t was just read from j; false if it is no such value.
 *   N, "N"                          a literal in ns
 *   {"s"|"ms"|"us"|"ns": N}         in another unit; {"-s": N} …: the same, negative
 *   [STAMP, …]                      the sum
 *   null, {"s": null}, [], [… null] missing: *v is INT_NONE */
bool stamp_take(struct jtok *j, enum jtok_type t, int64_t *v);

struct stamps {
    int64_t *v;
    size_t n, cap;
    bool given; /* an array, perhaps an empty one, and not null */
};

/* [STAMP, …], {"s": [N, …]}, or null: an empty list.  False if an element is missing. */
bool stamp_take_list(struct jtok *j, enum jtok_type t, struct stamps *list);

#endif
