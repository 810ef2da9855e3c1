/* draw: a plot as a gnuplot script, in the one look that all plots have.  Layer 3.
 *
 * A script holds its data and needs no other file. */
#ifndef DRAW_H
#define DRAW_H

#include "plot.h"

/* Colours on white, as they stand in a script: "#rrggbb". */
extern const char *const draw_colour[N_INKS];

/* The frame of a plot, in pixels: the margins are the same in every panel. */
struct draw_frame {
    int width, height, left, right, top, bottom, gap; /* gap: between panels */
};
struct draw_frame draw_frame(const struct plot *p, bool narrow);

/* Append a script that writes one SVG to stdout.  narrow: for the width of a phone.  Texts are quoted so that nothing in them
 * is a command. */
void draw_script(struct buf *b, const struct plot *p, bool narrow);

#endif
