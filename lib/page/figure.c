#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

static struct figure missing(void) { return (struct figure){FIGURE_MISSING}; }

/* Numbers stay below 25 bytes (fixed), so that nothing is ever cut. */
static struct figure join(const char *a, const char *between, const char *b) {
    struct figure f;
    size_t n = 0;
    const char *part[] = {a, between, b};
    for (size_t i = 0; i < 3; i++)
        for (const char *s = part[i]; *s && n < sizeof f.s - 1; s++)
            f.s[n++] = *s;
    f.s[n] = '\0';
    return f;
}

/* Position of the first significant digit after rounding to n of them: 9.9996 to four digits is 10.00. */
static int magnitude(double v, int digits) {
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

static int decimals(double v, double half) {
    int d = v != 0 ? 3 - magnitude(v, 4) : 0;
    if (half > 0) {
        int by_half = 1 - magnitude(half, 2);
        d = by_half < d + 2 ? by_half : d + 2; /* an interval of no width does not ask for endless digits */
    }
    return d < 0 ? 0 : d > 9 ? 9 : d;
}

static struct figure fixed(double v, int places) {
    char text[48];
    struct figure f;
    size_t n = 0;
    if (fabs(v) >= 1e15) {
        snprintf(f.s, sizeof f.s, "%.3e", v);
        return f;
    }
    snprintf(text, sizeof text, "%.*f", places, v);
    if (strspn(text, "-0.") == strlen(text) && text[0] == '-') memmove(text, text + 1, strlen(text)); /* no -0 */
    const char *p = text;
    if (*p == '-') f.s[n++] = *p++;
    size_t whole = strcspn(p, ".");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && whole > 4 && (whole - i) % 3 == 0) f.s[n++] = ',';
        f.s[n++] = p[i];
    }
    snprintf(f.s + n, sizeof f.s - n, "%s", p + whole);
    return f;
}

struct figure figure_number(double v, double half) {
    return isfinite(v) ? fixed(v, decimals(v, half)) : missing();
}

struct figure figure_count(int64_t n) {
    return int_known(n) ? fixed((double)n, 0) : missing();
}

static struct figure percent(double v, int places, const char *sign) {
    return join(sign, fixed(v * 100, places).s, NBSP "%");
}

struct figure figure_share(double share) {
    if (!isfinite(share)) return missing();
    double edge = fmin(fabs(share), fabs(1 - share)) * 100;
    if (edge == 0) return percent(share, 0, "");
    return percent(share, edge >= 1 ? 1 : edge >= .1 ? 2 : edge >= .01 ? 3 : 5, "");
}

struct figure figure_change(double change) {
    if (!isfinite(change)) return missing();
    double size = fabs(change) * 100;
    const char *sign = change > 0 ? "+" : "";
    if (size < .005) return percent(0, 0, "");
    return percent(change, size >= 100 ? 0 : size >= .95 ? 1 : 2, sign);
}

struct figure figure_interval(double lo, double hi) {
    if (!isfinite(lo) || !isfinite(hi)) return missing();
    double half = (hi - lo) / 2;
    return join(figure_number(lo, half).s, NBSP "–" NBSP, figure_number(hi, half).s);
}

struct figure figure_share_interval(double lo, double hi) {
    struct figure from = figure_share(lo);
    char *unit = strstr(from.s, NBSP "%");
    if (unit) *unit = '\0';
    return join(from.s, NBSP "–" NBSP, figure_share(hi).s);
}

struct unit figure_unit(double ns) {
    return ns >= 1e9 ? (struct unit){1e9, "s"} : (struct unit){1e6, "ms"};
}

struct figure figure_span(double ns, struct unit u) {
    return figure_number(ns / u.ns, NAN);
}

struct figure figure_latency(double ns) {
    struct unit u = figure_unit(ns);
    return isfinite(ns) ? join(figure_span(ns, u).s, NBSP, u.name) : missing();
}

struct figure figure_time(double s) {
    if (!isfinite(s)) return missing();
    if (fabs(s) < 119.5) {
        int places = s == floor(s) || fabs(s) >= 99.95 ? 0 : fabs(s) >= .95 ? 1 : 3;
        return join(fixed(s, places).s, NBSP, "s");
    }
    const char *sign = s < 0 ? "-" : "";
    double t = rint(fabs(s));
    double big = t < 7200 ? 60 : 3600;
    double whole = floor(t / big), rest = t < 7200 ? t - whole * 60 : rint((t - whole * 3600) / 60);
    if (rest == 60) whole++, rest = 0;
    struct figure f = join(sign, fixed(whole, 0).s, t < 7200 ? NBSP "min" : NBSP "h");
    if (rest == 0) return f;
    char tail[24];
    snprintf(tail, sizeof tail, NBSP "%d" NBSP "%s", (int)rest, t < 7200 ? "s" : "min");
    return join(f.s, tail, "");
}
