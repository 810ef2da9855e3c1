#!/usr/bin/env bats
# Is there a steady state, and what is it.

load lib
load tables

setup() {
    T=$BATS_TEST_TMPDIR/passes
    R=$BATS_TEST_TMPDIR/report
}

# line N FROM TO: a straight line
line() { awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%.9g ", a + (b - a) * i / (n - 1) }'; }

# judge ARGS...: the report of $T in $R; says the verdict
judge() {
    plateau -q "$@" "$T" >"$R" || return
    jq -r .verdict "$R"
}
# says FILTER: true of the report
says() { jq -e "$1" "$R" >/dev/null || { echo "not so: $1"; jq -c 'del(.trend, .passes, .pg, .total, .divergence)' "$R"; return 1; }; }

@test "a flat run is steady, and its window is all of it" {
    table $(repeat 20 5.0) >"$T"
    [ "$(judge)" = steady ]
    says '.kind == "steady" and .found and .reasons == [] and .warnings == []'
    says '.window | [.first_pass, .end_pass, .n_passes, .n_requests, .span_ns] == [0, 20, 20, 200, 1200000000000]'
    says '.window | [.plateau_index, .n_plateaus, .skipped_short, .bridged, .excursions] == [0, 1, 0, 0, []]'
    says '.best_effort == null and (.passes | length) == 20 and .coverage == "windowable"'
    says '.gates == ["tpot_p50", "tpot_p90"] and .profile == "robust" and .mode == "concurrency"'
}

@test "the headline comes first" {
    table $(repeat 20 5.0) >"$T"
    judge >/dev/null
    says 'keys_unsorted[:13] == ["kind","version","verdict","found","reasons","warnings","coverage","partial","mode","profile","gates","window","tps"]'
}

@test "a window lasts ten minutes, to the second" {
    table $(repeat 10 5.0) >"$T"
    [ "$(judge)" = steady ]
    [ "$(judge --floor-s 600.001)" = too_short ]
    says '.found == false and .reasons == [{"code":"short_window","metric":"floor","value":600,"bound":600.001}]'
    says '.short_window | [.long_enough, .window_duration_s, .min_duration_s, .dominant, .t_floor_s] == [false, 600, 600.001, "floor", 600.001]'
    says '.window.first_pass == null and .window.skipped_short == 1 and .tps.system.value == null and .metrics.tpot.mean_ns == null'
    says '.best_effort.window | [.first_pass, .end_pass, .n_requests] == [0, 10, 100]'
    [ "$(judge --floor-s 600.001 --no-min-duration)" = steady ]
    says '.found and .warnings == ["short_window"] and .short_window.long_enough == false'
}

@test "precision: a noisy gate needs more passes, unless four are enough" {
    table 4.7 $(repeat 10 "5.3 4.7") >"$T" # CoV 0.0600
    [ "$(judge --floor-s 0)" = steady ]
    says '.short_window | .k_star == 6 and .t_precision_s == 360 and .dominant == "precision" and .min_duration_s == 360'
    judge --floor-s 360 >/dev/null
    says '.short_window.dominant == "precision"' # of equals the first
    table 4.85 $(repeat 10 "5.15 4.85") >"$T" # CoV 0.0300: k* is four
    judge --floor-s 0 >/dev/null
    says '.short_window | .k_star == 4 and .t_precision_s == 0 and .min_duration_s == 0'
}

@test "relaxation: five times the p90 of the time in the system" {
    table $(repeat 20 5.0) | awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "e2e_p90"; next } { print $0, NR % 2 ? 130e9 : 150e9 }' >"$T"
    [ "$(judge)" = steady ]
    says '.short_window | .l_p90_s == 140 and .t_relaxation_s == 700 and .dominant == "relaxation"'
    judge -m offline --gate tpot_p50 >/dev/null # there the wait in the queue is in it, and only samples tell it apart
    says '.short_window | .l_p90_s == null and .t_relaxation_s == null and .dominant == "floor"'
}

