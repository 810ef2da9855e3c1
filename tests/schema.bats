#!/usr/bin/env bats
# The JSON Schemas of share/: every report, contract and manifest that the tools write or read fits, and what is wrong does not.

load lib

setup() {
    cd "$ROOT/tests" || return
    command -v python3 >/dev/null || skip "no python3"
    T=$BATS_TEST_TMPDIR
}

fits() { python3 schema.py "$ROOT/share/$1.schema.json" "${@:2}"; }

# Another validator, where there is one, is of the same mind.
fits_ajv() {
    command -v ajv >/dev/null || return 0
    ajv validate --spec=draft2020 --allow-union-types -s "$ROOT/share/$1.schema.json" -d "$2" >/dev/null
}

refuses() { # SCHEMA FILE JQ...: the document, changed, does not fit
    local program bad=0
    for program in "${@:3}"; do
        jq -c "$program" "$2" >"$T/wrong.json"
        if fits "$1" "$T/wrong.json" >"$T/why"; then
            echo "fits $1 although: $program"
            bad=1
        fi
    done
    return $bad
}

@test "what the tools write fits" {
    small_run "$T"
    goodput -g ttft:60,tpot:25 --by worker --window "$T/render.in" "$T/goodput.in" >"$T/goodput.json" 2>/dev/null
    goodput --binomial 20,0.8 >"$T/binomial.json"
    echo '{"latency_ms":{"ttft":60},"acceptance_min":0.5}' >"$T/contract.json"
    for level in 1 2; do
        goodput -c "$T/contract.json" --level $level "$T/goodput.in" >"$T/level$level.json" 2>/dev/null
    done
    goodput --capacity --units 7 "$T"/level[12].json >"$T/capacity.json" 2>/dev/null
    fits steady "$T/render.in"
    fits goodput "$T/goodput.json" "$T"/level[12].json
    fits capacity "$T/capacity.json"
    fits binomial "$T/binomial.json"
    for kind in goodput capacity binomial; do fits_ajv $kind "$T/$kind.json"; done
    # profiles, modes, and runs that have next to nothing
    plateau --profile design "$T/plateau.in" >"$T/design.json"
    head -n 3 "$T/plateau.in" | plateau 2>/dev/null >"$T/empty.json"
    head -n 4 "$T/goodput.in" | goodput -g ttft:60 - 2>/dev/null >"$T/none.json"
    fits steady "$T/design.json" "$T/empty.json"
    fits goodput "$T/none.json"
}

