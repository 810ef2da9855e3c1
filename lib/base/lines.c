#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "progress.h"

enum { BLOCK = 1 << 18 };

void lines_open(struct lines *l, const char *path) {
    *l = (struct lines){0};
    in_open(&l->in, path);
}

/* More bytes behind l->to; false at the end of input. */
static bool fill(struct lines *l) {
    if (l->eof) return false;
    if (l->from > 0 && !l->keep) {
        memmove(l->s, l->s + l->from, l->to - l->from);
        l->to -= l->from;
        l->from = 0;
    }
    if (l->cap - l->to < BLOCK / 2) {
        l->cap = l->cap ? l->cap * 2 : BLOCK;
        l->s = xrealloc(l->s, l->cap, 1);
    }
    if (!l->in.regular) out_flush();
    size_t n = in_read(&l->in, l->s + l->to, l->cap - l->to);
    l->to += n;
    l->bytes += (long long)n;
    l->eof = n == 0;
    progress_show(l->in.name, l->bytes, l->in.size);
    if (l->eof) progress_clear();
    return n > 0;
}

static void skip_bom(struct lines *l) {
    while (l->line == 0 && l->to - l->from < 3 && fill(l))
        ;
    if (l->line == 0 && l->to - l->from >= 3 && memcmp(l->s + l->from, "\xef\xbb\xbf", 3) == 0) l->from += 3;
}

bool lines_next(struct lines *l, struct view *line) {
    if (l->line == 0) skip_bom(l);
    size_t seen = 0;
    char *lf = NULL;
    while (l->from + seen == l->to || !(lf = memchr(l->s + l->from + seen, '\n', l->to - l->from - seen))) {
        seen = l->to - l->from;
        if (!fill(l)) break;
    }
    size_t n = lf ? (size_t)(lf - l->s) - l->from : l->to - l->from;
    if (!lf && n == 0) return false;
    *line = (struct view){l->s + l->from, n};
    l->from += n + (lf != NULL);
    l->terminated = lf != NULL;
    l->line++;
    return true;
}

int lines_peek(struct lines *l) {
    if (l->line == 0) skip_bom(l);
    for (size_t i = 0;; i++) {
        while (l->from + i == l->to)
            if (!fill(l)) return -1;
        unsigned char c = (unsigned char)l->s[l->from + i];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c;
    }
}

void lines_rewind(struct lines *l) {
    l->from = 0;
    l->line = 0;
}

void lines_close(struct lines *l) {
    in_close(&l->in);
    free(l->s);
    *l = (struct lines){0};
}
