/* buf: checked memory, growable bytes, growable arrays, string arenas.  Layer 1.
 *
 * Allocation never returns NULL: out of memory ends the program with status 2.  Who initialises a struct frees it. */
#ifndef BUF_H
#define BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void *xmalloc(size_t n) __attribute__((returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));
/* n elements of size bytes, the product checked */
void *xrealloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
/* Zeroed memory for a large table that is read all over, which grows without being copied: in huge pages where the system
 * has them; its bytes are a multiple of XMAP_UNIT.  xremap: the bytes beyond `was` are zero. */
enum { XMAP_UNIT = 2 << 20 };
void *xmap(size_t bytes) __attribute__((returns_nonnull));
void *xremap(void *p, size_t was, size_t bytes) __attribute__((returns_nonnull));
void xunmap(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* Bytes.  s is NUL-terminated after every call once anything was added; len excludes the NUL.  {0} is an empty buf. */
struct buf {
    char *s;
    size_t len, cap;
};
char *buf_grow(struct buf *b, size_t n); /* buf_room where there is none yet */

/* Room for n more bytes and a NUL; returns the end.  Caller adds to len. */
static inline char *buf_room(struct buf *b, size_t n) { return n < b->cap - b->len ? b->s + b->len : buf_grow(b, n); }

static inline void buf_add(struct buf *b, const void *p, size_t n) {
    char *end = buf_room(b, n);
    if (n) memcpy(end, p, n);
    b->len += n;
    b->s[b->len] = '\0';
}

static inline void buf_char(struct buf *b, char c) { buf_add(b, &c, 1); }

void buf_str(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text of somebody else, with control characters (C0, DEL) as the six characters \u00xx.  buf_is_visible: it has none. */
void buf_visible(struct buf *b, const char *s, size_t n);
bool buf_is_visible(const char *s, size_t n);
void buf_clear(struct buf *b); /* len = 0, memory kept */
void buf_free(struct buf *b);

/* Arrays: VEC(int64_t) a = {0}; vec_push(&a, 7); a.v[0]; a.n; vec_free(&a). */
#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *v;                                                                                                          \
        size_t n, cap;                                                                                                 \
    }
void *vec_grow(void *v, size_t *cap, size_t want, size_t size) __attribute__((returns_nonnull));
#define vec_reserve(a, want)                                                                                           \
    ((want) > (a)->cap ? (void)((a)->v = vec_grow((a)->v, &(a)->cap, (want), sizeof *(a)->v)) : (void)0)
#define vec_push(a, x) (vec_reserve((a), (a)->n + 1), (void)((a)->v[(a)->n++] = (x)))
#define vec_free(a) (free((a)->v), (void)((a)->v = NULL, (a)->n = (a)->cap = 0))

/* Bytes that somebody else owns.  n == 0 is a missing value wherever a value is meant. */
struct view {
    const char *s;
    size_t n;
};

/* Strings that live until arena_free, allocated in big pieces.  {0} is an empty arena. */
struct arena {
    struct arena_piece *piece;
    size_t used, size;
};
char *arena_copy(struct arena *a, const char *s, size_t n); /* a NUL follows the copy */
void arena_free(struct arena *a);

#endif
