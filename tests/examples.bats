#!/usr/bin/env bats
# The shipped examples: what is computed in pieces equals what is computed whole, and every recipe says what it says it does.

load lib
load slurm

# A run with failures, retries and warm-up on a monotonic clock, the same since 1970 from three workers, and their streams.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    run_of=("$BUILD/synth" --concurrency 8 --passes 12 --dataset 40 --tpot-ms 20 --wire field --seed 7 --warmup 5
        --fail 0.02 --retry 0.02 --reopen 0.01 --unfinished 0.01)
    "${run_of[@]}" --epoch --workers 3 >run.jsonl
    "${run_of[@]}" >mono.jsonl
    for r in run mono; do
        ev2ledger -q $r.jsonl >$r.ledger.tsv
        ledger2passes -q -n 40 $r.ledger.tsv >$r.passes.tsv
        mkdir $r.shards
        awk -v n=3 -v prefix=$r.shards/s -f "$ROOT/examples/parallel/split.awk" $r.jsonl
    done
    # what a worker without the session's events would have written
    mkdir bare
    for i in 0 1 2; do grep -v '"session\.' run.shards/s.$i.jsonl >bare/s.$i.jsonl; done
    warmcrop -q run.passes.tsv | tailguard -q | plateau -q >run.steady.json
    goodput -q -g ttft:800,tpot:50 --window run.steady.json run.ledger.tsv >run.goodput.json
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    d=$BATS_FILE_TMPDIR
    PATH=$ROOT/examples/parallel:$ROOT/examples/slurm:$PATH
    tracking=$(sed -n 's/.*start_performance_tracking","timestamp_ns":\([0-9]*\).*/\1/p' "$d/run.jsonl"):$(
        sed -n 's/.*stop_performance_tracking","timestamp_ns":\([0-9]*\).*/\1/p' "$d/run.jsonl")
}

teardown() { slurm_stop "$BATS_TEST_TMPDIR/slurm"; }

need() { for c in "$@"; do command -v "$c" >/dev/null || skip "no $c"; done; }

rows() { grep -v '^#' "$1"; }

# ---- in parallel ----

@test "shards hold every request whole, once, and the session's events each" {
    for r in run mono; do
        [ "$(cat "$d/$r".shards/* | grep -vc '"sample_uuid":""')" = "$(grep -vc '"sample_uuid":""' "$d/$r.jsonl")" ]
        for s in "$d/$r".shards/*; do grep '"sample_uuid":""' "$s" | cmp - <(grep '"sample_uuid":""' "$d/$r.jsonl"); done
        [ "$(for s in "$d/$r".shards/*; do grep -o '"sample_uuid":"[^"]*[^"]"' "$s" | sort -u; done | sort | uniq -d | wc -l)" = 0 ]
    done
}

@test "passes of shards are those of the whole log, but for the count of ledgers" {
    need parallel
    shards ledgers 40 "$d"/run.shards/*.jsonl >passes.tsv
    sed 's/"counts":{"ledgers":3,/"counts":{"ledgers":1,/' passes.tsv | cmp - "$d/run.passes.tsv"
    run ! cmp -s passes.tsv "$d/run.passes.tsv"
    # and so is the report, but for that
    warmcrop -q passes.tsv | tailguard -q | plateau -q | sed 's/"ledgers":3,/"ledgers":1,/' | cmp - "$d/run.steady.json"
}

@test "shards without the session's events take the tracking they are told" {
    need parallel
    shards apart 40 "$d"/bare/*.jsonl >untold.tsv
    run ! cmp -s <(rows untold.tsv) <(rows "$d/run.passes.tsv")
    TRACKING=$tracking shards ledgers 40 "$d"/bare/*.jsonl >passes.tsv
    rows passes.tsv | cmp - <(rows "$d/run.passes.tsv")
    [ "$(sed -n 's/^#run.//p' passes.tsv | jq -c '[.tracking, .truncated, .counts.untracked]')" = '["window",true,5]' ]
    [ "$(sed -n 's/^#run.//p' passes.tsv | jq -c .total)" = "$(sed -n 's/^#run.//p' "$d/run.passes.tsv" | jq -c .total)" ]
}

@test "a shard that cannot be read ends the whole" {
    need parallel
    echo nonsense >bad.jsonl
    run shards ledgers 40 "$d"/run.shards/s.0.jsonl bad.jsonl
    [ "$status" != 0 ]
    [[ $output != *"#steadytools"* ]]
}

@test "ledgers of shards merge into the ledger of the log, on either clock" {
    mkdir 'a dir'
    for r in run mono; do
        for i in 0 1 2; do ev2ledger -q "$d/$r.shards/s.$i.jsonl" >"a dir/$r.$i.tsv"; done
        merge "a dir/$r".?.tsv >$r.tsv
        # three copies of the five session events, where the log has one
        sed '$s/"events":[0-9]*/"events":0/' $r.tsv | cmp - <(sed '$s/"events":[0-9]*/"events":0/' "$d/$r.ledger.tsv")
        of() { tail -n 1 "$1" | grep -o '"events":[0-9]*' | cut -d : -f 2; }
        [ $(($(of $r.tsv) - $(of "$d/$r.ledger.tsv"))) = 10 ]
        ledger2passes -q -n 40 $r.tsv | cmp - "$d/$r.passes.tsv"
    done
    goodput -q -g ttft:800,tpot:50 --window "$d/run.steady.json" run.tsv | sed "s,$d/,," | cmp - "$d/run.goodput.json"
    head -n 20 "a dir/run.0.tsv" >cut.tsv
    run merge "a dir/run.1.tsv" cut.tsv
    [ "$status" = 1 ] && [[ $output == *"cut.tsv: cut short"* ]]
}

