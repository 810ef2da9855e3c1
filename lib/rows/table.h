/* table: rows in either spelling, TSV or NDJSON, with one meaning.  Layer 5.
 *
 * A cell is text, empty is missing; control characters in it are the six characters \u00xx.  Columns are found by name
 * once and then used by number; known ones have a type from a schema, unknown ones are text, come after the known, and pass
 * through.  A malformed row ends the program with file and line; a stream that
 * was cut short is read to its last whole row, said on stderr, and marked partial. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "lines.h"
#include "ndjson.h"
#include "num.h"
#include "stream.h"
#include "tsv.h"

enum type { TYPE_TEXT, TYPE_INT, TYPE_REAL, TYPE_BOOL, TYPE_INTS, TYPE_REALS };

struct column {
    const char *name;
    enum type type;
};

struct schema {
    const char *kind; /* "ledger", "passes"; NULL: any table will do, none of its columns need be known */
    const struct column *column;
    size_t n;
};

struct table_in {
    const char *file;
    long long line; /* of the current row */
    enum spelling spelling;
    struct stream stream; /* run facts: of the header while rows are read, settled with the trailer after the end */
    struct column *column; /* [n] */
    struct view *cell; /* [n], of the current row */
    struct view raw; /* the current row's line, as read */
    size_t n;
    size_t rows;
    bool partial; /* known after the end */

    const struct schema *schema;
    struct lines lines;
    struct tsv tsv;
    struct ndjson ndjson;
    struct arena names;
    size_t
        *from; /* [n]: the place in a line of each column, where unknown columns stand before known ones; else NULL */
    struct view *own; /* [n]: the cells, where they are not as they stand in the line */
    struct arena visible; /* cells rewritten to be free of control characters, of the current row */
    bool pending; /* NDJSON: the first row was read to learn the columns */
    bool crlf; /* said once */
};

/* Open and read the header.  NULL or "-" = stdin.  No bytes at all, or a stream of another kind, dies. */
void table_open(struct table_in *t, const char *path, const struct schema *schema);
bool table_next(struct table_in *t); /* false after the last row; then t->partial and t->stream.run are final */
void table_close(struct table_in *t);

/* Number of the column of that name, or -1.  table_need dies naming it (and what it is needed for). */
int table_find(const struct table_in *t, const char *name);
int table_need(const struct table_in *t, const char *name, const char *what_for);

/* Value of a cell of the current row; column -1 or an empty cell is missing.  A cell that is no such value dies. */
struct view table_text(const struct table_in *t, int column);
int64_t table_int(const struct table_in *t, int column);
double table_real(const struct table_in *t, int column);
bool table_bool(const struct table_in *t, int column, bool missing);

/* The element after *p in a comma-joined vector cell; false at the end.  Start with *p = cell.s (NULL cell: no elements).
 */
bool vector_next(struct view cell, const char **p, struct view *element);

struct table_out {
    enum spelling spelling;
    const char *kind;
    bool header; /* write the lines of the stream's own: head and trailer */
    const struct column *column; /* [n], the caller's */
    size_t n, at; /* next cell to be put */
    size_t rows;
    struct buf row;
    struct num_tops tops;
};

/* Begin a table: head and column row are written.  run and pg are borrowed. */
void table_begin(struct table_out *t, enum spelling spelling, bool header, const struct schema *kind,
                 const struct column *column, size_t n, const json_t *run, const json_t *pg);
/* Put the cells of a row in column order, then end the row.  text that is no value of the column's type dies. */
void table_put(struct table_out *t, struct view text);
void table_put_int(struct table_out *t, int64_t v);
void table_put_real(struct table_out *t, double v);
void table_put_ints(struct table_out *t, const int64_t *v, size_t n);
void table_put_reals(struct table_out *t, const double *v, size_t n);
void table_row(struct table_out *t);
/* Take the cells put so far out of the row, as bytes copied to `to`; and begin an empty row with such bytes, which hold so
 * many cells. */
struct view table_hold(struct table_out *t, struct arena *to);
void table_resume(struct table_out *t, struct view held, size_t cells);
/* Trailer: rows is added to end (an object; reference taken). */
void table_end(struct table_out *t, json_t *end);

#endif
