#include "fuzz.h"

#include <csv.h>
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "die.h"
#include "out.h"

#pragma weak LLVMFuzzerCustomMutator
#pragma weak fuzz_tally
/* libraries a target may do without */
#pragma weak json_set_alloc_funcs
#pragma weak __real_csv_init
#pragma weak csv_set_realloc_func
#pragma weak csv_set_free_func

int LLVMFuzzerInitialize(int *argc, char ***argv);

static FILE *said; /* the real stderr */
static unsigned long long n_inputs, n_accepted;
static struct view present; /* the input at hand */

/* What is at fault can be tried again: libFuzzer keeps it itself, and here it stays in fuzz.fault. */
static void keep_fault(void) {
#ifdef FUZZ_MAIN
    FILE *f = fopen("fuzz.fault", "wb");
    if (f) fwrite(present.s, 1, present.n, f);
    if (f) fclose(f);
#endif
}

void fuzz_require(bool ok, const char *what) {
    if (ok) return;
    fprintf(said ? said : stderr, "fuzz: %s\n", what);
    keep_fault();
    abort();
}

void fuzz_same(struct view a, struct view b, const char *what) {
    if (a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0)) return;
    size_t at = 0;
    while (at < a.n && at < b.n && a.s[at] == b.s[at])
        at++;
    fprintf(said, "fuzz: differ at byte %zu of %zu and %zu\n", at, a.n, b.n);
    fuzz_require(false, what);
}

/* ---- attempts ---- */

static struct {
    bool on, accepted, keep;
    jmp_buf refused;
    char message[1024]; /* the last */
    int opened[16];
    size_t n_opened;
    void **block; /* live allocations: a table with linear probing, a power of two of places */
    size_t n_blocks, cap;
} attempt;

/* The functions of the C library, and what stands before them (the linker's --wrap). */
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_xmap(size_t bytes);
void *__wrap_xremap(void *p, size_t was, size_t bytes);
void __wrap_xunmap(void *p, size_t bytes);
void __real_free(void *p);
void __wrap_free(void *p);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_csv_init(struct csv_parser *p, unsigned char options);
int __wrap_csv_init(struct csv_parser *p, unsigned char options);

static size_t place_of(const void *p) { return ((uintptr_t)p >> 4) * 0x9E3779B97F4A7C15u & (attempt.cap - 1); }

static void insert(void *p) {
    size_t i = place_of(p);
    while (attempt.block[i])
        i = (i + 1) & (attempt.cap - 1);
    attempt.block[i] = p;
}

static void *track(void *p) {
    if (!attempt.on || attempt.keep || !p) return p;
    if (2 * (attempt.n_blocks + 1) > attempt.cap) {
        void **old = attempt.block;
        size_t n = attempt.cap;
        attempt.cap = n ? 2 * n : 1024;
        attempt.block = __real_calloc(attempt.cap, sizeof *old);
        for (size_t i = 0; i < n; i++)
            if (old[i]) insert(old[i]);
        __real_free(old);
    }
    insert(p);
    attempt.n_blocks++;
    return p;
}

static void untrack(const void *p) {
    if (attempt.n_blocks == 0 || !p) return;
    size_t mask = attempt.cap - 1, hole = place_of(p);
    while (attempt.block[hole] && attempt.block[hole] != p)
        hole = (hole + 1) & mask;
    if (!attempt.block[hole]) return; /* from before the attempt */
    attempt.block[hole] = NULL;
    attempt.n_blocks--;
    /* what was pushed past the hole moves up */
    for (size_t i = (hole + 1) & mask; attempt.block[i]; i = (i + 1) & mask) {
        if (((i - place_of(attempt.block[i])) & mask) < ((i - hole) & mask)) continue;
        attempt.block[hole] = attempt.block[i];
        attempt.block[i] = NULL;
        hole = i;
    }
}

