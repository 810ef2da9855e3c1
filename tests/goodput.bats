#!/usr/bin/env bats
# goodput: what one request has to do is told by the golden cases; here stand rates, spans, cohorts, segments and verdicts.

load lib
load tables

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# gp FILTER ARG...: what jq makes of the report
gp() {
    local filter=$1
    shift
    goodput -q "$@" >report.json || return
    jq -c "$filter" report.json
}

@test "the worked example: 119.5 completed, 114 useful, 95 % accepted" {
    "$BUILD/synth" --worked 1 >w1.tsv
    echo '{"latency_ms":{"ttft":800,"tpot":50},"quality":{},"acceptance_min":0.95}' >c.json
    [ "$(gp '[.offered, .responses, .accepted, .rates.offered_rps, .rates.responses_rps, .rates.goodput_rps, .acceptance.ratio]' -c c.json w1.tsv)" \
        = '[72000,71700,68400,120,119.5,114,0.95]' ]
    [ "$(jq -c '.dispositions | [.latency_failure, .quality_failure, .server_failure, .unfinished]' report.json)" = '[2400,600,300,300]' ]
    [ "$(jq -r .verdict report.json)" = pass ]
}

@test "the second worked example: more completions, less useful work" {
    "$BUILD/synth" --worked 2 >w2.tsv
    echo '{"latency_ms":{"ttft":800,"tpot":50},"quality":{},"acceptance_min":0.95}' >c.json
    [ "$(gp '[.rates.offered_rps, .rates.responses_rps, .rates.goodput_rps, (.acceptance.ratio * 1000 | round)]' -c c.json w2.tsv)" \
        = '[130,127,110,846]' ]
    run goodput -q -e -c c.json w2.tsv
    [ "$status" = 1 ]
}

@test "the reference run, figure by figure" {
    need_shared examples/run.goodput.json
    goodput -g ttft:60,tpot:22,e2e:9000 "$SHARED/examples/run.ledger.tsv" >report.json
    jq -n --slurpfile want "$SHARED/examples/run.goodput.json" --slurpfile have report.json '
        [$want[0] | paths(type != "object" and type != "array")] | map(. as $p
            | ($want[0] | getpath($p)) as $w | ($have[0] | getpath($p)) as $h
            | select(if ($w | type) == "number" and ($h | type) == "number"
                     then (($w - $h) | fabs) > 1e-12 * ([($w | fabs), ($h | fabs)] | max) else $w != $h end)
            | {path: map(tostring) | join("."), want: $w, have: $h})' >differ
    cat differ
    [ "$(cat differ)" = '[]' ]
}

@test "the dispositions of every block sum to what was offered" {
    "$BUILD/synth" --worked 1 >w1.tsv
    gp . -g ttft:300,tpot:20 --by isl:0,256 --by osl:64,128 --by error_type --cohort 100:200 --drain 2 w1.tsv >/dev/null
    jq -e '[., .cohort, .segments[]] | length > 8 and all(([.dispositions[]] | add) == .offered)' report.json
    jq -e '.offered as $n | .segments | group_by(.by) | length == 3 and all((map(.offered) | add) == $n)' report.json
}

@test "a rule on the average and a rule on the longest gap disagree, as they should" {
    ledger 'request outcome tpot_ns gap_max_ns tail_tokens' \
        'even completed 40000000 41000000 100' 'stalled completed 30000000 2000000000 100' >l.tsv
    [ "$(gp .accepted -g tpot:50 l.tsv)" = 2 ]
    [ "$(gp '[.accepted, .misses.gap]' -g tpot:50,gap:200 l.tsv)" = '[1,1]' ]
    [ "$(gp .accepted -g gap:200 l.tsv)" = 1 ]
}

@test "a target nobody tells anything of is an error, unless it is to fail" {
    ledger 'request outcome ttft_ns tpot_ns tail_tokens' 'a completed 5 - -' 'b completed 5 - -' 'c error - - -' >l.tsv
    refused '*tpot*--unobserved fail*' -g ttft:800,tpot:50 l.tsv
    [ "$(gp '[.accepted, .misses["unobserved:tpot"], .unobserved.tpot]' -g ttft:800,tpot:50 --unobserved fail l.tsv)" = '[0,2,2]' ]
    echo '{"model":"m"}' >c.json
    refused '*model*' -c c.json l.tsv
    # nothing to observe is not unobserved
    ledger 'request outcome tpot_ns tail_tokens' 'a completed - 0' >na.tsv
    [ "$(gp '[.accepted, .not_applicable.tpot]' -g tpot:50 na.tsv)" = '[1,1]' ]
}

@test "the arrival span of a run without tracking counts the gap after the last arrival" {
    ledger 'request outcome issued_ns done_ns e2e_ns' \
        'a completed 0 1000000000 1000000000' 'b completed 1000000000 2000000000 1000000000' \
        'c completed 2000000000 9000000000 7000000000' >l.tsv
    [ "$(gp '.duration | [.s, .arrival_s, .source]' -g e2e:1000 l.tsv)" = '[9,3,"arrivals"]' ]
    [ "$(jq -c '[.rates.offered_rps, .rates.goodput_rps * 9]' report.json)" = '[1,2]' ]
    # a single arrival has no span; two at once have none either
    [ "$(sed 2,3d l.tsv >one.tsv; gp '[.duration.arrival_s, .rates.offered_rps, .duration.s]' -g e2e:1000 one.tsv)" = '[null,null,7]' ]
}

