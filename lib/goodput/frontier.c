#include "frontier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "num.h"

/* "ttft:200,400" of n bytes. */
static void parse_axis(struct frontier_axis *a, const char *s, size_t n) {
    const char *end = s + n, *colon = memchr(s, ':', n);
    int t = colon ? target_find(s, (size_t)(colon - s)) : -1;
    if (t < 0) die("--frontier: '%.*s' does not begin with ttft:, tpot:, gap: or e2e:", (int)n, s);
    a->metric = (enum target)t;
    a->n = 0;
    for (const char *p = colon + 1; p <= end; a->n++) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        size_t len = (size_t)((comma ? comma : end) - p);
        double ms = NAN;
        if (a->n == FRONTIER_MAX) die("--frontier: more than %d values of %s", FRONTIER_MAX, target_name[t]);
        if (!num_real(p, len, &ms) || limit_set(&a->limit[a->n], ms) || (a->n > 0 && ms <= a->ms[a->n - 1]))
            die("--frontier: '%.*s': values are rising numbers of ms", (int)n, s);
        a->ms[a->n] = ms;
        p += len + 1;
    }
}

void frontier_parse(struct frontier *g, const char *text) {
    const char *slash = strchr(text, '/');
    if (!slash) die("--frontier: '%s' is not METRIC:MS,.../METRIC:MS,...", text);
    parse_axis(&g->axis[0], text, (size_t)(slash - text));
    parse_axis(&g->axis[1], slash + 1, strlen(slash + 1));
    if (g->axis[0].metric == g->axis[1].metric) die("--frontier: '%s': two metrics are wanted", text);
}

json_t *frontier_json(const struct frontier *g, const struct fact *const *f, size_t n, int64_t cutoff_ns,
                      double duration_s) {
    const struct frontier_axis *x = &g->axis[0], *y = &g->axis[1];
    unsigned axes = MISS_BIT(x->metric) | MISS_BIT(y->metric);
    axes |= axes << MISS_UNOBSERVED;
    int64_t *meets = xcalloc((size_t)x->n * y->n, sizeof *meets);
    for (size_t i = 0; i < n; i++) {
        bool rest = fact_outcome(f[i], cutoff_ns) == OUT_COMPLETED && !(f[i]->misses & ~axes);
        if (rest && f[i]->rank[0] < x->n && f[i]->rank[1] < y->n) meets[f[i]->rank[0] * y->n + f[i]->rank[1]]++;
    }
    char key[2][16];
    for (size_t a = 0; a < 2; a++)
        snprintf(key[a], sizeof key[a], "%s_ms", target_name[g->axis[a].metric]);
    json_t *list = json_array();
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < y->n; k++) {
            int64_t *at = &meets[i * y->n + k]; /* from "first met here" to "met by here" */
            *at += (i ? at[-(ptrdiff_t)y->n] : 0) + (k ? at[-1] : 0) - (i && k ? at[-(ptrdiff_t)y->n - 1] : 0);
            json_t *j = json_object();
            doc_set_real(j, key[0], x->ms[i]);
            doc_set_real(j, key[1], y->ms[k]);
            doc_set_int(j, "accepted", *at);
            doc_set_real(j, "acceptance", n ? (double)*at / (double)n : NAN);
            doc_set_real(j, "goodput_rps", duration_s > 0 ? (double)*at / duration_s : NAN);
            json_array_append_new(list, j);
        }
    free(meets);
    return list;
}
