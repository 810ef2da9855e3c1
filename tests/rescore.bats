#!/usr/bin/env bats
# goodput: one run under many contracts, grids of targets, thresholds of scores, and what a report says beside its figures.

load lib
load tables

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# 400 requests of every fate and of replies of every kind, the same every time
mixed() {
    awk 'BEGIN {
        OFS = "\t"; OFMT = CONVFMT = "%.17g"
        print "request", "outcome", "intended_ns", "issued_ns", "first_ns", "done_ns", "ttft_ns", "tpot_ns", "gap_max_ns", "e2e_ns", "input_tokens", "output_tokens", "tail_tokens", "finish_reason", "flags", "tenant"
        split("completed completed completed completed completed completed completed error timeout cancelled", fate, " ")
        x = 12345
        for (i = 0; i < 400; i++) {
            x = (x * 1103 + 12345) % 99991; ttft = 1000000 * (50 + x % 900)
            x = (x * 1103 + 12345) % 99991; tail = i % 9 == 4 ? 0 : 1 + x % 200
            x = (x * 1103 + 12345) % 99991; span = tail * (10000000 + x % 60 * 1000000)
            a = i * 50000000; s = a + x % 7 * 1000000
            o = fate[1 + i % 10]
            whole = i % 17 == 3
            done = a + ttft + span
            ok = o == "completed"
            print "r" i, o, a, s, whole ? "" : a + ttft, o == "timeout" ? "" : done, whole ? "" : ttft, \
                ok && tail ? span / tail : "", ok && tail ? 100000000 + x * 1000 : "", o == "timeout" ? "" : done - a, \
                20 + i % 50, ok ? (i % 23 == 0 ? 0 : tail + 1) : "", ok ? tail : "", ok ? "stop" : "", \
                whole ? "no_first" : "", i % 3 ? "a" : "b"
        }
    }'
}

@test "several contracts: one report each, the same as one at a time" {
    mixed >l.tsv
    echo '{"name":"a","latency_ms":{"ttft":400,"tpot":40},"acceptance_min":0.1}' >a.json
    echo '{"name":"b","latency_ms":{"e2e":5000},"latency_from":"issued","acceptance_min":0.99,"zero_tokens":"pass"}' >b.json
    goodput -q -c a.json -c b.json --by tenant --cohort 2:9 l.tsv >both.ndjson
    [ "$(wc -l <both.ndjson)" = 2 ]
    for c in a b; do
        goodput -q -c $c.json --by tenant --cohort 2:9 l.tsv | jq -c 'del(.pg)' >one.json
        jq -c "select(.contract.name == \"$c\") | del(.pg)" both.ndjson | cmp - one.json
    done
    # a verdict of fail under either is status 1
    run goodput -q -e -c a.json -c b.json l.tsv
    [ "$status" = 1 ]
    run goodput -q -e -c a.json -c a.json l.tsv
    [ "$status" = 0 ]
    [ "$(goodput -q -g ttft:400 -g ttft:800 l.tsv | jq -c .contract.latency_ms.ttft | paste -sd,)" = 400,800 ]
    refused '*several contracts*' -g ttft:400 -g ttft:800 -a l.tsv
    refused '*several contracts*' -g ttft:400 -g ttft:800 -o tsv l.tsv
    refused '*two contracts*' -g ttft:400 -c a.json l.tsv
}

@test "a rule on the average and one on the longest gap, in one pass over one ledger" {
    ledger 'request outcome tpot_ns gap_max_ns tail_tokens' \
        'even completed 40000000 41000000 100' 'stalled completed 30000000 2000000000 100' >l.tsv
    [ "$(goodput -q -g tpot:35 -g gap:200 -g tpot:35,gap:200 l.tsv | jq -c '[.accepted, .misses]' | paste -sd' ')" = \
        '[1,{"tpot":1}] [1,{"gap":1}] [0,{"tpot":1,"gap":1}]' ]
    [ "$(goodput -q -g tpot:35 -a -H l.tsv | awk 'NR > 1 { print $1, $6 }' | paste -sd' ')" = 'even latency_failure stalled accepted' ]
    [ "$(goodput -q -g gap:200 -a -H l.tsv | awk 'NR > 1 { print $1, $6 }' | paste -sd' ')" = 'even accepted stalled latency_failure' ]
}

