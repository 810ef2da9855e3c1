/* story_check: the likelihoods of lib/story from their definition.
 *
 * Here the noise is a matrix: correlations phi^|i-j|, whose Cholesky factor whitens whatever is to be fitted; the fit is least squares
 * by the normal equations of all columns, in long double.  Nothing of the recursions of lib/story is used.
 * Prints "ok NAME" or "not ok NAME: what"; status 1 if one failed. */
#include <math.h>

#include "check.h"
#include "story.h"

#define N_MAX 40

/* ---- the definition ---- */

typedef long double real;
enum { NO_COLUMN = -1 };

/* The mean is a constant and, but for a level, one column more: t up to `bend`, or 1 from `at` on. */
struct mean {
    int bend, at;
};
static const struct mean level = {NO_COLUMN, NO_COLUMN};

static void cholesky(real l[N_MAX][N_MAX], int n, real phi) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            real sum = powl(phi, (real)(i - j));
            if (phi == 0) sum = i == j;
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrtl(sum) : sum / l[j][j];
        }
}

static void forward(real l[N_MAX][N_MAX], int n, real *v) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            v[i] -= l[i][k] * v[k];
        v[i] /= l[i][i];
    }
}

static real dot(const real *a, const real *b, int n) {
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Log-likelihood at its greatest over mean and scatter, but for a constant; and the coefficient of the column. */
static real likelihood(const double *x, int n, real phi, struct mean m, real *coef) {
    static real l[N_MAX][N_MAX];
    real one[N_MAX], column[N_MAX], y[N_MAX], det = 0;
    cholesky(l, n, phi);
    for (int t = 0; t < n; t++) {
        det += 2 * logl(l[t][t]);
        one[t] = 1;
        column[t] = m.bend != NO_COLUMN ? (t < m.bend ? t : m.bend) : t >= m.at;
        y[t] = x[t];
    }
    forward(l, n, one);
    forward(l, n, column);
    forward(l, n, y);
    real a = dot(one, one, n), b = dot(one, column, n), c = dot(column, column, n), p = dot(one, y, n),
         q = dot(column, y, n);
    bool two = m.bend != NO_COLUMN || m.at != NO_COLUMN;
    real base = two ? (c * p - b * q) / (a * c - b * b) : p / a;
    *coef = two ? (a * q - b * p) / (a * c - b * b) : 0;
    real squares = 0;
    for (int t = 0; t < n; t++) {
        real e = y[t] - base * one[t] - *coef * column[t];
        squares += e * e;
    }
    return -(real)n / 2 * logl(squares) - det / 2;
}

/* Twice the log of the mean likelihood over phi, and the coefficient in the mean. */
static real told(const double *x, int n, struct mean m, real *coef) {
    real log_l[20], each[20], most = -INFINITY, sum = 0;
    for (int i = 0; i < 20; i++) {
        log_l[i] = likelihood(x, n, i / 20.L, m, &each[i]);
        most = fmaxl(most, log_l[i]);
    }
    *coef = 0;
    for (int i = 0; i < 20; i++) {
        sum += expl(log_l[i] - most);
        *coef += expl(log_l[i] - most) * each[i];
    }
    *coef /= sum;
    return 2 * (most + logl(sum));
}

/* ---- series ---- */

static double uniform(void) { return (double)(next() >> 11) / 9007199254740992.; }

static void draw(double *x, int n, double phi, double drift, double jump, int at, double unit) {
    double e = 0;
    for (int t = 0; t < n; t++) {
        double u = -6;
        for (int i = 0; i < 12; i++)
            u += uniform();
        e = t == 0 ? u : phi * e + sqrt(1 - phi * phi) * u;
        x[t] = unit * (50 + e + drift * t / n + (t >= at ? jump : 0));
    }
}

static bool near(double a, real b, double scale) { return fabsl((real)a - b) <= 1e-7L * (real)scale; }

static void against_definition(void) {
    static const double phi[] = {0, .3, .6, .9}, unit[] = {1, 1e6};
    bool good[4] = {true, true, true, true};
    for (int run = 0; run < 24; run++) {
        double x[N_MAX], u = unit[run % 2];
        int n = 8 + (int)(uniform() * (run % 3 ? 20 : N_MAX - 8));
        draw(x, n, phi[run % 4], run % 5 == 0 ? 5 : 0, run % 7 == 0 ? 4 : 0, n / 2, u);
        struct story s = story_of(x, (size_t)n);
        real coef, one = told(x, n, level, &coef), line = told(x, n, (struct mean){n - 1, NO_COLUMN}, &coef);
        good[0] &= near(s.line, line - one, fmax(1, fabs(s.line))) && near(s.change, coef * (n - 1), u);
        real best = -INFINITY, jump = 0;
        int at = 0;
        for (int k = 4; k <= n - 4; k++) {
            real v = told(x, n, (struct mean){NO_COLUMN, k}, &coef);
            if (v > best) best = v, at = k, jump = coef;
        }
        good[1] &= near(s.step, best - one, fmax(1, fabs(s.step))) && near(s.jump, jump, u);
        good[2] &= s.at == (size_t)at;
        best = -INFINITY;
        for (int k = 3; k <= n - 4; k++)
            best = fmaxl(best, told(x, n, (struct mean){k, NO_COLUMN}, &coef));
        good[3] &= near(story_ramp(x, (size_t)n), best - line, 10);
    }
    check(good[0], "line: gain and change are those of the definition", "not near");
    check(good[1], "step: gain and jump are those of the definition", "not near");
    check(good[2], "step: its place is that of the definition", "not near");
    check(good[3], "ramp: gain is that of the definition", "not near");
}

static void shapes(void) {
    double x[40];
    for (int i = 0; i < 40; i++)
        x[i] = 5;
    struct story s = story_of(x, 40);
    check(s.line == 0 && s.change == 0 && s.step == 0 && s.jump == 0, "a constant tells nothing", "not so");
    for (int i = 0; i < 40; i++)
        x[i] = 5 + .25 * i;
    s = story_of(x, 40);
    check(s.line > 1000 && fabs(s.change - 9.75) < 1e-9 && story_ramp(x, 40) <= 0, "an exact line, and no ramp",
          "not so");
    for (int i = 0; i < 40; i++)
        x[i] = i < 30 ? 5 : 6;
    s = story_of(x, 40);
    check(s.step > 1000 && s.at == 30 && fabs(s.jump - 1) < 1e-9, "an exact step", "not so");
    for (int i = 0; i < 40; i++)
        x[i] = i < 12 ? 3 + i / 6. : 5 + .01 * (i % 3);
    check(story_ramp(x, 40) > 50, "a ramp that ends", "not so");
    s = story_of(x, STORY_MIN_N - 1);
    check(s.line == 0 && s.step == 0 && story_ramp(x, STORY_MIN_N - 1) == 0, "seven passes tell nothing", "not so");
}

int main(void) {
    against_definition();
    shapes();
    return failures > 0;
}
