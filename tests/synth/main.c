/* synth: write the event log of a simulated benchmark, and what was planted in it. */

#include "die.h"
#include "out.h"
#include "synth.h"

#define WARMUP_NS 10000000 /* from session start to the start of tracking, and more for each warm-up request */

int main(int argc, char **argv) {
    static struct options o;
    static struct plan plan;
    static struct truth truth;
    struct counts counts;
    die_init("synth");
    options_parse(&o, argc, argv);
    if (o.worked) {
        worked_write(o.worked);
        out_close();
        return 0;
    }
    text_init(o.escapes);
    emit_init(&o);
    sim_init(&o, &plan, &truth);
    plan_init(&plan, &o);

    int64_t start = sim_stamp(0) - WARMUP_NS - o.warmup * 20000;
    emit_session("session.started", start);
    emit_warmup(o.warmup, start + 1000000);
    emit_session("session.start_performance_tracking", sim_stamp(-100000));
    sim_run();
    if (!o.no_end) {
        emit_session("session.stop_performance_tracking", sim_stamp(truth.end + 1e6));
        emit_session("session.ended", sim_stamp(truth.end + 2e6));
    }
    emit_end(&counts);
    out_close();
    if (o.truth) truth_write(&o, &plan, &truth, &counts);
    return 0;
}
