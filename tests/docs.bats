#!/usr/bin/env bats
# What the documents say is what the tools do.

load lib

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    "$BUILD/synth" --concurrency 8 --passes 30 --dataset 40 --tpot-ms 20 --wire field --seed 7 >run.jsonl
    ev2ledger run.jsonl >ledger.tsv
    ledger2passes -n 40 ledger.tsv >passes.tsv
    warmcrop passes.tsv | tailguard | plateau >steady.json
    goodput -g ttft:800,tpot:50 --window steady.json ledger.tsv >goodput.json
    ev2ledger -H -o ndjson run.jsonl | jq -r '[.request, .seq / 10, "gpu\(.seq % 2)"] | @tsv' |
        { printf 'request\tqueue_ms\treplica\n'; cat; } >server.tsv
    ev2ledger -H -o ndjson run.jsonl | jq -c '{id: .request, t_in_s: (.issued_ns / 1e9 + 5.001), t_out_s: (.done_ns / 1e9 + 4.999)}' \
        >server.ndjson
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "every option has its place in the manual, and the manual names no other" {
    bad=0
    for t in $TOOLS; do
        page=$ROOT/man/$t.1
        [ -f "$page" ] || { echo "$t has no page"; bad=1; continue; }
        while IFS='|' read -r letter name _; do
            want=${letter:+"Fl $letter , Fl -$name"}
            want=${want:-"Fl -$name"}
            grep -qE "^\.It $want( |\$)" "$page" || { echo "$t.1 lacks: .It $want"; bad=1; }
        done < <("$t" --list-options | tr '\t' '|')
        while read -r name; do
            "$t" --list-options | cut -f2 | grep -qx -- "$name" || { echo "$t.1 names --$name, which $t does not have"; bad=1; }
        done < <(sed -nE 's/^\.It (Fl . , )?Fl -([a-z0-9-]+).*/\2/p' "$page")
    done
    [ $bad = 0 ]
}

@test "manual pages are clean" {
    run mandoc -Tlint -W warning "$ROOT"/man/*.[157]
    echo "$output"
    [ "$status" = 0 ]
}

@test "the examples of the manual run" {
    bad=0 n=0
    for page in "$ROOT"/man/*.[157]; do
        while IFS= read -r command; do
            n=$((n + 1))
            bash -c "$command" >out 2>err </dev/null || { echo "$(basename "$page"): $command"; cat err; bad=1; }
        done < <(sed -n 's/^\.Dl \$ //p' "$page" | sed 's/\\e/\\/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\&//g; s/\\-/-/g')
    done
    [ $bad = 0 ] && [ $n -gt 10 ]
}

@test "the pipeline of the README runs, and its report names a verdict" {
    mkdir -p readme && cd readme && cp ../run.jsonl .
    sed -n '/^    ev2ledger run/,/^    render/p' "$ROOT/README.md" | head -n 4 | sed 's/^    //; s/-n 6396/-n 40/' >pipeline
    [ "$(wc -l <pipeline)" = 4 ]
    run bash -eo pipefail pipeline
    [ "$status" = 0 ]
    [ -n "$output" ]
}

@test "no document speaks of anything but the project" {
    run grep -rniE '/work/|\bissue [0-9]|session (time|log)|helper' "$ROOT/README.md" "$ROOT/man" "$ROOT/bin" "$ROOT/lib" "$ROOT/Makefile" "$ROOT/examples" --include='*' --binary-files=without-match
    echo "$output"
    [ "$status" = 1 ]
}

@test "the rooms of the README are those of the Makefile" {
    want=$(sed -n 's/^ROOMS = //p' "$ROOT/Makefile")
    have=$(grep -E '^    base ' "$ROOT/README.md" | xargs)
    [ "$want" = "$have" ]
    for room in $want; do grep -q "\`$room\`" "$ROOT/README.md" && [ -d "$ROOT/lib/$room" ]; done
}

@test "the targets the README names are there" {
    for target in $(grep -o '`make [a-z-]*' "$ROOT/README.md" | cut -d' ' -f2 | sort -u); do
        grep -qE "^$target:" "$ROOT/Makefile" || { echo "no target $target"; return 1; }
    done
}
