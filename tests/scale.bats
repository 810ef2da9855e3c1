#!/usr/bin/env bats
# Long runs, streamed: what the tools hold of them (`make scale` takes 100 million requests).

load lib

@test "a million requests go through within the memory that the manual pages state" {
    if nm -D "$TOOLDIR/ev2ledger" | grep -q __asan_; then skip "sanitizers take memory of their own"; fi
    run bash "$ROOT/tests/scale/scale.sh" 1000000
    echo "$output"
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 6 ]
}

@test "the generator's ledger is what its log gives" {
    cd "$BATS_TEST_TMPDIR"
    "$BUILD/rows" ledger 5000 | grep -v '^#' | cut -f 1-29,31- >want # all but the hash of the prompt
    "$BUILD/rows" events 5000 | ev2ledger | grep -v '^#' | cut -f 1-29,31- >got
    cmp want got
}
