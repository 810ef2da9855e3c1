#include "course.h"

#include <math.h>
#include <string.h>

#include "num.h"

int64_t course_number(const json_t *pass, size_t i) {
    int64_t number = doc_int_at(pass, "pass");
    return int_known(number) ? number : (int64_t)i;
}

int64_t course_change(const json_t *report) {
    if (!doc_true_at(report, "anomaly.detected")) return INT_NONE;
    int64_t change = doc_int_at(report, "anomaly.change_pass");
    return int_known(change) ? change : doc_int_at(report, "anomaly.end.first_pass");
}

char course_mark(const json_t *report, const json_t *pass, int64_t number) {
    int64_t first = doc_int_at(report, "window.first_pass"), end = doc_int_at(report, "window.end_pass");
    const char *role = doc_text_at(pass, "role");
    if (number == course_change(report)) return '^';
    if (role && strcmp(role, "warmup") == 0) return 'w';
    if (role && strcmp(role, "drain") == 0) return 'd';
    if (role && strcmp(role, "tail") == 0) return 't';
    return int_known(first) && number >= first && number < end ? '=' : '.';
}

double course_value(const json_t *pass, const char *column) {
    const json_t *full = doc_at(pass, "full");
    bool incomplete = json_is_false(full) || (json_is_integer(full) && json_integer_value(full) == 0);
    return incomplete ? NAN : doc_real_at(pass, column);
}
