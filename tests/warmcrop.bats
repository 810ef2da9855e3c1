#!/usr/bin/env bats
# Which passes are ramp.

load lib
load tables

setup() { T=$BATS_TEST_TMPDIR/passes; }

# series VALUE...: a plain table of passes with that driver, a minute each, ten requests each
series() {
    printf 'pass\tn_issued\tfirst_issue_ns\tspan_ns\ttpot_p50\n'
    local i=0 v
    for v in "$@"; do
        printf '%d\t10\t%d\t60000000000\t%s\n' $i $((60000000000 * i)) "$v"
        i=$((i + 1))
    done
}
bins() { series "$@" | sed '1s/tpot_p50/rps/'; }

# cropped ARGS...: number of warm-up passes, capped, flag
cropped() { warmcrop -q -o ndjson "$@" | head -n 1 | jq -r '.run.warmup | "\(.passes) \(.capped) \(.flag)"'; }

@test "the crop ends at the first pass inside the band" {
    series 3.6 4.5 4.9 $(repeat 12 5.0) >"$T"
    run cropped "$T"
    [ "$output" = "2 false null" ]
    series 3.6 4.5 4.9 $(repeat 12 5.0) >"$T"
    run cropped --profile design "$T"
    [ "$output" = "2 false null" ]
    series 3.6 4.5 4.9 $(repeat 12 5.0) >"$T"
    run cropped -b 0.019 "$T"
    [ "$output" = "3 false null" ]
}

@test "the band is symmetric, and its edge is inside" {
    series 6 5.26 5.25 $(repeat 12 5.0) >"$T"
    run cropped "$T"
    [ "$output" = "2 false null" ]
}

@test "a pass without a value is not settled" {
    series "" 5 "" $(repeat 12 5.0) >"$T"
    run cropped "$T"
    [ "$output" = "1 false null" ]
}

@test "a healthy plateau before an early step is no ramp (robust), and is cropped by the design's rule" {
    series $(repeat 8 5.0) $(repeat 22 5.5) >"$T"
    run cropped "$T"
    [ "$output" = "1 false null" ]
    series $(repeat 8 5.0) $(repeat 22 5.5) >"$T"
    run cropped --profile design "$T"
    [ "$output" = "8 false null" ]
    series 3 $(repeat 8 5.0) $(repeat 22 5.5) >"$T"
    run bash -c "warmcrop -q -o ndjson '$T' | head -n 1 | jq .run.warmup.level_seen"
    [ "$output" = 5 ]
}

@test "a healthy level that seems to drift over six passes may be seen to stand over eight" {
    series 3 4.88 4.92 4.71 4.75 5.05 5.09 5.02 4.82 $(repeat 22 5.6) >"$T"
    run cropped "$T"
    [ "$output" = "1 false null" ]
    series 3 4.88 4.92 4.71 4.75 5.05 5.09 5.02 $(repeat 22 5.6) >"$T" # seven
    run cropped "$T"
    [ "$output" = "8 false null" ]
    series 3 $(seq 4.65 0.05 5.0) $(repeat 22 5.6) >"$T" # one per cent a pass
    run cropped "$T"
    [ "$output" = "9 false null" ]
}

@test "a healthy level shorter than six passes cannot be told from a ramp" {
    series $(repeat 5 5.0) $(repeat 22 5.5) >"$T"
    run cropped "$T"
    [ "$output" = "5 false null" ]
}

@test "six passes inside their band that drift are a ramp still" {
    series 4.00 4.04 4.08 4.12 4.16 4.20 4.6 $(repeat 12 5.0) >"$T"
    run cropped "$T"
    [ "$output" = "7 false null" ]
}

@test "a run that never settles is capped, with a warning" {
    series $(seq 10 29) >"$T"
    run --separate-stderr bash -c "warmcrop -o ndjson '$T' | head -n 1 | jq -c '.run.warmup | [.passes, .capped]'"
    [ "$output" = "[10,true]" ]
    [[ $stderr == *"never settled"* ]]
    series $(seq 10 29) >"$T"
    run cropped --max-frac 0.2 "$T"
    [ "$output" = "4 true null" ]
}

