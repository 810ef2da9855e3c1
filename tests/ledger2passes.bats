#!/usr/bin/env bats
# What a super-pass is, and what a run says of itself.

load lib

setup() { L=$BATS_TEST_TMPDIR/ledger.tsv; }

# ledger COLUMNS ROW...: a plain table; cells of a row are comma-separated, '-' is a missing one
ledger() { printf '%s\n' "$@" | sed 's/,/\t/g; s/-\(\t\|$\)/\1/g'; }

# stream FACTS COLUMNS ROW...: the same as a stream of the suite's own
stream() {
    local facts=$1
    shift
    printf '#steadytools\tledger\t1\n#run\t%s\n' "$facts"
    ledger "$@"
    printf '#end\t{"rows":%d}\n' $(($# - 1))
}

# loop C N: N requests of a closed loop of C, each 100 long, issued as one before it ends; names ascend
loop() {
    awk -v c="$1" -v n="$2" 'BEGIN { print "request\toutcome\tissued_ns\tdone_ns"
        for (i = 0; i < n; i++) { s = int(i / c) * 100 + i % c; printf "r%06d\tcompleted\t%d\t%d\n", i, s, s + 100 } }'
}

# column NAME [ARGS]...: that column, a line per pass
column() {
    local name=$1
    shift
    ledger2passes -q -H "$@" | awk -F'\t' -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' | paste -sd' '
}

# fact JQ [ARGS]...: of #run
fact() {
    local program=$1
    shift
    ledger2passes -q "$@" | grep '^#run' | cut -f2 | jq -c "$program"
}

is() { [ "$1" = "$2" ] || { echo "'$1', not '$2'"; return 1; }; }

@test "the reference run, column by column" {
    need_shared examples/run.passes.tsv
    ledger2passes -n 40 "$SHARED/examples/run.ledger.tsv" >"$L"
    awk -F'\t' '
        function differ(a, b) { return a != b && !(a != "" && b != "" && a + 0 != 0 && (a - b) / a < 1e-9 && (b - a) / a < 1e-9) }
        /^#/ { next }
        FNR == NR && !head { head = NF; for (i = 1; i <= NF; i++) name[i] = $i; next }
        FNR == NR { for (i = 1; i <= NF; i++) want[$1, name[i]] = $i; rows++; next }
        !mine { mine = NF; for (i = 1; i <= NF; i++) at[$i] = i; next }
        { seen++
          for (i in name) {
              n = split(want[$1, name[i]], w, ","); m = split($(at[name[i]]), g, ",")
              bad = n != m
              for (k = 1; k <= n; k++) bad = bad || differ(w[k], g[k])
              if (bad) { print "pass " $1 ": " name[i]; wrong = 1 } } }
        END { if (wrong || seen != rows || rows != 33) exit 1 }' "$SHARED/examples/run.passes.tsv" "$L"
    want=$(grep '^#run' "$SHARED/examples/run.passes.tsv" | cut -f2 | jq -S 'del(.mode_evidence)')
    jq -en --argjson want "$want" --argjson got "$(grep '^#run' "$L" | cut -f2)" '
        def same(a; b): if (a | type) == "number" then (a - b) | fabs <= 1e-9 * (a | fabs) else a == b end;
        [$want | paths(scalars)] | all(. as $p | same($want | getpath($p); $got | getpath($p)))'
}

@test "a block runs to the next issue, and its requests to their end" {
    ledger request,outcome,issued_ns,done_ns,ttft_ns,tpot_ns,e2e_ns,input_tokens,output_tokens \
        r0,completed,0,400,100,10,400,7,31 r1,completed,100,800,150,10.5,700,9,56 r2,completed,500,900,100,12,400,8,26 >"$L"
    is "$(column full -s 2 "$L")" "1 0"
    is "$(column n_issued -s 2 "$L")" "2 1"
    is "$(column span_ns -s 2 "$L")" "500 0"
    is "$(column next_issue_ns -s 2 "$L")" "500 "
    is "$(column last_done_ns -s 2 "$L")" "800 900"
    is "$(column in_flight -s 2 "$L")" "2 2"
    is "$(column output_tokens -s 2 "$L")" "87 26"
    is "$(column tps -s 2 "$L")" "174000000 " # 87 tokens in 500 ns; no rate over no time
    is "$(column tpot_mean -s 2 "$L")" "10.25 12"
    is "$(column tpot_sd -s 2 "$L")" "0.25 0"
    is "$(column tpot_p90 -s 2 "$L")" "10 12" # sorted[floor(.9 * 1)]
    is "$(column isl_mean -s 2 "$L")" "8 8"
    is "$(column v_tpot -s 2 "$L")" "10,10.5 12"
    is "$(column v_seq -s 2 "$L")" "0,1 2"
    is "$(column active_pct -C 2 -m concurrency -s 2 "$L")" "100 100"
}

@test "who got no answer is counted and never a 0" {
    ledger request,outcome,issued_ns,done_ns,ttft_ns,tpot_ns,e2e_ns,output_tokens \
        a,completed,0,50,10,4,50,11 b,error,1,20,12,4,19,- c,unfinished,2,-,-,-,-,- d,rejected,3,4,-,-,1,- >"$L"
    is "$(column n_issued -s 4 "$L")" 4
    is "$(column n_done -s 4 "$L")" 3
    is "$(column n_ok -s 4 "$L")" 1
    is "$(column v_ttft -s 4 "$L")" "10,12,,"  # everyone with a first token
    is "$(column v_tpot -s 4 "$L")" "4,,,"     # the completed
    is "$(column v_e2e -s 4 "$L")" "50,,,"
    is "$(column v_osl -s 4 "$L")" "11,,,"
    is "$(column v_done -s 4 "$L")" "50,20,,4"
    is "$(column tpot_n -s 4 "$L")" 1
    is "$(column ttft_n -s 4 "$L")" 2
    is "$(fact .counts.outcomes -s 4 "$L")" '{"completed":1,"error":1,"rejected":1,"timeout":0,"cancelled":0,"unfinished":1}'
    # no count anywhere: no tokens, not none
    cut -f1-7 "$L" >"$L.bare"
    is "$(column output_tokens -s 4 "$L.bare")" ""
    is "$(column tps -s 4 "$L.bare")" ""
    is "$(fact .total.output_tokens -s 4 "$L.bare")" null
}

@test "untracked requests are in no pass" {
    ledger request,outcome,tracked,issued_ns,done_ns a,completed,0,0,5 b,completed,1,10,15 c,completed,1,20,25 >"$L"
    is "$(column n_issued -s 2 "$L")" 2
    is "$(fact '[.n_issued, .first_issue_ns, .counts.untracked]' -s 2 "$L")" "[2,10,1]"
}

@test "spans of all passes add up to the issue span, members to the requests" {
    loop 7 500 >"$L"
    is "$(column span_ns -s 33 "$L" | tr ' ' '\n' | paste -sd+ | bc)" "$(awk 'END { print $3 }' "$L")"
    is "$(column n_issued -s 33 "$L" | tr ' ' '\n' | paste -sd+ | bc)" 500
    is "$(column v_seq -s 33 "$L" | tr ' ,' '\n\n' | sort -n | uniq | wc -l)" 500
    is "$(fact .n_full -s 33 "$L")" 15
}

# prompts HASH...: a closed loop of one, request i with that prompt
prompts() {
    printf 'request\toutcome\tissued_ns\tdone_ns\tinput_hash\n'
    local i=0
    for h in "$@"; do
        printf 'r%03d\tcompleted\t%d\t%d\t%s\n' $i $((i * 10)) $((i * 10 + 9)) "${h#-}"
        i=$((i + 1))
    done
}

@test "the dataset is the smallest block that comes again, in any order" {
    prompts a b c c a b b a c >"$L"
    is "$(fact '[.dataset_size, .size, .size_from]' "$L")" '[3,3,"detected"]'
    prompts a b a c a a b c b a c a >"$L" # a twice: a multiset, not a set
    is "$(fact .dataset_size "$L")" 4
    prompts a b c d a b c e >"$L"
    run --separate-stderr ledger2passes "$L"
    [ "$status" = 0 ] && [[ $stderr == *"mix of work is not controlled"* ]]
    is "$(fact '[.dataset_size, .size, .size_from]' "$L")" '[null,1,"assumed"]'
    prompts - - - - - - >"$L" # nobody knows, and unknown is not equal
    is "$(fact .dataset_size "$L")" null
}

@test "a repetition that does not last is said" {
    prompts a b b a c d e f >"$L"
    run --separate-stderr ledger2passes "$L"
    [ "$status" = 0 ] && [[ $stderr == *"only 2 of 4 passes of 2 requests"* ]]
}

@test "the size: S, else K times N, else a 40th but no less than C" {
    loop 5 400 >"$L"
    is "$(fact '[.size, .k, .size_from]' -s 17 -n 40 -k 3 "$L")" '[17,null,"size"]'
    is "$(fact '[.size, .k, .size_from]' -n 40 -k 3 "$L")" '[120,3,"dataset"]'
    is "$(fact '[.size, .k]' -n 2 "$L")" '[6,3]' # ceil(5 / 2) passes hold what is in flight
    is "$(fact '[.size, .k]' -n 2 -C 9 "$L")" '[10,5]'
    is "$(fact '[.size, .size_from]' "$L")" '[10,"assumed"]'
    is "$(fact .size -C 25 "$L")" 25
    loop 5 401 >"$L"
    is "$(fact .size "$L")" 11
}

@test "fewer requests than the dataset is said" {
    loop 3 30 >"$L"
    is "$(fact '[.partial_dataset, .n_full]' -n 31 "$L")" "[true,0]"
    is "$(fact '[.partial_dataset, .n_full]' -n 30 "$L")" "[false,1]"
    is "$(column full -n 31 "$L")" 0
}

@test "a cap that holds is concurrency, and its height is C" {
    loop 7 300 >"$L"
    is "$(fact '[.mode, .concurrency, .mode_evidence.from]' "$L")" '["concurrency",7,"detected"]'
    is "$(fact '[.mode_evidence.issues, .mode_evidence.at_max, .mode_evidence.max_in_flight]' "$L")" "[293,293,7]"
    is "$(fact '[.mode, .mode_evidence.from]' -m poisson "$L")" '["poisson","option"]'
}

@test "a cap that is seldom reached is still one: 1 % and 20 issues" {
    # 100 long, one in 40 arrives while the one before it is open: pairs at the maximum of 2
    dawdle() { awk -v n="$1" -v every="$2" 'BEGIN { print "request\toutcome\tissued_ns\tdone_ns"; t = 0
        for (i = 0; i < n; i++) { printf "r%05d\tcompleted\t%d\t%d\n", i, t, t + 100; t += i % every == 1 ? 50 : 200 } }'; }
    dawdle 800 40 >"$L" # 20 of 799
    is "$(fact '[.mode, .concurrency, .mode_evidence.at_max]' "$L")" '["concurrency",2,20]'
    dawdle 760 40 >"$L" # 19
    is "$(fact '[.mode, .concurrency, .mode_evidence.at_max]' "$L")" '["poisson",null,19]'
    dawdle 2300 110 >"$L" # 21 of 2299: under 1 %
    is "$(fact '[.mode, .mode_evidence.at_max]' "$L")" '["poisson",21]'
}

@test "a request too many leaves a cap a cap, said with the evidence, from a file and from a pipe" {
    loop 9 300 >"$L"
    awk -F'\t' -v OFS='\t' '{ print } NR == 150 { $1 = $1 "b"; print }' "$L" >"$L.twice"
    is "$(fact '[.mode, .concurrency, .mode_evidence.max_in_flight]' "$L.twice")" '["concurrency",9,10]'
    is "$(fact '.mode_evidence | [.cap, .at_cap > 280]' "$L.twice")" '[9,true]'
    ledger2passes "$L.twice" 2>&1 >/dev/null | grep -q '10 requests were in flight at once, more than the concurrency of 9'
    is "$(ledger2passes -n 30 2>/dev/null <"$L.twice" | sed -n 's/^#end.//p' | jq -c '[.run.mode, .run.concurrency]')" '["concurrency",9]'
    is "$(fact '.mode_evidence | has("cap")' "$L")" false
    # where chance may look like that: a loop of one with an overlap
    loop 1 300 >"$L"
    awk -F'\t' -v OFS='\t' '{ print } NR == 150 { $1 = $1 "b"; print }' "$L" >"$L.twice"
    is "$(fact .mode "$L.twice")" '"poisson"'
}

@test "an end comes before an issue of the same stamp" {
    ledger request,outcome,issued_ns,done_ns a,completed,0,10 b,completed,10,20 c,completed,20,30 d,completed,30,40 >"$L"
    is "$(column in_flight -s 1 "$L")" "1 1 1 1"
    is "$(fact '[.fill.n, .in_flight_at_first_done]' -s 1 "$L")" "[1,1]"
}

@test "nothing issued after an end is no cap" {
    ledger request,outcome,issued_ns,done_ns a,completed,0,1000 b,completed,100,1000 c,completed,900,1000 >"$L"
    is "$(fact '[.mode, .mode_evidence.issues]' "$L")" '["poisson",0]'
}

@test "99 % of the issues in the first 1 % of the time is offline" {
    burst() { awk -v late="$1" 'BEGIN { print "request\toutcome\tissued_ns\tdone_ns"
        for (i = 0; i < 200; i++) printf "r%03d\tcompleted\t%d\t%d\n", i, i < 200 - late ? i % 100 : 500, 50 * (i + 1) + 0 }'; }
    burst 2 >"$L"
    is "$(fact '[.mode, .mode_evidence.early_share]' "$L")" '["offline",0.99]'
    burst 3 >"$L"
    is "$(fact .mode "$L")" '"poisson"'
}

@test "a conversation that comes back, or a later turn, is agentic" {
    ledger request,outcome,issued_ns,done_ns,conversation,turn a,completed,0,9,x,- b,completed,10,19,y,- c,completed,20,29,z,- >"$L"
    is "$(fact .mode "$L")" '"concurrency"'
    sed 's/\tz\t/\tx\t/' "$L" >"$L.back"
    is "$(fact .mode "$L.back")" '"agentic"'
    sed 's/\tz\t/\tz\t2/' "$L" >"$L.turn"
    is "$(fact .mode "$L.turn")" '"agentic"'
    is "$(column n_issued -s 2 "$L.turn")" "2 1"
}

# arrivals SERVICE_NS: one every 100 ns, served one after another
arrivals() {
    awk -v service="$1" 'BEGIN { print "request\toutcome\tissued_ns\tdone_ns"; free = 0
        for (i = 0; i < 400; i++) { s = i * 100 + (i * 7919) % 13; if (free < s) free = s; free += service
            printf "r%03d\tcompleted\t%d\t%d\n", i, s, free } }'
}

