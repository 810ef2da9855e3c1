#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"

const char *const outcome_name[N_OUTCOMES] = {"completed", "error", "rejected", "timeout", "cancelled", "unfinished"};

/* Flags in the order they are written: bit i of the word is flag_name[i]. */
static const char *const flag_name[] = {"retry",       "no_first", "late_first",    "clock_back",
                                        "zero_span",   "dup_done", "first_assumed", "multi_token_chunk",
                                        "chunk_count", "sampled",  "tool_calls",    "limit_stop"};
enum { N_FLAGS = sizeof flag_name / sizeof *flag_name };

/* The columns, in order; the numbers below follow it. */
enum {
    REQUEST,
    SEQ,
    TRACKED,
    OUTCOME,
    INTENDED_NS,
    ISSUED_NS,
    REISSUED_NS,
    FIRST_NS,
    LAST_NS,
    DONE_NS,
    TTFT_NS,
    TPOT_NS,
    GAP_MAX_NS,
    E2E_NS,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    TAIL_TOKENS,
    CHUNKS,
    ATTEMPTS,
    FINISH_REASON,
    ERROR_TYPE,
    QUALITY,
    MODEL,
    SCHEMA,
    CLASS,
    TENANT,
    CONVERSATION,
    TURN,
    WORKER,
    INPUT_HASH,
    ANSWER_FIRST_NS,
    FLAGS,
    N_COLUMNS
};

static const struct column columns[N_COLUMNS] = {
    {"request", TYPE_TEXT},    {"seq", TYPE_INT},         {"tracked", TYPE_BOOL},        {"outcome", TYPE_TEXT},
    {"intended_ns", TYPE_INT}, {"issued_ns", TYPE_INT},   {"reissued_ns", TYPE_INT},     {"first_ns", TYPE_INT},
    {"last_ns", TYPE_INT},     {"done_ns", TYPE_INT},     {"ttft_ns", TYPE_INT},         {"tpot_ns", TYPE_REAL},
    {"gap_max_ns", TYPE_INT},  {"e2e_ns", TYPE_INT},      {"input_tokens", TYPE_INT},    {"output_tokens", TYPE_INT},
    {"tail_tokens", TYPE_INT}, {"chunks", TYPE_INT},      {"attempts", TYPE_INT},        {"finish_reason", TYPE_TEXT},
    {"error_type", TYPE_TEXT}, {"quality", TYPE_TEXT},    {"model", TYPE_TEXT},          {"schema", TYPE_TEXT},
    {"class", TYPE_TEXT},      {"tenant", TYPE_TEXT},     {"conversation", TYPE_TEXT},   {"turn", TYPE_INT},
    {"worker", TYPE_TEXT},     {"input_hash", TYPE_TEXT}, {"answer_first_ns", TYPE_INT}, {"flags", TYPE_TEXT},
};

const struct schema ledger_schema = {"ledger", columns, N_COLUMNS};

const struct ledger_row ledger_row_missing = {
    .seq = INT_NONE,
    .intended_ns = INT_NONE,
    .issued_ns = INT_NONE,
    .reissued_ns = INT_NONE,
    .first_ns = INT_NONE,
    .last_ns = INT_NONE,
    .done_ns = INT_NONE,
    .ttft_ns = INT_NONE,
    .tpot_ns = NAN,
    .gap_max_ns = INT_NONE,
    .e2e_ns = INT_NONE,
    .input_tokens = INT_NONE,
    .output_tokens = INT_NONE,
    .tail_tokens = INT_NONE,
    .chunks = INT_NONE,
    .attempts = INT_NONE,
    .turn = INT_NONE,
    .answer_first_ns = INT_NONE,
};

struct ledger_in {
    struct table_in table;
    int at[N_COLUMNS];
};

struct ledger_in *ledger_open(const char *path) {
    struct ledger_in *in = xcalloc(1, sizeof *in);
    table_open(&in->table, path, &ledger_schema);
    for (int i = 0; i < N_COLUMNS; i++)
        in->at[i] = table_find(&in->table, columns[i].name);
    if (in->table.n > 0) {
        table_need(&in->table, "request", "to tell requests apart");
        table_need(&in->table, "outcome", "to know what became of a request");
    }
    return in;
}

struct table_in *ledger_table(struct ledger_in *in) {
    return &in->table;
}