void *__wrap_malloc(size_t n) { return track(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return track(__real_calloc(n, size)); }

void *__wrap_realloc(void *p, size_t n) {
    untrack(p);
    return track(__real_realloc(p, n));
}

void __wrap_free(void *p) {
    untrack(p);
    __real_free(p);
}

/* Mapped memory is taken from the same place, where it is watched and given back. */
void *__wrap_xmap(size_t bytes) { return __wrap_calloc(bytes, 1); }

void *__wrap_xremap(void *p, size_t was, size_t bytes) {
    char *to = __wrap_realloc(p, bytes);
    memset(to + was, 0, bytes - was);
    return to;
}

void __wrap_xunmap(void *p, size_t bytes) {
    (void)bytes;
    __wrap_free(p);
}

int __wrap_open(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    int fd = __real_open(path, flags, va_arg(ap, int));
    va_end(ap);
    if (attempt.on && fd >= 0 && attempt.n_opened < sizeof attempt.opened / sizeof *attempt.opened)
        attempt.opened[attempt.n_opened++] = fd;
    return fd;
}

int __wrap_csv_init(struct csv_parser *p, unsigned char options) {
    int status = __real_csv_init(p, options);
    csv_set_realloc_func(p, __wrap_realloc);
    csv_set_free_func(p, __wrap_free);
    return status;
}

_Noreturn void __wrap_exit(int status) {
    if (!attempt.on) __real_exit(status);
    if (attempt.accepted) fprintf(said, "%s", attempt.message);
    fuzz_require(!attempt.accepted, "ended on what it had accepted");
    fuzz_require(status == DIE_STATUS, "ended with another status than 2");
    longjmp(attempt.refused, 1);
}

/* stderr, during an attempt */
static ssize_t take_message(void *none, const char *s, size_t n) {
    (void)none;
    bool whole = n > 6 && memcmp(s, "fuzz: ", 6) == 0 && s[n - 1] == '\n';
    for (size_t i = 0; i + 1 < n; i++)
        whole = whole && (unsigned char)s[i] >= ' ' && s[i] != 0x7f;
    if (!whole) fprintf(said, "%.*s\n", (int)n, s);
    fuzz_require(whole, "a message that is not one printable line");
    snprintf(attempt.message, sizeof attempt.message, "%.*s", (int)n, s);
    return (ssize_t)n;
}

#pragma weak __asan_describe_address
void __asan_describe_address(void *p);

static void require_freed(void) {
    for (size_t i = 0; i < attempt.cap && attempt.n_blocks > 0 && __asan_describe_address; i++)
        if (attempt.block[i]) __asan_describe_address(attempt.block[i]);
    fuzz_require(attempt.n_blocks == 0, "memory was not freed");
}

bool fuzz_attempt(void (*f)(struct view), struct view input) {
    n_inputs++;
    char *exact = __real_malloc(input.n ? input.n : 1); /* so that a sanitizer sees a read beyond it */
    if (input.n) memcpy(exact, input.s, input.n);
    FILE *before = stderr;
    present = input;
    static FILE *messages;
    if (!messages) {
        messages = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take_message});
        fuzz_require(messages != NULL, "no stream for messages");
        setvbuf(messages, NULL, _IONBF, 0);
    }
    stderr = messages;
    attempt.n_opened = 0;
    attempt.accepted = attempt.keep = false;
    attempt.on = true;
    bool returned = !setjmp(attempt.refused);
    if (returned) f((struct view){exact, input.n});
    attempt.on = false;
    stderr = before;
    if (returned) require_freed();
    for (size_t i = 0; i < attempt.cap && attempt.n_blocks > 0; i++) {
        if (!attempt.block[i]) continue;
        __real_free(attempt.block[i]);
        attempt.block[i] = NULL;
        attempt.n_blocks--;
    }
    for (size_t i = 0; !returned && i < attempt.n_opened; i++)
        close(attempt.opened[i]);
    __real_free(exact);
    if (!returned) {
        struct buf rest = fuzz_stdout();
        buf_free(&rest);
    }
    n_accepted += returned;
    return returned;
}

void fuzz_accepted(void) { attempt.accepted = true; }

void fuzz_both_ways(struct view input, struct buf (*copy)(struct view bytes, enum spelling spelling)) {
    struct buf tsv = copy(input, SPELL_TSV);
    fuzz_accepted();
    struct buf ndjson = copy((struct view){tsv.s, tsv.len}, SPELL_NDJSON);
    struct buf again = copy((struct view){ndjson.s, ndjson.len}, SPELL_TSV);
    fuzz_same((struct view){tsv.s, tsv.len}, (struct view){again.s, again.len}, "TSV after NDJSON");
    buf_free(&again);
    buf_free(&ndjson);
    buf_free(&tsv);
}

