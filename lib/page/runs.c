#include "runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "num.h"
#include "report.h"

/* Why a file cannot be read, or NULL.  report_read would end the program; opening it would wake the writer of a pipe. */
static const char *unopenable(const char *file) {
    struct stat st;
    if (strcmp(file, "-") == 0) return NULL;
    if (stat(file, &st) != 0 || access(file, R_OK) != 0) return strerror(errno);
    return S_ISDIR(st.st_mode) ? strerror(EISDIR) : NULL;
}

static bool drop_end(const char *s, size_t *n, const char *end) {
    size_t len = strlen(end);
    if (*n < len || memcmp(s + *n - len, end, len) != 0) return false;
    *n -= len;
    return true;
}

/* What a report goes by: the name to show, and the key that reports of one run share. */
struct names {
    const char *name, *key;
};

/* "out/run7.steady.json" -> run7, out/run7; "out/run7/steady.json" -> run7, out/run7 */
static struct names names_of_file(struct arena *a, const char *file) {
    static const char *const ends[] = {".json",   ".ndjson",  ".jsonl",  ".tsv",     ".txt",    ".report",
                                       ".steady", ".goodput", "-steady", "-goodput", "_steady", "_goodput"};
    static const char *const alone[] = {"steady", "goodput", "report"};
    if (strcmp(file, "-") == 0) return (struct names){"stdin", "-"};
    size_t n = strlen(file), base = n;
    while (base > 0 && file[base - 1] != '/')
        base--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n - base > strlen(ends[i])) drop_end(file, &n, ends[i]);
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        if (n - base != strlen(alone[i]) || memcmp(file + base, alone[i], n - base) != 0) continue;
        n = base > 0 ? base - 1 : 0;
        while (base > 0 && (base > n || file[base - 1] != '/'))
            base--;
        if (n == base || file[base] == '.') return (struct names){"run", arena_copy(a, file, n)};
    }
    return (struct names){arena_copy(a, file + base, n - base), arena_copy(a, file, n)};
}

static const char *name_of_report(const json_t *report) {
    static const char *const path[] = {"run.name", "run.id", "name"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        const char *s = doc_text_at(report, path[i]);
        if (s && *s) return s;
    }
    return NULL;
}

static json_t **place(struct run *run, const char *kind) {
    return strcmp(kind, "steady") == 0 ? &run->steady : strcmp(kind, "goodput") == 0 ? &run->goodput : &run->other;
}

static void add(struct runs *r, const char *file, struct names names, json_t *report) {
    const char *kind = doc_text_at(report, "kind");
    for (size_t i = 0; i < r->list.n; i++) {
        struct run *run = &r->list.v[i];
        bool whole = run->unreadable || run->other || place(run, kind) == &run->other || *place(run, kind);
        if (whole || strcmp(run->key, names.key) != 0) continue;
        *place(run, kind) = json_incref(report);
        return;
    }
    struct run fresh = {.name = names.name, .key = names.key, .file = file};
    *place(&fresh, kind) = json_incref(report);
    vec_push(&r->list, fresh);
}

/* Both reports of a run may be bad: that is one row. */
static void add_unreadable(struct runs *r, const char *file, struct names names, const char *why) {
    for (size_t i = 0; i < r->list.n; i++) {
        struct run *run = &r->list.v[i];
        if (!run->unreadable || strcmp(run->key, names.key) != 0) continue;
        struct buf both = {0};
        buf_printf(&both, "%s; %s: %s", run->unreadable, file, why);
        run->unreadable = arena_copy(&r->text, both.s, both.len);
        buf_free(&both);
        return;
    }
    struct run fresh = {.name = names.name, .key = names.key, .file = file, .unreadable = why};
    vec_push(&r->list, fresh);
}

