#!/usr/bin/env bash
# Run fuzz targets for a while each, from the inputs of the golden cases and what earlier runs have found.
#
#     fuzz.sh SECONDS TARGET...
#
# Each target keeps its corpus in TARGET.corpus.  Ends with status 1 at the first input at fault, which libFuzzer names.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
for target in "$@"; do
    corpus=$target.corpus
    mkdir -p "$corpus"
    for f in tests/cases/*/*/in.* tests/fixtures/*; do
        if [ -f "$f" ]; then head -c 20000 "$f" >"$corpus/$(echo "$f" | tr / _)"; fi
    done
    echo "$target: $seconds s"
    # libjq keeps its stack, and a refused file what it had read: leaks are not looked for
    ASAN_OPTIONS=detect_leaks=0 "$target" -max_total_time="$seconds" -max_len=20000 -detect_leaks=0 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$target." "$corpus" 2>"$target.log" || { tail -n 40 "$target.log"; exit 1; }
    grep -E 'number_of_executed_units' "$target.log" || true
done
