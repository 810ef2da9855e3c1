#!/usr/bin/env bats
# What a tool does when memory, a read, a write or a thread fails it: the same bytes, or status 2 and one line.  Never a
# crash, never status 0 over less than the whole.  `make faults` tries more of the requests for memory.

load lib

# Every tool on the small run, and beside it the ways that take other code: spellings, documents, libjq, a tokenizer.
CASES="$TOOLS harness tokens ledger-ndjson passes-ndjson warmcrop-ndjson annotate quality segments plateau-tsv markdown flat"

sanitized() { nm -D "$TOOLDIR/ev2ledger" | grep -q __asan_; }

setup_file() {
    if sanitized; then return; fi
    local d=$BATS_FILE_TMPDIR c
    small_run "$d"
    cat >"$d/c.json" <<'END'
{"latency_ms":{"ttft":60},"quality":{"rule":".pass and .output_tokens > 0","evaluator":{"name":"exact","version":"1"}}}
END
    { printf 'request\tpass\tscore\n'; for i in $(seq 10 23); do printf 'r%d\t1\t0.%d\n' "$i" "$i"; done; } >"$d/verdicts"
    jq -n '{duration: 9, completed: 3, output_lens: [3, 3, 3], input_lens: [1, 2, 3], ttfts: [0.1, 0.2, 0.3], start_times: [1, 2, 3],
        itls: [[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], generated_texts: ["a", "b", "c"], errors: ["", "", ""]}' >"$d/harness.in"
    for c in $CASES; do
        # shellcheck disable=SC2046
        FAULTS='' FAULTS_COUNT=$d/$c.count LD_PRELOAD=$BUILD/faults.so $(command_of "$c") >"$d/$c.want" 2>"$d/$c.err" || return 1
    done
}

setup() {
    if sanitized; then skip "sanitizers bring their own memory"; fi
    D=$BATS_FILE_TMPDIR
    T=$BATS_TEST_TMPDIR
    ulimit -c 0
}

command_of() {
    local d=$BATS_FILE_TMPDIR
    case $1 in
    harness) echo "ev2ledger -q -f vllm $d/harness.in" ;;
    tokens) echo "ev2ledger -q --tokenizer $ROOT/tests/tokens/small.json $d/ev2ledger.in" ;;
    ledger-ndjson) echo "ev2ledger -q -o ndjson --sort $d/ev2ledger.in" ;;
    passes-ndjson) echo "ledger2passes -q -o ndjson -n 4 $d/ledger2passes.in" ;;
    warmcrop-ndjson) echo "warmcrop -q -o ndjson $d/warmcrop.in" ;;
    annotate) echo "goodput -q -g ttft:60 -a $d/goodput.in" ;;
    quality) echo "goodput -q -c $d/c.json --quality $d/verdicts $d/goodput.in" ;;
    segments) echo "goodput -q -g ttft:60 --by osl:0,11,12 --cohort 0:2 $d/goodput.in" ;;
    plateau-tsv) echo "plateau -q -o tsv $d/plateau.in" ;;
    markdown) echo "render -q -f markdown $d/render.in" ;;
    flat) echo "render -q -f tsv $d/render.in" ;;
    *) echo "$(line_of "$1") -q $d/$1.in" ;;
    esac
}

# calls CASE WHAT: how often it asked for memory, read, wrote
calls() { awk -v what="$2" '{ for (i = 1; i < NF; i += 2) if ($i == what) print $(i + 1) }' "$D/$1.count"; }

# faulty CASE FAULTS: runs it so; status in $status
faulty() {
    status=0
    # shellcheck disable=SC2046
    FAULTS=$2 LD_PRELOAD=$BUILD/faults.so $(command_of "$1") >"$T/out" 2>"$T/err" || status=$?
    tried=$((tried + 1))
}

