#include "report.h"

#include <stdio.h>
#include <string.h>

#include "die.h"
#include "out.h"

void report_write(const json_t *report, enum spelling spelling) {
    struct buf b = {0};
    if (spelling == SPELL_TSV) {
        doc_flatten(&b, report);
    } else {
        doc_dump(&b, report);
        buf_char(&b, '\n');
    }
    out_add(b.s, b.len);
    buf_free(&b);
}

/* One JSON document, or one a line. */
static json_t *parse_json(const char *text, size_t n, char why[128], int *line) {
    json_t *list = json_array(), *v = doc_parse(text, n, why, line);
    if (v) {
        json_array_append_new(list, v);
        return list;
    }
    int at = 0;
    for (const char *p = text, *end = text + n; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol) eol = end;
        ++at;
        if (strspn(p, " \t\r\n") < (size_t)(eol - p)) {
            int ignored;
            char whole[128];
            if (!(v = doc_parse(p, (size_t)(eol - p), whole, &ignored))) {
                if (json_array_size(list) > 0) {
                    memcpy(why, whole, sizeof whole);
                    *line = at;
                }
                json_decref(list);
                return NULL;
            }
            json_array_append_new(list, v);
        }
        p = eol + 1;
    }
    return list;
}

json_t *report_read(const char *path, const char *kind, char why[160]) {
    struct buf b = {0};
    doc_slurp(&b, path);
    const char *name = path && strcmp(path, "-") != 0 ? path : "stdin";
    char bad[128] = "empty input";
    int line = 0;
    size_t blank = strspn(b.s, " \t\r\n");
    json_t *list = NULL;
    if (blank < b.len && b.s[blank] == '{') {
        list = parse_json(b.s, b.len, bad, &line);
    } else if (blank < b.len) {
        json_t *v = doc_unflatten(b.s, b.len, &line);
        if (v)
            list = json_pack("[o]", v);
        else if (strncmp(b.s + blank, "#steadytools\t", 13) == 0)
            snprintf(bad, sizeof bad, "a table of %.*s, not a report", (int)strcspn(b.s + blank + 13, "\t\r\n"),
                     b.s + blank + 13);
        else
            snprintf(bad, sizeof bad, "neither JSON nor a path<TAB>value line");
    }
    buf_free(&b);
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        const char *is = doc_text_at(json_array_get(list, i), "kind");
        if (is && (!kind || strcmp(is, kind) == 0)) continue;
        line = (int)i + 1;
        if (is)
            snprintf(bad, sizeof bad, "a report of kind '%.20s', not '%s'", is, kind);
        else
            snprintf(bad, sizeof bad, "not a report: it has no kind");
        json_decref(list);
        list = NULL;
    }
    if (list) return list;
    if (!why) {
        if (line > 0) die_at(name, line, "%s", bad);
        die("%s: %s", name, bad);
    }
    if (line > 0)
        snprintf(why, 160, "line %d: %s", line, bad);
    else
        snprintf(why, 160, "%s", bad);
    return NULL;
}
