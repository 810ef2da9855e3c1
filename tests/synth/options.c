/* options: one table, from which the parser and --help come. */

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"
#include "out.h"
#include "synth.h"

enum type { HEAD, INT, REAL, SHARE, FLAG, STRING, BYTES, CHOICE, STEP, EXCURSION, RAMP, PRESET, HELP };

struct row {
    const char *name; /* or the heading */
    enum type type;
    size_t offset;
    const char *arg; /* as --help shows it; of a choice: the words, in the order of the enum */
    const char *help;
};

#define AT(field) offsetof(struct options, field)

static const struct row rows[] = {
    {"Load", HEAD, 0, NULL, NULL},
    {"seed", INT, AT(seed), "S", "same options and seed, same bytes (1)"},
    {"mode", CHOICE, AT(mode), "concurrency|poisson|offline", "closed loop, open loop, or all at once (concurrency)"},
    {"concurrency", INT, AT(concurrency), "C", "clients of the closed loop; else slots of the server (64)"},
    {"slots", INT, AT(slots), "B", "batch limit of the server (C)"},
    {"rate", REAL, AT(rate), "R", "poisson: requests a second (0.7 of capacity)"},
    {"overload", REAL, AT(overload), "F", "poisson: rate = F times capacity; above 1 the backlog grows"},
    {"requests", INT, AT(requests), "N", "stop issuing after N requests"},
    {"passes", REAL, AT(passes), "K", "... after K passes over the dataset (40)"},
    {"duration", REAL, AT(duration_s), "S", "... after S seconds"},
    {"bytes", BYTES, AT(bytes), "B", "... so that the log has about B bytes (suffixes k, M, G)"},
    {"dataset", INT, AT(dataset), "N", "prompts, repeated in shuffled passes; 0 = every request is new (400)"},
    {"dawdle", REAL, AT(dawdle_us), "US", "closed loop: mean time from a completion to the next send (50)"},
    {"drain", REAL, AT(drain_s), "S", "end the log S seconds after the last send (when all have ended)"},
    {"workers", INT, AT(workers), "N", "write worker_id, of N workers (0 = none)"},
    {"warmup", INT, AT(warmup), "N", "requests before tracking starts, which never complete (0)"},
    {"agentic", FLAG, AT(agentic), NULL, "conversations with several turns"},
    {"intended", FLAG, AT(intended), NULL, "poisson: write intended_ns; the send lags up to 1 ms behind it"},

    {"Lengths", HEAD, 0, NULL, NULL},
    {"osl-mean", REAL, AT(osl_mean), "N", "mean output tokens; the length belongs to the prompt (200)"},
    {"osl-sigma", REAL, AT(osl_sigma), "X", "sigma of the lognormal of output lengths; 0 = all the same (0.5)"},
    {"osl-max", INT, AT(osl_max), "N", "cut of output lengths (20 times the mean)"},
    {"hairball", SHARE, AT(hairball), "P", "share of prompts with very long replies, which pile up in flight (0)"},
    {"hairball-factor", REAL, AT(hairball_factor), "X", "how many times the mean those are (15)"},

    {"Speed", HEAD, 0, NULL, NULL},
    {"tpot-ms", REAL, AT(tpot_ms), "MS", "TPOT with the batch full; poisson: at the mean occupancy (20)"},
    {"ttft-ms", REAL, AT(ttft_ms), "MS", "prefill time; queueing comes on top (100)"},
    {"base", SHARE, AT(base), "P", "share of TPOT that does not depend on occupancy (0.6)"},
    {"noise", REAL, AT(noise), "COV", "of TPOT between passes, mean 1 over the passes after the ramp (0.01)"},
    {"phi", REAL, AT(phi), "PHI", "lag-1 autocorrelation of that noise (0.3)"},
    {"request-noise", REAL, AT(request_noise), "COV", "of TPOT between requests, antithetic in pairs (0.03)"},
    {"ttft-noise", REAL, AT(ttft_noise), "COV", "of the prefill time, antithetic in pairs (0.15)"},
    {"ramp", RAMP, 0, "K|Ss", "slots open over K passes, or S seconds: queues, and a TPOT that climbs (0)"},
    {"ramp-from", SHARE, AT(ramp_from), "P", "share of the slots open at the start of the ramp (0.3)"},
    {"drift", REAL, AT(drift), "X", "TPOT grows linearly by this fraction over the run (0)"},
    {"step", STEP, 0, "X@P", "TPOT changes by the fraction X from P of the run on; repeatable, deltas add up"},
    {"excursion", EXCURSION, 0, "X@P:Q", "... and back at Q; repeatable"},

    {"Fate of requests, each a share", HEAD, 0, NULL, NULL},
    {"fail", SHARE, AT(fail), "P", "error"},
    {"reject", SHARE, AT(reject), "P", "rejected at once"},
    {"timeout", SHARE, AT(timeout), "P", "timeout"},
    {"cancel", SHARE, AT(cancel), "P", "cancelled"},
    {"unfinished", SHARE, AT(unfinished), "P", "its end never shows in the log"},
    {"retry", SHARE, AT(retry), "P", "sent again, under the same id, before it ended"},
    {"reopen", SHARE, AT(reopen), "P", "fails, and is sent again under the same id"},

    {"Form of the log", HEAD, 0, NULL, NULL},
    {"wire", CHOICE, AT(wire), "two-chunk|per-token|plain|reasoning|tool|null|field",
     "data of complete; field = two-chunk with output_tokens (two-chunk)"},
    {"tokens-recorded", FLAG, AT(tokens_recorded), NULL, "write output_tokens in any wire form"},
    {"usage", FLAG, AT(usage), NULL, "... as usage.completion_tokens"},
    {"no-tokens", FLAG, AT(no_tokens), NULL, "no recorded count, whatever else says so"},
    {"all-chunks", FLAG, AT(all_chunks), NULL, "log every recv_non_first, one per token"},
    {"token-free", FLAG, AT(token_free), NULL, "embedding-like: uniform work, no first token, no output"},
    {"prompt", CHOICE, AT(prompt), "text|ids|both|messages|none", "data of issued (text)"},
    {"prompt-bytes", BYTES, AT(prompt_bytes), "N", "length of a prompt (400)"},
    {"escapes", REAL, AT(escapes), "N", "backslashes per KB of text (2)"},
    {"ids", CHOICE, AT(ids), "uuid|short", "32 hex digits, or r0000000 (uuid)"},
    {"epoch", FLAG, AT(epoch), NULL, "stamps since 1970 instead of a monotonic clock"},
    {"crlf", FLAG, AT(crlf), NULL, "lines end in CR LF"},
    {"forms", SHARE, AT(forms), "P", "lines in another form that means the same (0)"},
    {"preset", PRESET, 0, "two-chunk|per-token|long|tiny|offline", "the inputs of make bench; what follows overrides"},

    {"Damage", HEAD, 0, NULL, NULL},
    {"no-end", FLAG, AT(no_end), NULL, "no session.ended"},
    {"truncate", SHARE, AT(truncate), "P", "cut off in mid line at this share of the bytes (held in memory)"},
    {"late-lines", SHARE, AT(late_lines), "P", "share of lines written late"},
    {"late-by", REAL, AT(late_by_s), "S", "... by up to S seconds (0.5)"},
    {"clock-fault", SHARE, AT(clock_fault), "P", "share of first tokens stamped before the send"},
    {"dup-done", SHARE, AT(dup_done), "P", "share of requests that complete twice"},
    {"orphan", SHARE, AT(orphan), "P", "per request, events of an id that was never issued"},
    {"malformed", SHARE, AT(malformed), "P", "per line, a malformed one after it"},
    {"other", SHARE, AT(other), "P", "per line, an event of an unknown type or a blank line after it"},
    {"nasty", FLAG, AT(nasty), NULL, "a mixture of all faults, chosen by the seed"},

    {"Output", HEAD, 0, NULL, NULL},
    {"truth", STRING, AT(truth), "FILE", "write what was planted, as JSON"},
    {"worked", INT, AT(worked), "1|2", "write the ledger of the worked goodput example instead of a log"},
    {"help", HELP, 0, NULL, "this text"},
};

