/* Faults on demand: a shared object to be preloaded into a tool, whose memory and descriptors then fail as FAULTS says.
 *
 * FAULTS is a list of words, comma between:
 *   alloc=N    the Nth request for memory fails, and only that one
 *   allocs=N   so does every later one
 *   large=N    every request for more than N bytes fails
 *   read=short a read gives 1 to 7 bytes at a time
 *   read=eintr every second read is interrupted
 *   read=N     the Nth read fails with EIO
 *   write=short, write=eintr, write=N   the same for writes, of stdout
 *   full=N     stdout takes N bytes, then says ENOSPC
 *   close      closing stdout fails with EIO
 *   open=N     the Nth opening of a file fails with EMFILE
 *   thread=N   no thread can be started from the Nth on
 * FAULTS_COUNT names a file that the counts of calls are written to at the end: "alloc N read N write N thread N".
 *
 * Only the process that was started is meant: its children run without this object. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

/* What is asked for; 0 or ULONG_MAX = not asked for. */
static struct {
    unsigned long alloc, allocs, large, read, write, full, open, thread;
    bool short_read, eintr_read, short_write, eintr_write, close;
} plan = {.large = ~0UL, .full = ~0UL};

static atomic_ulong n_alloc, n_read, n_write, n_written, n_open, n_thread;
static bool started; /* what the loader asks for before is not the tool's */

static void ask(const char *word) {
    const char *value = strchr(word, '=');
    value = value ? value + 1 : "";
    unsigned long n = strtoul(value, NULL, 10);
    if (strncmp(word, "alloc=", 6) == 0) plan.alloc = n;
    if (strncmp(word, "allocs=", 7) == 0) plan.allocs = n;
    if (strncmp(word, "large=", 6) == 0) plan.large = n;
    if (strncmp(word, "full=", 5) == 0) plan.full = n;
    if (strncmp(word, "read=", 5) == 0) plan.read = n;
    if (strncmp(word, "write=", 6) == 0) plan.write = n;
    if (strncmp(word, "open=", 5) == 0) plan.open = n;
    if (strncmp(word, "thread=", 7) == 0) plan.thread = n;
    plan.short_read |= strcmp(word, "read=short") == 0;
    plan.eintr_read |= strcmp(word, "read=eintr") == 0;
    plan.short_write |= strcmp(word, "write=short") == 0;
    plan.eintr_write |= strcmp(word, "write=eintr") == 0;
    plan.close |= strcmp(word, "close") == 0;
}

static void __attribute__((constructor)) start(void) {
    static char words[256];
    const char *all = getenv("FAULTS");
    snprintf(words, sizeof words, "%s", all ? all : "");
    for (char *rest = words, *word; (word = strsep(&rest, ","));)
        ask(word);
    unsetenv("LD_PRELOAD");
    started = true;
}

static void __attribute__((destructor)) count(void) {
    const char *path = getenv("FAULTS_COUNT");
    if (!path) return;
    char text[128];
    int n =
        snprintf(text, sizeof text, "alloc %lu read %lu write %lu thread %lu\n", n_alloc, n_read, n_write, n_thread);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) syscall(SYS_write, fd, text, (size_t)n);
}

static bool refused(size_t bytes) {
    if (!started) return false;
    unsigned long i = ++n_alloc;
    return i == plan.alloc || (plan.allocs && i >= plan.allocs) || bytes > plan.large;
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t n) { return refused(n) ? no_memory() : __libc_malloc(n); }

void *calloc(size_t n, size_t size) { return refused(n * size) ? no_memory() : __libc_calloc(n, size); }

void *realloc(void *p, size_t n) { return refused(n) ? no_memory() : __libc_realloc(p, n); }

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    if (refused(n)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

void *mremap(void *p, size_t was, size_t n, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (refused(n)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mremap, p, was, n, flags, to);
}

static ssize_t failed(int why) {
    errno = why;
    return -1;
}

/* A length from 1 to 7 that differs from call to call. */
static size_t few(unsigned long i, size_t n) {
    size_t some = i * 2654435761U % 7 + 1;
    return some < n ? some : n;
}

ssize_t read(int fd, void *s, size_t n) {
    unsigned long i = ++n_read;
    if (i == plan.read) return failed(EIO);
    if (plan.eintr_read && i % 2) return failed(EINTR);
    return syscall(SYS_read, fd, s, plan.short_read ? few(i, n) : n);
}

ssize_t pread(int fd, void *s, size_t n, off_t offset) {
    unsigned long i = ++n_read;
    if (i == plan.read) return failed(EIO);
    if (plan.eintr_read && i % 2) return failed(EINTR);
    return syscall(SYS_pread64, fd, s, plan.short_read ? few(i, n) : n, offset);
}

ssize_t write(int fd, const void *s, size_t n) {
    if (fd != STDOUT_FILENO) return syscall(SYS_write, fd, s, n);
    unsigned long i = ++n_write;
    if (i == plan.write) return failed(EIO);
    if (plan.eintr_write && i % 2) return failed(EINTR);
    if (n_written >= plan.full) return failed(ENOSPC);
    if (plan.short_write) n = few(i, n);
    if (n > plan.full - n_written) n = plan.full - n_written;
    ssize_t w = syscall(SYS_write, fd, s, n);
    if (w > 0) n_written += (unsigned long)w;
    return w;
}

int close(int fd) {
    int status = (int)syscall(SYS_close, fd);
    return fd == STDOUT_FILENO && plan.close ? (int)failed(EIO) : status;
}

int open(const char *path, int how, ...) {
    va_list ap;
    va_start(ap, how);
    int mode = how & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return ++n_open == plan.open ? (int)failed(EMFILE) : (int)syscall(SYS_openat, AT_FDCWD, path, how, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *data) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    unsigned long i = ++n_thread;
    return plan.thread && i >= plan.thread ? EAGAIN : real(thread, how, work, data);
}
