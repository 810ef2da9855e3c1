#!/usr/bin/env bash
# All tests: golden cases, then every bats file.  Prints what failed and what was skipped and why, and ends with the line
# "N passed, N failed" (", N skipped").
set -u
cd "$(dirname "$0")/.." || exit 2
tap=$(mktemp) || exit 2
trap 'rm -f "$tap"' EXIT
jobs=$(nproc)
{
    bash tests/cases.sh
    bats --jobs "$jobs" --tap "${@:-tests}"
} >"$tap" 2>&1 </dev/null
grep -v -e '^ok ' -e '^1\.\.' "$tap"
grep '# skip' "$tap" | sed 's/^ok [0-9]* /skipped: /; s/ # skip/:/'
passed=$(grep '^ok ' "$tap" | grep -vc '# skip')
skipped=$(grep -c '^ok .*# skip' "$tap")
failed=$(grep -c '^not ok ' "$tap")
# a test that never reported, such as a file that does not parse, is a failure too
planned=$(awk -F. '/^1\.\./ { n += $3 } END { print n + 0 }' "$tap")
lost=$((planned - passed - skipped - failed))
if [ "$lost" -gt 0 ]; then failed=$((failed + lost)); fi
if [ "$planned" = 0 ]; then failed=1; fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
