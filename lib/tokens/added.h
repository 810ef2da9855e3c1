/* added: tokens that are found in the text as they stand, before anything else is.  Layer 4.
 *
 * Of several the leftmost is taken, of those the longest.  Owns its copies; read-only once filled. */
#ifndef ADDED_H
#define ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "uclass.h"

enum {
    ADDED_SINGLE_WORD = 1, /* not within a word */
    ADDED_STRIP_LEFT = 2, /* takes the spaces before it */
    ADDED_STRIP_RIGHT = 4 /* and those behind it */
};

/* {0} has no tokens. */
struct added {
    VEC(struct added_node) node; /* a trie; the first is its root */
    bool first[256]; /* bytes that a token begins with */
};

/* Of two with the same text the first counts. */
void added_token(struct added *a, struct view text, unsigned flags);
void added_free(struct added *a);

/* A text, token by token: {.text = …} begins. */
struct added_walk {
    struct view text;
    size_t searched, taken;
    struct view before; /* the text between the last token and this one */
    bool found; /* a token stands behind it */
};
/* False at the end of the text. */
bool added_next(const struct added *a, const struct uclass *u, struct added_walk *w);

#endif
