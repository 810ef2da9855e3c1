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
        if (!before(&h->e.v[child], &x)) break;
        h->e.v[i] = h->e.v[child];
    }
    if (n > 0) h->e.v[i] = x;
    return top;
}

static double heap_key(const struct heap *h) { return h->e.n ? h->e.v[0].key : INFINITY; }

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
    double tpot; /* ns per token at the present occupancy and progress */
    int64_t taken, lanes, prefilling, ended;
    VEC(struct request) requests;
    VEC(uint32_t) unused;
    struct heap decode, timed, log;
    struct fifo queue, prefill; /* waiting for a slot; holding one and waiting for a prefill lane */
    struct client *clients;
    uint64_t n_lines;
    int64_t n_conversations;
    bool early_done; /* some requests complete, by their stamps, before they were sent */
} sim;

static void fifo_push(struct fifo *f, uint32_t x) { vec_push(&f->v, x); }

static bool fifo_pop(struct fifo *f, uint32_t *x) {
    if (f->head == f->v.n) return false;
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
    return (sim.o->epoch ? INT64_C(1769000000123456789) : INT64_C(6919832573853)) + llround(t);
}

/* ---- the log ---- */

static void log_error(uint32_t slot, enum line kind, enum fate fate, double t) {
    static const double delay_us[] = {
        [LINE_ISSUED] = 20,  [LINE_FIRST] = 50,    [LINE_NEXT] = 50, [LINE_ERROR] = 100,  [LINE_COMPLETE] = 300,
        [LINE_FAILED] = 300, [LINE_PARTIAL] = 400, [LINE_DUP] = 300, [LINE_ORPHAN] = 300, [LINE_STOP] = 10};
    uint64_t n = sim.n_lines++;
    struct entry e = {.key = fmax(t, sim.now) + delay_us[kind] * US * rand_unit(RAND_LINE, n),
                      .ts = sim_stamp(t),
                      .slot = slot,
                      .kind = (uint16_t)kind,
                      .fate = (uint16_t)fate};
    if (sim.o->late_lines > 0 && rand_unit(RAND_LATE, 2 * n) < sim.o->late_lines) {
        e.key += sim.o->late_by_s * S * rand_unit(RAND_LATE, 2 * n + 1);
        sim.t->late++;
    }
    if (slot != NOBODY) sim.requests.v[slot].refs++;
    heap_push(&sim.log, e);
}

static void log_line(uint32_t slot, enum line kind, double t) { log_error(slot, kind, FATE_DONE, t); }

static void release(uint32_t slot) {
    if (--sim.requests.v[slot].refs == 0) vec_push(&sim.unused, slot);
}

static void log_flush(double until) {
    while (sim.log.e.n && sim.log.e.v[0].key <= until) {
        struct entry e = heap_pop(&sim.log);
        emit_request(e.slot == NOBODY ? NULL : &sim.requests.v[e.slot], (enum line)e.kind, (enum fate)e.fate, e.ts);
        if (e.slot != NOBODY) release(e.slot);
    }
}

/* ---- progress, level, slots ---- */

static double progress(void) {
    if (sim.p->n == INT64_MAX) return fmin(1, sim.now / (sim.o->duration_s * S));
    return (double)(sim.o->mode == MODE_OFFLINE ? sim.ended : sim.t->issued) / (double)sim.p->n;
}

static double level(void) {
    double at = progress(), sum = 1;
    for (size_t i = 0; i < sim.o->steps.n; i++) {
        struct step *step = &sim.o->steps.v[i];
        if (at < step->at) continue;
        if (step->pass < 0) {
            step->pass = (sim.o->mode == MODE_OFFLINE ? sim.ended : sim.t->issued) / sim.p->pass_size;
            step->time_ns = llround(sim.now);
        }
        if (at < step->until) sum += step->delta;
    }
    return sum * (1 + sim.o->drift * at);
}

