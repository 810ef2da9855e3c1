#include "stamp.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"

/* The exponent of a number whose grammar is known to be right, saturated. */
static long exponent_of(const char *s, const char *end) {
    long e = 0;
    for (const char *p = s; p < end; p++)
        if (*p >= '0' && *p <= '9' && e < 100000) e = e * 10 + (*p - '0');
    return s < end && *s == '-' ? -e : e;
}

bool stamp_decimal(const char *s, size_t n, int scale, int64_t *v) {
    double real;
    if (!num_real(s, n, &real)) /* the grammar */
        return false;
    bool negative = *s == '-';
    size_t i = negative, mantissa = i;
    while (mantissa < n && s[mantissa] != 'e' && s[mantissa] != 'E')
        mantissa++;
    long exponent = mantissa < n ? exponent_of(s + mantissa + 1, s + n) : 0;
    const char *dot = memchr(s, '.', mantissa);
    long whole = (long)(dot ? dot - s : (long)mantissa) - (long)i; /* digits before the decimal point */
    long keep = whole + exponent + scale; /* digits before the new one */
    uint64_t sum = 0;
    bool up = false;
    long at = 0;
    for (; i < mantissa && at <= keep; i++) {
        if (s[i] == '.') continue;
        unsigned digit = (unsigned)(s[i] - '0');
        if (at++ == keep)
            up = digit >= 5;
        else if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    for (; at < keep && sum > 0; at++)
        if (__builtin_mul_overflow(sum, 10, &sum)) return false;
    if (__builtin_add_overflow(sum, up, &sum) || sum > INT64_MAX) return false;
    *v = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

bool stamp_unit(struct view name, int *scale) {
    static const struct {
        const char *name;
        int scale;
    } units[] = {{"s", 9}, {"ms", 6}, {"us", 3}, {"ns", 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (name.n == strlen(units[i].name) && memcmp(name.s, units[i].name, name.n) == 0) {
            *scale = units[i].scale;
            return true;
        }
    return false;
}

static bool read_unit(struct view key, int *scale, bool *minus) {
    *minus = key.n > 0 && *key.s == '-';
    return stamp_unit((struct view){key.s + *minus, key.n - *minus}, scale);
}

/* The token just read as a literal in units of 10^scale ns; null is missing. */
static bool take_literal(const struct jtok *j, enum jtok_type t, int scale, bool minus, int64_t *v) {
    *v = INT_NONE;
    if (t == JTOK_NULL) return true;
    if ((t != JTOK_NUMBER && t != JTOK_STRING) || !stamp_decimal(j->s, j->n, scale, v)) return false;
    if (minus) *v = -*v;
    return true;
}

/* After '[': stamps up to ']'. */
static bool take_items(struct jtok *j, struct stamps *list) {
    for (enum jtok_type t; (t = jtok_next(j)) != JTOK_ARRAY_END;) {
        int64_t v;
        if (!stamp_take(j, t, &v)) return false;
        vec_push(list, v);
    }
    return true;
}

static bool take_sum(struct jtok *j, int64_t *v) {
    struct stamps terms = {0};
    bool ok = take_items(j, &terms);
    *v = terms.n > 0 ? 0 : INT_NONE;
    for (size_t i = 0; ok && i < terms.n && int_known(*v); i++) {
        if (!int_known(terms.v[i]))
            *v = INT_NONE;
        else
            ok = !__builtin_add_overflow(*v, terms.v[i], v) && int_known(*v);
    }
    vec_free(&terms);
    return ok;
}

bool stamp_take(struct jtok *j, enum jtok_type t, int64_t *v) {
    int scale;
    bool minus;
    if (t == JTOK_ARRAY) return take_sum(j, v);
    if (t != JTOK_OBJECT) return take_literal(j, t, 0, false, v);
    return jtok_next(j) == JTOK_KEY && read_unit((struct view){j->s, j->n}, &scale, &minus) &&
           take_literal(j, jtok_next(j), scale, minus, v) && jtok_next(j) == JTOK_OBJECT_END;
}

/* After '{': an array of literals in the unit that is the only key, or null. */
static bool take_unit_list(struct jtok *j, struct stamps *list) {
    int scale;
    bool minus;
    if (jtok_next(j) != JTOK_KEY || !read_unit((struct view){j->s, j->n}, &scale, &minus)) return false;
    enum jtok_type t = jtok_next(j);
    list->given = t == JTOK_ARRAY;
    if (t != JTOK_ARRAY && t != JTOK_NULL) return false;
    while (list->given && (t = jtok_next(j)) != JTOK_ARRAY_END) {
        int64_t v;
        if (!take_literal(j, t, scale, minus, &v)) return false;
        vec_push(list, v);
    }
    return jtok_next(j) == JTOK_OBJECT_END;
}

bool stamp_take_list(struct jtok *j, enum jtok_type t, struct stamps *list) {
    bool ok = t == JTOK_NULL;
    list->given = t == JTOK_ARRAY;
    if (t == JTOK_ARRAY)
        ok = take_items(j, list);
    else if (t == JTOK_OBJECT)
        ok = take_unit_list(j, list);
    for (size_t i = 0; ok && i < list->n; i++)
        ok = int_known(list->v[i]);
    return ok;
}
