#include "buf.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "die.h"

enum { ARENA_PIECE = 1 << 16 };

struct arena_piece {
    struct arena_piece *next;
    char s[];
};

static void *checked(void *p) {
    if (!p) {
        errno = ENOMEM;
        die_errno("memory");
    }
    return p;
}

/* Large arrays are asked for in huge pages where the system has them: the first touch of a page costs, and these are
 * touched from end to end.  All of the mapping, so that it stays one and can grow without being copied.  Advice: it may
 * fail. */
static void *advised(void *p, size_t bytes) {
    if (p && bytes >= XMAP_UNIT) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p / page * page;
        madvise((void *)from, (uintptr_t)p + malloc_usable_size(p) - from, MADV_HUGEPAGE);
    }
    return checked(p);
}

void *xmalloc(size_t n) { return advised(malloc(n ? n : 1), n); }

void *xcalloc(size_t n, size_t size) { return checked(calloc(n ? n : 1, size ? size : 1)); }

void *xrealloc(void *p, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) checked(NULL);
    return advised(realloc(p, bytes ? bytes : 1), bytes);
}

/* Address space for so many bytes, beginning at a multiple of the unit. */
static char *aligned_space(size_t bytes) {
    size_t all;
    if (__builtin_add_overflow(bytes, XMAP_UNIT, &all)) checked(NULL);
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) checked(NULL);
    size_t before = (size_t)(-(uintptr_t)p % XMAP_UNIT);
    if (before > 0) munmap(p, before);
    munmap(p + before + bytes, XMAP_UNIT - before);
    return p + before;
}

void *xmap(size_t bytes) {
    char *p = aligned_space(bytes);
    madvise(p, bytes, MADV_HUGEPAGE); /* advice: it may fail */
    return p;
}

void *xremap(void *p, size_t was, size_t bytes) {
    char *to = aligned_space(bytes);
    if (mremap(p, was, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) checked(NULL);
    madvise(to, bytes, MADV_HUGEPAGE);
    return to;
}

void xunmap(void *p, size_t bytes) {
    if (p) munmap(p, bytes);
}

char *xstrdup(const char *s) { return xstrndup(s, strlen(s)); }

char *xstrndup(const char *s, size_t n) {
    char *p = xmalloc(n + 1);
    if (n) memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *buf_grow(struct buf *b, size_t n) {
    size_t want;
    if (__builtin_add_overflow(b->len, n, &want) || __builtin_add_overflow(want, 1, &want)) checked(NULL);
    if (want > b->cap) {
        size_t cap = b->cap ? b->cap + b->cap / 2 : 128;
        b->cap = cap < want ? want : cap;
        b->s = xrealloc(b->s, b->cap, 1);
    }
    return b->s + b->len;
}

void buf_str(struct buf *b, const char *s) { buf_add(b, s, strlen(s)); }

void buf_printf(struct buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) die_errno("format");
    buf_room(b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

void buf_clear(struct buf *b) { b->len = 0; }

static bool control(char c) { return (unsigned char)c < 0x20 || c == 0x7f; }

bool buf_is_visible(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (control(s[i])) return false;
    return true;
}

void buf_visible(struct buf *b, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (control(s[i]))
            buf_printf(b, "\\u%04x", (unsigned)s[i]);
        else
            buf_char(b, s[i]);
}

void buf_free(struct buf *b) {
    free(b->s);
    *b = (struct buf){0};
}

void *vec_grow(void *v, size_t *cap, size_t want, size_t size) {
    size_t next = *cap ? *cap * 2 : 16;
    *cap = next < want ? want : next;
    return xrealloc(v, *cap, size);
}

char *arena_copy(struct arena *a, const char *s, size_t n) {
    if (!a->piece || n + 1 > a->size - a->used) {
        a->size = n + 1 > ARENA_PIECE ? n + 1 : ARENA_PIECE;
        struct arena_piece *p = xmalloc(sizeof *p + a->size);
        p->next = a->piece;
        a->piece = p;
        a->used = 0;
    }
    char *dst = a->piece->s + a->used;
    if (n) memcpy(dst, s, n);
    dst[n] = '\0';
    a->used += n + 1;
    return dst;
}

void arena_free(struct arena *a) {
    while (a->piece) {
        struct arena_piece *next = a->piece->next;
        free(a->piece);
        a->piece = next;
    }
    *a = (struct arena){0};
}