static int64_t open_slots(void) {
    double done = 1;
    if (sim.o->ramp_s > 0)
        done = sim.now / (sim.o->ramp_s * S);
    else if (sim.o->ramp_passes > 0)
        done = (double)(sim.o->mode == MODE_OFFLINE ? sim.ended : sim.t->issued) /
               (sim.o->ramp_passes * (double)sim.p->pass_size);
    double share = sim.o->ramp_from + (1 - sim.o->ramp_from) * fmin(1, done);
    return (int64_t)fmax(1, ceil(share * (double)sim.o->slots));
}

static void set_speed(void) {
    double load = (double)sim.taken / sim.p->occupancy;
    sim.tpot = sim.p->tpot_ns * level() * (sim.o->base + (1 - sim.o->base) * load);
}

/* ---- a request's way ---- */

static void later(double t, enum timed kind, uint32_t who) {
    heap_push(&sim.timed, (struct entry){.key = t, .slot = who, .kind = (uint16_t)kind});
}

static void start_prefill(uint32_t slot) {
    /* pairs share a deviation with opposite signs, so that means are the planted ones */
    uint64_t n = (uint64_t)sim.requests.v[slot].number;
    double z = rand_normal(RAND_TTFT, n / 2) * (n % 2 ? -1 : 1);
    double factor = sim.o->token_free ? sim.requests.v[slot].factor : 1;
    sim.prefilling++;
    later(sim.now + sim.p->ttft_ns * factor * fmax(0.05, 1 + sim.o->ttft_noise * z), TIMED_PREFILLED, slot);
}

static void admit(void) {
    uint32_t slot;
    int64_t open = open_slots();
    while (sim.taken < open && fifo_pop(&sim.queue, &slot)) {
        sim.taken++;
        fifo_push(&sim.prefill, slot);
    }
    while (sim.prefilling < sim.lanes && fifo_pop(&sim.prefill, &slot))
        start_prefill(slot);
}

static void send(uint32_t slot) {
    sim.requests.v[slot].sent = sim.now;
    log_line(slot, LINE_ISSUED, sim.now);
    if (sim.requests.v[slot].fate == FATE_REJECTED && !sim.requests.v[slot].retry && !sim.requests.v[slot].reopen)
        later(sim.now + 2 * MS, TIMED_REJECT, slot);
    else
        fifo_push(&sim.queue, slot);
}

static enum fate draw_fate(uint64_t n) {
    const double share[] = {[FATE_ERROR] = sim.o->fail,
                            [FATE_REJECTED] = sim.o->reject,
                            [FATE_TIMEOUT] = sim.o->timeout,
                            [FATE_CANCELLED] = sim.o->cancel,
                            [FATE_UNFINISHED] = sim.o->unfinished};
    double u = rand_unit(RAND_FATE, n);
    for (int fate = FATE_ERROR; fate < N_FATES; fate++) {
        if (u < share[fate]) return (enum fate)fate;
        u -= share[fate];
    }
    return FATE_DONE;
}

static bool issuing(void) { return sim.p->n == INT64_MAX ? sim.now < sim.o->duration_s * S : sim.t->issued < sim.p->n; }

static void issue(uint32_t client) {
    uint32_t slot;
    if (sim.unused.n) {
        slot = sim.unused.v[--sim.unused.n];
    } else {
        slot = (uint32_t)sim.requests.n;
        vec_push(&sim.requests, (struct request){0});
    }
    uint64_t n = (uint64_t)sim.t->issued++;
    int64_t pass = (int64_t)n / sim.p->pass_size;
    double z = rand_normal(RAND_REQUEST, n / 2) * (n % 2 ? -1 : 1);
    struct client *c = &sim.clients[client];
    struct request *r = &sim.requests.v[slot];
    *r = (struct request){.number = (int64_t)n,
                          .item = plan_item(sim.p, (int64_t)n),
                          .pass = pass,
                          .client = client,
                          .fate = draw_fate(n),
                          .refs = 1,
                          .early = rand_unit(RAND_WHEN, 2 * n) < 0.3};
    r->osl = plan_osl(sim.p, sim.o, r->item);
    if (sim.o->nasty && rand_bits(RAND_NASTY, (uint64_t)~r->item) % 30 == 0) r->osl = 0;
    r->factor = sim.p->pass_factor[pass < sim.p->n_factors ? pass : sim.p->n_factors - 1] *
                fmax(0.05, 1 + sim.o->request_noise * z);
    r->retry = rand_unit(RAND_RETRY, 2 * n) < sim.o->retry;
    r->reopen = !r->retry && rand_unit(RAND_RETRY, 2 * n + 1) < sim.o->reopen;
    r->intended = sim.now - rand_unit(RAND_ARRIVAL, ~n) * MS;
    if (sim.o->agentic) {
        if (c->turn == c->turns)
            *c = (struct client){sim.n_conversations++, 0, 1 + (int64_t)(rand_bits(RAND_TURN, n) % 4)};
        r->conversation = c->conversation;
        r->turn = ++c->turn;
    }
    sim.t->last_issue = sim.now;
    send(slot);
}

