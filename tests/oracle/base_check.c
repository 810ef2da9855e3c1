/* The ground floor against independent readings: cells against libcsv, numbers against strtod, paths against themselves.
 * Prints "ok NAME" or "not ok NAME: what"; status 1 on any failure. */
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "doc.h"
#include "ndjson.h"
#include "num.h"
#include "tsv.h"

/* ---- tsv ---- */

struct cells {
    struct buf text;
    size_t n;
};

static void collect(void *s, size_t n, void *data) {
    struct cells *c = data;
    buf_add(&c->text, s, n);
    buf_char(&c->text, '\1');
    c->n++;
}

static int never(unsigned char c) { return c == 0 && c != 0; }
static int lf(unsigned char c) { return c == '\n'; }

static void tsv_like_libcsv(void) {
    static const char alphabet[] = "ab\t\t ,'\"#x";
    struct tsv t = {0};
    bool same = true;
    char line[64];
    for (int round = 0; round < 200000 && same; round++) {
        size_t n = next() % 60, letters = sizeof alphabet - 1 - (round & 1 ? 0 : 3); /* every other line has no quote */
        for (size_t i = 0; i < n; i++)
            line[i] = alphabet[next() % letters];
        if (n == 0) continue;
        struct csv_parser p;
        csv_init(&p, CSV_REPALL_NL);
        csv_set_delim(&p, CSV_TAB);
        csv_set_space_func(&p, never);
        csv_set_term_func(&p, lf);
        struct cells want = {0}, got = {0};
        csv_parse(&p, line, n, collect, NULL, &want);
        csv_fini(&p, collect, NULL, &want);
        csv_free(&p);
        tsv_split(&t, (struct view){line, n});
        for (size_t i = 0; i < t.cell.n; i++)
            collect((void *)t.cell.v[i].s, t.cell.v[i].n, &got);
        same = want.n == got.n && want.text.len == got.text.len && memcmp(want.text.s, got.text.s, got.text.len) == 0;
        if (!same) fprintf(stderr, "differs: %.*s\n", (int)n, line);
        buf_free(&want.text);
        buf_free(&got.text);
    }
    check(same, "cells as libcsv reads them", "a line was split otherwise");

    bool back = true;
    for (int round = 0; round < 100000 && back; round++) {
        size_t n = next() % 12;
        for (size_t i = 0; i < n; i++)
            line[i] = "a\"# x"[next() % 5];
        struct buf b = {0};
        tsv_put(&b, (struct view){line, n});
        buf_str(&b, "\tz");
        tsv_split(&t, (struct view){b.s, b.len});
        back = t.cell.n == 2 && t.cell.v[0].n == n && memcmp(t.cell.v[0].s, line, n) == 0;
        buf_free(&b);
    }
    check(back, "a cell written reads back", "it does not");
    tsv_free(&t);
}

/* ---- num ---- */

static void reals(void) {
    static const struct {
        double v;
        const char *text; /* as ECMAScript prints it */
    } known[] = {{100, "100"},
                 {1e21, "1e+21"},
                 {123456789012345680000.0, "123456789012345680000"},
                 {1e-6, "0.000001"},
                 {1e-7, "1e-7"},
                 {1.5e-7, "1.5e-7"},
                 {0.1, "0.1"},
                 {-0.0, "0"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {4.35, "4.35"},
                 {20015816.953271028, "20015816.953271028"},
                 {9007199254740993.0, "9007199254740992"},
                 {-12.25, "-12.25"}};
    bool good = true;
    char text[NUM_MAX + 1], shorter[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text[num_put_real(text, known[i].v)] = '\0';
        if (strcmp(text, known[i].text) != 0) fprintf(stderr, "%s, not %s\n", text, known[i].text);
        good = good && strcmp(text, known[i].text) == 0;
    }
    check(good, "reals as ECMAScript prints them", "spelled otherwise");

    bool exact = true, shortest = true;
    for (int i = 0; i < 1000000; i++) {
        double v;
        uint64_t bits = next();
        memcpy(&v, &bits, sizeof v);
        if (i & 1) v = (double)(int64_t)(next() >> 20) / (double)(1 + next() % 5000); /* what a quotient of spans looks like */
        if (!isfinite(v)) continue;
        text[num_put_real(text, v)] = '\0';
        exact = exact && strtod(text, NULL) == v;
        if (i % 16) continue;
        int digits = 0, zeros = 0;
        for (const char *p = text; *p && *p != 'e'; p++) {
            if (*p < '0' || *p > '9' || (digits == 0 && *p == '0')) continue;
            digits++;
            zeros = *p == '0' ? zeros + 1 : 0;
        }
        digits -= zeros;
        snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, v);
        shortest = shortest && (digits == 1 || strtod(shorter, NULL) != v);
    }
    check(exact, "a real written reads back", "it does not");
    check(shortest, "with the fewest digits", "fewer would do");
}