@test "with tracking the span is what was tracked, and late completions are counted" {
    {
        printf '#steadytools\tledger\t1\n#run\t{}\n'
        ledger 'request tracked outcome intended_ns issued_ns done_ns e2e_ns' 'w 0 unfinished - 1 - -' \
            'a 1 completed 1500000000 1500000000 2000000000 500000000' 'b 1 completed 1000000000 1900000000 3500000000 2500000000'
        printf '#end\t{"rows":3,"run":{"tracking":"logged","tracking_start_ns":1000000000,"tracking_stop_ns":3000000000}}\n'
    } >l.tsv
    [ "$(gp '.duration | [.s, .arrival_s, .source, .late_completions]' -g e2e:5000 l.tsv)" = '[2.5,2,"tracking",1]' ]
    [ "$(jq -c '[.untracked, .offered, .rates.offered_rps, .rates.goodput_rps]' report.json)" = '[1,2,1,0.8]' ]
    [ "$(jq -c '.client_wait | [.n, .max_ns]' report.json)" = '[2,900000000]' ]
}

@test "--duration leaves out later arrivals and cuts what ends later, --drain waits" {
    ledger 'request outcome issued_ns first_ns done_ns ttft_ns e2e_ns' \
        'a completed 0 100000000 1000000000 100000000 1000000000' \
        'b completed 1000000000 1200000000 2000000000 200000000 1000000000' \
        'c completed 1900000000 1950000000 2000000001 50000000 100000001' \
        'd completed 1950000000 2100000000 2900000000 150000000 950000000' \
        'e completed 2000000000 2100000000 2500000000 100000000 500000000' >l.tsv
    [ "$(gp '[.offered, .accepted, .dispositions.unfinished, .duration.beyond, .duration.s, .duration.arrival_s, .duration.source]' \
        -g e2e:5000 --duration 2 l.tsv)" = '[4,2,2,1,2,2,"option"]' ]
    # c had its first token before the cut, d had not
    [ "$(jq -c '.latency.ttft.offered | [.n, .n_infinite, .p50_ns]' report.json)" = '[4,1,100000000]' ]
    [ "$(gp '[.accepted, .dispositions.unfinished, .duration.s, .duration.late_completions]' \
        -g e2e:5000 --duration 2 --drain 0.5 l.tsv)" = '[3,1,2.000000001,1]' ]
    [ "$(goodput -g e2e:5000 --duration 2 -a -H l.tsv | cut -f 8 | tail -n +2 | paste -sd,)" = 'accepted,accepted,unfinished,unfinished,' ]
    refused '*--drain*' -g e2e:5000 --drain 1 l.tsv
}

@test "time-outs and failures never leave the tail" {
    ledger 'request outcome ttft_ns e2e_ns' 'a completed 1 10' 'b completed 2 20' 'c completed - 30' \
        'd timeout 4 -' 'e error - 50' >l.tsv
    [ "$(gp '.latency.ttft.completed | [.n, .p50_ns, .p99_ns]' -g e2e:100 l.tsv)" = '[2,1,1]' ]
    [ "$(jq -c '.latency.ttft.offered | [.n, .n_infinite, .p50_ns, .p99_ns, .mean_ns, .censored]' report.json)" = '[4,1,2,4,null,false]' ]
    [ "$(jq -c '.latency.e2e.offered | [.n, .n_infinite, .p50_ns, .p90_ns, .censored]' report.json)" = '[5,2,30,null,true]' ]
    [ "$(jq -c '[.unobserved.ttft, .succeeded]' report.json)" = '[1,3]' ]
}

@test "percentiles of the contract are tested by nearest rank on the offered requests" {
    # 99 of 100 within the limit: p99 holds, whatever the hundredth did
    { echo "request outcome ttft_ns"; for i in $(seq 99); do echo "r$i completed 100000000"; done; echo "x timeout -"; } >rows
    ledger "$(cat rows)" >l.tsv
    echo '{"percentiles_ms":{"ttft":{"p99":100}}}' >c.json
    [ "$(gp '[.verdict, .reasons]' -c c.json l.tsv)" = '["pass",[]]' ]
    echo '{"percentiles_ms":{"ttft":{"p99.1":100}}}' >c.json
    [ "$(gp '[.verdict, .reasons[0]]' -c c.json l.tsv)" = '["fail",{"code":"percentile","metric":"ttft.p99.1","value":null,"bound":100000000}]' ]
    echo '{"percentiles_ms":{"ttft":{"p50":99.999999}}}' >c.json
    [ "$(gp '.reasons[0].value' -c c.json l.tsv)" = 100000000 ]
}

