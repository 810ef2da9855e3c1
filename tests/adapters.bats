#!/usr/bin/env bats
# ev2ledger on other harnesses' files: what the small files of tests/cases/adapters do not show.

load lib

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

# rows FILE...: the rows of a ledger, without header and trailer, by `jq`
rows() { jq -c 'select(has("request"))' "$@"; }
facts() { jq -c 'select(has("#end"))["#end"].run' "$@"; }
ledger() { ev2ledger -q -o ndjson "$@"; }

# near A B REL: whether A and B agree to within a relative error
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(d <= e * b) }'; }

@test "every harness of the manual has an adapter and says what it reads" {
    run ev2ledger --list-formats
    [ "$status" = 0 ]
    for name in vllm sglang aiperf genai-perf guidellm inference-perf llmperf loadgen distserve; do
        grep -q "^$name"$'\t'"." <<<"$output"
    done
}

@test "a file is told by its content, through a pipe as well" {
    need_shared formats
    while read -r file format; do
        run --separate-stderr ev2ledger -o ndjson "$SHARED/formats/$file"
        [ "$status" = 0 ]
        [[ $stderr == *"$format"* ]]
        [ "$(facts <<<"$output" | jq -r .format)" = "$format" ]
        piped=$(ev2ledger -q -o ndjson <"$SHARED/formats/$file")
        [ "$(rows <<<"$output")" = "$(rows <<<"$piped")" ]
        piped=$(cat "$SHARED/formats/$file" | ev2ledger -q -o ndjson -)
        [ "$(rows <<<"$output")" = "$(rows <<<"$piped")" ]
    done <<'END'
aiperf_profile_export.jsonl aiperf
distserve.exp distserve
genai_perf_profile_export.json genai-perf
guidellm_benchmarks.json guidellm
inference_perf_per_request_lifecycle_metrics.json inference-perf
llmperf_individual_responses.json llmperf
mlperf_log_trace.json loadgen
sglang_bench_serving.jsonl sglang
vllm_bench_detailed.json vllm
END
}

@test "files without requests in them are refused by name" {
    need_shared formats
    run --separate-stderr ev2ledger "$SHARED/formats/genai_bench_run.json"
    [ "$status" = 2 ]
    [ -z "$output" ]
    [[ $stderr == *genai-bench* ]]
    run --separate-stderr ev2ledger "$SHARED/formats/mlperf_log_detail.txt"
    [ "$status" = 2 ]
    [ -z "$output" ]
    [[ $stderr == *mlperf_log_trace.json* ]]
}

