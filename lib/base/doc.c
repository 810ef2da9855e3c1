#include "doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "in.h"
#include "num.h"

/* The digits of -2^63, which fit an int64 with their sign only. */
static bool is_least(const char *text, size_t at, size_t digits) {
    static const char least[] = "9223372036854775808";
    return digits == sizeof least - 1 && memcmp(text + at, least, digits) == 0 && at > 0 && text[at - 1] == '-';
}

/* The text with every integer beyond int64 written as a real: ECMAScript spells doubles below 1e21 without a point, and
 * jansson takes such digits for an integer that is too big. */
static void spell_reals(struct buf *b, const char *text, size_t n) {
    bool string = false;
    for (size_t i = 0; i < n;) {
        size_t digits = 0;
        while (!string && i + digits < n && text[i + digits] >= '0' && text[i + digits] <= '9')
            digits++;
        buf_add(b, text + i, digits ? digits : 1);
        if (digits) {
            i += digits;
            bool real = i < n && (text[i] == '.' || text[i] == 'e' || text[i] == 'E');
            bool fraction = b->len > digits && (b->s[b->len - digits - 1] == '.' || b->s[b->len - digits - 1] == 'e');
            int64_t fits;
            bool whole = num_int(text + i - digits, digits, &fits) || is_least(text, i - digits, digits);
            if (!real && !fraction && !whole && digits >= 19) buf_str(b, "e0");
            continue;
        }
        if (string && text[i] == '\\' && i + 1 < n)
            buf_char(b, text[++i]);
        else if (text[i] == '"')
            string = !string;
        i++;
    }
}

json_t *doc_parse(const char *text, size_t n, char why[128], int *line) {
    json_error_t e;
    json_t *v = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (!v && json_error_code(&e) == json_error_numeric_overflow) {
        struct buf b = {0};
        spell_reals(&b, text, n);
        v = json_loadb(b.s, b.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
        buf_free(&b);
    }
    if (v) return v;
    /* jansson's message may end in "near '...'": the input's own words, which are not repeated */
    char *near = strstr(e.text, " near ");
    if (near) *near = '\0';
    snprintf(why, 128, "%.100s", e.text[0] ? e.text : "not JSON");
    *line = e.line > 0 ? e.line : 1;
    return NULL;
}

void doc_slurp(struct buf *b, const char *path) {
    struct in in;
    in_open(&in, path);
    for (;;) {
        char *end = buf_room(b, 1 << 16);
        size_t n = in_read(&in, end, 1 << 16);
        if (n == 0) break;
        b->len += n;
    }
    b->s[b->len] = '\0';
    in_close(&in);
}

void doc_dump_string(struct buf *b, const char *s, size_t n) {
    static const char hex[] = "0123456789abcdef";
    buf_char(b, '"');
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
        buf_add(b, s + from, i - from);
        from = i + 1;
        if (c == '"' || c == '\\') {
            buf_char(b, '\\');
            buf_char(b, (char)c);
        } else if (c == '\n' || c == '\t') {
            buf_str(b, c == '\n' ? "\\n" : "\\t");
        } else {
            buf_str(b, "\\u00");
            buf_char(b, hex[c >> 4]);
            buf_char(b, hex[c & 15]);
        }
    }
    buf_add(b, s + from, n - from);
    buf_char(b, '"');
}

void doc_dump(struct buf *b, const json_t *v) {
    char num[NUM_MAX];
    switch (json_typeof(v)) {
    case JSON_OBJECT: {
        const char *key, *comma = "";
        json_t *member;
        buf_char(b, '{');
        json_object_foreach((json_t *)v, key, member) {
            buf_str(b, comma);
            doc_dump_string(b, key, strlen(key));
            buf_char(b, ':');
            doc_dump(b, member);
            comma = ",";
        }
        buf_char(b, '}');
        break;
    }
    case JSON_ARRAY:
        buf_char(b, '[');
        for (size_t i = 0; i < json_array_size(v); i++) {
            if (i) buf_char(b, ',');
            doc_dump(b, json_array_get(v, i));
        }
        buf_char(b, ']');
        break;
    case JSON_STRING: doc_dump_string(b, json_string_value(v), json_string_length(v)); break;
    case JSON_INTEGER: buf_add(b, num, num_put_int(num, json_integer_value(v))); break;
    case JSON_REAL: buf_add(b, num, num_put_real(num, json_real_value(v))); break;
    case JSON_TRUE: buf_str(b, "true"); break;
    case JSON_FALSE: buf_str(b, "false"); break;
    case JSON_NULL: buf_str(b, "null"); break;
    }
}

static void add_segment(struct buf *path, bool first, const char *key) {
    if (!first) buf_char(path, '.');
    for (; *key; key++) {
        if (*key == '.' || *key == '\\') buf_char(path, '\\');
        if (*key == '\t')
            buf_str(path, "\\t");
        else
            buf_visible(path, key, 1);
    }
}

static void flatten(struct buf *b, struct buf *path, bool first, const json_t *v) {
    size_t depth = path->len;
    if (json_is_object(v) && json_object_size(v) > 0) {
        const char *key;
        json_t *member;
        json_object_foreach((json_t *)v, key, member) {
            add_segment(path, first, key);
            flatten(b, path, false, member);
            path->len = depth;
        }
    } else if (json_is_array(v) && json_array_size(v) > 0) {
        for (size_t i = 0; i < json_array_size(v); i++) {
            char index[24];
            snprintf(index, sizeof index, "%zu", i);
            add_segment(path, first, index);
            flatten(b, path, false, json_array_get(v, i));
            path->len = depth;
        }
    } else {
        buf_add(b, path->s, path->len);
        buf_char(b, '\t');
        doc_dump(b, v);
        buf_char(b, '\n');
    }
}

