#include "join.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "ids.h"
#include "life.h"
#include "lives.h"
#include "num.h"
#include "turns.h"

struct interval {
    int64_t from, to;
};

struct join {
    struct join_rule rule;
    const char *file;
    join_sink *sink;
    void *context;

    struct ids ids;
    struct teller teller;
    struct lives lives;
    struct ranks order; /* of rows to come */
    struct turns waiting;
    uint64_t n_turns;

    VEC(uint32_t) untracked;

    VEC(struct interval) interval;
    bool tracking_known, tracking_open;

    int64_t now; /* the log's time: the highest stamp so far */
    int64_t frontier; /* all events before it have been put in order; INT64_MIN at first, INT64_MAX at the end */
    int64_t wake; /* frontier at which a row may leave */
    bool closed;

    int64_t sessions; /* session.started lines so far */
    bool ended;
    struct {
        int64_t events, malformed, other, bad_payload, late_lines, reissued_after_end, reopened_late, given_up;
        int64_t ids, issued_ids; /* ids named, ids with an issue */
        int64_t offered, reissued_ids; /* rows to come, ids issued again after they completed */
        int64_t rows, tracked_rows, outcomes[N_OUTCOMES];
    } n;
};

static struct life *at(const struct join *j, uint32_t i) { return lives_at(&j->lives, i); }

static uint32_t new_request(struct join *j, uint64_t hash, struct view id) {
    uint32_t i = lives_new(&j->lives, hash, id);
    if (i == LIFE_NONE) die("%s: too many requests at once", j->file);
    return i;
}

static void free_told(struct told *t) {
    if (t) told_clear(t);
    free(t);
}

/* ---- Events in order of stamp ---- */

static void set_issued(struct join *j, uint32_t i, int64_t stamp);

/* --ids-reused: the next issue of an id is a request of its own. */
static uint32_t next_request(struct join *j, uint32_t i);

static void do_issue(struct join *j, uint32_t i, int64_t stamp, struct told *t) {
    if (j->rule.ids_reused) {
        if (at(j, i)->story->attempts > 0) i = next_request(j, i);
        set_issued(j, i, stamp);
    }
    bool first;
    if (life_issue(at(j, i), stamp, t, &first)) return;
    j->n.reissued_after_end++;
    j->n.reissued_ids += first;
}

static void do_tracking(struct join *j, int64_t stamp, bool start) {
    bool first = !j->tracking_known;
    j->tracking_known = true;
    j->wake = INT64_MIN;
    if (start && !j->tracking_open) {
        vec_push(&j->interval, ((struct interval){stamp, INT64_MAX}));
        j->tracking_open = true;
    } else if (!start && j->tracking_open) {
        j->interval.v[j->interval.n - 1].to = stamp;
        j->tracking_open = false;
    } else if (!start && first) {
        vec_push(&j->interval, ((struct interval){INT64_MIN, stamp}));
    }
}

static void changed(struct join *j, uint32_t i) {
    if (i == ranks_first(&j->order)) j->wake = INT64_MIN;
}

static void apply(struct join *j, struct turn *t) {
    if (t->kind == EV_TRACK || t->kind == EV_UNTRACK) {
        do_tracking(j, t->stamp, t->kind == EV_TRACK);
        return;
    }
    uint32_t i = t->request;
    at(j, i)->story->pending--;
    changed(j, i);
    while (at(j, i)->story->next != LIFE_NONE)
        i = at(j, i)->story->next;
    switch (t->kind) {
    case EV_ISSUED: do_issue(j, i, t->stamp, t->told); break;
    case EV_COMPLETE: life_complete(at(j, i), t->stamp, t->told); break;
    case EV_ERROR: life_error(at(j, i), t->stamp, t->told); break;
    default: life_deliver(at(j, i), t->stamp, t->kind == EV_CHUNK);
    }
    changed(j, i);
    free_told(t->told); /* NOLINT(clang-analyzer-unix.Malloc): an event leaves the heap once */
}

