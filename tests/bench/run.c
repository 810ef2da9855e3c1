/* run: how long commands take, and how much memory.
 *
 *     run N COMMAND...
 *
 * Each COMMAND is a shell command line.  All are run N times by turns, each turn beginning with another one, so that what
 * else the machine does, and a processor that is slower than another, falls on each of them alike; stdout is /dev/null.  A line per command on stdout, in their order, separated by tabs: the median
 * of its wall times and of its processor times (user and system, children included), the least of each, all in seconds,
 * and the most memory one process of it took, in kB.  A command that fails has a line of dashes. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct timing {
    double *wall, *cpu; /* [n] */
    long peak_kb;
    bool failed;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void child(const char *command) {
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0) _exit(127);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void run_once(struct timing *t, const char *command, size_t i) {
    double start = now();
    pid_t pid = fork();
    if (pid == 0) child(command);
    int status;
    struct rusage use;
    if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
        perror("run");
        exit(2);
    }
    t->wall[i] = now() - start;
    t->cpu[i] = seconds(use.ru_utime) + seconds(use.ru_stime);
    if (use.ru_maxrss > t->peak_kb) t->peak_kb = use.ru_maxrss;
    t->failed |= status != 0;
}

static void print(struct timing *t, size_t n) {
    if (t->failed) {
        puts("-\t-\t-\t-\t-");
        return;
    }
    qsort(t->wall, n, sizeof *t->wall, ascending);
    qsort(t->cpu, n, sizeof *t->cpu, ascending);
    printf("%.4f\t%.4f\t%.4f\t%.4f\t%ld\n", t->wall[n / 2], t->cpu[n / 2], t->wall[0], t->cpu[0], t->peak_kb);
}

int main(int argc, char **argv) {
    long n = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (n < 1) {
        fputs("usage: run N COMMAND...\n", stderr);
        return 2;
    }
    size_t n_commands = (size_t)argc - 2, rounds = (size_t)n;
    struct timing *t = calloc(n_commands, sizeof *t);
    for (size_t c = 0; c < n_commands; c++) {
        t[c].wall = calloc(rounds, sizeof(double));
        t[c].cpu = calloc(rounds, sizeof(double));
    }
    for (size_t i = 0; i < rounds; i++)
        for (size_t k = 0; k < n_commands; k++) {
            size_t c = (k + i) % n_commands;
            if (!t[c].failed) run_once(&t[c], argv[2 + c], i);
        }
    for (size_t c = 0; c < n_commands; c++) {
        print(&t[c], rounds);
        free(t[c].wall);
        free(t[c].cpu);
    }
    free(t);
    return 0;
}
