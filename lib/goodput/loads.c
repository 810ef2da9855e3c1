#include "loads.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "die.h"
#include "num.h"
#include "report.h"

static struct load read_run(const char *file, json_t *report, size_t given) {
    struct load r = {.file = file, .report = report, .given = given};
    const json_t *complete = doc_at(report, "run.offered_complete");
    const char *verdict = doc_text_at(report, "verdict");
    r.target_rps = doc_real_at(report, "run.target_rps");
    r.offered_rps = doc_real_at(report, "rates.offered_rps");
    r.start_ns = doc_int_at(report, "duration.start_ns");
    if (complete && !json_is_true(complete))
        die("%s: the harness logged only what finished: offered is a lower bound, and no capacity follows", file);
    if (json_is_false(doc_at(report, "run.outcomes_logged")))
        die("%s: the harness does not say which requests succeeded: acceptance is an upper bound, and no capacity "
            "follows",
            file);
    if (isnan(r.offered_rps)) die("%s: no offered rate: the run has no times, or a single arrival", file);
    if (!verdict || strcmp(verdict, "none") == 0)
        die("%s: the contract states no floor and no percentile: there is nothing to fail (see acceptance_min)", file);
    r.passes = verdict && strcmp(verdict, "pass") == 0;
    return r;
}

static void add_report(struct loads *list, const char *file, json_t *report) {
    for (size_t i = 0; i < list->run.n; i++)
        if (json_equal(list->run.v[i].report, report)) { /* a repeat is another run, not the same report again */
            bool twice = strcmp(list->run.v[i].file, file) == 0;
            warn("%s: the same report as %s, %s", file, list->run.v[i].file,
                 twice ? "counted once" : "is it another run?");
            if (twice) return;
        }
    struct load r = read_run(file, report, list->run.n);
    json_array_append(list->kept, report);
    vec_push(&list->run, r);
}

/* Several runs in one report: each is a report of its own, with what they have in common. */
static void add_runs(struct loads *list, const char *file, const json_t *report) {
    static const char *const one_run[] = {"segments", "series", "frontier", "cohort", "baseline", "warnings"};
    const json_t *segments = json_object_get(report, "segments");
    for (size_t i = 0; i < json_array_size(segments); i++) {
        json_t *s = json_array_get(segments, i);
        if (strcmp(doc_text_at(s, "by"), "run") != 0) continue;
        json_t *whole = json_copy((json_t *)report);
        for (size_t k = 0; k < sizeof one_run / sizeof *one_run; k++)
            json_object_del(whole, one_run[k]);
        json_object_update(whole, s);
        add_report(list, file, whole);
        json_decref(whole);
    }
}

static bool has_runs(const json_t *report) {
    const json_t *segments = json_object_get(report, "segments");
    for (size_t i = 0; i < json_array_size(segments); i++) {
        const char *by = doc_text_at(json_array_get(segments, i), "by");
        if (by && strcmp(by, "run") == 0) return true;
    }
    return false;
}

static void add_reports(struct loads *list, const char *file, const json_t *reports) {
    for (size_t i = 0; i < json_array_size(reports); i++) {
        json_t *report = json_array_get(reports, i);
        const char *kind = doc_text_at(report, "kind");
        if (!kind || strcmp(kind, "goodput") != 0) continue; /* in a directory: steady reports stand beside them */
        if (has_runs(report))
            add_runs(list, file, report);
        else
            add_report(list, file, report);
    }
}

static int is_report(const struct dirent *e) {
    static const char *const ending[] = {".json", ".ndjson", ".tsv"};
    const char *dot = strrchr(e->d_name, '.');
    for (size_t i = 0; dot && i < 3; i++)
        if (strcmp(dot, ending[i]) == 0) return 1;
    return 0;
}

/* Files of a directory by name; what is no report at all, such as a ledger, is passed over. */
static void add_directory(struct loads *list, const char *path) {
    struct dirent **entry;
    int n = scandir(path, &entry, is_report, alphasort);
    if (n < 0) die_errno("%s", path);
    for (int i = 0; i < n; i++) {
        struct buf name = {0};
        char why[160];
        buf_printf(&name, "%s/%s", path, entry[i]->d_name);
        char *file = arena_copy(&list->names, name.s, name.len);
        json_t *reports = report_read(file, NULL, why);
        if (reports)
            add_reports(list, file, reports);
        else
            note("%s: no report: %s", file, why);
        json_decref(reports);
        buf_free(&name);
        free(entry[i]);
    }
    free(entry);
}

void loads_read(struct loads *list, char **files) {
    *list = (struct loads){0};
    list->kept = json_array();
    for (; *files; files++) {
        struct stat st;
        if (strcmp(*files, "-") != 0 && stat(*files, &st) == 0 && S_ISDIR(st.st_mode)) {
            add_directory(list, *files);
            continue;
        }
        json_t *reports = report_read(*files, "goodput", NULL);
        add_reports(list, *files, reports);
        json_decref(reports);
    }
    if (list->run.n == 0) die("no report to rate");
}

void loads_free(struct loads *list) {
    vec_free(&list->run);
    json_decref(list->kept);
    arena_free(&list->names);
}