void doc_flatten(struct buf *b, const json_t *v) {
    struct buf path = {0};
    flatten(b, &path, true, v);
    buf_free(&path);
}

/* The control character that 00xx stands for. */
static bool control(const char *s, const char *end, char *c) {
    static const char hex[] = "0123456789abcdef";
    if (end - s < 4 || s[0] != '0' || s[1] != '0') return false;
    const char *high = memchr(hex, s[2], 16), *low = memchr(hex, s[3], 16);
    if (!high || !low || (high == hex && low == hex)) return false;
    *c = (char)((high - hex) << 4 | (low - hex));
    return true;
}

/* Take the next segment of a path, decoded, from *p; false at the end. */
static bool next_segment(const char **p, const char *end, struct buf *segment) {
    if (*p > end) return false;
    buf_clear(segment);
    for (; *p < end && **p != '.'; (*p)++) {
        char c = **p;
        if (c == '\\' && *p + 1 < end) {
            c = *++*p;
            if (c == 't') c = '\t';
            if (c == 'u' && control(*p + 1, end, &c)) *p += 4;
        }
        buf_char(segment, c);
    }
    if (!segment->s) buf_room(segment, 0)[0] = '\0';
    segment->s[segment->len] = '\0';
    ++*p; /* past the '.', or past the end */
    return true;
}

/* Objects whose keys are 0, 1, 2, … in order were arrays. */
static json_t *arrays_back(json_t *v) {
    if (!json_is_object(v)) return json_incref(v);
    json_t *object = json_object(), *array = json_array();
    const char *key;
    json_t *member;
    bool indexed = json_object_size(v) > 0;
    json_object_foreach(v, key, member) {
        char index[24];
        snprintf(index, sizeof index, "%zu", json_array_size(array));
        indexed = indexed && strcmp(index, key) == 0;
        json_t *done = arrays_back(member);
        json_array_append(array, done);
        json_object_set_new(object, key, done);
    }
    json_decref(indexed ? object : array);
    return indexed ? array : object;
}

/* Put a value into root at a path; the reference is taken.  False: the path is no text, or too deep. */
static bool put_at(json_t *root, const char *path, const char *end, struct buf *segment, json_t *value) {
    json_t *into = root;
    bool ok = !memchr(path, '\0', (size_t)(end - path));
    next_segment(&path, end, segment);
    for (int depth = 1; ok && path <= end; depth++) {
        json_t *child = json_object_get(into, segment->s);
        ok = depth < JSON_PARSER_MAX_DEPTH;
        if (!json_is_object(child)) {
            child = json_object();
            ok = json_object_set_new(into, segment->s, child) == 0 && ok;
        }
        into = child;
        next_segment(&path, end, segment);
    }
    if (ok) return json_object_set_new(into, segment->s, value) == 0;
    json_decref(value);
    return false;
}

json_t *doc_unflatten(const char *text, size_t n, int *line) {
    json_t *root = json_object();
    struct buf segment = {0};
    *line = 0;
    for (const char *p = text, *end = text + n; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol) eol = end;
        ++*line;
        const char *tab = memchr(p, '\t', (size_t)(eol - p));
        char why[128];
        int at;
        json_t *value = tab ? doc_parse(tab + 1, (size_t)(eol - tab - 1), why, &at) : NULL;
        if (!value || !put_at(root, p, tab, &segment, value)) {
            json_decref(root);
            root = NULL;
            break;
        }
        p = eol + 1;
    }
    buf_free(&segment);
    if (!root) return NULL;
    json_t *v = arrays_back(root);
    json_decref(root);
    return v;
}

json_t *doc_real(double v) {
    if (!isfinite(v)) return json_null();
    return json_real(v);
}

void doc_set_real(json_t *object, const char *key, double v) { json_object_set_new(object, key, doc_real(v)); }

void doc_set_int(json_t *object, const char *key, int64_t v) {
    json_object_set_new(object, key, int_known(v) ? json_integer(v) : json_null());
}

void doc_set_text(json_t *object, const char *key, const char *s) {
    json_object_set_new(object, key, s ? json_string(s) : json_null());
}

void doc_set_bool(json_t *object, const char *key, bool v) { json_object_set_new(object, key, json_boolean(v)); }

json_t *doc_at(const json_t *v, const char *path) {
    while (v && *path) {
        size_t n = strcspn(path, ".");
        char key[64];
        if (n >= sizeof key) return NULL;
        memcpy(key, path, n);
        key[n] = '\0';
        v = json_is_array(v) ? json_array_get(v, (size_t)atol(key)) : json_object_get(v, key);
        path += n + (path[n] == '.');
    }
    return (json_t *)v;
}

double doc_real_at(const json_t *v, const char *path) {
    v = doc_at(v, path);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

int64_t doc_int_at(const json_t *v, const char *path) {
    v = doc_at(v, path);
    if (json_is_real(v) && json_real_value(v) == floor(json_real_value(v)) && fabs(json_real_value(v)) < 0x1p53)
        return (int64_t)json_real_value(v);
    return json_is_integer(v) ? json_integer_value(v) : INT_NONE;
}

const char *doc_text_at(const json_t *v, const char *path) { return json_string_value(doc_at(v, path)); }

bool doc_true_at(const json_t *v, const char *path) { return json_is_true(doc_at(v, path)); }
