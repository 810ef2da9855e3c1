#!/usr/bin/env bats
# The benchmark runs and says what it promises, whatever its figures.

load lib

@test "the benchmark measures every comparison that is installed, and says which is not" {
    [ "$BUILD" != "$ROOT/build/dev" ] || skip "sanitizers take time of their own"
    BENCH_MB=5 BENCH_ROUNDS=1 BENCH_DIR=$BATS_TEST_TMPDIR run --separate-stderr bash "$ROOT/tests/bench/bench.sh"
    echo "$output"
    echo "$stderr"
    [ "$status" = 0 ]
    [ -z "$stderr" ]
    table=$output
    run ! grep -E 'failed|nan|inf' <<<"$table"
    for what in "two-chunk-5 .*2 threads .*cat" "two-chunk-5 .*memchr" "long-5 .*memchr" "tiny-5 .*wc" \
        "offline-5 .*wc" "two-chunk-5-part .* jq|no jq here" "tiny-5-part .* python3|no python3 here" \
        "tiny-5 .*simdjson|no simdjson here" "two-chunk-5 .*whole pipeline" "ledger-5 .*goodput" \
        "5000 rows: .* MB/s" "bytes a request above 16 MB" "50000 values .*percentile" \
        "both profiles, the slowest series"; do
        grep -Eq "$what" <<<"$table" || { echo "not there: $what"; return 1; }
    done
}

@test "run measures commands by turns that begin with another each: time, memory, and that one fails" {
    printf '%s\n' a b >"$BATS_TEST_TMPDIR/want"
    run --separate-stderr "$BUILD/bench/run" 3 "sleep 0.05; echo a >>$BATS_TEST_TMPDIR/ran" "false" \
        "dd if=/dev/zero bs=50M count=1 status=none; echo b >>$BATS_TEST_TMPDIR/ran"
    [ "$status" = 0 ]
    [ "$(tr -d '\n' <"$BATS_TEST_TMPDIR/ran")" = abbaba ]
    [ "${lines[1]}" = "-"$'\t'"-"$'\t'"-"$'\t'"-"$'\t'"-" ]
    echo "$output"
    awk -F '\t' 'NR == 1 && ($1 < .05 || $2 > .05 || $3 > $1) { exit 1 } NR == 3 && $5 < 50000 { exit 1 }' <<<"$output"
}