@test "the first token of a reply and of its answer are two targets" {
    ledger 'request outcome issued_ns first_ns answer_first_ns done_ns ttft_ns e2e_ns' \
        'thinks completed 0 200000000 5000000000 6000000000 200000000 6000000000' \
        'answers completed 1000000000 1200000000 1200000000 2000000000 200000000 1000000000' >l.tsv
    for first in any answer; do echo "{\"latency_ms\":{\"ttft\":800},\"first\":\"$first\"}" >$first.json; done
    [ "$(goodput -q -c any.json -c answer.json l.tsv | jq -c '[.contract.first, .accepted, .latency.ttft.completed.mean_ns]' | paste -sd' ')" = \
        '["any",2,200000000] ["answer",1,2600000000]' ]
}

@test "every policy stands in the report, stated or not" {
    ledger 'request outcome ttft_ns' 'a completed 1' >l.tsv
    [ "$(goodput -q -g ttft:800 l.tsv | jq -c '[.contract | .not_applicable, .zero_tokens, .first, .primary], .definitions.unobserved' | paste -sd' ')" = \
        '["pass","fail","any",["quality","latency"]] "error"' ]
    echo '{"latency_ms":{"ttft":800},"not_applicable":"fail","zero_tokens":"pass","first":"answer","primary":["latency","quality"]}' >c.json
    [ "$(goodput -q -c c.json --unobserved fail l.tsv | jq -c '[.contract | .not_applicable, .zero_tokens, .first, .primary], .definitions.unobserved' | paste -sd' ')" = \
        '["fail","pass","answer",["latency","quality"]] "fail"' ]
}

@test "a grid of two targets is every pair scored by itself" {
    mixed >l.tsv
    for base in '{"latency_ms":{"gap":180}}' '{"not_applicable":"fail","primary":["latency","quality"]}' '{"latency_ms":{"ttft":1,"tpot":1},"zero_tokens":"pass"}'; do
        echo "$base" >base.json
        goodput -q -c base.json --frontier ttft:150,400,933.25/tpot:15,33.5,50,70 --table frontier l.tsv >grid.tsv
        [ "$(wc -l <grid.tsv)" = 13 ]
        [ "$(head -n 1 grid.tsv)" = $'ttft_ms\ttpot_ms\taccepted\tacceptance\tgoodput_rps' ]
        tail -n +2 grid.tsv | while read -r ttft tpot accepted acceptance rps; do
            jq -c ".latency_ms.ttft = $ttft | .latency_ms.tpot = $tpot" base.json >pair.json
            [ "$(goodput -q -c pair.json l.tsv | jq -r '[.accepted, .acceptance.ratio, .rates.goodput_rps] | @tsv')" = "$accepted"$'\t'"$acceptance"$'\t'"$rps" ] || { echo "$base: $ttft $tpot"; exit 1; }
        done
    done
    # the cut of --duration holds in the cells too
    [ "$(goodput -q -g e2e:1e6 --duration 10 --frontier ttft:400/tpot:50 l.tsv | jq .frontier[0].accepted)" = \
        "$(goodput -q -g e2e:1e6,ttft:400,tpot:50 --duration 10 l.tsv | jq .accepted)" ]
    for bad in ttft:1 ttft:1/ttft:2 ttft:2,1/tpot:1 ttft:/tpot:1 ttft:1/tps:1 ttft:-1/tpot:1 ttft:1,/tpot:1 /; do
        refused 'goodput: --frontier: *' -g e2e:1 --frontier "$bad" l.tsv
    done
    ledger 'request outcome ttft_ns tail_tokens' 'a completed 1 5' >blind.tsv
    refused '*tells its tpot*' -g ttft:1 --frontier ttft:1/tpot:1 blind.tsv
}

