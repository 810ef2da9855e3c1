#!/usr/bin/env bats
# Inputs that nobody means well with: what of them is refused, and that the rest is still counted right.

load lib

setup_file() { small_run "$BATS_FILE_TMPDIR"; }

setup() {
    D=$BATS_FILE_TMPDIR
    T=$BATS_TEST_TMPDIR
    ESC=$'\e[31m\a'
}

is() { [ "$1" = "$2" ] || { echo "not '$2' but '$1'"; false; }; }

# ends COMMAND...: status 0, or 2 with a reason; never a crash
ends() {
    status=0
    "$@" >"$T/out" 2>"$T/err" || status=$?
    [ "$status" = 0 ] || { [ "$status" = 2 ] && [ -s "$T/err" ]; } || { echo "$*: status $status"; head -n 3 "$T/err"; false; }
}

# peak KB COMMAND...: runs within so much memory, sanitizers apart, which take their own; the output is left in $T/out
peak() {
    local max=$1 kb
    shift
    /usr/bin/time -f %M -o "$T/kb" "$@" >"$T/out"
    kb=$(tail -n 1 "$T/kb")
    [ "$BUILD" = "$ROOT/build/dev" ] || [ "$kb" -le "$max" ] || { echo "$*: $kb kB, more than $max"; false; }
}

event() { printf '{"event_type":"%s","timestamp_ns":%s,"sample_uuid":"%s"%s}\n' "$1" "$2" "$3" "${4:-}"; }

