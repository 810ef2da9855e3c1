/* markdown: a page as GitHub-flavoured Markdown.  Layer 4. */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "page.h"

/* Append the page to b; every text is escaped, so that no markup or HTML of a report's own comes through. */
void markdown_write(struct buf *b, const struct page *p);

#endif