@test "fewer than four passes are too few" {
    table 5 5 5 >"$T"
    [ "$(judge --floor-s 0)" = too_short ]
    says '.reasons == [{"code":"passes","metric":null,"value":3,"bound":4}]'
    table 5 5 5 5 >"$T"
    [ "$(judge --floor-s 0)" = steady ]
    says '.window.confidence == "none"'
}

@test "confidence needs six passes in the window and twenty in the body" {
    table $(repeat 6 5.0) >"$T"
    judge --floor-s 0 >/dev/null
    says '.window.confidence == "low"'
    table $(repeat 20 5.0) >"$T"
    judge >/dev/null
    says '.window.confidence == "full"'
    table 4.8 $(repeat 10 "5.2 4.8") >"$T"
    judge >/dev/null
    says '.window.confidence == "low"'
}

@test "a step: the level before it is reported, and the shift is said" {
    table $(repeat 20 5.0) $(repeat 20 5.5) >"$T"
    [ "$(judge)" = steady_then_shift ]
    says '[.window.first_pass, .window.end_pass] == [0, 20]'
    says '.reasons == [{"code":"shift","metric":"tpot_p50","value":.anomaly.delta,"bound":0.05}]'
    says '.anomaly | .detected and .change_pass == 20 and .direction == "up" and (.delta - 0.1 | fabs) < 1e-9 and .pettitt.p < 0.05'
    says '[.plateaus[] | [.first_pass, .end_pass, .long_enough, .reported]] == [[0, 20, true, true], [20, 40, true, false]]'
}

@test "a step down is a shift too, and its direction is down" {
    table $(repeat 20 5.0) $(repeat 20 4.5) >"$T"
    [ "$(judge)" = steady_then_shift ]
    says '.anomaly | .direction == "down" and .delta < 0'
}

@test "the right edge gives back the passes of the next level" {
    table $(repeat 20 5.0) $(repeat 20 5.5) $(repeat 20 5.0) >"$T"
    judge >/dev/null
    says '.window.end_pass == 20'
    judge --no-right-edge >/dev/null
    says '.window.end_pass > 20'
    judge --profile design >/dev/null
    says '.window.end_pass > 20'
}

@test "a fault in the last two passes is a shift, in the very last it cannot be seen" {
    table $(repeat 20 "5.0 5.01") 6.5 6.5 >"$T"
    [ "$(judge)" = steady_then_shift ]
    says '[.window.first_pass, .window.end_pass] == [0, 40] and .reasons[0].code == "end_shift"'
    says '.anomaly | .detected and .change_pass == 40 and .end.first_pass == 40 and .end.delta > 0.29'
    [ "$(judge --profile design)" != steady_then_shift ]
    table $(repeat 20 "5.0 5.01") 6.5 >"$T"
    [ "$(judge)" = steady ]
    says '.window.excursions == [40]'
}

@test "the duration of a window is asked after the fault has left it" {
    table $(repeat 5 "5.0 5.01") 6.5 6.5 >"$T"
    [ "$(judge --floor-s 600)" = steady_then_shift ]
    [ "$(judge --floor-s 601)" = too_short ]
    says '.short_window.window_duration_s == 600'
}

@test "an earlier plateau at another level, too short to be certified, is named" {
    table $(repeat 8 5.0) $(repeat 30 5.5) >"$T"
    [ "$(judge)" = steady_after_shift ]
    says '.window | [.first_pass, .end_pass, .plateau_index, .n_plateaus, .skipped_short] == [8, 38, 1, 2, 1]'
    says '.reasons[0] | .code == "before_shift" and (.value - 0.1 | fabs) < 1e-9'
    [ "$(judge --no-min-duration)" = steady_then_shift ] # the first one is reported, however short
    says '.window.end_pass == 8 and .warnings == ["short_window"]'
}

