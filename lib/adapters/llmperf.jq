# llmperf: LLMPerf individual_responses.json
#
# An array of objects, with bare strings between them at times.  Spans only, in seconds.  A failure has a code; code -100
# says that the reply was shorter than asked for, with full timings: completed, but a quality failure.  Failed rows carry
# junk token counts.  inter_token_latency_s is E2E per token in most files and not read.
# What an adapter may put out is in steadytools-adapter(5).

need(type == "array")
| to_entries[]
| .key as $i | .value
| select(type == "object")
| need(has("error_code"))
| .error_code as $code
| {
    request: "\($i)",
    ttft_ns: {s: (.ttft_s | nonzero)},
    e2e_ns: {s: (.end_to_end_latency_s | nonzero)},
    input_tokens: .number_input_tokens
  }
  + if $code == null or $code == -100
    then {output_tokens: .number_output_tokens, quality: (if $code == -100 then "fail" else null end)}
    else {error: {type: "\($code)", code: $code, message: .error_msg}} end