#define N_ROWS (sizeof rows / sizeof *rows)

static void help(void) {
    out_str("usage: synth [OPTION...] > events.jsonl\n\n"
            "Write the event log of a simulated benchmark.  The server shares its processor: all of its slots decode\n"
            "at one rate, which falls as more of them are taken.  Defaults stand in parentheses.\n");
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *r = &rows[i];
        if (r->type == HEAD)
            out_printf("\n%s\n", r->name);
        else if (r->type == CHOICE || r->type == PRESET)
            out_printf("  --%s %s\n%25s%s\n", r->name, r->arg, "", r->help);
        else
            out_printf("  --%s %-*s %s\n", r->name, 20 - (int)strlen(r->name), r->arg ? r->arg : "", r->help);
    }
    out_close();
    exit(0);
}

/* The index of s among the words of "a|b|c", or -1. */
static int64_t word_index(const char *words, const char *s) {
    size_t n = strlen(s);
    for (int64_t i = 0;; i++) {
        size_t w = strcspn(words, "|");
        if (w == n && memcmp(words, s, n) == 0) return i;
        if (!words[w]) return -1;
        words += w + 1;
    }
}

static double real(const char *name, const char *s, size_t n) {
    double v;
    size_t plus = n > 0 && s[0] == '+';
    if (!num_real(s + plus, n - plus, &v)) die("option --%s: not a number, '%s'", name, s);
    return v;
}

