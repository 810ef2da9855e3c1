/* tokmodel: a tokenizer as its file defines it.  Layer 6.
 *
 * Whoever reads a file fills it in; then it is read-only and may be shared by threads. */
#ifndef TOKMODEL_H
#define TOKMODEL_H

#include "added.h"
#include "bpe.h"
#include "normal.h"
#include "presplit.h"
#include "uclass.h"

struct tokmodel {
    struct uclass *classes;
    struct added as_written, normalized; /* looked for before and after the text is normalized */
    enum normal_form form;
    struct presplit split;
    struct bpe bpe;
};

struct tokmodel *tokmodel_new(void);
void tokmodel_free(struct tokmodel *m);

#endif
