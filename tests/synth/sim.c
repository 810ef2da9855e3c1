/* sim: a server that shares its processor, and the clients before it.
 *
 * All replies in decode advance at one rate, so a single virtual clock (tokens decoded per slot since the start) orders
 * their ends whatever the occupancy does; requests in prefill, clients and arrivals run on real time.  Lines pass
 * through a heap ordered by when they are written, which is a little after what they are stamped. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "synth.h"

#define US 1e3
#define MS 1e6
#define S 1e9
#define NOBODY UINT32_MAX

/* ---- heap: least key first, equal keys in the order they came ---- */

struct entry {
    double key;
    uint64_t age;
    int64_t ts;
    uint32_t slot;
    uint16_t kind, fate; /* of a line: what its ErrorData says */
};

struct heap {
    VEC(struct entry) e;
};

static bool before(const struct entry *a, const struct entry *b) {
    return a->key < b->key || (a->key == b->key && a->age < b->age);
}

static void heap_push(struct heap *h, struct entry x) {
    static uint64_t age;
    x.age = age++;
    vec_push(&h->e, x);
    size_t i = h->e.n - 1;
    for (; i > 0 && before(&x, &h->e.v[(i - 1) / 2]); i = (i - 1) / 2)
        h->e.v[i] = h->e.v[(i - 1) / 2];
    h->e.v[i] = x;
}

static struct entry heap_pop(struct heap *h) {
    struct entry top = h->e.v[0], x = h->e.v[--h->e.n];
    size_t i = 0, n = h->e.n;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&h->e.v[child + 1], &h->e.v[child]);
        if (!before(&h->e.v[child], &x))
            break;
        h->e.v[i] = h->e.v[child];
    }
    if (n > 0)
        h->e.v[i] = x;
    return top;
}

static double heap_key(const struct heap *h) {
    return h->e.n ? h->e.v[0].key : INFINITY;
}

/* ---- state ---- */

enum timed { TIMED_SEND, TIMED_PREFILLED, TIMED_RESEND, TIMED_REJECT };

struct fifo {
    VEC(uint32_t) v;
    size_t head;
};

struct client {
    int64_t conversation, turn, turns;
};

static struct {
    struct options *o;
    struct plan *p;
    struct truth *t;
    double now, work; /* work: the virtual clock */
    double tpot;      /* ns per token at the present occupancy and progress */
    int64_t taken, lanes, prefilling, ended;
    VEC(struct request) requests;
    VEC(uint32_t) unused;
    struct heap decode, timed, log;
    struct fifo queue, prefill; /* waiting for a slot; holding one and waiting for a prefill lane */
    struct client *clients;
    uint64_t n_lines;
    int64_t n_conversations;
    bool early_done; /* some requests complete, by their stamps, before they were sent */
} s;

static void fifo_push(struct fifo *f, uint32_t x) {
    vec_push(&f->v, x);
}

static bool fifo_pop(struct fifo *f, uint32_t *x) {
    if (f->head == f->v.n)
        return false;
    *x = f->v.v[f->head++];
    if (f->head == f->v.n)
        f->head = f->v.n = 0;
    else if (f->head > 4096 && f->head * 2 > f->v.n) {
        memmove(f->v.v, f->v.v + f->head, (f->v.n - f->head) * sizeof *f->v.v);
        f->v.n -= f->head;
        f->head = 0;
    }
    return true;
}

int64_t sim_stamp(double t) {
    return (s.o->epoch ? INT64_C(1769000000123456789) : INT64_C(6919832573853)) + llround(t);
}

/* ---- the log ---- */

static void log_error(uint32_t slot, enum line kind, enum fate fate, double t) {
    static const double delay_us[] = {[LINE_ISSUED] = 20, [LINE_FIRST] = 50, [LINE_NEXT] = 50, [LINE_ERROR] = 100,
                                      [LINE_COMPLETE] = 300, [LINE_FAILED] = 300, [LINE_PARTIAL] = 400,
                                      [LINE_DUP] = 300, [LINE_ORPHAN] = 300, [LINE_STOP] = 10};
    uint64_t n = s.n_lines++;
    struct entry e = {.key = fmax(t, s.now) + delay_us[kind] * US * rand_unit(RAND_LINE, n), .ts = sim_stamp(t),
                      .slot = slot, .kind = (uint16_t)kind, .fate = (uint16_t)fate};
    if (s.o->late_lines > 0 && rand_unit(RAND_LATE, 2 * n) < s.o->late_lines) {
        e.key += s.o->late_by_s * S * rand_unit(RAND_LATE, 2 * n + 1);
        s.t->late++;
    }
    if (slot != NOBODY)
        s.requests.v[slot].refs++;
    heap_push(&s.log, e);
}

