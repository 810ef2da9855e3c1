#include "events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "out.h"

enum { BLOCK = 1 << 18, BEYOND = 1 << 13 }; /* to read at once; and for the end of a range's last line */

/* A block goes round: read and parsed by whoever has time, handed out in order, used again. */
struct block {
    char *s;
    size_t n, cap; /* cap: without EVENT_PAD */
    bool own; /* s is the block's, not a part of events.memory */
    size_t from; /* where its first line begins */
    long long base; /* bytes of the log before s */
    bool unended; /* the last line has no newline */
    bool ready;
    struct event_parser parser;
};

struct events {
    struct in in;
    long long line; /* lines before the block that is handed out */
    bool crlf;

    bool ranges; /* a file: block i has the lines that begin in its i-th range of BLOCK bytes, and reads them itself */

    pthread_mutex_t reading; /* held by the one who reads, or takes a range: how far, and what is carried over */
    struct buf carry; /* the beginning of a line whose end is in the next block */
    long long at; /* bytes read, or taken */
    bool eof;

    pthread_mutex_t lock; /* of what follows, and block[].ready */
    pthread_cond_t parsed, room;
    struct block *block; /* [n_blocks] */
    size_t n_blocks;
    char *memory; /* of the blocks, while none of them needs more */
    size_t memory_n;
    size_t to_read, to_give; /* numbers of blocks; block i lies in block[i % n_blocks] */
    bool all_read, closing;
    bool given, flushed; /* the caller's: to_give is with it; stdout is, since the last block */

    unsigned n_threads; /* besides the caller */
    pthread_t *thread;
};

/* Room for n bytes in all, with those that are there kept. */
static void block_room(struct block *b, size_t n) {
    if (n <= b->cap) return;
    size_t cap = 2 * n;
    char *s = xrealloc(b->own ? b->s : NULL, cap + EVENT_PAD, 1);
    if (!b->own && b->n > 0) memcpy(s, b->s, b->n);
    b->s = s;
    b->cap = cap;
    b->own = true;
}

/* Whole lines, and at the end of the log what is left; false if that is nothing. */
static bool read_block(struct events *e, struct block *b) {
    b->base = e->at - (long long)e->carry.len;
    b->n = b->from = 0;
    b->unended = false;
    while (!e->eof) {
        block_room(b, b->n + e->carry.len + BLOCK);
        if (b->n == 0 && e->carry.len > 0) memcpy(b->s, e->carry.s, b->n = e->carry.len);
        buf_clear(&e->carry);
        size_t n = in_read(&e->in, b->s + b->n, BLOCK);
        if (n == 0) {
            e->eof = true;
            b->unended = true;
            break;
        }
        e->at += (long long)n;
        const char *newline = memrchr(b->s + b->n, '\n', n);
        b->n += n;
        if (newline) {
            size_t whole = (size_t)(newline + 1 - b->s);
            buf_add(&e->carry, b->s + whole, b->n - whole);
            b->n = whole;
            break;
        }
    }
    return b->n > 0;
}

/* The next range; false if there is none. */
static bool take_range(struct events *e, struct block *b) {
    bool any = e->at < e->in.size;
    b->base = e->at;
    e->at += BLOCK;
    e->eof = e->at >= e->in.size;
    return any;
}

/* More of a file, behind what the block has of it; false at the end. */
static bool read_more(const struct events *e, struct block *b, size_t n) {
    long long left = e->in.size - b->base - (long long)b->n;
    if (left <= 0) return false;
    if (n > (unsigned long long)left) n = (size_t)left;
    block_room(b, b->n + n);
    n = in_read_at(&e->in, b->s + b->n, n, b->base + (long long)b->n);
    b->n += n;
    return n > 0; /* it may have been cut since it was opened */
}

/* The lines that begin in the range at b->base: those after the first newline in it, or just before it, but for the first
 * range; and up to the first newline that is not before its last byte. */
static void read_range(const struct events *e, struct block *b) {
    size_t before = b->base > 0, range = before + BLOCK, at = range - 1;
    b->base -= (long long)before;
    b->n = b->from = 0;
    while (b->n < range && read_more(e, b, range + BEYOND - b->n))
        ;
    if (before) {
        const char *first = memchr(b->s, '\n', b->n < at ? b->n : at);
        b->from = first ? (size_t)(first + 1 - b->s) : b->n;
        if (!first) return; /* all of it is in the middle of a line */
    }
    const char *newline = NULL;
    for (size_t more = BEYOND;; more = more < BLOCK ? 2 * more : BLOCK) {
        if (b->n > at) newline = memchr(b->s + at, '\n', b->n - at);
        if (b->n > at) at = b->n;
        if (newline || !read_more(e, b, more)) break;
    }
    b->unended = newline == NULL;
    if (newline) b->n = (size_t)(newline + 1 - b->s);
}

/* The line at s, of a block that ends at end, in full; past it. */
static const char *take_line(struct block *b, const char *s, const char *end) {
    struct event *ev;
    const char *past = event_take(&b->parser, s, end, &ev);
    if (ev && ev->kind == EV_MALFORMED) ev->fault.offset += b->base + (s - b->s);
    return past;
}

/* Only what ends in a newline may be of the usual shape. */
static void parse_block(struct block *b) {
    event_parser_reset(&b->parser);
    const char *s = b->s + b->from, *end = b->s + b->n;
    if (b->base == 0 && b->n >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) s += 3; /* a byte order mark */
    if (s == end) return;
    const char *newline = b->unended ? memrchr(s, '\n', (size_t)(end - s)) : end - 1;
    const char *usual_end = newline ? newline + 1 : s;
    while (s < end) {
        if (s < usual_end) s = event_take_usual(&b->parser, s, usual_end);
        if (s < end) s = take_line(b, s, end);
    }
}

