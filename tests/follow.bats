#!/usr/bin/env bats
# A run that is still going on: when passes leave, when verdicts are given, and when one may stop.

load lib
load tables

setup() {
    T=$BATS_TEST_TMPDIR/passes
    L=$BATS_TEST_TMPDIR/log
    R=$BATS_TEST_TMPDIR/reports
}

roles() { grep -v '^#' | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "role") c = i; next } { printf "%s ", $c }'; }
# verdicts ARGS...: verdict and passes seen, of every report
verdicts() { plateau -q --follow "$@" | jq -rj '"\(.verdict):\(.passes | length):\(.follow) "'; }

# ---- warmcrop ----

@test "live, the ramp ends where six passes have settled, and is held against their level" {
    for run in "3.6 4.5 4.9 $(repeat 12 5.0)" "5.0 5.0 $(repeat 12 5.0)" "3 4 4.8 $(repeat 12 5.0)" "6 5.26 5.25 $(repeat 12 5.0)"; do
        table $run >"$T"
        is "$(warmcrop --follow "$T" | roles)" "$(warmcrop "$T" | roles)"
    done
    table 3.6 4.5 $(repeat 12 5.0) >"$T"
    warmcrop --follow "$T" | sed -n 2p | cut -f2 | jq -e '.warmup | .passes == 2 and .live and .level == 5e6 and .level_seen == 5e6 and .samples == 20'
}

@test "live, a later level cannot be known: the crop is that of the first that settled" {
    table 3 $(repeat 6 5.0) $(repeat 20 5.5) >"$T"
    is "$(warmcrop --follow "$T" | roles | tr ' ' '\n' | grep -c warmup)" 1
    table 4.7 $(repeat 5 5.0) $(repeat 22 5.5) >"$T" # a healthy level of five passes is not seen; the first is inside its own six
    is "$(warmcrop --follow "$T" | sed -n 2p | cut -f2 | jq -c '.warmup | [.passes, .level]')" "$(warmcrop --follow -q "$T" | tail -n 1 | cut -f2 | jq -c '.run.warmup | [.passes, .level]')"
}

@test "a run that ends before it settles is cropped as any other" {
    table 1 2 3 4 5 6 7 8 9 10 >"$T"
    for run in "1 2 3 4 5 6 7 8 9 10" "3 5 5 5" "5"; do
        table $run >"$T"
        diff <(warmcrop -q "$T" | grep -v '^#pg') <(warmcrop -q --follow "$T" | grep -v '^#pg')
    done
    run --separate-stderr warmcrop --follow "$T.none"
    [ "$status" = 2 ]
}

@test "live, the fill burst is as long as the facts of the head say" {
    table $(repeat 20 5.0) >"$T"
    stream '{"fill":{"n":30,"ended90_ns":200000000000}}' "$T" >"$T.s"
    is "$(warmcrop --follow "$T.s" | roles | tr ' ' '\n' | grep -c warmup)" 4
    stream '{"fill":{"n":30,"ended90_ns":960000000000}}' "$T" >"$T.s" # longer than the six that settled
    is "$(warmcrop --follow "$T.s" | roles | tr ' ' '\n' | grep -c warmup)" 16
    is "$(warmcrop --follow --min-count 7 "$T" | roles | tr ' ' '\n' | grep -c warmup)" 7
    is "$(warmcrop --follow --min-count 7 --drop "$T" | grep -c '^[0-9]')" 13
    is "$(warmcrop --follow --count 2 "$T" | roles | tr ' ' '\n' | grep -c warmup)" 2
}

@test "the design's rule needs the whole run" {
    table $(repeat 20 5.0) >"$T"
    run --separate-stderr warmcrop --follow --profile design "$T"
    [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *--follow* ]]
}

# feed FIFO: what is written to fd 9 is read by the tool
@test "passes are held until the run has settled, and then leave as they come" {
    table 3 $(repeat 9 5.0) >"$T"
    mkfifo "$T.fifo"
    warmcrop --follow <"$T.fifo" >"$T.out" &
    pid=$!
    exec 9>"$T.fifo"
    head -n 7 "$T" >&9 # 3 and five of the six
    sleep 0.3
    is "$(wc -c <"$T.out")" 0
    sed -n 8p "$T" >&9
    for _ in $(seq 50); do grep -q '^6	' "$T.out" && break; sleep 0.1; done
    is "$(roles <"$T.out")" "warmup body body body body body body "
    sed -n 9p "$T" >&9
    for _ in $(seq 50); do grep -q '^7	' "$T.out" && break; sleep 0.1; done
    is "$(grep -c '^[0-9]' "$T.out")" 8
    exec 9>&-
    wait $pid
}

# ---- plateau ----

@test "a report whenever the verdict changes, and one at the end" {
    table $(repeat 20 5.0) | is "$(verdicts)" "too_short:1:open steady:10:open steady:20:ended "
    table $(repeat 3 5.0) | is "$(verdicts)" "too_short:1:open too_short:3:ended "
    table $(repeat 14 5.0) $(repeat 14 6.0) >"$T"
    run bash -c "plateau -q --follow '$T' | jq -r .verdict | uniq | paste -sd ' '"
    is "$output" "too_short steady steady_then_shift"
}

