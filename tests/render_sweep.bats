#!/usr/bin/env bats
# render of many runs, of two side by side, and of a run with what was tested beside it.

load lib

C=cases/render

setup_file() {
    # fifty runs of a sweep: steady ones whose load rises and whose goodput falls from the 30th on, and every kind of broken one
    cd "$BATS_FILE_TMPDIR" || return
    mkdir runs
    local steady=$ROOT/tests/$C/shift/in.steady.json goodput=$ROOT/tests/$C/shift/in.goodput.json
    jq -nc --slurpfile s "$steady" --slurpfile g "$goodput" '
        range(0; 40) as $i | ($i * 7 % 40 + 1) as $load | "r\($load)" as $name
        | ($s[0] | .run.name = $name | .run.concurrency = $load | .verdict = "steady" | .reasons = []
            | .tps.system.value = 1000 * $load / ($load + 20) | .tps.per_user.value = 1000 / ($load + 20)),
          ($g[0] | .run.name = $name | .rates.offered_rps = $load / 4 | .rates.responses_rps = $load / 4
            | .rates.goodput_rps = (if $load > 30 then 2 else $load / 4 end))' >all.ndjson
    split -l 2 -d -a 2 --additional-suffix=.json all.ndjson runs/pair
    for i in 0 1; do jq -c ".run.name = \"drift$i\" | .verdict = \"no_steady_state\" | .found = false" "$steady" >runs/x$i.json; done
    jq -c '.run.name = "short"' "$ROOT/tests/$C/too_short/in.json" >runs/x2.json
    jq -c '.run.name = "multi"' "$ROOT/tests/$C/agentic/in.json" >runs/x3.json
    : >runs/y0.json
    head -c 2000 "$steady" >runs/y1.json
    printf '\000\377\376garbage' >runs/y2.json
    echo '[1,2]' >runs/y3.json
    echo '{"kind":7}' >runs/y4.json
    ln -s nowhere runs/y5.json
}

setup() {
    cd "$ROOT/tests" || return
    T=$BATS_TEST_TMPDIR R=$BATS_FILE_TMPDIR
}

@test "a sweep of fifty runs with broken ones has fifty rows in every format, status first" {
    [ "$(find "$R"/runs -name '*.json' | wc -l)" = 50 ]
    run --separate-stderr render -f tsv "$R"/runs/*.json
    [ "$status" = 0 ]
    [ "$(wc -l <<<"$output")" = 51 ]
    [ "$(cut -f1 <<<"$output" | sed 's/:.*//' | sort | uniq -c | tr -s ' \n' ' ')" = \
        " 2 no_steady_state 1 status 40 steady 1 too_short 6 unreadable 1 unsupported " ]
    [ "$(grep -c '^render: .*/y[0-5].json: ' <<<"$stderr")" = 6 ]
    [ "$(render -q -f json "$R"/runs/*.json | jq -s 'length, (map(keys_unsorted[0]) | unique[])' | paste -sd' ')" = '50 "status"' ]
    render -q "$R"/runs/*.json >"$T/text"
    [ "$(grep -cE '^  (steady|no_steady_state|too_short|unsupported) |^  unreadable: ' "$T/text")" = 50 ]
    [ "$(LC_ALL=C.UTF-8 wc -L <"$T/text")" -le 80 ]
    [ "$(render -q -f markdown "$R"/runs/*.json | grep -cE '^\| (steady|no\\_steady|too\\_short|unsupported|unreadable)')" = 50 ]
    [ "$(render -q -f html "$R"/runs/*.json | grep -cE '^<tr><t[hd][^>]*>(steady|no_steady|too_short|unsupported|unreadable)')" = 50 ]
}

@test "runs stand by load: concurrency where all have one, else the offered rate, and the rest behind them" {
    [ "$(render -q -f json "$R"/runs/pair*.json | jq -r .name | paste -sd' ')" = "$(seq -f 'r%g' 1 40 | paste -sd' ')" ]
    render -q -f json "$R"/runs/*.json | jq -r .status | sed 's/:.*//' | tail -n 6 | uniq | grep -qx unreadable
    jq -c '.run.concurrency = null' "$R/runs/pair00.json" >"$T/open.json"
    render -f json "$R"/runs/pair0[1-5].json "$T/open.json" | jq -s -e 'map(.offered_rps) | . == sort'
}

