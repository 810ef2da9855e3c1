/* ev2ledger: from the event log of a benchmark to one row per offered request.
 *
 *     {"event_type":"sample.issued","timestamp_ns":1001000000,"sample_uuid":"s1","data":["PromptData","hi"]}
 *     {"event_type":"sample.recv_first","timestamp_ns":1121000000,"sample_uuid":"s1"}
 *     {"event_type":"sample.complete","timestamp_ns":1181000000,"sample_uuid":"s1","output_tokens":3,
 *      "data":["TextModelOutput",["a"," b c"]]}
 *
 *     request  seq  tracked  outcome    issued_ns   first_ns    done_ns     ttft_ns    tpot_ns   e2e_ns     …
 *     s1       0    1        completed  1001000000  1121000000  1181000000  120000000  30000000  180000000  …
 *
 * The log is read once and never held: lines become events (events), events of one id become a request by their stamps
 * (join), and a row leaves in issue order as soon as nothing can change it.  Files of other harnesses are read whole by
 * an adapter (adapt).  A ledger is copied, for its other spelling.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapt.h"
#include "classify.h"
#include "coprocess.h"
#include "die.h"
#include "events.h"
#include "format.h"
#include "join.h"
#include "num.h"
#include "opts.h"
#include "out.h"
#include "progress.h"
#include "serverside.h"
#include "tokens.h"

struct options {
    struct common common;
    const char *format, *map;
    bool list_formats, list_runs;
    const char *run;
    int tokens;
    const char *tokenizer, *tokens_cmd;
    int64_t token_sample;
    const char *classify;
    const char *tracking;
    int64_t session;
    double slack, retry_hold, give_up;
    bool sort, ids_reused, strict;
    int latency_from, retry_clock, tpot_end;
    struct serverside_options server;
};

#define AT(m) offsetof(struct options, m)
static const struct opt option[] = {
    {'f', "format", "NAME", OPT_TEXT, AT(format), "what wrote the file: auto (default), events, ledger, or a harness",
     NULL, 0, 0},
    {0, "map", "FILE", OPT_TEXT, AT(map), "read the file through a jq program of yours", NULL, 0, 0},
    {0, "list-formats", NULL, OPT_FLAG, AT(list_formats), "name the formats and end", NULL, 0, 0},
    {0, "list-runs", NULL, OPT_FLAG, AT(list_runs), "name the runs in a file that holds several, and end", NULL, 0, 0},
    {0, "run", "N|all", OPT_TEXT, AT(run), "the run to take from such a file", NULL, 0, 0},
    {0, "tokens", "SOURCE", OPT_CHOICE, AT(tokens),
     "auto|field|chunks|none: recorded counts, or one token per chunk (default auto: field, else text)",
     "auto|field|chunks|none", 0, 0},
    {0, "tokenizer", "FILE", OPT_TEXT, AT(tokenizer),
     "count text with a Hugging Face tokenizer.json or a tiktoken rank file", NULL, 0, 0},
    {0, "tokens-cmd", "CMD", OPT_TEXT, AT(tokens_cmd),
     "count with a command: a JSON string a line in, an integer a line out", NULL, 0, 0},
    {0, "token-sample", "K", OPT_INT, AT(token_sample), "count the text of K replies in 1000 only", NULL, 0, 1000},
    {0, "classify", "FILE", OPT_TEXT, AT(classify), "jq program that turns an error into an outcome", NULL, 0, 0},
    {0, "tracking", "WHICH", OPT_TEXT, AT(tracking),
     "logged|all|FROM:TO: the requests that count (default logged: as the log says)", NULL, 0, 0},
    {0, "session", "N", OPT_INT, AT(session), "which session of a log that holds several, from 1", NULL, 1, 1e9},
    {0, "slack", "S", OPT_REAL, AT(slack), "how far lines may be out of place (default 1)", NULL, 0, 1e9},
    {0, "sort", NULL, OPT_FLAG, AT(sort), "hold all requests to the end: exact for any order of lines", NULL, 0, 0},
    {0, "retry-hold", "S", OPT_REAL, AT(retry_hold), "wait this long for a retry after a failure (default 10)", NULL, 0,
     1e9},
    {0, "give-up", "S", OPT_REAL, AT(give_up),
     "write a request open for longer than this as unfinished (default: never)", NULL, 0, 1e9},
    {0, "ids-reused", NULL, OPT_FLAG, AT(ids_reused), "a row per issue, ID#k from the second of an id on", NULL, 0, 0},
    {0, "latency-from", "intended|issued", OPT_CHOICE, AT(latency_from),
     "where latencies start (default intended, where there is one)", "intended|issued", 0, 0},
    {0, "retry-clock", "first|last", OPT_CHOICE, AT(retry_clock), "the send that counts after a retry (default first)",
     "first|last", 0, 0},
    {0, "tpot-end", "done|last", OPT_CHOICE, AT(tpot_end), "where TPOT ends: the end (default), or the last chunk",
     "done|last", 0, 0},
    {0, "join", "FILE", OPT_TEXT, AT(server.join), "add the columns of a server or gateway: a row per request", NULL, 0,
     0},
    {0, "on", "KEY", OPT_TEXT, AT(server.on),
     "request[=COLUMN][,ROLE=COLUMN...]: the file's column of request ids (default request), and its stamps", NULL, 0,
     0},
    {0, "clock-offset", "auto|NS", OPT_TEXT, AT(server.clock_offset),
     "compare the server's stamps with the client's: ns to add to them, or estimated (default: never)", NULL, 0, 0},
    {0, "strict", NULL, OPT_FLAG, AT(strict), "a malformed line is status 2", NULL, 0, 0},
};
#undef AT

static const struct tool tool = {
    .name = "ev2ledger",
    .what = "Turn the event log of a benchmark into a ledger: one row per offered request.",
    .operands = "[FILE]",
    .example = "ev2ledger run.jsonl > ledger.tsv",
    .opt = option,
    .n = sizeof option / sizeof *option,
    .size = sizeof(struct options),
};

/* ---- What the options mean ---- */