static int64_t integer(const char *name, const char *s, size_t n) {
    int64_t v;
    if (!num_int(s, n, &v) || v < 0) die("option --%s: not a count, '%s'", name, s);
    return v;
}

static int64_t bytes(const char *name, const char *s) {
    size_t n = strlen(s);
    const char *suffix = n ? strchr("kMG", s[n - 1]) : NULL;
    int64_t unit = !suffix ? 1 : *suffix == 'k' ? 1000 : *suffix == 'M' ? 1000000 : 1000000000;
    return unit * integer(name, s, n - (suffix != NULL));
}

/* X@P or X@P:Q */
static void step(struct options *o, const struct row *r, const char *s) {
    const char *at = strchr(s, '@');
    if (!at) die("option --%s: wants %s, '%s'", r->name, r->arg, s);
    size_t n = strcspn(at + 1, ":");
    struct step step = {.delta = real(r->name, s, (size_t)(at - s)),
                        .at = real(r->name, at + 1, n),
                        .until = 2,
                        .pass = -1,
                        .time_ns = -1};
    if ((at[1 + n] == ':') != (r->type == EXCURSION)) die("option --%s: wants %s, '%s'", r->name, r->arg, s);
    if (r->type == EXCURSION) step.until = real(r->name, at + n + 2, strlen(at + n + 2));
    vec_push(&o->steps, step);
}

static void ramp(struct options *o, const struct row *r, const char *s) {
    size_t n = strlen(s);
    bool seconds = n > 1 && s[n - 1] == 's';
    double v = real(r->name, s, n - seconds);
    o->ramp_s = seconds ? v : 0;
    o->ramp_passes = seconds ? 0 : v;
}

static void preset(struct options *o, const struct row *r, const char *s) {
    int64_t which = word_index(r->arg, s);
    if (which < 0) die("option --preset: one of %s, not '%s'", r->arg, s);
    o->concurrency = 512;
    o->dataset = 4096;
    o->osl_mean = which == 2 ? 2000 : 300;
    o->wire = which == 0 ? WIRE_TWO_CHUNK : which == 1 ? WIRE_PER_TOKEN : which == 2 ? WIRE_REASONING : WIRE_NULL;
    o->prompt = which < 3 ? PROMPT_TEXT : PROMPT_NONE;
    o->prompt_bytes = which == 2 ? 300 : 1200;
    o->escapes = which == 2 ? 50 : 5;
    o->bytes = which < 3 ? 1000000000 : 0;
    o->requests = which < 3 ? 0 : 1670000;
    o->mode = which == 4 ? MODE_OFFLINE : MODE_CONCURRENCY;
}