# raw FILE: whether it holds a control character that is neither a tab nor a newline
raw() { LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1"; }

# column NAME FILE: its cells
column() { awk -F'\t' -v name="$1" '/^#/ { next } !c { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"; }

# ---- numbers ----

@test "stamps are exact to 2^63-1, and beyond it a line is malformed" {
    for stamp in 9223372036854775807 9223372036854775806 4611686018427387904 0 1; do
        { event session.start_performance_tracking 0 ""; event sample.issued "$stamp" a; event sample.complete 9223372036854775807 a; } >"$T/log"
        ev2ledger -q "$T/log" >"$T/ledger"
        is "$(column issued_ns "$T/ledger") $(column done_ns "$T/ledger") $(column e2e_ns "$T/ledger")" \
            "$stamp 9223372036854775807 $(echo "9223372036854775807 - $stamp" | bc)"
        ledger2passes -q -n 1 -m concurrency "$T/ledger" | warmcrop -q | tailguard -q | plateau -q >"$T/steady"
        goodput -q -g e2e:60 "$T/ledger" >"$T/goodput"
        render -q "$T/steady" "$T/goodput" >"$T/page"
        is "$(jq .offered "$T/goodput")" 1
    done
    for stamp in 9223372036854775808 -9223372036854775809 18446744073709551616 1e300 1.5 99999999999999999999999999999999 '"12"' null '[]'; do
        { event sample.issued 1 a; event sample.issued "$stamp" b; event sample.complete 3 a; } >"$T/log"
        run --separate-stderr ev2ledger "$T/log"
        [ "$status" = 0 ] && [[ $stderr == *"log:2: byte "*"timestamp_ns is not an integer of 64 bits"* ]]
        is "$(grep '^#end' <<<"$output" | cut -f2 | jq -c '[.rows, .malformed]')" "[1,1]"
    done
}

@test "numbers of any size in a table end in a result or in status 2" {
    for t in ledger2passes goodput warmcrop tailguard plateau; do
        for n in 9223372036854775807 9223372036854775808 -9223372036854775808 -1 1e308 1e309 -0 00 0x10 "$(printf '9%.0s' {1..400})" "0.$(printf '1%.0s' {1..400})" 1e-400; do
            for c in 2 5 6 8 10 12 16; do
                awk -F'\t' -v OFS='\t' -v c=$c -v n="$n" '/^#/ || !head++ || done++ { print; next } { $c = n; print }' "$D/$t.in" >"$T/in"
                # shellcheck disable=SC2046
                ends $(line_of $t) -q "$T/in"
            done
        done
    done
}

@test "what no reply can hold is no count, and one such event does not stop the run" {
    { event session.start_performance_tracking 0 ""; for i in 1 2; do
        event sample.issued $i r$i
        event sample.recv_first $((i + 5)) r$i
        event sample.complete $((i + 9)) r$i ',"output_tokens":9223372036854775807'
    done; } >"$T/log"
    ev2ledger -q "$T/log" >"$T/ledger"
    is "$(column output_tokens "$T/ledger" | tr -d '\n')" ""
    ledger2passes -q -n 1 "$T/ledger" >/dev/null
    goodput -q -g ttft:60 --aggregate "$T/ledger" >/dev/null
    awk -F'\t' -v OFS='\t' '/^#/ { print; next } !c { for (i = 1; i <= NF; i++) if ($i == "output_tokens") c = i } NR > 4 { $c = "9223372036854775807" } 1' "$T/ledger" >"$T/in"
    for t in "ledger2passes -n 1" "goodput -g ttft:60"; do
        run --separate-stderr $t "$T/in"
        [ "$status" = 2 ] && [[ $stderr == *"in:5: column 'output_tokens' is no count" ]]
    done
}

# ---- shapes ----

@test "deep nesting is refused by place, and never costs the stack" {
    for n in 600 5000 1000000; do
        {
            printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"a","data":'; head -c $n /dev/zero | tr '\0' '['; head -c $n /dev/zero | tr '\0' ']'; echo '}'
            event sample.issued 2 b
        } >"$T/log"
        run --separate-stderr ev2ledger "$T/log"
        [ "$status" = 0 ] && [[ $stderr == *"log:1: byte "*"nested too deeply" ]]
        is "$(grep -c '^b' <<<"$output")" 1
        { printf '{"kind":"steady","x":'; head -c $n /dev/zero | tr '\0' '['; head -c $n /dev/zero | tr '\0' ']'; echo '}'; } >"$T/report"
        ends render "$T/report"
        { printf 'kind\t"steady"\n'; head -c $n /dev/zero | tr '\0' '.'; printf '\t1\n'; } >"$T/report"
        ends render "$T/report"
        for t in ledger2passes goodput warmcrop tailguard plateau; do
            { head -n 1 "$D/$t.in"; printf '#run\t{"a":'; head -c $n /dev/zero | tr '\0' '['; head -c $n /dev/zero | tr '\0' ']'; echo '}'; sed 1,2d "$D/$t.in"; } >"$T/in"
            # shellcheck disable=SC2046
            ends $(line_of $t) -q "$T/in"
        done
        jq -nc '{"latency_ms": {"ttft": 1}}' | sed "s/1/$(head -c 600 /dev/zero | tr '\0' '[')/" >"$T/contract"
        ends goodput -c "$T/contract" "$D/goodput.in"
    done
}

# long MB: a log whose third line has a reply of so many
long() {
    event session.start_performance_tracking 0 ""
    event sample.issued 1 a
    printf '{"event_type":"sample.complete","timestamp_ns":9,"sample_uuid":"a","output_tokens":3,"data":["TextModelOutput","'
    head -c "$1M" /dev/zero | tr '\0' x
    printf '"]}\n'
    event sample.issued 11 b
    event sample.complete 19 b ',"output_tokens":4'
}

@test "a line of 64 MB costs its length, and the lines after it are read" {
    long 64 >"$T/log"
    peak $((16000 + 64 * 1024)) ev2ledger "$T/log"
    is "$(column done_ns "$T/out" | paste -sd ' ')" "9 19"
    is "$(column output_tokens "$T/out" | paste -sd ' ')" "3 4"
    ev2ledger <"$T/log" | cmp - "$T/out"
    cat "$T/log" | ev2ledger | cmp - "$T/out"
    for t in ledger2passes goodput warmcrop tailguard plateau; do # a column of one's own with a cell of 16 MB
        awk -F'\t' -v OFS='\t' 'BEGIN { x = "xxxxxxxxxxxxxxxx"; while (length(x) < 16777216) x = x x } /^#/ { print; next } { n++; print $0, n == 1 ? "own" : n == 3 ? x : "" }' \
            "$D/$t.in" >"$T/in"
        # shellcheck disable=SC2046
        $(line_of $t) -q "$T/in" >"$T/out"
        case $t in warmcrop | tailguard) [ "$(wc -c <"$T/out")" -gt 16777216 ] ;; esac
    done
}

@test "a line of 1 GB" {
    [ -n "${STEADY_BIG:-}" ] || skip "STEADY_BIG=1 asks for it"
    long 1024 >"$T/log"
    peak $((16000 + 1024 * 1024)) ev2ledger "$T/log"
    is "$(column output_tokens "$T/out" | paste -sd ' ')" "3 4"
}

