#!/usr/bin/env bats
# What of the drain tail may be left out.

load lib

# passes TAIL_TPOT: two passes of six requests; the last two of pass 1 end after the last issue (at 12 s), with that TPOT
passes() {
    printf '#steadytools\tpasses\t1\n#run\t{"mode":"%s","first_issue_ns":0,"last_event_ns":20000000000}\n' "${2:-concurrency}"
    printf 'pass\tfull\trole\tlast_issue_ns\toutput_tokens\ttpot_n\ttpot_mean\tv_seq\tv_ttft\tv_tpot\tv_e2e\tv_osl\tv_done\n'
    printf '0\t1\tbody\t6000000000\t60\t6\t10\t0,1,2,3,4,5\t5,5,5,5,5,5\t10,10.1,9.9,10,10,10\t9,9,9,9,9,9\t10,10,10,10,10,10\t7000000000,7000000000,7000000000,7000000000,7000000000,7000000000\n'
    printf '1\t1\tbody\t12000000000\t90\t6\t10\t6,7,8,9,10,11\t5,5,5,5,5,5\t10,10,9.9,10.1,%s,%s\t9,9,9,9,9,9\t10,10,10,10,20,30\t11000000000,11000000000,11000000000,11000000000,13000000000,\n' "$1" "${3-}"
    printf '#end\t{"rows":2}\n'
}
tail_of() { tailguard -o ndjson "$@" | head -n 1 | jq -c .run.tail; }

@test "an even tail is cut: samples leave the statistics, tokens and requests stay" {
    passes 10 >"$BATS_TEST_TMPDIR/p"
    run bash -c "tailguard -o ndjson '$BATS_TEST_TMPDIR/p' | jq -c 'select(.pass == 1) | [.v_tail, .tpot_n, .tpot_mean, .output_tokens, .role]'"
    [ "$output" = '[[0,0,0,0,1,1],4,10,90,"body"]' ]
    run tail_of "$BATS_TEST_TMPDIR/p"
    echo "$output"
    jq -e '.cut and .flag == null and .n == 2 and .n_at_stop == 2 and .share == 1/11 and .tpot_shift == 0 and .osl_p50_ratio == 2 and .token_share == 50/150' <<<"$output"
}

@test "a pass without tail keeps its statistics as they were" {
    passes 10 >"$BATS_TEST_TMPDIR/p"
    run bash -c "tailguard -o ndjson '$BATS_TEST_TMPDIR/p' | jq -c 'select(.pass == 0) | [.v_tail, .tpot_n]'"
    [ "$output" = '[[0,0,0,0,0,0],6]' ]
}

@test "a tail that is slower than the rest is kept, and the term that says no is named" {
    passes 20 >"$BATS_TEST_TMPDIR/p"
    run tail_of "$BATS_TEST_TMPDIR/p"
    jq -e '.cut == false and .flag == "cov"' <<<"$output"
    run tail_of --epsilon 1 --delta 0.01 "$BATS_TEST_TMPDIR/p"
    jq -e '.cut == false and .flag == "skew"' <<<"$output"
    run tail_of --epsilon 1 --delta 1 "$BATS_TEST_TMPDIR/p"
    jq -e '.cut and .flag == null' <<<"$output"
}

@test "robust: no cut of more than a quarter; a pass that lost more than half is no longer body" {
    passes 10 >"$BATS_TEST_TMPDIR/p"
    # issuing stops at 6 s: all of pass 1, and nothing of it at its own time, is tail
    sed 's/\t12000000000\t/\t6000000000\t/; s/7000000000/5000000000/g' "$BATS_TEST_TMPDIR/p" >"$BATS_TEST_TMPDIR/q"
    run tail_of "$BATS_TEST_TMPDIR/q"
    jq -e '.cut == false and .flag == "share"' <<<"$output"
    run tail_of --profile design "$BATS_TEST_TMPDIR/q"
    jq -e '.cut' <<<"$output"
    for i in 2 3 4 5 6 7 8 9; do sed -n 4p "$BATS_TEST_TMPDIR/q" | sed "s/^0/$i/"; done >"$BATS_TEST_TMPDIR/more"
    { sed -n 1,4p "$BATS_TEST_TMPDIR/q"; cat "$BATS_TEST_TMPDIR/more"; sed -n 5p "$BATS_TEST_TMPDIR/q" | sed 's/^1/10/'; echo '#end	{"rows":10}'; } >"$BATS_TEST_TMPDIR/r"
    run bash -c "tailguard -o ndjson '$BATS_TEST_TMPDIR/r' | jq -r 'select(.pass == 10) | .role'"
    [ "$output" = tail ]
}

@test "the hairball is what was open at the stop and not among the last issued" {
    passes 10 >"$BATS_TEST_TMPDIR/p"
    sed 's/13000000000/11000000000/; s/^\(0\t.*\t\)7000000000,/\113000000000,/' "$BATS_TEST_TMPDIR/p" >"$BATS_TEST_TMPDIR/q"
    run tail_of "$BATS_TEST_TMPDIR/q"
    jq -e '.n_at_stop == 2 and .hairball_weight == 0.5 and .drain_s == 8 and .drain_share == 0.4' <<<"$output"
    run tail_of -C 12 "$BATS_TEST_TMPDIR/q"
    jq -e '.hairball_weight == 0' <<<"$output"
}

@test "offline runs and tables without samples go through untouched, and say why" {
    passes 10 offline >"$BATS_TEST_TMPDIR/p"
    run bash -c "tailguard '$BATS_TEST_TMPDIR/p' | grep -v '^#' | cmp - <(grep -v '^#' '$BATS_TEST_TMPDIR/p')"
    [ "$status" = 0 ]
    run tail_of "$BATS_TEST_TMPDIR/p"
    jq -e '.cut == false and .flag == "offline" and .n == null and .share == null' <<<"$output"
    printf 'pass\ttpot_p50\n0\t5\n' >"$BATS_TEST_TMPDIR/plain"
    run tail_of "$BATS_TEST_TMPDIR/plain"
    jq -e '.flag == "no_samples"' <<<"$output"
}

@test "the reference run: what the tail was, to the last digit" {
    need_shared examples/run.steady.json
    run bash -c "warmcrop '$SHARED/examples/run.passes.tsv' | tailguard -o ndjson | head -n 1 | jq -c '.run.tail' | jq -e --slurpfile want '$SHARED/examples/run.steady.json' '. as \$got | \$want[0].tail | to_entries | all(.value == \$got[.key] or ((.value | type) == \"number\" and ((.value - \$got[.key]) | fabs) <= 1e-9 * (.value | fabs)))'"
    [ "$output" = true ]
}