@test "a slope is no staircase" {
    table $(line 120 5.0 6.2) >"$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[].code] == ["slope"] and .found' # the window is shown, not certified
    says '.reasons[0].bound == 0.15 and .reasons[0].value > 0.15'
    table $(line 40 5.0 6.5) >"$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[].code] | contains(["drift"])'
    [ "$(judge --profile design)" = no_steady_state ]
}

@test "a gate that drifts around the window makes the plateau a local one" {
    table $(line 60 5.0 5.4) >"$T"
    [ "$(judge)" = local_plateau ]
    says '.reasons[0] | .code == "drift" and .bound == 0.05 and .value > 0.05'
    says '.drifting_up == ["tpot_p50", "tpot_p90"] and (.warnings | contains(["drifting_up"]))'
    table $(line 60 5.0 5.1) >"$T" # significant, and too small to matter
    [ "$(judge)" = steady ]
    says '.drifting_up == ["tpot_p50", "tpot_p90"] and .trend.rest.tpot_p50.state == "up" and .trend.window.tpot_p50.state == "plateau"'
    [ "$(judge --profile design)" = local_plateau ]
    table $(line 60 5.1 5.0) >"$T"
    [ "$(judge)" = steady ]
    says '.settling == ["tpot_p50", "tpot_p90"] and .drifting_up == []'
}

@test "three levels far apart, none of which lasts, are a run that wanders" {
    table $(repeat 7 5.0) $(repeat 7 6.0) $(repeat 7 5.0) $(repeat 7 6.0) >"$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[].code] == ["wandering"] and (.reasons[0].value - 0.2 | fabs) < 1e-9'
    [ "$(judge --profile design)" = too_short ]
}

@test "no window at all: what the rules have against the body is said" {
    table $(repeat 15 "5.0 9.0") >"$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[] | [.code, .metric]] == [["no_window", null], ["cov", "tpot_p50"], ["cov", "tpot_p90"]]'
    says '[.reasons[].bound] == [null, 0.08, 0.12] and .plateaus == [] and .found == false'
}

@test "patience bridges an excursion and lists it" {
    table $(repeat 12 5.0) 5.9 $(repeat 12 5.0) >"$T"
    [ "$(judge)" = steady ]
    says '[.window.first_pass, .window.end_pass] == [0, 25] and .window.excursions == [12]'
    table $(repeat 5 5.0) 9 9 $(repeat 60 5.0) >"$T"
    judge >/dev/null
    says '.window.bridged > 0 or .window.first_pass > 0'
    judge --patience 1 >/dev/null
    says '.window.bridged == 0'
}

@test "each ingredient is an option of its own" {
    table $(repeat 30 5.0) $(repeat 30 5.4) >"$T"
    judge >/dev/null
    says '(.plateaus | length) == 2'
    judge --no-step --no-right-edge --trend mann-kendall --rel-drift 0.5 >/dev/null
    says '(.plateaus | length) == 1 and .definitions.step == false and .definitions.right_edge == false and .definitions.trend == "mann-kendall"'
    table $(line 40 5.0 5.4) >"$T"
    judge --rel-drift 0.2 >/dev/null
    says '(.plateaus | length) == 1 and .definitions.rel_drift == 0.2'
    judge --alpha 0 >/dev/null
    says '(.plateaus | length) == 1 and .definitions.alpha == 0'
    judge >/dev/null
    says '(.plateaus | length) > 1'
}

@test "the tests of trend stand side by side, and say how many agree" {
    table $(line 40 5.0 6.5) >"$T"
    judge >/dev/null
    says '.trend.run.tpot_p50 | .n == 40 and .state == "up" and .primary == "hamed-rao-ar1" and .agree == 2 and .mk.s == 780 and .ols.rel_drift > 0.25'
    says '.trend.run.tpot_p50 | has("hamed_rao") and has("newey_west") and .theil_sen.slope > 0 and .pettitt.change == 20'
    judge --trend hamed-rao >/dev/null
    says '.trend.run.tpot_p50.primary == "hamed-rao"'
    table - - $(repeat 8 5.0) $(repeat 30 5.5) >"$T" # numbers of passes, not of values
    judge >/dev/null
    says '.trend.run.tpot_p50 | .n == 38 and .pettitt.change == 10'
}

