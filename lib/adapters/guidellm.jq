# guidellm: GuideLLM benchmarks.json (0.4 to 0.7)
#
# One document, several benchmarks: a run each.  Epoch seconds as decimals.  targeted_start is an intended start only
# where the schedule did not wait for answers; else it is the benchmark's start, the same for all.  A request cut by the
# end of the benchmark has no terminal event.  --sample-requests keeps only some records: the totals tell.
# What an adapter may put out is in steadytools-adapter(5).

.benchmarks[]
| .config.strategy as $strategy
| ($strategy.type_ | . == "constant" or . == "poisson" or . == "async") as $open
| .requests as $kept | .metrics.request_totals as $made
| (if $made then all("successful", "errored", "incomplete"; ($kept[.] | length) == $made[.]) else null end) as $whole
| {"#run": {
    name: ($strategy.type_ + if $strategy.rate then "@\($strategy.rate)" else "" end),
    strategy: $strategy.type_,
    target_rps: (if $open then $strategy.rate | if . then num else null end else null end),
    offered_complete: ($whole // if $whole == null then "unknown" else false end),
    partial: ($whole == false)
  }},
  ( ("successful", "errored", "incomplete") as $kind
    | $kept[$kind][]?
    | .info.timings as $t
    | {
        request: .request_id,
        intended_ns: (if $open then {s: $t.targeted_start} else null end),
        issued_ns: {s: $t.request_start},
        first_ns: {s: ($t.first_token_iteration // $t.first_iteration)},
        last_ns: {s: ($t.last_token_iteration // $t.last_iteration)},
        chunks: ($t.token_iterations // $t.iterations | nonzero),
        input_tokens: (.input_metrics.total_tokens // .prompt_tokens),
        output_tokens: (.output_metrics.total_tokens // .output_tokens)
      }
      + if $kind == "incomplete" then {outcome: "unfinished"}
        else {done_ns: {s: ($t.request_end // $t.resolve_end)}} end
      + if $kind == "errored" then {error: {message: .info.error}} else {} end
  )
