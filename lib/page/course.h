/* course: the passes of a steady report, and the part of the run each belongs to.  Layer 4. */
#ifndef COURSE_H
#define COURSE_H

#include "doc.h"

/* The number of the i-th pass of the report. */
int64_t course_number(const json_t *pass, size_t i);
/* 'w' warm-up, '=' window, 'd' drain, 't' tail, '^' the first pass of another level, '.' other */
char course_mark(const json_t *report, const json_t *pass, int64_t number);
/* The first pass of another level; INT_NONE without one. */
int64_t course_change(const json_t *report);
/* A column of a pass; NAN where absent, and in an incomplete pass. */
double course_value(const json_t *pass, const char *column);

#endif
