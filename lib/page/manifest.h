/* manifest: what has to be published beside a result, and what somebody stated of it in a file.  Layer 4. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include "doc.h"

/* An item that a published result must name. */
struct manifest_item {
    const char *key; /* in the file; other spellings of it are known, too */
    const char *label;
};
enum { MANIFEST_ITEMS = 15 };
extern const struct manifest_item manifest_item[MANIFEST_ITEMS];

/* Read the JSON object of a file; anything else ends the program.  New reference. */
json_t *manifest_read(const char *file);

/* What the manifest (NULL = none) states of the i-th item; borrowed, NULL where it is absent, null or empty. */
const json_t *manifest_find(const json_t *manifest, size_t i);
/* Whether a key of the file is that of an item. */
bool manifest_knows(const char *key);

#endif