@test "a file given to another harness's adapter is refused" {
    for f in "$ROOT"/tests/cases/adapters/*/in.*; do
        own=$(basename "$(dirname "$f")")
        for name in aiperf distserve genai-perf guidellm inference-perf llmperf loadgen; do
            [ "${own%_*}" = "$name" ] && continue
            run --separate-stderr ev2ledger -f "$name" --run all "$f"
            [ "$status" = 2 ] || { echo "$name took $f"; false; }
        done
    done
}

@test "AIPerf, 100 recorded requests: the tool's own mean TTFT" {
    need_shared data/aiperf_100req.profile_export.jsonl
    ledger "$SHARED/data/aiperf_100req.profile_export.jsonl" >a
    [ "$(rows a | jq -r .outcome | sort | uniq -c | xargs)" = "11 cancelled 89 completed" ]
    near "$(rows a | jq -s '[.[].ttft_ns | values] | add / length / 1e6')" 2343.219436988764 1e-9
    # times of day as in the file, lines in the order of time
    rows a | jq -se 'map(.issued_ns) | . == sort and .[0] > 1759522419000000000'
    rows a | jq -se 'map(.seq) == [range(100)]'
    # the order of the lines does not matter
    shuf --random-source=<(yes) "$SHARED/data/aiperf_100req.profile_export.jsonl" | ledger >b
    cmp a b
}

@test "GuideLLM, five recorded benchmarks: latencies of every request as in the file" {
    need_shared data/guidellm_prefill_llama7b.json
    f=$SHARED/data/guidellm_prefill_llama7b.json
    run --separate-stderr ev2ledger "$f"
    [ "$status" = 2 ]
    [ -z "$output" ]
    [[ $stderr == *"--run N"* && $stderr == *"--run all"* && $stderr == *--list-runs* ]]
    [ "$(ev2ledger -q --list-runs "$f" | wc -l)" = 5 ]
    run ev2ledger -q --run 6 "$f"
    [ "$status" = 2 ]
    for k in 1 2 3 4 5; do
        ledger --run $k "$f" >run
        python3 - "$f" run $k <<'END'
import json, sys
own = json.load(open(sys.argv[1]))["benchmarks"][int(sys.argv[3]) - 1]
rows = {r["request"]: r for r in map(json.loads, open(sys.argv[2])) if "request" in r}
scheduled = own["config"]["strategy"]["type_"] == "constant"
done = own["requests"]["successful"]
assert len(rows) == 40 and len(done) == sum(r["outcome"] == "completed" for r in rows.values())
for o in done:
    r = rows[o["request_id"]]
    t = o["info"]["timings"]
    near = lambda span, want: abs(span - want) <= 1e-6 * want + 500  # ns: what a float of epoch seconds resolves
    assert near(r["first_ns"] - r["issued_ns"], o["time_to_first_token_ms"] * 1e6)
    assert near(r["done_ns"] - r["issued_ns"], o["request_latency"] * 1e9)
    start = t["targeted_start"] if scheduled else t["request_start"]
    assert (r["intended_ns"] is not None) == scheduled
    assert near(r["ttft_ns"], (t["first_token_iteration"] - start) * 1e9)
    assert near(r["e2e_ns"], (t["request_end"] - start) * 1e9)
    assert (r["input_tokens"], r["output_tokens"], r["chunks"]) == (o["prompt_tokens"], o["output_tokens"], t["token_iterations"])
END
        facts run | jq -e '.offered_complete == true and (has("partial") | not)'
    done
    ledger --run all "$f" >all
    [ "$(rows all | jq -r .outcome | sort | uniq -c | xargs)" = "197 completed 3 error" ]
    [ "$(rows all | jq -r .run | uniq -c | xargs)" = "40 1 40 2 40 3 40 4 40 5" ]
    # the first benchmark's targeted_start is its own start, up to 38.9 s before a request: no latency runs from there
    rows all | jq -se 'map(select(.run == "1").ttft_ns) | max < 2e9'
}

@test "GuideLLM seconds become nanoseconds digit by digit" {
    need_shared data/guidellm_prefill_llama7b.json
    ev2ledger -q -H --run 1 "$SHARED/data/guidellm_prefill_llama7b.json" >t
    # 1768932686.4886694, 1768932686.8362086 and 1768932688.2675169 in the file
    [ "$(awk -F'\t' 'NR == 2 { print $6, $8, $10 }' t)" = "1768932686488669400 1768932686836208600 1768932688267516900" ]
}

@test "GuideLLM without its records is partial, not empty" {
    need_shared data/guidellm_empty_run.json
    for k in 1 2; do
        ledger --run $k "$SHARED/data/guidellm_empty_run.json" >run
        jq -e 'select(has("#end"))["#end"] | .rows == 0 and .run.partial == true and .run.offered_complete == false' run
    done
}

@test "LLMPerf, two recorded runs: failures are failures, spans are the file's" {
    need_shared data/llmperf_lepton_7b.json
    ledger "$SHARED/data/llmperf_lepton_7b.json" >a
    [ "$(rows a | jq -r .outcome | sort | uniq -c | xargs)" = "20 completed 130 rejected" ]
    rows a | jq -se 'map(select(.outcome != "completed")) | all(.ttft_ns == null and .e2e_ns == null and .output_tokens == null)'
    ledger "$SHARED/data/llmperf_together_70b.json" >b
    [ "$(rows b | jq -r .outcome | sort | uniq -c | xargs)" = "150 completed" ]
    facts b | jq -e '.order == "assumed" and (has("clock") | not)'
    jq -e --slurpfile out <(rows b) -n '
        input as $own | $out | all(.seq == (.request | tonumber)
            and ((.ttft_ns / 1e9 - $own[.seq].ttft_s) | fabs) < 1e-9
            and ((.e2e_ns / 1e9 - $own[.seq].end_to_end_latency_s) | fabs) < 1e-9
            and ((.tpot_ns - (.e2e_ns - .ttft_ns) / (.output_tokens - 1)) | fabs) < 1e-3)' \
        "$SHARED/data/llmperf_together_70b.json"
}

@test "the stages downstream read an adapted ledger" {
    need_shared data/aiperf_100req.profile_export.jsonl
    ev2ledger -q "$SHARED/data/aiperf_100req.profile_export.jsonl" >a.tsv
    ev2ledger -q -o ndjson "$SHARED/data/aiperf_100req.profile_export.jsonl" >a.ndjson
    [ "$(ledger2passes -q -m concurrency -s 10 a.tsv | grep -v '^#' | wc -l)" = 11 ]
    cmp <(ledger2passes -q -m concurrency -s 10 -H a.tsv) <(ledger2passes -q -m concurrency -s 10 -H -o tsv a.ndjson)
}

@test "a bad line is skipped and counted, named without its content; --strict refuses it" {
    f=$ROOT/tests/cases/adapters/aiperf/in.jsonl
    { head -1 "$f"; echo '{"metadata":{"x_request_id":"SECRET",'; echo '["SECRET"]'
      echo '{"metadata":{"x_request_id":"SECRET","request_start_ns":"SECRET"},"metrics":{}}'; tail -n +2 "$f"; } >in
    run --separate-stderr ev2ledger -o ndjson in
    [ "$status" = 0 ]
    [[ $output$stderr != *SECRET* ]]
    [[ $stderr == *"in:2: "* && $stderr == *"in:3: "* && $stderr == *"in:4: "*issued_ns* ]]
    jq -e 'select(has("#end"))["#end"] | .malformed == 3 and .rows == 6' <<<"$output"
    [ "$(rows <<<"$output")" = "$(ledger "$f" | rows)" ]
    run --separate-stderr ev2ledger --strict -f aiperf in
    [ "$status" = 2 ]
    [[ $stderr == *"in:2: "* && $stderr != *SECRET* ]]
}

@test "a document that was cut off is read up to its last whole record and marked" {
    f=$ROOT/tests/cases/adapters/llmperf/in.json
    size=$(stat -c %s "$f")
    for n in $(seq 300 7 $((size - 2))); do
        head -c "$n" "$f" >in
        run --separate-stderr ev2ledger -f llmperf -o ndjson in
        [ "$status" = 0 ]
        [[ $stderr == *"cut off"* ]]
        facts <<<"$output" | jq -e '.partial == true and .truncated == true'
        got=$(rows <<<"$output") all=$(ledger "$f" | rows)
        [ "${all:0:${#got}}" = "$got" ]
    done
    # damage in the middle is not an end
    sed 's/"error_msg"/error_msg/' "$f" >in
    run --separate-stderr ev2ledger -f llmperf in
    [ "$status" = 2 ]
    [[ $stderr == *"in:1: byte "* ]]
    # nothing of it can be saved
    head -c 1 "$ROOT/tests/cases/adapters/vllm/in.json" >in
    run --separate-stderr ev2ledger -f vllm in
    [ "$status" = 2 ]
}

@test "--map: a program of one's own, with exact sums in any unit" {
    cat >my.jq <<'END'
{"#facts": {target_rps: 3}},
(.calls[] | {request: .id, issued_ns: {s: .at}, first_ns: [{s: .at}, {ms: .ttft}], done_ns: [{s: .at}, {us: .took}, {"-ns": 1}],
  output_tokens: .n, error: .problem, model: "a\tb\u007f", tracked: (.id != "warm")})
END
    cat >in <<'END'
{"calls": [{"id": "x", "at": 1759522419.123456789, "ttft": 12.3456785, "took": 5000000, "n": 11},
           {"id": 2, "at": "1759522418", "took": null, "problem": {"type": "Rate Limit", "message": "SECRET"}},
           {"id": "warm", "at": 9007199254.740993, "n": NaN}]}
END
    ledger --map my.jq in >out
    [ "$(rows out | jq -r '[.request, .seq, .outcome, .error_type, .model] | join("|")')" = '2|0|rejected|RateLimit|a\u0009b\u007f
x|1|completed||a\u0009b\u007f
warm||completed||a\u0009b\u007f' ]
    ev2ledger -q -H --map my.jq in | cut -f1,6,8,10,11,12 >out
    grep -qx $'x\t1759522419123456789\t1759522419135802468\t1759522424123456788\t12345679\t498765432' out
    grep -qx $'warm\t9007199254740993000\t\t\t\t' out
    [ "$(ledger --map my.jq in | facts | jq -c '[.target_rps, .tracking, .format]')" = '[3,"logged","my.jq"]' ]
}

@test "--map: what is wrong with a program is said, and what is wrong with a file is not shown" {
    echo '{"id": "SECRET", "t": "SECRET"}' >in
    echo '{request: .id, nonsense: 1}' >my.jq
    run --separate-stderr ev2ledger --map my.jq in
    [ "$status" = 2 ]
    [[ $stderr == *my.jq*nonsense* && $stderr != *SECRET* ]]
    printf '{request:\n' >my.jq
    run --separate-stderr ev2ledger --map my.jq in
    [ "$status" = 2 ]
    [[ $stderr == *my.jq*compile* ]]
    echo '{request: .id, issued_ns: .t}' >my.jq
    run --separate-stderr ev2ledger --map my.jq in
    [ "$status" = 2 ]
    [[ $stderr == *issued_ns* && $stderr != *SECRET* ]]
    for program in 'error(.id)' '.id | halt_error' 'input' '.[0]' '.id' '{"#run": 1}'; do
        echo "$program" >my.jq
        run --separate-stderr ev2ledger --map my.jq in
        [ "$status" = 2 ] && [[ $output$stderr != *SECRET* ]] || { echo "$program: $status $stderr"; false; }
    done
    echo '{"#error": "for another day"}' >my.jq
    run --separate-stderr ev2ledger --map my.jq in
    [ "$status" = 2 ]
    [[ $stderr == *"for another day"* ]]
    echo 'empty' >my.jq
    run --separate-stderr ev2ledger -o ndjson --map my.jq in
    [ "$status" = 0 ]
    jq -e 'select(has("#end"))["#end"].rows == 0' <<<"$output"
    run ev2ledger --map missing.jq in
    [ "$status" = 2 ]
}

@test "--map does not read ~/.jq" {
    echo 'def secret: "from home";' >.jq
    echo '{request: secret}' >my.jq
    echo '{}' >in
    HOME=$PWD run ev2ledger --map my.jq in
    [ "$status" = 2 ]
}

@test "requests of one name, or none, are told apart" {
    echo '.[] | {request: .}' >my.jq
    echo '["a", "a", null, "a", "b"]' >in
    run --separate-stderr ev2ledger -o ndjson --map my.jq in
    [ "$status" = 0 ]
    [ -n "$stderr" ]
    [ "$(rows <<<"$output" | jq -r .request | xargs)" = "a a#2 2 a#3 b" ]
}

@test "--tokens chunks and none" {
    f=$ROOT/tests/cases/adapters/vllm/in.json
    ledger --tokens none "$f" >none
    rows none | jq -se 'all(.output_tokens == null and .tail_tokens == null and .tpot_ns == null)'
    ledger --tokens chunks "$f" >chunks
    rows chunks | jq -se 'map(select(.outcome == "completed")) | all(.output_tokens == .chunks and (.flags | contains("chunk_count")))'
    [ "$(facts none chunks | jq -r .definitions.tokens | xargs)" = "none chunks" ]
}

# type|message|code|outcome
classified() {
    local long accents
    long=$(printf 'x%.0s' $(seq 193))
    accents=$(printf 'é%.0s' $(seq 96))
    cat <<END
|||error
HTTPError|503||rejected
HTTPError|429||rejected
HTTPError|499||cancelled
HTTPError|408||timeout
HTTPError|500||error
503|||rejected
529|||rejected
404|||error
|529 overloaded||rejected
|429: slow down||rejected
|HTTP 503||rejected
|got HTTP/1.1 503 back||rejected
|HTTP/2 503||rejected
|status: 429||rejected
|status_code=429||rejected
|Status Code: 429||rejected
|Error code: 429 - {}||rejected
|Client error '400 Bad Request'||error
|Client error '429 Too Many Requests'||rejected
|code=499||cancelled
|HTTP 408 gone||timeout
|HTTP 500 timeout||error
|HTTPError(503)||rejected
|http503||rejected
|error: (503)||rejected
|error:  ((503)||error
|error-503||rejected
|500ms timeout||timeout
|5000 tokens||error
|503.5 seconds, timed out||timeout
|503. Bye||rejected
|503_x cancelled||cancelled
|error 4290||error
|error1429||error
|error x429||error
|error “503”||rejected
|error “ “503”||error
X|timed out|503|rejected
TimeoutError|x|200|timeout
TimeoutError|x|-100|timeout
TimeoutError|x|0|timeout
X||408|timeout
X||499|cancelled
X||599|error
X|rate limit|400|error
TimeoutError|||timeout
asyncio.TimeoutError|||timeout
Timeout_Error|||timeout
time-out|||timeout
|Request timed out||timeout
|DEADLINE_EXCEEDED||timeout
|deadline exceeded||timeout
RequestCancellationError|||cancelled
Canceled|||cancelled
|client aborted||cancelled
|Client_Abort||cancelled
RateLimitError|||rejected
|rate-limited||rejected
|Too many requests||rejected
|model is overloaded||rejected
|Service Unavailable||rejected
|service_unavailable||rejected
|queue is full||rejected
|QueueFull||rejected
|queue  is  full||rejected
TimeoutError|cancelled||timeout
ServerError|cancelled by timeout||cancelled
429|timeout 408||rejected
ServerError 503|HTTP 408||rejected
timeout|HTTP 503||rejected
ConnectionError|connection reset by peer||error
|abort||error
|${long}timeout||timeout
|$long timeout||error
|$long$long HTTP 503||rejected
|$accents timeout||timeout
|é$accents timeout||error
END
}

@test "errors become outcomes: the rule, and the same rule in jq" {
    echo '{request: "\(.i)", error: {type, message, code}}' >my.jq
    classified | jq -Rnc '[inputs | split("|")] | to_entries[]
        | {i: .key, type: .value[0], message: .value[1], code: (.value[2] | if . == "" then null else tonumber end)}' >in
    classified | sed 's/.*|//' >want
    [ "$(wc -l <want)" -ge 60 ]
    ledger --map my.jq in | rows | jq -r .outcome >native
    diff want native
    ledger --classify "$ROOT/lib/adapters/classify.jq" --map my.jq in | rows | jq -r .outcome >jq
    diff want jq
}

@test "--classify: another rule, and one that answers nonsense" {
    f=$ROOT/tests/cases/adapters/llmperf/in.json
    echo 'if .code == 503 then "unfinished" else "error" end' >rule.jq
    [ "$(ledger --classify rule.jq "$f" | rows | jq -r .outcome | xargs)" = "completed unfinished completed" ]
    for program in '"completed"' '"nonsense"' 'empty' 'error(.message)' '1' '"\""'; do
        echo "$program" >rule.jq
        run --separate-stderr ev2ledger --classify rule.jq "$f"
        [ "$status" = 2 ]
        [[ $stderr == *rule.jq* && $stderr != *overloaded* ]]
    done
}

@test "an error type is shown as printable ASCII of at most 80 bytes" {
    echo '{request: "r", error: .}' >my.jq
    jq -nc '{type: ("A b\té\u0007C" + "x" * 200)}' >in
    [ "$(ledger --map my.jq in | rows | jq -r .error_type)" = "AbC$(printf 'x%.0s' $(seq 77))" ]
}
