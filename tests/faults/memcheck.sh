#!/usr/bin/env bash
# valgrind over the tools: no invalid access, no jump on what was never set, and no memory that is definitely lost when a tool
# ends well.
#
#     memcheck.sh [TOOL...]
#
# With tools, on the small run.  Without, all seven on it, on the shipped example (build/demo), and on the corpus of the fuzz
# targets, most of which is malformed.  Prints a line per tool and input; status 1 if one is at fault.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v valgrind >/dev/null || { echo "memcheck: skipped, valgrind is not installed"; exit 0; }
bats_require_minimum_version() { :; }
# shellcheck disable=SC2034
BATS_TEST_DIRNAME=$PWD/tests
. tests/lib.bash
if nm -D "$TOOLDIR/ev2ledger" | grep -q __asan_; then echo "memcheck: skipped, the tools have sanitizers"; exit 0; fi
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
small_run "$d"
bad=0

# grind COMMAND...: its status, 99 for an error of memory; lost memory counts where it ended well
grind() {
    valgrind --log-file="$d/log" --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=99 \
        "$@" >/dev/null 2>"$d/err"
}

# well NAME COMMAND...: must end with status 0
well() {
    local name=$1 status lost
    shift
    grind "$@"
    status=$?
    lost=$(sed -n 's/.*definitely lost: \([0-9,]*\) bytes.*/\1/p' "$d/log")
    echo "$name: status $status, definitely lost ${lost:-0} bytes, $(sed -n 's/.*ERROR SUMMARY: \([0-9]* errors\).*/\1/p' "$d/log")"
    if [ $status != 0 ]; then
        cat "$d/log"
        bad=1
    fi
}

# somehow NAME FILES COMMAND...: on each of the files, status 0, or 2 and a line; what a refusal leaves is not lost
somehow() {
    local name=$1 files=$2 f n=0 refused=0 status
    shift 2
    for f in $files; do
        valgrind --log-file="$d/log" --leak-check=no --error-exitcode=99 "$@" "$f" >/dev/null 2>"$d/err"
        status=$?
        n=$((n + 1))
        if [ $status = 2 ] && [ -s "$d/err" ]; then
            refused=$((refused + 1))
        elif [ $status != 0 ]; then
            echo "$* $f: status $status"
            cat "$d/log"
            bad=1
        fi
    done
    echo "$name: $n malformed and odd inputs, $refused refused"
}

# shellcheck disable=SC2048,SC2046
for t in ${*:-$TOOLS}; do
    well "$t" $(line_of "$t") -q "$d/$t.in"
done
if [ $# -gt 0 ]; then exit $bad; fi

demo=build/demo
well "ev2ledger, example" ev2ledger $demo/run.jsonl
well "ledger2passes, example" ledger2passes $demo/ledger.tsv
well "warmcrop, example" warmcrop $demo/passes.tsv
well "tailguard, example" tailguard $demo/warmcrop.tsv
well "plateau, example" plateau $demo/tailguard.tsv
well "goodput, example" goodput -g ttft:800,tpot:50 --window $demo/steady.json $demo/ledger.tsv
well "render, example" render -f markdown $demo/steady.json $demo/goodput.json

corpus=tests/fuzz/corpus
somehow ev2ledger "$corpus/join/* $corpus/events/*" ev2ledger -q -f events
somehow "ev2ledger, formats told" "tests/cases/adapters/*/in.* $corpus/jqmap/*" ev2ledger -q
somehow ledger2passes "$corpus/ledger/* $corpus/table/*" ledger2passes -q
somehow goodput "$corpus/ledger/* $corpus/table/*" goodput -q -g ttft:60
somehow "goodput, contracts" "$corpus/contract/*" goodput -q "$d/goodput.in" -c
for t in warmcrop tailguard plateau; do somehow $t "$corpus/passes/*" $t -q; done
somehow render "$corpus/report/* $corpus/doc/*" render -q
exit $bad