void fuzz_keep(bool on) { attempt.keep = on; }

/* ---- files ---- */

const char *fuzz_file(int slot, struct view bytes) {
    static int fd[2] = {-1, -1};
    static char path[2][32];
    if (fd[slot] < 0) {
        fd[slot] = memfd_create("input", MFD_CLOEXEC);
        snprintf(path[slot], sizeof path[slot], "/proc/self/fd/%d", fd[slot]);
    }
    bool ok = ftruncate(fd[slot], 0) == 0 && pwrite(fd[slot], bytes.s, bytes.n, 0) == (ssize_t)bytes.n;
    fuzz_require(ok, "no file in memory");
    return path[slot];
}

struct buf fuzz_stdout(void) {
    struct buf b = {0};
    out_flush();
    off_t n = lseek(STDOUT_FILENO, 0, SEEK_END);
    fuzz_require(n >= 0 && pread(STDOUT_FILENO, buf_room(&b, (size_t)n), (size_t)n, 0) == n,
                 "stdout is not to be read");
    b.len = (size_t)n;
    b.s[b.len] = '\0';
    fuzz_require(ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0, "stdout is not a file");
    return b;
}

/* stdout becomes a file in memory; what it was goes on as report. */
static FILE *report;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    die_init("fuzz");
    said = stderr;
    report = fdopen(dup(STDOUT_FILENO), "w");
    int fd = memfd_create("stdout", MFD_CLOEXEC);
    fuzz_require(report && fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO, "no file in memory");
    close(fd);
    out_room(1); /* stdout's buffer outlives every attempt */
    if (json_set_alloc_funcs) json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    return 0;
}

/* ---- mutations ---- */

static uint64_t state = 1;

