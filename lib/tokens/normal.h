/* normal: Unicode normalization forms.  Layer 2, the only user of utf8proc.
 *
 * Text that is in its form already, as most text is, costs one look at each character. */
#ifndef NORMAL_H
#define NORMAL_H

#include "buf.h"

enum normal_form { NORMAL_NONE, NORMAL_NFC, NORMAL_NFD, NORMAL_NFKC, NORMAL_NFKD };

/* Memory that calls reuse; {0} is empty.  One per thread. */
struct normal_scratch {
    struct buf text, points;
};

/* The text (valid UTF-8) in a form: the text itself if it is, else a view into the scratch until the next call. */
struct view normal_apply(enum normal_form form, struct normal_scratch *scratch, struct view text);
void normal_scratch_free(struct normal_scratch *scratch);

#endif
