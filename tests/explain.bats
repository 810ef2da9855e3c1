#!/usr/bin/env bats
# Why a window grew, was bridged or broke; why passes were cropped and samples cut; how well percentiles are known.

load lib
load tables

setup() {
    T=$BATS_TEST_TMPDIR/passes
    R=$BATS_TEST_TMPDIR/report
}

# told COLUMNS ARGS...: these columns of the windows of $T, a window a line
told() { plateau -q --explain -H "${@:2}" "$T" | cut -f"$1" | sed 1d; }

@test "a flat run: every end is taken" {
    table $(repeat 8 5.0) >"$T"
    is "$(told 1-7 | tr '\t' ' ' | paste -sd '|')" "0 4 4 0 1 grow |0 5 5 0 1 grow |0 6 6 0 1 grow |0 7 7 0 1 grow |0 8 8 0 1 grow "
    is "$(plateau --explain -H "$T" | head -n 1 | tr '\t' ' ')" "first_pass end_pass n_passes plateau admissible decision reasons tpot_p50_cov tpot_p50_cov_bound tpot_p50_rel_drift tpot_p50_p tpot_p50_jump tpot_p50_jump_p tpot_p50_gain tpot_p90_cov tpot_p90_cov_bound tpot_p90_rel_drift tpot_p90_p tpot_p90_jump tpot_p90_jump_p tpot_p90_gain"
    is "$(told 9,16 | head -n 2 | tr '\t\n' '  ')" "0.05 0.075 0.08 0.12 "
}

@test "a spike is bridged, and the reason is scatter" {
    table $(repeat 5 5.0) 6.5 $(repeat 14 5.0) >"$T"
    is "$(told 2,5-7 --patience 9 | awk -F'\t' '$2 == 0 { print $1, $3, $4 }' | head -n 2 | paste -sd '|')" "6 bridge cov:tpot_p50|7 bridge cov:tpot_p50"
    is "$(told 6 --patience 9 | grep -c bridge)" "$(plateau --patience 9 "$T" | jq .window.bridged)"
    is "$(told 6,7 --patience 1 | grep stop | head -n 1 | tr '\t' ' ')" "stop cov:tpot_p50"
}

@test "a step stops growth, and the right edge is cut back to it" {
    table $(repeat 18 5.0) $(repeat 18 6.0) >"$T"
    told 1,2,6,7 >"$R"
    is "$(awk -F'\t' '$1 == 0 && $3 == "grow" { e = $2 } END { print e }' "$R")" 18
    is "$(awk -F'\t' '$1 == 0 && $3 == "cut" { print $2 }' "$R" | head -n 1)" 19
    is "$(awk -F'\t' '$1 == 0 && $3 == "stop"' "$R" | wc -l)" 3 # patience
    awk -F'\t' '$1 == 0 && $3 == "stop" && $4 ~ /step:tpot_p50,step:tpot_p90|trend/ { n++ } END { exit n != 3 }' "$R" || { cat "$R"; false; }
    is "$(awk -F'\t' '$1 == 18' "$R" | grep -c grow)" 15
}

@test "where nothing is flat every start is skipped, and a missing value is named" {
    table 1 2 1 2 1 2 >"$T"
    is "$(told 1,4,6 | sort -u | tr '\t\n' '  ')" "0  skip 1  skip 2  skip "
    table 5 5 - 5 5 5 5 >"$T"
    is "$(told 1,6,7 | awk -F'\t' '$1 == 0' | tr '\t' ' ' | sort -u)" "0 skip missing:tpot_p50,missing:tpot_p90"
    is "$(told 1,2,6 | tail -n 1 | tr '\t' ' ')" "3 7 grow"
    table 5 5 5 >"$T"
    is "$(told 1)" ""
}

@test "figures are those of the window; what no test needed is missing" {
    table $(seq 100 120) >"$T"
    plateau -q --explain -o ndjson "$T" | jq -es '
        .[0]["#steadytools"] == "windows" and .[-1]["#end"].rows == (length - 2)
        and (.[1] | .tpot_p50_rel_drift * 101.5 - 3 | fabs < 1e-9) and .[1].tpot_p50_p == null
        and (map(select(.tpot_p50_p != null)) | length > 0 and all(.tpot_p50_rel_drift >= 0.05))
        and (map(select(.reasons == "trend:tpot_p50,trend:tpot_p90")) | length > 0 and all(.tpot_p50_p < 0.05))' >/dev/null
}

