# Shared by the tests: paths, and one small run carried through every stage.
ROOT=${ROOT:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
BUILD=${BUILD:-$ROOT/build}
TOOLDIR=${TOOLDIR:-$ROOT/bin}
SHARED=${SHARED:-$ROOT/../shared}
PATH=$TOOLDIR:$PATH
export ROOT BUILD TOOLDIR SHARED PATH LC_ALL=C
bats_require_minimum_version 1.5.0

TOOLS="ev2ledger ledger2passes warmcrop tailguard plateau goodput render"

need_shared() { [ -e "$SHARED/$1" ] || skip "no reference data: $1"; }

# every N: a stride through what would take long to try in full, as STEADY_LONG=1 does.
every() { if [ -n "${STEADY_LONG:-}" ]; then echo 1; else echo "$1"; fi; }

# A fuzz target as a program, with sanitizers: it tries files and damaged copies of them (tests/fuzz/fuzz.h).
fuzz() {
    local target=$1
    shift
    # libjq and PCRE2 keep what a refused input had made
    (cd "$BATS_TEST_TMPDIR" && ASAN_OPTIONS=detect_leaks=0 "$ROOT/build/dev/fuzz/$target" "$@")
}

# A run of 24 requests in a closed loop of 3, dataset of 4, and what each stage makes of it.
small_run() {
    local d=$1 i t0 n
    {
        printf '{"event_type":"session.started","timestamp_ns":1000,"sample_uuid":""}\n'
        printf '{"event_type":"session.start_performance_tracking","timestamp_ns":2000,"sample_uuid":""}\n'
        for i in $(seq 0 23); do
            t0=$((1000000000 + i * 100000000))
            n=$((10 + i % 4))
            printf '{"event_type":"sample.issued","timestamp_ns":%d,"sample_uuid":"r%02d","data":["PromptData","prompt %d"]}\n' \
                $t0 "$i" $((i % 4))
            printf '{"event_type":"sample.recv_first","timestamp_ns":%d,"sample_uuid":"r%02d"}\n' $((t0 + 50000000)) "$i"
            printf '{"event_type":"sample.complete","timestamp_ns":%d,"sample_uuid":"r%02d","data":["TextModelOutput",["a","b c"]],"output_tokens":%d}\n' \
                $((t0 + 50000000 + (n - 1) * 20000000)) "$i" "$n"
        done
        printf '{"event_type":"session.stop_performance_tracking","timestamp_ns":9000000000,"sample_uuid":""}\n'
        printf '{"event_type":"session.ended","timestamp_ns":9000001000,"sample_uuid":""}\n'
    } >"$d/ev2ledger.in"
    ev2ledger "$d/ev2ledger.in" >"$d/ledger2passes.in"
    cp "$d/ledger2passes.in" "$d/goodput.in"
    ledger2passes -n 4 "$d/ledger2passes.in" >"$d/warmcrop.in"
    warmcrop "$d/warmcrop.in" >"$d/tailguard.in" 2>/dev/null
    tailguard "$d/tailguard.in" >"$d/plateau.in"
    plateau "$d/plateau.in" >"$d/render.in"
}

# The command line of a tool in these tests, without its operand.
line_of() {
    case $1 in
    ledger2passes) echo "ledger2passes -n 4" ;;
    goodput) echo "goodput -g ttft:60,tpot:25" ;;
    *) echo "$1" ;;
    esac
}
