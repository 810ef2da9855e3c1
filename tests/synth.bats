#!/usr/bin/env bats
# The generator of logs: what it plants is in the log.  Built to build/synth.

bats_require_minimum_version 1.5.0

setup() {
    synth=${SYNTH:-${BUILD:-$BATS_TEST_DIRNAME/../build}/synth}
    cd "$BATS_TEST_TMPDIR" || return
}

# request, issue, first token, end, tokens: a line per completed request of a log with recorded counts, in issue order
join_log() {
    jq -r 'select(.event_type | startswith("sample."))
           | [.sample_uuid, .event_type, .timestamp_ns, .output_tokens // 0] | @tsv' "$1" |
        awk -F'\t' '$2 == "sample.issued" && !($1 in issued) { issued[$1] = $3; order[n++] = $1 }
                    $2 == "sample.recv_first" { first[$1] = $3 }
                    $2 == "sample.complete" && !($1 in done) { done[$1] = $3; tokens[$1] = $4 }
                    END { for (i = 0; i < n; i++) { id = order[i]
                          if (id in done) printf "%s\t%.0f\t%.0f\t%.0f\t%d\n",
                              id, issued[id], first[id], done[id], tokens[id] } }'
}

# mean TPOT of lines FROM..TO of a joined log, over what the truth planted
tpot_ratio() {
    awk -F'\t' -v from="$2" -v to="$3" -v planted="$(jq .tpot_ns truth.json)" \
        'NR > from && NR <= to && $5 > 1 { sum += ($4 - $3) / ($5 - 1); n++ } END { printf "%.6f", sum / n / planted }' "$1"
}

within() { # value, target, fraction
    awk -v v="$1" -v t="$2" -v f="$3" 'BEGIN { d = v / t - 1; if (d < 0) d = -d; exit !(d <= f) }' || {
        echo "$1 is not within $3 of $2"
        return 1
    }
}

@test "same options and seed, same bytes; another seed, other bytes" {
    $synth --passes 3 --nasty --seed 5 > a
    $synth --passes 3 --nasty --seed 5 > b
    $synth --passes 3 --nasty --seed 6 > c
    cmp a b
    run -1 cmp -s a c
}

@test "every line is one JSON object, in every wire form" {
    for wire in two-chunk per-token plain reasoning tool null field; do
        for prompt in text ids both messages none; do
            $synth --wire $wire --prompt $prompt --requests 30 --escapes 60 --forms 0.2 --fail 0.1 > log
            [ "$(jq -c . log | wc -l)" -eq "$(wc -l < log)" ]
            [ "$(jq -r type log | sort -u)" = object ]
        done
    done
}

@test "a reply has as many words as tokens" {
    for wire in two-chunk per-token plain; do
        $synth --wire $wire --tokens-recorded --requests 200 --escapes 60 > log
        jq -r 'select(.output_tokens) | [([.data[1]] | flatten | add | split("[[:space:]]+"; null) | map(select(. != "")) | length), .output_tokens]
               | @tsv' log > words
        [ "$(wc -l < words)" -eq 200 ]
        awk '$1 != $2 { bad = 1 } END { exit bad }' words
    done
}

@test "planted TPOT, TTFT and throughput are in the log" {
    $synth --concurrency 32 --dataset 100 --passes 30 --wire null --tokens-recorded --prompt none --truth truth.json > log
    join_log log > joined
    [ "$(wc -l < joined)" -eq 3000 ]
    within "$(tpot_ratio joined 200 2800)" 1 0.001
    within "$(awk -F'\t' 'NR > 200 && NR <= 2800 { s += $3 - $2; n++ } END { print s / n }' joined)" \
        "$(jq .ttft_ns truth.json)" 0.005
    within "$(awk -F'\t' 'NR > 200 && NR <= 2800 { s += $5; if (!t) t = $2 } NR == 2801 { print s / ($2 - t) * 1e9 }' joined)" \
        "$(jq .tps truth.json)" 0.005
}

@test "the truth tells the mean TPOT of every pass" {
    $synth --dataset 50 --passes 6 --concurrency 8 --wire null --tokens-recorded --prompt none --truth truth.json > log
    join_log log > joined
    for pass in 0 3 5; do
        awk -F'\t' -v p=$pass 'int((NR - 1) / 50) == p && $5 > 1 { s += ($4 - $3) / ($5 - 1); n++ }
                               END { printf "%.3f\n", s / n }' joined > got
        jq -r ".pass_tpot_ns[$pass] * 1000 | round / 1000" truth.json > want
        within "$(cat got)" "$(cat want)" 1e-9
    done
}

@test "passes repeat the dataset, shuffled, and a prompt keeps its length of reply" {
    $synth --dataset 40 --passes 3 --concurrency 4 --wire field --truth truth.json > log
    jq 'select(.event_type == "sample.issued") | .data[1]' log | split -l 40 - pass.
    sort pass.aa > first
    for pass in pass.ab pass.ac; do
        sort $pass | cmp - first
        run -1 cmp -s $pass pass.aa
    done
    [ "$(sort -u first | wc -l)" -eq 40 ]
    jq -r 'if .event_type == "sample.issued" then "i\t\(.sample_uuid)\t\(.data[1] | @json)"
           elif .output_tokens then "o\t\(.sample_uuid)\t\(.output_tokens)" else empty end' log |
        awk -F'\t' '$1 == "i" { item[$2] = $3 } $1 == "o" { print item[$2] "\t" $3 }' | sort -u > lengths
    [ "$(wc -l < lengths)" -eq 40 ]
}

@test "a closed loop holds C in flight" {
    $synth --concurrency 8 --dataset 50 --passes 4 --wire null --prompt none > log
    jq -r 'if .event_type == "sample.issued" then "\(.timestamp_ns)\t1"
           elif .event_type == "sample.complete" then "\(.timestamp_ns)\t-1" else empty end' log | sort -k1,1n -k2,2n |
        awk '{ n += $2 } $2 == 1 && ++issues > 8 { full += n == 8 } n > 8 { exit 1 } END { exit !(full > 0.95 * 192) }'
}

@test "a ramp climbs, a step and a drift are where the truth says" {
    common="--concurrency 16 --dataset 50 --passes 40 --noise 0 --wire null --tokens-recorded --prompt none --truth truth.json"
    $synth $common --step +0.10@0.5 --ramp 3 > log
    join_log log > joined
    within "$(tpot_ratio joined 200 950)" 1 0.002
    within "$(tpot_ratio joined 1050 1900)" 1.10 0.002
    [ "$(jq '.steps[0].pass' truth.json)" -eq 20 ]
    [ "$(tpot_ratio joined 0 50 | awk '{ print ($1 < 0.9) }')" -eq 1 ]
    $synth $common --drift 0.2 > log
    join_log log > joined
    within "$(tpot_ratio joined 100 150)" 1.0125 0.006
    within "$(tpot_ratio joined 1800 1850)" 1.1825 0.006
}

@test "poisson arrivals come at the rate, offline at once" {
    $synth --mode poisson --rate 20 --slots 200 --requests 1500 --wire null --prompt none --truth truth.json > log
    within "$(jq 'select(.event_type == "sample.issued") | .timestamp_ns' log |
        awk 'NR == 1 { t = $1 } END { print (NR - 1) / ($1 - t) * 1e9 }')" 20 0.001
    $synth --mode offline --concurrency 16 --requests 500 --wire null --prompt none > log
    jq -r '[.event_type, .timestamp_ns] | @tsv' log |
        awk '$1 == "sample.issued" { last = $2; if (!t) t = $2 } $1 == "sample.complete" { end = $2 }
             END { exit !((last - t) < 0.01 * (end - t)) }'
}

