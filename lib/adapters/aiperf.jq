# aiperf: AIPerf profile_export.jsonl
#
# One line per request, not in time order.  Epoch ns.  Older files call the send timestamp_ns, the phase credit_phase and
# the first-token metric ttft; defaults are left out.  The credit is issued when the schedule says so: the intended start.
# conversation is x_correlation_id, one conversation played once; conversation_id names the template it was drawn from,
# which single-turn runs use many times over.
# What an adapter may put out is in steadytools-adapter(5).

def span: if . == null then null else {(.unit): (.value | nonzero)} end;

need(has("metadata") and has("metrics"))
| .metadata as $m | .metrics as $v
| ($m.request_start_ns // $m.timestamp_ns) as $start
| ($m.benchmark_phase // $m.credit_phase) as $phase
| {
    request: $m.x_request_id,
    tracked: ($phase != "warmup"),
    intended_ns: $m.credit_issued_ns,
    issued_ns: $start,
    first_ns: [$start, ($v.time_to_first_token // $v.ttft | span)],
    answer_first_ns: [$start, ($v.time_to_first_output_token | span)],
    done_ns: ($m.request_end_ns // $m.cancellation_time_ns // [$start, ($v.request_latency | span)]),
    gaps_ns: (if $v.inter_chunk_latency then $v.inter_chunk_latency | {(.unit): .value} else null end),
    input_tokens: ($v.input_sequence_length // $v.error_isl | .value?),
    output_tokens: ($v.output_sequence_length // $v.output_token_count | .value?),
    conversation: $m.x_correlation_id,
    turn: (if $m.turn_index == null then null else $m.turn_index + 1 end),
    worker: $m.worker_id,
    error: .error
  }
| if $m.was_cancelled == true then .outcome = "cancelled" else . end