static int64_t ns(double seconds) { return (int64_t)(seconds * 1e9 + 0.5); }

static bool stamp_or(const char *s, size_t n, int64_t missing, int64_t *v) {
    *v = missing;
    return n == 0 || num_int(s, n, v);
}

static void read_tracking(const char *text, struct join_rule *rule) {
    rule->tracking = TRACKING_LOGGED;
    if (!text || strcmp(text, "logged") == 0) return;
    if (strcmp(text, "all") == 0) {
        rule->tracking = TRACKING_ALL;
        return;
    }
    const char *colon = strchr(text, ':');
    if (!colon || !stamp_or(text, (size_t)(colon - text), INT64_MIN, &rule->from_ns) ||
        !stamp_or(colon + 1, strlen(colon + 1), INT64_MAX, &rule->to_ns))
        die("--tracking: '%s' is none of logged, all, FROM:TO in ns", text);
    if (rule->from_ns > rule->to_ns) die("--tracking: '%s' ends before it begins", text);
    rule->tracking = TRACKING_WINDOW;
}

static struct join_rule rule_of(const struct options *o, struct classify *classify, struct told_counter *counter) {
    struct join_rule rule = {
        .slack_ns = ns(o->slack),
        .retry_hold_ns = ns(o->retry_hold),
        .give_up_ns = o->give_up < 0 ? INT_NONE : ns(o->give_up),
        .sort = o->sort,
        .ids_reused = o->ids_reused,
        .session = o->session,
        .spans = {(enum latency_from)o->latency_from, (enum retry_clock)o->retry_clock, (enum tpot_end)o->tpot_end},
        .classify = classify,
        .tokens = (enum told_tokens)o->tokens,
        .counter = counter->ask ? counter : NULL,
        .token_sample = o->token_sample,
    };
    read_tracking(o->tracking, &rule);
    return rule;
}

/* ---- Event logs ---- */

struct sink {
    struct table_out table;
    struct serverside *server;
};

static void write_row(void *context, const struct ledger_row *row) {
    struct sink *sink = context;
    ledger_write(&sink->table, row);
    serverside_put(sink->server, &sink->table, row);
}

/* How many of n events are well-formed; the others are said on stderr. */
static size_t report_malformed(const char *file, const struct event *event, size_t n, bool strict) {
    size_t well_formed = n;
    for (size_t i = 0; i < n; i++) {
        if (event[i].kind != EV_MALFORMED) continue;
        well_formed--;
        if (strict) die_at(file, event[i].line, "byte %lld: %s", event[i].fault.offset, event[i].fault.why);
        warn_at("malformed lines", file, event[i].line, "byte %lld: %s", event[i].fault.offset, event[i].fault.why);
    }
    return well_formed;
}

