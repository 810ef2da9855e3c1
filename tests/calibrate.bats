#!/usr/bin/env bats
# The goals of the method on planted runs, with few draws: make calibrate prints the whole tables.  Draws are counted and not
# random, so every figure is the same each time; the bounds leave room for rules that change, not for chance.

load lib

setup() {
    calibrate=$BUILD/calibrate
    cd "$BATS_TEST_TMPDIR" || return
}

# Every row of a table whose name matches: column `n` of the robust side is >= or <= a bound.  At least one row must match.
rows() { # file, pattern, column, >=|<=, bound
    awk -F'|' -v name="$2" -v column="$3" -v op="$4" -v bound="$5" '
        $1 ~ name && $2 ~ /[0-9]/ {
            n++
            split($2, v, " ")
            if (op == ">=" ? v[column] + 0 < bound : v[column] + 0 > bound) { print $1 ": " v[column] ", not " op " " bound; bad = 1 }
        }
        END { if (!n) print "no row is called " name; exit bad || !n }' "$1"
}

@test "calibrate prints the same whatever the number of workers, and other figures for another seed" {
    "$calibrate" --draws 10 --workers 1 coverage steps >one
    "$calibrate" --draws 10 --workers 3 coverage steps >three
    cmp one three
    "$calibrate" --draws 10 --seed 2 coverage steps >other
    [ "$(sed 1d one | wc -l)" = "$(sed 1d other | wc -l)" ]
    ! cmp -s <(sed 1d one) <(sed 1d other)
    run ! "$calibrate" nothing
    [ "$status" = 2 ]
}

@test "intervals of percentiles hold the truth, also where passes resemble each other" {
    "$calibrate" --draws 100 coverage >out
    sed -n '/^4c/,$p' out | grep '^phi 0 ' | tr -d '/' >row
    # p50, p90, p99 and the share that has an interval, for 8 to 80 passes
    awk '{ if (NF != 22) exit 1; for (i = 3; i <= NF; i++) if ((i - 3) % 4 < 3 && $i < 88) exit 1 }' row
    awk '{ if ($6 < 35 || $18 != 100 || $22 != 100) exit 1 }' row
    # and nearly so where they do
    sed -n '/^4c/,$p' out | grep '^phi 0.6 ' | tr -d '/' >row
    awk '{ for (i = 3; i <= NF; i++) if ((i - 3) % 4 < 3 && $i < 82) exit 1 }' row
}

@test "stationary runs are steady, and two stretches of one level are no shift" {
    "$calibrate" --draws 60 stationary >out
    rows out 'noise [12]% phi 0(.3)?,' 1 '>=' 95
    rows out 'noise 1% phi 0.[68]' 1 '>=' 95
    rows out 'noise 3% phi 0.6' 1 '>=' 86
    rows out 'noise [12]%' 3 '<=' 2
    rows out 'noise 3% phi 0.6, (80|200)' 3 '<=' 5
    rows out 'noise [12]% phi 0(.3)?, (40|80|200)' 8 '>=' 85
}

@test "a step of 10 % and a fault in the last passes are said, and the level before them is kept" {
    "$calibrate" --draws 60 steps >out
    rows out '^[+-]10%.*noise 1%' 3 '>=' 98
    rows out '^[+-]10%.*of [48]0, noise 2%' 3 '>=' 91
    rows out '^[+-]10%.*of 20, noise 2%' 3 '>=' 90
    rows out '^.30% in the last 2' 3 '>=' 98
    rows out '^[+-]10%.*noise 1%' 6 '>=' 98
    rows out '^[+-]10%' 8 '<=' 0.3
    rows out '^[+-]10%' 8 '>=' -0.3
}

@test "a drift of 10 % is not called steady, one of 20 % has no steady state" {
    "$calibrate" --draws 60 drifts >out
    rows out '^drift [+-]10%.*, (40|80|200) passes' 1 '<=' 2
    rows out '^drift [+-]20%.*, (80|200) passes' 4 '>=' 95
    rows out '^drift [+-]20%.*, 40 passes' 4 '>=' 90
    rows out '^drift [+-]20% noise 1%, 20 passes' 4 '>=' 95
    rows out '^drift [+-]10%.*, 20 passes' 1 '<=' 5
}

@test "the mode of a closed loop without pauses and of Poisson arrivals is seen" {
    "$calibrate" --draws 3 modes >out
    for load in 'closed, no pause' 'poisson'; do
        sed -n "/^$load\$/,/^\$/p" out | grep 'C = ' | sed 's/.*C = [0-9]* *//' | tr -d ' ' >figures
        [ "$(wc -l <figures)" = 7 ]
        # Poisson arrivals of 4 in flight are the one place where chance stands at a cap
        sed '1d' figures >most
        run ! grep -vxE '0\.0(/0\.0){4}' most
    done
}

@test "what synth plants comes back through the pipeline, and a run that is all ramp is not certified" {
    BIN=$TOOLDIR SYNTH=$BUILD/synth bash "$ROOT/tests/calibrate/pipeline.sh" --smoke >out
    rows out '^C [0-9]+, ' 2 '<=' 0.1
    rows out '^C [0-9]+, ' 2 '>=' -0.1
    rows out '^C [0-9]+, ' 3 '<=' 0.5
    rows out '^C [0-9]+, ' 3 '>=' -0.5
    [ "$(grep -c '^C .*| *steady ' out)" = 3 ]
    [ "$(grep -E '^n = (1|1.5|2) C' out | cut -d'|' -f2 | grep -c 'too_short\|no_steady_state')" = 3 ]
}

@test "an excursion that the verdict leaves unsaid is a warning" {
    series() { # level of passes 30..35
        awk -v other="$1" 'BEGIN {
            OFS = "\t"
            print "pass", "full", "role", "first_issue_ns", "span_ns", "tpot_n", "tpot_mean", "tpot_p50", "tpot_p90", "e2e_p90"
            for (i = 0; i < 80; i++) {
                v = (i >= 30 && i < 36 ? other : 50e6) * (1 + 0.004 * ((i * 7) % 5 - 2))
                printf "%d\t1\tbody\t%d\t60000000000\t100\t%.0f\t%.0f\t%.0f\t15000000000\n", i, i * 6e10, v, v, v * 1.04
            }
        }'
    }
    series 50e6 | plateau >report
    [ "$(jq -c '[.verdict, .warnings]' report)" = '["steady",[]]' ]
    series 65e6 | plateau >report
    [ "$(jq -c '[.verdict, .warnings, (.plateaus | length)]' report)" = '["steady",["other_level"],3]' ]
    render report | grep -q 'lies more than 5 % off the reported one'
}