@test "a missing value ends a plateau; nothing but missing values is not assessed" {
    table $(repeat 12 5.0) - $(repeat 12 5.0) >"$T"
    judge >/dev/null
    says '[.plateaus[] | [.first_pass, .end_pass]] == [[0, 12], [13, 25]]'
    table $(repeat 20 -) >"$T"
    [ "$(judge)" = not_assessed ]
    says '.found == false and .reasons[0].code == "no_tokens"'
}

@test "TTFT is no substitute for a time per token" {
    table $(repeat 20 -) | awk -F'\t' -v OFS='\t' '{ print $0, NR == 1 ? "ttft_p50" : 5e7 }' >"$T"
    [ "$(judge)" = not_assessed ]
    [ "$(judge --gate ttft_p50)" = steady ]
}

@test "a run without times, and one without requests, are not assessed" {
    table $(repeat 20 5.0) | cut -f 1-3,6,7 >"$T"
    [ "$(judge)" = not_assessed ]
    says '.reasons[0].code == "no_times"'
    table >"$T"
    [ "$(judge)" = not_assessed ]
    says '.reasons[0].code == "no_requests" and .qps.value == null'
}

@test "a gate that the table lacks is an error, and so is one that is no metric" {
    table $(repeat 20 5.0) >"$T"
    run --separate-stderr plateau --gate e2e_p50 "$T"
    [ "$status" = 2 ] && [ "$output" = "" ] && [[ $stderr = *"no column 'e2e_p50'"* ]]
    run --separate-stderr plateau --gate pass "$T"
    [ "$status" = 2 ] && [[ $stderr = "plateau: --gate: 'pass' is"* ]]
    run --separate-stderr plateau --gate '' "$T"
    [ "$status" = 2 ]
}

@test "a span that the table lacks comes from its stamps" {
    table $(repeat 20 5.0) | awk -F'\t' -v OFS='\t' 'NR == 1 { $5 = "next_issue_ns" } NR > 1 { $5 = sprintf("%.0f", $4 + 60e9) } 1' >"$T"
    [ "$(judge)" = steady ]
    says '.window.span_ns == 1200000000000 and .window.next_issue_ns == 1200000000000'
}

@test "only full passes of the body count" {
    table 9 9 $(repeat 20 5.0) 8 8 | awk -F'\t' -v OFS='\t' '
        NR == 1 { print $0, "full", "role"; next }
        { print $0, NR == 25 ? 0 : 1, NR < 4 ? "warmup" : NR == 24 ? "drain" : "body" }' >"$T"
    [ "$(judge)" = steady ]
    says '[.window.first_pass, .window.end_pass] == [2, 22] and (.passes | length) == 24'
}

@test "what the run itself says can forbid certainty" {
    table $(repeat 20 5.0) >"$T.plain"
    stream '{"backlog":true,"mode":"poisson"}' "$T.plain" >"$T"
    [ "$(judge)" = no_steady_state ]
    says '.found and [.reasons[].code] == ["backlog"] and .tps.system.value == null'
    [ "$(judge --profile design)" = steady ]
    stream '{"warmup":{"passes":3,"capped":true}}' "$T.plain" >"$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[].code] == ["capped"] and .warnings == ["warmup_capped"] and .warmup.passes == 3 and (.run | has("warmup") | not)'
    stream '{"in_flight_at_first_done":100}' "$T.plain" >"$T" # 200 requests
    [ "$(judge)" = too_short ]
    says '.reasons == [{"code":"coverage","metric":null,"value":200,"bound":200}] and .found == false'
    [ "$(judge -m offline --gate tpot_p50)" = steady ]
    stream '{"in_flight_at_first_done":99}' "$T.plain" >"$T"
    [ "$(judge)" = steady ]
    stream '{"mode":"agentic"}' "$T.plain" >"$T"
    [ "$(judge)" = unsupported ]
    run --separate-stderr plateau "$T"
    [ "$status" = 0 ] && [[ $stderr = *NOT-YET-SUPPORTED* ]]
}