@test "the last report is that of the run as a file" {
    table 4.7 $(repeat 14 5.0) $(repeat 14 6.0) >"$T"
    stream '{"mode":"concurrency","n_issued":290}' "$T" >"$T.s"
    for f in "$T" "$T.s"; do
        diff <(plateau -q "$f" | jq 'del(.pg)') <(plateau -q --follow "$f" | tail -n 1 | jq 'del(.pg, .follow)')
    done
    head -n 20 "$T.s" >"$T.cut"
    plateau -q --follow "$T.cut" | tail -n 1 | jq -e '.partial and .follow == "ended"'
    plateau -q --follow "$T.s" | head -n 1 | jq -e '.partial == false'
}

@test "every report is what the passes so far give" {
    table $(repeat 14 5.0) $(repeat 14 6.0) >"$T"
    plateau -q --follow "$T" >"$R"
    while read -r report; do
        n=$(jq '.passes | length' <<<"$report")
        diff <(head -n $((n + 1)) "$T" | plateau -q | jq 'del(.pg)') <(jq 'del(.pg, .follow)' <<<"$report")
    done <"$R"
    [ "$(wc -l <"$R")" -ge 3 ]
}

@test "until steady: ten minutes, and two more passes" {
    table $(repeat 40 5.0) >"$T"
    run --separate-stderr plateau --until-steady "$T"
    [ "$status" = 0 ]
    is "$(tail -n 1 <<<"$output" | jq -c '[.follow, .verdict, .window.end_pass, .window.n_passes, (.passes | length)]')" '["steady","steady",12,12,12]'
    table $(repeat 12 5.0) | plateau -q --until-steady >"$R"
    table $(repeat 11 5.0) >"$T"
    run --separate-stderr plateau --until-steady "$T"
    [ "$status" = 1 ]
    is "$(tail -n 1 <<<"$output" | jq -c '[.follow, .verdict]')" '["ended","steady"]'
    run --separate-stderr plateau --until-steady --floor-s 300 "$T"
    [ "$status" = 0 ]
    is "$(tail -n 1 <<<"$output" | jq -c '[.window.n_passes, (.passes | length)]')" '[7,7]'
}

@test "until steady: what does not hold for two more passes starts anew" {
    table $(repeat 10 5.0) 5.9 $(repeat 20 5.0) >"$T" # pass 10 is off: by scatter the next windows are not flat
    plateau -q --until-steady "$T" >"$R"
    plateau -q --explain -H "$T" | awk -F'\t' '$2 > 10 && $5 == 0 { bad = $2 } END { print bad + 0 }' >"$R.bad"
    seen=$(tail -n 1 "$R" | jq '.passes | length')
    [ "$seen" -ge 12 ] && [ "$seen" -ge $(($(cat "$R.bad") + 3)) ]
    table $(repeat 10 5.0) $(repeat 30 5.9) >"$T" # left its level after it cleared: the window is over
    run --separate-stderr plateau --until-steady "$T"
    [ "$status" = 1 ]
    tail -n 1 <<<"$output" | jq -e '.verdict == "steady_then_shift" and .follow == "ended"'
}

@test "until steady: a window that is shown and not certified does not count" {
    table $(repeat 30 5.0) >"$T"
    stream '{"backlog":true}' "$T" >"$T.s"
    run --separate-stderr plateau --until-steady "$T.s"
    [ "$status" = 1 ]
    tail -n 1 <<<"$output" | jq -e '.verdict == "no_steady_state" and .found'
}

@test "a verdict can be asked for with -e; two inputs cannot be followed, nor explained while they are" {
    table $(repeat 11 5.0) >"$T"
    plateau -q -e --follow "$T" >"$R"
    run --separate-stderr plateau -q -e --follow --floor-s 9999 "$T"
    [ "$status" = 1 ]
    for bad in "--follow $T $T" "--follow --explain $T"; do
        run --separate-stderr plateau $bad
        [ "$status" = 2 ] && [ -z "$output" ] && [ -n "$stderr" ]
    done
}

@test "the reports of a run are flushed as they are made" {
    table $(repeat 12 5.0) >"$T"
    mkfifo "$T.fifo"
    plateau -q --until-steady <"$T.fifo" >"$R" &
    pid=$!
    exec 9>"$T.fifo"
    head -n 12 "$T" >&9
    for _ in $(seq 50); do [ "$(wc -l <"$R")" = 2 ] && break; sleep 0.1; done
    is "$(jq -r .verdict "$R" | paste -sd ' ')" "too_short steady"
    sed -n 13p "$T" >&9
    wait $pid # it does not wait for more
    exec 9>&-
    is "$(wc -l <"$R")" 3
}

# ---- the pipeline ----

log() { "$BUILD/synth" --seed 7 --concurrency 16 --dataset 100 --passes 40 --osl-mean 200 --tpot-ms 20 --ttft-ms 120 --ramp 2 --wire field --ids short "$@"; }