@test "the verdict is none without a floor, and -e is 1 on fail only" {
    ledger 'request outcome ttft_ns' 'a completed 1' 'b completed 900000000' >l.tsv
    goodput -e -g ttft:800 l.tsv >report.json
    [ "$(jq -r .verdict report.json)" = none ]
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.5}' >c.json
    goodput -e -c c.json l.tsv >report.json
    [ "$(jq -r .verdict report.json)" = pass ]
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.51}' >c.json
    run goodput -q -e -c c.json l.tsv
    [ "$status" = 1 ]
    [ "$(jq -c .reasons[0] <<<"$output")" = '{"code":"acceptance","metric":"acceptance","value":0.5,"bound":0.51}' ]
    run goodput -q -c c.json l.tsv
    [ "$status" = 0 ]
}

@test "a cohort keeps every id that arrived in it and waits for the drain" {
    ledger 'request outcome intended_ns issued_ns done_ns e2e_ns' \
        'a completed 0 0 5000000000 5000000000' 'b completed 1000000000 1100000000 2500000000 1500000000' \
        'c completed 1500000000 2100000000 4000000000 2500000000' 'd timeout 1900000000 1900000000 9000000000 -' \
        'e completed 2000000000 2000000000 2100000000 100000000' >l.tsv
    [ "$(gp '.cohort | [.t0_s, .t1_s, .drain_s, .offered, .accepted, .rates.goodput_rps, .rates.offered_rps]' \
        -g e2e:9000 --cohort 1:2 l.tsv)" = '[1,2,null,3,2,2,3]' ]
    # answers to earlier arrivals count in a completion window, and late ones do not
    [ "$(gp '.cohort | [.completion_window_rps, .accepted, .rates.goodput_rps]' -g e2e:9000 --cohort 2:4 l.tsv)" = '[1,1,0.5]' ]
    [ "$(gp '.cohort | [.drain_s, .accepted, .dispositions.unfinished]' -g e2e:9000 --cohort 1:2 --drain 1 l.tsv)" = '[1,1,2]' ]
    refused '*T0:T1*' -g e2e:9000 --cohort 2:1 l.tsv
}

@test "--window takes plateau's window, to the first issue after it, and its pass size" {
    ledger 'request outcome issued_ns done_ns e2e_ns' 'a completed 0 1 1' 'b completed 10 11 1' 'c completed 20 21 1' \
        'd completed 30 31 1' 'e completed 40 41 1' >l.tsv
    echo '{"kind":"steady","verdict":"steady","found":true,"run":{"size":1},"window":{"n_passes":3,"n_requests":3,"first_issue_ns":10,"next_issue_ns":40}}' >steady.json
    [ "$(gp '.cohort | [.offered, .accepted, (.t0_s * 1e9 | round), .acceptance.clusters]' -g e2e:1 --window steady.json l.tsv)" = '[3,3,10,3]' ]
    echo '{"kind":"steady","verdict":"steady","found":true,"window":{"first_pass":1}}' >steady.json
    refused '*no times*' -g e2e:1 --window steady.json l.tsv
    echo '{"kind":"steady","verdict":"too_short","found":false}' >steady.json
    [ "$(gp '[.cohort, .warnings[0].code, .accepted]' -g e2e:1 --window steady.json l.tsv)" = '[null,"no_window",5]' ]
}

@test "segments: columns, bands, the missing, and the one that fails while the whole passes" {
    { echo 'request outcome ttft_ns output_tokens tenant'
      for i in $(seq 40); do echo "a$i completed 1 $((i * 10)) acme"; done
      echo 'b1 completed 900000000 5000 beta'; echo 'b2 error - - beta'; echo 'c completed 1 128 -'; } >rows
    ledger "$(cat rows)" >l.tsv
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.9}' >c.json
    [ "$(gp '[.segments[] | [.by, .segment, .offered, .accepted]]' -c c.json --by tenant --by osl:128,512 l.tsv)" = \
        '[["tenant","acme",40,40],["tenant","beta",2,0],["tenant","missing",1,1],["osl","[0,128)",12,12],["osl","[128,512)",29,29],["osl","[512,inf)",1,0],["osl","missing",1,0]]' ]
    [ "$(jq -c '[.verdict, [.warnings[] | select(.code == "segment_fails") | .value]]' report.json)" = '["pass",["beta","[512,inf)","missing"]]' ]
    jq -e 'any(.warnings[]; .code == "osl_loses_failures")' report.json
    jq -e '.segments[0] | has("latency") and has("rates") and has("acceptance") and has("lengths") and has("verdict")' report.json
    refused '*no column*' -g ttft:800 --by nobody l.tsv
    refused '*ascending*' -g ttft:800 --by osl:5,5 l.tsv
}

@test "several runs in one ledger are refused, or reported each" {
    ledger 'request outcome issued_ns done_ns e2e_ns run' 'a completed 0 1000000000 1000000000 x' 'b completed 1000000000 2000000000 1000000000 x' \
        'c completed 100000000000 101000000000 1000000000 y' 'd completed 100500000000 101500000000 1000000000 y' >l.tsv
    refused '*l.tsv:4:*--by run*' -g e2e:1000 l.tsv
    [ "$(gp '[.segments[] | [.segment, .rates.offered_rps, .rates.goodput_rps, .duration.s]]' -g e2e:1000 --by run l.tsv)" = \
        '[["x",1,1,2],["y",2,1.3333333333333333,1.5]]' ]
}

