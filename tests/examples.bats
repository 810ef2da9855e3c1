#!/usr/bin/env bats
# The shipped examples: what is computed in pieces equals what is computed whole, and every recipe says what it says it does.

load lib

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

@test "Slurm itself takes the scripts" {
    command -v sbatch >/dev/null || skip "no Slurm"
    for script in "$ROOT"/examples/slurm/*.sbatch; do sbatch --test-only "$script"; done
}