static enum outcome read_outcome(const struct ledger_in *in) {
    struct view c = table_text(&in->table, in->at[OUTCOME]);
    for (int i = 0; i < N_OUTCOMES; i++)
        if (c.n == strlen(outcome_name[i]) && memcmp(c.s, outcome_name[i], c.n) == 0) return (enum outcome)i;
    die_at(in->table.file, in->table.line, "column 'outcome' is none of the six outcomes");
}

/* Unknown flags are other tools' business and are passed over. */
static unsigned read_flags(struct view c) {
    unsigned flags = 0;
    const char *p = c.s;
    struct view name;
    while (c.n > 0 && vector_next(c, &p, &name))
        for (int i = 0; i < N_FLAGS; i++)
            if (name.n == strlen(flag_name[i]) && memcmp(name.s, flag_name[i], name.n) == 0) flags |= 1U << i;
    return flags;
}

/* Of tokens, chunks or sends: sums of them stay exact. */
static int64_t read_count(const struct table_in *t, int column, const char *name) {
    int64_t v = table_int(t, column);
    if (int_known(v) && (v < 0 || v > INT32_MAX)) die_at(t->file, t->line, "column '%s' is no count", name);
    return v;
}

bool ledger_read(struct ledger_in *in, struct ledger_row *row) {
    const struct table_in *t = &in->table;
    if (!table_next(&in->table)) return false;
    const int *at = in->at;
    *row = (struct ledger_row){
        .request = table_text(t, at[REQUEST]),
        .seq = table_int(t, at[SEQ]),
        .tracked = table_bool(t, at[TRACKED], true),
        .outcome = read_outcome(in),
        .intended_ns = table_int(t, at[INTENDED_NS]),
        .issued_ns = table_int(t, at[ISSUED_NS]),
        .reissued_ns = table_int(t, at[REISSUED_NS]),
        .first_ns = table_int(t, at[FIRST_NS]),
        .last_ns = table_int(t, at[LAST_NS]),
        .done_ns = table_int(t, at[DONE_NS]),
        .ttft_ns = table_int(t, at[TTFT_NS]),
        .tpot_ns = table_real(t, at[TPOT_NS]),
        .gap_max_ns = table_int(t, at[GAP_MAX_NS]),
        .e2e_ns = table_int(t, at[E2E_NS]),
        .input_tokens = read_count(t, at[INPUT_TOKENS], "input_tokens"),
        .output_tokens = read_count(t, at[OUTPUT_TOKENS], "output_tokens"),
        .tail_tokens = read_count(t, at[TAIL_TOKENS], "tail_tokens"),
        .chunks = read_count(t, at[CHUNKS], "chunks"),
        .attempts = read_count(t, at[ATTEMPTS], "attempts"),
        .finish_reason = table_text(t, at[FINISH_REASON]),
        .error_type = table_text(t, at[ERROR_TYPE]),
        .quality = table_text(t, at[QUALITY]),
        .model = table_text(t, at[MODEL]),
        .schema = table_text(t, at[SCHEMA]),
        .class_ = table_text(t, at[CLASS]),
        .tenant = table_text(t, at[TENANT]),
        .conversation = table_text(t, at[CONVERSATION]),
        .turn = table_int(t, at[TURN]),
        .worker = table_text(t, at[WORKER]),
        .input_hash = table_text(t, at[INPUT_HASH]),
        .answer_first_ns = table_int(t, at[ANSWER_FIRST_NS]),
        .flags = read_flags(table_text(t, at[FLAGS])),
    };
    if (row->request.n == 0) die_at(t->file, t->line, "column 'request' is empty");
    return true;
}

void ledger_close(struct ledger_in *in) {
    table_close(&in->table);
    free(in);
}

json_t *ledger_complete(const json_t *a, const json_t *b) {
    if (!a || !b) return json_copy((json_t *)(a ? a : b));
    if (json_is_false(a) || json_is_false(b)) return json_false();
    return json_is_true(a) && json_is_true(b) ? json_true() : json_string("unknown");
}

/* The cells of a row, in the order of the columns: the one list behind both ways to write it.  RARE ones are all empty in
 * most logs. */