@test "a stream that was cut short is partial, and still answered" {
    table $(repeat 20 5.0) >"$T.plain"
    stream '{}' "$T.plain" | sed '$d' >"$T"
    [ "$(judge)" = steady ]
    says '.partial and .warnings == ["partial"]'
}

@test "-e turns the verdict into a status" {
    table $(repeat 20 5.0) >"$T"
    run plateau -e "$T"
    [ "$status" = 0 ]
    table $(repeat 9 5.0) >"$T"
    run plateau -e "$T"
    [ "$status" = 1 ]
    run plateau "$T"
    [ "$status" = 0 ]
    run plateau -e --accept too_short,steady "$T"
    [ "$status" = 0 ]
    run --separate-stderr plateau -e --accept fine "$T"
    [ "$status" = 2 ] && [ "$stderr" = "plateau: --accept: 'fine' is no verdict" ]
}

@test "several inputs give a report each, and -e asks for all of them" {
    table $(repeat 20 5.0) >"$T"
    table $(repeat 9 5.0) >"$T.short"
    run plateau -e "$T" "$T.short"
    [ "$status" = 1 ]
    [ "$(plateau "$T" "$T.short" | jq -r .verdict | paste -sd' ')" = "steady too_short" ]
}

@test "both spellings carry the same report" {
    table $(repeat 20 5.0) $(repeat 20 5.5) >"$T"
    plateau -o tsv "$T" >"$R.tsv"
    grep -qx $'window.end_pass\t20' "$R.tsv"
    grep -qx $'verdict\t"steady_then_shift"' "$R.tsv"
    plateau "$T" | jq -r 'paths(type != "object" and type != "array") as $p | [($p | map(tostring) | join(".")), (getpath($p) | tojson)] | @tsv' |
        cut -f1 | sort >"$R.paths"
    [ -s "$R.paths" ]
    run bash -c "cut -f1 '$R.tsv' | sort | comm -13 - '$R.paths'"
    [ "$output" = "" ]
}

# A run of 12 passes with 4 requests each, whose figures can be worked out by hand: a request a second, 100 tokens,
# TPOT 10, 20, 30, 40 ms, TTFT 100 ms, ended after 5 s; v_tail marks the last request of pass 11, which never ended.
samples() {
    awk 'BEGIN {
        OFS = "\t"
        print "pass", "n_issued", "n_done", "first_issue_ns", "last_issue_ns", "next_issue_ns", "span_ns", "output_tokens", \
              "tpot_n", "tpot_mean", "tpot_p50", "tpot_p90", "e2e_p90", "v_seq", "v_ttft", "v_tpot", "v_e2e", "v_osl", "v_done", "v_tail"
        for (p = 0; p < 12; p++) {
            last = p == 11
            t0 = 1e9 * 4 * p
            vs = vt = vp = ve = vo = vd = vx = ""
            for (j = 0; j < 4; j++) {
                c = j ? "," : ""
                open = last && j == 3
                vs = vs c (4 * p + j); vt = vt c 100000000; vp = vp c (10000000 * (j + 1)); ve = ve c (open ? "" : "5000000000")
                vo = vo c 100; vd = vd c (open ? "" : sprintf("%.0f", t0 + 1e9 * j + 5e9)); vx = vx c (open ? 1 : 0)
            }
            print p, 4, 4 - last, sprintf("%.0f", t0), sprintf("%.0f", t0 + 3e9), last ? "" : sprintf("%.0f", t0 + 4e9), \
                last ? "3000000000" : "4000000000", 400, last ? 3 : 4, last ? 20000000 : 25000000, 20000000, 30000000, "5000000000", \
                vs, vt, vp, ve, vo, vd, vx
        }
    }'
}

