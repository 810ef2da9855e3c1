/* opts: a tool's options, declared once.  Layer 5.
 *
 * One table per tool yields the parser, --help, the machine-readable list behind completions and the man page check, and
 * the options recorded in #pg.  Values are written into an options struct whose first member is struct common; strings
 * stay argv's. */
#ifndef OPTS_H
#define OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc.h"
#include "stream.h"

enum opt_type {
    OPT_FLAG, /* bool */
    OPT_INT, /* int64_t within [min, max] */
    OPT_REAL, /* double within [min, max] */
    OPT_TEXT, /* const char * */
    OPT_CHOICE, /* int: index into choices "a|b|c" */
    OPT_LIST /* struct opt_list: may be repeated */
};

struct opt_list {
    const char **v;
    size_t n;
};

struct opt {
    char letter; /* 0 = long name only */
    const char *name;
    const char *arg; /* name of the value in --help; NULL for a flag */
    enum opt_type type;
    size_t at; /* offsetof in the options struct */
    const char *help;
    const char *choices;
    double min, max; /* both 0 = any */
};

/* First member of every options struct. */
struct common {
    int output; /* enum spelling */
    bool no_header, quiet, verbose, exit_status;
    int64_t threads;
};

struct tool {
    const char *name;
    const char *what; /* one line: what it does */
    const char *operands; /* "[FILE...]" */
    const char *example; /* one line that runs */
    const char *exit_1; /* when -e gives status 1, for --help; NULL if never */
    const struct opt *opt;
    size_t n;
    size_t size; /* of the options struct */
    bool (*no_input)(const void *options); /* these options need no input; NULL = there always is one */
};

/* Parse argv into *options (already filled with defaults); handles --help, --version, usage errors (status 2) and a
 * terminal on stdin without operand.  Returns the operands, NULL-terminated; {"-", NULL} when there are none. */
char **opts_parse(const struct tool *t, void *options, int argc, char **argv);

/* The only operand, for tools that read one stream; more is a usage error. */
const char *opts_single(char **operand);

/* The number in the n bytes at s; false if that is none.  .05 is one to a person, though not to JSON. */
bool opts_real(const char *s, size_t n, double *v);

/* What the tool is and which options differ from the defaults: one #pg entry.  New reference. */
json_t *opts_provenance(const struct tool *t, const void *options, const void *defaults);

/* The spelling to write: -o, else the one read. */
enum spelling opts_spelling(const struct common *c, enum spelling read);

#endif
