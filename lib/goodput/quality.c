#include "quality.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "jqmap.h"
#include "names.h"
#include "num.h"

static const struct column columns[] = {{"request", TYPE_TEXT},
                                        {"pass", TYPE_BOOL},
                                        {"score", TYPE_REAL},
                                        {"evaluator", TYPE_TEXT},
                                        {"evaluator_version", TYPE_TEXT}};
static const struct schema schema = {"quality", columns, sizeof columns / sizeof *columns};

struct verdict {
    struct view json; /* the row as an object; empty under the default rule */
    double score;
    enum judged pass; /* of the column `pass` */
    bool used;
};

struct quality {
    const char *file;
    struct names request;
    VEC(struct verdict) verdict; /* by number of the request */
    struct jqmap *rule; /* NULL: the default rule, which is the column `pass` */
    struct arena text;
    struct buf work;
    json_t *evaluator;
    int64_t duplicates;
};

static bool is(struct view v, const char *s) { return v.n == strlen(s) && memcmp(v.s, s, v.n) == 0; }

enum judged quality_of_ledger(struct view quality) {
    return is(quality, "pass") ? JUDGED_PASS : is(quality, "fail") ? JUDGED_FAIL : JUDGED_NOT;
}

/* ---- rows as JSON objects ---- */

static void put_cell(struct buf *b, struct view v, enum type type, bool guess) {
    double number;
    bool literal = guess && (num_real(v.s, v.n, &number) || is(v, "true") || is(v, "false"));
    if (v.n == 0)
        buf_str(b, "null");
    else if (type == TYPE_BOOL)
        buf_str(b, is(v, "1") || is(v, "true") ? "true" : "false");
    else if (literal || ((type == TYPE_INT || type == TYPE_REAL) && num_real(v.s, v.n, &number)))
        buf_add(b, v.s, v.n);
    else
        doc_dump_string(b, v.s, v.n);
}

/* The members of the current row, without the braces. */
static void put_row(struct buf *b, const struct table_in *t, bool guess) {
    for (size_t i = 0; i < t->n; i++) {
        bool known = false;
        for (size_t k = 0; k < t->schema->n; k++)
            known |= strcmp(t->schema->column[k].name, t->column[i].name) == 0;
        if (i) buf_char(b, ',');
        doc_dump_string(b, t->column[i].name, strlen(t->column[i].name));
        buf_char(b, ':');
        put_cell(b, t->cell[i], t->column[i].type, guess && !known);
    }
}

/* ---- the file ---- */

static void keep_row(struct quality *q, const struct table_in *t, const int at[3]) {
    struct view request = table_text(t, at[0]);
    if (request.n == 0) die_at(t->file, t->line, "column 'request' is empty");
    if (names_add(&q->request, request) < q->verdict.n) {
        q->duplicates++;
        return;
    }
    struct verdict v = {.score = table_real(t, at[2])};
    if (table_text(t, at[1]).n > 0) v.pass = table_bool(t, at[1], false) ? JUDGED_PASS : JUDGED_FAIL;
    if (q->rule) {
        buf_clear(&q->work);
        if (t->spelling == SPELL_NDJSON) { /* the line less its braces */
            struct view line = t->raw;
            const char *open = memchr(line.s, '{', line.n), *close = memrchr(line.s, '}', line.n);
            buf_add(&q->work, open + 1, (size_t)(close - open - 1));
            /* a truth, however it was written: to jq the number 0 is one too; the later key counts */
            if (v.pass) buf_str(&q->work, v.pass == JUDGED_PASS ? ",\"pass\":true" : ",\"pass\":false");
        } else {
            put_row(&q->work, t, true);
        }
        v.json = (struct view){arena_copy(&q->text, q->work.s, q->work.len), q->work.len};
    }
    vec_push(&q->verdict, v);
}