@test "quality: verdicts joined by id, the foreign and the doubled counted, the unjudged not accepted" {
    ledger 'request outcome ttft_ns' 'a completed 1' 'b completed 1' 'c completed 1' 'd error -' >l.tsv
    ledger 'request pass score' 'a 1 0.9' 'b 0 0.4' 'x 1 1' 'a 0 0' >q.tsv
    echo '{"latency_ms":{"ttft":800},"quality":{"evaluator":{"name":"exact","version":"1"}},"quality_floor":0.7}' >c.json
    [ "$(gp '[.accepted, .misses.quality, .misses.unjudged, .headline]' -c c.json --quality q.tsv l.tsv)" = '[1,1,1,"goodput"]' ]
    [ "$(jq -c .quality report.json)" = '{"judged":2,"unjudged":1,"scored":2,"mean_score":0.65,"evaluator":{"name":"exact","version":"1"},"verdicts":3,"foreign":1,"duplicate":1}' ]
    [ "$(jq -c .reasons report.json)" = '[{"code":"quality_floor","metric":"score","value":0.65,"bound":0.7}]' ]
    [ "$(jq -c '.definitions | [.quality, .evaluator.name]' report.json)" = '["verdicts","exact"]' ]
    [ "$(gp .headline -g ttft:800 l.tsv)" = '"latency goodput: quality was not assessed"' ]
    # who judged has to be said: by the contract, or by every row
    refused '*who judged*' -g ttft:800 --quality q.tsv l.tsv
    awk -F'\t' -v OFS='\t' '{ print $0, NR == 1 ? "evaluator\tevaluator_version" : "judge\t2" }' q.tsv >who.tsv
    [ "$(gp '[.accepted, .quality.evaluator.version]' -g ttft:800 --quality who.tsv l.tsv)" = '[1,"2"]' ]
    sed -i '3s/2$/3/' who.tsv
    refused '*second evaluator*' -g ttft:800 --quality who.tsv l.tsv
    echo '{"quality":{"rule":".score >= ","evaluator":"judge 2"}}' >c.json
    refused '*quality.rule*' -c c.json --quality q.tsv l.tsv
    echo '{"quality":{"rule":".score >= 0.4","evaluator":"judge 2"}}' >c.json
    [ "$(gp '[.accepted, .misses.quality, .misses.unjudged]' -c c.json --quality q.tsv l.tsv)" = '[2,0,1]' ]
    echo '{"quality":{"rule":"\"SECRET\"","evaluator":"judge 2"}}' >c.json
    refused '*l.tsv:2:*neither true*' -c c.json --quality q.tsv l.tsv
}

@test "a contract that says something unknown or impossible is refused at its path" {
    ledger 'request outcome ttft_ns' 'a completed 1' >l.tsv
    while IFS='|' read -r contract path; do
        echo "$contract" >c.json
        refused "goodput: c.json: $path*" -c c.json l.tsv
    done <<'END'
{"latency_ms":{"ttft":800},"lateny":1}|lateny: unknown key
{"latency_ms":{"ttf":800}}|latency_ms.ttf: 
{"latency_ms":{"ttft":"800"}}|latency_ms.ttft: not a number
{"latency_ms":{"ttft":-1}}|latency_ms.ttft: 
{"latency_ms":{"e2e":1,"e2el":1}}|latency_ms.e2el: stated twice
{"latency_ms":800}|latency_ms: not an object
{"quality":{"rules":".pass"}}|quality.rules: unknown key
{"quality":{"evaluator":"nameonly"}}|quality.evaluator: 
{"quality":{"evaluator":{"name":"a","ver":"1"}}}|quality.evaluator.ver: unknown key
{"percentiles_ms":{"ttft":{"99":1}}}|percentiles_ms.ttft.99: 
{"percentiles_ms":{"ttft":{"p101":1}}}|percentiles_ms.ttft.p101: 
{"percentiles_ms":{"tps":{"p99":1}}}|percentiles_ms.tps: 
{"acceptance_min":99}|acceptance_min: not between
{"repeats":{"need":3,"of":2}}|repeats: 
{"not_applicable":"maybe"}|not_applicable: neither 'pass' nor 'fail'
{"zero_tokens":1}|zero_tokens: not a text
{"latency_from":"sent"}|latency_from: 
{"first":"last"}|first: 
{"primary":["quality"]}|primary: 
[]|not an object
END
    echo '{"a":1,"a":2}' >c.json
    refused 'goodput: c.json:1: *' -c c.json l.tsv
    for g in ttft ttft: ttft:x :5 tps:5 ttft:5,ttft:6 '' ttft:-5; do
        refused 'goodput: -g: *' -g "$g" l.tsv
    done
    refused '*no contract*' l.tsv
    refused '*two contracts*' -g ttft:1 -c c.json l.tsv
}