/* Files of one name in several directories are told apart by them. */
static void tell_apart(struct runs *r) {
    struct run *v = r->list.v;
    bool *twin = xcalloc(r->list.n + 1, sizeof *twin);
    for (size_t i = 0; i < r->list.n; i++)
        for (size_t k = 0; k < r->list.n; k++)
            twin[i] |= strcmp(v[i].name, v[k].name) == 0 && strcmp(v[i].key, v[k].key) != 0;
    for (size_t i = 0; i < r->list.n; i++)
        if (twin[i]) v[i].name = v[i].key;
    free(twin);
}

static bool pair(const struct run *a, const struct run *b) {
    return a->steady && !a->goodput && b->goodput && !b->steady;
}

static void measure_load(struct run *run) {
    const json_t *report[] = {run->steady, run->goodput};
    run->offered_rps = run->goodput ? doc_real_at(run->goodput, "rates.offered_rps") : NAN;
    if (isnan(run->offered_rps) && run->steady)
        run->offered_rps = doc_real_at(run->steady, "total.n_issued") / doc_real_at(run->steady, "total.span_ns") * 1e9;
    run->concurrency = INT_NONE;
    for (size_t i = 0; i < 2; i++)
        if (report[i] && !int_known(run->concurrency)) run->concurrency = doc_int_at(report[i], "run.concurrency");
}

void runs_read(struct runs *r, char *const *files) {
    *r = (struct runs){0};
    for (; *files; files++) {
        const char *file = *files, *why = unopenable(file);
        char reason[160];
        json_t *reports = why ? NULL : report_read(file, NULL, reason);
        struct names of_file = names_of_file(&r->text, file);
        if (strcmp(file, "-") == 0) file = "stdin";
        if (!reports) add_unreadable(r, file, of_file, why ? why : arena_copy(&r->text, reason, strlen(reason)));
        for (size_t i = 0; i < json_array_size(reports); i++) {
            json_t *report = json_array_get(reports, i);
            const char *own = name_of_report(report);
            if (own) own = arena_copy(&r->text, own, strlen(own));
            add(r, file, own ? (struct names){own, own} : of_file, report);
        }
        json_decref(reports);
    }
    struct run *v = r->list.v;
    if (r->list.n == 2 && (pair(&v[0], &v[1]) || pair(&v[1], &v[0]))) {
        v[0] = (struct run){.name = v[0].name,
                            .key = v[0].key,
                            .file = v[0].file,
                            .steady = v[0].steady ? v[0].steady : v[1].steady,
                            .goodput = v[0].goodput ? v[0].goodput : v[1].goodput};
        r->list.n = 1;
    }
    tell_apart(r);
    for (size_t i = 0; i < r->list.n; i++) {
        r->readable += !r->list.v[i].unreadable;
        measure_load(&r->list.v[i]);
    }
}

struct place {
    struct run run;
    double load; /* NAN: none */
    size_t given;
};

static int by_load(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (isnan(x->load) != isnan(y->load)) return isnan(x->load) ? 1 : -1;
    if (x->load < y->load || x->load > y->load) return x->load < y->load ? -1 : 1;
    return x->given < y->given ? -1 : 1;
}

void runs_by_load(struct runs *r) {
    struct place *place = xcalloc(r->list.n + 1, sizeof *place);
    bool closed = true;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct run *run = &r->list.v[i];
        closed &= isnan(run->offered_rps) || int_known(run->concurrency);
    }
    for (size_t i = 0; i < r->list.n; i++) {
        const struct run run = r->list.v[i];
        bool known = closed && int_known(run.concurrency);
        place[i] = (struct place){run, known ? (double)run.concurrency : run.offered_rps, i};
    }
    if (r->list.n > 1) qsort(place, r->list.n, sizeof *place, by_load);
    for (size_t i = 0; i < r->list.n; i++)
        r->list.v[i] = place[i].run;
    free(place);
}

void runs_free(struct runs *r) {
    for (size_t i = 0; i < r->list.n; i++) {
        json_decref(r->list.v[i].steady);
        json_decref(r->list.v[i].goodput);
        json_decref(r->list.v[i].other);
    }
    vec_free(&r->list);
    arena_free(&r->text);
}