@test "the pinned reports, contracts and manifests fit" {
    fits steady cases/plateau/{not_assessed,token_free}/expout
    fits goodput cases/goodput/report_small/expout
    fits capacity cases/render/capacity/in.json
    fits contract "$ROOT"/examples/contracts/*.json
    fits manifest cases/render/manifest/in.manifest.json
    need_shared examples/run.steady.json
    for kind in steady goodput; do fits $kind "$SHARED/examples/run.$kind.json"; done
}

@test "a steady report that is wrong does not fit" {
    refuses steady cases/plateau/token_free/expout 'del(.verdict)' '.verdict = "good"' '.kind = "goodput"' '.found = 1' \
        '.tps.system.value = -1' '.tps.system.value = "2850"' '.tps.system.ci = [1]' 'del(.tps.per_user)' \
        '.metrics.tpot.p50_ns = "22 ms"' '.metrics.tpot.histogram = [{}]' '.window.first_pass = 1.5' '.window.confidence = "high"' \
        '.reasons = ["shift"]' '.plateaus = [{}]' '.short_window.dominant = "time"' '.trend.run.tpot_p50.mk.p = 2' '.pg = [7]' '[.]'
}

@test "a goodput report that is wrong does not fit" {
    refuses goodput cases/goodput/report_small/expout 'del(.offered)' '.accepted = -1' '.accepted = 0.5' '.dispositions.lost = 3' \
        'del(.dispositions.unfinished)' '.rates.goodput_rps = "114"' '.acceptance.ratio = 1.01' '.acceptance.cluster = 0.9' \
        '.latency.ttft.offered.censored = null' 'del(.latency.gap)' '.verdict = "yes"' '.segments = [{by: "w", segment: "1"}]' \
        '.cohort = {}' '.misses.ttft = "3"' '.warnings = ["x"]' '.lengths.osl.n = null | del(.lengths.isl)'
    refuses capacity cases/render/capacity/in.json '.levels[0].state = "good"' '.rated_rps = "99"' '.monotone = null' 'del(.levels)'
}

@test "a contract fits if and only if goodput takes it" {
    small_run "$T"
    bad=0
    while read -r contract; do
        echo "$contract" >"$T/c.json"
        goodput -c "$T/c.json" --unobserved fail "$T/goodput.in" >/dev/null 2>"$T/err" && takes=0 || takes=1
        fits contract "$T/c.json" >"$T/why" && schema=0 || schema=1
        [ $takes = $schema ] || { echo "goodput $takes, schema $schema: $contract"; cat "$T/err" "$T/why"; bad=1; }
    done <<'END'
{"latency_ms":{"ttft":800,"tpot":50,"gap":200,"e2e":30000}}
{"latency_ms":{"e2el":30000},"name":"n","acceptance_min":0.99}
{"latency_ms":{"ttft":-1}}
{"latency_ms":{"ttft":"800"}}
{"latency_ms":{"prefill":800}}
{"latency":{"ttft":800}}
{"latency_ms":{"ttft":800},"percentiles_ms":{"ttft":{"p99":900,"p99.9":1000}}}
{"latency_ms":{"ttft":800},"percentiles_ms":{"ttft":{"99":900}}}
{"latency_ms":{"ttft":800},"percentiles_ms":{"ttft":{"p99":null}}}
{"latency_ms":{"ttft":800},"acceptance_min":1.5}
{"latency_ms":{"ttft":800},"repeats":{"need":2,"of":2}}
{"latency_ms":{"ttft":800},"repeats":{"need":2}}
{"latency_ms":{"ttft":800},"repeats":{"need":0,"of":2}}
{"latency_ms":{"ttft":800},"not_applicable":"fail","zero_tokens":"pass"}
{"latency_ms":{"ttft":800},"not_applicable":"maybe"}
{"latency_ms":{"ttft":800},"latency_from":"issued"}
{"latency_ms":{"ttft":800},"latency_from":"sent"}
{"latency_ms":{"ttft":800},"first":"answer","primary":["latency","quality"]}
{"latency_ms":{"ttft":800},"first":"word"}
{"latency_ms":{"ttft":800},"primary":["latency"]}
{"latency_ms":{"ttft":800},"name":""}
{"latency_ms":{"ttft":800},"quality":{"rule":".pass","evaluator":"exact-match 1.2"}}
{"latency_ms":{"ttft":800},"quality":{"rule":".pass","evaluator":"exact"}}
{"latency_ms":{"ttft":800},"quality":{"rule":".pass","evaluator":{"name":"e"}}}
{"latency_ms":{"ttft":800},"quality":{"judge":"e"}}
[]
END
    [ $bad = 0 ]
}

@test "the schemas are schemas, and name the unit of every figure that has one" {
    for f in "$ROOT"/share/*.schema.json; do
        jq -e '."$schema" and ."$id" and .title and .description' "$f" >/dev/null
        [ "$(jq -r '."$id"' "$f")" = "$(basename "$f")" ]
        # every reference has a target
        jq -e '[.. | objects | ."$ref" // empty | ltrimstr("#/$defs/")] - (."$defs" // {} | keys) == []' "$f" >/dev/null
    done
    # spans, rates and times: a name that ends in no unit is a count, a share, a statistic of its own, or of the metric it stands under
    run bash -c "jq -r '[.. | objects | .properties? // empty | keys[]] | unique[] | select(test(\"span|duration|mean|latency|drain|^t0|^t1\"))' '$ROOT'/share/{steady,goodput}.schema.json | grep -vE '_(ns|ms|s|rps)\$'"
    echo "$output"
    [ "$(sort -u <<<"$output" | paste -sd' ')" = "duration latency latency_failure mean" ]
}
