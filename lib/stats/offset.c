#include "offset.h"

#include "num.h"

void offset_init(struct offset *o) { *o = (struct offset){.lo_ns = INT_NONE, .hi_ns = INT_NONE}; }

/* received_there + offset >= sent_here */
bool offset_forth(struct offset *o, int64_t sent_here, int64_t received_there, size_t number) {
    int64_t lo = num_span(received_there, sent_here);
    if (!int_known(lo)) return false;
    if (!int_known(o->lo_ns) || lo > o->lo_ns) {
        o->lo_ns = lo;
        o->lo_from = number;
    }
    return true;
}

/* sent_there + offset <= received_here */
bool offset_back(struct offset *o, int64_t sent_there, int64_t received_here, size_t number) {
    int64_t hi = num_span(sent_there, received_here);
    if (!int_known(hi)) return false;
    if (!int_known(o->hi_ns) || hi < o->hi_ns) {
        o->hi_ns = hi;
        o->hi_from = number;
    }
    return true;
}

static bool bounded(const struct offset *o) { return int_known(o->lo_ns) && int_known(o->hi_ns); }

bool offset_crossed(const struct offset *o) { return bounded(o) && o->lo_ns > o->hi_ns; }

int64_t offset_estimate(const struct offset *o) {
    if (!bounded(o) || offset_crossed(o)) return INT_NONE;
    return (int64_t)(((__int128)o->lo_ns + o->hi_ns) >> 1);
}

int64_t offset_error(const struct offset *o, int64_t ns) {
    if (!bounded(o) || offset_crossed(o)) return INT_NONE;
    int64_t down = num_span(o->lo_ns, ns), up = num_span(ns, o->hi_ns);
    if (!int_known(down) || !int_known(up)) return INT_NONE;
    return down > up ? down : up;
}
