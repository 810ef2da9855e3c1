# Plain tables, made by hand, and what is said of them.

is() { [ "$1" = "$2" ] || { echo "not '$2' but '$1'"; false; }; }
repeat() { local i; for ((i = 0; i < $1; i++)); do printf '%s ' "$2"; done; }

# table MS...: passes of a minute each: TPOT p50 that many ms, p90 a tenth above it; "-" is missing
table() {
    local i=0 v
    printf 'pass\tn_issued\tn_done\tfirst_issue_ns\tspan_ns\ttpot_p50\ttpot_p90\n'
    for v in "$@"; do
        awk -v i=$i -v v="$v" 'BEGIN {
            printf "%d\t10\t10\t%.0f\t60000000000\t", i, 60e9 * i
            if (v == "-") print "\t"; else printf "%.0f\t%.0f\n", v * 1e6, v * 1.1e6 }'
        i=$((i + 1))
    done
}

# stream FACTS TABLE: passes as a stream with these run facts
stream() {
    printf '#steadytools\tpasses\t1\n#run\t%s\n' "$1"
    cat "$2"
    printf '#end\t{"rows":%d}\n' $(($(wc -l <"$2") - 1))
}

# ledger HEADER ROW...: requests, cells separated by spaces, "-" for a missing one
ledger() { printf '%s\n' "$@" | awk '{ for (i = 1; i <= NF; i++) printf "%s%s", $i == "-" ? "" : $i, i < NF ? "\t" : "\n" }'; }

# refused PATTERN ARG...: goodput says so, and nothing else
refused() {
    local pattern=$1
    shift
    run --separate-stderr goodput "$@"
    # shellcheck disable=SC2015,SC2053,SC2154
    [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == $pattern ]] || { echo "status $status: $stderr"; false; }
}