@test "the table and the report agree, whatever the run" {
    local seed
    for seed in 1 2 3 4 5 6; do
        table $(awk -v s=$seed 'BEGIN { x = s * 7919; for (i = 0; i < 60; i++) {
            for (e = k = 0; k < 6; k++) { x = x * 16807 % 2147483647; e += x / 2147483647 - .5 }
            print 5 * (1 + .02 * e + (i >= 10 * s ? .1 : 0) + (i % 17 == s ? .15 : 0)) } }') >"$T"
        for o in "" "--profile design" "--patience 5 --no-right-edge"; do
            plateau -q $o "$T" | jq -c '.plateaus[] | [.first_pass, .end_pass, .bridged]' >"$R"
            told 1,2,4,6 $o | awk -F'\t' '$3 != "" {
                if (!($3 in first)) { first[$3] = $1; n++ }
                if ($4 == "grow") end[$3] = $2; if ($4 == "bridge") bridged[$3]++ }
                END { for (i = 0; i < n; i++) printf "[%d,%d,%d]\n", first[i], end[i], bridged[i] }' | diff "$R" -
        done
    done
}

@test "status and verdict are those of the report" {
    table $(repeat 20 5.0) >"$T"
    plateau -e --explain "$T" >/dev/null
    run --separate-stderr plateau -v -e --floor-s 9999 --explain "$T"
    [ "$status" = 1 ] && [[ $stderr == *too_short* ]]
    run --separate-stderr plateau --explain "$T" "$T"
    [ "$status" = 2 ] && [ -z "$output" ]
}

@test "warmcrop -v says of every leading pass why" {
    table 3.6 4.5 4.9 $(repeat 12 5.0) >"$T"
    run --separate-stderr warmcrop -v "$T"
    is "$(grep -c ': warm-up: outside the band' <<<"$stderr")" 2
    [[ $stderr == *"pass 0: tpot_p50 3.6e+06, -28.00 % off the level: warm-up: outside the band"* ]]
    [[ $stderr == *"pass 2: tpot_p50 4.9e+06, -2.00 % off the level: body: inside the band"* ]]
    table $(repeat 8 5.0) $(repeat 22 5.5) >"$T"
    run --separate-stderr warmcrop -v "$T"
    [[ $stderr == *"body: passes from here on have settled"* ]]
    table 5 5 5 >"$T"
    run --separate-stderr warmcrop -v --count 2 "$T"
    [[ $stderr == *"pass 1: "*": warm-up: as --count says"* ]]
    run --separate-stderr warmcrop "$T"
    [ -z "$stderr" ]
}

@test "tailguard -v says what was held against which bound, and what every pass lost" {
    need_shared examples/run.passes.tsv
    warmcrop -q "$SHARED/examples/run.passes.tsv" >"$T"
    run --separate-stderr tailguard -v "$T"
    [[ $stderr == *"scatter sd/mean 0."*", at most 0.1: yes"*"skew"*"at most 0.05: yes"*"share"*"at most 0.25: yes"*"requests marked"*": body"* ]]
    run --separate-stderr tailguard -v --epsilon 0.0001 "$T"
    [[ $stderr == *"at most 0.0001: no"* ]] && [[ $stderr != *"requests marked"* ]]
}

# ---- how well a percentile is known ----

# An independent reading of the definition, from the samples of the window of a report.
oracle='
import csv, json, math, sys
csv.field_size_limit(1 << 30)
def t_quantile(df):  # 97.5 %, by halving; the cdf by Simpson
    def cdf(t, n=4000):
        c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
        f = lambda x: c * (1 + x * x / df) ** (-(df + 1) / 2)
        h = t / n
        return .5 + h / 3 * (f(0) + f(t) + sum((4 if i % 2 else 2) * f(i * h) for i in range(1, n)))
    lo, hi = 0, 100
    while hi - lo > 1e-10:
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if cdf(mid) < .975 else (lo, mid)
    return lo
