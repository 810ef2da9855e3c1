/* passes: one row per super-pass.  Layer 6.
 *
 * The columns, their types and order stand here once.  A struct passes owns everything in it. */
#ifndef PASSES_H
#define PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "table.h"

enum role { ROLE_BODY, ROLE_WARMUP, ROLE_DRAIN, ROLE_TAIL };
extern const char *const role_name[];

enum metric { TPOT, TTFT, E2E, N_METRICS };
extern const char *const metric_name[N_METRICS]; /* "tpot", "ttft", "e2e": the order of the columns */

/* Distribution of a metric over the samples of a pass, ns. */
struct metric_stats {
    int64_t n;
    double mean, sd, p50, p90, p99; /* NAN = missing; sd is the population's */
};

/* Vectors of a pass, aligned by request; an element is INT_NONE or NAN where missing.  n == 0: the table has none. */
struct samples {
    size_t n;
    int64_t *seq, *ttft, *e2e, *osl, *done; /* done: stamp of the terminal event */
    double *tpot;
    bool *tail; /* marked by the guarded tail cut; NULL before it */
};

struct pass {
    int64_t pass; /* its number: what reports and windows count in */
    bool full;
    enum role role;
    int64_t n_issued, n_done, n_ok;
    int64_t first_issue_ns, last_issue_ns, next_issue_ns, last_done_ns, span_ns;
    int64_t in_flight;
    double active_pct;
    int64_t output_tokens;
    double tps, rps;
    struct metric_stats metric[N_METRICS];
    double isl_mean, osl_mean, osl_p50, osl_p99;
    struct samples samples;
    struct view *extra; /* cells of unknown columns, in the order of passes.extra */
};

struct passes {
    const char *file;
    enum spelling spelling; /* as read */
    struct pass *v;
    size_t n;
    json_t *run, *pg; /* settled; pg holds the writers so far */
    bool plain; /* no stream header */
    bool partial;
    bool has_samples; /* the vectors are there */
    bool *present; /* [passes_schema.n]: the input had this column */
    const char **extra; /* names of unknown columns */
    size_t n_extra;
    struct arena text;
};

extern const struct schema passes_schema;

/* Value of the driver or gate column "tpot_p50", "ttft_mean", "tps", "rps", … in a pass; NAN where missing.
 * passes_column says which it is: -1 = no such column. */
int passes_column(const char *name);
double passes_value(const struct pass *p, int column);
int64_t passes_int(const struct pass *p, int column); /* of an integer column, exactly; INT_NONE where missing */
bool passes_has(const struct passes *s, int column); /* the input had that column */

/* An empty set with every column but v_tail, for whoever makes passes of something else.  References are taken. */
void passes_new(struct passes *s, json_t *run, json_t *pg);
void passes_add_column(struct passes *s, const char *name); /* an unknown one; name outlives s */
void passes_read(struct passes *s, const char *path); /* the whole stream; a malformed row dies */
/* The same pass by pass, for a reader that cannot wait for the end: open begins s with the columns and the facts of the
 * header; next adds a pass, which may move s->v, and at the end of the stream settles s->run, s->pg and s->partial.  The
 * reader is freed by passes_close; s outlives it. */
struct passes_in;
struct passes_in *passes_open(struct passes *s, const char *path);
bool passes_next(struct passes_in *in, struct passes *s);
void passes_close(struct passes_in *in);
void passes_free(struct passes *s);
void pass_free(struct pass *p);

struct metric_stats metric_stats_of(const double *x, size_t n); /* x free of NAN; not moved */
/* The same of the samples of a metric that are not missing and not marked as tail. */
struct metric_stats pass_stats(const struct pass *p, enum metric m, bool with_tail);

/* Write the stream: head with s->run and s->pg, rows, trailer.  The columns are those that were read, and pass, full and
 * role always. */
void passes_write(const struct passes *s, enum spelling spelling, bool header);
/* The same in steps, for a writer that does not hold all passes. */
void passes_begin(struct table_out *out, const struct passes *s, enum spelling spelling, bool header);
void passes_put(struct table_out *out, const struct passes *s, const struct pass *p);
void passes_end(struct table_out *out, const struct passes *s);

#endif
