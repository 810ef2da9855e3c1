#!/usr/bin/env bash
# valgrind over tools on the small run: no invalid access, no jump on what was never set, and no memory that is definitely
# lost when a tool ends well.  `memcheck.sh [TOOL...]`, else all seven.  Prints a line per tool; status 1 if one is at fault.
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
# shellcheck disable=SC2048
for t in ${*:-$TOOLS}; do
    # shellcheck disable=SC2046
    valgrind --log-file="$d/log" --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=99 \
        $(line_of "$t") -q "$d/$t.in" >/dev/null
    status=$?
    lost=$(sed -n 's/.*definitely lost: \([0-9,]*\) bytes.*/\1/p' "$d/log")
    echo "$t: status $status, definitely lost ${lost:-0} bytes, $(sed -n 's/.*ERROR SUMMARY: \([0-9]* errors\).*/\1/p' "$d/log")"
    if [ $status != 0 ]; then
        cat "$d/log"
        bad=1
    fi
done
exit $bad