/* Decimals of one to twenty digits, with and without a point: some take the short way, some do not, and some lie halfway. */
static void reals_read(void) {
    bool same = true;
    char text[64];
    for (int i = 0; i < 2000000 && same; i++) {
        uint64_t bits = next();
        int n;
        if (i % 3 == 0)
            n = snprintf(text, sizeof text, "%.*g", 1 + (int)(bits % 19), (double)(bits >> 20) / (double)(1 + bits % 977));
        else if (i % 3 == 1)
            n = snprintf(text, sizeof text, "%s%llu.%llu", bits & 1 ? "-" : "", (unsigned long long)(bits >> (bits % 64)),
                         (unsigned long long)(next() >> (next() % 60)));
        else
            n = snprintf(text, sizeof text, "%llu.5", (unsigned long long)((1ULL << 52) + (bits >> 12)));
        double v = 0, want = strtod(text, NULL);
        same = num_real(text, (size_t)n, &v) && memcmp(&v, &want, sizeof v) == 0;
        if (!same) fprintf(stderr, "differs: %s\n", text);
    }
    check(same, "reals read as strtod reads them", "a number was read otherwise");
}

static void ints(void) {
    static const char *const bad[] = {"",      "-",   "+1",  "01",  "1.0", "1e3", " 1", "1 ", "9223372036854775808",
                                      "-9223372036854775808", "0x1", "--1", "1_0"};
    bool good = true;
    int64_t v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        good = good && !num_int(bad[i], strlen(bad[i]), &v);
    good = good && num_int("9223372036854775807", 19, &v) && v == INT64_MAX;
    good = good && num_int("-9223372036854775807", 20, &v) && v == -INT64_MAX;
    good = good && num_int("1769000000123456789", 19, &v) && v == 1769000000123456789;
    check(good, "integers whole and exact", "read otherwise");
    good = num_span(-INT64_MAX, INT64_MAX) == INT_NONE && num_span(INT_NONE, 1) == INT_NONE && num_span(5, 3) == -2;
    check(good, "spans that do not fit are missing", "they are not");
}

/* ---- documents ---- */

static void paths(void) {
    static const char text[] = "{\"a.b\":{\"c\\td\":[1,{\"x\\\\y\":null},[],{}],\"e\":1769000000123456789},\"f\":true,"
                               "\"g\":[[1,2],[3]],\"h\":\"\\u0007\\\"\",\"i\":0.1}";
    char why[128];
    int line;
    struct buf flat = {0}, again = {0};
    json_t *v = doc_parse(text, strlen(text), why, &line);
    doc_flatten(&flat, v);
    json_t *back = doc_unflatten(flat.s, flat.len, &line);
    if (back) doc_dump(&again, back);
    check(back && strcmp(again.s, text) == 0, "a document as paths and back", again.s ? again.s : "lost");
    check(strstr(flat.s, "a\\.b.c\\td.1.x\\\\y\tnull\n") != NULL, "path segments escaped", flat.s);
    json_decref(v);
    json_decref(back);
    buf_free(&flat);
    buf_free(&again);
}