whole() { [ "$status" = 0 ] && cmp -s "$T/out" "$D/$1.want" && cmp -s "$T/err" "$D/$1.err"; }
refuses() { [ "$status" = 2 ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -q "^$(command_of "$1" | cut -d' ' -f1): " "$T/err"; }

# libjq 1.6 does not check every request of its compiler, and then aborts; nothing has been written by then.
aborts() { [[ $1 == harness || $1 == quality ]] && [ "$status" -gt 128 ] && [ ! -s "$T/out" ] && aborted=$((aborted + 1)); }

broken() {
    echo "$1 under $2: status $status, $(wc -c <"$T/out") of $(wc -c <"$D/$1.want") bytes"
    head -n 5 "$T/err"
    return 1
}

# counted WHAT: for `make faults`, which prints how much was tried
counted() { [ -z "${FAULTS_ALL:-}" ] || echo "# $tried runs: $1${aborted:+, $aborted aborted by libjq}" >&3; }

# step N SAMPLE MORE: so that SAMPLE of N are tried at most, with `make faults` MORE
step() { if [ -n "${FAULTS_ALL:-}" ]; then echo $(($1 / $3 + 1)); else echo $(($1 / $2 + 1)); fi; }

@test "short and interrupted reads and writes change nothing" {
    tried=0
    for c in $CASES; do
        for how in read=short read=eintr write=short write=eintr read=short,read=eintr,write=short,write=eintr; do
            faulty "$c" "$how"
            whole "$c" || broken "$c" "$how"
        done
    done
    counted "short, interrupted"
}

@test "memory that fails once ends in the same bytes or in status 2 and one line" {
    tried=0 aborted=0
    for c in $CASES; do
        n=$(calls "$c" alloc) ended=0
        [ "$n" -gt 50 ]
        for ((i = 1; i <= n; i += $(step "$n" 15 "$FAULTS_ALL"))); do
            faulty "$c" "alloc=$i"
            whole "$c" || { refuses "$c" && grep -q 'memory' "$T/err" && ended=1; } || aborts "$c" || broken "$c" "alloc=$i"
        done
        [ $ended = 1 ] || broken "$c" "no fault had an effect"
    done
    counted "one request for memory fails"
}

@test "memory that fails from some point on ends in status 2 and one line" {
    tried=0 aborted=0
    for c in $CASES; do
        n=$(calls "$c" alloc) ended=0
        for ((i = 1; i <= n; i += $(step "$n" 8 100))); do
            faulty "$c" "allocs=$i"
            whole "$c" || { refuses "$c" && ended=1; } || aborts "$c" || broken "$c" "allocs=$i"
        done
        for ((size = 1 << 20; size >= 64; size /= 16)); do
            faulty "$c" "large=$size"
            whole "$c" || refuses "$c" || aborts "$c" || broken "$c" "large=$size"
        done
        [ $ended = 1 ] || broken "$c" "no fault had an effect"
    done
    counted "requests for memory fail from one on, or above a size"
}

@test "a read that fails is status 2 and one line" {
    tried=0
    for c in $CASES; do
        n=$(calls "$c" read) ended=0
        for ((i = 1; i <= n; i++)); do
            faulty "$c" "read=$i"
            whole "$c" || { refuses "$c" && grep -q 'Input/output error' "$T/err" && ended=1; } || broken "$c" "read=$i"
        done
        [ $ended = 1 ] || broken "$c" "no fault had an effect"
        for i in 100 400; do
            faulty "$c" "read=short,read=$i" # in the middle of a line
            whole "$c" || refuses "$c" || broken "$c" "read=short,read=$i"
        done
    done
    counted "a read fails"
}

@test "a write that fails, a disk that fills and a close that fails are status 2 and one line" {
    tried=0
    for c in $CASES; do
        size=$(wc -c <"$D/$c.want")
        for how in write=1 write=short,write=2 write=short,write=100 close full=0 full=1 full=100 "full=$((size / 2))" "full=$((size - 1))"; do
            faulty "$c" "$how"
            refuses "$c" || broken "$c" "$how"
            case $how in
            full=*) [ "$(wc -c <"$T/out")" = "${how#full=}" ] && cmp -s -n "${how#full=}" "$T/out" "$D/$c.want" || broken "$c" "$how" ;;
            esac
        done
        faulty "$c" "full=$size" # just enough
        whole "$c" || broken "$c" "full=$size"
    done
    counted "a write or the close of stdout fails, or the disk fills"
}

@test "a file that cannot be opened is status 2 and one line" {
    tried=0
    for c in $CASES; do
        ended=0
        for i in 1 2 3 4; do # one is the seed of a hash table, which has others
            faulty "$c" "open=$i"
            whole "$c" || { refuses "$c" && grep -q 'Too many open files' "$T/err" && ended=1; } || broken "$c" "open=$i"
        done
        [ $ended = 1 ] || broken "$c" "no fault had an effect"
    done
    counted "a file cannot be opened"
}

@test "threads that cannot be started change nothing" {
    tried=0
    "$BUILD/synth" --concurrency 8 --passes 100 --dataset 40 --seed 7 --wire field >"$T/log"
    FAULTS_COUNT=$T/count LD_PRELOAD=$BUILD/faults.so ev2ledger -t 4 "$T/log" >"$T/want"
    grep -q 'thread 3' "$T/count"
    for i in 1 2 3; do
        FAULTS=thread=$i LD_PRELOAD=$BUILD/faults.so ev2ledger -t 4 "$T/log" | cmp - "$T/want"
        tried=$((tried + 1))
    done
    counted "threads cannot be started"
}

@test "without stdin or stderr nothing is lost" {
    tried=0
    for t in $TOOLS; do
        status=0
        line=$(command_of "$t")
        $line 2>&- >"$T/out" || status=$?
        [ "$status" = 0 ] && cmp -s "$T/out" "$D/$t.want" || broken "$t" "closed stderr"
        $line <&- 2>/dev/null >"$T/out" || status=$?
        [ "$status" = 0 ] && cmp -s "$T/out" "$D/$t.want" || broken "$t" "closed stdin"
        status=0
        ${line% *} - <&- >"$T/out" 2>"$T/err" || status=$?
        refuses "$t" || broken "$t" "closed stdin that is read"
        tried=$((tried + 3))
    done
    counted "descriptors closed"
}

@test "valgrind finds no error and no lost memory" {
    command -v valgrind >/dev/null || skip "valgrind is not installed"
    run bash "$ROOT/tests/faults/memcheck.sh" ev2ledger plateau # make memcheck: all seven
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c 'status 0, definitely lost 0 bytes, 0 errors' <<<"$output")" = 2 ]
}