@test "open load that piles up is a backlog" {
    arrivals 80 >"$L"
    is "$(fact '[.mode, .backlog]' -m poisson "$L")" '["poisson",false]'
    arrivals 130 >"$L"
    is "$(fact '[.mode, .backlog]' -m poisson "$L")" '["poisson",true]'
    is "$(fact .backlog -m concurrency "$L")" false
    arrivals 103 >"$L" # 3 % short: ends are 97 % of the issues
    is "$(fact .backlog -m poisson "$L")" false
}

@test "the fill set, and when 90 % of it had ended" {
    loop 10 50 >"$L"
    is "$(fact .fill "$L")" '{"n":10,"ended90_ns":108}' # sorted[floor(.9 * 9)] of 100..109
    ledger request,outcome,issued_ns,done_ns a,completed,0,10 b,unfinished,1,- c,completed,20,30 >"$L"
    is "$(fact .fill -s 1 "$L")" '{"n":2,"ended90_ns":10}'
    ledger request,outcome,issued_ns,done_ns a,unfinished,0,- b,unfinished,1,- >"$L"
    is "$(fact .fill -s 1 "$L")" '{"n":2,"ended90_ns":null}'
}

@test "offline passes are bins of completion time" {
    ledger request,outcome,issued_ns,done_ns,output_tokens \
        a,completed,1000,1010,5 b,completed,1000,1099,7 c,error,1000,1100,- d,completed,1000,1310,3 e,unfinished,1000,-,- >"$L"
    bins="-m offline --bin-s 0.0000001"
    is "$(column n_issued $bins "$L")" "2 1 0 1"
    is "$(column n_done $bins "$L")" "2 1 0 1"
    is "$(column n_ok $bins "$L")" "2 0 0 1"
    is "$(column full $bins "$L")" "1 1 1 0"
    is "$(column first_issue_ns $bins "$L")" "1000 1100 1200 1300"
    is "$(column next_issue_ns $bins "$L")" "1100 1200 1300 1310"
    is "$(column span_ns $bins "$L")" "100 100 100 10"
    is "$(column in_flight $bins "$L")" "   "
    is "$(column output_tokens $bins "$L")" "12  0 3" # not recorded is missing, none ended is none
    is "$(column rps $bins "$L")" "20000000 10000000 0 100000000"
    is "$(column v_seq $bins "$L")" "0,1 2  3"
    is "$(fact '[.bin_ns, .size, .n_full, .size_from]' $bins "$L")" '[100,null,3,"bins"]'
    is "$(fact .bin_ns -m offline "$L")" 10 # a 30th of 310
    awk -F'\t' -v OFS='\t' '{ if (NR > 1) { $3 = $3 "0000000000"; if ($4) $4 = $4 "0000000000" } print }' "$L" >"$L.long"
    is "$(fact .bin_ns -m offline "$L.long")" 60000000000
}

