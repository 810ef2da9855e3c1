#!/usr/bin/env bats
# goodput on recorded runs of real harnesses and a real engine, under two contracts at once, against a second reading in awk.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# second LEDGER TTFT TPOT E2E: offered, completed, accepted under the chat and under the job contract, by column name
second() {
    awk -F'\t' -v ttft_max="${2}e6" -v tpot_max="${3}e6" -v e2e_max="${4}e6" '
        /^#/ { next }
        !n { ttft_max += 0; tpot_max += 0; e2e_max += 0; for (i = 1; i <= NF; i++) at[$i] = i; n = NF; next }
        $at["tracked"] == "1" {
            offered++
            if ($at["outcome"] != "completed") next
            completed++
            ttft = $at["ttft_ns"]; tpot = $at["tpot_ns"]; e2e = $at["e2e_ns"]; tail = $at["tail_tokens"]; tokens = $at["output_tokens"]
            whole = ttft == "" && $at["first_ns"] == "" && e2e != "" && (tail == "0" || $at["flags"] ~ /no_first/)
            nothing_after = tpot == "" && (tail == "0" || $at["chunks"] == "1" || (tail == "" && tokens != "" && tokens <= 1))
            in_time = whole ? e2e <= ttft_max : ttft != "" && ttft <= ttft_max
            steady = nothing_after || (tpot != "" && tpot <= tpot_max) || $at["flags"] ~ /zero_span/
            empty = tokens == "0" && $at["flags"] !~ /tool_calls/
            chat += in_time && steady && !empty
            job += e2e != "" && e2e <= e2e_max && !empty
        }
        END { print offered + 0, completed + 0, chat + 0, job + 0 }' "$1"
}

# score LEDGER TTFT TPOT E2E: both contracts in one pass; everything reconciles with itself, with the trailer and with the second reading
score() {
    goodput -q -g "ttft:$2,tpot:$3" -g "e2e:$4" --unobserved fail --frontier "ttft:$2/tpot:$3" "$1" >reports
    [ "$(wc -l <reports)" = 2 ]
    jq -se 'all((([.dispositions[]] | add) == .offered) and (.succeeded == .dispositions.accepted + .dispositions.quality_failure + .dispositions.latency_failure))' reports
    jq -se '.[0].offered == .[1].offered and .[0].frontier[0].accepted == .[0].accepted' reports
    tail -n 1 "$1" | cut -f 2 | jq -e --slurpfile r reports '.outcomes as $o
        | ($r[0].offered == ([$o[]] | add) and $r[0].succeeded == $o.completed and $r[0].dispositions.rejected == $o.rejected
           and $r[0].dispositions.server_failure == $o.error and $r[0].dispositions.cancelled == $o.cancelled)'
    local chat_and_job
    chat_and_job=$(jq .accepted reports | paste -sd' ')
    echo "$1: $(jq -s '.[0] | .offered, .succeeded' reports | paste -sd' ') $chat_and_job"
    [ "$(second "$@")" = "$(jq -s '.[0] | .offered, .succeeded' reports | paste -sd' ') $chat_and_job" ]
}

@test "AIPerf, LLMPerf twice" {
    need_shared data/aiperf_100req.profile_export.jsonl
    while read -r f targets; do
        ev2ledger -q "$SHARED/data/$f" >"$f.tsv"
        # shellcheck disable=SC2086
        score "$f.tsv" $targets
    done <<'END'
aiperf_100req.profile_export.jsonl 2300 30 9100
llmperf_lepton_7b.json 1127 21 4200
llmperf_together_70b.json 635 12 2500
END
    [ "$(jq -s '.[0] | .offered_bound' reports)" = '">="' ]
}

@test "GuideLLM, run by run and all together" {
    need_shared data/guidellm_prefill_llama7b.json
    for run in 1 2 3 4 5; do
        ev2ledger -q --run $run "$SHARED/data/guidellm_prefill_llama7b.json" >"$run.tsv"
        score "$run.tsv" 500 60 2000
        jq -s '.[0].accepted' reports >>accepted
    done
    ev2ledger -q --run all "$SHARED/data/guidellm_prefill_llama7b.json" >all.tsv
    goodput -q --by run -g ttft:500,tpot:60 all.tsv >all.json
    [ "$(jq -c '[.segments[].accepted]' all.json)" = "$(jq -sc . accepted)" ]
    [ "$(jq '.offered' all.json)" = 200 ]
    # its clients start up to 39 s after the schedule: the wait is the client's, and TTFT from the send hides it
    jq -e '[.segments[] | select(.client_wait) | .client_wait] | length > 0 and all(.ttft.intended.p99_ns >= .ttft.sent.p99_ns)' all.json
    # replies of one token: no TPOT to meet or miss
    [ "$(jq '.not_applicable.tpot' all.json)" = 4 ]
}

@test "llama.cpp in a closed loop of twelve" {
    need_shared data/llamacpp_c12.events.jsonl.xz
    xz -dc "$SHARED/data/llamacpp_c12.events.jsonl.xz" | ev2ledger -q >l.tsv
    score l.tsv 90 4 275
    # a wandering engine: requests do not fail one by one
    goodput -q -g tpot:4 l.tsv | jq -e '.acceptance.overdispersion > 3 and (.acceptance.cluster[1] - .acceptance.cluster[0] > 1.5 * (.acceptance.binomial[1] - .acceptance.binomial[0]))'
}
