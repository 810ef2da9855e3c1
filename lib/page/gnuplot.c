#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "die.h"

static void open_pipe(int end[2]) {
    if (pipe2(end, O_CLOEXEC) != 0) die_errno("pipe");
}

/* What gnuplot complains of is not repeated: it would quote the script. */
static int start(pid_t *pid, int in, int out) {
    char path[4096], *env[] = {path, "LC_ALL=C", NULL}, *argv[] = {"gnuplot", "-d", "-", NULL};
    const char *own = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", own ? own : "/usr/bin:/bin");
    posix_spawn_file_actions_t ends;
    posix_spawn_file_actions_init(&ends);
    posix_spawn_file_actions_adddup2(&ends, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&ends, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&ends, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(pid, argv[0], &ends, NULL, argv, env);
    posix_spawn_file_actions_destroy(&ends);
    return error;
}

enum { PATIENCE_MS = 60000, ANSWER_MAX = 256 << 20 };

/* Feed and read at once, for either pipe may fill up.  False: it fell silent, or does not come to an end. */
static bool exchange(int *to, int from, struct buf *answer, const struct buf *script) {
    size_t written = 0;
    fcntl(*to, F_SETFL, O_NONBLOCK);
    for (;;) {
        if (*to >= 0 && written == script->len) {
            close(*to);
            *to = -1;
        }
        struct pollfd fd[] = {{from, POLLIN, 0}, {*to, POLLOUT, 0}};
        int ready = poll(fd, 2, PATIENCE_MS);
        if (ready == 0 || answer->len > ANSWER_MAX) return false;
        if (ready < 0 && errno != EINTR) die_errno("gnuplot");
        if (ready < 0) continue;
        if (fd[1].revents) {
            ssize_t n = write(*to, script->s + written, script->len - written);
            if (n < 0 && errno == EPIPE) written = script->len;
            if (n > 0) written += (size_t)n;
        }
        if (!fd[0].revents) continue;
        char *end = buf_room(answer, 1 << 16);
        ssize_t n = read(from, end, 1 << 16);
        if (n == 0 || (n < 0 && errno != EINTR)) return true;
        if (n > 0) answer->len += (size_t)n;
        answer->s[answer->len] = '\0';
    }
}

bool gnuplot_run(struct buf *answer, const struct buf *script, char why[160]) {
    int in[2], out[2], status = 0;
    pid_t pid;
    open_pipe(in);
    open_pipe(out);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    int error = start(&pid, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    if (error) {
        close(in[1]);
        close(out[0]);
        snprintf(why, 160, "%s", error == ENOENT ? "gnuplot is not installed" : strerror(error));
        return false;
    }
    sigaction(SIGPIPE, &ignore, &old);
    if (!exchange(&in[1], out[0], answer, script)) kill(pid, SIGKILL);
    sigaction(SIGPIPE, &old, NULL);
    if (in[1] >= 0) close(in[1]);
    close(out[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) die_errno("gnuplot");
    if (status == 0) return true;
    snprintf(why, 160, "gnuplot failed");
    return false;
}