@test "a log that grows: the pipeline ends by itself once the run is steady, without any option but --follow" {
    log >"$L.all"
    : >"$L"
    n=$(($(wc -l <"$L.all") * 4 / 5)) # the rest is never written: nothing but the evidence ends this
    { for ((at = 1; at <= n; at += n / 8 + 1)); do
        sed -n "$at,$((at + n / 8 < n ? at + n / 8 : n))p" "$L.all" >>"$L"
        sleep 0.05
    done; } &
    run timeout 60 bash -o pipefail -c "tail -n +1 -f '$L' | ev2ledger | ledger2passes | warmcrop --follow | plateau --until-steady >'$R'; echo \${PIPESTATUS[4]}"
    wait
    is "${lines[-1]}" 0
    is "$(jq -rj '"\(.verdict) \(.follow) "' "$R")" "too_short open steady open steady steady "
    # what is said while the run goes on is what its passes give
    passes=$(tail -n 1 "$R" | jq '.passes | length')
    ev2ledger "$L.all" | ledger2passes | warmcrop | grep -v '^#' | head -n $((passes + 1)) | plateau -q | jq -c '.window | [.first_pass, .end_pass, .n_requests, .se]' >"$R.file"
    is "$(tail -n 1 "$R" | jq -c '.window | [.first_pass, .end_pass, .n_requests, .se]')" "$(cat "$R.file")"
}

@test "how a run is cut is decided from its first requests, and is what all of them say" {
    for o in "" "--agentic" "--dawdle 30000" "--seed 8 --hairball 0.02" "--mode poisson --rate 3 --requests 4000"; do
        log $o >"$L"
        ev2ledger "$L" >"$L.ledger"
        ledger2passes "$L.ledger" >"$T"
        ledger2passes <(cat "$L.ledger") >"$T.live"
        diff <(grep -v '^#' "$T") <(grep -v '^#' "$T.live")
        diff <(sed -n 2p "$T" | cut -f2 | jq -S .) <(tail -n 1 "$T.live" | cut -f2 | jq -S .run)
        sed -n 2p "$T.live" | cut -f2 | jq -e '.mode and .size == 100 and .fill.ended90_ns and (has("n_issued") | not)' # said before the end
        live=$(cat "$L.ledger" | head -n 3000 | ledger2passes -q 2>/dev/null | grep -c '^[0-9]')
        is "$live" 30
    done
}

@test "what only the end can tell is held: offline, no dataset, few requests" {
    for o in "--mode offline" "--dataset 0 --requests 1500" "--passes 4"; do
        log $o >"$L"
        ev2ledger "$L" >"$L.ledger"
        diff <(ledger2passes -q "$L.ledger") <(cat "$L.ledger" | ledger2passes -q) || { echo "$o"; false; }
    done
}

@test "a run that changes its face after it was cut is said so" {
    { # a closed loop of 2 for 700 requests, then arrivals that do not wait
        printf '#steadytools\tledger\t1\n'
        printf 'request\tseq\ttracked\toutcome\tissued_ns\tdone_ns\n'
        awk 'BEGIN { for (i = 0; i < 9000; i++) {
            t = i < 700 ? 50 * i : 35000 + 7 * (i - 700)
            x = x * 16807 % 2147483647 + (i == 0)
            d = i < 700 ? 100 : x % 2000 + 1
            printf "r%05d\t%d\t1\tcompleted\t%d\t%d\n", i, i, t, t + d } }'
        printf '#end\t{"rows":9000}\n'
    } >"$L"
    run --separate-stderr bash -c "cat '$L' | ledger2passes -n 50 >'$T'"
    [ "$status" = 0 ] && [[ $stderr == *"looked like 'concurrency'"*"looks like 'poisson'"*-m* ]] || { echo "$stderr"; false; }
}

@test "a tool that waits for its writer ends when its reader has gone" {
    mkfifo "$T.fifo"
    for tool in ev2ledger ledger2passes warmcrop tailguard plateau; do
        { $tool <"$T.fifo" || echo $? >"$T.status"; } | true &
        pid=$!
        exec 9>"$T.fifo"
        for _ in $(seq 50); do [ -s "$T.status" ] && break; sleep 0.1; done
        exec 9>&-
        wait $pid || true
        is "$tool $(cat "$T.status")" "$tool 141"
        rm "$T.status"
    done
}

# ---- how good it is ----

@test "delay and false stops over seeds are what the manual says of them" {
    bash "$ROOT/tests/bench/follow.sh" 10 >"$R"
    awk -F'\t' '
        $1 == "ramp" { good += $3 == 1 && $4 <= .3 && $5 <= .1 && $6 == 0 && $7 <= 1 }
        $1 == "step" { good += $3 == 1 && $4 == 0 && $5 <= .1 && $6 == 0 && $7 <= 1 }
        $1 == "climb" { good += $3 <= .3 }
        END { exit good != 3 }' "$R" || { cat "$R"; false; }
}
