/* frontier: acceptance over a grid of two targets.  Layer 8.
 *
 * The whole contract stands, but for the two targets on the axes, which take every pair of the values given.  Each
 * request is placed on the grid when its row is read, by the exact rules of score; then the cells are running sums.  A
 * struct frontier owns its limits; documents follow jansson's reference rules. */
#ifndef FRONTIER_H
#define FRONTIER_H

#include "tally.h"

#define FRONTIER_MAX 100 /* values of an axis */

struct frontier {
    struct frontier_axis {
        enum target metric;
        unsigned n;
        double ms[FRONTIER_MAX];
        struct limit limit[FRONTIER_MAX];
    } axis[2];
};

/* "ttft:200,400,800/tpot:20,30,50": two metrics, each with rising values in ms.  Anything else dies. */
void frontier_parse(struct frontier *g, const char *text);

/* A list with an object per pair, the first metric outermost: {"ttft_ms","tpot_ms","accepted","acceptance",
 * "goodput_rps"}; goodput over duration_s, null when that is NAN.  New reference. */
json_t *frontier_json(const struct frontier *g, const struct fact *const *f, size_t n, int64_t cutoff_ns,
                      double duration_s);

#endif
