/* check: what the programs of this folder say, "ok NAME" or "not ok NAME: what", and numbers to try things with. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int failures;

static inline void check(bool good, const char *name, const char *what) {
    if (good)
        printf("ok %s\n", name);
    else
        printf("not ok %s: %s\n", name, what);
    failures += !good;
}

/* The same numbers every time (xorshift64, Marsaglia 2003). */
static inline uint64_t next(void) {
    static uint64_t state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#endif
