/* synth: event logs with planted truth.  A test program, above lib L0 only; not installed.
 *
 * options -> dataset and plan -> simulation -> lines, and the truth beside them.  Everything random is a function of
 * (seed, stream, index), so one option does not reshuffle what the others decide.  Structs here own what they point to
 * until the program ends.  Simulated times are ns since the start of the load, as doubles. */
#ifndef SYNTH_H
#define SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"

/* ---- options.c ---- */

enum mode { MODE_CONCURRENCY, MODE_POISSON, MODE_OFFLINE };
enum wire { WIRE_TWO_CHUNK, WIRE_PER_TOKEN, WIRE_PLAIN, WIRE_REASONING, WIRE_TOOL, WIRE_NULL, WIRE_FIELD };
enum ids { IDS_UUID, IDS_SHORT };
enum prompt { PROMPT_TEXT, PROMPT_IDS, PROMPT_BOTH, PROMPT_MESSAGES, PROMPT_NONE };

/* The level of TPOT is base * (1 + sum of the deltas whose [at, until) holds the progress of the run). */
struct step {
    double delta, at, until;
    int64_t pass, time_ns; /* where it came to pass; -1 = never reached */
};

struct options {
    int64_t seed, mode;
    /* load */
    int64_t concurrency, slots, requests, dataset, bytes, workers;
    double passes, rate, overload, duration_s, drain_s, dawdle_us;
    /* lengths */
    double osl_mean, osl_sigma, hairball, hairball_factor;
    int64_t osl_max;
    /* speed */
    double tpot_ms, ttft_ms, base, noise, phi, request_noise, ttft_noise, drift, ramp_from;
    double ramp_passes, ramp_s;
    VEC(struct step) steps;
    /* what happens to requests: shares */
    double fail, reject, timeout, cancel, unfinished, retry, reopen;
    int64_t warmup;
    /* wire */
    int64_t wire, ids, prompt, prompt_bytes;
    double escapes; /* backslashes per KB of text */
    bool tokens_recorded, no_tokens, usage, all_chunks, agentic, token_free, epoch, intended;
    /* damage */
    double clock_fault, dup_done, late_lines, late_by_s, orphan, malformed, other, truncate;
    double forms; /* share of lines in unusual but equal forms */
    bool no_end, crlf, nasty;
    /* instead of a log, or beside it */
    int64_t worked;
    const char *truth;
};

void options_parse(struct options *o, int argc, char **argv); /* ends the program on --help and on errors */

/* ---- rand.c: counter-based, so a value does not depend on what was drawn before ---- */

enum stream {
    RAND_ITEM,
    RAND_SHUFFLE,
    RAND_NOISE,
    RAND_REQUEST,
    RAND_TTFT,
    RAND_FATE,
    RAND_WHEN,
    RAND_ARRIVAL,
    RAND_DAWDLE,
    RAND_ID,
    RAND_TEXT,
    RAND_LINE,
    RAND_LATE,
    RAND_FAULT,
    RAND_FORM,
    RAND_TURN,
    RAND_NASTY,
    RAND_RETRY,
    RAND_OFFSET
};
void rand_seed(uint64_t seed);
uint64_t rand_bits(enum stream stream, uint64_t index);
double rand_unit(enum stream stream, uint64_t index); /* [0, 1) */
double rand_normal(enum stream stream, uint64_t index); /* standard, cut at +-3.5 so that times stay positive */
double rand_quantile(double p); /* of the standard normal, 0 < p < 1 (Acklam, 2003) */
void rand_shuffle(uint32_t *v, size_t n, enum stream stream, uint64_t index);

/* ---- text.c: prompts and replies are stretches of one pool of words, already escaped for JSON ---- */

void text_init(double escapes_per_kb);
/* Append words [from, from + n) of the cyclic pool, each with its leading space (the first without: bare). */
void text_words(struct buf *b, uint64_t from, int64_t n, bool bare);
void text_strings(struct buf *b, uint64_t from, int64_t n); /* the same, one JSON string per word, comma between */
void text_bytes(struct buf *b, uint64_t from, int64_t n); /* whole words, about n bytes */

/* ---- plan.c: dataset, shuffled passes, level of TPOT, what the truth follows from ---- */

struct plan {
    int64_t n; /* requests to issue (INT64_MAX: until the time is up) */
    int64_t pass_size;
    int64_t n_items; /* 0: every request is new */
    int32_t *item_osl;
    double osl_mean, ttft_ns, tpot_ns, e2e_ns;
    double rate, gap_ns; /* of arrivals: per ns as planted, and the mean gap that makes it exact */
    double *pass_factor; /* noise of pass k, mean 1 from the first pass after the ramp on */
    int64_t n_factors;
    double occupancy; /* at which TPOT is what was planted */
    uint32_t *order; /* items of the current pass */
    int64_t order_pass;
};

void plan_init(struct plan *p, const struct options *o);
int64_t plan_item(struct plan *p, int64_t request); /* requests ascend, but for the one before */
double plan_gap(const struct plan *p, int64_t request); /* ns between this arrival and the one before */
int64_t plan_osl(const struct plan *p, const struct options *o, int64_t item);

/* ---- emit.c: what the log says ---- */

enum fate { FATE_DONE, FATE_ERROR, FATE_REJECTED, FATE_TIMEOUT, FATE_CANCELLED, FATE_UNFINISHED, N_FATES };
/* FAILED holds ErrorData; PARTIAL follows an ERROR line and holds nothing, or the part that came before it. */
enum line {
    LINE_ISSUED,
    LINE_FIRST,
    LINE_NEXT,
    LINE_ERROR,
    LINE_COMPLETE,
    LINE_FAILED,
    LINE_PARTIAL,
    LINE_DUP,
    LINE_ORPHAN,
    LINE_STOP
};

struct request {
    int64_t number, item, pass, osl;
    int64_t client, conversation, turn;
    double intended, sent, first, factor, left; /* left: tokens still to decode; factor: work per token */
    enum fate fate;
    int refs; /* the simulation, and every line not yet written */
    bool resent;
    bool retry, reopen, early; /* what this attempt ends in; early: a failure comes before the first token */
};

struct counts {
    int64_t lines, blank, malformed, other, orphan_ids, bad_payload, bytes;
};

void emit_init(const struct options *o);
void emit_session(const char *event, int64_t ts);
void emit_warmup(int64_t n, int64_t ts);
/* fate: of LINE_ERROR and LINE_FAILED, what went wrong.  r may be NULL for LINE_STOP. */
void emit_request(const struct request *r, enum line kind, enum fate fate, int64_t ts);
void emit_end(struct counts *c); /* flush, cut off where --truncate says */
double emit_request_bytes(const struct plan *p); /* mean bytes of a completed request's lines */

/* ---- sim.c ---- */

struct truth {
    int64_t fates[N_FATES], issued, retries, reopened, dup_done, clock_faults, late;
    int64_t early_done, reissued_after_end; /* --nasty: a complete stamped before its issue; an issue after the end */
    double last_issue, end;
    VEC(double) pass_sum; /* TPOT, ns, over completed requests of the pass */
    VEC(int64_t) pass_n;
};

void sim_init(struct options *o, struct plan *p, struct truth *t); /* keeps them; the plan may be made later */
int64_t sim_stamp(double t); /* ns since the start of the load -> timestamp_ns */
void sim_run(void);

/* ---- truth.c, worked.c ---- */

void truth_write(const struct options *o, const struct plan *p, const struct truth *t, const struct counts *c);
void worked_write(int64_t example); /* the ledger of the worked goodput example, on stdout */

#endif
