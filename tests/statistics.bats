#!/usr/bin/env bats
# The statistics against independent values: stat_check reads them from a file, stat_traps carries the cases in which a
# plausible implementation goes wrong, segment_check finds plateaus and story_check likelihoods a second time, by their definition.

setup_file() {
    bats_require_minimum_version 1.5.0
    export ROOT="${ROOT:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}"
    export BUILD="${BUILD:-$ROOT/build}"
    local check
    for check in stat_check stat_traps segment_check story_check; do
        [ -x "$BUILD/$check" ] || make -s -C "$ROOT" "build/$check"
    done
}

# Show what failed, and only that.
checks() {
    run --separate-stderr "$@"
    grep -v '^ok ' <<<"$output" >&2 || true
    [ "$status" -eq 0 ]
    [ "$(grep -c '^ok ' <<<"$output")" -gt 0 ]
}

@test "statistics agree with the committed reference values" {
    checks "$BUILD/stat_check" "$ROOT/tests/fixtures/vectors_small.json"
}

@test "statistics agree with the full set of reference values" {
    [ -r "$ROOT/../shared/vectors.json" ] || skip "../shared/vectors.json is not here"
    checks "$BUILD/stat_check" "$ROOT/../shared/vectors.json"
}

@test "the traps of each statistic" {
    checks "$BUILD/stat_traps"
}

@test "likelihoods of level, line, step and ramp are those of the definition" {
    checks "$BUILD/story_check"
}

@test "a wrong reference value is noticed" {
    sed 's/"S":27/"S":28/' "$ROOT/tests/fixtures/vectors_small.json" >"$BATS_TEST_TMPDIR/wrong.json"
    run --separate-stderr "$BUILD/stat_check" "$BATS_TEST_TMPDIR/wrong.json"
    [ "$status" -eq 1 ]
    [ "$(grep -c '^not ok ' <<<"$output")" -eq 1 ]
    [[ "$output" == *"not ok alt_drift10 mk s: 27 28"* ]]
}

@test "a file without reference values is an error" {
    echo '{' >"$BATS_TEST_TMPDIR/broken.json"
    run "$BUILD/stat_check" "$BATS_TEST_TMPDIR/broken.json"
    [ "$status" -eq 2 ]
    echo '{}' >"$BATS_TEST_TMPDIR/empty.json"
    run "$BUILD/stat_check" "$BATS_TEST_TMPDIR/empty.json"
    [ "$status" -eq 1 ]
}

@test "plateaus of random series are those of the definition" {
    checks "$BUILD/segment_check"
}

# The example's ramp is its first pass.
@test "plateaus of the shared example" {
    local passes="$ROOT/../shared/examples/run.passes.tsv"
    [ -r "$passes" ] || skip "../shared/examples is not here"
    awk -F '\t' -v OFS='\t' '$1 == "0" { $3 = "warmup" } { print }' "$passes" >"$BATS_TEST_TMPDIR/passes.tsv"
    run "$BUILD/segment_check" "$BATS_TEST_TMPDIR/passes.tsv"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "robust [0,20) 0 1 [20,32) 0 1" ]
    [[ "${lines[1]}" == "design [0,20) "* ]]
}

@test "numbers of a report that another program made" {
    local example="$ROOT/../shared/examples/run"
    [ -r "$example.steady.json" ] || skip "../shared/examples is not here"
    checks "$BUILD/stat_check" "$example.passes.tsv" "$example.steady.json"
}
