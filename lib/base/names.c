#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define SLOTS_MIN 64

/* The slot that holds the name, or the free one where it would go. */
static size_t slot_of(const struct names *s, struct view name) {
    size_t i = XXH3_64bits(name.s, name.n) & (s->n_slots - 1);
    for (; s->slot[i]; i = (i + 1) & (s->n_slots - 1)) {
        struct view is = s->name.v[s->slot[i] - 1];
        if (is.n == name.n && memcmp(is.s, name.s, name.n) == 0) break;
    }
    return i;
}

static void grow(struct names *s) {
    free(s->slot);
    s->n_slots = s->n_slots ? s->n_slots * 2 : SLOTS_MIN;
    s->slot = xcalloc(s->n_slots, sizeof *s->slot);
    for (size_t i = 0; i < s->name.n; i++)
        s->slot[slot_of(s, s->name.v[i])] = (uint32_t)i + 1;
}

uint32_t names_add(struct names *s, struct view name) {
    if (2 * s->name.n >= s->n_slots) grow(s);
    size_t i = slot_of(s, name);
    if (!s->slot[i]) {
        struct view copy = {arena_copy(&s->text, name.s, name.n), name.n};
        vec_push(&s->name, copy);
        s->slot[i] = (uint32_t)s->name.n;
    }
    return s->slot[i] - 1;
}

uint32_t names_find(const struct names *s, struct view name) {
    if (s->n_slots == 0) return NAMES_NONE;
    uint32_t held = s->slot[slot_of(s, name)];
    return held ? held - 1 : NAMES_NONE;
}

void names_free(struct names *s) {
    vec_free(&s->name);
    free(s->slot);
    arena_free(&s->text);
    *s = (struct names){0};
}