/* Who judged, if the rows say so: one name and one version. */
static void note_evaluator(struct quality *q, const struct table_in *t, const int at[2]) {
    struct view name = table_text(t, at[0]), version = table_text(t, at[1]);
    if (name.n == 0 || version.n == 0) return;
    json_t *said = json_pack("{ss%ss%}", "name", name.s, name.n, "version", version.s, version.n);
    if (!said) die_at(t->file, t->line, "the evaluator's name is not valid UTF-8");
    if (q->evaluator && !json_equal(q->evaluator, said))
        die_at(t->file, t->line, "a second evaluator: verdicts of different evaluators are not comparable");
    json_decref(q->evaluator);
    q->evaluator = said;
}

void quality_check_rule(const struct contract *c) {
    if (c->quality && c->rule) jqmap_free(jqmap_new("quality.rule", c->rule));
}

struct quality *quality_open(const char *path, const struct contract *c) {
    struct quality *q = xcalloc(1, sizeof *q);
    if (strcmp(c->rule, ".pass") != 0) q->rule = jqmap_new("quality.rule", c->rule);
    if (c->evaluator_name)
        q->evaluator = json_pack("{ssss}", "name", c->evaluator_name, "version", c->evaluator_version);
    q->file = path;
    struct table_in t;
    table_open(&t, path, &schema);
    const int at[] = {table_need(&t, "request", "to join verdicts to the ledger"), table_find(&t, "pass"),
                      table_find(&t, "score")};
    const int who[] = {table_find(&t, "evaluator"), table_find(&t, "evaluator_version")};
    if (!q->rule && at[1] < 0) die("%s: no column 'pass': the default quality rule asks for it", t.file);
    while (table_next(&t)) {
        keep_row(q, &t, at);
        if (!c->evaluator_name) note_evaluator(q, &t, who);
    }
    table_close(&t);
    if (!q->evaluator)
        die("%s: who judged? name and version are needed: quality.evaluator in the contract, or columns 'evaluator' "
            "and "
            "'evaluator_version'",
            path);
    return q;
}

/* ---- judging ---- */

static enum judged run_rule(struct quality *q, const struct verdict *v, const struct table_in *ledger) {
    buf_clear(&q->work);
    buf_char(&q->work, '{');
    put_row(&q->work, ledger, false);
    if (v->json.n > 0) buf_char(&q->work, ',');
    buf_add(&q->work, v->json.s, v->json.n);
    buf_char(&q->work, '}');
    size_t offset;
    struct view out = {0};
    const char *why = jqmap_start(q->rule, q->work.s, q->work.len, &offset);
    if (why) die_at(ledger->file, ledger->line, "the quality rule's input: %s", why);
    enum jqmap_result r = jqmap_next(q->rule, &out);
    if (r == JQMAP_FAILED) die_at(ledger->file, ledger->line, "the quality rule failed");
    if (r == JQMAP_END || is(out, "null")) return JUDGED_NOT;
    if (is(out, "true") || is(out, "1") || is(out, "\"pass\"")) return JUDGED_PASS;
    if (is(out, "false") || is(out, "0") || is(out, "\"fail\"")) return JUDGED_FAIL;
    die_at(ledger->file, ledger->line, "the quality rule's answer is neither true, false nor null");
}

enum judged quality_judge(struct quality *q, const struct table_in *ledger, struct view request, double *score) {
    *score = NAN;
    uint32_t i = names_find(&q->request, request);
    if (i == NAMES_NONE) return JUDGED_NOT;
    struct verdict *v = &q->verdict.v[i];
    v->used = true;
    *score = v->score;
    return q->rule ? run_rule(q, v, ledger) : v->pass;
}

json_t *quality_evaluator(const struct quality *q) { return q->evaluator; }

json_t *quality_json(const struct quality *q) {
    int64_t foreign = 0;
    for (size_t i = 0; i < q->verdict.n; i++)
        foreign += !q->verdict.v[i].used;
    json_t *j = json_object();
    json_object_set(j, "evaluator", q->evaluator);
    doc_set_int(j, "verdicts", (int64_t)q->verdict.n);
    doc_set_int(j, "foreign", foreign);
    doc_set_int(j, "duplicate", q->duplicates);
    return j;
}

void quality_close(struct quality *q) {
    if (!q) return;
    names_free(&q->request);
    vec_free(&q->verdict);
    jqmap_free(q->rule);
    arena_free(&q->text);
    buf_free(&q->work);
    json_decref(q->evaluator);
    free(q);
}