@test "very many columns, and a pass of very many samples" {
    for t in ledger2passes goodput warmcrop tailguard plateau; do
        awk -F'\t' -v OFS='\t' 'BEGIN { for (i = 0; i < 2000; i++) { h = h OFS "c" i; v = v OFS i } } /^#/ { print; next } { print $0 (n++ ? v : h) }' "$D/$t.in" >"$T/in"
        # shellcheck disable=SC2046
        ends $(line_of $t) -q "$T/in"
        is "$status" 0
        case $t in warmcrop | tailguard) is "$(column c1999 "$T/out" | sort -u)" 1999 ;; esac
    done
    awk 'BEGIN {
        print "pass\tn_issued\tn_done\tfirst_issue_ns\tspan_ns\ttpot_p50\ttpot_p90\ttpot_ns"
        for (p = 0; p < 3; p++) {
            printf "%d\t500000\t500000\t%.0f\t60000000000\t5000000\t5500000\t", p, p * 6e10
            for (i = 0; i < 500000; i++) printf "%s%d", i ? "," : "", 5000000 + i
            print ""
        }
    }' >"$T/in"
    for t in warmcrop tailguard plateau; do
        ends $t -q "$T/in"
        is "$status" 0
    done
}

# ---- texts ----

# What an id may be: every one of them comes from somebody.
strange() {
    python3 - <<'END'
import json
ids = ["a\tb", "a\nb", "a\rb", "\"quoted\"", "#end", "#steadytools", "\x1b[31mred\x1b]0;t\x07", "\x7f", "\x00nul", "<script>&",
       "=cmd()", "{\"a\":1}", "'; rm", "$(x)", " lead", "trail ", "-q", ",", "|", "`x`", "\u202e", "x" * 70000]
def event(kind, t, i, **more):
    print(json.dumps({"event_type": kind, "timestamp_ns": t, "sample_uuid": i, **more}))
event("session.start_performance_tracking", 0, "")
for n, i in enumerate(ids):
    t = 10**9 * (n + 1)
    event("sample.issued", t, i, tenant=i, **{"class": i}, model=i, worker_id=i, conversation_id=i)
    if n % 5 == 4: event("error.generic", t + 10**8, i, data=["ErrorData", i, i])
    event("sample.recv_first", t + 10**8, i)
    event("sample.complete", t + 10**9, i, output_tokens=5, finish_reason=i, model=i)
event("session.ended", 10**12, "")
END
}

@test "ids and texts of any characters are one row each, and come through every stage the same in both spellings" {
    strange >"$T/log"
    n=$(grep -c sample.issued "$T/log")
    ev2ledger -q "$T/log" >"$T/tsv"
    ev2ledger -q -o ndjson "$T/log" >"$T/ndjson"
    is "$(grep -vc '^#' "$T/tsv")" $((n + 1))
    is "$(awk -F'\t' '!/^#/ { print NF }' "$T/tsv" | sort -u | wc -l)" 1
    is "$(jq -r 'select(.request).request' "$T/ndjson" | wc -l)" "$n"
    [ "$(jq -r 'select(.request).request' "$T/ndjson" | sort -u | wc -l)" = "$n" ]
    jq -r 'select(.request).request' "$T/ndjson" | grep -qx '\\u001b\[31mred\\u001b]0;t\\u0007'
    for t in "goodput -g ttft:60 -a" "goodput -g ttft:60 --by tenant --by class" "ledger2passes -n 4"; do
        # the provenance apart, which lists the stages
        cmp <($t -q -o ndjson "$T/tsv") <($t -q -o ndjson "$T/ndjson")
    done
    is "$(goodput -q -g ttft:200 --by tenant "$T/tsv" | jq '[.segments[].offered] | add')" "$n"
}

@test "no control character reaches the terminal, from names, options or contents, on stdout or stderr" {
    strange >"$T/log"
    cd "$T"
    ev2ledger log >ledger 2>err
    ! raw ledger && ! raw err
    goodput -g ttft:200 --by tenant --by class ledger >goodput 2>err
    ! raw goodput && ! raw err
    ledger2passes -n 4 ledger 2>/dev/null | warmcrop -q | tailguard | plateau -q >steady
    for f in text markdown html tsv json; do
        render -f $f goodput steady >out 2>err
        ! raw out && ! raw err || { echo "render -f $f"; false; }
    done
    for t in $TOOLS; do
        cp "$D/$t.in" "name$ESC"
        for args in "absent$ESC" "--no$ESC" "-o$ESC" "-v name$ESC" "--list-options=$ESC" "name$ESC name$ESC"; do
            # shellcheck disable=SC2046,SC2086
            $(line_of "$t") $args >out 2>err || true
            ! raw out && ! raw err || { echo "$t $args"; cat -v err; false; }
        done
        for place in r0 tracked pass TextModel steady value '$'; do # within ids, names of columns, facts
            sed "s/$place/&$ESC/" "$D/$t.in" >in
            $(line_of "$t") -v in >out 2>err || true
            ! raw out && ! raw err || { echo "$t, after $place"; cat -v err; false; }
        done
    done
    for args in "-g ttft$ESC:5" "-g ttft:60 --by a$ESC" "-g ttft:60 --cohort $ESC"; do
        goodput $args "$D/goodput.in" >out 2>err || true
        ! raw out && ! raw err || { echo "goodput $args"; false; }
    done
}