@test "a sweep gives each run the reports it has alone, goes on past a failure, and resumes" {
    need parallel
    echo nonsense >broken.jsonl
    run --separate-stderr sweep out 40 ttft:800,tpot:50 "$d/run.jsonl" broken.jsonl "$d/mono.jsonl"
    [ "$status" = 1 ] && [[ $stderr == *"sweep: failed: "*broken.jsonl* ]]
    cmp out/run.steady.json "$d/run.steady.json"
    sed 's,"window":"out/,"window":",' out/run.goodput.json | cmp - "$d/run.goodput.json"
    cp "$d/mono.jsonl" broken.jsonl
    touch -d '1 hour ago' out/run.steady.json
    sweep out 40 ttft:800,tpot:50 "$d/run.jsonl" broken.jsonl "$d/mono.jsonl"
    cmp out/broken.steady.json out/mono.steady.json
    [ "$(cut -f 2 out/sweep.tsv | tr '\n' ' ')" = 'name broken mono run ' ]
    # the run that was done was not done again
    [ $(($(date +%s) - $(stat -c %Y out/run.steady.json))) -gt 3000 ]
}

# ---- Slurm ----

# An sbatch that runs a job, or each task of its array, at once.  A job whose dependency failed is not run, as afterok has it.
fake_slurm() {
    mkdir -p fake
    cat >fake/sbatch <<'END'
#!/bin/bash
set -eu
jobs=$(dirname "$0")
id=$(($(cat "$jobs/last" 2>/dev/null || echo 100) + 1))
echo $id >"$jobs/last"
array= after=
for a in "$@"; do
    case $a in
    --array=*) array=${a#*=} array=${array%\%*} ;;
    --dependency=*) after=${a#*=} ;;
    esac
    script=$a
done
! grep '^#SBATCH' "$script" | grep -vqE '^#SBATCH --(job-name|ntasks|cpus-per-task|mem|time)=' || { echo "what is that?" >&2; exit 1; }
status=0
if [[ $after == afterok:* ]] && [ "$(cat "$jobs/status.${after#*:}")" != 0 ]; then
    status=1
elif [ -n "$array" ]; then
    for i in $(seq "${array%-*}" "${array#*-}"); do SLURM_ARRAY_TASK_ID=$i bash "$script" >>"$jobs/log" 2>&1 || status=1; done
else
    bash "$script" >>"$jobs/log" 2>&1 || status=1
fi
echo $status >"$jobs/status.$id"
echo "$id;cluster"
END
    chmod +x fake/sbatch
    PATH=$PWD/fake:$PATH
}

@test "shards by Slurm's arrays are the whole run" {
    fake_slurm
    [ "$(SIZE=40 submit shards out "$d"/run.shards/*.jsonl)" = "101 102" ]
    sed 's/"ledgers":3,/"ledgers":1,/' out/passes.tsv | cmp - "$d/run.passes.tsv"
    sed 's/"ledgers":3,/"ledgers":1,/' out/steady.json | cmp - "$d/run.steady.json"
    SIZE=40 TRACKING=$tracking submit shards told "$d"/bare/*.jsonl
    rows told/passes.tsv | cmp - <(rows "$d/run.passes.tsv")
    # a task that fails leaves no ledger, and no report of the others
    echo nonsense >bad.jsonl
    SIZE=40 submit shards bad "$d"/run.shards/s.0.jsonl bad.jsonl
    [ ! -e bad/steady.json ] && [ ! -e bad/shard-0001.ledger.tsv ] && [ -s bad/shard-0000.ledger.tsv ]
}

@test "a sweep by Slurm gives each run the reports it has alone" {
    fake_slurm
    echo nonsense >bad.jsonl
    SIZE=40 TARGETS=ttft:800,tpot:50 submit sweep out "$d/run.jsonl" bad.jsonl "$d/mono.jsonl"
    cmp out/run.steady.json "$d/run.steady.json"
    sed "s,\"window\":\"[^\"]*/,\"window\":\"," out/run.goodput.json | sed 's/out.run.steady/run.steady/' | cmp - "$d/run.goodput.json"
    cut -f 2 out/sweep.tsv | grep -qx mono
}

@test "Slurm itself, on this machine alone, gives what one process gives" {
    slurm_start "$PWD/slurm" >why || skip "$(cat why)"
    SIZE=40 submit shards out "$d"/run.shards/*.jsonl
    SIZE=40 TARGETS=ttft:800,tpot:50 submit sweep many "$d/run.jsonl" "$d/mono.jsonl"
    slurm_wait
    sed 's/"ledgers":3,/"ledgers":1,/' out/passes.tsv | cmp - "$d/run.passes.tsv"
    sed 's/"ledgers":3,/"ledgers":1,/' out/steady.json | cmp - "$d/run.steady.json"
    cmp many/run.steady.json "$d/run.steady.json"
    cut -f 2 many/sweep.tsv | grep -qx mono
}

# ---- recipes: each against the same question answered another way ----

recipe() { "$ROOT/examples/recipes/$1" "${@:2}"; }

# column LEDGER NAME: the column of that name, without its head
column() { awk -v name="$2" 'BEGIN { FS = "\t" } /^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == name) n = i; next } { print $n }' "$1"; }

@test "every recipe is in the README of the folder, and tells how it is called" {
    for f in "$ROOT"/examples/recipes/*; do
        name=$(basename "$f")
        [ "$name" != README.md ] || continue
        [ -x "$f" ]
        grep -qE "^#     .*\b$name\b" "$f" || { echo "$name does not say how it is called"; return 1; }
        grep -qF "| \`$name\` |" "$ROOT/examples/recipes/README.md" || { echo "the README lacks $name"; return 1; }
    done
}

@test "recipe why" {
    need jq
    [ "$(recipe why "$d/run.goodput.json")" = "$(printf 'none\t-\t-\t-\t-')" ]
    recipe why "$d/run.steady.json" >out
    [ "$(cut -f 1-3,5 out)" = "$(printf 'too_short\tshort_window\tfloor\t600')" ]
}

@test "recipe misses" {
    need jq
    goodput -q -g ttft:130,tpot:21 -a -o ndjson "$d/run.ledger.tsv" | recipe misses >out
    cat out
    report=$(goodput -q -g ttft:130,tpot:21 "$d/run.ledger.tsv")
    [ "$(awk '{ n += $1 } END { print n }' out)" = "$(jq .offered <<<"$report")" ]
    [ "$(awk '$2 == "accepted" { print $1, $3 }' out)" = "$(jq -r '"\(.accepted) -"' <<<"$report")" ]
    [ "$(awk '$3 ~ /tpot/ { n += $1 } END { print n }' out)" = "$(jq .misses.tpot <<<"$report")" ]
    grep -q "$(printf 'latency_failure\tttft$')" out
}

@test "recipe by-worker" {
    need mlr
    recipe by-worker "$d/run.ledger.tsv" >out
    [ "$(cut -f 1,2 out | tr '\t\n' ': ')" = "$(
        printf 'worker:ttft_ms_count '
        paste <(column "$d/run.ledger.tsv" tracked) <(column "$d/run.ledger.tsv" outcome) <(column "$d/run.ledger.tsv" worker) |
            awk '$1 == 1 && $2 == "completed" { n[$3]++ } END { for (w = 0; w < 3; w++) printf "%d:%d ", w, n[w] }')" ]
    recipe by-worker -g outcome "$d/run.ledger.tsv" >out
    [ "$(wc -l <out)" = 2 ]
    # the median of all is one of the values next to what the passes say
    [ "$(sed -n 2p out | cut -f 3)" = "$(paste <(column "$d/run.ledger.tsv" outcome) <(column "$d/run.ledger.tsv" ttft_ns) |
        awk '$1 == "completed" { print $2 / 1e6 }' OFMT=%.9g | sort -n | awk '{ v[NR] = $1 } END { print v[int(NR / 2) + 1] }' OFMT=%.9g)" ]
}

@test "recipe best-runs" {
    need mlr
    cp "$d/run.goodput.json" a.json
    jq -c '.rates.goodput_rps = 9 | .acceptance.ratio = 0.5' a.json >b.json
    render -q -f tsv a.json b.json | recipe best-runs >out
    cat out
    [ "$(cut -f 1,2,3 out | tr '\t\n' ': ')" = "name:goodput_rps:acceptance b:9.000:0.5000 a:$(jq -r '.rates.goodput_rps, .acceptance.ratio' a.json |
        paste -sd ' ' | awk '{ printf "%.3f:%.4f", $1, $2 }') " ]
}

@test "recipe outcomes" {
    need datamash
    recipe outcomes "$d/run.ledger.tsv" >out
    cat out
    for outcome in completed error; do
        [ "$(awk -v o=$outcome '$1 == o { print $2 }' out)" = "$(tail -n 1 "$d/run.ledger.tsv" | cut -f 2 | jq ".outcomes.$outcome")" ]
    done
    [ "$(wc -l <out)" = 2 ]
    [ "$(awk '$1 == "completed" { print $4 }' out)" = "$(paste <(column "$d/run.ledger.tsv" outcome) <(column "$d/run.ledger.tsv" e2e_ns) |
        grep ^completed | cut -f 2 | sort -n | tail -n 1)" ]
}

@test "recipe slow-prompts" {
    need sqlite3
    recipe slow-prompts "$d/run.ledger.tsv" >out
    cat out
    [ "$(wc -l <out)" = 5 ]
    [ "$(cut -f 3 out)" = "$(cut -f 3 out | sort -rn)" ]
    read -r hash n mean least _ <out
    [ "$(column "$d/run.ledger.tsv" input_hash | grep -c "$hash")" -ge "$n" ]
    paste <(column "$d/run.ledger.tsv" input_hash) <(column "$d/run.ledger.tsv" outcome) <(column "$d/run.ledger.tsv" e2e_ns) |
        awk -v h="$hash" -v n="$n" -v mean="$mean" -v least="$least" '$1 == h && $2 == "completed" {
            k++; s += $3; if (k == 1 || $3 < m) m = $3
        } END { s /= k * 1e6; m /= 1e6; exit !(k == n && s - mean < .06 && mean - s < .06 && m - least < .06 && least - m < .06) }'
}

@test "recipe plot-passes" {
    need gnuplot
    recipe plot-passes "$d/run.passes.tsv" >p.svg
    python3 -c 'import sys, xml.dom.minidom as m; m.parse("p.svg")'
    [[ $(cat p.svg) == *"TPOT, ms"* && $(cat p.svg) == *p90* ]]
    # a marked pass shows
    warmcrop -q --count 3 "$d/run.passes.tsv" | recipe plot-passes >w.svg
    [ "$(grep -o "<use xlink:href='#gpPt6'" w.svg | wc -l)" -ge $(($(grep -o "<use xlink:href='#gpPt6'" p.svg | wc -l) + 3)) ]
}

@test "recipe in-flight" {
    recipe in-flight "$d/run.ledger.tsv" >out
    [ "$(tail -n 1 out | cut -f 2)" = "$(sed -n 's/^#run.//p' "$d/run.passes.tsv" | jq .mode_evidence.max_in_flight)" ]
    # the same on either clock
    recipe in-flight "$d/mono.ledger.tsv" | cmp - out
}

@test "recipe by-role" {
    warmcrop -q --count 3 "$d/run.passes.tsv" | recipe by-role >out
    cat out
    [ "$(cut -f 1,2 out | tr '\t\n' ': ')" = 'body:9 warmup:3 ' ]
    [ "$(awk '{ n += $4 } END { print n }' out)" = "$(sed -n 's/^#run.//p' "$d/run.passes.tsv" | jq .total.output_tokens)" ]
}

# ---- a build that fails on a regression ----

# ci STEP: what the step of the workflow runs, as a runner would
ci() {
    awk -v step="$1" '
        $0 ~ /^      - / { on = ($0 == "      - name: " step); block = 0 }
        on && /^        run: \|$/ { block = 1; next }
        on && sub(/^        run: /, "") { print }
        block && sub(/^          /, "") { print }' "$ROOT/examples/ci/goodput.yml" >"step-$1.sh"
    [ -s "step-$1.sh" ] || return 99
    GITHUB_STEP_SUMMARY=$PWD/summary.md bash --noprofile --norc -eo pipefail "step-$1.sh"
}

# a load test of this build: synth with options
loadtest() {
    "$BUILD/synth" --mode poisson --rate 4 --requests 1200 --dataset 40 --tpot-ms 20 --wire field --concurrency 64 "$@" >run.jsonl
    ci ledger 2>/dev/null
}

@test "the workflow: a first build makes the baseline, an equal one passes, a slower one fails" {
    cp "$ROOT/examples/ci/contract.json" .
    loadtest --seed 1
    ci contract && ci regression && ci keep && ci summary
    [ "$(jq -c '[.verdict, .baseline]' base.json)" = '["pass",null]' ]
    [ -s summary.md ]
    # another seed, the same system
    loadtest --seed 2
    ci contract && ci regression
    jq -c .baseline.goodput_rps now.json
    [ "$(jq '.baseline.goodput_rps != null' now.json)" = true ]
    # a prefill that takes 15 % longer: within the contract's floor, and a loss all the same
    loadtest --seed 3 --ttft-ms 115
    ci contract
    jq -c '[.acceptance.ratio, .baseline.goodput_rps]' now.json
    run ci regression
    [ "$status" = 1 ]
    # one that breaks the floor: the other step fails
    loadtest --seed 4 --ttft-ms 150
    run ci contract
    [ "$status" = 1 ]
    [ "$(jq -r .verdict now.json)" = fail ]
    # a baseline under another contract is no baseline
    sed -i 's/130/140/' contract.json
    run ci contract
    [ "$status" = 2 ]
}

@test "targets alone have no verdict: -e needs a floor, and a baseline does not make one" {
    goodput -q -g ttft:1 "$d/run.ledger.tsv" >base.json
    goodput -q -e -g ttft:1 --baseline base.json "$d/run.ledger.tsv" >now.json
    [ "$(jq -c '[.verdict, .accepted]' now.json)" = '["none",0]' ]
}

@test "the workflow is YAML with the steps that are tested" {
    python3 -c 'import yaml' 2>/dev/null || skip "no YAML for Python"
    python3 -c '
import sys, yaml
steps = yaml.safe_load(open(sys.argv[1]))["jobs"]["goodput"]["steps"]
names = [s.get("name") for s in steps if "run" in s]
assert names == ["load test", "ledger", "contract", "regression", "summary", "keep"], names' "$ROOT/examples/ci/goodput.yml"
}

# ---- the tutorial: what it shows is what is printed ----

# session PAGE: its commands in order, each in a file cmd.N, and what the page shows of its output, if it does, in want.N
session() {
    sed 's/\\e/\\/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\&//g; s/\\-/-/g' "$1" | awk '
        function command(text) { printf "%s\n", text >("cmd." ++n) }
        sub(/^\.Dl \$ /, "") { command($0); next }
        /^\.Bd -literal/ { shown = 1; next }
        /^\.Ed/ { shown = 0; next }
        shown && sub(/^\$ /, "") { command($0); next }
        shown && sub(/^> /, "") { print >("cmd." n); next }
        shown { print >("want." n) }'
}

@test "the tutorial prints what it shows" {
    need jq datamash
    session "$ROOT/man/steadytools-tutorial.7"
    mkdir here
    ln -s "$BUILD" here/build
    bad=0 checked=0
    for n in $(seq "$(ls cmd.* | wc -l)"); do
        (cd here && bash -eo pipefail ../cmd.$n) >got 2>err || { echo "failed:"; cat cmd.$n err; bad=1; }
        [ -e want.$n ] || continue
        checked=$((checked + 1))
        cmp -s got want.$n || { cat cmd.$n; diff want.$n got; bad=1; }
    done
    [ $bad = 0 ] && [ $checked -ge 14 ]
}

# ---- one-liners of the recipes' README ----

# block HEADING: the lines of code under it
block() { awk -v h="## $1" '/^## / { on = ($0 == h) } on && sub(/^    /, "")' "$ROOT/examples/recipes/README.md"; }

@test "the lines for pandas run, and find what Miller finds" {
    python=
    for p in /usr/bin/python3 python3; do "$p" -c 'import pandas' 2>/dev/null && python=$p && break; done
    [ -n "$python" ] || skip "no pandas"
    cp "$d/run.ledger.tsv" ledger.tsv && cp "$d/run.passes.tsv" passes.tsv
    # the plot needs a library of its own
    { block pandas | grep -v '\.plot(' | sed 's/^ledger\[.*/q = &/'; echo 'print(q.loc[0, .5], len(passes), ledger.issued_ns.min())'; } >p.py
    [ "$(wc -l <p.py)" = 5 ]
    "$python" p.py >out
    cat out
    first=$(column ledger.tsv issued_ns | sort -n | head -n 1)
    median=$(paste <(column ledger.tsv outcome) <(column ledger.tsv worker) <(column ledger.tsv ttft_ns) |
        awk '$1 == "completed" && $2 == 0 { print $3 }' | sort -n | awk '{ v[NR] = $1 } END { i = int((NR + 1) / 2)
            printf "%.7f", (NR % 2 ? v[i] : (v[i] + v[i + 1]) / 2) / 1e6 }')
    awk -v first="$first" -v median="$median" '{ exit !($1 - median < 1e-6 && median - $1 < 1e-6 && $2 == 12 && $3 "" == first "") }' out
}

@test "the lines for R run" {
    need Rscript
    cp "$d/run.ledger.tsv" ledger.tsv && cp "$d/run.passes.tsv" passes.tsv
    { block R; echo 'cat(nrow(ledger), nrow(passes), "\n")'; } >p.R
    Rscript p.R >out
    [ "$(tail -n 1 out)" = "485 12 " ]
}

@test "shellcheck has nothing to say of the examples and the packing" {
    need shellcheck
    mapfile -t scripts < <(grep -lE '^#!.*/(env )?(ba)?sh' "$ROOT"/examples/*/* "$ROOT"/share/debian/*)
    [ ${#scripts[@]} -gt 15 ]
    shellcheck -S warning "${scripts[@]}"
}