static void log_line(uint32_t slot, enum line kind, double t) {
    log_error(slot, kind, FATE_DONE, t);
}

static void release(uint32_t slot) {
    if (--s.requests.v[slot].refs == 0)
        vec_push(&s.unused, slot);
}

static void log_flush(double until) {
    while (s.log.e.n && s.log.e.v[0].key <= until) {
        struct entry e = heap_pop(&s.log);
        lines_request(e.slot == NOBODY ? NULL : &s.requests.v[e.slot], (enum line)e.kind, (enum fate)e.fate, e.ts);
        if (e.slot != NOBODY)
            release(e.slot);
    }
}

/* ---- progress, level, slots ---- */

static double progress(void) {
    if (s.p->n == INT64_MAX)
        return fmin(1, s.now / (s.o->duration_s * S));
    return (double)(s.o->mode == MODE_OFFLINE ? s.ended : s.t->issued) / (double)s.p->n;
}

static double level(void) {
    double at = progress(), sum = 1;
    for (size_t i = 0; i < s.o->steps.n; i++) {
        struct step *step = &s.o->steps.v[i];
        if (at < step->at)
            continue;
        if (step->pass < 0) {
            step->pass = (s.o->mode == MODE_OFFLINE ? s.ended : s.t->issued) / s.p->pass_size;
            step->time_ns = llround(s.now);
        }
        if (at < step->until)
            sum += step->delta;
    }
    return sum * (1 + s.o->drift * at);
}

static int64_t open_slots(void) {
    double done = 1;
    if (s.o->ramp_s > 0)
        done = s.now / (s.o->ramp_s * S);
    else if (s.o->ramp_passes > 0)
        done = (double)(s.o->mode == MODE_OFFLINE ? s.ended : s.t->issued) /
               (s.o->ramp_passes * (double)s.p->pass_size);
    double share = s.o->ramp_from + (1 - s.o->ramp_from) * fmin(1, done);
    return (int64_t)fmax(1, ceil(share * (double)s.o->slots));
}

static void set_speed(void) {
    double load = (double)s.taken / s.p->occupancy;
    s.tpot = s.p->tpot_ns * level() * (s.o->base + (1 - s.o->base) * load);
}

/* ---- a request's way ---- */

static void later(double t, enum timed kind, uint32_t who) {
    heap_push(&s.timed, (struct entry){.key = t, .slot = who, .kind = (uint16_t)kind});
}

static void start_prefill(uint32_t slot) {
    /* pairs share a deviation with opposite signs, so that means are the planted ones */
    uint64_t n = (uint64_t)s.requests.v[slot].number;
    double z = rand_normal(RAND_TTFT, n / 2) * (n % 2 ? -1 : 1);
    double factor = s.o->token_free ? s.requests.v[slot].factor : 1;
    s.prefilling++;
    later(s.now + s.p->ttft_ns * factor * fmax(0.05, 1 + s.o->ttft_noise * z), TIMED_PREFILLED, slot);
}

static void admit(void) {
    uint32_t slot;
    int64_t open = open_slots();
    while (s.taken < open && fifo_pop(&s.queue, &slot)) {
        s.taken++;
        fifo_push(&s.prefill, slot);
    }
    while (s.prefilling < s.lanes && fifo_pop(&s.prefill, &slot))
        start_prefill(slot);
}

static void send(uint32_t slot) {
    s.requests.v[slot].sent = s.now;
    log_line(slot, LINE_ISSUED, s.now);
    if (s.requests.v[slot].fate == FATE_REJECTED && !s.requests.v[slot].retry && !s.requests.v[slot].reopen)
        later(s.now + 2 * MS, TIMED_REJECT, slot);
    else
        fifo_push(&s.queue, slot);
}

static enum fate draw_fate(uint64_t n) {
    const double share[] = {[FATE_ERROR] = s.o->fail, [FATE_REJECTED] = s.o->reject, [FATE_TIMEOUT] = s.o->timeout,
                            [FATE_CANCELLED] = s.o->cancel, [FATE_UNFINISHED] = s.o->unfinished};
    double u = rand_unit(RAND_FATE, n);
    for (int fate = FATE_ERROR; fate < N_FATES; fate++) {
        if (u < share[fate])
            return (enum fate)fate;
        u -= share[fate];
    }
    return FATE_DONE;
}

static bool issuing(void) {
    return s.p->n == INT64_MAX ? s.now < s.o->duration_s * S : s.t->issued < s.p->n;
}

