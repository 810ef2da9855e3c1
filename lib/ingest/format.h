/* format: which harness wrote a file, and the shipped adapters.  Layer 2.
 *
 * Adapters are jq programs in lib/adapters; the build puts their text into the library.  Nothing here owns memory. */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* A shipped program: `what` is the rest of its first line after "# name: ".  A NULL name ends the table. */
struct format {
    const char *name, *text;
};
extern const struct format format_shipped[]; /* made from lib/adapters/NAME.jq; a harness each, without classify */
const char *format_text(const char *name); /* the program, NULL if there is none of that name */
struct view format_what(const struct format *f);

/* How much of a file format_detect wants to see (less where there is less). */
#define FORMAT_HEAD 65536

/* The name of the format that the first bytes of a file show: a shipped adapter's, "events" or "ledger"; NULL if they
 * show none.  *unsupported is NULL, or says which known file this is that holds nothing to read. */
const char *format_detect(struct view head, const char **unsupported);

#endif
