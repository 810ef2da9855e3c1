#include "jqmap.h"

#include <errno.h>
#include <jq.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "doc.h"
#include "jtok.h"

#define EXACT_DIGITS 15 /* decimal digits that always survive a double */

struct jqmap {
    char *name;
    jq_state *jq;
    struct buf error; /* first line of the compiler's complaint */
    struct buf input; /* the text with its long literals quoted */
    jv output; /* the last output's text, which a caller may be looking at */
    bool running; /* there may be outputs left: libjq 1.6 crashes when asked once more after the last */
};

#ifdef __SANITIZE_ADDRESS__
/* libjq holds its stack by a pointer past the end, which the leak checker does not take for one. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libjq\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

/* Compiler messages go to the caller's eyes; messages of a running program may hold its input and go nowhere. */
static void keep_error(void *data, jv message) {
    struct jqmap *map = data;
    if (jv_get_kind(message) == JV_KIND_STRING && map->error.len == 0) {
        const char *s = jv_string_value(message);
        if (strncmp(s, "jq: error: ", 11) == 0) s += 11;
        size_t n = strcspn(s, "\n");
        buf_add(&map->error, s, n > 0 && s[n - 1] == ':' ? n - 1 : n);
    }
    jv_free(message);
}

static void drop_message(void *data, jv message) {
    (void)data;
    jv_free(message);
}

/* For `input`: there is one input at a time.  libjq 1.6 crashes without this, and on `include` without a search path. */
static jv no_input(jq_state *jq, void *data) {
    (void)jq;
    (void)data;
    return jv_invalid();
}

/* Without a handler libjq aborts. */
static void no_memory(void *data) {
    (void)data;
    errno = ENOMEM;
    die_errno("memory");
}

/* libjq 1.6 reads ~/.jq into every program; ours mean the same on every machine. */
static int compile_alone(jq_state *jq, const char *text) {
    const char *home = getenv("HOME");
    char *kept = home ? xstrdup(home) : NULL;
    unsetenv("HOME");
    int ok = jq_compile(jq, text);
    if (kept) setenv("HOME", kept, 1);
    free(kept);
    return ok;
}

struct jqmap *jqmap_new(const char *name, const char *text) {
    struct jqmap *map = xcalloc(1, sizeof *map);
    map->name = xstrdup(name);
    map->output = jv_null();
    map->jq = jq_init();
    if (!map->jq) no_memory(NULL);
    jv_nomem_handler(no_memory, NULL);
    jq_set_nomem_handler(map->jq, no_memory, NULL); /* each run of a program sets the handler to its own */
    jq_set_error_cb(map->jq, keep_error, map);
    jq_set_input_cb(map->jq, no_input, NULL);
    jq_set_attr(map->jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
    if (!compile_alone(map->jq, text))
        die("%s: jq program does not compile: %s", name, map->error.len ? map->error.s : "unknown error");
    jq_set_error_cb(map->jq, drop_message, NULL);
    jq_set_debug_cb(map->jq, drop_message, NULL);
    return map;
}

struct jqmap *jqmap_open(const char *path, const char *prelude) {
    struct buf text = {0};
    buf_str(&text, prelude);
    doc_slurp(&text, path);
    buf_char(&text, '\n');
    if (strlen(text.s) != text.len) die("%s: jq program holds a NUL byte", path);
    struct jqmap *map = jqmap_new(path, text.s);
    buf_free(&text);
    return map;
}

void jqmap_free(struct jqmap *map) {
    if (!map) return;
    jq_teardown(&map->jq);
    jv_free(map->output);
    buf_free(&map->error);
    buf_free(&map->input);
    free(map->name);
    free(map);
}

static bool is_long(const char *s, size_t n) {
    size_t digits = 0;
    for (size_t i = 0; i < n && s[i] != 'e' && s[i] != 'E'; i++)
        if (s[i] >= '0' && s[i] <= '9' && (digits > 0 || s[i] != '0')) digits++;
    return digits > EXACT_DIGITS;
}

/* Validate text and copy it to map->input with long literals quoted; *copied is false where it can stay as it is. */
static const char *quote_long(struct jqmap *map, const char *text, size_t n, bool *copied, size_t *at) {
    struct jtok j;
    jtok_init(&j, text, n);
    j.nonfinite = true;
    buf_clear(&map->input);
    const char *from = text;
    for (;;) {
        enum jtok_type type = jtok_next(&j);
        if (type == JTOK_ERROR) {
            *at = (size_t)(j.p - text);
            return j.error;
        }
        if (type == JTOK_END) break;
        if (type != JTOK_NONFINITE && !(type == JTOK_NUMBER && is_long(j.s, j.n))) continue;
        buf_add(&map->input, from, (size_t)(j.s - from));
        if (type == JTOK_NONFINITE)
            buf_str(&map->input, "null");
        else
            buf_printf(&map->input, "\"%.*s\"", (int)j.n, j.s);
        from = j.s + j.n;
    }
    *copied = from != text;
    if (*copied) buf_add(&map->input, from, (size_t)(text + n - from));
    return NULL;
}

const char *jqmap_start(struct jqmap *map, const char *text, size_t n, size_t *at) {
    map->running = false;
    *at = 0;
    bool copied = false;
    const char *why = quote_long(map, text, n, &copied, at);
    if (why) return why;
    if (copied) {
        text = map->input.s;
        n = map->input.len;
    }
    if (n > INT_MAX) return "too long for a jq program";
    jv value = jv_parse_sized(text, (int)n);
    if (!jv_is_valid(value)) { /* text is JSON, so libjq's own limit of depth is what is left */
        jv_free(value);
        return "nested too deeply";
    }
    jq_start(map->jq, value, 0);
    map->running = true;
    return NULL;
}

enum jqmap_result jqmap_next(struct jqmap *map, struct view *value) {
    if (!map->running) return JQMAP_END;
    jv out = jq_next(map->jq);
    if (!jv_is_valid(out)) {
        map->running = false;
        bool failed = jq_halted(map->jq) || jv_invalid_has_msg(jv_copy(out));
        jv_free(out);
        return failed ? JQMAP_FAILED : JQMAP_END;
    }
    jv_free(map->output);
    map->output = jv_dump_string(out, 0);
    value->s = jv_string_value(map->output);
    value->n = (size_t)jv_string_length_bytes(jv_copy(map->output));
    return JQMAP_VALUE;
}
