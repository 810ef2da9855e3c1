#!/usr/bin/env bats
# ev2ledger beyond its golden cases: a second reading of the rules, orders of lines, streaming, memory.

load lib

setup() { T=$BATS_TEST_TMPDIR; }

# The columns the join decides, as join_oracle.py writes them.
decided() {
    awk -F'\t' -v OFS='\t' '/^#/ || $1 == "request" { next }
        { print $1, $2, $3, $4, $6, $7, $8, $9, $10, $13, $16, $17, $18, $19, $20, $21, ($32 ~ /dup_done/ ? "dup" : "") }'
}

@test "rows agree with a second reading of the rules, streamed and sorted" {
    for seed in $(seq 1 25); do
        python3 "$ROOT/tests/oracle/join_oracle.py" --random "$seed" 60 >"$T/log"
        python3 "$ROOT/tests/oracle/join_oracle.py" "$T/log" >"$T/want"
        [ -s "$T/want" ]
        for how in "" --sort; do
            # shellcheck disable=SC2086
            ev2ledger -q $how "$T/log" | decided >"$T/got"
            diff "$T/want" "$T/got" || { echo "seed $seed $how"; return 1; }
        done
    done
}

@test "sorted, the order of lines means nothing" {
    # of two completes with one stamp the first line counts, so those are left out
    python3 "$ROOT/tests/oracle/join_oracle.py" --random 77 80 | grep -v '"output_tokens":9' >"$T/log"
    ev2ledger -q --sort "$T/log" >"$T/want"
    for seed in 1 2 3; do
        shuf --random-source=<(yes "$seed") "$T/log" >"$T/shuffled"
        ev2ledger -q --sort "$T/shuffled" | decided >"$T/got"
        diff <(decided <"$T/want") "$T/got"
    done
}

@test "a recorded run of a real engine: every request completed, in issue order" {
    need_shared data/llamacpp_c12.events.jsonl.xz
    xz -dc "$SHARED/data/llamacpp_c12.events.jsonl.xz" | ev2ledger >"$T/ledger"
    tail -n 1 "$T/ledger" | cut -f2 | jq -e '.rows == 33295 and .outcomes.completed == 33295 and .events == 99889 and
        .malformed == 0 and .late_lines == 0 and .orphan_ids == 0 and (.run | .tracking == "logged" and .truncated == false)'
    grep -v '^#' "$T/ledger" | tail -n +2 | awk -F'\t' '$2 != NR - 1 || $6 < last || $12 == "" && $17 > 0 { exit 1 } { last = $6 }'
}

@test "the example log gives the example ledger" {
    need_shared examples/small.events.jsonl
    rows() { grep -v '^#'; }
    diff <(rows <"$SHARED/examples/small.ledger.tsv") <(ev2ledger "$SHARED/examples/small.events.jsonl" | rows)
    facts() { tail -n 1 | jq -S '.["#end"] | del(.given_up, .reopened_late)'; }
    diff <(facts <"$SHARED/examples/small.ledger.ndjson") \
        <(ev2ledger -o ndjson "$SHARED/examples/small.events.jsonl" | facts)
}

@test "the shipped jq rule and the native one name the same outcomes" {
    for case in outcomes error_then_complete; do
        log=$ROOT/tests/cases/ev2ledger/$case/in.jsonl
        diff <(ev2ledger -H "$log") <(ev2ledger -H --classify "$ROOT/lib/adapters/classify.jq" "$log")
    done
}

@test "both spellings carry the same ledger" {
    log=$ROOT/tests/cases/ev2ledger/labels/in.jsonl
    diff <(ev2ledger "$log" | grep -v '^#') <(ev2ledger -o ndjson "$log" | ev2ledger -o tsv | grep -v '^#')
    diff <(ev2ledger -o ndjson "$log" | grep -v '#') <(ev2ledger "$log" | ev2ledger -o ndjson | grep -v '#')
}

