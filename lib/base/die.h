/* die: messages and exit status.  Layer 0.
 *
 * Every message is one line on stderr, "tool: what" or "tool: file:line: what", lower case, no full stop.
 * Status 2 is usage, input or output error; only this module and bin/ call exit.  Nothing here owns memory of its caller. */
#ifndef DIE_H
#define DIE_H

#include <stdbool.h>

#define DIE_STATUS 2

/* Name used in messages, and whether warnings (-q turns them off) and notes (-v turns them on) are printed. */
void die_init(const char *tool);
void die_verbosity(bool quiet, bool verbose);
const char *die_tool(void);
bool die_is_quiet(void);

/* End with status 2 and one line.  die_errno appends the text of errno. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die_at(const char *file, long long line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A warning that is always printed (unless -q), and a note that is printed with -v only. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A warning of a kind (a string literal such as "malformed line"): the first five are printed, the rest counted;
 * warn_summary prints "N more: KIND" for each kind with a rest.  line 0 = no line. */
void warn_at(const char *kind, const char *file, long long line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void warn_summary(void);

#endif
