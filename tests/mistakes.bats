#!/usr/bin/env bats
# What is easily done wrong: a message says what is wrong, and where or what next; and no figure comes of it in silence.

load lib

setup_file() {
    small_run "$BATS_FILE_TMPDIR"
    cd "$BATS_FILE_TMPDIR" || return
    mv ev2ledger.in log
    mv ledger2passes.in ledger
    mv warmcrop.in passes
    mv render.in steady
    goodput -q -g ttft:800 ledger >goodput
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

# refuses MESSAGE COMMAND...: status 2, nothing on stdout, and these words
refuses() {
    local words=$1
    shift
    run --separate-stderr "$@"
    [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *"$words"* ]] || { echo "$*: $status: $stderr"; false; }
}

# warns MESSAGE COMMAND...: status 0, and these words on stderr
warns() {
    local words=$1
    shift
    run --separate-stderr "$@"
    [ "$status" = 0 ] && [[ $stderr == *"$words"* ]] || { echo "$*: $status: $stderr"; false; }
}

# silent COMMAND...: status 0 and no word
silent() {
    run --separate-stderr "$@"
    [ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$*: $status: $stderr"; false; }
}

@test "a stage that is given what another one wants names what it was given" {
    for tool in warmcrop tailguard plateau; do
        refuses "log:1: an event log, not a table of passes: see ev2ledger" $tool log
        refuses "steady:1: a report, not a table of passes" $tool steady
        refuses "ledger:1: this is a stream of kind 'ledger', not 'passes'" $tool ledger
    done
    refuses "log:1: an event log, not a table of ledger: see ev2ledger" ledger2passes log
    refuses "goodput:1: a report, not a table of ledger" ledger2passes goodput
    refuses "log:1: an event log, not a table of ledger: see ev2ledger" goodput -g ttft:800 log
    refuses "passes:1: this is a stream of kind 'passes', not 'ledger'" ev2ledger passes
    refuses "steady: a report of this suite" ev2ledger steady
    refuses "ledger: line 1: a table of ledger, not a report" render ledger
    refuses "passes:1: a table of passes, not a report" goodput -g ttft:800 --window passes ledger
    refuses "its tab-separated columns" ledger2passes <(tr '\t' , <ledger)
}

@test "a packed input is refused by the name of the program that unpacks it, from a file or a pipe" {
    for pack in gzip xz bzip2; do
        command -v $pack >/dev/null || continue
        $pack -c <log >packed
        for tool in ev2ledger ledger2passes warmcrop "goodput -g ttft:800" render; do
            # shellcheck disable=SC2086 # a tool and its option
            refuses "packed by $pack: unpack it first, as with $pack -dc" $tool packed
        done
        refuses "stdin: packed by $pack" ev2ledger <packed
    done
    printf '\x28\xb5\x2f\xfd....' >packed
    refuses "packed: packed by zstd" ev2ledger -f events packed
}

@test "a summary of AIPerf is refused by the name of the file to take" {
    echo '{"records":{"ttft":{"avg":1}},"input_config":{},"was_cancelled":false,"error_summary":[]}' >summary
    refuses "take profile_export.jsonl" ev2ledger summary
}

@test "a dataset size that is not the one the run repeats is warned about, from a file and from a pipe" {
    warns "prompts repeat after 4 requests: passes of 6 do not hold the same mix" ledger2passes -n 6 ledger
    warns "prompts repeat after 4 requests" bash -c 'cat ledger | ledger2passes -n 6 -C 1 -m concurrency'
    silent ledger2passes -n 4 ledger
    silent ledger2passes -n 8 ledger
    silent ledger2passes -s 6 ledger
    # no word of a dataset that is not seen to repeat
    grep -v '^#' ledger | awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "input_hash") c = i }
        NR > 1 { $c = sprintf("%016x", NR) } { print }' >other
    silent ledger2passes -n 6 other
}

@test "stages in another order, or left out, are warned about" {
    warns "passes: no warmcrop before this" plateau --floor-s 0 passes
    warns "no warmcrop before this" plateau --explain passes
    warns "no warmcrop before this" plateau --follow passes
    warns "tailguard came first" bash -c 'tailguard passes | warmcrop'
    silent bash -c 'warmcrop passes | tailguard | plateau --floor-s 0'
    # a table of somebody's own has no stages
    silent bash -c 'grep -v "^#" passes | plateau --floor-s 0'
}

@test "the window of a run with other requests is warned about, in the report as well" {
    jq -c '.found = true | .verdict = "steady" | .window.first_issue_ns = 1200000000 | .window.next_issue_ns = 2400000000' steady >window
    silent goodput -g ttft:800 --window window ledger
    jq -c '.run.counts.tracked = 23' window >other
    warns "is it another run's?" goodput -g ttft:800 --window other ledger
    [ "$(jq -r '.warnings[].code' <<<"$output")" = window_other_run ]
    jq -c '.run.first_issue_ns += 1' window >later
    warns "is it another run's?" goodput -g ttft:800 --window later ledger
}

@test "what is of the window and what of the whole run is said, with both verdicts where they differ" {
    jq -c '.found = true | .verdict = "steady" | .window.first_issue_ns = 1200000000 | .window.next_issue_ns = 2400000000 |
        .window.span_ns = 1200000000' steady >window
    goodput -q -g ttft:800 --window window ledger >both
    render window both >page
    grep -A 20 '^In the steady window' page | grep -q 'Goodput in the window .*requests/s .*accepted'
    grep -q '^Over the whole run' page
    run ! grep -q 'Contract in the window' page
    jq -c '.verdict = "fail" | .cohort.verdict = "pass"' both >differ
    render window differ | grep -q 'Contract in the window'
    jq -c '.cohort.t1_s += 1' both >elsewhere # a cohort of one's own
    run ! grep -q 'in the window .*accepted' <(render window elsewhere)
}

@test "a contract that is not there stops the reports" {
    mkdir runs && cp log runs/a.jsonl
    run -2 make -f "$ROOT/examples/report.mk" RUNS=runs OUT=out CONTRACT=nosuch.json
    [[ $output == *"nosuch.json: no such contract"* ]]
}

@test "options and small files are read before a large ledger is" {
    for wrong in "--cohort 10" "--cohort 9:1" "--baseline steady" "--window goodput"; do
        # shellcheck disable=SC2086 # an option and its value
        refuses "" goodput -g ttft:800 $wrong absent.tsv
        [[ $stderr != *absent.tsv* ]] || { echo "$wrong: $stderr"; false; }
    done
}

@test "what is not understood in an option or a contract comes with what would be" {
    refuses "'ttft:800ms' is not METRIC:MS, such as ttft:800" goodput -g ttft:800ms ledger
    refuses "stdin:1: not JSON" goodput -c - ledger <<<'{"latency_ms":{"ttft":800,}}'
    refuses "there is nothing to fail (see acceptance_min)" goodput --capacity goodput
}
