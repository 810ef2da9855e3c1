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

@test "what data frames and awk make of integers and truths is read" {
    printf 'request\ttracked\toutcome\tissued_ns\tdone_ns\noutput\tTrue\tcompleted\t1000.0\t6e+10\nb\tFalse\tunfinished\tnan\t\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -c "goodput -a -g e2e:1 --unobserved fail -o ndjson '$BATS_TEST_TMPDIR/t.tsv' | jq -c 'select(.request) | [.tracked, .issued_ns, .done_ns]'"
    [ "${lines[0]}" = '[1,1000.0,6e+10]' ] || [ "${lines[0]}" = '[1,1000,60000000000]' ]
    [ "${lines[1]}" = '[0,null,null]' ]
}

@test "control characters of another tool's table are spelled out once, in both spellings" {
    printf '{"request":"a\\tb\\n\\u001b[31m","outcome":"completed","e2e_ns":1,"mine":"x\\u007f"}\n' >"$BATS_TEST_TMPDIR/t.ndjson"
    goodput -a -g e2e:1 -H -o tsv "$BATS_TEST_TMPDIR/t.ndjson" >"$BATS_TEST_TMPDIR/a.tsv"
    goodput -a -g e2e:1 -H -o tsv "$BATS_TEST_TMPDIR/a.tsv" >"$BATS_TEST_TMPDIR/b.tsv"
    goodput -a -g e2e:1 -H -o ndjson "$BATS_TEST_TMPDIR/a.tsv" | goodput -a -g e2e:1 -H -o tsv >"$BATS_TEST_TMPDIR/c.tsv"
    grep -qF 'a\u0009b\u000a\u001b[31m' "$BATS_TEST_TMPDIR/a.tsv"
    grep -qF 'x\u007f' "$BATS_TEST_TMPDIR/a.tsv"
    cmp "$BATS_TEST_TMPDIR/a.tsv" "$BATS_TEST_TMPDIR/b.tsv"
    cmp "$BATS_TEST_TMPDIR/a.tsv" "$BATS_TEST_TMPDIR/c.tsv"
}

@test "rows without a column are no table" {
    for head in '' '{"#steadytools":"ledger","version":1,"columns":[],"run":{},"pg":[]}'; do
        printf '%s\n{}\n' "$head" >"$BATS_TEST_TMPDIR/t"
        run goodput -g e2e:1 "$BATS_TEST_TMPDIR/t"
        [ "$status" = 2 ] && [ "$output" = "goodput: $BATS_TEST_TMPDIR/t: no table: rows without a column" ]
    done
}

@test "a TAB in a quoted cell is spelled out, too" {
    printf 'request\toutcome\te2e_ns\tmine\n"a\tb"\tcompleted\t1\t"#\t""x"\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -c "goodput -a -g e2e:1 -H '$BATS_TEST_TMPDIR/t.tsv' | tail -n 1 | cut -f 1,4"
    [ "$output" = $'a\\u0009b\t"#\\u0009""x"' ]
    goodput -a -g e2e:1 -H -o ndjson "$BATS_TEST_TMPDIR/t.tsv" | grep -qF '"request":"a\\u0009b"'
}

@test "text that is not UTF-8 is refused with its line" {
    printf 'request\toutcome\te2e_ns\na\tcompleted\t1\nb\xff\tcompleted\t1\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run goodput -a -g e2e:1 "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 2 ] && [[ $output == *"t.tsv:3: not valid UTF-8"* ]]
    printf 'request\toutcome\te2e_ns\né\tcompleted\t1\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -c "goodput -a -g e2e:1 -H '$BATS_TEST_TMPDIR/t.tsv' | tail -n 1 | cut -f 1"
    [ "$output" = é ]
}

@test "unknown columns come after the known" {
    printf 'mine\trequest\toutcome\tyours\te2e_ns\n1\ta\tcompleted\t2\t3\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -c "goodput -a -g e2e:1 -H '$BATS_TEST_TMPDIR/t.tsv'"
    [ "${lines[0]}" = "$(printf 'request\toutcome\te2e_ns\tmine\tyours\tdisposition\tmiss')" ]
    [ "${lines[1]}" = "$(printf 'a\tcompleted\t3\t1\t2\taccepted\t')" ]
}

@test "a table of something else is refused by name" {
    printf 'a\tb\n1\t2\n' >"$BATS_TEST_TMPDIR/t.tsv"
    for t in warmcrop tailguard plateau; do
        run "$t" "$BATS_TEST_TMPDIR/t.tsv"
        [ "$status" = 2 ] && [[ $output == *"not a table of passes"* ]]
    done
    echo '{"kind":"goodput"}' >"$BATS_TEST_TMPDIR/t.json"
    run tailguard "$BATS_TEST_TMPDIR/t.json"
    [ "$status" = 2 ] && [[ $output == *"not a table of passes"* ]]
}

@test "an event log is no table of passes, though both speak of output_tokens" {
    small_run "$BATS_TEST_TMPDIR"
    run tailguard "$BATS_TEST_TMPDIR/ev2ledger.in"
    [ "$status" = 2 ] && [[ $output == *"not a table of passes"* ]]
}

@test "vectors of a pass that are not of one length are refused" {
    printf 'pass\tv_seq\tv_tpot\n0\t0,1,2\t5,5\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run tailguard "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 2 ] && [[ $output == *"t.tsv:2: column 'v_tpot' has 2 elements, not 3"* ]]
}

@test "a request that stands twice in a ledger is counted twice, and said" {
    printf 'request\toutcome\tissued_ns\na\tcompleted\t1\na\tcompleted\t2\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run --separate-stderr ledger2passes -s 1 -m poisson "$BATS_TEST_TMPDIR/t.tsv"
    [ "$status" = 0 ] && [[ $stderr == *"name came before"* ]] && [[ $output == *'"duplicates":1'* ]]
}

@test "stdin can be read once only" {
    printf 'request\toutcome\na\tcompleted\n' >"$BATS_TEST_TMPDIR/t.tsv"
    run bash -c "ledger2passes -s 1 - - <'$BATS_TEST_TMPDIR/t.tsv'"
    [ "$status" = 2 ] && [[ $output == *"stdin is named twice"* ]]
}
