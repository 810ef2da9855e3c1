#!/usr/bin/env bats
# render: one run as a page, many as a table, and nothing that a report says reaches the terminal raw.
# What pages look like is pinned by tests/cases/render.

load lib

C=cases/render

setup() {
    cd "$ROOT/tests" || return
    T=$BATS_TEST_TMPDIR
}

steady_as() { # NAME [JQ]: a steady report under another name, changed by a jq program
    jq -c "${2:-.}" $C/shift/in.steady.json >"$T/$1"
}

goodput_as() { jq -c "${2:-.}" $C/shift/in.goodput.json >"$T/$1"; }

@test "a steady and a goodput report are one run, whatever they are called" {
    steady_as a.json
    goodput_as b.json
    for order in "a.json b.json" "b.json a.json"; do
        # shellcheck disable=SC2086
        (cd "$T" && render -f json $order) >"$T/out"
        [ "$(wc -l <"$T/out")" = 1 ]
        jq -e '.verdict == "steady_then_shift" and .accepted == 806' "$T/out"
    done
}

@test "reports of many runs go by run.name, path stem or directory" {
    mkdir -p "$T/x" "$T/y"
    steady_as x/steady.json; goodput_as x/goodput.json
    steady_as y/steady.json; goodput_as y/goodput.json
    steady_as r1.steady.json; goodput_as r1-goodput.tsv
    steady_as p.json '.run.name = "named"'; goodput_as q.json '.run.name = "named"'
    run bash -o pipefail -c "cd '$T' && render -f json */*.json r1* p.json q.json | jq -r 'select(.verdict and .accepted) | .name' | sort | paste -sd' '"
    [ "$status" = 0 ]
    [ "$output" = "named r1 x y" ]
}

@test "one name in two directories is two runs, told apart" {
    mkdir -p "$T/x" "$T/y"
    steady_as x/r.steady.json; goodput_as y/r.goodput.json; steady_as y/r.steady.json
    (cd "$T" && render -f json ./*/*) | jq -r '[.name, .accepted] | @csv' >"$T/out"
    [ "$(cat "$T/out")" = '"./x/r",
"./y/r",806' ]
}

@test "two steady reports of one name are two rows" {
    cat $C/shift/in.steady.json $C/shift/in.steady.json >"$T/follow.json"
    [ "$(render -f tsv "$T/follow.json" | wc -l)" = 3 ]
}

@test "the TSV spelling of a report renders the same" {
    jq -r '. as $d | paths(type != "object" and type != "array" or length == 0) as $p
        | "\($p | map(tostring) | join("."))\t\($d | getpath($p) | tojson)"' $C/shift/in.steady.json >"$T/in.steady.tsv"
    cp $C/shift/in.steady.json "$T/in.steady.json"
    diff <(render "$T/in.steady.tsv") <(render "$T/in.steady.json")
}

@test "a sweep does not abort on a bad run, and says which it was" {
    echo '{' >"$T/bad.json"
    run --separate-stderr render -f tsv $C/shift/in.steady.json "$T/bad.json" "$T/absent" "$T" $C/too_short/in.json
    [ "$status" = 0 ]
    [ "$(cut -f1 <<<"$output" | tr '\n' ' ' | grep -c '^status steady_then_shift too_short unreadable: .* unreadable: No such file or directory unreadable: Is a directory $')" = 1 ]
    [ "$(grep -c . <<<"$stderr")" = 3 ]
    run --separate-stderr render "$T/bad.json" "$T/absent"
    [ "$status" = 2 ]
    [ "$(grep -c '^  unreadable: ' <<<"$output")" = 2 ]
}

@test "rows have the same columns for every kind of report, and no invented zero" {
    render -f json $C/*/in.json $C/shift/in.steady.json 2>/dev/null >"$T/rows"
    [ "$(jq -c keys_unsorted "$T/rows" | sort -u | wc -l)" = 1 ]
    jq -e -s 'map(select(.status == "not_assessed"))[0] | [.tps_system, .tpot_p50_ms, .goodput_rps, .accepted] == [null, null, null, null]' "$T/rows"
    render -f tsv $C/*/in.json 2>/dev/null | awk -F'\t' '{ n[NF]++ } END { for (k in n) c++; exit c != 1 }'
}

@test "rows are in the units their names say" {
    render -f json $C/shift/in.steady.json | jq -e '.tpot_p50_ms > 19.9 and .tpot_p50_ms < 20 and .window_s > 663 and .certified'
    render -f json $C/wandering/in.json | jq -e '.certified == false'
}

@test "-o names the rows, too" {
    cmp <(render -o tsv $C/shift/in.steady.json) <(render -f tsv $C/shift/in.steady.json)
    cmp <(render -o ndjson $C/shift/in.steady.json) <(render -f json $C/shift/in.steady.json)
}

@test "-e is 1 unless every run is steady and within its contract" {
    render -e $C/shift/in.steady.json $C/shift/in.goodput.json
    for bad in wandering too_short agentic not_assessed contract_failed; do
        run render -e $C/$bad/in.json
        [ "$status" = 1 ]
        run render -e -f tsv $C/shift/in.steady.json $C/$bad/in.json
        [ "$status" = 1 ]
        render $C/$bad/in.json
    done
    echo '{' >"$T/bad.json"
    run render -e $C/shift/in.steady.json "$T/bad.json"
    [ "$status" = 1 ]
    for verdict in steady steady_then_shift steady_after_shift local_plateau; do
        steady_as v.json ".verdict = \"$verdict\""
        want=1
        [[ $verdict = steady || $verdict = steady_then_shift ]] && want=0
        run render -e "$T/v.json"
        [ "$status" = $want ]
    done
}

@test "no line of text is wider than 80 columns" {
    for f in $C/*/in.json $C/shift/in*.json; do
        [ "$(render "$f" | LC_ALL=C.UTF-8 wc -L)" -le 80 ]
    done
    [ "$(render $C/*/in.json 2>/dev/null | LC_ALL=C.UTF-8 wc -L)" -le 80 ]
}

@test "--ascii leaves no other byte" {
    render --ascii $C/*/in.json $C/shift/in.steady.json 2>/dev/null >"$T/many"
    for f in $C/*/in*.json; do render --ascii "$f" 2>/dev/null || true; done >>"$T/many"
    [ -s "$T/many" ]
    run env LC_ALL=C grep -n '[^ -~]' "$T/many"
    [ "$status" = 1 ]
}

@test "nothing of a report's text is a control to the terminal" {
    steady_as evil.json '.run.name = "a\u001b[2Jb\u0007\r\n\u202ec\u009b31m\u200b" | .warnings = ["x \u001b]0;t\u0007"] | .reasons = [{code: "\u001b[31m", "k\u001b": 1}] | .window.confidence = "\u001bc"
        | .trend.window["\u001bx"] = .trend.window.tpot_p50'
    for f in text markdown; do
        render -f $f "$T/evil.json" >"$T/out"
        run env LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]' "$T/out"
        echo "$output"
        [ "$status" = 1 ]
    done
    [ "$(render -f tsv "$T/evil.json" | wc -l)" = 2 ]
    [ "$(render -f json "$T/evil.json" | wc -l)" = 1 ]
}

