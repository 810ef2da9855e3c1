# vllm: vLLM `bench serve --save-result --save-detailed`
#
# An object per run, arrays by request.  Seconds, monotonic; older files have no start_times (then there are spans only)
# and no latencies (then TTFT and the gaps add up to it).  A failed request may have an empty error: what tells is a first
# token and no error text.  queue_times is the client's own wait; where requests are sent as fast as a limit of concurrency
# lets them, that is the schedule waiting for answers and no intended start.
# What an adapter may put out is in steadytools-adapter(5).

# "inf" is no rate.
def rate: if type == "string" then (if test("^[0-9]") then tonumber else null end) else . end;

if (.output_lens | type) != "array" then {"#error": "no per-request results: bench serve writes them with --save-detailed"}
else
  (.request_rate | rate) as $rate
  | {"#run": {
      name: (.label // .date),
      target_rps: $rate,
      offered_complete: true
    }},
    ( range(.output_lens | length) as $i
      | (.start_times[$i]? | nonzero | if . then {s: .} else null end) as $start
      | {s: (.ttfts[$i]? | nonzero)} as $ttft
      | .itls[$i]? as $gaps
      | (.errors[$i]? // "") as $error
      | ($error == "" and $ttft.s != null) as $ok
      | (if .latencies then {s: (.latencies[$i] | nonzero)}
         elif $ok then [$ttft, ($gaps // [] | .[] | {s: .})]
         else null end) as $latency
      | {
          request: "\($i)",
          input_tokens: .input_lens[$i],
          model: .model_id
        }
        + if $start == null then {ttft_ns: $ttft, e2e_ns: $latency}
          else {issued_ns: $start, first_ns: [$start, $ttft], done_ns: [$start, $latency]} end
        + if $start != null and $rate != null and .queue_times
          then {intended_ns: [$start, {"-s": .queue_times[$i]}]} else {} end
        + if $ok then {output_tokens: .output_lens[$i], gaps_ns: {s: $gaps}}
          else {error: {message: $error}} end
    )
end