static void issue(uint32_t client) {
    uint32_t slot;
    if (s.unused.n) {
        slot = s.unused.v[--s.unused.n];
    } else {
        slot = (uint32_t)s.requests.n;
        vec_push(&s.requests, (struct request){0});
    }
    uint64_t n = (uint64_t)s.t->issued++;
    int64_t pass = (int64_t)n / s.p->pass_size;
    double z = rand_normal(RAND_REQUEST, n / 2) * (n % 2 ? -1 : 1);
    struct client *c = &s.clients[client];
    struct request *r = &s.requests.v[slot];
    *r = (struct request){.number = (int64_t)n, .item = plan_item(s.p, (int64_t)n), .pass = pass, .client = client,
                          .fate = draw_fate(n), .refs = 1, .early = rand_unit(RAND_WHEN, 2 * n) < 0.3};
    r->osl = plan_osl(s.p, s.o, r->item);
    if (s.o->nasty && rand_bits(RAND_NASTY, (uint64_t)~r->item) % 30 == 0)
        r->osl = 0;
    r->factor = s.p->pass_factor[pass < s.p->n_factors ? pass : s.p->n_factors - 1] *
                fmax(0.05, 1 + s.o->request_noise * z);
    r->retry = rand_unit(RAND_RETRY, 2 * n) < s.o->retry;
    r->reopen = !r->retry && rand_unit(RAND_RETRY, 2 * n + 1) < s.o->reopen;
    r->intended = s.now - rand_unit(RAND_ARRIVAL, ~n) * MS;
    if (s.o->agentic) {
        if (c->turn == c->turns)
            *c = (struct client){s.n_conversations++, 0, 1 + (int64_t)(rand_bits(RAND_TURN, n) % 4)};
        r->conversation = c->conversation;
        r->turn = ++c->turn;
    }
    s.t->last_issue = s.now;
    send(slot);
}

/* The client of a closed loop goes on; the others have their own clock. */
static void go_on(const struct request *r) {
    if (s.o->mode == MODE_CONCURRENCY)
        later(s.now + 2 * s.o->dawdle_us * US * rand_unit(RAND_DAWDLE, (uint64_t)r->number), TIMED_SEND,
              (uint32_t)r->client);
}

/* An error event, a complete with ErrorData, or both: then the complete's word counts.  Or an error event alone. */
static void log_failure(uint32_t slot, enum fate fate) {
    uint64_t way = rand_bits(RAND_FAULT, ~(uint64_t)s.requests.v[slot].number) % (s.o->nasty ? 4 : 2);
    if (way > 0)
        log_error(slot, LINE_ERROR, way == 2 ? FATE_ERROR : fate, s.now - 50 * US);
    if (way < 3)
        log_error(slot, way == 1 ? LINE_PARTIAL : LINE_FAILED, fate, s.now);
}

static bool clock_fault(const struct request *r) {
    return s.o->clock_fault > 0 && rand_unit(RAND_FAULT, (uint64_t)r->number << 32) < s.o->clock_fault;
}

static void log_success(uint32_t slot) {
    struct request *r = &s.requests.v[slot];
    uint64_t n = (uint64_t)r->number;
    bool faulty = clock_fault(r), early = s.early_done && rand_bits(RAND_NASTY, n << 32) % 200 == 0;
    log_line(slot, LINE_COMPLETE, early ? r->sent - 2 * MS : s.now);
    s.t->early_done += early;
    if (s.o->nasty && rand_bits(RAND_NASTY, (n << 32) + 1) % 200 == 0) {
        log_line(slot, LINE_ISSUED, s.now + 500 * MS);
        s.t->reissued_after_end++;
    }
    if (s.o->dup_done > 0 && rand_unit(RAND_FAULT, (n << 32) + 1) < s.o->dup_done) {
        log_line(slot, LINE_DUP, s.now + MS + S * rand_unit(RAND_FAULT, (n << 32) + 2));
        s.t->dup_done++;
    }
    if (r->osl < 2 || faulty || early)
        return;
    while ((int64_t)s.t->pass_n.n <= r->pass) {
        vec_push(&s.t->pass_n, 0);
        vec_push(&s.t->pass_sum, 0);
    }
    s.t->pass_n.v[r->pass]++;
    s.t->pass_sum.v[r->pass] += (double)(sim_stamp(s.now) - sim_stamp(r->first)) / (double)(r->osl - 1);
}

/* The attempt is over; slot of the server or not, the request ends or is sent again. */
static void end_attempt(uint32_t slot, bool held_slot) {
    struct request *r = &s.requests.v[slot];
    s.taken -= held_slot;
    if (r->retry || r->reopen) {
        if (r->reopen) {
            log_failure(slot, FATE_ERROR);
            s.t->reopened++;
        } else {
            s.t->retries++;
        }
        later(s.now + 20 * MS, TIMED_RESEND, slot);
        return;
    }
    if (r->fate == FATE_DONE)
        log_success(slot);
    else if (r->fate != FATE_UNFINISHED)
        log_failure(slot, r->fate);
    if (s.o->orphan > 0 && rand_unit(RAND_FAULT, ((uint64_t)r->number << 32) + 3) < s.o->orphan)
        log_line(slot, LINE_ORPHAN, s.now);
    s.t->fates[r->fate]++;
    s.ended++;
    go_on(r);
    release(slot);
}

