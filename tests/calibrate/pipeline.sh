#!/usr/bin/env bash
# What synth plants, the whole pipeline gives back: the tables of `make calibrate` that need requests and not only passes.
#
#     tests/calibrate/pipeline.sh [--smoke] [SEED]
#
# BIN and SYNTH say where the tools are.  Each row is one run; "robust" and "design" are the profiles of every stage.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BIN:-$PWD/bin}
SYNTH=${SYNTH:-$PWD/build/synth}
PATH=$BIN:$PATH
export PATH LC_ALL=C
smoke=
if [ "${1:-}" = --smoke ]; then
    smoke=1
    shift
fi
seed=${1:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

common="--wire null --tokens-recorded --prompt ids --prompt-bytes 20 --ids short"

plant() { # options of synth -> $dir/ledger, $dir/truth
    # shellcheck disable=SC2086
    "$SYNTH" --seed "$seed" $common "$@" --truth "$dir/truth" | ev2ledger -q >"$dir/ledger"
}

# judge PROFILE FLOOR [OPTION of warmcrop]... [-- [OPTION of tailguard]... [-- [OPTION of plateau]...]] -> $dir/report
cut_passes() { ledger2passes -q "$@" "$dir/ledger" >"$dir/passes" 2>/dev/null; }

judge() {
    local profile=$1 floor=$2 stage=0 crop=() guard=() last=()
    shift 2
    for option; do
        case $stage$option in
        ?--) stage=$((stage + 1)) ;;
        0*) crop+=("$option") ;;
        1*) guard+=("$option") ;;
        *) last+=("$option") ;;
        esac
    done
    warmcrop -q --profile "$profile" "${crop[@]}" "$dir/passes" 2>/dev/null |
        tailguard -q --profile "$profile" "${guard[@]}" |
        plateau -q --profile "$profile" --floor-s "$floor" "${last[@]}" >"$dir/report" 2>/dev/null
}

# Verdict, and how far mean TPOT and tokens/s of the window lie off what was planted, %; then more of the report.
columns() {
    jq -r --slurpfile t "$dir/truth" '
        [.verdict] + (if .found then [.metrics.tpot.mean_ns / $t[0].tpot_ns, .tps.system.value / $t[0].tps | (. - 1) * 100]
                      else ["nan", "nan"] end) + ['"${1:-}"'] | @tsv' "$dir/report"
}

row() { # name
    printf '%-36s' "$1"
}

cells() { # more of the report
    local line text
    IFS=$'\t' read -r -a line < <(columns "${1:-}")
    printf -v text ' | %18s %+9.3f %+9.3f' "${line[@]:0:3}"
    printf '%s' "${text//+nan/   -}"
    if [ ${#line[@]} -gt 3 ]; then printf ' %8s' "${line[@]:3}"; fi
}

both() { # name floor
    row "$1"
    judge robust "$2"
    cells
    judge design "$2"
    cells
}

recovered() {
    local c tpot passes
    printf '\n1. Planted throughput and concurrency: verdict, recovered over planted - 1 of mean TPOT and of tokens/s, %%\n'
    printf '   (goal: TPOT within .1, tokens/s within .5)\n\n'
    printf '%-36s | %-38s | %-38s\n' "" robust design
    while read -r c tpot passes; do
        if [ -n "$smoke" ] && [ "$c" -gt 64 ]; then continue; fi
        plant --concurrency "$c" --dataset "$((c < 256 ? 256 : c))" --osl-mean 150 --ttft-ms 30 --tpot-ms "$tpot" \
            --passes "$passes" --noise 0.002
        cut_passes
        both "$(jq -r '"C \(.concurrency), \(.tps | round) tok/s"' "$dir/truth")" "$(jq '.e2e_ns / 1e8' "$dir/truth")"
        printf '\n'
    done <<<"32 32 46
32 8 46
64 20 46
128 10 46
256 40 40
512 10 40
2048 10 30
4096 5 30
8192 5 24
16384 4.8 24"
}

degenerate() {
    local times n
    printf '\n1b. Runs that hardly leave the load ramp, C 512 before 170 slots, by requests per client: what is certified, and\n'
    printf '    what the window would say were it not for its least duration (goal: nothing certified up to 2)\n\n'
    printf '%-36s | %-38s | %-38s | %s\n' "" robust design "design --no-min-duration"
    for times in 1 1.5 2 2.5 3 4 6 12; do
        n=$(awk -v t="$times" 'BEGIN { print int(512 * t) }')
        plant --concurrency 512 --slots 170 --dataset 32 --osl-mean 150 --tpot-ms 20 --requests "$n" --ramp 0.5 --noise 0.005
        cut_passes -k 1
        both "n = $times C" 5
        judge design 5 -- -- --no-min-duration
        cells
        printf '\n'
    done
}

# The edges of a window: the ramp and the burst before it, the tail after it.
edges() {
    local what profile crop guard
    printf '\n5b. Edges: C 128, dataset 100, 80 passes, ramp of 4: one guard after the other left out; passes cropped, tail cut\n\n'
    for hairball in 0 0.01; do
        plant --concurrency 128 --dataset 100 --osl-mean 150 --tpot-ms 50 --passes 80 --ramp 4 --noise 0.005 --hairball $hairball
        cut_passes -k 1
        while IFS='|' read -r what profile crop guard; do
            row "hairball $hairball: $what"
            # shellcheck disable=SC2086
            judge "$profile" 60 $crop -- $guard
            cells '.warmup.passes, .tail.cut'
            printf '\n'
        done <<<"robust|robust||
no crop|robust|--count 0|
first pass only|robust|--count 1|
band alone|design||
tail kept|robust||--epsilon 0
no crop, tail kept|robust|--count 0|--epsilon 0"
    done
}

grain() {
    local k
    printf '\n7c. Dataset passes per super-pass: C 128, dataset 64 (so k = 2 by default), 120 passes, +10 %% at 60 %%;\n'
    printf '    passes of the window, CoV of tpot_p50 in %%\n\n'
    plant --concurrency 128 --dataset 64 --osl-mean 150 --tpot-ms 50 --passes 120 --noise 0.01 --step 0.10@0.6
    for k in 1 2 3 4 6; do
        row "k = $k"
        cut_passes -k $k
        judge robust 60
        cells '.window.n_passes, (.short_window.cov_b * 1e4 | round / 100)'
        printf '\n'
    done
}

# Safe or not: what leaving the tail out does to TPOT, and what the guard measures before it.
guard() {
    local spread epsilon
    printf '\n7d. Guard of the tail cut: C 64, dataset 100, 60 passes, hairball of 2 %%, noise of TPOT between requests;\n'
    printf '    cut, sd/mean, |mean - median|/mean, share of the tail\n\n'
    for spread in 0.03 0.08 0.12 0.2; do
        plant --concurrency 64 --dataset 100 --osl-mean 150 --tpot-ms 50 --passes 60 --noise 0.005 --hairball 0.02 \
            --request-noise "$spread"
        cut_passes -k 1
        for epsilon in 0 0.05 0.1 0.3; do
            row "noise $spread, epsilon $epsilon"
            judge robust 60 -- --epsilon "$epsilon" --delta 1
            cells '.tail.cut, (.tail.cov, .tail.skew, .tail.share | . * 1000 | round / 1000)'
            printf '\n'
        done
    done
}

recovered
degenerate
if [ -z "$smoke" ]; then
    edges
    grain
    guard
fi
