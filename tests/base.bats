#!/usr/bin/env bats
# Numbers, cells, documents: what everything else rests on.

load lib

@test "cells, numbers, documents and rows against independent readings" {
    run "$BUILD/base_check"
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<<"$output")" -ge 11 ]
}

@test "a plain table of another tool passes the passes stages with its own columns" {
    printf 'pass\tspan_ns\ttpot_p50\tmine\n0\t60000000000\t5.0\ta\n1\t60000000000\t5.01\tb\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -o pipefail -c "warmcrop --count 0 '$BATS_TEST_TMPDIR/t.tsv' | tailguard | grep -v '^#' | tail -n 1"
    [ "$status" = 0 ]
    [ "$output" = "$(printf '1\t1\tbody\t60000000000\t5.01\tb')" ]
}

@test "NDJSON rows may leave keys out, and the columns are those of all rows" {
    printf '{"pass":0,"tpot_p50":5}\n{"pass":1,"tpot_p50":NaN,"mine":"x"}\n' >"$BATS_TEST_TMPDIR/t.ndjson"
    run bash -c "warmcrop --count 0 -o tsv -H '$BATS_TEST_TMPDIR/t.ndjson'"
    [ "$status" = 0 ]
    [ "${lines[0]}" = "$(printf 'pass\tfull\trole\ttpot_p50\tmine')" ]
    [ "${lines[1]}" = "$(printf '0\t1\tbody\t5\t')" ]
    [ "${lines[2]}" = "$(printf '1\t1\tbody\t\tx')" ]
}

@test "a byte order mark is passed over" {
    printf '\xef\xbb\xbfpass\ttpot_p50\n0\t5\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run warmcrop --count 0 -H "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 0 ] && [ "${lines[1]}" = "$(printf '0\t1\tbody\t5')" ]
}

@test "passes out of order, a column twice, a row after the trailer are refused with their line" {
    printf 'pass\ttpot_p50\n1\t5\n0\t5\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run warmcrop "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 2 ] && [[ $output == *"t.tsv:3: passes out of order"* ]]
    printf 'pass\tpass\n1\t5\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run warmcrop "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 2 ] && [[ $output == *"t.tsv:1: column 'pass' stands twice"* ]]
    printf '#steadytools\tpasses\t1\n#run\t{}\npass\ttpot_p50\n0\t5\n#end\t{"rows":1}\n1\t5\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run warmcrop "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 2 ] && [[ $output == *"t.tsv:6: a row after the trailer"* ]]
}
