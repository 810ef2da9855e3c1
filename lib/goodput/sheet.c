#include "sheet.h"

#include <string.h>

#include "out.h"
#include "tsv.h"

/* The scalars and lists of them below v; a list of objects is a table of its own. */
static void flatten(json_t *row, struct buf *path, const json_t *v) {
    const char *key;
    json_t *member;
    size_t len = path->len;
    json_object_foreach((json_t *)v, key, member) {
        if (len) buf_char(path, '.');
        buf_str(path, key);
        if (json_is_object(member))
            flatten(row, path, member);
        else if (!json_is_object(json_array_get(member, 0)))
            json_object_set(row, path->s, member);
        path->len = len;
    }
}

/* Text as it is, numbers as everywhere, null empty. */
static void put_value(struct buf *b, const json_t *v) {
    if (json_is_string(v))
        buf_add(b, json_string_value(v), json_string_length(v));
    else if (json_is_number(v) || json_is_boolean(v))
        doc_dump(b, v);
    for (size_t i = 0; i < json_array_size(v); i++) {
        if (i) buf_char(b, ',');
        put_value(b, json_array_get(v, i));
    }
}

static void put_cell(struct buf *line, struct buf *cell, const json_t *v) {
    buf_clear(cell);
    put_value(cell, v);
    tsv_put(line, (struct view){cell->s, cell->len});
}

bool sheet_write(const json_t *report, const char *path, enum spelling spelling) {
    const json_t *list = doc_at(report, path);
    if (!json_is_array(list)) return false;
    json_t *rows = json_array(), *columns = json_object();
    struct buf text = {0}, cell = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *row = json_object();
        buf_clear(&text);
        flatten(row, &text, json_array_get(list, i));
        json_object_update_missing(columns, row);
        json_array_append_new(rows, row);
    }
    const char *name;
    json_t *unused;
    buf_clear(&text);
    json_object_foreach(columns, name, unused) {
        if (text.len) buf_char(&text, '\t');
        buf_str(&text, name);
    }
    if (spelling == SPELL_NDJSON)
        buf_clear(&text);
    else
        buf_char(&text, '\n');
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        bool first = true;
        if (spelling == SPELL_NDJSON) {
            doc_dump(&text, row);
        } else {
            json_object_foreach(columns, name, unused) {
                if (!first) buf_char(&text, '\t');
                first = false;
                put_cell(&text, &cell, json_object_get(row, name));
            }
        }
        buf_char(&text, '\n');
    }
    out_add(text.s, text.len);
    json_decref(rows);
    json_decref(columns);
    buf_free(&text);
    buf_free(&cell);
    return true;
}
