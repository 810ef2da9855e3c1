#!/usr/bin/env bash
# How fast the suite is, beside other ways to do the same, and how much memory it takes.
#
#     BENCH_MB=1000 bench.sh     MB of each log; the logs stay in BENCH_DIR, build/bench if not set
#
# A table on stdout: what was read, what ran, its seconds, what it is compared with, that one's seconds, the ratio (theirs to
# ours: above 1 we are faster), and the ratio to reach where there is one.  Both are run by turns, five times, the page cache
# warm; seconds are medians of the whole process.  The ratio is of wall times; that of processor times follows in brackets,
# which is the one to look at on a machine that has other work, but says nothing about threads.  Nothing here fails by being
# slow, and what is not installed is said and left out.
set -eu
cd "$(dirname "$0")/../.."
MB=${BENCH_MB:-1000}
ROUNDS=${BENCH_ROUNDS:-5}
BUILD=${BUILD:-build}
PATH=${TOOLDIR:-$PWD/bin}:$PATH
BENCH=$BUILD/bench # programs
D=${BENCH_DIR:-$BENCH} # logs
export LC_ALL=C

note() { echo "# $*"; }

# ---- what it takes ----

for program in "$BENCH"/{run,newlines,ledger_bench,quantile_bench,segment_bench} "$BUILD/synth"; do
    [ -x "$program" ] || { echo "bench.sh: $program is not built (make bench builds it)" >&2; exit 2; }
done
simdjson=
if c++ -std=c++17 -O2 -march=native -o "$BENCH/simdjson_fields" tests/bench/simdjson_fields.cc -lsimdjson 2>/dev/null; then
    simdjson=1
else
    note "no simdjson here (libsimdjson-dev, a C++ compiler): not compared"
fi

# log NAME OPTION...: a log of that name, made once
log() {
    local name=$1
    shift
    [ "$D/$name.jsonl" -nt "$BUILD/synth" ] && return
    "$BUILD/synth" "$@" >"$D/$name.part"
    mv "$D/$name.part" "$D/$name.jsonl"
}

# ---- tables ----

row() { printf '%-22s %-28s %9s  %-26s %9s  %-15s %s\n' "$@"; }

# The median wall time, the median processor time, and the peak kB of command number N of the last measure.
wall() { sed -n "$1p" "$D/times" | cut -f 1; }
cpu() { sed -n "$1p" "$D/times" | cut -f 2; }
peak() { sed -n "$1p" "$D/times" | cut -f 5; }

# measure COMMAND...: all of them by turns
measure() { "$BENCH/run" "$ROUNDS" "$@" >"$D/times" 2>"$D/said" || cat "$D/said" >&2; }

# against INPUT OURS-NAME OURS-NUMBER THEIRS-NAME THEIRS-NUMBER [TARGET]
against() {
    local ratio
    ratio=$(awk -v w="$(wall "$5")" -v o="$(wall "$3")" -v wc="$(cpu "$5")" -v oc="$(cpu "$3")" \
        'BEGIN { if (w == "-" || o == "-") print "failed"; else printf "%.2f (%.2f)", w / o, wc / (oc > 0 ? oc : 1e-9) }')
    row "$1" "$2" "$(wall "$3")" "$4" "$(wall "$5")" "$ratio" "${6:-}"
}

note "$(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg), $MB MB a log, median of $ROUNDS"
row "input" "ours" "seconds" "compared with" "seconds" "ratio" "to reach"

# ---- ev2ledger ----

# preset NAME [TARGETS]: 2 threads to cat; 1 thread to newlines, to simdjson
preset() {
    local name=$1-$MB f n
    shift
    f=$D/$name.jsonl
    cat "$f" >/dev/null
    n=("exec ev2ledger -q -t 1 $f" "exec ev2ledger -q -t 2 $f" "exec cat $f" "exec wc -l $f" "exec $BENCH/newlines $f")
    [ -z "$simdjson" ] || n+=("exec $BENCH/simdjson_fields $f")
    measure "${n[@]}"
    against "$name" "ev2ledger, 2 threads" 2 "cat > /dev/null" 3 "${1:-}"
    against "$name" "ev2ledger, 1 thread" 1 "read and memchr" 5 "${2:-}"
    against "$name" "ev2ledger, 1 thread" 1 "wc -l" 4
    [ -z "$simdjson" ] || against "$name" "ev2ledger, 1 thread" 1 "simdjson, no join" 6 "${3:-}"
}

