/* text: a page on 80 columns of a terminal or a log.  Layer 4. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>

#include "page.h"

struct text_style {
    bool ascii, colour;
};

/* Append the page to b.  With ascii the page's own strings must have gone through page_ascii. */
void text_write(struct buf *b, const struct page *p, struct text_style style);

#endif