@test "--quality-threshold: acceptance if the score decided" {
    ledger 'request outcome issued_ns ttft_ns' 'a completed 0 1' 'b completed 1000000000 1' 'c completed 2000000000 900000000' \
        'd completed 3000000000 1' 'e error 4000000000 -' >l.tsv
    ledger 'request score' 'a 0.9' 'b 0.5' 'c 1' >q.tsv
    echo '{"latency_ms":{"ttft":800},"quality":{"rule":".score >= 0.7","evaluator":"judge 2"}}' >c.json
    goodput -q -c c.json --quality q.tsv --quality-threshold 0.95,0.7,0.5 l.tsv >report.json
    [ "$(jq -c '.quality | [.scored, .judged, .unjudged], [.thresholds[] | [.threshold, .accepted, .acceptance, .goodput_rps]]' report.json | paste -sd' ')" = \
        '[3,3,1] [[0.95,0,0,0],[0.7,1,0.2,0.2],[0.5,2,0.4,0.4]]' ]
    # the rule's own threshold is one of them, and a threshold is what the rule would say
    [ "$(jq '.accepted == .quality.thresholds[1].accepted and .quality.evaluator.version == "2"' report.json)" = true ]
    jq -c '.quality.rule = ".score >= 0.5"' c.json >half.json
    [ "$(goodput -q -c half.json --quality q.tsv l.tsv | jq '[.accepted, .acceptance.ratio, .acceptance.binomial]')" = \
        "$(jq '.quality.thresholds[2] | [.accepted, .acceptance, .binomial]' report.json)" ]
    refused '*--quality-threshold*' -g ttft:800 --quality-threshold 0.5 l.tsv
    refused '*not X,...*' -c c.json --quality q.tsv --quality-threshold 0.5,x l.tsv
    goodput -q -c c.json --quality q.tsv --quality-threshold 0.5,0.7 --table quality.thresholds -o ndjson l.tsv >table.ndjson
    [ "$(jq -c .accepted table.ndjson | paste -sd' ')" = '2 1' ]
}

@test "--check-contract reads contracts only" {
    echo '{"latency_ms":{"e2el":5000.5}}' >c.json
    [ "$(goodput --check-contract -c c.json </dev/null)" = '{"latency_ms":{"e2e":5000.5},"not_applicable":"pass","zero_tokens":"fail","first":"any","primary":["quality","latency"]}' ]
    [ "$(goodput --check-contract c.json "$ROOT"/examples/contracts/*.json | wc -l)" = "$(($(ls "$ROOT"/examples/contracts/*.json | wc -l) + 1))" ]
    [ "$(goodput --check-contract -g ttft:5 -o tsv </dev/null | head -n 1)" = $'latency_ms.ttft\t5' ]
    # what it says is a contract, and the same one
    goodput --check-contract -c c.json >again.json
    [ "$(goodput --check-contract again.json)" = "$(cat again.json)" ]
    echo '{"percentiles_ms":{"ttft":{"p99":"fast"}}}' >c.json
    refused 'goodput: c.json: percentiles_ms.ttft.p99: not a number*' --check-contract c.json
    printf '{"a":\n1,}' >c.json
    refused 'goodput: c.json:2: *' --check-contract -c c.json
}

@test "the wait in the client is told by itself, and latencies from both ends of it" {
    ledger 'request outcome intended_ns issued_ns first_ns done_ns ttft_ns e2e_ns' \
        'a completed 0 0 100 200 100 200' 'b completed 10 60 160 260 150 250' 'c error 20 120 - 300 - 280' 'd completed - 30 40 50 10 20' >l.tsv
    goodput -q -g ttft:1 l.tsv >report.json
    [ "$(jq -c '.client_wait | [.n, .mean_ns, .p50_ns, .p90_ns, .p99_ns, .max_ns]' report.json)" = '[3,50,50,50,50,100]' ]
    [ "$(jq -c '.client_wait.ttft | [.intended.n, .intended.mean_ns, .sent.mean_ns]' report.json)" = '[2,125,100]' ]
    [ "$(jq -c '.client_wait.e2e | [.intended.max_ns, .sent.max_ns]' report.json)" = '[250,200]' ]
    cut -f 1,2,4- l.tsv >closed.tsv
    [ "$(goodput -q -g ttft:1 closed.tsv | jq .client_wait)" = null ]
}

@test "a cohort, its completion window and the whole run stand side by side" {
    ledger 'request outcome issued_ns done_ns e2e_ns' 'a completed 0 2500000000 2500000000' 'b completed 1000000000 1500000000 500000000' \
        'c completed 2000000000 9000000000 7000000000' 'd completed 3000000000 3500000000 500000000' 'e completed 9000000000 10000000000 1000000000' >l.tsv
    goodput -q -g e2e:9000 --cohort 2:4 l.tsv >report.json
    [ "$(jq -c '.cohort | [.rates.goodput_rps, .completion_window_rps, .whole_run_rps * 11.25]' report.json)" = '[1,1,5]' ]
    [ "$(goodput -q -g e2e:9000 --cohort 2:4 --drain 1 l.tsv | jq -c '.cohort | [.rates.goodput_rps, .completion_window_rps]')" = '[0.5,1]' ]
}

