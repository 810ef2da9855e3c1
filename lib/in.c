#include "in.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "die.h"

void in_open(struct in *in, const char *path) {
    bool std = !path || strcmp(path, "-") == 0;
    *in = (struct in){.name = std ? "stdin" : path, .fd = STDIN_FILENO, .size = -1};
    if (!std && (in->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) die_errno("%s", path);
    struct stat st;
    if (fstat(in->fd, &st) != 0) die_errno("%s", in->name);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        die_errno("%s", in->name);
    }
    in->regular = S_ISREG(st.st_mode);
    if (in->regular) in->size = st.st_size;
}

size_t in_read(struct in *in, void *dst, size_t cap) {
    for (;;) {
        ssize_t n = read(in->fd, dst, cap);
        if (n >= 0) return (size_t)n;
        if (errno != EINTR) die_errno("%s", in->name);
    }
}

void in_close(struct in *in) {
    if (in->fd != STDIN_FILENO) close(in->fd);
    in->fd = -1;
}
