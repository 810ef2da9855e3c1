#!/usr/bin/env bats
# What a server or gateway says of the requests, joined to the ledger; and clocks, which are compared only when asked.

load lib

setup_file() { small_run "$BATS_FILE_TMPDIR"; }

setup() {
    D=$BATS_FILE_TMPDIR
    T=$BATS_TEST_TMPDIR
    # a server's rows about the small run: its clock is 5 s ahead, 2 ms there, 3 ms back
    awk 'BEGIN { OFS = "\t"; print "request", "queue_ms", "replica", "received_ns", "first_sent_ns", "done_ns"
        for (i = 0; i < 24; i++) { t = 1000000000 + i * 100000000; n = 10 + i % 4
            printf "r%02d\t%s\tgpu%d\t%.0f\t%.0f\t%.0f\n", i, i / 4, i % 2, t + 5002000000, t + 5047000000, t + 5047000000 + (n - 1) * 20000000 } }' >"$T/server.tsv"
}

own() { grep -v '^#' | cut -f1-32; }
joined() { grep -v '^#' | tail -n +2 | cut -f1,33-; }
trailer() { tail -n 1 "$1" | sed 's/^#end\t//' | jq -c '.["#end"] // .'; }

# ndjson FILE: a table as NDJSON, numbers as numbers
ndjson() {
    jq -Rnc '[inputs | split("\t")] | .[0] as $h | .[1:][] | [$h, .] | transpose
        | map({key: .[0], value: (.[1] | if . == "" then null else (tonumber? // .) end)}) | from_entries' "$1"
}

# refuses WHAT ARGUMENT...: status 2, nothing on stdout, and a reason that says so
refuses() {
    local what=$1
    shift
    run --separate-stderr ev2ledger "$@"
    [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *"$what"* ]] || { echo "$*: status $status: $stderr"; false; }
}

@test "the offset of two clocks against planted delays" {
    [ -x "$BUILD/offset_check" ] || make -s -C "$ROOT" build/offset_check
    run "$BUILD/offset_check"
    grep -v '^ok ' <<<"$output" >&2 || true
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<<"$output")" -ge 17 ]
}

@test "cells, offset, error and delays agree with a second reading, whatever the spelling" {
    for seed in $(seq 1 12); do
        python3 "$ROOT/tests/oracle/serverside_oracle.py" "$seed" $((seed * 7)) "$T"
        for server in server.tsv server.ndjson; do
            ev2ledger --join "$T/$server" --clock-offset auto "$T/log" >"$T/out" 2>"$T/err"
            joined <"$T/out" >"$T/got"
            trailer "$T/out" | jq -r '(.run.clock_offset | "\(.ns) \(.error_ns) \(.lower_ns) \(.upper_ns) ")
                + (.join | "\(.rows) \(.matched) \(.requests_without)")' >>"$T/got"
            # jq 1.6 knows doubles only: the numbers as they stand
            grep -oE '"clock_offset":.*' "$T/out" | grep -oE -- '-?[0-9]{4,}' | head -n 4 | xargs >"$T/exact"
            diff <(head -n -1 "$T/want") <(head -n -1 "$T/got") || { echo "seed $seed $server"; return 1; }
            [ "$(tail -n 1 "$T/want" | cut -d' ' -f 1-4)" = "$(cat "$T/exact")" ]
            [ "$(tail -n 1 "$T/want" | cut -d' ' -f 5-)" = "$(tail -n 1 "$T/got" | cut -d' ' -f 5-)" ]
            [ "$(grep -c 'clock offset .* wrong by at most' "$T/err")" = 1 ]
            [ "$(bc <<<"define a(x) { if (x < 0) return -x; return x; }
                a($(cut -d' ' -f1 "$T/exact") - $(cat "$T/truth")) <= $(cut -d' ' -f2 "$T/exact")")" = 1 ]
        done
    done
}

@test "the ledger's own columns are what they are without a join, held or not" {
    ev2ledger "$D/ev2ledger.in" | own >"$T/want"
    for clock in "" "--clock-offset auto" "--clock-offset=-5000000000"; do
        for how in "" --sort "-t 1" "-t 4"; do
            # shellcheck disable=SC2086
            ev2ledger -q --join "$T/server.tsv" $clock $how "$D/ev2ledger.in" >"$T/out"
            diff "$T/want" <(own <"$T/out")
            [ "$(trailer "$T/out" | jq -c '[.rows, .join.matched]')" = "[24,24]" ]
        done
    done
}

@test "no stamp of the server is compared unless an offset is given" {
    ev2ledger --join "$T/server.tsv" "$D/ev2ledger.in" >"$T/out" 2>"$T/err"
    [ ! -s "$T/err" ]
    diff <(tail -n +2 "$T/server.tsv") <(joined <"$T/out")
    [ "$(trailer "$T/out" | jq -c '[.join, .run.clock_offset]')" = '[{"rows":24,"matched":24,"unmatched_rows":0,"requests_without":0},null]' ]
}

@test "an offset that is given: its delays, and what contradicts it" {
    ev2ledger --join "$T/server.tsv" --clock-offset -5000000000 "$D/ev2ledger.in" >"$T/out" 2>"$T/err"
    [ ! -s "$T/err" ]
    [ "$(joined <"$T/out" | cut -f 7- | sort -u)" = "$(printf '2000000\t3000000\t3000000')" ]
    [ "$(trailer "$T/out" | jq -c '.run.clock_offset | [.source, .error_ns, .requests]')" = '["given",3000000,24]' ]
    # 4 ms too much: out becomes negative, which is missing and said
    run --separate-stderr ev2ledger --join "$T/server.tsv" --clock-offset -4996000000 "$D/ev2ledger.in"
    [ "$status" = 0 ]
    [ "$(joined <<<"$output" | cut -f 7- | sort -u)" = "$(printf '6000000\t\t')" ]
    [[ $stderr == *"asks for at most -4997000000 ns"*"48 delays would be negative and are missing"* ]]
}

@test "either spelling of the file, with or without a head, and either spelling of the ledger, hold the same" {
    ndjson "$T/server.tsv" >"$T/server.ndjson"
    { printf '#steadytools\tserver\t1\n'; cat "$T/server.tsv"; printf '#end\t{"rows":24}\n'; } >"$T/headed.tsv"
    for clock in "" "--clock-offset auto"; do
        # shellcheck disable=SC2086
        for f in server.tsv server.ndjson headed.tsv; do
            ev2ledger -q -H --join "$T/$f" $clock "$D/ev2ledger.in" >"$T/$f.tsv"
            ev2ledger -q -o ndjson --join "$T/$f" $clock "$D/ev2ledger.in" | ev2ledger -q -f ledger -H -o tsv >"$T/$f.copy"
            ev2ledger -q "$D/ev2ledger.in" | ev2ledger -q -f ledger -H --join "$T/$f" $clock >"$T/$f.late"
            cmp "$T/server.tsv.tsv" "$T/$f.tsv"
            cmp "$T/$f.tsv" "$T/$f.copy"
            cmp "$T/$f.tsv" "$T/$f.late"
        done
    done
    # the file by a pipe, and the log by a pipe
    ev2ledger -q -H --join - "$D/ev2ledger.in" <"$T/server.tsv" | cmp - <(ev2ledger -q -H --join "$T/server.tsv" <"$D/ev2ledger.in")
    refuses "stdin is named twice" --join - - <"$T/server.tsv"
}

@test "a gateway's own ledger can be joined" {
    ev2ledger "$D/ev2ledger.in" >"$T/gateway.tsv"
    run --separate-stderr ev2ledger -H --join "$T/gateway.tsv" "$D/ev2ledger.in"
    [ "$status" = 0 ] && [ -z "$stderr" ]
    [ "$(head -n 1 <<<"$output" | cut -f 33,34)" = "$(printf 'server_seq\tserver_tracked')" ]
    diff <(cut -f 1,14 <<<"$output" | tail -n +2) <(cut -f 1,45 <<<"$output" | tail -n +2)
    # a file that was cut short is used as far as it goes, and said to be
    head -n -3 "$T/gateway.tsv" >"$T/cut.tsv"
    run --separate-stderr ev2ledger --join "$T/cut.tsv" "$D/ev2ledger.in"
    [ "$status" = 0 ] && [[ $stderr == *"no trailer"* ]]
    echo "$output" >"$T/out"
    trailer "$T/out" | jq -e '.join.partial and (.run.partial | not)'
}

@test "the other stages carry the columns and report the same" {
    ndjson "$T/server.tsv" >"$T/server.ndjson"
    ev2ledger -q "$D/ev2ledger.in" >"$T/plain"
    ev2ledger -q --join "$T/server.tsv" --clock-offset auto "$D/ev2ledger.in" >"$T/tsv"
    ev2ledger -q -o ndjson --join "$T/server.ndjson" --clock-offset auto "$D/ev2ledger.in" >"$T/ndjson"
    for f in plain tsv ndjson; do
        ledger2passes -q -n 4 "$T/$f" | warmcrop -q | tailguard -q | plateau -q >"$T/$f.steady"
        goodput -q -g ttft:60,tpot:25 --window "$T/$f.steady" "$T/$f" >"$T/$f.goodput"
        goodput -q -g ttft:60,tpot:25 -a -o tsv -H "$T/$f" >"$T/$f.annotated"
        for report in steady goodput; do jq 'del(.run.clock_offset, .pg)' "$T/$f.$report" >"$T/$f.$report.rest"; done
        mkdir -p "$T/$f.run" # a page names its files, and says how they were made
        for report in steady goodput; do jq 'del(.pg)' "$T/$f.$report" >"$T/$f.run/$report.json"; done
        (cd "$T/$f.run" && render -q steady.json goodput.json) >"$T/$f.page"
    done
    for f in tsv ndjson; do
        for report in steady goodput; do
            cmp "$T/plain.$report.rest" "$T/$f.$report.rest"
            [ "$(jq -c '.run.clock_offset | [.source, .error_ns]' "$T/$f.$report")" = '["auto",2500000]' ]
        done
        cmp "$T/plain.page" "$T/$f.page"
    done
    cmp "$T/tsv.annotated" "$T/ndjson.annotated"
    diff <(cut -f 1-32 "$T/plain.annotated") <(cut -f 1-32 "$T/tsv.annotated")
    head -n 1 "$T/tsv.annotated" | grep -q "$(printf 'server_net_out_done_ns\tdisposition\tmiss')"
    [ "$(goodput -q -g ttft:60 --by server_replica "$T/ndjson" | jq -c '[.segments[] | [.segment, .offered]]')" = '[["gpu0",12],["gpu1",12]]' ]
}

@test "files of other harnesses: by their ids, in a column behind run, and never one row for two requests" {
    cases=$ROOT/tests/cases/adapters
    file=$(find "$cases/guidellm" -name 'in.*')
    ev2ledger -q -H -f guidellm --run 1 "$file" | cut -f 1 | tail -n +2 >"$T/ids"
    { printf 'prefill_ms\trequest\n'; awk '{ print NR "\t" $1 }' "$T/ids"; } >"$T/by_id"
    ev2ledger -q -H -f guidellm --run 1 --join "$T/by_id" "$file" >"$T/out"
    diff <(joined <"$T/out") <(awk '{ print $1 "\t" NR }' "$T/ids")
    # r1 is in both runs of the file, r2 in one
    refuses "by_id:2: the log has several requests of this key" -f guidellm --run all --join "$T/by_id" "$file"
    grep -v r1 "$T/by_id" >"$T/by_r2"
    ev2ledger -q -H -f guidellm --run all --join "$T/by_r2" "$file" >"$T/out"
    [ "$(head -n 1 "$T/out" | cut -f 33-)" = "$(printf 'run\tserver_prefill_ms')" ]
    # a file without times of day: nothing to compare, and it is said
    ev2ledger -q -H -f sglang "$(find "$cases/sglang" -name 'in.*')" | cut -f 1 | tail -n +2 |
        awk 'BEGIN { print "request\treceived_ns\tdone_ns" } { print $1 "\t1\t2" }' >"$T/sglang"
    run --separate-stderr ev2ledger -f sglang --join "$T/sglang" --clock-offset auto "$(find "$cases/sglang" -name 'in.*')"
    [ "$status" = 0 ] && [[ $stderr == *"no clock offset: "* ]]
    [ -z "$(joined <<<"$output" | cut -f 4- | tr -d '\t\n')" ]
    # one id in two records
    printf '%s\n' '{"id":"a"}' '{"id":"a"}' >"$T/twins"
    echo '{request: .id, outcome: "completed"}' >"$T/map.jq"
    printf 'request\tx\na\t1\n' >"$T/server"
    refuses "server:2: the log has several requests of this key" --map "$T/map.jq" --join "$T/server" "$T/twins"
    printf 'request\tx\na\t1\na#2\t2\n' >"$T/server"
    ev2ledger -q --map "$T/map.jq" --join "$T/server" "$T/twins" >"$T/out"
    [ "$(joined <"$T/out")" = "$(printf 'a\t1\na#2\t2')" ]
}

@test "what did not match is counted and said" {
    sed 's/^r0/q0/' "$T/server.tsv" >"$T/some"
    sed '2,$s/^r/q/' "$T/server.tsv" >"$T/none"
    head -n 1 "$T/server.tsv" >"$T/empty"
    while read -r file counts what; do
        run --separate-stderr ev2ledger --join "$T/$file" "$D/ev2ledger.in"
        [ "$status" = 0 ] && [[ $stderr == *"$what"* ]]
        echo "$output" >"$T/out"
        [ "$(trailer "$T/out" | jq -c '.join | [.rows, .matched, .unmatched_rows, .requests_without]')" = "$counts" ]
    done <<'EOF'
some [24,14,10,10] 10 requests have no row there, 10 of its 24 rows are of no request
none [24,0,24,24] none of its 24 rows is of any of the 24 requests
empty [0,0,0,24] none of its 0 rows
EOF
}

@test "what cannot be meant is refused" {
    log=$D/ev2ledger.in s=$T/server.tsv
    refuses "--clock-offset: there is nothing to join" --clock-offset auto "$log"
    refuses "--on: there is nothing to join" --on request "$log"
    refuses "neither auto nor an integer" --join "$s" --clock-offset 1.5 "$log"
    refuses "neither auto nor an integer" --join "$s" --clock-offset 9223372036854775808 "$log"
    refuses "neither auto nor an integer" --join "$s" --clock-offset "" "$log"
    for on in "" x request= =x request,,done=done_ns request=request,x=y; do
        [ -z "$on" ] || refuses "--on: '$on' is not request" --join "$s" --on "$on" "$log"
    done
    refuses "no column 'id': needed to find the request" --join "$s" --on request=id "$log"
    refuses "no column 'x': needed for --on" --join "$s" --on done=x --clock-offset auto "$log"
    refuses "does not end in its unit" --join "$s" --on received=replica --clock-offset auto "$log"
    refuses "is for --clock-offset only" --join "$s" --on received=received_ns "$log"
    refuses "needs a stamp of the receipt" --join <(cut -f 1-4 "$s") --clock-offset auto "$log"
    refuses "needs a stamp of the receipt" --join <(cut -f 1-3,5 "$s") --clock-offset auto "$log"
    refuses "none of the columns is a stamp" --join <(cut -f 1-3 "$s") --clock-offset 7 "$log"
    refuses "both look like the stamp 'received'" --join <(sed '1s/queue_ms/arrival_s/' "$s") --clock-offset 7 "$log"
    refuses ":3: column 'received_ns' is not a number" --join <(awk -F'\t' -v OFS='\t' 'NR == 3 { $4 = "noon" } 1' "$s") --clock-offset 7 "$log"
    refuses ":3: column 'done_ns' does not fit" --join <(awk -F'\t' -v OFS='\t' 'NR == 3 { $6 = "1e19" } 1' "$s") --clock-offset 7 "$log"
    refuses "would be called 'server_x'" --join <(printf 'request\tx\tserver_x\n') "$log"
    refuses "would be called 'server_net_in_ns'" --join <(sed '1s/queue_ms/net_in_ns/' "$s") --clock-offset 7 "$log"
    ev2ledger -q --join "$s" "$log" >"$T/once"
    refuses "would be called 'server_queue_ms'" --join "$s" "$T/once"
    refuses "column 'queue_ms' stands twice" --join <(sed '1s/replica/queue_ms/' "$s") "$log"
    refuses "the clocks drift apart" --join <(sed '$s/5002/4002/; $s/\t[0-9]*\t\([0-9]*\)$/\t99999999999\t\1/' "$s") --clock-offset auto "$log"
    refuses ":26: the key of line 2 once more" --join <(cat "$s"; sed -n 2p "$s") "$log"
    refuses "absent: No such file" --join "$T/absent" "$log"
    refuses "empty input" --join /dev/null "$log"
    refuses ": a NUL byte" --join <(printf 'request\tx\nr00\ta\0b\n') "$log"
    refuses ":2: not valid UTF-8" --join <(printf 'request\tx\nr00\ta\377b\n') "$log"
    refuses ":3: 3 cells where the header has 6 columns" --join <(sed '3s/\t[^\t]*\t[^\t]*\t[^\t]*$//' "$s") "$log"
}

@test "cells of a server are shown without control characters, and fit a row" {
    printf '%s\n' '{"request":"r00","a\tb":"x\u0000y\u001b[31m\n","n":[1,null],"o":{"k":"\u0007"},"big":123456789012345678901234567890}' >"$T/server"
    for how in "-o tsv" "-o ndjson"; do
        # shellcheck disable=SC2086
        ev2ledger -q -H $how --join "$T/server" "$D/ev2ledger.in" >"$T/out"
        ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$T/out"
        ev2ledger -q -f ledger -o tsv -H "$T/out" >"$T/tsv"
        [ "$(head -n 1 "$T/tsv" | cut -f 33-)" = "$(printf 'server_a\\u0009b\tserver_n\tserver_o\tserver_big')" ]
        [ "$(sed -n 2p "$T/tsv" | cut -f 33-)" = "$(printf '%s\t1,\t{"k":"\\u0007"}\t123456789012345678901234567890' 'x\u0000y\u001b[31m\u000a')" ]
    done
    # numbers as they stand, a stamp to the last digit, missing ones of every spelling, CR LF
    printf 'request\treceived_s\tdone_s\tn\r\nr00\t1769000000.123456789\tNaN\t1.50\r\nr01\t\t-inf\t#\r\n' >"$T/server"
    run --separate-stderr ev2ledger -H --join "$T/server" --clock-offset -1768999999000000000 "$D/ev2ledger.in"
    [ "$status" = 0 ]
    [ "$(joined <<<"$output" | head -n 2)" = "$(printf 'r00\t1769000000.123456789\tNaN\t1.50\t123456789\t\nr01\t\t-inf\t"#"\t\t')" ]
}

@test "damaged files of a server are refused with a reason, or read; never a crash" {
    ndjson "$T/server.tsv" >"$T/server.ndjson"
    cat >"$T/damage.py" <<'EOF'
import random, sys
whole = open(sys.argv[1], "rb").read()
for seed in range(1, 151, int(sys.argv[2])):
    rng, data = random.Random(seed), bytearray(whole)
    for _ in range(rng.randint(1, 6)):
        i, what = rng.randrange(len(data)), rng.randrange(5)
        if what == 0: data[i] = rng.choice(b'\0\t\n\r"#{}[],:\\\xff-e.0' + bytes([rng.randrange(256)]))
        elif what == 1: del data[i:i + rng.randint(1, 40)]
        elif what == 2: data[i:i] = data[i:i + rng.randint(1, 60)]
        elif what == 3: data[i:i] = rng.choice([b"9" * 30, b"\t", b'"', b"1e999", b"\\u0000", b"#end\t{}\n", b"\xef\xbb\xbf"])
        else: del data[i:]
        if not data: data = bytearray(b"\n")
    open(f"{sys.argv[1]}.damaged{seed}", "wb").write(data)
EOF
    refused=0 taken=0
    for f in server.tsv server.ndjson; do
        python3 "$T/damage.py" "$T/$f" "$(every 3)"
        for damaged in "$T/$f".damaged*; do
            for clock in "" "--clock-offset auto"; do
                status=0
                # shellcheck disable=SC2086
                ev2ledger --join "$damaged" $clock "$D/ev2ledger.in" >"$T/out" 2>"$T/err" || status=$?
                case $status in
                0) taken=$((taken + 1)); [ "$(trailer "$T/out" | jq .rows)" = 24 ] ;;
                2) refused=$((refused + 1)); [ -s "$T/err" ] ;;
                *) echo "$damaged $clock: status $status"; return 1 ;;
                esac
            done
        done
    done
    echo "$taken taken, $refused refused"
    [ $taken -gt 10 ] && [ $refused -gt 100 ]
}

@test "without an offset to be estimated rows leave as they come" {
    mkfifo "$T/pipe"
    ev2ledger -q --slack 0 --join "$T/server.tsv" <"$T/pipe" >"$T/out" &
    exec 7>"$T/pipe"
    head -n 20 "$D/ev2ledger.in" >&7
    for _ in $(seq 100); do
        grep -q '^r00' "$T/out" && break
        sleep 0.1
    done
    grep -q '^r00.*gpu0' "$T/out"
    exec 7>&-
    wait
}