@test "order in the file does not matter, equal stamps go by name" {
    { printf '#steadytools\tledger\t1\n'; loop 6 240; printf '#end\t{"rows":240}\n'; } >"$L"
    ledger2passes -s 20 "$L" >"$L.want"
    { head -n 2 "$L"; sed '1,2d;$d' "$L" | sort -t "$(printf '\t')" -k4,4; tail -n 1 "$L"; } >"$L.mixed"
    ledger2passes -s 20 "$L.mixed" | cmp - "$L.want"
    ledger request,outcome,issued_ns,done_ns b,completed,5,7 c,completed,0,9 a,completed,5,8 >"$L"
    is "$(column v_done -s 3 "$L")" "9,8,7"
}

# split FILE N FACTS: its rows dealt to N ledgers FILE.0 …
split() {
    local i
    for ((i = 0; i < $2; i++)); do
        { printf '#steadytools\tledger\t1\n#run\t%s\n' "$3"; head -n 1 "$1"; sed 1d "$1" | awk -v n="$2" -v i=$i 'NR % n == i'; } >"$1.$i"
        echo "#end	{\"rows\":$(($(wc -l <"$1.$i") - 3))}" >>"$1.$i"
    done
}

@test "shards are merged by issue, then name" {
    { loop 6 120; loop 6 120 | sed '1d; s/^r/q/'; } >"$L.both" # every stamp twice
    { head -n 1 "$L.both"; sed 1d "$L.both" | sort -t "$(printf '\t')" -k3,3n -k1,1; } >"$L"
    split "$L" 3 '{"clock":"epoch"}'
    ledger2passes -H -s 20 "$L" >"$L.want"
    ledger2passes -H -s 20 "$L.0" "$L.1" "$L.2" | cmp - "$L.want"
    ledger2passes -H -s 20 "$L.2" "$L.0" "$L.1" | cmp - "$L.want"
    run --separate-stderr ledger2passes -s 20 "$L.0" "$L.1" "$L.2"
    [ "$status" = 0 ] && [ -z "$stderr" ]
    is "$(fact '[.counts.ledgers, .counts.rows, .counts.duplicates]' "$L.0" "$L.1" "$L.2")" "[3,240,0]"
}