@test "rates of a run that can be worked out by hand" {
    samples >"$T"
    [ "$(judge --floor-s 0)" = steady ]
    says '[.window.n_requests, .window.n_samples, .window.span_ns] == [48, 47, 47000000000]'
    # 47 samples over 11 * 0.1 s + 0.06 s
    says '.tps.per_user.value - 47 / 1.16 | fabs < 1e-9'
    says '.tps.system.value - 4800 / 47 | fabs < 1e-9'
    # ended in [0, 47) s: those issued at 0 .. 41 s
    says '.tps.delivered.value - 4200 / 47 | fabs < 1e-9'
    says '.warnings | contains(["not_in_balance"])'
    says '.qps.value == null'
    says '.tps.system | .ci as [$a, $b] | $a < $b and (($a + $b) / 2 - .value | fabs) < 1e-9'
    judge --floor-s 0 --token-free --gate tpot_p50 >/dev/null
    says '(.qps.value - 47 / 47 | fabs < 1e-9) and .tps.system.value == null and .tps.per_user.value == null'
}

@test "percentiles are of the pooled uncut samples" {
    samples >"$T"
    judge --floor-s 0 >/dev/null
    # 12 of 10, 20, 30 ms, 11 of 40 ms
    says '.metrics.tpot | [.n, .p50_ns, .p90_ns, .p99_ns] == [47, 20000000, 40000000, 40000000] and (.mean_ns - 1160000000 / 47 | fabs < 1e-3)'
    says '[.metrics.tpot.histogram[].count] == [12, 12, 12, 11]'
    says '.metrics.tpot.histogram | all(.lo_ns < .hi_ns and ((.hi_ns / .lo_ns | log10) - 0.05 | fabs) < 1e-12)'
    says '.metrics.ttft | .n == 47 and .p50_ns == 100000000'
    says '.metrics.e2e | .n == 47 and .p50_ns == 5000000000'
    says '.metrics.tpot.early_stopping == {"p90_ns": null, "p99_ns": null}' # 47 are too few
    says '.lengths.window.osl | [.n, .mean, .p50, .p99] == [48, 100, 100, 100]'
    says '.short_window | .l_p90_s == 5 and .t_relaxation_s == 25'
}

@test "a percentile that moves has no steady value, and says from where to where" {
    table $(repeat 20 5.0) | awk -F'\t' -v OFS='\t' '
        NR == 1 { print $0, "ttft_p50", "ttft_p99", "ttft_n", "v_ttft", "v_tpot"; next }
        { x = sprintf("%.0f", 1e8 * (1 + NR / 100)); print $0, x, x, 1, x, 5000000 }' >"$T"
    [ "$(judge)" = steady ]
    says '.metrics.ttft | .p50_ns == null and .states.p50 == "up" and .first_last.p50 == [102000000, 121000000]'
    says '.metrics.ttft | .p99_ns != null and .states.p99 == "up"'
    says '.warnings == ["percentile_moves", "p99_moves", "drifting_up"] and .drifting_up == ["ttft_p50", "ttft_p99"]'
}

@test "the window of least standard error stands beside the one that is reported" {
    table 5.2 4.8 5.2 4.8 $(repeat 20 5.0) >"$T"
    judge >/dev/null
    says '.mser | .end_pass == 24 and .first_pass == 0'
    table $(repeat 12 "5.0 5.1") $(repeat 12 6.0) >"$T"
    judge >/dev/null
    says '.window.end_pass == 24 and .mser == {"first_pass": 24, "end_pass": 36, "se": 0}'
}