/* The client of a closed loop goes on; the others have their own clock. */
static void go_on(const struct request *r) {
    if (sim.o->mode == MODE_CONCURRENCY)
        later(sim.now + 2 * sim.o->dawdle_us * US * rand_unit(RAND_DAWDLE, (uint64_t)r->number), TIMED_SEND,
              (uint32_t)r->client);
}

/* An error event, a complete with ErrorData, or both: then the complete's word counts.  Or an error event alone. */
static void log_failure(uint32_t slot, enum fate fate) {
    uint64_t way = rand_bits(RAND_FAULT, ~(uint64_t)sim.requests.v[slot].number) % (sim.o->nasty ? 4 : 2);
    if (way > 0) log_error(slot, LINE_ERROR, way == 2 ? FATE_ERROR : fate, sim.now - 50 * US);
    if (way < 3) log_error(slot, way == 1 ? LINE_PARTIAL : LINE_FAILED, fate, sim.now);
}

static bool clock_fault(const struct request *r) {
    return sim.o->clock_fault > 0 && rand_unit(RAND_FAULT, (uint64_t)r->number << 32) < sim.o->clock_fault;
}

static void log_success(uint32_t slot) {
    struct request *r = &sim.requests.v[slot];
    uint64_t n = (uint64_t)r->number;
    bool faulty = clock_fault(r), early = sim.early_done && !r->resent && rand_bits(RAND_NASTY, n << 32) % 200 == 0;
    log_line(slot, LINE_COMPLETE, early ? r->sent - 2 * MS : sim.now);
    sim.t->early_done += early;
    if (sim.o->nasty && rand_bits(RAND_NASTY, (n << 32) + 1) % 200 == 0) {
        log_line(slot, LINE_ISSUED, sim.now + 500 * MS);
        sim.t->reissued_after_end++;
    }
    if (sim.o->dup_done > 0 && rand_unit(RAND_FAULT, (n << 32) + 1) < sim.o->dup_done) {
        log_line(slot, LINE_DUP, sim.now + MS + S * rand_unit(RAND_FAULT, (n << 32) + 2));
        sim.t->dup_done++;
    }
    if (r->osl < 2 || faulty || early) return;
    while ((int64_t)sim.t->pass_n.n <= r->pass) {
        vec_push(&sim.t->pass_n, 0);
        vec_push(&sim.t->pass_sum, 0);
    }
    sim.t->pass_n.v[r->pass]++;
    sim.t->pass_sum.v[r->pass] += (double)(sim_stamp(sim.now) - sim_stamp(r->first)) / (double)(r->osl - 1);
}

/* The attempt is over; slot of the server or not, the request ends or is sent again. */
static void end_attempt(uint32_t slot, bool held_slot) {
    struct request *r = &sim.requests.v[slot];
    sim.taken -= held_slot;
    if (r->retry || r->reopen) {
        if (r->reopen) {
            log_failure(slot, FATE_ERROR);
            sim.t->reopened++;
        } else {
            sim.t->retries++;
        }
        later(sim.now + 20 * MS, TIMED_RESEND, slot);
        return;
    }
    if (r->fate == FATE_DONE)
        log_success(slot);
    else if (r->fate != FATE_UNFINISHED)
        log_failure(slot, r->fate);
    if (sim.o->orphan > 0 && rand_unit(RAND_FAULT, ((uint64_t)r->number << 32) + 3) < sim.o->orphan)
        log_line(slot, LINE_ORPHAN, sim.now);
    sim.t->fates[r->fate]++;
    sim.ended++;
    go_on(r);
    release(slot);
}

