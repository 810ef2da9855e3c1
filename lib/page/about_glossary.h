/* about_glossary: the terms of a page, a line each.  Layer 4. */
#ifndef ABOUT_GLOSSARY_H
#define ABOUT_GLOSSARY_H

#include "page.h"

void about_glossary(struct page *p);

#endif