@test "a name in two shards is two requests, and said" {
    loop 2 20 >"$L"
    split "$L" 1 '{"clock":"epoch"}'
    run --separate-stderr ledger2passes -s 5 "$L.0" "$L.0"
    [ "$status" = 0 ] && [[ $stderr == *"in this ledger or another, each counted: 20"* ]]
    is "$(fact '[.n_issued, .counts.duplicates]' -s 5 "$L.0" "$L.0")" "[40,20]"
}

@test "clocks of their own are not merged, unless ledgers are moved to a common start" {
    loop 2 20 >"$L"
    split "$L" 1 '{"clock":"monotonic"}'
    sed 's/monotonic/epoch/' "$L.0" >"$L.epoch"
    for pair in "$L.0 $L.0" "$L.0 $L.epoch" "$L $L"; do
        run --separate-stderr ledger2passes -s 5 $pair
        [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *"--align start"* ]]
    done
    awk -F'\t' -v OFS='\t' 'FNR > 1 { $1 = "x" $1; $3 += 5000; $4 += 5000 } { print }' "$L" >"$L.later"
    is "$(fact '[.first_issue_ns, .last_issue_ns, .last_event_ns, .n_issued]' --align start "$L" "$L.later")" "[0,901,1001,40]"
    is "$(column v_done --align start -s 4 "$L" "$L.later" | cut -d' ' -f1)" "100,100,101,101"
    is "$(fact .concurrency --align start "$L" "$L.later")" 4
}