static void decode(uint32_t slot) {
    struct request *r = &s.requests.v[slot];
    double step = s.o->all_chunks ? fmin(1, r->left) : r->left;
    r->left -= step;
    heap_push(&s.decode, (struct entry){.key = s.work + step * r->factor, .slot = slot});
}

static void prefilled(uint32_t slot) {
    struct request *r = &s.requests.v[slot];
    bool fails = r->retry || r->reopen || r->fate != FATE_DONE;
    s.prefilling--;
    if (r->osl == 0 || (fails && r->early)) {
        end_attempt(slot, true);
        return;
    }
    r->first = s.now;
    if (!s.o->token_free) {
        bool faulty = clock_fault(r);
        log_line(slot, LINE_FIRST, faulty ? r->sent - 3 * MS : s.now);
        s.t->clock_faults += faulty;
    }
    r->left = (double)(r->osl - 1) * (fails ? rand_unit(RAND_WHEN, 2 * (uint64_t)r->number + 1) : 1);
    if (r->left > 0)
        decode(slot);
    else
        end_attempt(slot, true);
}

static void decoded(uint32_t slot) {
    if (s.o->all_chunks)
        log_line(slot, LINE_NEXT, s.now);
    if (s.requests.v[slot].left > 0)
        decode(slot);
    else
        end_attempt(slot, true);
}

static void resend(uint32_t slot) {
    struct request *r = &s.requests.v[slot];
    r->retry = r->reopen = false;
    send(slot);
}

static void send_next(uint32_t client) {
    if (!issuing())
        return;
    issue(client);
    uint32_t next = (uint32_t)(s.t->issued % s.o->concurrency);
    if (s.o->mode == MODE_POISSON)
        later(s.now + plan_gap(s.p, s.t->issued), TIMED_SEND, next);
    else if (s.o->mode == MODE_OFFLINE)
        later(s.now + 0.2 * US, TIMED_SEND, next);
    if (s.p->n != INT64_MAX && !issuing())
        log_line(NOBODY, LINE_STOP, s.now + 10 * US);
}

static void timed(struct entry e) {
    switch ((enum timed)e.kind) {
    case TIMED_SEND: send_next(e.slot); break;
    case TIMED_PREFILLED: prefilled(e.slot); break;
    case TIMED_RESEND: resend(e.slot); break;
    case TIMED_REJECT: end_attempt(e.slot, false); break;
    }
}

void sim_init(struct options *o, struct plan *p, struct truth *t) {
    s.o = o;
    s.p = p;
    s.t = t;
}

void sim_run(void) {
    const struct options *o = s.o;
    const struct plan *p = s.p;
    struct truth *t = s.t;
    s.early_done = o->nasty && rand_bits(RAND_NASTY, 110) % 4 == 0;
    s.clients = xcalloc((size_t)o->concurrency, sizeof *s.clients);
    double in_prefill = (double)o->slots * p->ttft_ns / p->e2e_ns;
    s.lanes = (int64_t)fmin(fmax((double)o->slots / 4, 2 * in_prefill) + 1, (double)o->slots);
    int64_t starters = o->mode == MODE_CONCURRENCY ? o->concurrency : 1;
    for (int64_t i = 0; i < starters; i++)
        later((double)i * 60 * US, TIMED_SEND, (uint32_t)i);
    for (;;) {
        admit();
        set_speed();
        double end = s.decode.e.n ? s.now + (heap_key(&s.decode) - s.work) * s.tpot : INFINITY;
        double next = fmin(end, heap_key(&s.timed));
        if (isinf(next) || (o->drain_s >= 0 && !issuing() && next > t->last_issue + o->drain_s * S))
            break;
        s.work += (next - s.now) / s.tpot;
        s.now = next;
        log_flush(s.now);
        if (end <= heap_key(&s.timed)) {
            struct entry e = heap_pop(&s.decode);
            s.work = e.key;
            decoded(e.slot);
        } else {
            timed(heap_pop(&s.timed));
        }
    }
    log_flush(INFINITY);
    t->end = s.now;
    t->fates[FATE_UNFINISHED] = t->issued;
    for (int fate = 0; fate < FATE_UNFINISHED; fate++)
        t->fates[FATE_UNFINISHED] -= t->fates[fate];
}
