#!/usr/bin/env bats
# Every parser on bytes that nobody would write: the fuzz targets on their corpus and thousands of damaged copies of it.  The
# targets of the event scanner and of tokenizer files are run by events.bats and tokens.bats as well.

load lib

corpus() { echo "$ROOT/tests/fuzz/corpus/$1"; }

# TARGET COPIES: the corpus and copies.  Enough of both kinds must be there, taken and refused, for the oracle to mean
# something; a target that takes everything says so by ALL.
try() {
    run fuzz "$1" "$2" "$(corpus "$1")"/*
    echo "$output"
    [ "$status" = 0 ]
    read -r inputs _ accepted _ <<<"${output//,/}"
    [ "$inputs" -ge $(($2 * $(find "$(corpus "$1")" -type f | wc -l))) ]
    [ "$accepted" -gt $((inputs / 20)) ]
    if [ "${3:-}" != all ]; then [ "$accepted" -lt "$inputs" ]; fi
}

@test "tables: cells as libcsv, objects as jansson, the same after every spelling" { try table 400; }
@test "ledgers: the same after TSV, NDJSON and TSV" { try ledger 300; }
@test "passes: the same after TSV, NDJSON and TSV" { try passes 300; }
@test "contracts: the document of a contract is that contract" { try contract 500; }
@test "documents: as jansson reads them, the same as JSON and as lines" { try doc 1000 all; }
@test "reports: every page is made of any members" { try report 100; }
@test "event lines: the fast path finds what the full parser finds" { try events 100 all; }
@test "event logs: one ledger, whatever the threads, sorted or not" { try join 40; }
@test "jq programs: any document" { try jqmap 200 all; }
@test "adapters: any file of each harness" { try adapters 100; }
@test "tokenizers: any file, any text" { try tokens 100; }

@test "every target has a corpus, and every corpus a target" {
    diff <(cd "$ROOT/tests/fuzz" && ls -d -- *_fuzz.c | sed 's/_fuzz\.c$//') <(ls "$ROOT/tests/fuzz/corpus")
    while read -r f; do grep -q "try $f " "$BATS_TEST_FILENAME"; done < <(ls "$ROOT/tests/fuzz/corpus")
}

# An oracle that nothing can offend is none.
@test "a target stops at what is at fault" {
    cat >"$BATS_TEST_TMPDIR/none_fuzz.c" <<'C'
#include <stdlib.h>

#include "die.h"
#include "fuzz.h"

static void try(struct view input) {
    char *p = malloc(8);
    if (input.n > 0 && input.s[0] == 'a') fuzz_accepted();
    if (input.n > 0 && strchr("ar", input.s[0])) die("refused");
    if (input.n > 0 && input.s[0] == 'l') return;
    if (input.n > 0 && input.s[0] == 'm') fprintf(stderr, "two\nlines\n");
    free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_attempt(try, (struct view){(const char *)data, size});
    return 0;
}
C
    cd "$BATS_TEST_TMPDIR"
    wraps=$(make -s -C "$ROOT" print-fuzz-wrap)
    # shellcheck disable=SC2046,SC2086
    cc -std=gnu11 -D_GNU_SOURCE -DFUZZ_MAIN -fsanitize=address,undefined $(printf -- "-I%s " "$ROOT"/lib/*/) -I"$ROOT/tests/fuzz" \
        $wraps -o none none_fuzz.c "$ROOT/tests/fuzz/fuzz.c" "$ROOT/build/dev/lib/libsteady.a" -ljansson -lcsv
    for input in r f; do
        echo "$input" >in
        ASAN_OPTIONS=detect_leaks=0 ./none 0 in
    done
    while read -r input why; do
        echo "$input" >in
        run env ASAN_OPTIONS=detect_leaks=0 ./none 0 in
        [ "$status" -gt 128 ]
        [[ ${lines[-1]} == "fuzz: $why" ]]
        cmp in fuzz.fault
    done <<'FAULTS'
a ended on what it had accepted
l memory was not freed
m a message that is not one printable line
FAULTS
}

@test "libFuzzer runs a target" {
    command -v clang >/dev/null || skip "no clang (make deps-fuzz)"
    cd "$BATS_TEST_TMPDIR"
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *s, unsigned long n) { return n > 1 && *s == 1; }' >none.c
    clang -fsanitize=fuzzer -o none none.c 2>/dev/null || skip "no libFuzzer (make deps-fuzz)"
    # shellcheck disable=SC2046
    clang -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize=pointer-overflow \
        -fno-sanitize-recover=undefined $(printf -- "-I%s " "$ROOT"/lib/*/) -I"$ROOT/tests/fuzz" $(make -s -C "$ROOT" print-fuzz-wrap) \
        -o contract "$ROOT"/tests/fuzz/{contract_fuzz,fuzz}.c "$ROOT"/lib/rows/contract.c \
        "$ROOT"/lib/base/{buf,die,doc,in,num,out}.c -ljansson -lcsv
    cp -r "$(corpus contract)" learnt
    ASAN_OPTIONS=detect_leaks=0 run ./contract -runs=3000 -seed=1 -max_len=4000 -detect_leaks=0 learnt
    echo "${lines[-1]}"
    [ "$status" = 0 ]
}
