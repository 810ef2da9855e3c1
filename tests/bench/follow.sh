#!/usr/bin/env bash
# How late a run is declared steady while it goes on, and how often too early.
#
#     follow.sh [SEEDS]          default 100
#
# A table on stdout, one row per kind of run: runs followed; shares stopped, stopped early, and stopped with a level over
# 1 % off the one that stays; passes between the first at which a correct answer is possible and the stop, median and p90 of
# those not early.  Passes last a minute, so that ten of them clear min_duration and two more confirm it: a run that is
# steady from pass k on can be left at k + 12.  Every run has 80 passes, 1 % noise of lag-1 correlation .3, and its own seed;
# passes are fed as they are, without a clock.
#
#     ramp    TPOT climbs by 30 % over 1 to 6 passes, then stays
#     slow    TPOT approaches its level with a time constant of 8 passes; steady when within 2 % of it
#     step    a level of 8 passes, 15 % below the one that stays
#     drift   20 % over the run, never steady: every window of ten minutes drifts by less than what breaks one
#     climb   60 % over the run, never steady
set -eu
seeds=${1:-100}

# run KIND SEED: a table of passes; the first line says from which pass on it is steady
run() {
    awk -v kind="$1" -v seed="$2" '
        function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
        function normal(i, sum) { sum = -6; for (i = 0; i < 12; i++) sum += uniform(); return sum }
        BEGIN {
            state = 1 + seed * 7919
            for (i = 0; i < 20; i++) uniform()
            k = 1 + int(6 * uniform())
            from = kind == "ramp" ? k : kind == "slow" ? 22 : kind == "step" ? 8 : 1000
            print "#" from
            print "pass\tn_issued\tn_done\tfirst_issue_ns\tspan_ns\ttpot_p50\ttpot_p90"
            for (i = 0; i < 80; i++) {
                e = .3 * e + .00954 * normal()
                level = 1
                if (kind == "ramp" && i < k) level = .7 + .3 * i / k
                if (kind == "slow") level = 1 - .3 * exp(-i / 8)
                if (kind == "step" && i < 8) level = .85
                if (kind == "drift") level = 1 + .2 * i / 79
                if (kind == "climb") level = 1 + .6 * i / 79
                x = 2e7 * (level + e)
                printf "%d\t100\t100\t%.0f\t60000000000\t%.0f\t%.0f\n", i, 6e10 * i, x, 1.1 * x * (1 + .003 * normal())
            }
        }'
}

# follow KIND SEED: kind, passes after which a correct stop may come, passes seen at the stop and the level (empty: never)
follow() {
    local table from seen
    table=$(run "$1" "$2")
    from=${table%%$'\n'*}
    seen=$(printf '%s\n' "$table" | sed 1d | warmcrop -q --follow | plateau -q --until-steady | tail -n 1 |
        jq -r 'select(.follow == "steady") | "\(.passes | length)\t\(.plateaus[] | select(.reported).level)"')
    printf '%s\t%d\t%s\n' "$1" $((${from#\#} + 12)) "$seen"
}

printf 'kind\truns\tstopped\tearly\twrong\tdelay_p50\tdelay_p90\n'
for kind in ramp slow step drift climb; do
    for ((seed = 1; seed <= seeds; seed++)); do follow $kind $seed; done | awk -F'\t' '
        function rank(p) { return late ? delay[int(p * (late - 1))] : "" }
        { n++ }
        $3 == "" { next }
        { stopped++; wrong += $2 > 1000 || $4 < 2e7 * .99 || $4 > 2e7 * 1.01 }
        $3 < $2 { early++; next }
        { for (i = late++; i > 0 && delay[i - 1] > $3 - $2; i--) delay[i] = delay[i - 1]; delay[i] = $3 - $2 }
        END { printf "%s\t%d\t%.2f\t%.2f\t%.2f\t%s\t%s\n", $1, n, stopped / n, early / n, wrong / n, rank(.5), rank(.9) }'
done