static void push(struct join *j, struct turn t) {
    turn_rank(&t, j->n_turns++);
    if (t.request != LIFE_NONE) at(j, t.request)->story->pending++;
    if (t.stamp < j->frontier) /* too late to wait for its turn */
        apply(j, &t);
    else
        turns_add(&j->waiting, t);
}

/* Apply what lies before the frontier. */
static void drain(struct join *j) {
    while (j->waiting.v.n > 0 && (j->closed || j->waiting.v.v[0].stamp < j->frontier)) {
        struct turn t = turns_take(&j->waiting);
        apply(j, &t);
    }
}

static int by_turn(const void *a, const void *b) { return turn_before(b, a) - turn_before(a, b); }

/* A request stops being plain: what it knew becomes events again. */
static void begin_story(struct join *j, uint32_t i) {
    struct life *r = at(j, i);
    struct life was = *r;
    life_begin_story(r);
    struct told *reply = NULL;
    if (int_known(was.done_ns)) {
        reply = xmalloc(sizeof *reply);
        told_init(reply);
        reply->output_tokens = was.output_tokens;
        reply->tail_tokens = was.tail_tokens;
        reply->finish = was.finish;
        reply->bits = was.bits & OF_REPLY;
    }
    struct turn known[] = {{was.done_ns, EV_COMPLETE, i, reply, 0},
                           {was.issued_ns, EV_ISSUED, i, NULL, 0},
                           {was.first_ns, EV_FIRST, i, NULL, 0}};
    for (size_t k = 0; k < 3; k++)
        turn_rank(&known[k], k);
    qsort(known, 3, sizeof *known, by_turn); /* those before the frontier are applied at once */
    for (size_t k = 0; k < 3; k++)
        if (int_known(known[k].stamp)) push(j, known[k]);
}

/* ---- Requests in order of rank ---- */

static void set_issued(struct join *j, uint32_t i, int64_t stamp) {
    struct life *r = at(j, i);
    if (!int_known(r->issued_ns)) {
        r->issued_ns = stamp;
        j->n.offered++;
        j->n.issued_ids += !r->story || r->story->number == 1;
        if (ranks_enter(&j->order, &j->lives, i)) j->wake = INT64_MIN;
    } else if (stamp < r->issued_ns && ranks_move(&j->order, &j->lives, i, stamp)) {
        j->wake = INT64_MIN;
    }
}

static uint32_t next_request(struct join *j, uint32_t i) {
    uint32_t number = at(j, i)->story->number;
    struct view id = life_id(at(j, i));
    if (number > 1)
        while (id.s[--id.n] != '#')
            ;
    struct buf b = {0};
    buf_add(&b, id.s, id.n);
    buf_printf(&b, "#%u", number + 1);
    uint32_t next = new_request(j, at(j, i)->hash, (struct view){b.s, b.len});
    buf_free(&b);
    begin_story(j, next);
    at(j, next)->story->number = number + 1;
    at(j, i)->story->next = next;
    ids_move(&j->ids, at(j, i)->hash, i, next);
    return next;
}

/* ---- Rows ---- */

static void emit(struct join *j, const struct life *r, bool tracked) {
    char hex[16];
    struct ledger_row row;
    life_row(r, &j->teller, &j->rule.spans, hex, &row);
    row.tracked = tracked;
    if (tracked) row.seq = j->n.tracked_rows;
    j->sink(j->context, &row);
    j->n.rows++;
    j->n.tracked_rows += tracked;
    j->n.outcomes[row.outcome] += tracked;
}

/* ---- Which rows leave, and when ---- */

static int64_t later(int64_t stamp, int64_t by) {
    int64_t sum;
    return __builtin_add_overflow(stamp, by, &sum) ? INT64_MAX : sum;
}

static bool is_tracked(const struct join *j, int64_t issued_ns) {
    if (j->rule.tracking == TRACKING_ALL) return true;
    if (j->rule.tracking == TRACKING_WINDOW) return issued_ns >= j->rule.from_ns && issued_ns <= j->rule.to_ns;
    if (!j->tracking_known) return true; /* asked at the end only: a log without tracking events */
    for (size_t i = j->interval.n; i-- > 0;)
        if (issued_ns >= j->interval.v[i].from) return issued_ns <= j->interval.v[i].to;
    return false;
}

