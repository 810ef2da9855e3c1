#!/usr/bin/env bats
# Capacity: a simulated server whose capacity is known, driven up a staircase of loads; reports in directories and of many
# runs; levels that change with time.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# climb SHARE SEED: a Poisson run at that share of capacity as a report in r/, and what was planted in t/
climb() {
    mkdir -p r t
    "$BUILD/synth" --mode poisson --overload "$1" --duration 200 --intended --tokens-recorded --prompt none \
        --concurrency 32 --osl-mean 50 --dataset 2000 --seed "$2" --truth "t/$1-$2.json" | ev2ledger >"$1-$2.tsv"
    goodput -q -c floor.json --duration 200 --drain 60 --level "$(jq .rate_rps "t/$1-$2.json")" "$1-$2.tsv" >"r/$1-$2.json"
}

@test "six levels, twice each: the rating stands below the knee, the next level above it" {
    echo '{"latency_ms":{"ttft":800,"tpot":40},"acceptance_min":0.95,"repeats":{"need":2,"of":2}}' >floor.json
    seed=0
    for share in 0.9 0.5 1.2 0.65 1.05 0.8; do
        for _ in 1 2; do climb $share $((++seed)); done
    done
    goodput -q --capacity r >capacity.json
    jq -c '.levels[] | [.level_rps, .goodput_rps, .acceptance, .state]' capacity.json
    # the knee: requests a second that the full batch can serve
    knee=$(jq -s 'map(.rate_rps) | max / 1.2' t/1.2-*.json)
    [ "$(jq '[.levels[] | .achieved_rps | length] == [2,2,2,2,2,2]' capacity.json)" = true ]
    [ "$(jq -c '[.levels[].state]' capacity.json)" = '["pass","pass","pass","pass","fail","fail"]' ]
    jq -e --argjson knee "$knee" '.rated_rps > 0.8 * $knee and .rated_rps < $knee and .levels[4].level_rps > $knee and .monotone' capacity.json
    jq -e --argjson knee "$knee" '.next_rps | length == 3 and (.[0] < $knee) and (.[2] > $knee)' capacity.json
    # throughput rises past the knee, and goodput falls
    jq -e '.levels | (.[4].responses_rps | add) > (.[3].responses_rps | add) and (.[4].goodput_rps | add) < 0.5 * (.[3].goodput_rps | add)' capacity.json
    jq -e '[.warnings[] | .code] | index("more_answers_less_use") != null' capacity.json
    jq -e '.levels[0].evidence == "supported" and .levels[5].evidence == "refuted"' capacity.json
    # as a table, and the same from the files one by one
    [ "$(goodput -q --capacity --table levels r | cut -f 1,11 | tail -n +2 | wc -l)" = 6 ]
    goodput -q --capacity r/*.json | cmp - capacity.json
}

# level FILE RPS FIRST_NS GOOD BAD [RUN]: 60 s of requests, GOOD of GOOD + BAD fast; a report, or with RUN rows of a ledger
level() {
    awk -v rps="$2" -v t0="$3" -v good="$4" -v bad="$5" -v run="${6:-}" 'BEGIN {
        OFS = "\t"
        print "request", "outcome", "issued_ns", "done_ns", "e2e_ns", "input_tokens", "output_tokens", "run"
        for (i = 0; i < rps * 60; i++) {
            a = t0 + int(i * 1e9 / rps)
            span = i % (good + bad) >= good ? 900000000 : 100000000
            printf "%sr%d\tcompleted\t%.0f\t%.0f\t%d\t%d\t%d\t%s\n", run, i, a, a + span, span, 100 + i % 50, 20 + i % 7, run
        }
    }' >"$1.tsv"
    [ -n "${6:-}" ] || goodput -q -c floor.json "$1.tsv" >"$1.json"
}

@test "one ledger of many runs is a staircase too" {
    echo '{"latency_ms":{"e2e":800},"acceptance_min":0.99,"repeats":{"need":2,"of":2}}' >floor.json
    level a 10 0 1 0 a; level b 20 100000000000 1 0 b; level c 40 200000000000 9 1 c
    level d 40 300000000000 9 1 d; level e 10 400000000000 1 0 e; level f 20 500000000000 1 0 f
    { cat a.tsv; tail -qn +2 [b-f].tsv; } >all.tsv
    goodput -q -c floor.json --by run all.tsv >report.json
    goodput -q --capacity report.json >capacity.json
    [ "$(jq -c '[.rated_rps, [.levels[] | [.passed, .state]]]' capacity.json)" = '[20,[[2,"pass"],[2,"pass"],[0,"fail"]]]' ]
    # the same as six reports of six ledgers
    mkdir six
    for x in a b c d e f; do goodput -q -c floor.json $x.tsv >six/$x.json; done
    goodput -q --capacity six | jq 'del(.definitions)' >apart.json
    jq 'del(.definitions)' capacity.json | cmp - apart.json
}

@test "a directory may hold other things; a goodput report that cannot be rated is an error" {
    echo '{"latency_ms":{"e2e":800},"acceptance_min":0.99}' >floor.json
    mkdir d
    level d/a 10 0 1 0
    level d/b 20 100000000000 9 1
    echo '{"kind":"steady","verdict":"steady"}' >d/steady.json
    echo 'notes' >d/README
    [ "$(goodput -q --capacity d | jq -c '[.rated_rps, (.levels | length)]')" = '[10,2]' ]
    mkdir empty
    run --separate-stderr goodput --capacity empty
    [ "$status" = 2 ] && [[ $stderr == *"no report"* ]]
    jq -c '.run.offered_complete = false' d/a.json >d/c.json
    run --separate-stderr goodput --capacity d
    [ "$status" = 2 ] && [[ $stderr == *"d/c.json: the harness logged only what finished"* ]]
}

@test "the same level early and late: time itself is a load" {
    echo '{"latency_ms":{"e2e":800},"acceptance_min":0.5,"repeats":{"need":2,"of":2}}' >floor.json
    level a 10 900000000000 7 3
    level b 10 0 9 1
    level c 10 500000000000 8 2
    goodput -q --capacity a.json b.json c.json >capacity.json
    [ "$(jq -c '.levels[0].order | [.early, .late, (.difference * 100 | round), .moved, (.ci[0] < .difference and .ci[1] < 0)]' capacity.json)" = '[0.9,0.7,-20,true,true]' ]
    [ "$(jq -c '[.warnings[].code]' capacity.json)" = '["level_moved"]' ]
    level a 10 900000000000 9 1
    goodput -q --capacity a.json b.json >capacity.json
    [ "$(jq -c '[.levels[0].order.moved, .warnings]' capacity.json)" = '[false,[]]' ]
}

@test "a baseline goes by the cluster interval where there is one, and says why" {
    echo '{"latency_ms":{"e2e":800}}' >floor.json
    level base 10 0 8 2
    awk -F'\t' -v OFS='\t' 'NR > 1 && NR % 37 < 5 { $5 = 100000000 } 1' base.tsv >now.tsv
    awk -F'\t' -v OFS='\t' 'NR > 1 && int(NR / 41) % 5 == 0 { $5 = 900000000 } 1' base.tsv >patchy.tsv
    goodput -q -c floor.json patchy.tsv >patchy.json
    [ "$(goodput -q -c floor.json --baseline base.json now.tsv | jq -c '.baseline.acceptance | [.interval, .cluster == null]')" = '["newcombe",true]' ]
    [ "$(goodput -q -c floor.json --baseline patchy.json now.tsv | jq -c '.baseline.acceptance | [.interval, .cluster == null, (.why | test("together"))]')" = '["cluster",false,true]' ]
    jq -c '.run.offered_complete = false' base.json >blind.json
    run --separate-stderr goodput -q -c floor.json --baseline blind.json now.tsv
    [ "$status" = 2 ] && [[ $stderr == *"run.offered_complete differs"* ]]
}
