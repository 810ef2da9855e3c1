#include "life.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"

static void set_id(struct life *l, struct view id) {
    l->id_n = (uint32_t)id.n;
    if (id.n > LIFE_ID) {
        const char *far = xstrndup(id.s, id.n);
        memcpy(l->id, &far, sizeof far);
    } else {
        memcpy(l->id, id.s, id.n);
    }
}

void life_init(struct life *l, uint64_t hash, struct view id) {
    l->hash = hash;
    l->issued_ns = l->first_ns = l->done_ns = INT_NONE;
    l->input_tokens = l->output_tokens = l->tail_tokens = INT_NONE;
    l->input_hash = 0;
    l->story = NULL;
    l->traits = NULL;
    l->finish = 0;
    l->bits = 0;
    set_id(l, id);
}

void life_free(struct life *l) {
    if (l->id_n > LIFE_ID) free((char *)life_id(l).s);
    if (l->traits) free(l->traits->conversation);
    free(l->traits);
    if (l->story) {
        free(l->story->error.type);
        free(l->story->end.type);
    }
    free(l->story);
}

/* ---- What a request takes from it ---- */

static void take_traits(struct life *l, struct traits *t, bool first_issue) {
    bool any = int_known(t->intended_ns) || int_known(t->turn) || t->conversation || t->worker || t->model ||
               t->schema || t->class_ || t->tenant;
    if (!any) return;
    if (!l->traits) {
        l->traits = xmalloc(sizeof *l->traits);
        *l->traits = (struct traits){.intended_ns = INT_NONE, .turn = INT_NONE};
    }
    struct traits *mine = l->traits;
    if (int_known(t->intended_ns) && (first_issue || !int_known(mine->intended_ns))) mine->intended_ns = t->intended_ns;
    if (!int_known(mine->turn)) mine->turn = t->turn;
    if (!mine->conversation) {
        mine->conversation = t->conversation;
        t->conversation = NULL;
    }
    if (!mine->worker) mine->worker = t->worker;
    if (!mine->model) mine->model = t->model;
    if (!mine->schema) mine->schema = t->schema;
    if (!mine->class_) mine->class_ = t->class_;
    if (!mine->tenant) mine->tenant = t->tenant;
}

void life_take_prompt(struct life *l, struct told *t, bool first_issue) {
    take_traits(l, &t->traits, first_issue);
    if (!int_known(l->input_tokens)) l->input_tokens = t->input_tokens;
    if (t->bits & HASHED && !(l->bits & HASHED)) {
        l->bits |= HASHED;
        l->input_hash = t->input_hash;
    }
}

void life_take_reply(struct life *l, struct told *t) {
    take_traits(l, &t->traits, false);
    if (!int_known(l->input_tokens)) l->input_tokens = t->input_tokens;
    l->output_tokens = t->output_tokens;
    l->tail_tokens = t->tail_tokens;
    l->finish = t->finish;
    l->bits = (uint16_t)((l->bits & ~OF_REPLY) | (t->bits & OF_REPLY));
}

static void drop_reply(struct life *l) {
    l->first_ns = l->done_ns = l->output_tokens = l->tail_tokens = INT_NONE;
    l->finish = 0;
    l->bits &= (uint16_t)~OF_REPLY;
}

/* ---- The state machine of a request that is not plain: events in order of stamp ---- */

void life_begin_story(struct life *l) {
    l->story = xmalloc(sizeof *l->story);
    *l->story = (struct story){.reissued_ns = INT_NONE,
                               .last_ns = INT_NONE,
                               .gap_max_ns = INT_NONE,
                               .error_ns = INT_NONE,
                               .next = LIFE_NONE,
                               .number = 1};
    drop_reply(l);
}

bool life_has_failed(const struct life *l) {
    const struct story *s = l->story;
    return s && (s->error.outcome != OUT_COMPLETED || s->end.outcome != OUT_COMPLETED);
}

static void take_failure(struct failure *mine, struct failure *told) {
    free(mine->type);
    *mine = *told;
    told->type = NULL;
}

void life_complete(struct life *l, int64_t stamp, struct told *t) {
    struct story *s = l->story;
    if (int_known(l->done_ns)) {
        s->dup_done = true;
        return;
    }
    l->done_ns = stamp;
    if (!t) return;
    life_take_reply(l, t);
    take_failure(&s->end, &t->failure);
}

void life_error(struct life *l, int64_t stamp, struct told *t) {
    struct story *s = l->story;
    if (s->reissued_after_end || s->error.outcome != OUT_COMPLETED) return;
    s->error_ns = stamp;
    take_traits(l, &t->traits, false);
    take_failure(&s->error, &t->failure);
}

void life_deliver(struct life *l, int64_t stamp, bool chunk) {
    struct story *s = l->story;
    if (s->reissued_after_end) return;
    s->chunks_logged |= chunk;
    s->deliveries++;
    if (!int_known(l->first_ns) || stamp < l->first_ns) l->first_ns = stamp;
    int64_t gap = num_span(s->last_ns, stamp);
    if (gap >= 0 && (!int_known(s->gap_max_ns) || gap > s->gap_max_ns)) s->gap_max_ns = gap;
    if (!int_known(s->last_ns) || stamp > s->last_ns) s->last_ns = stamp;
}

static void begin_attempt(struct life *l, int64_t stamp) {
    struct story *s = l->story;
    drop_reply(l);
    free(s->error.type);
    free(s->end.type);
    s->error = s->end = (struct failure){OUT_COMPLETED, NULL};
    s->error_ns = s->last_ns = s->gap_max_ns = INT_NONE;
    s->deliveries = 0;
    s->chunks_logged = false;
    s->reissued_ns = stamp;
    s->attempts++;
}

