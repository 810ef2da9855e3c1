#include "quantile.h"

#include <math.h>
#include <string.h>

#define BUCKETS 4096
#define SAMPLE 1024
#define GATHER 32768 /* values finished on the stack */

size_t quantile_rank(size_t n, unsigned num, unsigned den) { return (size_t)((unsigned __int128)(n - 1) * num / den); }

size_t quantile_rank_nearest(size_t n, unsigned num, unsigned den) {
    size_t rank = (size_t)(((unsigned __int128)n * num + den - 1) / den);
    return rank ? rank - 1 : 0;
}

/* An integer that sorts as the double does.  Adding 0 makes -0 and 0 one value. */
static inline uint64_t key_of(double x) {
    uint64_t u;
    x += 0.0;
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

static double value_of(uint64_t key) {
    double x;
    key = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* Hoare's select (1961) with a median-of-three pivot; v is reordered. */
static uint64_t select_small(uint64_t *v, size_t n, size_t rank) {
    size_t lo = 0, hi = n - 1;
    while (lo < hi) {
        uint64_t a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi];
        uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = lo, j = hi;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j) break;
            uint64_t t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (i == j && v[i] == pivot) {
            if (rank == i) return pivot;
            if (rank < i)
                hi = i - 1;
            else
                lo = i + 1;
        } else if (rank <= j) {
            hi = j;
        } else {
            lo = j + 1;
        }
    }
    return v[lo];
}

/* Keys are counted in equal buckets between two bounds and on either side of them, and the bucket that holds the rank
 * is taken apart next, until what it holds fits on the stack.  The first bounds are those of a sample: wrong ones cost
 * a round, good ones leave one reading of x to count and one to gather. */
double quantile_select(const double *x, size_t n, size_t rank) {
    uint64_t kept[GATHER + 1], lo = 0, hi = UINT64_MAX; /* the answer lies in [lo, hi] */
    size_t under = 0, within = n; /* keys < lo, keys in [lo, hi] */
    uint64_t from = UINT64_MAX, to = 0;
    for (size_t i = 0; i < n && n > GATHER; i += n / SAMPLE) {
        uint64_t key = key_of(x[i]);
        from = key < from ? key : from;
        to = key > to ? key : to;
    }
    while (within > GATHER) {
        uint32_t count[BUCKETS + 2] = {0}; /* 16 KiB: stays in the nearest cache */
        size_t bucket = 0;
        unsigned shift = 0;
        while ((to - from) >> shift >= BUCKETS)
            shift++;
        for (size_t i = 0; i < n; i++) {
            uint64_t key = key_of(x[i]), at = (key - from) >> shift;
            count[key < from ? 0 : at < BUCKETS ? at + 1 : BUCKETS + 1]++;
        }
        for (under = 0; rank >= under + count[bucket]; bucket++)
            under += count[bucket];
        within = count[bucket];
        if (bucket == 0) {
            hi = from - 1;
        } else {
            lo = from + ((uint64_t)(bucket - 1) << shift);
            if (bucket <= BUCKETS) hi = lo + ((UINT64_C(1) << shift) - 1);
        }
        if (lo == hi) return value_of(lo);
        from = lo;
        to = hi;
    }
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        kept[m] = key_of(x[i]); /* written always and kept only if it fits: no branch to mispredict */
        m += kept[m] - lo <= hi - lo;
    }
    return value_of(select_small(kept, m, rank - under));
}

double quantile_floor(const double *x, size_t n, unsigned num, unsigned den) {
    return n ? quantile_select(x, n, quantile_rank(n, num, den)) : NAN;
}

double quantile_nearest(const double *x, size_t n, unsigned num, unsigned den) {
    return n ? quantile_select(x, n, quantile_rank_nearest(n, num, den)) : NAN;
}

double quantile_median(const double *x, size_t n) {
    if (n == 0) return NAN;
    double upper = quantile_select(x, n, n / 2);
    return n % 2 ? upper : (quantile_select(x, n, n / 2 - 1) + upper) / 2;
}

double quantile_mad(const double *x, size_t n, double centre, double *work) {
    for (size_t i = 0; i < n; i++)
        work[i] = fabs(x[i] - centre);
    return quantile_median(work, n);
}

struct quantile_moments quantile_moments(const double *x, size_t n) {
    struct quantile_moments m = {0};
    for (size_t i = 0; i < n; i++)
        quantile_moments_add(&m, x[i]);
    return m;
}

double quantile_sd(const struct quantile_moments *m) { return m->n ? sqrt(m->m2 / (double)m->n) : NAN; }

double quantile_cov(const struct quantile_moments *m) {
    return m->n < 2 || m->mean == 0 ? NAN : quantile_sd(m) / fabs(m->mean);
}

/* How many of the n values, sorted upwards, are below x. */
static size_t rank_of(const double *sorted, size_t n, double x) {
    size_t lo = 0;
    for (size_t hi = n; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;
        if (sorted[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Between two values of a its distribution stands still while the other one rises, so that they are furthest apart at a value
 * of a or just below it: where b stands among the values of a is all that is needed of it. */
double quantile_ks(const double *a, size_t na, const double *b, size_t nb, size_t *work) {
    if (na == 0 || nb == 0) return NAN;
    size_t *below = work, *at = work + na + 1; /* values of b: below a[i] but not a[i - 1]; equal to a[i] */
    memset(work, 0, (2 * na + 1) * sizeof *work);
    for (size_t k = 0; k < nb; k++) {
        size_t i = rank_of(a, na, b[k]);
        int equal = i < na && a[i] == b[k];
        ++(equal ? at : below)[i];
    }
    double most = 0;
    size_t passed = 0; /* of b */
    for (size_t i = 0, next; i < na; i = next) {
        for (next = i + 1; next < na && a[next] == a[i];)
            next++;
        passed += below[i];
        most = fmax(most, fabs((double)i / (double)na - (double)passed / (double)nb));
        passed += at[i];
        most = fmax(most, fabs((double)next / (double)na - (double)passed / (double)nb));
    }
    return most;
}

double quantile_edge(int i) { return pow(10, (double)i / QUANTILE_BINS_PER_DECADE); }

/* The logarithm finds the bin, the edges decide: a value on an edge belongs above it whatever log10 rounds to. */
static int bin_of(double x) {
    double at = floor(log10(x) * QUANTILE_BINS_PER_DECADE);
    int i = at < QUANTILE_BIN_MIN ? QUANTILE_BIN_MIN : (int)fmin(at, QUANTILE_BIN_MIN + QUANTILE_BINS - 1);
    if (x < quantile_edge(i))
        i--;
    else if (x >= quantile_edge(i + 1))
        i++;
    if (i < QUANTILE_BIN_MIN) return QUANTILE_BIN_MIN;
    return i < QUANTILE_BIN_MIN + QUANTILE_BINS ? i : QUANTILE_BIN_MIN + QUANTILE_BINS - 1;
}

void quantile_histogram(struct quantile_histogram *h, const double *x, size_t n) {
    memset(h, 0, sizeof *h);
    for (size_t i = 0; i < n; i++) {
        if (x[i] <= 0) {
            h->zero++;
            continue;
        }
        int bin = bin_of(x[i]);
        if (h->lo == h->hi) {
            h->lo = bin;
            h->hi = bin + 1;
        }
        if (bin < h->lo) h->lo = bin;
        if (bin >= h->hi) h->hi = bin + 1;
        h->count[bin - QUANTILE_BIN_MIN]++;
    }
}