static size_t below(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

/* The line that holds byte at, with its newline. */
static struct view line_at(const uint8_t *s, size_t n, size_t at) {
    size_t from = at, to = at;
    while (from > 0 && s[from - 1] != '\n')
        from--;
    while (to < n && s[to] != '\n')
        to++;
    return (struct view){(const char *)s + from, to - from + (to < n)};
}

/* The first word or number from byte at on; empty: none. */
static struct view word_at(const uint8_t *s, size_t n, size_t at) {
    while (at < n && !isalnum(s[at]))
        at++;
    size_t to = at;
    while (to < n && (isalnum(s[to]) || s[to] == '_'))
        to++;
    if (at > 0 && s[at - 1] == '-' && at < n && isdigit(s[at])) at--;
    return (struct view){(const char *)s + at, to - at};
}

/* Put text in place of what old views; old is empty at a place where text is only put in. */
static size_t replace(uint8_t *data, size_t size, size_t max, struct view old, struct view text) {
    size_t at = (size_t)(old.s - (const char *)data);
    if (size - old.n + text.n > max) return size;
    memmove(data + at + text.n, data + at + old.n, size - at - old.n);
    memcpy(data + at, text.s, text.n);
    return size - old.n + text.n;
}

/* Exchange two stretches that do not overlap, whichever comes first. */
static size_t exchange(uint8_t *data, size_t size, size_t max, struct view a, struct view b) {
    if (a.s > b.s) return exchange(data, size, max, b, a);
    if (a.s + a.n > b.s || a.n == 0 || b.n == 0) return size;
    char *was = __real_malloc(a.n), *then = __real_malloc(b.n);
    memcpy(was, a.s, a.n);
    memcpy(then, b.s, b.n);
    size = replace(data, size, max, b, (struct view){was, a.n});
    size = replace(data, size, max, a, (struct view){then, b.n});
    __real_free(was);
    __real_free(then);
    return size;
}

size_t fuzz_mutate_lines(uint8_t *data, size_t size, size_t max, unsigned seed) {
    static const char *const extreme[] = {
        "0",
        "-1",
        "1",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "2147483647",
        "2147483648",
        "1e308",
        "1.5",
        "9007199254740993",
        "4611686018427387904",
        "null",
        "18446744073709551616",
        "",
    };
    state = seed;
    below(1);
    size_t choice = below(9);
    if (size == 0 || choice >= 7) return LLVMFuzzerMutate(data, size, max);
    struct view line = line_at(data, size, below(size)), other = line_at(data, size, below(size));
    struct view word = word_at(data, size, below(size)), second = word_at(data, size, below(size));
    switch (choice) {
    case 0: {
        char *copy = __real_malloc(line.n + 1);
        memcpy(copy, line.s, line.n);
        size = replace(data, size, max, (struct view){other.s, 0}, (struct view){copy, line.n});
        __real_free(copy);
        return size;
    }
    case 1: return exchange(data, size, max, line, other);
    case 2: return replace(data, size, max, line, (struct view){"", 0});
    case 3: {
        size_t tries = 8;
        while (tries-- > 0 && (word.n == 0 || !isdigit((unsigned char)word.s[word.n - 1])))
            word = word_at(data, size, below(size));
        const char *text = extreme[below(sizeof extreme / sizeof *extreme)];
        return replace(data, size, max, word, (struct view){text, strlen(text)});
    }
    case 4: return exchange(data, size, max, word, second);
    case 5: return replace(data, size, max, word, (struct view){"", 0});
    default: return below(size);
    }
}

/* ---- a program without libFuzzer ---- */

#ifdef FUZZ_MAIN
/* Damage in one to three places: a byte that matters, a byte or a stretch from elsewhere, a bit, a stretch cut out. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) {
    static const char bytes[] =
        "\"\\{}[],:0123456789-+.eEnulltrfs \t\r\n=/#\x01\x7f\x80\xc3\xa9\xc4\xe2\x82\xac\xed\xa0\xf4\x90\xff";
    for (size_t k = below(3) + 1; k > 0 && size > 1; k--) {
        size_t at = below(size), from = below(size), n = below(below(4) ? 8 : 32);
        switch (below(5)) {
        case 0: data[at] = (uint8_t)bytes[below(sizeof bytes - 1)]; break;
        case 1: data[at] = data[from]; break;
        case 2: data[at] ^= (uint8_t)(1 << below(8)); break;
        case 3:
            if (n > size - at) n = size - at;
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        default:
            if (n > size - from) n = size - from;
            if (n > max - size) n = max - size;
            memmove(data + at + n, data + at, size - at);
            memmove(data + at, data + from, n); /* from may have moved: any bytes will do */
            size += n;
        }
    }
    return size;
}

static void one_input(struct view input, long copies) {
    enum { MORE = 4096 };
    LLVMFuzzerTestOneInput((const uint8_t *)input.s, input.n);
    uint8_t *copy = malloc(input.n + MORE);
    for (long k = 0; k < copies; k++) {
        memcpy(copy, input.s, input.n);
        static unsigned seed;
        seed += 0x9E3779B9u;
        size_t n = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(copy, input.n, input.n + MORE, seed)
                                           : LLVMFuzzerMutate(copy, input.n, input.n + MORE);
        LLVMFuzzerTestOneInput(copy, n);
    }
    free(copy);
}

int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    bool lines = argc > 1 && strcmp(argv[1], "-l") == 0;
    int first = lines ? 2 : 1;
    long copies = argc > first ? strtol(argv[first], NULL, 10) : 0;
    for (int i = first + 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        fuzz_require(f != NULL, "a file cannot be opened");
        struct buf b = {0};
        for (size_t n; (n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0;)
            b.len += n;
        fclose(f);
        for (size_t from = 0; from < b.len || b.len == 0;) {
            struct view input = {b.s + from, b.len - from};
            if (lines) input = line_at((const uint8_t *)b.s, b.len, from);
            one_input(input, copies);
            from += input.n;
            if (b.len == 0) break;
        }
        buf_free(&b);
    }
    fprintf(report, "%llu inputs, %llu accepted", n_inputs, n_accepted);
    if (fuzz_tally) fuzz_tally(report);
    fprintf(report, "\n");
    return fclose(report) == 0 ? 0 : 2;
}
#endif