@test "a sweep is drawn: every run in small, the staircase with its knee, the frontier" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    render -q -f html "$R"/runs/*.json >"$T/sweep.html"
    [ "$(grep -c '<figure id="run-' "$T/sweep.html")" = 43 ]
    grep -q '<figure id="staircase"' "$T/sweep.html" && grep -q '<figure id="frontier"' "$T/sweep.html"
    # goodput at the heaviest load is 2, not the 10 that are answered
    render -q -f gnuplot --plot staircase "$R"/runs/*.json >"$T/gp"
    [ "$(sed -n '/^\$d0_2/,/^EOD/p' "$T/gp" | sed -n '$!p' | tail -n 1)" = "10 2" ]
    # of runs that are not certified nothing is on the frontier
    [ "$(render -q -f gnuplot --plot frontier "$R"/runs/*.json | sed -n '/^\$d0_1/,/^EOD/p' | wc -l)" = 42 ]
}

@test "a run that another beats in both figures is not on the frontier" {
    for v in "a 10 100" "b 20 90" "c 15 80" "d 30 10"; do
        # shellcheck disable=SC2086
        set -- $v
        jq -c ".run.name = \"$1\" | .tps.per_user.value = $2 | .tps.system.value = $3" $C/shift/in.steady.json >"$T/$1.json"
    done
    render -f gnuplot --plot frontier "$T"/[abcd].json >"$T/gp"
    [ "$(sed -n '/^\$d0_0/,/^EOD/p' "$T/gp" | sed '1d;$d' | paste -sd,)" = "30 10,20 90,10 100" ]
    [ "$(sed -n '/^\$d0_2/,/^EOD/p' "$T/gp" | sed '1d;$d')" = "15 80" ]
}

@test "unlike runs are not compared, and each difference is named" {
    local s=$C/shift/in.steady.json g=$C/shift/in.goodput.json
    cp $s "$T/a.steady.json" && cp $g "$T/a.goodput.json"
    same() { # JQ-OF-STEADY JQ-OF-GOODPUT: compared with itself, changed
        jq -c "$1" $s >"$T/b.steady.json"
        jq -c "$2" $g >"$T/b.goodput.json"
        render --compare "$T"/a.steady.json "$T"/a.goodput.json "$T"/b.steady.json "$T"/b.goodput.json | tr -s ' \n' ' '
    }
    same . . | grep -q 'a beside b: Comparable ─.*Nothing: the same contract'
    same '.gates = ["tps"]' . | grep -q 'Comparable in goodput only.*Steady figures: unlike gate metrics.*steady: gates'
    same '.mode = "poisson"' . | grep -q 'unlike modes of issuing.*steady: mode concurrency poisson'
    same '.profile = "design"' . | grep -q 'unlike profiles'
    same '.definitions.alpha = 0.01' . | grep -q 'unlike definitions.*steady: definitions.alpha — 0.01'
    same '.verdict = "no_steady_state"' . | grep -q 'those of B are not certified (No steady state)'
    same . '.contract.latency_ms.tpot = 30' | grep -q 'steady figures only.*contract.latency_ms differs.*latency_ms.tpot 22 30'
    same . '.definitions.latency_from = "issued"' | grep -q 'definitions.latency_from differs.*latency_from intended issued'
    same '.gates = []' '.definitions.meets = "<"' | grep -q ': Not comparable'
    same '.gates = []' . | grep -c 'System TPS, tokens/s [0-9.]* [0-9.]* not comparable' | grep -qx 1
}

@test "a difference is told apart only where its interval leaves out zero" {
    local s=$C/shift/in.steady.json
    cp $s "$T/a.json"
    for by in "1 0 undecided" "1.1 10.0 more" "0.9 -10.0 less" "1.01 1.0 undecided"; do
        # shellcheck disable=SC2086
        set -- $by
        jq -c ".tps.system |= (.value *= $1 | .ci_adjusted |= map(. * $1))" $s >"$T/b.json"
        render --compare "$T/a.json" "$T/b.json" | grep -qE "^  System TPS.* [+]?$2 %.* $3\$"
    done
}

@test "two runs are compared, no more and no fewer" {
    for files in "$C/shift/in.steady.json" "$R/runs/pair00.json" "$R/runs/pair00.json $R/runs/pair01.json $R/runs/pair02.json" \
        "$R/runs/pair00.json $R/runs/y1.json"; do
        # shellcheck disable=SC2086
        run --separate-stderr render --compare $files
        [ "$status" = 2 ]
        [[ $stderr == "render: --compare: two runs are compared"* ]]
    done
    render --compare "$R/runs/pair00.json" "$R/runs/pair01.json" | head -n 1 | grep -qx 'r1 beside r8: Comparable'
}

@test "what was stated, what the reports show and what is missing are told apart" {
    item() { render --manifest "$T/m.json" $C/shift/in.steady.json $C/shift/in.goodput.json | sed -n '/^Audit/,/^Accounts/p'; }
    echo '{}' >"$T/m.json"
    item >"$T/none"
    [ "$(grep -cE '^  [A-Z].* missing$' "$T/none")" = 10 ]
    [ "$(grep -cE '^  [A-Z].* not stated +reports: ' "$T/none")" = 5 ]
    grep -q '10 of 15 items are missing' "$T/none"
    for key in model engine hardware precision parallelism max_lengths trace arrival batching timeouts duration warmup \
        acceptance evaluator ledger; do
        echo "{\"$key\": {\"as\": \"STATED\"}}" >"$T/m.json"
        item | grep -q 'as STATED'
        grep -q "\b$key\b" "$ROOT/man/render.1"
    done
    echo '{"model":"","engine":null,"hardware":[],"precision":{},"Max-Lengths":7}' >"$T/m.json"
    item | grep -q '^  Maximum lengths  *7$'
    item | grep -q '9 of 15 items are missing'
    for bad in '[]' '{' 'x' ''; do
        echo "$bad" >"$T/m.json"
        run --separate-stderr render --manifest "$T/m.json" $C/shift/in.steady.json
        [ "$status" = 2 ]
        [ -z "$output" ] && [[ $stderr == "render: $T/m.json:"* ]]
    done
}

@test "an account that does not close is said so" {
    echo '{}' >"$T/m.json"
    accounts() { render --manifest "$T/m.json" $C/shift/in.steady.json "$T/g.json" | sed -n '/^Accounts/,$p'; }
    jq -c '.segments = [{by: "w", segment: "0", offered: 700}, {by: "w", segment: "1", offered: 620}]' $C/shift/in.goodput.json >"$T/g.json"
    accounts | grep -qE 'segments by w +1320 +1320 +offered +closes'
    run ! grep -q 'DOES NOT' <(accounts)
    jq -c '.segments[1].offered = 619' "$T/g.json" >"$T/g2.json" && mv "$T/g2.json" "$T/g.json"
    accounts | grep -qE 'segments by w +1319 +1320 +offered +DOES NOT CLOSE'
    jq -c '.dispositions.accepted -= 1' $C/shift/in.goodput.json >"$T/g.json"
    accounts | grep -qE 'dispositions +1319 +1320 +offered +DOES NOT CLOSE'
}