@test "Markdown of foreign text stays text" {
    steady_as md.json '.run.name = "<b>x</b> | `y` [z](http://a) *w*"'
    run render -f markdown "$T/md.json"
    [ "$status" = 0 ]
    [[ $output == '# &lt;b&gt;x&lt;/b&gt; \| \`y\` \[z\](http://a) \*w\*: '* ]]
}

@test "colour only on a terminal that wants it" {
    [ "$(TERM=xterm render $C/shift/in.steady.json | grep -c $'\033')" = 0 ]
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal here"
    on_terminal() { env -u NO_COLOR "$@" script -qec "render $C/shift/in.steady.json" /dev/null </dev/null; }
    on_terminal TERM=xterm | grep -q $'\033\[1;33m'
    run -1 bash -c "$(declare -f on_terminal); C=$C; on_terminal TERM=dumb | grep $'\033'"
    run -1 bash -c "$(declare -f on_terminal); C=$C; on_terminal TERM=xterm NO_COLOR=1 | grep $'\033'"
}

@test "the locale changes nothing" {
    LC_ALL=C render $C/shift/in.steady.json >"$T/1"
    LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo render $C/shift/in.steady.json | cmp - "$T/1"
}

@test "two reports of unlike runs are not passed off as one" {
    goodput_as g.json '.offered = 1200'
    render $C/shift/in.steady.json "$T/g.json" | tr '\n' ' ' | grep -q 'counts 1320 requests, the goodput report 1200'
}

@test "a report without any path still renders" {
    for kind in steady goodput capacity binomial unheard_of; do
        echo "{\"kind\":\"$kind\"}" >"$T/$kind.json"
        for f in text markdown html tsv json; do
            run --separate-stderr render -f $f "$T/$kind.json"
            [ "$status" = 0 ] && [ -n "$output" ] && [ -z "$stderr" ]
        done
        render "$T/$kind.json" | (! grep -E '\bnan\b|null|-?[0-9]{15}')
    done
}

@test "a path of another type than it should be is a missing value" {
    for f in $C/shift/in.steady.json $C/shift/in.goodput.json $C/capacity/in.json $C/binomial/in.json; do
        for to in null '"x"' '[]' '{}' true 7; do
            jq -c "with_entries(if .key == \"kind\" then . else .value = $to end)" "$f" >"$T/odd.json"
            for format in text markdown html tsv json; do
                run render -f $format "$T/odd.json"
                [ "$status" = 0 ]
            done
            jq -c "walk(if type == \"object\" and (has(\"kind\") | not) then with_entries(.value = $to) else . end)" "$f" >"$T/odd.json"
            run render -f html "$T/odd.json"
            [ "$status" = 0 ]
        done
    done
}

