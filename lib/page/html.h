/* html: a page as one HTML file that needs no other, no network and no script.  Layer 5. */
#ifndef HTML_H
#define HTML_H

#include "page.h"

/* Append the page to b, every text escaped, with its plots drawn.  False: they could not be; the page then says so, and why
 * is in why. */
bool html_write(struct buf *b, const struct page *p, char why[160]);

#endif