bool life_issue(struct life *l, int64_t stamp, struct told *t, bool *first) {
    struct story *s = l->story;
    if (s->attempts > 0 && int_known(l->done_ns) && !life_has_failed(l)) {
        *first = !s->reissued_after_end;
        s->reissued_after_end = true;
        return false;
    }
    if (s->attempts == 0)
        s->attempts = 1;
    else
        begin_attempt(l, stamp);
    if (t) life_take_prompt(l, t, s->attempts == 1);
    return true;
}

/* ---- Rows ---- */

static void close_chunks(struct ledger_row *row, const struct life *l, bool one_chunk) {
    const struct story *s = l->story;
    uint32_t deliveries = s ? s->deliveries : int_known(l->first_ns);
    bool all_logged = (s && s->chunks_logged) || (deliveries == 1 && one_chunk);
    if (!all_logged) return;
    row->chunks = deliveries;
    row->last_ns = s ? s->last_ns : l->first_ns;
    if (s) row->gap_max_ns = s->gap_max_ns;
}

static void close_tokens(const struct teller *by, struct ledger_row *row, const struct life *l, bool one_chunk) {
    if (l->bits & TICKETS) {
        const struct told_counter *c = by->counter;
        row->output_tokens = c->answer(c->context, l->output_tokens);
        row->tail_tokens = int_known(l->tail_tokens) ? c->answer(c->context, l->tail_tokens) : INT_NONE;
    } else {
        row->output_tokens = l->output_tokens;
        row->tail_tokens = l->tail_tokens;
    }
    if (by->tokens == TOKENS_CHUNKS && l->story && l->story->chunks_logged) {
        row->output_tokens = row->chunks;
        row->tail_tokens = row->chunks - 1;
        row->flags |= FLAG_CHUNK_COUNT;
    }
    spans_tail(row, one_chunk);
}

static void close_story(struct ledger_row *row, const struct story *s) {
    bool ended = int_known(row->done_ns);
    const struct failure *f = NULL;
    if (ended && s->end.outcome != OUT_COMPLETED && (s->end.type || s->error.outcome == OUT_COMPLETED))
        f = &s->end;
    else if (s->error.outcome != OUT_COMPLETED)
        f = &s->error;
    if (f) {
        row->outcome = f->outcome;
        if (f->type) row->error_type = (struct view){f->type, strlen(f->type)};
        if (!ended) row->done_ns = s->error_ns;
    }
    row->attempts = s->attempts;
    if (s->attempts > 1) row->reissued_ns = s->reissued_ns;
    if (s->dup_done) row->flags |= FLAG_DUP_DONE;
}

static void row_traits(const struct teller *by, struct ledger_row *row, const struct traits *t) {
    row->intended_ns = t->intended_ns;
    row->turn = t->turn;
    if (t->conversation) row->conversation = (struct view){t->conversation, strlen(t->conversation)};
    row->worker = told_word(by, t->worker);
    row->model = told_word(by, t->model);
    row->schema = told_word(by, t->schema);
    row->class_ = told_word(by, t->class_);
    row->tenant = told_word(by, t->tenant);
}

/* The eight digits of x, one a byte, the first one lowest: its halves, quarters and eighths are moved apart. */
static uint64_t hex_bytes(uint32_t x) {
    uint64_t w = (x | (uint64_t)x << 16) & 0x0000ffff0000ffff;
    w = (w | w << 8) & 0x00ff00ff00ff00ff;
    w = (w | w << 4) & 0x0f0f0f0f0f0f0f0f;
    uint64_t letters = (w + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return __builtin_bswap64(w + 0x3030303030303030 + letters * ('a' - '0' - 10));
}

static void put_hash(char hex[16], uint64_t hash) {
    uint64_t w[] = {hex_bytes((uint32_t)(hash >> 32)), hex_bytes((uint32_t)hash)};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w[0] = __builtin_bswap64(w[0]), w[1] = __builtin_bswap64(w[1]);
#endif
    memcpy(hex, w, sizeof w);
}

void life_row(const struct life *l, const struct teller *by, const struct spans_rule *spans, char hex[16],
              struct ledger_row *row) {
    *row = ledger_row_missing;
    row->request = life_id(l);
    row->outcome = int_known(l->done_ns) ? OUT_COMPLETED : OUT_UNFINISHED;
    row->issued_ns = l->issued_ns;
    row->first_ns = l->first_ns;
    row->done_ns = l->done_ns;
    row->input_tokens = l->input_tokens;
    row->attempts = 1;
    row->finish_reason = told_word(by, l->finish);
    row->answer_first_ns = l->bits & REASONING ? INT_NONE : l->first_ns;
    if (l->story) close_story(row, l->story);
    bool one_chunk =
        row->outcome == OUT_COMPLETED && (l->bits & ONE_CHUNK || (l->bits & ONE_STRING && !int_known(l->first_ns)));
    close_chunks(row, l, one_chunk);
    close_tokens(by, row, l, one_chunk);
    if (l->traits) row_traits(by, row, l->traits);
    if (l->bits & HASHED) {
        put_hash(hex, l->input_hash);
        row->input_hash = (struct view){hex, 16};
    }
    if (l->bits & TOOL_CALLS) row->flags |= FLAG_TOOL_CALLS;
    if (l->bits & SAMPLED) row->flags |= FLAG_SAMPLED;
    spans_fill(row, spans);
}
