#!/usr/bin/env bash
# What --token-sample does to percentiles of TPOT: the same log counted whole and in part.
#
#     sample.sh [REQUESTS]     default 20000
#
# A table on stdout: replies counted of 1000, their number, and mean, p50, p90, p99 of TPOT in ms with the difference in per
# cent from counting all of them.
set -eu
cd "$(dirname "$0")/../.."
PATH=${TOOLDIR:-$PWD/bin}:$PATH
export LC_ALL=C
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${BUILD:-build}/synth" --preset two-chunk --requests "${1:-20000}" >"$log"

all=
for k in 1000 500 200 100 50 20 10; do
    found=$(ev2ledger -q --tokenizer tests/tokens/small.json --token-sample "$k" "$log" |
        goodput -q -g tpot:1000 |
        jq -r '.latency.tpot.completed | [.n, .mean_ns, .p50_ns, .p90_ns, .p99_ns] | @tsv')
    all=${all:-$found}
    awk -v k="$k" -v all="$all" -v OFS='\t' '
        BEGIN { split(all, a, "\t"); print_head = k == 1000 }
        {
            if (print_head) print "of 1000", "counted", "mean", "", "p50", "", "p90", "", "p99", ""
            line = k OFS $1
            for (i = 2; i <= 5; i++) line = line OFS sprintf("%.3f", $i / 1e6) OFS sprintf("%+.2f", 100 * ($i / a[i] - 1))
            print line
        }' <<<"$found"
done