@test "unlike definitions are not merged; windows and marks are" {
    facts='{"clock":"epoch","definitions":{"tpot_end":"last"}}'
    stream "$facts" request,outcome,issued_ns,done_ns a,completed,0,9 >"$L"
    stream "${facts/last/done}" request,outcome,issued_ns,done_ns b,completed,1,9 >"$L.other"
    run --separate-stderr ledger2passes "$L" "$L.other"
    [ "$status" = 2 ] && [[ $stderr == *definitions* ]]
    stream '{"clock":"epoch","tracking_start_ns":5,"tracking_stop_ns":50,"truncated":false,"x":1}' request,outcome,issued_ns a,completed,0 >"$L"
    stream '{"clock":"epoch","tracking_start_ns":3,"tracking_stop_ns":40,"truncated":true,"x":2}' request,outcome,issued_ns b,completed,1 >"$L.other"
    is "$(fact '[.tracking_start_ns, .tracking_stop_ns, .truncated, .partial, .x, .clock]' "$L" "$L.other")" '[3,50,true,true,null,"epoch"]'
}

@test "where nothing has to be found out, passes leave as the rows come" {
    loop 2 8 >"$L"
    mkfifo "$L.pipe"
    ledger2passes -s 2 -m concurrency -C 2 <"$L.pipe" >"$L.out" &
    exec 9>"$L.pipe"
    { printf '#steadytools\tledger\t1\nseq\t'; head -n 6 "$L" | awk -F'\t' -v OFS='\t' 'NR > 1 { $0 = NR - 2 OFS $0 } { print }'; } >&9
    for _ in $(seq 50); do
        grep -q '^1	' "$L.out" && break
        sleep 0.1
    done
    seen=$(grep -c '^[0-9]' "$L.out" || true)
    exec 9>&-
    wait $!
    is "$seen" 2 # of five rows; the fifth closes the second pass
    is "$(grep -c '^[0-9]' "$L.out")" 3
    tail -n 1 "$L.out" | cut -f2 | jq -e '.rows == 3 and .run.n_issued == 5 and .run.n_full == 2 and .run.total.n_issued == 5 and .run.partial'
}

