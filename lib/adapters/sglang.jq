# sglang: SGLang bench_serving `--output-details`
#
# A line per run, arrays by request.  Spans only, in seconds: no start times, so the order of the file is all there is.
# What an adapter may put out is in steadytools-adapter(5).

# "inf" is no rate.
def rate: if type == "string" then (if test("^[0-9]") then tonumber else null end) else . end;

if (.output_lens | type) != "array" or (.ttfts | type) != "array"
then {"#error": "no per-request results: bench_serving writes them with --output-details"}
else
  {"#run": {
    name: (.tag // .dataset_name),
    target_rps: (.request_rate | rate),
    offered_complete: true
  }},
  ( range(.output_lens | length) as $i
    | {s: (.ttfts[$i] | nonzero)} as $ttft
    | .itls[$i]? as $gaps
    | (.errors[$i]? // "") as $error
    | {
        request: "\($i)",
        input_tokens: .input_lens[$i]?
      }
      + if $error == "" and $ttft.s != null
        then {ttft_ns: $ttft, e2e_ns: [$ttft, ($gaps // [] | .[] | {s: .})], gaps_ns: {s: $gaps}, output_tokens: .output_lens[$i]}
        else {ttft_ns: $ttft, error: {message: $error}} end
  )
end