@test "a directory of runs becomes a sweep, and only what changed is made again" {
    [ -x "$BUILD/synth" ] || skip "no synth"
    mkdir "$T/runs"
    for i in 1 2; do
        "$BUILD/synth" --wire field --concurrency 4 --passes 8 --dataset 20 --seed $i >"$T/runs/r$i.jsonl"
    done
    echo garbage >"$T/runs/bad.jsonl"
    sweep() { make -s -f "$ROOT/examples/report.mk" RUNS="$T/runs" OUT="$T/out" "$@" 2>/dev/null; }
    run sweep -j2
    [ "$status" = 0 ]
    [ "$(grep -cE '^  (too_short|no_steady_state) +r[12] ' <<<"$output")" = 2 ]
    [ "$(grep -c '^  unreadable: .*bad.steady.json' <<<"$output")" = 1 ]
    [ "$(wc -l <"$T/out/sweep.tsv")" = 4 ]
    made() { find "$T/out" -type f ! -name '.*' -newer "$T/mark" -printf '%f\n' | sort | paste -sd' '; }
    sleep 0.01; touch "$T/mark"; sweep -j2
    [ "$(made)" = "" ]
    sweep TARGETS=ttft:60
    [ "$(made)" = "bad.goodput.json bad.html bad.txt r1.goodput.json r1.html r1.txt r2.goodput.json r2.html r2.txt sweep.html sweep.tsv sweep.txt" ]
    sleep 0.01; touch "$T/mark" && sleep 0.01 && touch "$T/runs/r1.jsonl"
    sweep TARGETS=ttft:60
    [ "$(made)" = "r1.goodput.json r1.html r1.ledger.tsv r1.passes.tsv r1.steady.json r1.tail.tsv r1.txt r1.warm.tsv sweep.html sweep.tsv sweep.txt" ]
    grep -q '<h2' "$T/out/r1.html" && grep -q '<h2' "$T/out/sweep.html"
    # a manifest makes the pages anew, and nothing else
    echo '{"model":"m 7"}' >"$T/manifest.json"
    sleep 0.01; touch "$T/mark"
    sweep TARGETS=ttft:60 MANIFEST="$T/manifest.json"
    [ "$(made)" = "bad.html r1.html r2.html sweep.html sweep.tsv sweep.txt" ]
    grep -q '>m 7<' "$T/out/r2.html"
    # a contract takes the place of the targets, and has a verdict that a capacity follows from
    echo '{"latency_ms":{"e2e":60000},"acceptance_min":0.5}' >"$T/contract.json"
    sleep 0.01; touch "$T/mark"
    sweep CONTRACT="$T/contract.json" MANIFEST="$T/manifest.json"
    [ "$(made | tr ' ' '\n' | grep -c goodput)" = 3 ]
    [ "$(jq -r .verdict "$T"/out/r[12].goodput.json | paste -sd' ')" = "pass pass" ]
    goodput -q --capacity "$T"/out/r[12].goodput.json | jq -e '.rated_rps > 0'
    # other options of a stage are tried beside the reports, which stay as they are
    sleep 0.01; touch "$T/mark"
    run sweep TARGETS=ttft:60 MANIFEST="$T/manifest.json" try TRY_PLATEAU='--profile design'
    [ "$(grep -c '^r[12] beside r[12].try: Not comparable' <<<"$output")" = 2 ]
    [ "$(grep -c 'steady: profile *robust *design' <<<"$output")" = 2 ]
    [ "$(made | tr ' ' '\n' | grep -vc try)" = 0 ]
}

@test "every path of a report is in the manual" {
    small_run "$T"
    goodput -g ttft:60,tpot:25 --by worker "$T/goodput.in" >"$T/goodput.json" 2>/dev/null
    goodput --binomial 5,0.5 >"$T/binomial.json"
    for f in "$T/render.in" "$T/goodput.json" "$T/binomial.json"; do
        jq -r 'del(.run, .passes, .contract, .pg[]?.options) | .trend[]? |= (to_entries | .[0:1] | map(.value))
            | [paths | map(strings)] | flatten | unique[]' "$f"
    done | sort -u >"$T/keys"
    [ "$(wc -l <"$T/keys")" -gt 100 ]
    while read -r key; do
        grep -qE "[ .,]$key( |\$|,|\.)" "$ROOT/man/steadytools-report.5" || { echo "not in steadytools-report.5: $key"; bad=1; }
    done <"$T/keys"
    [ -z "${bad:-}" ]
}