@test "the worked run: the report of an independent reading of the rules, to 1e-9" {
    need_shared examples/run.steady.json
    warmcrop -q "$SHARED/examples/run.passes.tsv" | tailguard | plateau >"$R"
    run jq -n --slurpfile want "$SHARED/examples/run.steady.json" --slurpfile got "$R" '
        def close($a; $b): ($a - $b | fabs) <= 1e-9 * ([1, ($a | fabs)] | max);
        $want[0] | del(.backlog, .anomaly.jump, .reasons) | paths(scalars) as $p
        | getpath($p) as $a | ($got[0] | getpath($p)) as $b
        | select(if ($a | type) == "number" and ($b | type) == "number" then close($a; $b) | not else $a != $b end)
        | [($p | map(tostring) | join(".")), $a, $b]'
    echo "$output"
    [ "$status" = 0 ] && [ "$output" = "" ]
    says '.verdict == "steady_then_shift" and [.reasons[] | [.code, .bound]] == [["shift", 0.05]]'
}

@test "noise that wanders breaks nothing where one level is as likely, and the tests alone say otherwise" {
    table 5.13 4.86 4.85 4.84 4.89 4.74 4.91 4.91 5.06 5.05 5.03 5.13 5.23 5.2 5.04 5.06 5.16 5.19 5.31 5.32 >"$T"
    [ "$(judge)" = steady ]
    says '[.window.first_pass, .window.end_pass] == [0, 20] and .metrics.tpot.states.p50 == "plateau"'
    [ "$(judge --no-likelihood)" = local_plateau ]
    [ "$(judge --profile design)" = "$(judge --profile design --no-likelihood)" ]
    # what the tests found and the likelihood overruled: p below .05, a gain of at most 10.83, and no reason
    plateau -q --explain -H -o ndjson "$T" | jq -es 'map(select(.n_passes == 20)) | length == 1 and
        (.[0] | .admissible == 1 and .tpot_p50_p < .05 and .tpot_p50_gain < 10.83 and .reasons == null)'
}

@test "a drift that one test misses is told where a line is likelier" {
    table 5.03 5.05 5.07 4.91 5.09 5.19 5.17 5.33 5.26 5.46 5.34 5.22 5.12 5.22 5.33 5.45 5.15 5.17 5.45 5.6 >"$T"
    [ "$(judge)" = local_plateau ]
    says '[.reasons[] | [.code, .metric, .bound]] == [["drift", "tpot_p50", 0.05]] and .reasons[0].value > 0.05'
    [ "$(judge --no-likelihood)" = steady ]
}

@test "the beginning of a slope that was cropped as ramp belongs to it" {
    table 4.99 5.07 5.11 5.09 5.23 5.27 5.32 5.41 5.42 5.5 5.51 5.53 5.66 5.71 5.73 5.78 5.76 5.78 5.83 5.92 >"$T"
    warmcrop -q "$T" >"$T.cropped"
    [ "$(jq -n "$(sed -n 's/^#run\t//p' "$T.cropped" | head -n 1) | .warmup.passes > 3")" = true ]
    mv "$T.cropped" "$T"
    [ "$(judge)" = no_steady_state ]
    says '[.reasons[] | [.code, .bound]] == [["slope", 0.15]]'
    [ "$(judge --no-likelihood)" = local_plateau ]
    # a ramp that ends is none
    table 3 3.3 3.6 3.9 4.2 4.5 4.8 $(repeat 13 5.0) >"$T"
    warmcrop -q "$T" >"$T.cropped"
    mv "$T.cropped" "$T"
    [ "$(judge)" = steady ]
}

