#!/usr/bin/env bats
# What synth plants, the suite finds: outcomes under every fault, the verdict of every recipe, TPOT and throughput.

load lib

setup() {
    synth=$BUILD/synth
    cd "$BATS_TEST_TMPDIR" || return
}

pipeline() { # log, profile, options of plateau
    set -o pipefail
    ev2ledger "$1" | ledger2passes | warmcrop -q --profile "$2" | tailguard -q --profile "$2" | plateau -q --profile "$2" "${@:3}"
}

within() { # value, target, fraction
    awk -v v="$1" -v t="$2" -v f="$3" 'BEGIN { d = v / t - 1; if (d < 0) d = -d; exit !(d <= f) }' || {
        echo "$1 is not within $3 of $2"
        return 1
    }
}

@test "logs with every fault: rows, outcomes and counts are the planted ones" {
    for seed in $(seq 1 "$(every 3)" 200); do
        "$synth" --seed "$seed" --nasty --requests 150 --dataset 40 --concurrency 8 --osl-mean 20 --truth truth.json >log
        ev2ledger -q log >ledger || { echo "seed $seed: status $?"; return 1; }
        sed -n 's/^#end\t//p' ledger | jq -cS '[.outcomes, .malformed, .other, .orphan_ids, .bad_payload,
            .reissued_after_end, .rows, .events + .malformed + .other]' >got
        jq -cS '[.outcomes, .malformed, .other, .orphan_ids, .bad_payload, .reissued_after_end, .requests + .warmup,
            .lines - .blank]' truth.json >want
        diff want got || { echo "seed $seed"; return 1; }
    done
}

@test "the order of lines within the slack changes no row" {
    for seed in 1 2 3 4 5 6 7 8; do
        "$synth" --seed "$seed" --requests 300 --concurrency 8 --osl-mean 20 --retry 0.1 --reopen 0.1 --late-lines 0.2 \
            --late-by 0.9 >log
        ev2ledger -q log | grep -v '^#' >streamed
        ev2ledger -q --sort log | grep -v '^#' | cmp - streamed
    done
}

@test "every recipe of verdicts.tsv gets its verdict" {
    tail -n +2 "$BATS_TEST_DIRNAME/verdicts.tsv" >recipes
    while IFS=$'\t' read -r verdict profile args options; do
        # shellcheck disable=SC2086
        "$synth" $args >log
        # shellcheck disable=SC2086
        pipeline log "$profile" $options >report
        got=$(jq -r .verdict report)
        [ "$got" = "$verdict" ] || { echo "$got, not $verdict ($profile): $args"; return 1; }
    done <recipes
    for verdict in unsupported not_assessed too_short no_steady_state steady_then_shift steady_after_shift local_plateau \
        steady; do
        grep -q "^$verdict	" recipes
    done
}

@test "a steady run gives back the planted TPOT, throughput and shift" {
    for args in "--concurrency 32" "--concurrency 128 --osl-mean 400 --dataset 200" "--concurrency 64 --hairball 0.01"; do
        # shellcheck disable=SC2086
        "$synth" --tpot-ms 60 --dataset 150 --passes 60 --noise 0.002 --ramp 2 --prompt ids --prompt-bytes 20 --wire null \
            --tokens-recorded $args --truth truth.json >log
        pipeline log robust >report
        [ "$(jq -r .verdict report)" = steady ]
        within "$(jq .metrics.tpot.mean_ns report)" "$(jq .tpot_ns truth.json)" 0.001
        within "$(jq .tps.per_user.value report)" "$(jq '1e9 / .tpot_ns' truth.json)" 0.001
        within "$(jq .tps.system.value report)" "$(jq .tps truth.json)" 0.005
    done
    "$synth" --tpot-ms 60 --dataset 150 --passes 70 --concurrency 32 --step 0.10@0.6 --prompt ids --prompt-bytes 20 \
        --wire null --tokens-recorded --truth truth.json >log
    pipeline log robust >report
    [ "$(jq -r .verdict report)" = steady_then_shift ]
    within "$(jq .anomaly.delta report)" 0.10 0.1
    planted=$(jq '.steps[0].pass' truth.json)
    [ "$(jq ".anomaly.change_pass - $planted | fabs <= 1" report)" = true ]
}