@test "rows leave while the log is still being written" {
    mkfifo "$T/log"
    ev2ledger -H "$T/log" >"$T/out" &
    pid=$!
    exec 7>"$T/log"
    {
        printf '{"event_type":"session.start_performance_tracking","timestamp_ns":0}\n'
        printf '{"event_type":"sample.issued","timestamp_ns":1000,"sample_uuid":"a"}\n'
        printf '{"event_type":"sample.complete","timestamp_ns":2000,"sample_uuid":"a"}\n'
        printf '{"event_type":"sample.issued","timestamp_ns":9000000000,"sample_uuid":"b"}\n'
    } >&7
    for _ in $(seq 50); do
        grep -q '^a' "$T/out" && break
        sleep 0.1
    done
    grep -q '^a' "$T/out"
    run ! grep -q '^b' "$T/out"
    exec 7>&-
    wait "$pid"
    grep -q '^b' "$T/out"
}

# peak MAX_KB COMMAND...: fails if the command needs more memory
peak() {
    local max=$1 kb
    shift
    [ "$BUILD" != "$ROOT/build/dev" ] || skip "sanitizers take memory of their own"
    /usr/bin/time -f %M -o "$T/kb" "$@" >/dev/null
    kb=$(cat "$T/kb")
    echo "$kb kB of $max"
    [ "$kb" -le "$max" ]
}

@test "memory: 16 MB and 200 bytes for each request in flight" {
    awk 'BEGIN {
        print "{\"event_type\":\"session.start_performance_tracking\",\"timestamp_ns\":0}"
        for (i = 0; i < 200000; i++)
            printf "{\"event_type\":\"sample.issued\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"%032d\"}\n", i + 1, i
        for (i = 0; i < 200000; i++)
            printf "{\"event_type\":\"sample.complete\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"%032d\"}\n", 1e9 + i * 1e5, i
    }' >"$T/log"
    peak $((16000 + 200 * 200)) ev2ledger "$T/log"
}

@test "memory: 16 MB and 16 bytes for each finished id" {
    awk 'BEGIN {
        print "{\"event_type\":\"session.start_performance_tracking\",\"timestamp_ns\":0}"
        for (i = 0; i < 400000; i++)
            printf "{\"event_type\":\"sample.issued\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"%032d\"}\n{\"event_type\":\"sample.complete\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"%032d\"}\n", i * 1e7 + 1, i, i * 1e7 + 5e6, i
    }' >"$T/log"
    peak $((16000 + 400 * 16)) ev2ledger "$T/log"
}

@test "prompts and outputs never reach stdout or stderr" {
    {
        printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"a","data":["PromptData","SECRET"]}\n'
        printf '{"event_type":"sample.complete","timestamp_ns":2,"sample_uuid":"a","data":["TextModelOutput",["SECRET","SECRET"]]}\n'
        printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"b","data":"SECRET"}\n'
        printf '{"event_type":"sample.complete","timestamp_ns":2,"sample_uuid":"b","data":["ErrorData","E","SECRET"]}\n'
        printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"SECRET\n'
        printf '{"SECRET":"SECRET","event_type":7}\nSECRET\n'
    } >"$T/log"
    run ev2ledger -v "$T/log"
    [ "$status" = 0 ]
    [[ $output != *SECRET* ]]
}

@test "neither the number of threads nor the size of reads shows" {
    "$BUILD/synth" --preset two-chunk --requests 8000 >"$T/log"
    [ "$(wc -c <"$T/log")" -gt 5000000 ] # less is read by one thread whatever is asked for
    ev2ledger -t 1 "$T/log" >"$T/one"
    [ "$(wc -l <"$T/one")" = 8005 ]
    for n in 2 3 4; do
        ev2ledger -t "$n" "$T/log" | cmp - "$T/one"
        ev2ledger -t "$n" <"$T/log" | cmp - "$T/one"
        # shellcheck disable=SC2002
        cat "$T/log" | ev2ledger -t "$n" | cmp - "$T/one"
        for size in 777 65537 3000000; do
            dd if="$T/log" bs="$size" status=none | ev2ledger -t "$n" | cmp - "$T/one"
        done
    done
}

