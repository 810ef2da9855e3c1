# loadgen: MLPerf LoadGen mlperf_log_trace.json
#
# A Chrome trace.  ts is the scheduled start in microseconds, the arguments are ns after it.  First-token events name no
# sample, so there is no TTFT.  A sample is written when it completes: a run that was killed lacks its last line and what
# was still open.  Whether it succeeded is not said.
# What an adapter may put out is in steadytools-adapter(5).

(any(.traceEvents[]; .name == "LastTrace")) as $whole
| {"#run": {offered_complete: $whole, outcomes_logged: false}},
  ( .traceEvents[]
    | select(.name == "Sample" and .args != null)
    | {
        request: "\(.args.sample_seq)",
        intended_ns: {us: .ts},
        issued_ns: [{us: .ts}, .args.issue_start_ns],
        done_ns: [{us: .ts}, (.args.complete_ns | nonzero)]
      }
  )