@test "a contract that states an origin needs stamps" {
    ledger 'request outcome ttft_ns' 'a completed 1' >l.tsv
    echo '{"latency_ms":{"ttft":800},"latency_from":"issued"}' >c.json
    refused '*latency_from*no stamps*' -c c.json l.tsv
}

@test "an annotated ledger is the ledger, and more" {
    "$BUILD/synth" --worked 1 | head -n 1000 >w.tsv
    goodput -q -g ttft:800 -a w.tsv >a.tsv
    cmp <(grep -v '^#' w.tsv) <(grep -v '^#' a.tsv | cut -f 1-32)
    [ "$(head -n 4 a.tsv | tail -n 1 | cut -f 33-)" = $'disposition\tmiss' ]
    # again: the columns are replaced, not doubled
    goodput -q -g ttft:0.001 -a a.tsv >b.tsv
    [ "$(awk -F'\t' '!/^#/ { print NF }' b.tsv | sort -u)" = 34 ]
    [ "$(grep -v '^#' b.tsv | cut -f 33 | grep -c accepted)" = 0 ]
}

@test "an aggregate holds no id and no hash, and adds up" {
    need_shared examples/run.ledger.tsv
    goodput -g ttft:60,tpot:22 --aggregate "$SHARED/examples/run.ledger.tsv" >a.tsv
    ! grep -qE 'r0000|114e114f5c' a.tsv
    [ "$(grep -v '^#' a.tsv | tail -n +2 | awk -F'\t' '{ n += $7; if ($1 == "accepted") ok += $7 } END { print n, ok }')" = '1320 806' ]
    [ "$(tail -n 1 a.tsv | cut -f 2 | jq -c '[.offered, .accepted]')" = '[1320,806]' ]
    [ "$(goodput -g ttft:60,tpot:22 --aggregate -o ndjson "$SHARED/examples/run.ledger.tsv" | jq -s 'map(.requests // 0) | add')" = 1320 ]
}

@test "shards of a run are taken together, unlike ones are not" {
    "$BUILD/synth" --worked 1 >w.tsv
    rows=$(grep -vn '^#' w.tsv | tail -n +2 | wc -l)
    { head -n 3 w.tsv; grep -v '^#' w.tsv | tail -n +2 | awk 'NR % 2'; tail -n 1 w.tsv | sed "s/\"rows\":$rows/\"rows\":$(((rows + 1) / 2))/"; } >1.tsv
    { head -n 3 w.tsv; grep -v '^#' w.tsv | tail -n +2 | awk 'NR % 2 == 0'; tail -n 1 w.tsv | sed "s/\"rows\":$rows/\"rows\":$((rows / 2))/"; } >2.tsv
    gp 'del(.pg)' -g ttft:800,tpot:50 w.tsv >whole
    gp 'del(.pg)' -g ttft:800,tpot:50 1.tsv 2.tsv >both
    cmp whole both
    sed 's/"clock":"epoch"/"clock":"monotonic"/' 2.tsv >mono.tsv
    refused '*monotonic*' -q -g ttft:800 1.tsv mono.tsv
    sed 's/"retry_clock":"first"/"retry_clock":"last"/' 2.tsv >other.tsv
    refused '*definitions*' -q -g ttft:800 1.tsv other.tsv
}

@test "no times: no rates, no cohort, and it says why" {
    ledger 'request outcome ttft_ns e2e_ns' 'a completed 1 2' >l.tsv
    [ "$(gp '[.duration.s, .duration.reason, .rates.goodput_rps, .cohort, .acceptance.ratio, .sent]' -g ttft:1 --cohort 0:1 l.tsv)" = \
        '[null,"no_times",null,null,1,null]' ]
}

@test "a harness that logs only what finished makes bounds of the figures" {
    { printf '#steadytools\tledger\t1\n#run\t{"offered_complete":"unknown"}\n'; ledger 'request outcome ttft_ns' 'a completed 1'; printf '#end\t{"rows":1}\n'; } >l.tsv
    [ "$(gp '[.offered_bound, .acceptance_bound, .warnings[0].code]' -g ttft:1 l.tsv)" = '[">=","<=","offered_incomplete"]' ]
}

@test "--level is the rate aimed at, and the report says so" {
    ledger 'request outcome ttft_ns' 'a completed 1' >l.tsv
    [ "$(gp .run.target_rps -g ttft:1 --level 120 l.tsv)" = 120 ]
}

@test "--binomial is what sampling alone does" {
    [ "$(gp '[.kind, .n, .mean, (.cdf[20]), (.pmf | length)]' --binomial 20,0.8)" = '["binomial",20,16,1,21]' ]
    [ "$(gp .mean --binomial 20,0.5)" = 10 ]
    [ "$(gp .mean --binomial 20,.5)" = 10 ]
    [ "$(gp '.pmf' --binomial 3,0)" = '[1,0,0,0]' ]
    refused '*N,P*' --binomial 20,1.5
    refused '*N,P*' --binomial 20
}

