/* figure: numbers as people read them.  Layer 1.
 *
 * Every function returns its text by value; a missing number (NAN, INT_NONE) is "—", never 0.  Number and unit are joined
 * by U+00A0, so that lines do not break between them.  Nothing here allocates or looks at the locale. */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdint.h>

#define FIGURE_MISSING "—"
#define NBSP "\u00a0"

struct figure {
    char s[80];
};

/* Four significant digits, or as many as half, the half-width of its interval, supports (two digits of half; NAN: none
 * known).  Thousands are grouped from 10,000 on. */
struct figure figure_number(double v, double half);
struct figure figure_count(int64_t n);
/* A share of [0,1] in percent, with more digits near 0 and 1, so that 0.9996 is not 100 %; and a signed change. */
struct figure figure_share(double share);
struct figure figure_change(double change);
/* "193.1 – 200.0": ends of an interval, in the digits of its width; "58.4 – 63.7 %" of shares. */
struct figure figure_interval(double lo, double hi);
struct figure figure_share_interval(double lo, double hi);

/* The unit a group of spans is shown in, chosen by one of them in ns: milliseconds below a second, else seconds. */
struct unit {
    double ns;
    const char *name;
};
struct unit figure_unit(double ns);
struct figure figure_span(double ns, struct unit u);
struct figure figure_latency(double ns); /* "19.94 ms": with its own unit */

/* A time in seconds: "31.7 s", "11 min 4 s", "2 h 14 min". */
struct figure figure_time(double s);

#endif