static void odd_paths(void) {
    static const char text[] = "{\"\":{\"\":1,\"a\":2},\"a\":3,\"b\\nc\":{\"\\u0001\":4,\"\\\\u0001\":5}}";
    char why[128];
    int line;
    struct buf flat = {0}, again = {0};
    json_t *v = doc_parse(text, strlen(text), why, &line);
    doc_flatten(&flat, v);
    json_t *back = doc_unflatten(flat.s, flat.len, &line);
    if (back) doc_dump(&again, back);
    check(back && strcmp(again.s, text) == 0, "empty keys and control characters in them", again.s ? again.s : "lost");
    json_decref(v);
    json_decref(back);
    buf_clear(&flat);
    for (int i = 0; i < 3000; i++)
        buf_str(&flat, "a.");
    buf_str(&flat, "a\t1\n");
    check(!doc_unflatten(flat.s, flat.len, &line), "a path of 3001 segments", "read");
    static const char *const bad[] = {"a\xff" "b.c\t1\n", "a\xff" "b\t1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check(!doc_unflatten(bad[i], strlen(bad[i]), &line) && line == 1, "a path that is no UTF-8", "read");
    check(!doc_unflatten("a\0b\t1\n", 6, &line), "a path with a NUL byte", "read");
    buf_free(&flat);
    buf_free(&again);
}

/* A double of 19 or more digits without a point is our own spelling, and must not be lost to an integer reader. */
static void big_numbers(void) {
    static const char text[] = "{\"a\":9223372036854776000,\"b\":[-123456789012345680000,1769000000123456789,-9223372036854775808],\"c\":\"9999999999999999999\\\"1\"}";
    char why[128] = "";
    int line;
    struct buf again = {0};
    json_t *v = doc_parse(text, strlen(text), why, &line);
    if (v) doc_dump(&again, v);
    check(v && strstr(again.s, "9223372036854776000") && strstr(again.s, "[-123456789012345680000,1769000000123456789,-9223372036854775808]") && strstr(again.s, "\"9999999999999999999"),
          "numbers beyond int64 in a document", v ? again.s : why);
    json_decref(v);
    buf_free(&again);
}

static void rows(void) {
    static const char line[] = "{\"a\":\"x\\ny\",\"b\":NaN,\"c\":[1,null,-2.5e3],\"d\":true,\"e\":{\"k\":[1,\"]\"]},\"f\":-Infinity,\"g\":[]}";
    static const char *const want[] = {"x\ny", "", "1,,-2.5e3", "1", "{\"k\":[1,\"]\"]}", "", ""};
    struct ndjson r = {0};
    bool good = ndjson_split(&r, (struct view){line, strlen(line)}) && r.member.n == 7;
    for (size_t i = 0; good && i < 7; i++)
        good = r.member.v[i].text.n == strlen(want[i]) && (!*want[i] || memcmp(r.member.v[i].text.s, want[i], strlen(want[i])) == 0);
    check(good, "members of a row as cells", r.error ? r.error : "read otherwise");
    static const char *const bad[] = {"{\"a\":1}{\"b\":2}", "{\"a\":nan}", "{\"a\":1,}", "[1]", "{\"a\":\"\x01\"}", "{\"a\":01}",
                                      "{\"a\":\"\\ud800\xff\"}", "{\"a\":[1,2}"};
    good = true;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        good = good && !ndjson_split(&r, (struct view){bad[i], strlen(bad[i])});
    check(good, "text that is no row", "taken for one");
    ndjson_free(&r);
}

int main(void) {
    tsv_like_libcsv();
    reals();
    reals_read();
    ints();
    paths();
    odd_paths();
    big_numbers();
    rows();
    return failures > 0;
}