# level FILE RPS SECONDS GOOD BAD [FIRST_NS]: a report of a run at RPS for SECONDS in which GOOD are fast and BAD late
level() {
    awk -v rps="$2" -v s="$3" -v good="$4" -v bad="$5" -v t0="${6:-0}" 'BEGIN {
        OFS = "\t"
        print "request", "outcome", "issued_ns", "first_ns", "done_ns", "ttft_ns", "e2e_ns", "input_tokens", "output_tokens"
        n = rps * s
        for (i = 0; i < n; i++) {
            a = t0 + int(i * 1e9 / rps)
            late = i * (good + bad) % n < bad * (good + bad) * (i * (good + bad) % n < 0) || (i % (good + bad)) >= good
            f = late ? 900000000 : 100000000
            printf "r%d\tcompleted\t%.0f\t%.0f\t%.0f\t%d\t%d\t%d\t%d\n", i, a, a + f, a + f + 1000000, f, f + 1000000, 100 + i % 50, 20 + i % 7
        }
    }' >level.tsv
    goodput -q -c floor.json ${LEVEL:+--level "$LEVEL"} level.tsv >"$1"
}

@test "capacity: the highest load that passes with every lower one passing" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.99,"repeats":{"need":2,"of":2}}' >floor.json
    level a1 10 60 100 0 0
    level a2 10 60 100 0 400000000000
    level b1 20 60 100 0 200000000000
    level b2 20.1 60 100 0 100000000000
    level c1 40 60 90 10 300000000000
    level c2 40 60 90 10 500000000000
    [ "$(gp '[.kind, .rated_rps, .derated_rps, .monotone, .evidence]' --capacity a1 a2 b1 b2 c1 c2)" = '["capacity",20,20,true,"supported"]' ]
    [ "$(jq -c '[.levels[] | [(.achieved_rps | length), .passed, .of, .state]]' report.json)" = '[[2,2,2,"pass"],[2,2,2,"pass"],[2,0,2,"fail"]]' ]
    [ "$(jq -c '.next_rps | [length, (.[0] > 20.05), (.[2] < 40)]' report.json)" = '[3,true,true]' ]
    [ "$(jq -c '[.levels[2].reasons[] | .code] | unique' report.json)" = '["acceptance"]' ]
    # a reserve, and what it takes to serve a demand
    [ "$(gp '[.derated_rps, .units.replicas]' --capacity --margin 0.2 --units 161 a1 a2 b1 b2 c1 c2)" = '[16,11]' ]
    [ "$(gp .units.replicas --capacity --units 40 a1 a2 b1 b2 c1 c2)" = 2 ]
    # one run of two asked for proves nothing
    [ "$(gp '[.rated_rps, .levels[1].state]' --capacity a1 a2 b1 c1 c2)" = '[10,"unproven"]' ]
    run goodput -q -e --capacity c1 c2
    [ "$status" = 1 ]
}

@test "capacity: one failing repeat, a level out of order, a client that cannot keep up" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.99}' >floor.json
    LEVEL=10 level a 10 60 100 0
    LEVEL=20 level b 20 60 90 10
    LEVEL=30 level c 30 60 100 0
    LEVEL=50 level d 40 60 100 0
    [ "$(gp '[.rated_rps, .monotone, [.levels[].state]]' --capacity d c b a)" = '[10,false,["pass","fail","pass","client_limited"]]' ]
    [ "$(jq -c '[.warnings[].code]' report.json)" = '["no_repeats","not_monotone"]' ]
    [ "$(jq -c .next_rps report.json)" = '[12.5,15,17.5]' ]
    # 2 of 3: a second failure decides, a first does not
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.99,"repeats":{"need":2,"of":3}}' >floor.json
    level p1 10 60 100 0; level p2 10 60 100 0; level f1 10 60 90 10; level f2 10 60 90 10
    [ "$(gp '.levels[0].state' --capacity p1 p2 f1)" = '"pass"' ]
    [ "$(gp '.levels[0].state' --capacity p1 f1)" = '"unproven"' ]
    [ "$(gp '.levels[0].state' --capacity p1 f1 f2)" = '"fail"' ]
    # the same file again is no repeat
    [ "$(gp '.levels[0].state' --capacity p1 p1 f1)" = '"unproven"' ]
}

@test "capacity: the floor is supported, refuted or undetermined by the wider interval" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.9}' >floor.json
    level a 10 60 100 0
    [ "$(gp .levels[0].evidence --capacity a)" = '"supported"' ]
    level b 10 60 91 9
    [ "$(gp .levels[0].evidence --capacity b)" = '"undetermined"' ]
    level c 10 60 2 1
    [ "$(gp '[.levels[0].evidence, .evidence]' --capacity c)" = '["refuted",null]' ]
}

@test "capacity: loads that only rise with time are warned about" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.9}' >floor.json
    level a 10 60 100 0 0
    level b 20 60 100 0 100000000000
    [ "$(gp '[.warnings[].code]' --capacity b a)" = '["no_repeats","order_effects"]' ]
    level a 10 60 100 0 200000000000
    [ "$(gp '[.warnings[].code]' --capacity a b)" = '["no_repeats"]' ]
}

