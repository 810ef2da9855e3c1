/* adapt: other harnesses' files to ledger rows.  Layer 9.
 *
 * A file is read whole, an adapter (a jq program, see maprow.h for what it may say) is run over its documents or lines,
 * and its requests are handed out run by run in the ledger's order.  A struct adapt owns rows, texts and facts. */
#ifndef ADAPT_H
#define ADAPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "maprow.h"
#include "serverside.h"

struct adapt_options {
    const char *format; /* a shipped adapter; ignored with map */
    const char *map; /* a user's program, or NULL */
    bool strict; /* a malformed line or request dies instead of being counted */
    struct maprow_rule rule;
};

struct adapt_run {
    const char *name; /* the adapter's, NULL if it gave none */
    json_t *facts; /* object */
    struct ledger_row
        *row; /* [n], ledger order: tracked ones by (first issued_ns, request) with seq from 0, then the rest */
    size_t n;
};

struct adapt {
    const char *file;
    struct adapt_run *run; /* [n], in file order */
    size_t n;
    long long records, malformed; /* lines or documents, and lines or requests that were skipped */
    struct arena texts;
};

/* Read everything.  Dies on a file that is not what the adapter expects; a document that was cut off is read up to the
 * last whole element of its outermost array, said on stderr, and its run marked partial.
 * Facts set for every run: `format`, `clock` (of the stamps, absent without), `order` = "assumed" where no request has a
 * time of day, `tracking`, `offered_complete` (default "unknown"), `partial` where true, `definitions`. */
void adapt_read(struct adapt *a, const char *path, const struct adapt_options *o);
void adapt_free(struct adapt *a);

/* The run meant by `--run choice` (numbers from 1, or "all") as an index in run, or -1 for all.  Without a choice (NULL) the only one; several, or a
 * number that is not there, die. */
int adapt_choose(const struct adapt *a, const char *choice);

/* A line per run on stdout: number, requests, name, tabs between. */
void adapt_list(const struct adapt *a);

/* Write one run, or all (-1) with a column `run` after the ledger's own, to stdout as a ledger, the server's
 * cells behind them; pg is borrowed.  With several runs the facts they share stand in `run` and the others, one object
 * per run, in `run.runs`. */
void adapt_write(const struct adapt *a, int run, struct serverside *server, enum spelling spelling, bool header,
                 const json_t *pg);

#endif