@test "streamed or held, the passes and the facts are the same" {
    loop 3 60 | awk -F'\t' -v OFS='\t' '{ print (NR == 1 ? "seq" : NR - 2), $0 }' >"$L"
    { printf '#steadytools\tledger\t1\n'; cat "$L"; printf '#end\t{"rows":60}\n'; } >"$L.stream"
    for o in "-s 7 -m poisson" "-n 4 -C 3 -m concurrency" "-n 4 -k 2 -C 3 -m concurrency"; do
        ledger2passes $o "$L.stream" >"$L.held"
        cat "$L.stream" | ledger2passes $o >"$L.streamed"
        ! cmp -s "$L.held" "$L.streamed" # the header cannot know what the trailer does
        diff <(grep -v '^#run' "$L.held") <(grep -v '^#run' "$L.streamed")
    done
    { head -n 2 "$L.stream"; sed '1,2d;$d' "$L.stream" | tac; tail -n 1 "$L.stream"; } >"$L.back"
    ledger2passes -s 7 -m poisson "$L.back" | diff <(grep -v '^#run' <(ledger2passes -s 7 -m poisson "$L.stream")) <(grep -v '^#run' -)
    cat "$L.back" | ledger2passes -s 7 -m poisson | diff <(ledger2passes -s 7 -m poisson "$L.back") - # seen before a pass was cut
    { head -n 40 "$L.stream"; sed '1,40d;$d' "$L.stream" | tac; tail -n 1 "$L.stream"; } >"$L.late"
    run --separate-stderr bash -c "cat '$L.late' | ledger2passes -s 7 -m poisson"
    [ "$status" = 2 ] && [[ $stderr == *"out of order"* ]]
    ledger2passes -s 7 -m poisson "$L.late" | diff <(grep -v '^#run' <(ledger2passes -s 7 -m poisson "$L.stream")) <(grep -v '^#run' -)
}