/* The frontier at which the row of a tracked request may leave; INT64_MAX while it is open.  With --ids-reused an open
 * request ends unfinished where the next issue of its id stands. */
static int64_t leaves_at(const struct join *j, const struct life *r, bool *gives_up) {
    const struct story *s = r->story;
    *gives_up = false;
    if (s && s->pending > 0) return INT64_MAX;
    if (int_known(r->done_ns)) {
        int64_t hold = j->rule.slack_ns;
        if (life_has_failed(r) && j->rule.retry_hold_ns > hold) hold = j->rule.retry_hold_ns;
        int64_t last = r->done_ns > r->issued_ns ? r->done_ns : r->issued_ns;
        return later(later(last, hold), 1);
    }
    if (s && s->next != LIFE_NONE) return later(later(at(j, s->next)->issued_ns, j->rule.slack_ns), 1);
    if (!int_known(j->rule.give_up_ns)) return INT64_MAX;
    *gives_up = true;
    return later(later(r->issued_ns, j->rule.give_up_ns), 1);
}

static void leave(struct join *j, uint32_t i) {
    const struct life *r = at(j, i);
    bool failed = !int_known(r->done_ns) || life_has_failed(r);
    if (j->rule.ids_reused) return; /* its number is needed for the next issue of the id */
    uint64_t *place = ids_retire(&j->ids, r->hash, i, failed);
    if (r->story && r->story->reissued_after_end) ids_note(place); /* counted already */
    lives_drop(&j->lives, i);
}

static bool holds_all(const struct join *j) { return j->rule.sort || (j->teller.counter && j->teller.counter->answer); }

enum { LEAVING = 8 }; /* rows between asking for something in memory and using it */

/* Rows leave at the head of the order until one has to wait; wake says for what. */
static void release(struct join *j) {
    j->wake = INT64_MAX;
    bool decided = j->rule.tracking != TRACKING_LOGGED || j->tracking_known || j->closed;
    if (!decided || (holds_all(j) && !j->closed)) return;
    ranks_sort(&j->order, &j->lives);
    for (uint32_t i; (i = ranks_first(&j->order)) != LIFE_NONE;) {
        const struct life *r = at(j, i);
        if (ranks_n(&j->order) > 2 * LEAVING) { /* soon to leave: its place among the ids, and the one after it */
            __builtin_prefetch(ids_home(&j->ids, at(j, ranks_ahead(&j->order, LEAVING))->hash), 1);
            __builtin_prefetch(at(j, ranks_ahead(&j->order, 2 * LEAVING)), 1);
        }
        if (!j->closed && r->issued_ns >= j->frontier) {
            j->wake = later(r->issued_ns, 1);
            break;
        }
        bool tracked = is_tracked(j, r->issued_ns), gives_up = false;
        if (tracked && !j->closed) {
            int64_t when = leaves_at(j, r, &gives_up);
            if (j->frontier < when || when == INT64_MAX) {
                j->wake = when;
                break;
            }
        }
        ranks_pass(&j->order);
        if (!tracked) {
            vec_push(&j->untracked, i);
            continue;
        }
        j->n.given_up += gives_up;
        emit(j, r, true);
        leave(j, i);
    }
    ranks_tidy(&j->order);
}

/* ---- Events as they come ---- */

static struct told *kept(const struct told *t) {
    struct told *copy = xmalloc(sizeof *copy);
    *copy = *t;
    return copy;
}

/* An event of a request that is not plain, or stops being so. */
static void take_in_order(struct join *j, uint32_t i, const struct event *ev, const struct told *t) {
    if (!at(j, i)->story) begin_story(j, i);
    if (ev->kind == EV_ISSUED && !j->rule.ids_reused) set_issued(j, i, ev->stamp);
    push(j, (struct turn){ev->stamp, ev->kind, i, t ? kept(t) : NULL, 0});
}