static void decode(uint32_t slot) {
    struct request *r = &sim.requests.v[slot];
    double step = sim.o->all_chunks ? fmin(1, r->left) : r->left;
    r->left -= step;
    heap_push(&sim.decode, (struct entry){.key = sim.work + step * r->factor, .slot = slot});
}

static void prefilled(uint32_t slot) {
    struct request *r = &sim.requests.v[slot];
    bool fails = r->retry || r->reopen || r->fate != FATE_DONE;
    sim.prefilling--;
    if (r->osl == 0 || (fails && r->early)) {
        end_attempt(slot, true);
        return;
    }
    r->first = sim.now;
    if (!sim.o->token_free) {
        bool faulty = clock_fault(r);
        log_line(slot, LINE_FIRST, faulty ? r->sent - 3 * MS : sim.now);
        sim.t->clock_faults += faulty;
    }
    r->left = (double)(r->osl - 1) * (fails ? rand_unit(RAND_WHEN, 2 * (uint64_t)r->number + 1) : 1);
    if (r->left > 0)
        decode(slot);
    else
        end_attempt(slot, true);
}

static void decoded(uint32_t slot) {
    if (sim.o->all_chunks) log_line(slot, LINE_NEXT, sim.now);
    if (sim.requests.v[slot].left > 0)
        decode(slot);
    else
        end_attempt(slot, true);
}

static void resend(uint32_t slot) {
    struct request *r = &sim.requests.v[slot];
    r->retry = r->reopen = false;
    r->resent = true;
    send(slot);
}

static void send_next(uint32_t client) {
    if (!issuing()) return;
    issue(client);
    uint32_t next = (uint32_t)(sim.t->issued % sim.o->concurrency);
    if (sim.o->mode == MODE_POISSON)
        later(sim.now + plan_gap(sim.p, sim.t->issued), TIMED_SEND, next);
    else if (sim.o->mode == MODE_OFFLINE)
        later(sim.now + 0.2 * US, TIMED_SEND, next);
    if (sim.p->n != INT64_MAX && !issuing()) log_line(NOBODY, LINE_STOP, sim.now + 10 * US);
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
    sim.o = o;
    sim.p = p;
    sim.t = t;
}

void sim_run(void) {
    const struct options *o = sim.o;
    const struct plan *p = sim.p;
    struct truth *t = sim.t;
    sim.early_done = o->nasty && rand_bits(RAND_NASTY, 110) % 4 == 0;
    sim.clients = xcalloc((size_t)o->concurrency, sizeof *sim.clients);
    double in_prefill = (double)o->slots * p->ttft_ns / p->e2e_ns;
    sim.lanes = (int64_t)fmin(fmax((double)o->slots / 4, 2 * in_prefill) + 1, (double)o->slots);
    int64_t starters = o->mode == MODE_CONCURRENCY ? o->concurrency : 1;
    for (int64_t i = 0; i < starters; i++)
        later((double)i * 60 * US, TIMED_SEND, (uint32_t)i);
    for (;;) {
        admit();
        set_speed();
        double end = sim.decode.e.n ? sim.now + (heap_key(&sim.decode) - sim.work) * sim.tpot : INFINITY;
        double next = fmin(end, heap_key(&sim.timed));
        if (isinf(next) || (o->drain_s >= 0 && !issuing() && next > t->last_issue + o->drain_s * S)) break;
        sim.work += (next - sim.now) / sim.tpot;
        sim.now = next;
        log_flush(sim.now);
        if (end <= heap_key(&sim.timed)) {
            struct entry e = heap_pop(&sim.decode);
            sim.work = e.key;
            decoded(e.slot);
        } else {
            timed(heap_pop(&sim.timed));
        }
    }
    log_flush(INFINITY);
    t->end = sim.now;
    t->fates[FATE_UNFINISHED] = t->issued;
    for (int fate = 0; fate < FATE_UNFINISHED; fate++)
        t->fates[FATE_UNFINISHED] -= t->fates[fate];
}