# ---- shards ----

@test "shards in any order, interleaved and named twice lose no request and invent none" {
    cd "$T"
    sed '2s/{/{"clock":"epoch",/' "$D/ledger2passes.in" >l
    awk '/^#/ || /^request/ { for (i = 0; i < 3; i++) print >"l." i; next } { print >"l." n++ % 3 }' l
    sed -i 's/"rows":24/"rows":8/' l.[012]
    ledger2passes -q -H -n 4 l >want
    for order in "l.0 l.1 l.2" "l.2 l.1 l.0" "l.1 l.2 l.0"; do
        ledger2passes -q -H -n 4 $order | cmp - want
    done
    ledger2passes -n 4 l.0 l.1 l.1 2>err >out # counted, and said
    grep -q 'each counted' err
    is "$(column n_issued out | paste -sd + | bc)" 24
    { sed -n '1,/^request/p' l; sed '1,/^request/d; /^#/d' l | tac; grep '^#end' l; } >back # rows in reverse
    ledger2passes -q -H -n 4 back | cmp - want
    { head -n 6 l; cat l; } >twice # a stream within a stream
    ends ledger2passes -n 4 twice
    is "$status" 2
    { sed -n '1,/^pass/p' "$D/plateau.in"; sed '1,/^pass/d' "$D/plateau.in" | sed '1{h;d}; 2{G}'; } >swapped
    ends plateau swapped
    is "$status" 2
}

# ---- what dies ----

# killed TOOL REST...: TOOL is killed after most of its input was given to it; what the rest then writes is in $T/out
killed() {
    local tool=$1 pid
    rm -f "$T/fifo"
    mkfifo "$T/fifo"
    { $tool <"$T/fifo" & echo $! >"$T/pid"; wait; } 2>/dev/null | bash -c "$2" >"$T/out" 2>"$T/err" &
    pid=$!
    exec 9>"$T/fifo"
    cat "$3" >&9
    sleep 0.3
    kill -9 "$(cat "$T/pid")"
    exec 9>&-
    wait $pid || true
}

@test "a stage that is killed shows: what comes after it says partial" {
    "$BUILD/synth" --seed 7 --concurrency 8 --passes 30 --dataset 40 --tpot-ms 20 --wire field >"$T/log"
    ev2ledger "$T/log" >"$T/ledger"
    ledger2passes -n 40 "$T/ledger" >"$T/passes"
    warmcrop -q "$T/passes" >"$T/cropped"
    tailguard "$T/cropped" >"$T/guarded"
    for f in log ledger passes cropped guarded; do head -n -3 "$T/$f" >"$T/$f.most"; done
    killed "ev2ledger -q --give-up 10" "ledger2passes -n 40 | warmcrop | tailguard | plateau" "$T/log.most"
    jq -e '.partial == true' "$T/out"
    grep -q '^ledger2passes: .*cut short' "$T/err"
    killed "ev2ledger -q --give-up 10" "goodput -g ttft:800" "$T/log.most"
    jq -e '.run.partial == true' "$T/out"
    grep -q '^goodput: .*cut short' "$T/err"
    killed "ledger2passes -q -n 40 -m concurrency -C 8" "warmcrop | tailguard | plateau" "$T/ledger.most"
    jq -e '.partial == true' "$T/out"
    killed "warmcrop -q --follow" "tailguard | plateau" "$T/passes.most"
    jq -e '.partial == true' "$T/out"
    # these hold all to the end, and leave nothing that could pass for a result
    killed "warmcrop -q" "tailguard | plateau" "$T/passes.most"
    [ ! -s "$T/out" ] && grep -q 'plateau: .*empty' "$T/err"
    killed "plateau -q" "render" "$T/guarded.most"
    [ ! -s "$T/out" ] && grep -q 'render: .*empty' "$T/err"
    killed "goodput -q -g ttft:800" "render" "$T/ledger.most"
    [ ! -s "$T/out" ] && grep -q 'render: .*empty' "$T/err"
}

# ---- memory ----

@test "a long log takes 16 MB and what is in flight, not what has passed" {
    mb=${STEADY_BIG:+200}
    "$BUILD/synth" --seed 3 --concurrency 64 --dataset 400 --osl-mean 100 --wire per-token --bytes "${mb:-30}M" >"$T/log"
    n=$(grep -c sample.issued "$T/log")
    # 200 bytes for each of 64 in flight, 16 for each id that has ended
    peak $((16000 + (64 * 200 + 16 * n) / 1000)) ev2ledger -t 2 "$T/log"
    is "$(grep -vc '^#' "$T/out")" $((n + 1))
}
