/* names: distinct strings, numbered from 0 in the order they were first seen.  Layer 2.
 *
 * A struct names owns its copies of the strings; {0} is empty. */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct names {
    VEC(struct view) name; /* by number; a NUL follows each */
    uint32_t *slot; /* number + 1, 0 = free; a power of two of them, at most half in use */
    size_t n_slots;
    struct arena text;
};

#define NAMES_NONE UINT32_MAX

uint32_t names_add(struct names *s, struct view name); /* its number, a new one if it was not there */
uint32_t names_find(const struct names *s, struct view name); /* or NAMES_NONE */
void names_free(struct names *s);

#endif