@test "--tokenizer counts text where no count is recorded" {
    python3 - >"$T/ranks.tiktoken" <<'RANKS'
import base64
for rank, token in enumerate([bytes([b]) for b in range(256)] + [b"ab", b"abc"]):
    print(base64.b64encode(token).decode(), rank)
RANKS
    {
        printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"a"}\n{"event_type":"sample.recv_first","timestamp_ns":2,"sample_uuid":"a"}\n'
        printf '{"event_type":"sample.complete","timestamp_ns":8,"sample_uuid":"a","data":["TextModelOutput",["ab","abcx"]]}\n'
        printf '{"event_type":"sample.issued","timestamp_ns":9,"sample_uuid":"b"}\n'
        printf '{"event_type":"sample.complete","timestamp_ns":10,"sample_uuid":"b","data":["TextModelOutput","ab"],"output_tokens":7}\n'
    } >"$T/log"
    ev2ledger -q --tokenizer "$T/ranks.tiktoken" "$T/log" >"$T/out"
    [ "$(awk -F'\t' '$1 == "a" { print $12, $16, $17 }' "$T/out")" = "3 3 2" ] # ab|abc|x, and abc|x after the first chunk
    [ "$(awk -F'\t' '$1 == "b" { print $16 }' "$T/out")" = 7 ]
    sed -n 's/^#run\t//p' "$T/out" | jq -e '.definitions.tokenizer | test("258 tokens")'
    run --separate-stderr ev2ledger --tokenizer "$T/ranks.tiktoken" --tokens-cmd wc "$T/log"
    [ "$status" = 2 ]
}

# retried N K: N requests in order of issue, each K-th of which is sent twice
retried() {
    awk -v n="$1" -v k="$2" 'BEGIN { for (i = 0; i < n; i++) {
        issued = "{\"event_type\":\"sample.issued\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"r%d\"}\n"
        t = 1e9 + i * 1e6
        printf issued, t, i
        if (i % k == 0) printf issued, t + 500, i
        printf "{\"event_type\":\"sample.complete\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"r%d\"}\n", t + 5e6, i } }'
}

@test "a long log with retries that is read from its end is sorted in no more than a moment" {
    cd "$BATS_TEST_TMPDIR"
    retried 200000 50 >log
    ev2ledger -q --sort log | grep -v '^#pg' >want
    tac log >reversed
    timeout 30 ev2ledger -q --sort reversed | grep -v '^#pg' | cmp - want
}

@test "lines far out of place are not taken for ids that are used again" {
    cd "$BATS_TEST_TMPDIR"
    retried 30000 10 | awk 'BEGIN { srand(1) } { printf "%.9f\t%s\n", rand(), $0 }' | sort -k 1,1 | cut -f 2- >log
    run -2 --separate-stderr ev2ledger -q log
    [[ $stderr == *"lines are out of place by more than --slack; --sort takes any order"* ]]
    ev2ledger -q --sort log | grep -q '"rows":30000,'
    for k in 1 2 3; do
        for i in $(seq 10 21); do
            printf '{"event_type":"sample.issued","timestamp_ns":%d0000000%d,"sample_uuid":"a%d"}\n' $((k * 100)) "$i" "$i"
            printf '{"event_type":"sample.complete","timestamp_ns":%d0000001%d,"sample_uuid":"a%d"}\n' $((k * 100)) "$i" "$i"
        done
    done >log
    run -2 --separate-stderr ev2ledger -q log # each sent three times, long after its row has left
    [[ $stderr == *"12 ids are issued again"*"--ids-reused makes a row of each issue"* ]]
}

@test "an option that leaves nothing to do says so" {
    cd "$BATS_TEST_TMPDIR"
    retried 3 9 >log
    ev2ledger -q log >ledger
    run --separate-stderr ev2ledger --latency-from issued --sort ledger
    [ "$status" = 0 ]
    [[ $stderr == *"--sort: only an event log is read by it, and this is 'ledger'"* ]]
    [[ $stderr == *"--latency-from: a ledger is copied as it is"* ]]
    run --separate-stderr ev2ledger --latency-from issued --sort log
    [[ $stderr != *"--sort:"* && $stderr != *"--latency-from:"* ]]
    run --separate-stderr ev2ledger ledger
    [ "$stderr" = "" ]
}
