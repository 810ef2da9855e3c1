/* html_style: how HTML pages look, in light, in dark, narrow and printed; and what a script may add.  Layer 0. */
#ifndef HTML_STYLE_H
#define HTML_STYLE_H

extern const char html_style[]; /* CSS */
extern const char html_script[]; /* values under the pointer, in plots; the page is whole without it */

#endif