log "two-chunk-$MB" --preset two-chunk --bytes "${MB}M"
log "per-token-$MB" --preset per-token --bytes "${MB}M"
log "long-$MB" --preset long --bytes "${MB}M"
log "tiny-$MB" --preset tiny --requests $((MB * 1670))
log "offline-$MB" --preset offline --requests $((MB * 1670))
preset two-chunk 0.9 0.6 2
preset per-token "" "" 2.5
preset long "" 0.75 1.8
preset tiny "" "" 2.5
note "$(wc -l <"$D/tiny-$MB.jsonl") events in tiny-$MB: $(awk -v n="$(wc -l <"$D/tiny-$MB.jsonl")" -v s="$(cpu 1)" \
    'BEGIN { printf "%.1f million a second of processor time", n / s / 1e6 }')"
preset offline
note "offline-$MB, all $((MB * 1670)) requests in flight at once: peak $(peak 1) kB, $(awk -v kb="$(peak 1)" -v n=$((MB * 1670)) \
    'BEGIN { b = (kb - 16384) * 1024 / n; printf "%.0f bytes a request above 16 MB", (b > 0 ? b : 0) }') (200 allowed)"

# A part of it for those that would take minutes.
part() {
    local name=$1-$MB-part
    local f=$D/$name.jsonl
    [ "$f" -nt "$D/$1-$MB.jsonl" ] || awk -v most=$((MB > 50 ? 50000000 : MB * 1000000)) '(n += length + 1) > most { exit } { print }' "$D/$1-$MB.jsonl" >"$f"
    local fields='[.event_type, .timestamp_ns, .sample_uuid, .conversation_id, .turn,
        (.data | if type == "array" then [.[0], (.[1] | length)] else null end)]'
    measure "exec ev2ledger -q -t 1 $f" "exec jq -c '$fields' $f" "exec python3 tests/bench/join.py $f"
    for with in "jq:2:40" "python3:3:35"; do
        IFS=: read -r program n target <<<"$with"
        if command -v "$program" >/dev/null; then
            against "$name" "ev2ledger, 1 thread" 1 "$program" "$n" "$target"
        else
            note "no $program here: not compared"
        fi
    done
}
part two-chunk
part tiny

# ---- the stages after it ----

stages="ledger2passes -q -n 1000 | warmcrop -q | tailguard -q | plateau -q"
f=$D/two-chunk-$MB.jsonl
measure "ev2ledger -q $f | $stages" "exec cat $f"
against "two-chunk-$MB" "whole pipeline" 1 "cat > /dev/null" 2
note "whole pipeline: $(peak 1) kB at most in one of its programs"

log "ledger-$MB" --preset tiny --requests $((MB * 1000)) --tokens-recorded
ledger=$D/ledger-$MB.tsv
ev2ledger -q "$D/ledger-$MB.jsonl" >"$ledger"
rows=$(grep -vc -e '^#' -e '^request' "$ledger")
bytes=$(wc -c <"$ledger")
measure "exec ledger2passes -q -n 1000 $ledger" "ledger2passes -q -n 1000 $ledger | warmcrop -q | tailguard -q | plateau -q" \
    "exec goodput -q -g ttft:800,tpot:50 $ledger" "exec wc -l $ledger" "exec $BENCH/ledger_bench $ledger"
against "ledger-$MB" "reading its rows" 5 "wc -l" 4
against "ledger-$MB" "ledger2passes" 1 "wc -l" 4
against "ledger-$MB" "passes to plateaus" 2 "wc -l" 4
against "ledger-$MB" "goodput" 3 "wc -l" 4
per_second() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.2f", n / (s > 0 ? s : 1e-9) / 1e6 }'; }
note "$rows rows: read at $(per_second "$bytes" "$(cpu 5)") MB/s (500 to reach), ledger2passes $(per_second "$bytes" "$(cpu 1)") MB/s, goodput $(per_second "$rows" "$(cpu 3)") M rows/s (1)," \
    "passes to plateaus $(wall 2) s (2 for 1 M rows), peaks $(peak 1), $(peak 2), $(peak 3) kB"

# ---- statistics ----

values=$((MB * 10000))
read -r select sort <<<"$("$BENCH/quantile_bench" "$values")"
row "$values values" "exact percentile" "$select" qsort "$sort" "$(awk -v a="$select" -v b="$sort" 'BEGIN { printf "%.0f", b / a }')" ""

most=$((MB < 1000 ? (MB < 100 ? 300 : 3000) : 10000))
note "search for plateaus, seconds by number of passes, and the exponent it grows with (2 s for 10000, both profiles):"
"$BENCH/segment_bench" "$most" | awk -F '\t' -v OFS='\t' -v most="$most" '
    NR > 1 && $3 == most { print "# " $1, $2, $3 " passes", $4 " plateaus", $5 " s", "n^" $6; sum[$1] += $5; if (sum[$1] > worst) worst = sum[$1] }
    END { printf "# both profiles, the slowest series: %.2f s\n", worst }'