static void take_sample(struct join *j, uint32_t i, const struct event *ev) {
    struct life *r = at(j, i);
    struct told t;
    bool says = ev->kind == EV_ISSUED || ev->kind == EV_COMPLETE ? ev->facts != NULL : ev->kind == EV_ERROR;
    bool said = says && told_read(&j->teller, ev, &t);
    bool plain = !r->story && !j->rule.ids_reused;
    if (plain && ev->kind == EV_ISSUED && !int_known(r->issued_ns)) {
        set_issued(j, i, ev->stamp);
        if (said) life_take_prompt(r, &t, true);
    } else if (plain && ev->kind == EV_FIRST && !int_known(r->first_ns)) {
        r->first_ns = ev->stamp;
    } else if (plain && ev->kind == EV_COMPLETE && !int_known(r->done_ns) &&
               !(said && t.failure.outcome != OUT_COMPLETED)) {
        r->done_ns = ev->stamp;
        if (said) life_take_reply(r, &t);
    } else {
        take_in_order(j, i, ev, said ? &t : NULL);
        return;
    }
    if (said) told_clear(&t);
    changed(j, i);
}

static void warn_late(struct join *j, const struct event *ev, const char *what) {
    j->n.late_lines++;
    warn_at("late lines", j->file, ev->line, "%s; --sort takes any order", what);
}

/* An event of a request whose row has left. */
static void take_too_late(struct join *j, uint64_t *place, const struct event *ev, bool counted) {
    if (ev->kind == EV_ISSUED && ids_state(place) == ID_DONE) {
        j->n.reissued_after_end++;
        j->n.reissued_ids += ids_note(place);
    } else if (ev->kind == EV_ISSUED) {
        ids_note(place);
        j->n.reopened_late++;
        warn_at("requests reopened late", j->file, ev->line,
                "a failed request is sent again after its row was written; --retry-hold or --sort waits for it");
    } else if (!ids_noted(place) && !counted) {
        warn_late(j, ev, "an event of a request whose row was written");
    }
}

static bool same_id(const struct life *r, const struct event *ev) {
    struct view id = life_id(r);
    return r->hash == ev->hash && id.n == ev->id.n && memcmp(id.s, ev->id.s, id.n) == 0;
}

static void take_id(struct join *j, const struct event *ev, bool late) {
    uint64_t *place = ids_find(&j->ids, ev->hash);
    while (place && ids_state(place) == ID_LIVE) {
        if (j->rule.ids_reused || same_id(at(j, ids_index(place)), ev)) break;
        place = ids_find_next(ev->hash, place);
    }
    if (!place) {
        uint32_t i = new_request(j, ev->hash, ev->id);
        ids_add(&j->ids, ev->hash, i);
        j->n.ids++;
        take_sample(j, i, ev);
    } else if (ids_state(place) == ID_LIVE) {
        take_sample(j, ids_index(place), ev);
    } else {
        take_too_late(j, place, ev, late);
    }
}

static bool count_event(struct join *j, const struct event *ev) {
    if (ev->kind == EV_MALFORMED || ev->kind == EV_OTHER) {
        j->n.malformed += ev->kind == EV_MALFORMED;
        j->n.other += ev->kind == EV_OTHER;
        return false;
    }
    j->n.events++;
    j->n.bad_payload += ev->facts && ev->facts->payload == PAY_BAD;
    return true;
}

/* Whether the event belongs to the session that is read. */
static bool in_session(struct join *j, const struct event *ev) {
    if (ev->kind == EV_STARTED && ++j->sessions > 1 && j->rule.session == 0)
        die_at(j->file, ev->line, "a second session.started: the log holds several runs; --session N chooses one");
    return j->rule.session == 0 || j->rule.session == (j->sessions ? j->sessions : 1);
}