/* clang-format off */
#define CELLS                                                                                                          \
    TEXT(row->request) INT(row->seq) INT(row->tracked) TEXT(outcome) INT(row->intended_ns) INT(row->issued_ns)         \
    INT(row->reissued_ns) INT(row->first_ns) INT(row->last_ns) INT(row->done_ns) INT(row->ttft_ns)                     \
    REAL(row->tpot_ns) INT(row->gap_max_ns) INT(row->e2e_ns) INT(row->input_tokens) INT(row->output_tokens)            \
    INT(row->tail_tokens) INT(row->chunks) INT(row->attempts) RARE                                                     \
    TEXT(row->input_hash) INT(row->answer_first_ns) TEXT(flags)
#define RARE_CELLS                                                                                                     \
    TEXT(row->finish_reason) TEXT(row->error_type) TEXT(row->quality) TEXT(row->model) TEXT(row->schema)               \
    TEXT(row->class_) TEXT(row->tenant) TEXT(row->conversation) INT(row->turn) TEXT(row->worker)
/* clang-format on */
enum { N_RARE = WORKER - FINISH_REASON + 1 };

static struct view flags_text(char text[N_FLAGS * 20], unsigned flags) {
    size_t n = 0;
    for (int i = 0; flags >> i; i++) {
        if (!(flags & 1U << i)) continue;
        if (n) text[n++] = ',';
        size_t len = strlen(flag_name[i]);
        memcpy(text + n, flag_name[i], len);
        n += len;
    }
    return (struct view){text, n};
}

/* A cell that must be quoted where it begins a line, or is quoted already. */
static inline bool is_odd(struct view v) { return v.s[0] == '#' || v.s[0] == '"'; }

static inline char *put_text(char *p, struct view v, bool *odd) {
    if (v.n) {
        *odd |= is_odd(v);
        memcpy(p, v.s, v.n);
    }
    p[v.n] = '\t';
    return p + v.n + 1;
}

static inline char *put_int(char *p, int64_t v, struct num_tops *tops) {
    if (int_known(v)) p += num_put_stamp(p, v, tops);
    *p = '\t';
    return p + 1;
}

static inline char *put_real(char *p, double v) {
    if (isfinite(v)) p += num_put_real(p, v);
    *p = '\t';
    return p + 1;
}

static inline char *put_rare(char *p, const struct ledger_row *row, struct num_tops *tops, bool *odd) {
    size_t any = 0;
#define TEXT(v) any |= (v).n;
#define INT(v) any |= int_known(v);
    RARE_CELLS
#undef TEXT
#undef INT
    if (!any) return (char *)memset(p, '\t', N_RARE) + N_RARE;
#define TEXT(v) p = put_text(p, v, odd);
#define INT(v) p = put_int(p, v, tops);
    RARE_CELLS
#undef TEXT
#undef INT
    return p;
}

/* TSV in one go: a ledger is written row by row for every request of a run, and most of its cells are empty.  False, and
 * nothing is written, where a cell has to be looked at. */
static bool write_tsv(struct table_out *out, const struct ledger_row *row, struct view outcome, struct view flags) {
    size_t room = N_COLUMNS * (NUM_MAX + 1);
    bool odd = false;
#define TEXT(v) room += (v).n;
#define INT(v)
#define REAL(v)
#define RARE RARE_CELLS
    CELLS
#undef TEXT
#undef INT
#undef REAL
#undef RARE
    char *p = buf_room(&out->row, room), *start = p;
#define TEXT(v) p = put_text(p, v, &odd);
#define INT(v) p = put_int(p, v, &out->tops);
#define REAL(v) p = put_real(p, v);
#define RARE p = put_rare(p, row, &out->tops, &odd);
    CELLS
#undef TEXT
#undef INT
#undef REAL
#undef RARE
    if (odd) return false;
    out->row.len += (size_t)(p - start) - 1; /* no tab after the last */
    out->at = N_COLUMNS;
    return true;
}

void ledger_write(struct table_out *out, const struct ledger_row *row) {
    const char *name = outcome_name[row->outcome];
    char text[N_FLAGS * 20];
    struct view outcome = {name, strlen(name)}, flags = flags_text(text, row->flags);
    if (out->spelling == SPELL_TSV && write_tsv(out, row, outcome, flags)) return;
#define TEXT(v) table_put(out, v);
#define INT(v) table_put_int(out, v);
#define REAL(v) table_put_real(out, v);
#define RARE RARE_CELLS
    CELLS
#undef TEXT
#undef INT
#undef REAL
#undef RARE
}