@test "failures show in the log as often as the truth says" {
    $synth --requests 1500 --fail 0.05 --reject 0.05 --timeout 0.05 --cancel 0.05 --unfinished 0.05 --wire null --prompt none \
        --warmup 7 --truth truth.json > log
    jq -r 'select(.event_type == "sample.issued") | .sample_uuid' log | sort -u > issued
    jq -r 'select(.event_type == "sample.complete") | .sample_uuid' log | sort -u > ended
    jq -r 'select(.data[0]? == "ErrorData") | .sample_uuid' log | sort -u > failed
    [ "$(wc -l < issued)" -eq 1507 ]
    [ "$(comm -23 issued ended | wc -l)" -eq "$(jq '.outcomes.unfinished + 7' truth.json)" ]
    [ "$(wc -l < failed)" -eq "$(jq '.outcomes | .error + .rejected + .timeout + .cancelled' truth.json)" ]
    [ "$(jq '[.outcomes[]] | add' truth.json)" -eq 1500 ]
    jq -e '.outcomes | all(. > 40)' truth.json
}

@test "warm-up requests come before tracking starts and never end" {
    $synth --requests 20 --warmup 5 --wire null > log
    jq -r .event_type log | head -8 | paste -sd' ' |
        grep -qx 'session.started\( sample.issued\)\{5\} session.start_performance_tracking sample.issued'
    [ "$(grep -c sample.complete log)" -eq 20 ]
}