@test "capacity: unlike runs are refused, naming what differs" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.9}' >floor.json
    level a 10 60 100 0
    level b 10 70 100 0
    refused '*b: not like a: arrival spans*' --capacity a b
    jq -c '.lengths.isl.cdf.at |= map(. + 10)' a >c
    refused '*lengths.isl differs*' --capacity a c
    jq -c '.definitions.tpot_end = "last"' a >c
    refused '*definitions.tpot_end differs*' --capacity a c
    jq -c '.run.offered_complete = "unknown"' a >c
    refused '*only what finished*' --capacity c
    echo '{"latency_ms":{"ttft":700},"acceptance_min":0.9}' >floor.json
    level c 10 60 100 0
    refused '*contract.latency_ms differs*' --capacity a c
    echo '{"latency_ms":{"ttft":700}}' >floor.json
    level c 10 60 100 0
    refused '*nothing to fail*' --capacity c
    refused '*leave out -c and -g*' --capacity -g ttft:1 a
}

@test "a baseline: differences with their intervals, and only between like runs" {
    echo '{"latency_ms":{"ttft":800},"acceptance_min":0.5}' >floor.json
    level base 10 60 80 20
    level now 10 60 90 10
    [ "$(gp '.baseline | [.block, .acceptance.baseline, .acceptance.value, (.acceptance.difference * 1000 | round)]' \
        -c floor.json --baseline base level.tsv)" = '["run",0.8,0.9,100]' ]
    # Newcombe (1998), method 10, for 540/600 - 480/600
    [ "$(jq -c '.baseline.acceptance.newcombe | map(. * 1e6 | round)' report.json)" = '[59861,140127]' ]
    jq -e '.baseline.goodput_rps | .newcombe[0] < .difference and .difference < .newcombe[1]' report.json
    jq -e '.baseline.latency.ttft.p50_ns == {"baseline":100000000,"baseline_ci":[100000000,100000000],"value":100000000,"ci":[100000000,100000000]}' report.json
    refused '*cohort differs*' -c floor.json --cohort 0:10 --baseline base level.tsv
    refused '*contract.*differs*' -g ttft:700 --baseline base level.tsv
}

@test "a run of no requests is a result without rates" {
    printf '#steadytools\tledger\t1\n#run\t{"tracking":"logged","tracking_start_ns":1,"tracking_stop_ns":5}\nrequest\toutcome\tttft_ns\n#end\t{"rows":0}\n' >l.tsv
    [ "$(gp '[.offered, .duration.reason, .rates.offered_rps, .acceptance.ratio, .verdict, .series, .warnings]' -g ttft:1 l.tsv)" = \
        '[0,"no_requests",null,null,"none",[],[]]' ]
}

@test "a percentile of a latency nobody recorded is an error too" {
    ledger 'request outcome ttft_ns' 'a completed 1' >l.tsv
    echo '{"percentiles_ms":{"e2e":{"p99":100}}}' >c.json
    refused '*e2e*' -c c.json l.tsv
    [ "$(gp '[.verdict, .reasons[0].value]' -c c.json --unobserved fail l.tsv)" = '["fail",null]' ]
}

@test "stamps at the ends of int64 neither trap nor wrap" {
    ledger 'request outcome issued_ns first_ns done_ns ttft_ns e2e_ns input_tokens output_tokens' \
        'a completed -9223372036854775807 0 9223372036854775807 - - 2147483647 2147483647' \
        'b completed 9223372036854775806 9223372036854775807 9223372036854775807 1 1 2147483647 2147483647' >l.tsv
    [ "$(gp '[.offered, .accepted, .duration.arrival_s, .rates.good_tokens_per_s]' -g ttft:1,e2e:1 --cohort 0:9e9 --drain 1e9 --by isl:0,5 l.tsv)" = '[2,1,null,null]' ]
    goodput -q -g ttft:1 --duration 1e9 --drain 1e9 -a l.tsv >/dev/null
    goodput -q -g ttft:1 --aggregate l.tsv >/dev/null
}

