#!/usr/bin/env bats
# Nothing is lost and nothing is made up: over logs with every fault, what was offered stays, at every stage.

load lib

# conserve FIRST LAST: prints a line for every log whose requests do not add up
conserve() {
    local seed dir=$BATS_TEST_TMPDIR
    for seed in $(seq "$1" "$(every 4)" "$2"); do
        "$BUILD/synth" --nasty --requests 120 --dataset 20 --concurrency 6 --seed "$seed" --truth "$dir/$1.truth" >"$dir/$1.log"
        ev2ledger -q --sort "$dir/$1.log" >"$dir/$1.ledger" || { echo "seed $seed: ev2ledger $?"; continue; }
        ledger2passes -q -n 20 "$dir/$1.ledger" >"$dir/$1.passes" || { echo "seed $seed: ledger2passes $?"; continue; }
        warmcrop -q "$dir/$1.passes" | tailguard >"$dir/$1.guarded"
        plateau -q "$dir/$1.guarded" >"$dir/$1.steady"
        goodput -q -g e2e:5000 --unobserved fail "$dir/$1.ledger" >"$dir/$1.goodput" || { echo "seed $seed: goodput $?"; continue; }
        goodput -q -g e2e:5000 --unobserved fail -a "$dir/$1.ledger" >"$dir/$1.annotated"
        goodput -q -g e2e:5000 --unobserved fail --aggregate "$dir/$1.ledger" -o ndjson >"$dir/$1.aggregate"
        planted=$(jq .requests "$dir/$1.truth")
        rows=$(grep -vc '^#' "$dir/$1.ledger"); rows=$((rows - 1))
        read -r tracked outcomes < <(awk -F'\t' '/^#/ { next } !h { for (i = 1; i <= NF; i++) c[$i] = i; h = 1; next }
            $c["tracked"] == 1 { t++ } END { print t + 0 }' "$dir/$1.ledger" | paste - <(sed -n 's/^#end\t//p' "$dir/$1.ledger" | jq '[.outcomes[]] | add'))
        issued=$(awk -F'\t' '/^#/ { next } !h { for (i = 1; i <= NF; i++) c[$i] = i; h = 1; next } { s += $c["n_issued"] } END { print s + 0 }' "$dir/$1.guarded")
        # offline, a pass holds what ended in its bin; what never ended is in none
        if grep -q '"mode":"offline"' "$dir/$1.guarded"; then
            issued=$((issued + $(awk -F'\t' '/^#/ { next } !h { for (i = 1; i <= NF; i++) c[$i] = i; h = 1; next }
                $c["tracked"] == 1 && $c["done_ns"] == "" { n++ } END { print n + 0 }' "$dir/$1.ledger")))
        fi
        read -r offered dispositions untracked < <(jq -r '"\(.offered) \([.dispositions[]] | add) \(.untracked)"' "$dir/$1.goodput")
        annotated=$(awk -F'\t' '/^#/ { next } !h { for (i = 1; i <= NF; i++) c[$i] = i; h = 1; next } $c["disposition"] != "" { n++ } END { print n + 0 }' "$dir/$1.annotated")
        aggregate=$(jq -s '[.[] | .requests // empty] | add' "$dir/$1.aggregate")
        total=$(jq .total.n_issued "$dir/$1.steady")
        [ "$planted" = "$tracked" ] && [ "$tracked" = "$outcomes" ] && [ "$tracked" = "$issued" ] && [ "$tracked" = "$total" ] &&
            [ "$tracked" = "$offered" ] && [ "$offered" = "$dispositions" ] && [ "$rows" = $((offered + untracked)) ] &&
            [ "$annotated" = "$offered" ] && [ "$aggregate" = "$offered" ] ||
            echo "seed $seed: planted $planted rows $rows tracked $tracked outcomes $outcomes issued $issued total $total offered $offered dispositions $dispositions untracked $untracked annotated $annotated aggregate $aggregate"
    done
}

@test "logs with every fault: offered = outcomes = dispositions at every stage" {
    run conserve 1 100
    echo "$output"
    [ -z "$output" ]
}

@test "more of them" {
    run conserve 101 200
    echo "$output"
    [ -z "$output" ]
}