@test "overdispersion: one where requests are independent, the cluster size where they fail together" {
    # 40 clusters of 25, whole ones failing: variance of shares p(1-p) against p(1-p)/25
    { echo 'request outcome ttft_ns issued_ns'; for i in $(seq 0 999); do echo "r$i completed $((i / 25 % 2 ? 1 : 900000000)) $i"; done; } >rows
    ledger "$(cat rows)" >l.tsv
    [ "$(goodput -q -g ttft:800 --cluster 25 l.tsv | jq '.acceptance.overdispersion * 39 / 40 | round')" = 25 ]
    # exactly one in five of every cluster: less scatter than chance
    { echo 'request outcome ttft_ns issued_ns'; for i in $(seq 0 999); do echo "r$i completed $((i % 5 ? 1 : 900000000)) $i"; done; } >rows
    ledger "$(cat rows)" >even.tsv
    [ "$(goodput -q -g ttft:800 --cluster 25 even.tsv | jq '.acceptance.overdispersion')" = 0 ]
    # nobody fails: no variance to compare
    [ "$(goodput -q -g ttft:1000 l.tsv | jq '.acceptance.overdispersion')" = null ]
    goodput -q -g ttft:800 --cluster 25 l.tsv >a.json
    goodput -q -g ttft:800 --cluster 25 even.tsv >b.json
    [ "$(goodput --binomial 20,0.5 a.json b.json | jq -c '.observed | map([.file, .acceptance, .clusters, (.overdispersion | round)])')" = \
        '[["a.json",0.5,40,26],["b.json",0.8,40,0]]' ]
    [ "$(goodput --binomial 20,0.5 | jq 'has("observed")')" = false ]
}

@test "n = 20: the exact distribution, value by value" {
    # C(20,k) .8^k .2^(20-k), in integers: C(20,k) 4^k / 5^20
    goodput --binomial 20,0.8 >b.json
    jq -e 'def c(k): reduce range(0; k) as $i (1; . * (20 - $i) / ($i + 1));
        . as $r | [range(0; 21) | . as $k | (c($k) * pow(4; $k) / pow(5; 20)) as $p
            | ($r.pmf[$k] - $p) | fabs / ([$p, 1e-300] | max)] | max < 1e-12' b.json
    jq -e '.mean == 16 and (.sd - (3.2 | sqrt) | fabs) < 1e-15 and (.cdf[20] == 1) and ([.cdf, .pmf] | .[0][15] - (.[1][:16] | add) | fabs) < 1e-14' b.json
    goodput --binomial 20,0.5 >b.json
    jq -e 'def c(k): reduce range(0; k) as $i (1; . * (20 - $i) / ($i + 1));
        . as $r | .mean == 10 and ([range(0; 21) | ($r.pmf[.] - c(.) / 1048576) | fabs] | max < 1e-15)' b.json
    # as bars, the longest at the mean
    [ "$(goodput --binomial 20,0.8 | render | grep -c '█')" -ge 8 ]
}

@test "figures that look good for a bad reason are warned about" {
    { echo 'request outcome issued_ns done_ns ttft_ns output_tokens finish_reason'
      for i in $(seq 0 99); do echo "r$i completed $((i * 100000000)) $((i * 100000000 + 50000000)) 1 $((i < 20 ? 512 : i < 22 ? 0 : 100 + i)) stop"; done; } >rows
    ledger "$(cat rows)" >l.tsv
    [ "$(goodput -q -g ttft:1 l.tsv | jq -c '[.warnings[] | [.code, .value]]')" = '[["zero_token_replies","0.02"],["limit_called_stop","20"]]' ]
    # who says that the limit cut it is believed; replies of one length are a test's design
    sed 's/stop$/length/' l.tsv >length.tsv
    [ "$(goodput -q -g ttft:1 length.tsv | jq -c '[.warnings[].code]')" = '["zero_token_replies"]' ]
    awk -F'\t' -v OFS='\t' 'NR > 1 { $6 = 128 } 1' l.tsv >fixed.tsv
    [ "$(goodput -q -g ttft:1 fixed.tsv | jq -c .warnings)" = '[]' ]
    # ends without stamps count in the rate of tokens, and in no bin
    awk -F'\t' -v OFS='\t' 'NR > 2 { $4 = "" } NR > 1 { $6 = 100 + NR } 1' l.tsv >blind.tsv
    [ "$(goodput -q -g ttft:1 blind.tsv | jq -c '[.warnings[].code]')" = '["beyond_busiest_bin"]' ]
}