@test "the shipped contracts are read, and say what they mean" {
    ledger 'request outcome ttft_ns tpot_ns tail_tokens gap_max_ns e2e_ns first_ns answer_first_ns quality' \
        'a completed 300000000 40000000 10 50000000 900000000 5 5 pass' >l.tsv
    for c in "$ROOT"/examples/contracts/*.json; do
        goodput -q -c "$c" l.tsv >report.json
        [ "$(jq -c '[.accepted, .contract.name != null, .verdict != "none"]' report.json)" = '[1,true,true]' ] || { echo "$c"; false; }
    done
}

@test "a rule that does not compile is found before any run is scored" {
    echo '{"latency_ms":{"e2e":1},"quality":{"rule":".pass |","evaluator":{"name":"x","version":"1"}}}' >c.json
    run --separate-stderr goodput --check-contract -c c.json
    [ "$status" = 2 ] && [[ $stderr == *quality.rule* ]] && [ -z "$output" ]
}

@test "a truth in a verdict file is one, whether written 1, true or True" {
    ledger 'request outcome e2e_ns' 'a completed 1' 'b completed 1' >l.tsv
    echo '{"latency_ms":{"e2e":1},"quality":{"rule":".pass == true","evaluator":{"name":"x","version":"1"}}}' >c.json
    printf 'request\tpass\na\t1\nb\t0\n' >v.tsv
    printf '{"request":"a","pass":1}\n{"request":"b","pass":0}\n' >v.ndjson
    [ "$(gp .accepted -c c.json --quality v.tsv l.tsv)" = 1 ]
    [ "$(gp .accepted -c c.json --quality v.ndjson l.tsv)" = 1 ]
}

@test "a window that holds none of the ledger's requests is warned about" {
    ledger 'request outcome issued_ns e2e_ns' 'a completed 100 1' 'b completed 200 1' >l.tsv
    echo '{"kind":"steady","verdict":"steady","found":true,"window":{"first_pass":0,"end_pass":4,"first_issue_ns":5000,"next_issue_ns":6000}}' >steady.json
    [ "$(gp '[.cohort.offered, .warnings[0].code]' -g e2e:1 --window steady.json l.tsv)" = '[0,"window_empty"]' ]
}

@test "ledgers together know what each of them knows: what is offered, what is cut off, which names came before" {
    cd "$BATS_TEST_TMPDIR"
    one() { # NAME OFFERED_COMPLETE [MORE]
        printf '#steadytools\tledger\t1\n#run\t{"clock":"epoch","offered_complete":%s%s}\n' "$2" "${3:-}"
        printf 'request\toutcome\tissued_ns\tdone_ns\te2e_ns\n'
        printf '%s\tcompleted\t1769000000000000000\t1769000001000000000\t1000000000\n' "$1"
        printf '#end\t{"rows":1}\n'
    }
    one a true >whole.tsv; one b false >lossy.tsv; one c '"unknown"' >unsure.tsv; one d true ',"partial":true' >cut.tsv
    of() { goodput -q -g e2e:5000 "$@" 2>/dev/null | jq -c '[.run.offered_complete, .run.partial, [.warnings[].code]]'; }
    [ "$(of whole.tsv lossy.tsv)" = '[false,null,["offered_incomplete"]]' ]
    [ "$(of lossy.tsv whole.tsv)" = '[false,null,["offered_incomplete"]]' ]
    [ "$(of whole.tsv unsure.tsv)" = '["unknown",null,["offered_incomplete"]]' ]
    [ "$(of unsure.tsv whole.tsv)" = '["unknown",null,["offered_incomplete"]]' ]
    [ "$(of unsure.tsv lossy.tsv)" = '[false,null,["offered_incomplete"]]' ]
    [ "$(of whole.tsv cut.tsv)" = "$(of cut.tsv whole.tsv)" ]
    [[ $(of whole.tsv cut.tsv) == '[true,true,'* ]]
    [[ $(of whole.tsv whole.tsv) == *'"repeated_names"'* ]]
    ledger2passes -q -s 1 whole.tsv unsure.tsv 2>/dev/null | sed -n 's/^#run.//p' | jq -e '.offered_complete == "unknown"' >/dev/null
    ledger2passes -q -s 1 lossy.tsv unsure.tsv 2>/dev/null | sed -n 's/^#run.//p' | jq -e '.offered_complete == false' >/dev/null
}

# stamped FACTS SHIFT: a ledger of 40 requests, a second apart, each sent SHIFT ms after its schedule
stamped() {
    printf '#steadytools\tledger\t1\n#run\t{"clock":"monotonic","offered_complete":true%s}\n' "$1"
    awk -v late="$2" 'BEGIN { OFS = "\t"; print "request", "outcome", "intended_ns", "issued_ns", "done_ns", "e2e_ns"
        for (i = 0; i < 40; i++) { t = 1e9 * (i + 1); print "r" i, "completed", sprintf("%.0f", t), sprintf("%.0f", t + late * 1e6),
            sprintf("%.0f", t + 5e8), 500000000 } }'
    printf '#end\t{"rows":40}\n'
}

@test "where the harness tells no outcome acceptance is a bound, and no capacity follows" {
    cd "$BATS_TEST_TMPDIR"
    stamped "" 0 | goodput -q -g e2e:1000 | jq -e '[.acceptance_bound, .warnings] == [null, []]' >/dev/null
    stamped ',"outcomes_logged":false' 0 | goodput -q -g e2e:1000 >report.json
    jq -e '[.acceptance_bound, .warnings[0].code, .offered_bound] == ["<=", "no_outcome", null]' report.json >/dev/null
    render report.json | grep -q 'Acceptance .*≤.100 %'
    run -2 --separate-stderr goodput --capacity report.json
    [[ $stderr == *"does not say which requests succeeded"* ]]
}

@test "a client that sends late is named, and one that does not is not" {
    codes() { stamped "" "$1" | goodput -q -g e2e:1000 | jq -c '[.warnings[].code]'; }
    [ "$(codes 99)" = '[]' ]
    [ "$(codes 101)" = '["client_wait"]' ]
}