static void set(struct options *o, const struct row *r, const char *s) {
    void *field = (char *)o + r->offset;
    switch (r->type) {
    case INT: *(int64_t *)field = integer(r->name, s, strlen(s)); break;
    case BYTES: *(int64_t *)field = bytes(r->name, s); break;
    case REAL: *(double *)field = real(r->name, s, strlen(s)); break;
    case SHARE:
        *(double *)field = real(r->name, s, strlen(s));
        if (*(double *)field < 0 || *(double *)field > 1) die("option --%s: not between 0 and 1, '%s'", r->name, s);
        break;
    case FLAG: *(bool *)field = true; break;
    case STRING: *(const char **)field = s; break;
    case CHOICE:
        *(int64_t *)field = word_index(r->arg, s);
        if (*(int64_t *)field < 0) die("option --%s: one of %s, not '%s'", r->name, r->arg, s);
        break;
    case STEP:
    case EXCURSION: step(o, r, s); break;
    case RAMP: ramp(o, r, s); break;
    case PRESET: preset(o, r, s); break;
    case HELP: help(); break;
    case HEAD: break;
    }
}

/* Every fault at a strength that the seed decides; about half of them are off. */
static void nasty(struct options *o) {
    double *const shares[] = {&o->fail,   &o->reject,    &o->timeout,  &o->cancel,     &o->unfinished,
                              &o->retry,  &o->reopen,    &o->dup_done, &o->late_lines, &o->clock_fault,
                              &o->orphan, &o->malformed, &o->other,    &o->forms};
    static const double strengths[] = {0, 0, 0, 0.01, 0.05, 0.15};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (*shares[i] == 0) *shares[i] = strengths[rand_bits(RAND_NASTY, i) % 6];
    o->wire = (int64_t)(rand_bits(RAND_NASTY, 100) % 7);
    o->prompt = (int64_t)(rand_bits(RAND_NASTY, 101) % 5);
    o->mode = (int64_t)(rand_bits(RAND_NASTY, 102) % 3);
    o->warmup = (int64_t)(rand_bits(RAND_NASTY, 103) % 4);
    o->all_chunks = rand_bits(RAND_NASTY, 104) % 8 == 0;
    o->no_end = rand_bits(RAND_NASTY, 105) % 8 == 0;
    o->crlf = rand_bits(RAND_NASTY, 106) % 8 == 0;
    o->epoch = rand_bits(RAND_NASTY, 107) % 2 == 0;
    o->tokens_recorded = rand_bits(RAND_NASTY, 108) % 2 == 0;
}

void options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){
        .seed = 1,
        .concurrency = 64,
        .slots = -1,
        .dataset = 400,
        .dawdle_us = 50,
        .drain_s = -1,
        .osl_mean = 200,
        .osl_sigma = 0.5,
        .hairball_factor = 15,
        .tpot_ms = 20,
        .ttft_ms = 100,
        .base = 0.6,
        .noise = 0.01,
        .phi = 0.3,
        .request_noise = 0.03,
        .ttft_noise = 0.15,
        .ramp_from = 0.3,
        .prompt_bytes = 400,
        .escapes = 2,
        .late_by_s = 0.5,
    };
    enum { FIRST = 1000 }; /* clear of the characters that getopt_long itself returns */
    struct option longs[N_ROWS + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        int argument = rows[i].arg ? required_argument : no_argument;
        if (rows[i].type != HEAD) longs[n++] = (struct option){rows[i].name, argument, NULL, FIRST + (int)i};
    }
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (c < FIRST) exit(DIE_STATUS);
        set(o, &rows[c - FIRST], optarg);
    }
    if (optind < argc) die("no operands wanted, '%s'", argv[optind]);
    rand_seed((uint64_t)o->seed);
    if (o->nasty) nasty(o);
    if (o->concurrency < 1 || o->tpot_ms <= 0 || o->osl_mean < 1)
        die("--concurrency and --osl-mean must be at least 1 and --tpot-ms above 0");
    if (o->fail + o->reject + o->timeout + o->cancel + o->unfinished > 1)
        die("the shares of failed requests add up to more than 1");
    if (o->slots < 1) o->slots = o->concurrency;
    if (o->osl_max < 1) o->osl_max = (int64_t)(20 * o->osl_mean);
    if (o->token_free) {
        o->osl_sigma = 0;
        o->wire = WIRE_NULL;
    }
    if (o->prompt_bytes == 0) o->prompt = PROMPT_NONE;
    if (o->wire == WIRE_FIELD) o->tokens_recorded = true;
    if (o->no_tokens) o->tokens_recorded = o->usage = false;
    o->tokens_recorded |= o->usage;
}
