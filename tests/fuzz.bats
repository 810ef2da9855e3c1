#!/usr/bin/env bats
# The fuzz targets on what the golden cases read, as plain programs: they build, and find nothing at fault.

load lib

# The targets of the event scanner and of tokenizer files are built as programs and run by events.bats and tokens.bats.

@test "adapters take any file" {
    local watched="jqmap jtok maprow classify format buf num" # the rest comes from the library as it is
    # shellcheck disable=SC2046
    cc -std=gnu11 -D_GNU_SOURCE -DFUZZ_MAIN -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
        $(printf -- "-I%s " "$ROOT"/lib/*/) -o "$BATS_TEST_TMPDIR/jqmap_fuzz" "$ROOT/tests/fuzz/jqmap_fuzz.c" \
        $(for m in $watched; do ls "$ROOT"/lib/*/$m.c; done) "$BUILD/lib/libsteady.a" \
        -ljansson -ljq -lcsv -lgsl -lgslcblas -lxxhash -lpcre2-8 -lutf8proc -lpthread -lm
    export ASAN_OPTIONS=detect_leaks=0 # libjq keeps its stack where the checker does not look
    for f in "$ROOT"/tests/cases/*/*/in.* "$ROOT"/tests/fuzz/*.c; do
        head -c 20000 "$f" >"$BATS_TEST_TMPDIR/cut"
        "$BATS_TEST_TMPDIR/jqmap_fuzz" "$BATS_TEST_TMPDIR/cut" >>"$BATS_TEST_TMPDIR/taken"
    done
    grep -q ': unknown' "$BATS_TEST_TMPDIR/taken"
    grep -qv ': unknown' "$BATS_TEST_TMPDIR/taken"
}

@test "libFuzzer targets build and run" {
    command -v clang >/dev/null || skip "no clang (make deps-fuzz)"
    cd "$BATS_TEST_TMPDIR"
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *s, unsigned long n) { return n > 1 && *s == 1; }' >none.c
    clang -fsanitize=fuzzer -o none none.c 2>/dev/null || skip "no libFuzzer (make deps-fuzz)"
    # shellcheck disable=SC2046
    clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        $(printf -- "-I%s " "$ROOT"/lib/*/) -o events_fuzz "$ROOT/tests/fuzz/events_fuzz.c" \
        $(for m in event events jtok buf die num in out; do ls "$ROOT"/lib/*/$m.c; done)
    mkdir corpus
    cp "$ROOT/tests/cases/ev2ledger/malformed/in.jsonl" corpus/
    run ./events_fuzz -runs=2000 -seed=1 -max_len=4000 corpus
    echo "${lines[-1]}"
    [ "$status" = 0 ]
}
