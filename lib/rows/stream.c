#include "stream.h"

#include <string.h>

void stream_init(struct stream *s) { *s = (struct stream){.run = json_object(), .pg = json_array()}; }

void stream_free(struct stream *s) {
    json_decref(s->run);
    json_decref(s->pg);
    json_decref(s->columns);
    json_decref(s->end);
    *s = (struct stream){0};
}

static const char *take_kind(struct stream *s, const char *kind, size_t n, bool version_ok) {
    if (!version_ok) return "a version of the stream format that this program does not know";
    if (n == 0 || n >= sizeof s->kind) return "no kind in the stream header";
    memcpy(s->kind, kind, n);
    s->kind[n] = '\0';
    return NULL;
}

static const char *take_end(struct stream *s, json_t *end) {
    if (!json_is_object(end)) return "a trailer that is not an object";
    json_decref(s->end);
    s->end = json_incref(end);
    return NULL;
}

const char *stream_take_line(struct stream *s, const char *line, size_t n) {
    const char *end = line + n, *tab = memchr(line, '\t', n);
    size_t tag = tab ? (size_t)(tab - line) : n;
    const char *value = tab ? tab + 1 : end;
#define TAG(text) (tag == sizeof(text) - 1 && memcmp(line, text, tag) == 0)
    if (TAG("#steadytools")) {
        const char *version = memchr(value, '\t', (size_t)(end - value));
        size_t kind = version ? (size_t)(version - value) : 0;
        return take_kind(s, value, kind, version && end - version == 2 && version[1] == '1');
    }
    bool run = TAG("#run"), pg = TAG("#pg"), trailer = TAG("#end");
#undef TAG
    if (!run && !pg && !trailer) return NULL;
    char why[128];
    int at;
    json_t *v = doc_parse(value, (size_t)(end - value), why, &at);
    if (!json_is_object(v)) {
        json_decref(v);
        return run ? "#run is not a JSON object" : pg ? "#pg is not a JSON object" : "#end is not a JSON object";
    }
    const char *bad = NULL;
    if (run)
        json_object_update(s->run, v);
    else if (pg)
        json_array_append(s->pg, v);
    else
        bad = take_end(s, v);
    json_decref(v);
    return bad;
}

const char *stream_take_object(struct stream *s, json_t *object) {
    json_t *end = json_object_get(object, "#end");
    if (end) return take_end(s, end);
    const char *kind = json_string_value(json_object_get(object, "#steadytools"));
    const char *bad = take_kind(s, kind ? kind : "", kind ? strlen(kind) : 0,
                                json_integer_value(json_object_get(object, "version")) == 1);
    if (bad) return bad;
    json_t *run = json_object_get(object, "run"), *pg = json_object_get(object, "pg");
    if (json_is_object(run)) json_object_update(s->run, run);
    if (json_is_array(pg)) json_array_extend(s->pg, pg);
    json_decref(s->columns);
    s->columns = json_incref(json_object_get(object, "columns"));
    return NULL;
}

void stream_settle(struct stream *s) {
    json_t *run = json_object_get(s->end, "run");
    if (json_is_object(run)) json_object_update(s->run, run);
}

void stream_put_head(struct buf *b, enum spelling spelling, const char *kind, json_t *columns, const json_t *run,
                     const json_t *pg) {
    if (spelling == SPELL_NDJSON) {
        buf_printf(b, "{\"#steadytools\":\"%s\",\"version\":1,\"columns\":", kind);
        doc_dump(b, columns);
        buf_str(b, ",\"run\":");
        doc_dump(b, run);
        buf_str(b, ",\"pg\":");
        doc_dump(b, pg);
        buf_str(b, "}\n");
        return;
    }
    buf_printf(b, "#steadytools\t%s\t1\n#run\t", kind);
    doc_dump(b, run);
    for (size_t i = 0; i < json_array_size(pg); i++) {
        buf_str(b, "\n#pg\t");
        doc_dump(b, json_array_get(pg, i));
    }
    buf_char(b, '\n');
}

void stream_put_end(struct buf *b, enum spelling spelling, const json_t *end) {
    buf_str(b, spelling == SPELL_NDJSON ? "{\"#end\":" : "#end\t");
    doc_dump(b, end);
    buf_str(b, spelling == SPELL_NDJSON ? "}\n" : "\n");
}
