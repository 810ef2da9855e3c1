#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "die.h"

enum { OUT_SIZE = 1 << 18 };

static struct {
    char *s;
    size_t n;
} held;

static void put(const char *p, size_t n) {
    while (n > 0) {
        ssize_t w = write(STDOUT_FILENO, p, n);
        if (w < 0) {
            if (errno == EINTR) continue;
            die_errno("stdout");
        }
        p += w;
        n -= (size_t)w;
    }
}

char *out_room(size_t n) {
    if (!held.s) held.s = xmalloc(OUT_SIZE);
    if (n > OUT_SIZE - held.n) out_flush();
    return held.s + held.n;
}

void out_took(size_t n) { held.n += n; }

void out_add(const void *p, size_t n) {
    if (n == 0) return; /* p may be NULL */
    if (n > OUT_SIZE / 2) {
        out_flush();
        put(p, n);
        return;
    }
    memcpy(out_room(n), p, n);
    held.n += n;
}

void out_str(const char *s) { out_add(s, strlen(s)); }

void out_char(char c) { out_add(&c, 1); }

void out_printf(const char *fmt, ...) {
    char small[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) die_errno("format");
    if ((size_t)n < sizeof small) {
        out_add(small, (size_t)n);
        return;
    }
    struct buf b = {0};
    buf_room(&b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(b.s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    out_add(b.s, (size_t)n);
    buf_free(&b);
}

void out_flush(void) {
    size_t n = held.n;
    held.n = 0;
    if (n) put(held.s, n);
}

void out_close(void) {
    out_flush();
    if (close(STDOUT_FILENO) != 0) die_errno("stdout");
}
