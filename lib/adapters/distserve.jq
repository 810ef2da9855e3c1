# distserve: DistServe .exp
#
# An array, a request each.  Seconds, monotonic, with a stamp for every token.  Whether it succeeded is not said.
# What an adapter may put out is in steadytools-adapter(5).

need(type == "array")
| {"#run": {outcomes_logged: false}},
  ( to_entries[]
    | .key as $i | .value
    | need(has("token_timestamps"))
    | {
        request: "\($i)",
        issued_ns: {s: .start_time},
        done_ns: {s: (.end_time | nonzero)},
        tokens_at_ns: {s: .token_timestamps},
        input_tokens: .prompt_len,
        output_tokens: .output_len
      }
  )
