#include "tokens.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "die.h"
#include "in.h"
#include "tokjson.h"
#include "tokmodel.h"
#include "tokranks.h"

/* ---- What handles share ---- */

struct shared {
    struct tokmodel *model;
    char *name;
    atomic_uint handles;
};

/* Counts of pieces seen lately, in sets of two with the later one first.  A piece of up to 13 bytes is its own key, that
 * of a longer one is 104 bits of hash. */
enum { SETS_BITS = 15, SHORT = 13, COUNT_AT = 40, LENGTH_AT = 56, LONG = 0xFF };

struct remembered {
    uint64_t low, high; /* from the top of high: length or LONG (0: nothing), count in 16 bits, bytes or hash */
};

#define COUNT_BITS ((uint64_t)0xFFFF << COUNT_AT)
#define HASH_BITS (((uint64_t)1 << COUNT_AT) - 1)

struct tokens {
    struct shared *shared;
    const struct tokmodel *model;
    struct remembered *remembered;
    struct presplit_scratch *split;
    struct bpe_scratch bpe;
    struct normal_scratch normal;
    struct buf repaired;
    int64_t count; /* so far */
};

static struct tokens *handle_of(struct shared *shared) {
    struct tokens *t = xcalloc(1, sizeof *t);
    t->shared = shared;
    t->model = shared->model;
    t->remembered = xcalloc((size_t)2 << SETS_BITS, sizeof *t->remembered);
    t->split = presplit_scratch_new(&shared->model->split);
    atomic_fetch_add(&shared->handles, 1);
    return t;
}

static void read_all(struct buf *b, const char *file) {
    enum { BLOCK = 1 << 20 };
    struct in in;
    in_open(&in, file);
    for (size_t n; (n = in_read(&in, buf_room(b, BLOCK), BLOCK)) > 0;)
        b->len += n;
    in_close(&in);
}

struct tokens *tokens_open(const char *file) {
    struct buf text = {0}, name = {0};
    read_all(&text, file);
    size_t at = 0;
    while (at < text.len && strchr(" \t\r\n", text.s[at]))
        at++;
    if (at == text.len) die("%s: empty", file);
    struct shared *shared = xcalloc(1, sizeof *shared);
    struct tokmodel *m = shared->model = tokmodel_new();
    if (text.s[at] == '{') {
        tokjson_read(m, file, (struct view){text.s, text.len});
        buf_str(&name, "tokenizer.json");
    } else {
        const char *encoding = tokranks_read(m, file, (struct view){text.s, text.len});
        if (!encoding)
            warn("%s: %zu ranks are no encoding that is known: text is split as by cl100k_base", file,
                 m->bpe.token.name.n);
        buf_printf(&name, "tiktoken ranks of %s", encoding ? encoding : "an unknown encoding");
    }
    buf_printf(&name, ", %zu tokens, xxh3:%016llx", m->bpe.token.name.n,
               (unsigned long long)XXH3_64bits(text.s, text.len));
    note("%s: %s", file, name.s);
    shared->name = name.s;
    buf_free(&text);
    return handle_of(shared);
}

struct tokens *tokens_share(const struct tokens *t) {
    return handle_of(t->shared);
}

void tokens_free(struct tokens *t) {
    if (!t) return;
    if (atomic_fetch_sub(&t->shared->handles, 1) == 1) {
        tokmodel_free(t->shared->model);
        free(t->shared->name);
        free(t->shared);
    }
    free(t->remembered);
    presplit_scratch_free(t->split);
    bpe_scratch_free(&t->bpe);
    normal_scratch_free(&t->normal);
    buf_free(&t->repaired);
    free(t);
}

const char *tokens_name(const struct tokens *t) { return t->shared->name; }

/* ---- Pieces ---- */

static uint64_t load(const char *s, size_t n) {
    uint64_t v = 0;
    memcpy(&v, s, n);
    return v;
}

/* n bytes, n from 0 to 8, without reading beyond them. */
static uint64_t load_up_to_8(const char *s, size_t n) {
    if (n == 8) return load(s, 8);
    if (n >= 4) return load(s, 4) | load(s + n - 4, 4) << 8 * (n - 4);
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)s[i] << 8 * i;
    return v;
}

static struct remembered key_of(const char *s, size_t n) {
    if (n <= SHORT)
        return (struct remembered){load_up_to_8(s, n < 8 ? n : 8),
                                   (n > 8 ? load_up_to_8(s + 8, n - 8) : 0) | (uint64_t)n << LENGTH_AT};
    XXH128_hash_t h = XXH3_128bits(s, n);
    return (struct remembered){h.low64, (h.high64 & HASH_BITS) | (uint64_t)LONG << LENGTH_AT};
}

static bool same(struct remembered r, struct remembered key) {
    return r.low == key.low && (r.high & ~COUNT_BITS) == key.high;
}

static void count_piece(void *context, const char *s, size_t n) {
    struct tokens *t = context;
    struct remembered key = key_of(s, n);
    uint64_t mixed = (key.low ^ key.high * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93;
    struct remembered *set = &t->remembered[mixed >> (64 - SETS_BITS) << 1];
    if (!same(set[0], key)) {
        struct remembered other = set[1];
        if (!same(other, key)) {
            size_t count = bpe_count(&t->model->bpe, &t->bpe, s, n);
            if (count > UINT16_MAX) {
                t->count += (int64_t)count;
                return;
            }
            other = (struct remembered){key.low, key.high | (uint64_t)count << COUNT_AT};
        }
        set[1] = set[0];
        set[0] = other;
    }
    t->count += (int64_t)((set[0].high & COUNT_BITS) >> COUNT_AT);
}

/* ---- Texts ---- */

static void count_normalized(struct tokens *t, struct view text) {
    const struct tokmodel *m = t->model;
    struct added_walk walk = {.text = text};
    while (added_next(&m->normalized, m->classes, &walk)) {
        presplit_run(&m->split, t->split, walk.before, count_piece, t);
        t->count += walk.found;
    }
}

/* Bytes of the UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_length(const unsigned char *p, size_t n) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (length < 2 || length > n) return length > n ? 0 : length;
    unsigned c = p[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    return c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0 : length;
}

/* The text itself when it is valid UTF-8, else a copy with U+FFFD for each byte at fault. */
static struct view valid(struct tokens *t, struct view text) {
    size_t good = 0, i = 0;
    buf_clear(&t->repaired);
    while (i < text.n) {
        if (text.n - i >= 8 && !(load(text.s + i, 8) & 0x8080808080808080)) {
            i += 8;
            continue;
        }
        size_t length = utf8_length((const unsigned char *)text.s + i, text.n - i);
        if (length == 0) {
            buf_add(&t->repaired, text.s + good, i - good);
            buf_str(&t->repaired, "\uFFFD");
            good = ++i;
        }
        i += length;
    }
    if (good == 0) return text;
    buf_add(&t->repaired, text.s + good, text.n - good);
    return (struct view){t->repaired.s, t->repaired.len};
}

int64_t tokens_count(struct tokens *t, const char *text, size_t n) {
    const struct tokmodel *m = t->model;
    struct added_walk walk = {.text = valid(t, (struct view){text, n})};
    t->count = 0;
    while (added_next(&m->as_written, m->classes, &walk)) {
        count_normalized(t, normal_apply(m->form, &t->normal, walk.before));
        t->count += walk.found;
    }
    return t->count;
}
