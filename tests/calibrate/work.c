/* work: many independent jobs on a few processes. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate.h"
#include "die.h"

void work(const struct scale *s, size_t n, size_t size, void *result,
          void (*job)(const struct scale *s, size_t i, void *result)) {
    unsigned char *shared = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) die_errno("memory for %zu results", n);
    fflush(stdout);
    for (int w = 0; w < s->workers; w++) {
        pid_t pid = fork();
        if (pid < 0) die_errno("fork");
        if (pid > 0) continue;
        for (size_t i = (size_t)w; i < n; i += (size_t)s->workers)
            job(s, i, shared + i * size);
        _exit(0);
    }
    for (int w = 0, status; w < s->workers; w++)
        if (wait(&status) < 0 || status != 0) die("a worker failed");
    memcpy(result, shared, n * size);
    munmap(shared, n * size);
}
