#include "coprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "die.h"
#include "doc.h"
#include "num.h"

enum { HELD = 1 << 20 }; /* bytes of questions that may wait to be written */

struct coprocess {
    const char *option;
    pid_t pid;
    int to, from; /* -1: closed */
    struct buf questions, line; /* unwritten, and the answer that is being read */
    size_t written;
    int64_t asked;
    VEC(int64_t) answer;
};

static void open_pipe(int end[2]) {
    if (pipe2(end, O_CLOEXEC) != 0) die_errno("pipe");
}

struct coprocess *coprocess_start(const char *option, const char *command) {
    struct coprocess *c = xcalloc(1, sizeof *c);
    int in[2], out[2];
    open_pipe(in);
    open_pipe(out);
    c->option = option;
    posix_spawn_file_actions_t ends;
    posix_spawn_file_actions_init(&ends);
    posix_spawn_file_actions_adddup2(&ends, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&ends, out[1], STDOUT_FILENO);
    char *argv[] = {"sh", "-c", (char *)command, NULL};
    errno = posix_spawn(&c->pid, "/bin/sh", &ends, NULL, argv, environ);
    if (errno != 0) die_errno("%s", option);
    posix_spawn_file_actions_destroy(&ends);
    close(in[0]);
    close(out[1]);
    c->to = in[1];
    c->from = out[0];
    fcntl(c->to, F_SETFL, O_NONBLOCK);
    fcntl(c->from, F_SETFL, O_NONBLOCK);
    return c;
}

static void take_answers(struct coprocess *c, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (s[i] != '\n') {
            buf_char(&c->line, s[i]);
            continue;
        }
        if (c->line.len > 0 && c->line.s[c->line.len - 1] == '\r') c->line.len--;
        int64_t v;
        if (!num_int(c->line.s ? c->line.s : "", c->line.len, &v) || v < 0)
            die("%s: answer %zu is not a count", c->option, c->answer.n + 1);
        vec_push(&c->answer, v);
        buf_clear(&c->line);
    }
}

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* A command that has ended early is no signal to us: its answers, or their lack, tell. */
static ssize_t write_quietly(int fd, const char *s, size_t n) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGPIPE, &ignore, &old);
    ssize_t w = write(fd, s, n);
    int why = errno;
    sigaction(SIGPIPE, &old, NULL);
    errno = why;
    return w;
}

static bool would_wait(void) { return errno == EAGAIN || errno == EINTR; }

/* Write and read what can be; wait for one of them at most. */
static void exchange(struct coprocess *c, bool wait) {
    size_t left = c->questions.len - c->written;
    struct pollfd fd[] = {{c->from, POLLIN, 0}, {left ? c->to : -1, POLLOUT, 0}};
    if (poll(fd, 2, wait ? -1 : 0) < 0 && errno != EINTR) die_errno("%s", c->option);
    if (fd[0].revents) {
        char s[65536];
        ssize_t n = read(c->from, s, sizeof s);
        if (n < 0 && !would_wait()) die_errno("%s", c->option);
        if (n > 0) take_answers(c, s, (size_t)n);
        if (n == 0) close_end(&c->from);
    }
    if (fd[1].revents) {
        ssize_t n = write_quietly(c->to, c->questions.s + c->written, left);
        if (n < 0 && !would_wait()) { /* nobody reads any more */
            close_end(&c->to);
            c->written = c->questions.len;
        }
        if (n > 0) c->written += (size_t)n;
        if (c->written == c->questions.len || c->written > HELD) {
            c->questions.len -= c->written;
            memmove(c->questions.s, c->questions.s + c->written, c->questions.len);
            c->written = 0;
        }
    }
}

int64_t coprocess_ask(void *context, const char *text, size_t n) {
    struct coprocess *c = context;
    if (c->to < 0) return c->asked++; /* its end will be told when the answers are */
    doc_dump_string(&c->questions, text, n);
    buf_char(&c->questions, '\n');
    exchange(c, false);
    while (c->questions.len - c->written > HELD && c->to >= 0 && c->from >= 0)
        exchange(c, true);
    return c->asked++;
}

static void settle(struct coprocess *c) {
    while (c->to >= 0 && c->questions.len > c->written)
        exchange(c, true);
    close_end(&c->to);
    while (c->from >= 0)
        exchange(c, true);
    if (c->line.len > 0) take_answers(c, "\n", 1);
    int status;
    while (waitpid(c->pid, &status, 0) < 0)
        if (errno != EINTR) die_errno("%s", c->option);
    c->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) die("%s: the command failed", c->option);
    if ((int64_t)c->answer.n != c->asked)
        die("%s: %zu answers to %lld texts", c->option, c->answer.n, (long long)c->asked);
}

int64_t coprocess_answer(void *context, int64_t ticket) {
    struct coprocess *c = context;
    if (c->pid) settle(c);
    return c->answer.v[ticket];
}

void coprocess_end(struct coprocess *c) {
    if (!c) return;
    if (c->pid) settle(c);
    buf_free(&c->questions);
    buf_free(&c->line);
    vec_free(&c->answer);
    free(c);
}