static void take(struct join *j, const struct event *ev) {
    if (!count_event(j, ev) || !in_session(j, ev)) return;
    bool late = ev->stamp < j->frontier;
    if (late) warn_late(j, ev, "out of place by more than --slack");
    if (ev->stamp > j->now || !int_known(j->now)) {
        j->now = ev->stamp;
        if (!j->rule.sort && __builtin_sub_overflow(j->now, j->rule.slack_ns, &j->frontier)) j->frontier = INT64_MIN;
    }
    switch (ev->kind) {
    case EV_ENDED: j->ended = true; break;
    case EV_TRACK:
    case EV_UNTRACK: push(j, (struct turn){ev->stamp, ev->kind, LIFE_NONE, NULL, 0}); break;
    case EV_ISSUED:
    case EV_FIRST:
    case EV_CHUNK:
    case EV_COMPLETE:
    case EV_ERROR:
        if (ev->id.n) take_id(j, ev, late);
        break;
    default: break;
    }
    if (j->waiting.v.n > 0) drain(j);
    if (j->frontier >= j->wake) release(j);
}

struct join *join_start(const struct join_rule *rule, const char *file, join_sink *sink, void *context) {
    struct join *j = xcalloc(1, sizeof *j);
    j->rule = *rule;
    j->file = file;
    j->sink = sink;
    j->context = context;
    j->teller = (struct teller){
        .tokens = rule->tokens, .counter = rule->counter, .sample = rule->token_sample, .classify = rule->classify};
    j->now = j->frontier = INT_NONE;
    j->wake = INT64_MAX;
    ids_init(&j->ids);
    return j;
}

/* The table is far larger than the caches: ask for its places, then for the requests they name, before they are needed; and
 * for the ids themselves, which another thread may have read. */
void join_events(struct join *j, const struct event *event, size_t n) {
    enum { PLACE_AHEAD = 32, REQUEST_AHEAD = 12 };
    for (size_t i = 0; i < n; i++) {
        if (i + PLACE_AHEAD < n) {
            const struct event *ahead = &event[i + PLACE_AHEAD];
            __builtin_prefetch(ahead->id.s);
            __builtin_prefetch(ahead->id.s + ahead->id.n);
            __builtin_prefetch(ids_home(&j->ids, ahead->hash), 1);
        }
        if (i + REQUEST_AHEAD < n) {
            const uint64_t *place = ids_home(&j->ids, event[i + REQUEST_AHEAD].hash);
            const char *r = ids_state(place) == ID_LIVE ? (const char *)at(j, ids_index(place)) : NULL;
            if (r) __builtin_prefetch(r, 1);
            if (r) __builtin_prefetch(r + 64, 1);
        }
        take(j, &event[i]);
    }
}

/* ---- The end of the log ---- */

static void check(const struct join *j) {
    int64_t outcomes = 0;
    for (int o = 0; o < N_OUTCOMES; o++)
        outcomes += j->n.outcomes[o];
    if (j->n.rows != j->n.offered || outcomes != j->n.tracked_rows)
        die("%s: internal error: %lld rows of %lld requests, %lld tracked of %lld outcomes", j->file,
            (long long)j->n.rows, (long long)j->n.offered, (long long)j->n.tracked_rows, (long long)outcomes);
}

void join_finish(struct join *j) {
    if (j->n.events + j->n.other == 0) die("%s: no well-formed event", j->file);
    if (j->rule.session > (j->sessions ? j->sessions : 1))
        die("%s: --session %lld: the log holds %lld", j->file, (long long)j->rule.session, (long long)j->sessions);
    j->closed = true;
    drain(j);
    if (j->n.reissued_ids >= 10 && j->n.reissued_ids > j->n.offered / 100)
        die("%s: %lld ids are issued again after their request completed: %s", j->file, (long long)j->n.reissued_ids,
            j->n.late_lines > 0 ? "lines are out of place by more than --slack; --sort takes any order"
                                : "the log reuses ids; --ids-reused makes a row of each issue");
    release(j);
    if (j->untracked.n > 0) qsort_r(j->untracked.v, j->untracked.n, sizeof *j->untracked.v, lives_by_rank, &j->lives);
    for (size_t k = 0; k < j->untracked.n; k++)
        emit(j, at(j, j->untracked.v[k]), false);
    check(j);
}