report = json.load(open(sys.argv[1]))
rows = csv.DictReader((l for l in open(sys.argv[2]) if not l.startswith("#")), delimiter="\t")
w = report["window"]
rows = [r for r in rows if w["first_pass"] <= int(r["pass"]) < w["end_pass"]]
bad = known = 0
for m in ("tpot", "ttft", "e2e"):
    cluster = []
    for r in rows:
        v, tail = r["v_" + m].split(","), (r.get("v_tail") or "").split(",")
        cluster.append([float(x) for x, c in zip(v, tail if len(tail) == len(v) else ["0"] * len(v)) if x and c != "1"])
    x = sorted(sum(cluster, []))
    n, k = len(x), len(cluster)
    for p in (50, 90, 99):
        got = report["metrics"][m]["p%d_ci_ns" % p]
        if report["metrics"][m]["p%d_ns" % p] is None:
            bad += got is not None
            continue
        at = x[p * (n - 1) // 100]
        y, size = [sum(v <= at for v in c) for c in cluster], [len(c) for c in cluster]
        share = sum(y) / n
        e = [a - share * b for a, b in zip(y, size)]
        squares = sum(v * v for v in e)
        lag1 = sum(a * b for a, b in zip(e, e[1:])) / squares
        rho = min(.95, max(0, (k * lag1 + 1) / (k - 4))) if k >= 8 else 0
        t = t_quantile(max(2, k * (1 - rho) / (1 + rho) - 1))
        half = t * math.sqrt(squares / (k * (k - 1)) * (1 + rho) / (1 - rho)) / (n / k)
        lo, hi = math.floor((p / 100 - half) * (n - 1)), math.ceil((p / 100 + half) * (n - 1))
        want = [x[lo], x[hi]] if lo >= 0 and hi < n else None
        known += want is not None
        if got != want: print(m, p, got, want); bad += 1
sys.exit(bad > 0 or known < 6)'

@test "intervals of percentiles are those of an independent reading" {
    need_shared examples/run.passes.tsv
    warmcrop -q "$SHARED/examples/run.passes.tsv" | tailguard >"$T"
    plateau "$T" >"$R"
    python3 -c "$oracle" "$R" "$T"
    "$BUILD/synth" --seed 11 --concurrency 32 --dataset 200 --passes 30 --osl-mean 300 --wire field --ids short | ev2ledger | ledger2passes -q | warmcrop | tailguard >"$T"
    plateau --floor-s 60 "$T" >"$R"
    python3 -c "$oracle" "$R" "$T"
}

@test "an interval that the samples do not reach is null, and so is one without samples or of a percentile that moves" {
    table $(repeat 20 5.0) >"$T"
    plateau "$T" | jq -e '.metrics.tpot | has("p50_ci_ns") and .p50_ci_ns == null and .p99_ci_ns == null' >/dev/null
    table $(repeat 20 5.0) | awk -F'\t' -v OFS='\t' '
        NR == 1 { print $0, "ttft_p50", "ttft_p90", "v_ttft", "v_tpot"; next }
        { x = sprintf("%.0f", 1e8 * (1 + NR / 100)); print $0, x, 1e8, x "," x, "5000000,5000000" }' >"$T"
    plateau "$T" | jq -e '.metrics | .ttft.p50_ns == null and .ttft.p50_ci_ns == null and .tpot.p50_ci_ns == [5e6, 5e6]' >/dev/null
}

@test "passes that disagree widen an interval beyond what their samples alone would say" {
    awk 'BEGIN { print "pass\tfirst_issue_ns\tspan_ns\ttpot_p50\ttpot_p90\tv_tpot"
        x = 1
        for (i = 0; i < 20; i++) {
            printf "%d\t%.0f\t60000000000\t%d\t%d\t", i, 60e9 * i, 5000000 + i % 2, 5500000 + i % 2
            for (j = 0; j < 100; j++) { x = x * 16807 % 2147483647; printf "%s%d", j ? "," : "", 5000000 + x % 100000 }
            print "" } }' >"$T"
    width='.metrics.tpot.p50_ci_ns | .[1] - .[0]'
    plain=$(plateau "$T" | jq "$width")
    awk -F'\t' -v OFS='\t' 'NR > 1 && $1 % 2 { n = split($6, v, ","); $6 = ""; for (j = 1; j <= n; j++) $6 = $6 (j > 1 ? "," : "") v[j] + 60000 } { print }' "$T" >"$T.apart"
    apart=$(plateau "$T.apart" | jq "$width")
    [ "$apart" -gt $((3 * plain)) ] || { echo "$plain $apart"; false; }
}

@test "the choice by standard error of means of five needs ten passes, and is their own" {
    table $(repeat 9 5.0) >"$T"
    plateau "$T" | jq -e '.mser5 == {"first_pass": null, "end_pass": null, "se": null} and .mser.se == 0' >/dev/null
    table 5.0 5.1 5.0 5.1 5.0 5.2 5.1 5.2 5.1 5.2 >"$T" # means 5.04 and 5.16: sd .06 over the root of two
    plateau --profile design "$T" | jq -e '.mser5 | .end_pass == 10 and (.se / 60000 * (2 | sqrt) - 1 | fabs) < 1e-9' >/dev/null
    table 5.0 5.2 5.0 5.2 5.0 5.0 5.2 5.0 5.2 5.0 5.1 5.1 5.1 5.1 5.1 >"$T" # ten whose batches agree beat fifteen
    plateau "$T" | jq -e '.mser5 | [.first_pass, .end_pass, .se] == [0, 10, 0]' >/dev/null
}
