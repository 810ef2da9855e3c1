/* in: block input from a file or stdin.  Layer 2.
 *
 * Read errors end the program with status 2, and so does an input that is packed (gzip, xz, zstd, bzip2); SIGPIPE ends it
 * while a read waits for a writer and the reader of stdout is gone.  The caller owns the destination. */
#ifndef IN_H
#define IN_H

#include <stdbool.h>
#include <stddef.h>

struct in {
    const char *name; /* as given, or "stdin"; for messages */
    int fd;
    bool regular; /* a file on disk: reads do not wait for a writer, pread and size work */
    long long size; /* bytes of a regular file from where it is read on, else -1 */
    long long origin; /* where that is: not always its beginning, on stdin */
    bool begun; /* something was read */
    char *ahead; /* bytes that were peeked at and are still to be read */
    size_t ahead_from, ahead_to;
};

void in_open(struct in *in, const char *path); /* NULL or "-" = stdin; a directory or missing file dies */
size_t in_read(struct in *in, void *dst, size_t cap); /* fills what one read gives, retries EINTR; 0 = end */
/* The same of a regular file at a place of its own, for any thread: bytes from where it is read on.  in_take_all first:
 * who shares the descriptor finds it read to its end, as after in_read. */
size_t in_read_at(const struct in *in, void *dst, size_t cap, long long offset);
void in_take_all(const struct in *in);
void in_close(struct in *in);

/* Look at the first bytes of an input before it is opened: up to cap of them in *head, valid until the in_open of the
 * same path, which reads them again.  Every call waits for more than the last one gave; the same number once more is the
 * end, or cap.  One input at a time. */
size_t in_peek(const char *path, const char **head, size_t cap);

#endif