static const char *token_source(const struct join_rule *rule) {
    switch (rule->tokens) {
    case TOKENS_CHUNKS: return "chunks";
    case TOKENS_NONE: return "none";
    default: return rule->tokens == TOKENS_AUTO && rule->counter ? "field,tokenizer" : "field";
    }
}

json_t *join_run(const struct join_rule *rule) {
    json_t *run = json_object(), *d = json_object();
    doc_set_text(d, "latency_from", latency_from_name[rule->spans.latency_from]);
    doc_set_text(d, "retry_clock", retry_clock_name[rule->spans.retry_clock]);
    doc_set_text(d, "tpot_end", tpot_end_name[rule->spans.tpot_end]);
    doc_set_text(d, "tokens", token_source(rule));
    if (rule->tokens == TOKENS_AUTO && rule->counter) doc_set_text(d, "tokenizer", rule->counter->name);
    json_object_set_new(run, "definitions", d);
    if (rule->tracking == TRACKING_ALL) doc_set_text(run, "tracking", "all");
    if (rule->tracking == TRACKING_WINDOW) doc_set_text(run, "tracking", "window");
    if (rule->session > 0) doc_set_int(run, "session", rule->session);
    return run;
}

static int64_t orphans(const struct join *j) { return j->n.ids - j->n.issued_ids; }

/* Stamps with an end that is open are missing. */
static void set_tracking(const struct join *j, json_t *run) {
    int64_t from = INT_NONE, to = INT_NONE;
    if (j->rule.tracking == TRACKING_WINDOW) {
        from = j->rule.from_ns;
        to = j->rule.to_ns;
    } else if (j->rule.tracking == TRACKING_LOGGED) {
        doc_set_text(run, "tracking", j->tracking_known ? "logged" : "assumed");
        if (j->interval.n) {
            from = j->interval.v[0].from;
            to = j->interval.v[j->interval.n - 1].to;
        }
    }
    doc_set_int(run, "tracking_start_ns", from);
    doc_set_int(run, "tracking_stop_ns", to == INT64_MAX ? INT_NONE : to);
}

json_t *join_trailer(const struct join *j) {
    json_t *end = json_object(), *outcomes = json_object(), *run = join_run(&j->rule);
    doc_set_int(end, "events", j->n.events);
    doc_set_int(end, "malformed", j->n.malformed);
    doc_set_int(end, "other", j->n.other);
    doc_set_int(end, "bad_payload", j->n.bad_payload);
    doc_set_int(end, "late_lines", j->n.late_lines);
    doc_set_int(end, "orphan_ids", orphans(j));
    doc_set_int(end, "reissued_after_end", j->n.reissued_after_end);
    doc_set_int(end, "reopened_late", j->n.reopened_late);
    doc_set_int(end, "given_up", j->n.given_up);
    for (int o = 0; o < N_OUTCOMES; o++)
        doc_set_int(outcomes, outcome_name[o], j->n.outcomes[o]);
    json_object_set_new(end, "outcomes", outcomes);

    bool truncated = !j->ended, orphaned = orphans(j) > 0;
    set_tracking(j, run);
    doc_set_bool(run, "truncated", truncated);
    doc_set_text(run, "clock", int_known(j->now) && j->now > 100000000000000000 ? "epoch" : "monotonic");
    doc_set_bool(run, "offered_complete", !orphaned);
    if (truncated || orphaned) doc_set_bool(run, "partial", true);
    json_object_set_new(end, "run", run);
    return end;
}

void join_free(struct join *j) {
    for (size_t k = 0; k < j->waiting.v.n; k++)
        free_told(j->waiting.v.v[k].told);
    lives_free(&j->lives);
    ranks_free(&j->order);
    vec_free(&j->waiting.v);
    vec_free(&j->untracked);
    vec_free(&j->interval);
    ids_free(&j->ids);
    names_free(&j->teller.words);
    free(j);
}