@test "the passes of the fill burst are warm-up, whatever the driver says" {
    fill() { printf '#steadytools\tpasses\t1\n#run\t{"mode":"concurrency","fill":{"n":3,"ended90_ns":%s}}\n' "$1"; series $(repeat 12 5); printf '#end\t{"rows":12}\n'; }
    fill 150000000000 >"$T"
    run cropped "$T"
    [ "$output" = "3 false null" ]
    fill 120000000000 >"$T"
    run cropped "$T"
    [ "$output" = "2 false null" ]
    fill 150000000000 >"$T"
    run cropped --profile design "$T"
    [ "$output" = "0 false null" ]
}

@test "--count fixes the crop, --min-count raises it, --drop leaves it out" {
    series $(repeat 12 5) >"$T"
    run cropped --count 4 "$T"
    [ "$output" = "4 false null" ]
    series $(repeat 12 5) >"$T"
    run cropped --count 0 "$T"
    [ "$output" = "0 false null" ]
    series $(repeat 12 5) >"$T"
    run cropped --min-count 3 "$T"
    [ "$output" = "3 false null" ]
    run bash -c "warmcrop --count 4 --drop -H '$T' | cut -f1,3 | paste -sd' '"
    [ "$output" = "$(printf 'pass\trole 4\tbody 5\tbody 6\tbody 7\tbody 8\tbody 9\tbody 10\tbody 11\tbody')" ]
}

@test "offline: the longest stretch near the median is the body, the rest warm-up and drain" {
    bins 2 8 9.5 10 10 10.5 10 9.8 10 4 3 2 1 >"$T"
    run bash -c "warmcrop -m offline -H '$T' | cut -f3 | sort | uniq -c | awk '{ print \$1 \$2 }' | paste -sd' '"
    [ "$output" = "7body 4drain 1role 2warmup" ]
}

@test "offline with more drain than plateau takes the upper quartile for level, and says so" {
    bins 1 $(repeat 8 10) 6 5 4.5 4 3.5 3 2.8 2.5 2.2 2 1.8 1.6 1.4 1.2 1 >"$T"
    run cropped -m offline "$T"
    [ "$output" = "1 false level_p75" ]
}

@test "a driver without values crops nothing and says so; one that is absent is an error naming -d" {
    series "" "" "" "" >"$T"
    run cropped "$T"
    [ "$output" = "0 false no_driver" ]
    bins 1 2 3 >"$T"
    run --separate-stderr warmcrop "$T"
    [ "$status" = 2 ] && [[ $stderr == *"'tpot_p50'"*"-d"* ]]
    run --separate-stderr warmcrop -d nonsense "$T"
    [ "$status" = 2 ] && [[ $stderr == *"'nonsense'"* ]]
}

@test "an incomplete last block takes no part and keeps its role" {
    { series $(repeat 12 5); } | awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "full"; next } { print $0, NR < 13 }' >"$BATS_TEST_TMPDIR/t"
    run bash -c "warmcrop --count 100 -H '$BATS_TEST_TMPDIR/t' | cut -f1-3 | tail -n 2 | paste -sd' '"
    [ "$output" = "$(printf '10\t1\twarmup 11\t0\tbody')" ]
}

@test "recorded runs: a level seen at once, an offline plateau from minute 11 to 95" {
    need_shared data/gb300_dsr1_offline_a.passes.tsv
    run bash -c "warmcrop -m offline -o ndjson '$SHARED/data/gb300_dsr1_offline_a.passes.tsv' | jq -s -c '[.[] | select(.role == \"body\") | .pass] | [min, max + 1]'"
    [ "$output" = "[11,96]" ]
    run cropped -d ttft_p50 "$SHARED/data/gb300_gptoss_c1024.passes.tsv"
    [ "$output" = "1 false null" ]
}
