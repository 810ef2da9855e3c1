#!/usr/bin/env bash
# What the tools hold of streams of N requests that no file keeps: time and peak memory of each, in a table.
#
#     scale.sh N [TOOL...]
#
# TOOL is ev2ledger, goodput, or passes (the four from ledger2passes to plateau in one pipe); without, all.  Status 1 if one
# takes more memory than its manual page says, or counts another number of requests.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
n=$1
shift
rows=${BUILD:-build}/rows
PATH=${TOOLDIR:-$PWD/bin}:$PATH
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
bad=0

fault() {
    echo "$*"
    bad=1
}

# timed NAME COMMAND...
timed() {
    local name=$1
    shift
    /usr/bin/time -f '%e %M' -o "$d/$name.time" "$@"
}

# within NAME BYTES: says what NAME took, and whether that is at most 16 MB and so many bytes a request
within() {
    local seconds kb
    read -r seconds kb < <(tail -n 1 "$d/$1.time")
    printf '%-14s %10s requests %8s s %10s kB %8s bytes a request\n' "$1" "$n" "$seconds" "$kb" \
        "$(awk -v kb="$kb" -v n="$n" 'BEGIN { printf "%.1f", kb * 1024 / n }')"
    [ "$kb" -le $((16384 + n * $2 / 1024)) ] || fault "$1: more than 16 MB and $2 bytes a request"
}

is() { [ "$2" = "$3" ] || fault "$1: $2 is not $3"; }

for tool in ${*:-ev2ledger goodput passes}; do
    case $tool in
    ev2ledger)
        "$rows" events "$n" | timed ev2ledger ev2ledger | tail -n 1 >"$d/end" || fault "ev2ledger: status $?"
        within ev2ledger 16
        is "ev2ledger: rows" "$(cut -f 2 "$d/end" | jq .rows)" "$n"
        ;;
    goodput)
        "$rows" ledger "$n" | timed goodput goodput -g ttft:101,tpot:20 >"$d/goodput" || fault "goodput: status $?"
        within goodput 120
        is "goodput: offered" "$(jq .offered "$d/goodput")" "$n"
        ;;
    passes)
        "$rows" ledger "$n" | timed ledger2passes ledger2passes -n 1000 | timed warmcrop warmcrop | timed tailguard tailguard |
            timed plateau plateau >"$d/plateau" || fault "passes: status $?"
        within ledger2passes 120
        for stage in warmcrop tailguard plateau; do within $stage 100; done
        is "plateau: issued" "$(jq .total.n_issued "$d/plateau")" "$n"
        ;;
    esac
done
exit $bad