@test "the series per bin adds up to the run" {
    mixed >l.tsv
    goodput -q -g ttft:400 l.tsv >report.json
    jq -e 'def total(f): [.series[] | f * .s] | add;
        . as $r | (total(.offered_rps) - .offered | fabs) < 1e-6 and (total(.goodput_rps) - .accepted | fabs) < 1e-6 and .series[-1].in_flight == .dispositions.client_timeout' report.json
    goodput -q -g ttft:400 --table series l.tsv >series.tsv
    [ "$(head -n 1 series.tsv)" = $'t_s\ts\toffered_rps\tcompleted_rps\tgoodput_rps\ttokens_per_s\tin_flight' ]
    [ "$(tail -n +2 series.tsv | wc -l)" = "$(jq '.series | length' report.json)" ]
}

@test "a list of the report as a table" {
    mixed >l.tsv
    goodput -q -g ttft:400 --by tenant --table segments l.tsv >segments.tsv
    [ "$(head -n 1 segments.tsv | tr '\t' '\n' | grep -cE '^(by|segment|dispositions.accepted|rates.goodput_rps|latency.ttft.offered.p99_ns)$')" = 5 ]
    [ "$(datamash -sH sum offered <segments.tsv | tail -n 1)" = 400 ]
    refused "*no list 'nothing'*" -q -g ttft:400 --table nothing l.tsv
    refused "*no list 'rates'*" -q -g ttft:400 --table rates l.tsv
    refused '*about a report*' -g ttft:400 --table series -a l.tsv
}

@test "segments: a contradiction is named whichever way it goes, and rules with nothing to decide" {
    { echo 'request outcome ttft_ns tpot_ns tail_tokens tenant'
      for i in $(seq 20); do echo "a$i completed 1 1 9 chat"; done
      for i in $(seq 5); do echo "b$i completed 1 - 0 embed"; done; } >rows
    ledger "$(cat rows)" >l.tsv
    echo '{"latency_ms":{"ttft":800,"tpot":50},"acceptance_min":0.9}' >c.json
    goodput -q -c c.json --by tenant l.tsv >report.json
    [ "$(jq -c '[.segments[] | [.segment, .verdict, .without_rule]]' report.json)" = '[["chat","pass",[]],["embed","pass",["tpot"]]]' ]
    [ "$(jq -c '[.warnings[1:][] | [.code, .metric, .value]]' report.json)" = '[["segment_without_rule","tenant","embed"]]' ]
    # the segment a failing whole fails by
    for i in $(seq 20); do printf 'c%d\tcompleted\t900000000\t1\t9\tslow\n' "$i"; done >>l.tsv
    [ "$(goodput -q -c c.json --by tenant l.tsv | jq -c '[.verdict, (.warnings[] | select(.code == "fails_by_segment") | .value)]')" = '["fail","slow"]' ]
}

@test "render shows the grid, the scores and the wait" {
    mixed >l.tsv
    { echo 'request pass score'; for i in $(seq 0 399); do echo "r$i 1 0.$((i % 9 + 1))"; done; } >rows
    ledger "$(cat rows)" >q.tsv
    echo '{"latency_ms":{"e2e":9000},"quality":{"evaluator":"judge 2"}}' >c.json
    goodput -q -c c.json --quality q.tsv --quality-threshold 0.3,0.8 --frontier ttft:400,800/tpot:30,60 l.tsv >report.json
    render report.json >page
    grep -A 3 '^Acceptance at other targets' page | tail -n 1 | grep -qF "$(jq -r '.frontier[1].accepted' report.json) "
    [ "$(grep -A 3 '^Acceptance if the score decided' page | tail -n 2 | awk '{ print $1, $2 }' | paste -sd,)" = \
        "0.3000 $(jq '.quality.thresholds[0].accepted' report.json),0.8000 $(jq '.quality.thresholds[1].accepted' report.json)" ]
    grep -A 2 "^The client's own queue" page | tail -n 1 | grep -qE 'wait +schedule +400 '
    goodput -q -g e2e:9000 l.tsv | render | { ! grep -qE 'other targets|score decided'; }
}
