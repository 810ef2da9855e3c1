#!/usr/bin/env bash
# Run fuzz targets of libFuzzer, one after the other, each for a while, from the corpus that is kept here, the inputs of the
# golden cases and what earlier runs have found.
#
#     fuzz.sh SECONDS TARGET...
#
# With FUZZ_FAST, the programs without sanitizers search, and those with them then try what was found.  Prints a table.  An
# input at fault is left beside the target, in build/fuzzer/fuzz; then the status is 1.
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=$1
shift
dir=build/fuzzer/fuzz
search=$dir
if [ -n "${FUZZ_FAST:-}" ]; then search=build/fuzzfast/fuzz; fi
# libjq and PCRE2 keep what an input that was refused had made; the targets look for lost memory themselves
export ASAN_OPTIONS=detect_leaks=0
status=0
try() { # PROGRAM OPTION; what it says goes to the log of the target
    "$1" "$2" -max_len=20000 -timeout=30 -rss_limit_mb=4096 -detect_leaks=0 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$dir/$target." "$learnt" "tests/fuzz/corpus/$target" 2>>"$dir/$target.log" || status=1
}
printf '%-10s %12s %8s %8s %8s\n' target executions seconds corpus faults
for target in "$@"; do
    learnt=$dir/$target.corpus
    mkdir -p "$learnt"
    for f in tests/cases/*/*/in.*; do
        if [ -f "$f" ]; then head -c 20000 "$f" >"$learnt/$(echo "$f" | tr / _)"; fi
    done
    began=$(date +%s)
    : >"$dir/$target.log"
    try "$search/$target" "-max_total_time=$seconds"
    if [ "$search" != "$dir" ]; then try "$dir/$target" -runs=0; fi
    took=$(($(date +%s) - began))
    runs=$(awk '/number_of_executed_units/ { n += $2 } END { print n }' "$dir/$target.log")
    faults=$(grep -cE 'written to .*(crash|timeout|oom)-' "$dir/$target.log")
    printf '%-10s %12s %8d %8d %8d\n' "$target" "${runs:-?}" "$took" "$(ls "$learnt" | wc -l)" "$faults"
    if [ "$faults" != 0 ]; then tail -n 30 "$dir/$target.log" >&2; fi
done
exit $status