@test "runs are not mixed" {
    ledger request,outcome,issued_ns,done_ns,run a,completed,0,5,x b,error,2,9,y c,completed,30,80,x d,completed,40,60,y >"$L"
    run --separate-stderr ledger2passes -s 1 "$L"
    [ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *":3: "*"--by run"* ]]
    is "$(column v_done --by run=x -s 2 "$L")" "5,80"
    is "$(fact '[.n_issued, .counts.rows]' --by run=x -s 2 -m poisson "$L")" "[2,2]"
    is "$(column run --by run -s 1 -m poisson "$L")" "x x y y"
    is "$(column pass --by run -s 1 -m poisson "$L")" "0 1 2 3"
    is "$(column v_seq --by run -s 1 -m poisson "$L")" "0 1 0 1"
    is "$(fact '[.runs[] | .run, .n_issued, .last_event_ns]' --by run -s 1 -m poisson "$L")" '["x",2,80,"y",2,60]'
    for bad in run=z tenant run=; do
        run --separate-stderr ledger2passes --by $bad "$L"
        [ "$status" = 2 ] && [ -z "$output" ] && [ -n "$stderr" ]
    done
}

@test "without times of day there are blocks, and no rates" {
    ledger request,outcome,ttft_ns,tpot_ns,output_tokens b,completed,9,3,4 a,completed,8,5,6 c,completed,7,4,2 >"$L"
    is "$(fact '[.no_times, .mode, .first_issue_ns, .total.tps]' -s 2 "$L")" '[true,"poisson",null,null]'
    is "$(column v_ttft -s 2 "$L")" "9,8 7" # the file's order
    is "$(column span_ns -s 2 "$L")" " "
    is "$(column tps -s 2 "$L")" " "
    is "$(column in_flight -s 2 "$L")" " "
    is "$(column n_done -s 2 "$L")" "2 1"
}

@test "one request without a stamp among others is left out, and said" {
    ledger request,outcome,issued_ns,done_ns a,completed,0,5 b,completed,-,- c,completed,9,12 >"$L"
    run --separate-stderr ledger2passes -s 2 "$L"
    [ "$status" = 0 ] && [[ $stderr == *"without an issue stamp, in no pass: 1"* ]]
    is "$(fact '[.n_issued, .counts.tracked, .counts.unplaced]' -s 2 "$L")" "[2,3,1]"
}

@test "stamps at both ends of int64" {
    ledger request,outcome,issued_ns,done_ns a,completed,-9223372036854775807,-9223372036854775806 b,completed,9223372036854775806,9223372036854775807 >"$L"
    is "$(fact '[.mode, .total.span_ns]' -s 1 "$L")" '["concurrency",null]'
    is "$(column first_issue_ns -s 1 "$L")" "-9223372036854775807 9223372036854775806"
    is "$(column span_ns -s 1 "$L")" " 0"
    ledger request,outcome,issued_ns,output_tokens a,completed,0,-4 >"$L"
    run --separate-stderr ledger2passes "$L"
    [ "$status" = 2 ] && [[ $stderr == *":2: column 'output_tokens'"* ]]
}

@test "options out of range are status 2" {
    loop 2 10 >"$L"
    for bad in "-n 0" "-n 1.5" "-k -1" "-s 0" "-C 0" "-m agentic" "--align end" "--bin-s 0" "-m offline --bin-s 1e-9"; do
        sed 's/\t\([0-9]*\)$/\t\1000000/' "$L" >"$L.long"
        run --separate-stderr ledger2passes $bad "$L.long"
        [ "$status" = 2 ] && [ -z "$output" ] && [ -n "$stderr" ] || { echo "$bad: $status"; false; }
    done
}

@test "of a ledger of several runs, the facts of the run that is taken are the run's" {
    printf '#steadytools\tledger\t1\n#run\t{"runs":[{"run":1,"name":"a","target_rps":5},{"run":2,"name":"b"}]}\nrequest\ttracked\toutcome\tissued_ns\tdone_ns\trun\nx\t1\tcompleted\t1\t5\t1\ny\t1\tcompleted\t2\t6\t2\n#end\t{"rows":2}\n' >"$BATS_TEST_TMPDIR/two.tsv"
    run bash -c "ledger2passes -q --by run=1 -s 1 '$BATS_TEST_TMPDIR/two.tsv' | warmcrop -q --count 0 | plateau -q | jq -c '[.run.name, .run.target_rps, .run.runs]'"
    [ "$output" = '["a",5,null]' ]
    run bash -c "ledger2passes -q --by run -s 1 '$BATS_TEST_TMPDIR/two.tsv' | plateau -q"
    [ "$status" = 2 ] && [[ $output == *"several runs"* ]]
}
