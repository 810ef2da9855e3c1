#include "told.h"

#include <stdlib.h>

#include "buf.h"
#include "num.h"

static uint32_t word(struct teller *t, struct view text) { return text.n ? names_add(&t->words, text) + 1 : 0; }

struct view told_word(const struct teller *t, uint32_t word) {
    return word ? t->words.name.v[word - 1] : (struct view){0};
}

void told_init(struct told *t) {
    *t = (struct told){.traits = {.intended_ns = INT_NONE, .turn = INT_NONE},
                       .input_tokens = INT_NONE,
                       .output_tokens = INT_NONE,
                       .tail_tokens = INT_NONE};
}

void told_clear(struct told *t) {
    free(t->traits.conversation);
    free(t->failure.type);
    t->traits.conversation = t->failure.type = NULL;
}

static void tell_traits(struct teller *by, const struct event_labels *l, struct told *t) {
    t->traits.intended_ns = l->intended_ns;
    t->traits.turn = l->turn;
    if (l->conversation.n) t->traits.conversation = xstrndup(l->conversation.s, l->conversation.n);
    t->traits.worker = word(by, l->worker);
    t->traits.model = word(by, l->model);
    t->traits.schema = word(by, l->schema);
    t->traits.class_ = word(by, l->class_);
    t->traits.tenant = word(by, l->tenant);
    t->finish = word(by, l->finish_reason);
}

static struct failure failure_of(const struct teller *by, const struct event_labels *l) {
    static const struct event_labels none = {.error_code = INT_NONE};
    if (!l) l = &none;
    struct failure fail = {classify_error(by->classify, l->error_type, l->error_message, l->error_code), NULL};
    char name[CLASSIFY_TYPE_MAX];
    size_t n = classify_type_name(name, l->error_type);
    if (n) fail.type = xstrndup(name, n);
    return fail;
}

static bool has_text(const struct reply_part *p) { return p->first_text || p->rest_text; }

/* Of each 1000 replies, which are counted: as evenly as K of 1000 can lie. */
static bool in_sample(struct teller *by) {
    int64_t i = by->n_replies++ % 1000, k = by->sample;
    return (i + 1) * k / 1000 > i * k / 1000;
}

/* Tokens of the reply's text, and of what came after its first chunk.  A plain string leaves the tail open: whether it
 * was streamed shows in the deliveries. */
static void count_text(struct teller *by, const struct event_facts *f, struct told *t) {
    const struct told_counter *counter = by->counter;
    if (f->output.form == PART_NONE && f->reasoning.form == PART_NONE) return; /* no text is not an empty text */
    if (!in_sample(by)) {
        t->bits |= SAMPLED;
        return;
    }
    struct buf text = {0};
    event_part_text(&text, &f->reasoning, false);
    event_part_text(&text, &f->output, false);
    t->output_tokens = counter->ask(counter->context, text.len ? text.s : "", text.len);
    bool reasoned = has_text(&f->reasoning);
    if (reasoned || f->output.form == PART_ARRAY) {
        buf_clear(&text);
        if (reasoned) event_part_text(&text, &f->reasoning, true);
        event_part_text(&text, &f->output, !reasoned);
        t->tail_tokens = counter->ask(counter->context, text.len ? text.s : "", text.len);
    }
    if (counter->answer) t->bits |= TICKETS;
    buf_free(&text);
}

static void tell_reply(struct teller *by, const struct event_facts *f, struct told *t) {
    bool reasoned = has_text(&f->reasoning), answered = has_text(&f->output);
    if (f->tool_calls) t->bits |= TOOL_CALLS;
    if (reasoned) t->bits |= REASONING;
    bool one_element = reasoned ? f->reasoning.form == PART_ARRAY && !f->reasoning.rest_text && !answered
                                : f->output.form == PART_ARRAY && !f->output.rest_text;
    if (one_element && !f->tool_calls) t->bits |= ONE_CHUNK;
    if (f->output.form == PART_STRING) t->bits |= ONE_STRING;

    enum told_tokens tokens = by->tokens;
    if (tokens == TOKENS_CHUNKS || tokens == TOKENS_NONE) return;
    t->output_tokens = f->output_tokens;
    bool calls_only = f->tool_calls && !reasoned && !answered;
    if (tokens == TOKENS_AUTO && by->counter && !int_known(t->output_tokens) && !calls_only) count_text(by, f, t);
}

bool told_read(struct teller *by, const struct event *ev, struct told *t) {
    const struct event_facts *f = ev->facts;
    if (!f && ev->kind != EV_ERROR) return false;
    told_init(t);
    if (f) t->input_tokens = f->input_tokens;
    if (f && f->labels) tell_traits(by, f->labels, t);
    if (f && f->payload == PAY_PROMPT && f->has_hash) {
        t->bits |= HASHED;
        t->input_hash = f->input_hash;
    }
    if (f && f->payload == PAY_REPLY)
        tell_reply(by, f, t);
    else if (f && ev->kind == EV_COMPLETE && by->tokens <= TOKENS_FIELD)
        t->output_tokens = f->output_tokens;
    if (f && (f->payload == PAY_ERROR || ev->kind == EV_ERROR))
        t->failure = failure_of(by, f->labels);
    else if (ev->kind == EV_ERROR)
        t->failure.outcome = OUT_ERROR;
    return true;
}