static bool has_room(const struct events *e) { return e->to_read - e->to_give < e->n_blocks; }

/* Read and parse one block; the caller holds `reading` and knows that there is room. */
static void take_block(struct events *e) {
    struct block *b = &e->block[e->to_read % e->n_blocks];
    bool any = e->ranges ? take_range(e, b) : read_block(e, b);
    pthread_mutex_lock(&e->lock);
    b->ready = false;
    e->to_read += any;
    e->all_read = e->eof;
    pthread_cond_broadcast(&e->parsed);
    pthread_mutex_unlock(&e->lock);
    pthread_mutex_unlock(&e->reading);
    if (!any) return;
    if (e->ranges) read_range(e, b);
    parse_block(b);
    pthread_mutex_lock(&e->lock);
    b->ready = true;
    pthread_cond_broadcast(&e->parsed);
    pthread_mutex_unlock(&e->lock);
}

static void *work(void *events) {
    struct events *e = events;
    for (;;) {
        pthread_mutex_lock(&e->reading);
        pthread_mutex_lock(&e->lock);
        while (!has_room(e) && !e->closing)
            pthread_cond_wait(&e->room, &e->lock);
        bool stop = e->closing || e->all_read;
        pthread_mutex_unlock(&e->lock);
        if (stop) {
            pthread_mutex_unlock(&e->reading);
            return NULL;
        }
        take_block(e);
    }
}

/* In huge pages where there are any: every byte of the log goes through it. */
static void give_memory(struct events *e) {
    const size_t each = BLOCK + 2 * BEYOND;
    e->memory_n = (e->n_blocks * each + XMAP_UNIT - 1) / XMAP_UNIT * XMAP_UNIT;
    e->memory = xmap(e->memory_n);
    for (size_t i = 0; i < e->n_blocks; i++) {
        e->block[i].s = e->memory + i * each;
        e->block[i].cap = each - EVENT_PAD;
    }
}

struct events *events_open(const char *path, unsigned threads) {
    struct events *e = xcalloc(1, sizeof *e);
    in_open(&e->in, path);
    if (e->in.regular && e->in.size < 16 * BLOCK) threads = 1; /* over before a thread has begun */
    e->ranges = e->in.regular && e->in.size > 0;
    if (e->ranges) in_take_all(&e->in);
    e->n_threads = threads - 1;
    e->n_blocks = threads > 1 ? 2 * threads : 1;
    e->block = xcalloc(e->n_blocks, sizeof *e->block);
    give_memory(e);
    e->thread = xcalloc(threads, sizeof *e->thread);
    pthread_mutex_init(&e->reading, NULL);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->parsed, NULL);
    pthread_cond_init(&e->room, NULL);
    for (unsigned i = 0; i < e->n_threads; i++)
        if (pthread_create(&e->thread[i], NULL, work, e) != 0) e->n_threads = i; /* fewer do as well */
    return e;
}

const struct in *events_in(const struct events *e) { return &e->in; }

long long events_offset(const struct events *e) {
    const struct block *b = &e->block[e->to_give % e->n_blocks];
    return b->base + (long long)b->n;
}

/* The next block in order, parsed; NULL at the end. */
static struct block *next_block(struct events *e) {
    bool alone = e->n_threads == 0;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        struct block *b = &e->block[e->to_give % e->n_blocks];
        bool there = e->to_give < e->to_read;
        if ((there && b->ready) || (!there && e->all_read)) {
            pthread_mutex_unlock(&e->lock);
            return there ? b : NULL;
        }
        bool help = has_room(e) && !e->all_read && (alone || e->in.regular) && pthread_mutex_trylock(&e->reading) == 0;
        if (help) {
            pthread_mutex_unlock(&e->lock);
            if (!e->in.regular) out_flush();
            take_block(e);
            pthread_mutex_lock(&e->lock);
        } else if (!e->in.regular && !e->flushed) { /* the wait may be long: what is known so far goes on */
            pthread_mutex_unlock(&e->lock);
            out_flush();
            pthread_mutex_lock(&e->lock);
            e->flushed = true;
        } else {
            pthread_cond_wait(&e->parsed, &e->lock);
        }
    }
}

size_t events_next(struct events *e, struct event **event) {
    struct block *b;
    do {
        if (e->given) {
            e->line += e->block[e->to_give % e->n_blocks].parser.lines;
            pthread_mutex_lock(&e->lock);
            e->to_give++;
            pthread_cond_signal(&e->room);
            pthread_mutex_unlock(&e->lock);
        }
        e->flushed = false;
        b = next_block(e);
        e->given = b != NULL;
        if (b == NULL) return 0;
        if (b->parser.crlf && !e->crlf) warn("%s: lines end in CRLF, read as LF", e->in.name);
        e->crlf |= b->parser.crlf;
    } while (b->parser.event.n == 0);
    for (size_t i = 0; i < b->parser.event.n; i++)
        b->parser.event.v[i].line += e->line;
    *event = b->parser.event.v;
    return b->parser.event.n;
}

void events_close(struct events *e) {
    pthread_mutex_lock(&e->lock);
    e->closing = true;
    pthread_cond_broadcast(&e->room);
    pthread_mutex_unlock(&e->lock);
    for (unsigned i = 0; i < e->n_threads; i++)
        pthread_join(e->thread[i], NULL);
    for (size_t i = 0; i < e->n_blocks; i++) {
        event_parser_free(&e->block[i].parser);
        if (e->block[i].own) free(e->block[i].s);
    }
    xunmap(e->memory, e->memory_n);
    in_close(&e->in);
    buf_free(&e->carry);
    free(e->block);
    free(e->thread);
    free(e);
}