/* Of the threads, one joins and writes; more than three ahead of it would only wait. */
static unsigned thread_count(const struct options *o) {
    long n = o->common.threads > 0 ? (long)o->common.threads : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 4 ? 4 : (unsigned)n;
}

static void begin(struct sink *sink, const struct options *o, const struct join_rule *rule, const json_t *pg) {
    json_t *run = join_run(rule);
    size_t n;
    const struct column *column = serverside_columns(sink->server, ledger_schema.column, ledger_schema.n, &n);
    table_begin(&sink->table, opts_spelling(&o->common, SPELL_TSV), !o->common.no_header, &ledger_schema, column, n,
                run, pg);
    json_decref(run);
}

/* Nothing is written before a well-formed event was seen. */
static void from_events(const char *path, const struct options *o, const struct join_rule *rule,
                        struct serverside *server, const json_t *pg) {
    struct events *events = events_open(path, thread_count(o));
    const struct in *in = events_in(events);
    struct sink sink = {.server = server};
    bool begun = false;
    struct join *join = join_start(rule, in->name, write_row, &sink);
    struct event *event;
    for (size_t n; (n = events_next(events, &event)) > 0;) {
        if (report_malformed(in->name, event, n, o->strict) > 0 && !begun) {
            begin(&sink, o, rule, pg);
            begun = true;
        }
        join_events(join, event, n);
        progress_show(in->name, events_offset(events), in->size);
    }
    progress_clear();
    join_finish(join);
    json_t *end = join_trailer(join);
    serverside_finish(server, &sink.table, end);
    table_end(&sink.table, end);
    join_free(join);
    events_close(events);
}

/* ---- Ledgers, for their other spelling ---- */

static void from_ledger(const char *path, const struct options *o, struct serverside *server, const json_t *pg) {
    struct ledger_in *in = ledger_open(path);
    struct table_in *t = ledger_table(in);
    size_t n;
    const struct column *column = serverside_columns(server, t->column, t->n, &n);
    struct table_out out;
    json_t *chain = json_copy(t->stream.pg);
    json_array_extend(chain, (json_t *)pg);
    table_begin(&out, opts_spelling(&o->common, SPELL_TSV), !o->common.no_header, &ledger_schema, column, n,
                t->stream.run, chain);
    struct ledger_row row;
    while (ledger_read(in, &row)) {
        for (size_t i = 0; i < t->n; i++)
            table_put(&out, t->cell[i]);
        serverside_put(server, &out, &row);
    }
    json_t *end = t->stream.end ? json_copy(t->stream.end) : json_object();
    json_object_set(end, "run", t->stream.run);
    json_object_del(end, "rows");
    serverside_finish(server, &out, end);
    table_end(&out, end);
    json_decref(chain);
    ledger_close(in);
}

/* ---- Other harnesses ---- */

static void from_harness(const char *path, const char *format, const struct options *o, const struct join_rule *rule,
                         struct serverside *server, const json_t *pg) {
    static const enum maprow_tokens tokens[] = {[TOKENS_AUTO] = MAPROW_FIELD,
                                                [TOKENS_FIELD] = MAPROW_FIELD,
                                                [TOKENS_CHUNKS] = MAPROW_CHUNKS,
                                                [TOKENS_NONE] = MAPROW_NONE};
    if (rule->counter)
        die("--%s: %s keeps token counts, not texts to be counted", o->tokenizer ? "tokenizer" : "tokens-cmd", format);
    struct adapt a;
    struct adapt_options options = {format, o->map, o->strict, {rule->classify, rule->spans, tokens[rule->tokens]}};
    adapt_read(&a, path, &options);
    if (o->list_runs)
        adapt_list(&a);
    else
        adapt_write(&a, adapt_choose(&a, o->run), server, opts_spelling(&o->common, SPELL_TSV), !o->common.no_header,
                    pg);
    adapt_free(&a);
}

/* ---- Which of the three ---- */

static void list_formats(void) {
    out_str("events\tthe native event log, events.jsonl\nledger\ta ledger of this suite, copied\n");
    for (const struct format *f = format_shipped; f->name; f++) {
        struct view what = format_what(f);
        out_printf("%s\t%.*s\n", f->name, (int)what.n, what.s);
    }
}

