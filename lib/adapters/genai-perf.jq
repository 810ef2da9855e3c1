# genai-perf: GenAI-Perf / Perf Analyzer profile_export.json
#
# One document, an experiment is a run.  Epoch ns.  Responses are the text of server-sent events as it came off the wire:
# an entry can hold several events or half of one, and events that only name the role, or [DONE], carry a time but no
# token.  An event arrives with the entry that completes it.  No response at all is the only sign of a failure.
# What an adapter may put out is in steadytools-adapter(5).

# The responses of a request as [{at, event}]; event is null where the text is not JSON.
def events:
  [[.response_timestamps[]], [.response_outputs[] | .response // ""]] | transpose
  | if any(.[]; .[1] | contains("data:")) then
      reduce .[] as [$at, $text] ({open: "", done: []};
        (.open + ($text | gsub("\r"; "")) | split("\n\n")) as $parts
        | {open: ($parts[-1] // ""), done: (.done + [$parts[:-1][] | [$at, .]]), $at})
      | .done + [[.at, .open]]
      | map({at: .[0], event: (.[1] | split("\n") | map(select(startswith("data:")) | .[5:]) | join("\n"))})
    else map({at: .[0], event: .[1]}) end
  | map({at, event: (.event | fromjson? // null)} | select(.event | type == "object"));

def choice: .event.choices[0]? // {};

def has_token:
  (choice | .delta // .), .event
  | .content, .text, .reasoning_content, .reasoning, .tool_calls, .text_output
  | . != null and . != "" and . != [];

.experiments[]
| .experiment as $how
| {"#run": {
    name: "\($how.mode // "run")@\($how.value // "")",
    target_rps: (if $how.mode == "request_rate" then $how.value else null end)
  }},
  ( .requests | to_entries[]
    | .key as $i | .value
    | (.request_inputs.payload? // "{}" | fromjson? // {}) as $body
    | events as $events
    | ([$events[].event.usage | objects] | last) as $usage
    | {
        request: "\($i)",
        issued_ns: .timestamp,
        deliveries_ns: ([$events[] | select(any(has_token; .)) | .at] | unique),
        done_ns: .response_timestamps[-1],
        input_tokens: $usage.prompt_tokens,
        output_tokens: $usage.completion_tokens,
        finish_reason: ([$events[] | choice.finish_reason | strings] | last),
        whole: any($events[]; choice.message != null),
        tool_calls: any($events[]; choice | .delta // . | .tool_calls // [] | . != []),
        model: $body.model,
        prompt: ($body.prompt // $body.messages)
      }
      + if (.response_timestamps | length) == 0 then {outcome: "error"} else {} end
  )
