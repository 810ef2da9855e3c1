# inference-perf: inference-perf per_request_lifecycle_metrics.json
#
# An array, a request each.  Seconds, monotonic.  Older files keep the response's tokens and times right under info.
# output_token_times has a stamp per token; tokens of one chunk share it; a reply without stamps came whole.
# What an adapter may put out is in steadytools-adapter(5).

need(type == "array")
| to_entries[]
| .key as $i | .value
| need(has("start_time") and has("info"))
| (.info.response_metrics // .info) as $r
| (.request // "{}" | fromjson? // {}) as $body
| {
    request: "\($i)",
    issued_ns: {s: .start_time},
    done_ns: {s: .end_time},
    tokens_at_ns: {s: $r.output_token_times},
    whole: (($r.output_token_times // []) == []),
    input_tokens: .info.input_tokens,
    output_tokens: ($r.server_usage.completion_tokens? // $r.output_tokens),
    model: $body.model?,
    prompt: ($body.prompt? // $body.messages?),
    error: (if .error then {type: .error.error_type, message: .error.error_msg} else null end)
  }