@test "all chunks: one delivery per token" {
    $synth --requests 50 --all-chunks --tokens-recorded --wire per-token > log
    [ "$(grep -c '"sample.recv_' log)" -eq "$(jq -s 'map(.output_tokens // 0) | add' log)" ]
}

@test "damage is counted: malformed, unknown and blank lines" {
    for seed in 1 2 3 4 5 6 7 8; do
        $synth --seed $seed --nasty --malformed 0.05 --other 0.1 --requests 150 --osl-mean 20 --truth truth.json > log
        [ "$(grep -c '' log)" -eq "$(jq .lines truth.json)" ]
        [ "$(grep -acv '[^[:space:]]' log)" -eq "$(jq .blank truth.json)" ]
        bad=$(grep -a '[^[:space:]]' log | jq -Rr 'try (fromjson | if type != "object" then "bad"
            elif (.event_type | type) != "string" then "bad"
            elif (.timestamp_ns | type != "number" or . != floor or . > 9.2e18) then "bad"
            elif (.event_type | startswith("sample.")) and (.sample_uuid | type) != "string" then "bad" else "ok" end)
            catch "bad"' | grep -c bad)
        # jq takes 01 for 1 and repairs UTF-8, so it finds a few less
        [ "$bad" -le "$(jq .malformed truth.json)" ]
        [ "$bad" -ge "$(jq '.malformed * 0.6 | floor' truth.json)" ]
    done
}

@test "truncation ends the log in mid line" {
    $synth --requests 100 > whole
    $synth --requests 100 --truncate 0.5 > cut
    [ "$(head -c "$(stat -c %s cut)" whole | cmp - cut && tail -c 1 cut | od -An -c | tr -d ' ')" != '\n' ]
    within "$(stat -c %s cut)" "$(($(stat -c %s whole) / 2))" 0.01
    run ! bash -c "tail -n 1 cut | jq ."
}

@test "presets have their shape, and --bytes is about the size" {
    for preset in two-chunk per-token long; do
        $synth --preset $preset --bytes 8M > log
        within "$(stat -c %s log)" 8000000 0.05
    done
    awk '{ n = gsub(/\\/, "&"); s += n; b += length } END { exit !(s / b * 1024 > 30 && s / b * 1024 < 70) }' log
    for preset in tiny offline; do
        $synth --preset $preset --requests 1000 > log
        [ "$(wc -l < log)" -eq 3005 ]
        [ "$(jq -r 'select(.data) | .data' log | wc -l)" -eq 0 ]
    done
}

@test "a hundred megabytes are no matter" {
    size=$(timeout 60 "$synth" --preset two-chunk --bytes 100M | wc -c)
    within "$size" 100000000 0.05
}

@test "the worked ledgers have the figures of the example" {
    for example in "1 72000 68400 71700" "2 78000 66000 76200"; do
        set -- $example
        $synth --worked "$1" > ledger
        run -0 awk -F'\t' '/^#/ { next } $1 == "request" { for (i = 1; i <= NF; i++) col[$i] = i; next }
            { n++; completed = $col["outcome"] == "completed"
              accepted += completed && $col["quality"] == "pass" && $col["ttft_ns"] <= 800000000
              both += completed && $col["quality"] == "fail" && $col["ttft_ns"] > 800000000
              ended += $col["outcome"] != "unfinished" }
            END { print n, accepted, ended, both + 0 }' ledger
        [ "$output" = "$2 $3 $4 0" ]
        [ "$(sed -n 's/^#run\t//p' ledger | jq -c '[.tracking_start_ns, .tracking_stop_ns]')" = \
            "[1769000000000000000,1769000600000000000]" ]
    done
}

@test "every option is taken, and ids may be short" {
    $synth --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' > names
    [ "$(wc -l < names)" -gt 60 ]
    $synth --requests 3 --ids short | grep -q '"sample_uuid":"r0000002"'
}

@test "a full disk, a wrong option and an operand are status 2" {
    run -2 bash -c "$synth --requests 10 > /dev/full"
    run -2 $synth --requests 10 --truth /dev/full
    run -2 $synth --no-such-option
    run -2 $synth --step 0.1
    run -2 $synth --wire morse
    run -2 $synth operand
}
