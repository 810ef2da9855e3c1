#include "in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "die.h"

/* The input that was peeked at and not opened yet, and under which path (the caller's string). */
static struct in peeked;
static const char *peeked_path;

void in_open(struct in *in, const char *path) {
    if (peeked_path && strcmp(peeked_path, path ? path : "-") == 0) {
        *in = peeked;
        peeked_path = NULL;
        return;
    }
    static bool stdin_taken;
    bool std = !path || strcmp(path, "-") == 0;
    if (std && stdin_taken) die("stdin is named twice");
    stdin_taken = stdin_taken || std;
    *in = (struct in){.name = std ? "stdin" : path, .fd = STDIN_FILENO, .size = -1};
    if (!std && (in->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) die_errno("%s", path);
    struct stat st;
    if (fstat(in->fd, &st) != 0) die_errno("%s", in->name);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        die_errno("%s", in->name);
    }
    in->regular = S_ISREG(st.st_mode);
    if (!in->regular) return;
    off_t origin = lseek(in->fd, 0, SEEK_CUR);
    in->origin = origin < 0 ? 0 : origin;
    in->size = st.st_size > in->origin ? st.st_size - in->origin : 0;
}

/* Wait for a writer, but not when nobody reads stdout any more: a live pipeline then ends from its end, as if something had
 * been written. */
static void await(const struct in *in) {
    struct pollfd fd[] = {{in->fd, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    if (poll(fd, 2, -1) > 0 && fd[0].revents == 0 && fd[1].revents & POLLERR) raise(SIGPIPE);
}

/* Text in none of our formats begins like this. */
static void refuse_packed(const struct in *in, const char *head, size_t n) {
    static const struct {
        const char *magic, *program;
    } packed[] = {{"\x1F\x8B", "gzip"},
                  {"\xFD"
                   "7zXZ",
                   "xz"},
                  {"\x28\xB5\x2F\xFD", "zstd"},
                  {"BZh", "bzip2"}};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const char *magic = packed[i].magic, *program = packed[i].program;
        if (n >= strlen(magic) && memcmp(head, magic, strlen(magic)) == 0)
            die("%s: packed by %s: unpack it first, as with %s -dc", in->name, program, program);
    }
}

static size_t read_on(struct in *in, void *dst, size_t cap) {
    for (;;) {
        if (!in->regular) await(in);
        ssize_t n = read(in->fd, dst, cap);
        if (n > 0 && !in->begun) refuse_packed(in, dst, (size_t)n);
        in->begun = in->begun || n > 0;
        if (n >= 0) return (size_t)n;
        if (errno != EINTR) die_errno("%s", in->name);
    }
}

size_t in_read(struct in *in, void *dst, size_t cap) {
    size_t ahead = in->ahead_to - in->ahead_from;
    if (ahead == 0) return read_on(in, dst, cap);
    if (ahead > cap) ahead = cap;
    memcpy(dst, in->ahead + in->ahead_from, ahead);
    in->ahead_from += ahead;
    return ahead;
}

size_t in_read_at(const struct in *in, void *dst, size_t cap, long long offset) {
    for (;;) {
        ssize_t n = pread(in->fd, dst, cap, in->origin + offset);
        if (n > 0 && offset == 0) refuse_packed(in, dst, (size_t)n);
        if (n >= 0) return (size_t)n;
        if (errno != EINTR) die_errno("%s", in->name);
    }
}

void in_take_all(const struct in *in) {
    if (lseek(in->fd, in->origin + in->size, SEEK_SET) < 0) die_errno("%s", in->name);
}

void in_close(struct in *in) {
    if (in->fd != STDIN_FILENO) close(in->fd);
    in->fd = -1;
    free(in->ahead);
    in->ahead = NULL;
}

size_t in_peek(const char *path, const char **head, size_t cap) {
    if (!peeked_path) {
        in_open(&peeked, path);
        peeked_path = path ? path : "-";
        peeked.ahead = xmalloc(cap);
    }
    if (peeked.ahead_to < cap)
        peeked.ahead_to += read_on(&peeked, peeked.ahead + peeked.ahead_to, cap - peeked.ahead_to);
    *head = peeked.ahead;
    return peeked.ahead_to;
}