@test "eight passes of another level at the end of eighty are seen, and left out" {
    table 5.11 5.02 4.93 5.08 5.03 4.94 4.93 4.91 4.95 5.01 4.99 4.91 4.86 4.92 5.08 4.91 4.96 4.77 4.96 4.94 5.12 4.89 5 5.07 \
        5.04 4.81 5.09 5.09 5.1 4.95 5 5.07 5.04 5.2 5.06 4.94 4.98 4.82 4.93 5.18 5.03 4.99 4.93 5.03 5.05 5.14 4.83 5.05 4.9 \
        5.01 5.01 5 4.92 5.17 4.95 4.83 5.1 5.1 5.03 5.09 4.96 5.08 5.1 4.92 4.95 4.92 4.95 4.9 5.03 4.9 5.01 5.09 \
        5.45 5.36 5.47 5.56 5.52 5.46 5.31 5.42 >"$T"
    [ "$(judge)" = steady_then_shift ]
    says '.window.end_pass == 72 and .reasons[0].code == "shift"'
    [ "$(judge --no-likelihood)" = steady ]
    [ "$(judge --no-right-edge)" != steady_then_shift ]
}

@test "recorded: a concurrency of 1024 is steady from the first pass on" {
    need_shared data/gb300_gptoss_c1024.passes.tsv
    warmcrop -q -d e2e_p50 "$SHARED/data/gb300_gptoss_c1024.passes.tsv" | plateau --gate e2e_p50 --token-free >"$R"
    says '.verdict == "steady" and .window.first_pass == 1 and (.qps.value - 157.76 | fabs) < 0.1 and .metrics.e2e.p50_ns == null'
}

@test "recorded: Poisson arrivals at 37 a second are steady" {
    need_shared data/gb300_dsr1_poisson37.passes.tsv
    warmcrop -q -d e2e_p50 "$SHARED/data/gb300_dsr1_poisson37.passes.tsv" | plateau -m poisson --gate e2e_p50 --token-free >"$R"
    says '.verdict == "steady" and (.qps.value - 37 | fabs) < 0.1 and .mode == "poisson"'
}

@test "recorded: at a concurrency of 7168 TTFT drifts" {
    need_shared data/gb300_gptoss_c7168.passes.tsv
    warmcrop -q -d e2e_p50 "$SHARED/data/gb300_gptoss_c7168.passes.tsv" | plateau --gate ttft_p50,ttft_p90 >"$R"
    says '.verdict == "no_steady_state" and (.reasons[0] | .code == "drift" and .metric == "ttft_p50")'
}

@test "recorded: offline, minutes 11 to 95 at 279 requests a second" {
    need_shared data/gb300_dsr1_offline_a.passes.tsv
    warmcrop -q -m offline -d rps "$SHARED/data/gb300_dsr1_offline_a.passes.tsv" | plateau -m offline --gate rps >"$R"
    says '.found and [.window.first_pass, .window.end_pass] == [11, 96] and (.qps.value - 279 | fabs) < 0.5'
    says '(.total.qps - 191 | fabs) < 1 and (.divergence.qps - 0.46 | fabs) < 0.01'
}

@test "every verdict is reached by a run that earns it" {
    [ -x "$BUILD/synth" ] && [ -x "$TOOLDIR/ev2ledger" ] && [ -x "$TOOLDIR/ledger2passes" ] || skip "no synth, ev2ledger or ledger2passes here"
    bad=0 n=0
    while IFS=$'\t' read -r want profile synth options; do
        [ "$want" = verdict ] && continue
        driver=
        if [[ $options = *--token-free* ]]; then driver="-d e2e_p50"; fi
        got=$("$BUILD/synth" $synth | ev2ledger -q | ledger2passes -q | warmcrop -q --profile "$profile" $driver |
            tailguard -q --profile "$profile" | plateau -q --profile "$profile" $options | jq -r .verdict) || got="status"
        [ "$got" = "$want" ] || { echo "$got, not $want ($profile): $synth $options"; bad=1; }
        n=$((n + 1))
    done <"$ROOT/tests/verdicts.tsv"
    [ $bad = 0 ] && [ $n -gt 10 ]
}