/* The format the first bytes show.  Only as many are waited for as it takes. */
static const char *detect(const char *path) {
    const char *head, *name = NULL, *unsupported = NULL;
    size_t n = 0, before = 0;
    while (!name && !unsupported && (n = in_peek(path, &head, FORMAT_HEAD)) > before) {
        name = format_detect((struct view){head, n}, &unsupported);
        before = n;
    }
    const char *file = strcmp(path, "-") == 0 ? "stdin" : path;
    if (n == 0) die("%s: empty input", file);
    if (unsupported) die("%s: %s", file, unsupported);
    static const char key[] = "\"event_type\"";
    if (!name && memmem(head, n, key, sizeof key - 1)) name = "events"; /* the first line is not whole */
    if (!name) die("%s: what wrote this cannot be told from its beginning: name it with -f, or give a --map", file);
    if (format_text(name))
        warn("%s: taken for a file of %s (-f names another)", file, name);
    else
        note("%s: taken for the format '%s'", file, name);
    return name;
}

static const char *format_of(const struct options *o, const char *path) {
    if (o->map) return "map";
    if (!o->format || strcmp(o->format, "auto") == 0) return detect(path);
    bool native = strcmp(o->format, "events") == 0 || strcmp(o->format, "ledger") == 0;
    if (!native && !format_text(o->format)) die("--format: '%s' is not known, see --list-formats", o->format);
    return o->format;
}

static int64_t count_tokens(void *tokens, const char *text, size_t n) { return tokens_count(tokens, text, n); }

static struct told_counter counter_of(const struct options *o) {
    if (o->tokenizer && o->tokens_cmd) die("--tokenizer and --tokens-cmd both count: give one of them");
    if (o->tokenizer) {
        struct tokens *t = tokens_open(o->tokenizer);
        return (struct told_counter){tokens_name(t), t, count_tokens, NULL};
    }
    if (!o->tokens_cmd) return (struct told_counter){0};
    struct coprocess *c = coprocess_start("--tokens-cmd", o->tokens_cmd);
    return (struct told_counter){o->tokens_cmd, c, coprocess_ask, coprocess_answer};
}

/* Options that a ledger, or another harness's file, leaves nothing to do: nobody is to believe that they did it. */
static void warn_idle(const char *format, const json_t *pg) {
    static const char *const events_only[] = {"tracking", "session", "slack",      "retry-hold",
                                              "give-up",  "sort",    "ids-reused", "token-sample"},
                             *const not_ledger[] = {"tokens", "tokenizer",    "tokens-cmd",  "classify",
                                                    "strict", "latency-from", "retry-clock", "tpot-end"};
    const json_t *given = json_object_get(json_array_get(pg, 0), "options");
    bool ledger = strcmp(format, "ledger") == 0;
    for (size_t i = 0; i < sizeof events_only / sizeof *events_only; i++)
        if (json_object_get(given, events_only[i]))
            warn("--%s: only an event log is read by it, and this is '%s'", events_only[i], format);
    for (size_t i = 0; ledger && i < sizeof not_ledger / sizeof *not_ledger; i++)
        if (json_object_get(given, not_ledger[i])) warn("--%s: a ledger is copied as it is", not_ledger[i]);
}

static void convert(const char *path, const struct options *o, const json_t *pg) {
    struct serverside *server = serverside_open(&o->server);
    const char *format = format_of(o, path);
    struct told_counter counter = counter_of(o);
    struct classify *classify = classify_new(o->classify);
    struct join_rule rule = rule_of(o, classify, &counter);
    bool events = strcmp(format, "events") == 0, ledger = strcmp(format, "ledger") == 0;
    bool only_one = o->run && strcmp(o->run, "1") != 0 && strcmp(o->run, "all") != 0;
    if ((events || ledger) && (o->list_runs || only_one)) die("%s: this format holds one run per file", path);
    if (!events) warn_idle(format, pg);
    if (events)
        from_events(path, o, &rule, server, pg);
    else if (ledger)
        from_ledger(path, o, server, pg);
    else
        from_harness(path, format, o, &rule, server, pg);
    if (o->tokenizer)
        tokens_free(counter.context);
    else
        coprocess_end(counter.context);
    classify_free(classify);
    serverside_free(server);
}

int main(int argc, char **argv) {
    const struct options defaults = {.token_sample = 1000, .slack = 1, .retry_hold = 10, .give_up = -1};
    struct options o = defaults;
    char **operand = opts_parse(&tool, &o, argc, argv);
    if (o.list_formats) {
        list_formats();
    } else {
        json_t *pg = json_pack("[o]", opts_provenance(&tool, &o, &defaults));
        convert(opts_single(operand), &o, pg);
        json_decref(pg);
    }
    warn_summary();
    out_close();
    return 0;
}
