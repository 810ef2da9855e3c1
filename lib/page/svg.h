/* svg: plots drawn: gnuplot's output without its noise, in colours a page's theme can set.  Layer 4. */
#ifndef SVG_H
#define SVG_H

#include "plot.h"

/* CSS custom property of an ink, "--ink" and so on. */
extern const char *const svg_property[N_INKS];

enum svg_use {
    SVG_ALONE, /* a file of its own, in fixed colours */
    SVG_INLINE, /* within HTML: colours are properties, the size is the page's */
};

/* One drawing that is wanted. */
struct svg_job {
    const struct plot *plot;
    bool narrow;
    struct buf svg; /* the answer; the caller frees it */
};

/* Draw n plots by one run of gnuplot.  False, with the reason in why: no drawing was made. */
bool svg_draw(struct svg_job *job, size_t n, enum svg_use use, char why[160]);

/* Append text escaped for XML and HTML, in content and in attributes. */
void svg_escape(struct buf *b, const char *s);

#endif
