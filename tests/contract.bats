#!/usr/bin/env bats
# What every tool of the suite promises, whatever it is fed.

load lib

setup_file() { small_run "$BATS_FILE_TMPDIR"; }

setup() { D=$BATS_FILE_TMPDIR; }

# fails TOOL WHAT: says which tool broke the promise
fails() {
    echo "$1: $2; status ${status:-?}"
    echo "${output:-}"
    echo "${stderr:-}"
    return 1
}

one_line() { [ "$(printf '%s\n' "$stderr" | grep -c .)" = 1 ]; }

@test "help and version go to stdout and are complete" {
    for t in $TOOLS; do
        run --separate-stderr "$t" --help
        [ "$status" = 0 ] && [ -n "$output" ] && [ -z "$stderr" ] || fails "$t" "--help"
        help=$output
        while IFS='|' read -r _ name _; do
            [[ $help == *"--$name"* ]] || fails "$t" "--help does not name --$name"
        done < <("$t" --list-options | tr '\t' '|')
        run "$t" --version
        [ "$status" = 0 ] && [[ $output == "$t (steadytools) "* ]] || fails "$t" "--version"
    done
}

@test "a letter means the same in every tool" {
    for t in $TOOLS; do "$t" --list-options; done | awk -F'\t' '$1 != "" { print $1 "\t" $2 }' | sort -u | cut -f1 | uniq -d >"$BATS_TEST_TMPDIR/twice"
    [ ! -s "$BATS_TEST_TMPDIR/twice" ] || { cat "$BATS_TEST_TMPDIR/twice"; false; }
}

@test "a usage error is status 2, on stderr only" {
    for t in $TOOLS; do
        for bad in --nonsense "-o xml" "--output" "-Z"; do
            # shellcheck disable=SC2086
            run --separate-stderr "$t" $bad "$D/$t.in"
            [ "$status" = 2 ] && [ -z "$output" ] && [ -n "$stderr" ] || fails "$t" "$bad"
        done
    done
}

@test "a missing file and a directory are status 2 and one line that names them" {
    for t in $TOOLS; do
        for bad in "$D/absent" "$D"; do
            run --separate-stderr $(line_of "$t") "$bad"
            [ "$status" = 2 ] && [ -z "$output" ] && one_line && [[ $stderr == "$t: $bad"* ]] || fails "$t" "$bad"
        done
    done
}

@test "empty input is status 2 and one line" {
    : >"$BATS_TEST_TMPDIR/empty"
    printf '\n\n' >"$BATS_TEST_TMPDIR/blank"
    for t in $TOOLS; do
        for f in empty blank; do
            run --separate-stderr $(line_of "$t") "$BATS_TEST_TMPDIR/$f"
            [ "$status" = 2 ] && [ -z "$output" ] && one_line || fails "$t" "$f input"
        done
    done
}

@test "a header without rows is a result, not an error" {
    printf '{"event_type":"session.started","timestamp_ns":1}\n{"event_type":"session.ended","timestamp_ns":2}\n' >"$BATS_TEST_TMPDIR/ev2ledger.in"
    for t in ledger2passes goodput warmcrop tailguard plateau; do
        grep -v '^[r0-9]' "$D/$t.in" | sed 's/"rows":[0-9]*/"rows":0/' >"$BATS_TEST_TMPDIR/$t.in"
    done
    for t in ev2ledger ledger2passes goodput warmcrop tailguard plateau; do
        run --separate-stderr $(line_of "$t") "$BATS_TEST_TMPDIR/$t.in"
        [ "$status" = 0 ] && [ -n "$output" ] || fails "$t" "header only"
    done
    plateau "$BATS_TEST_TMPDIR/plateau.in" | jq -e '.verdict == "not_assessed"'
}

@test "CR LF reads as LF, with one warning" {
    for t in $TOOLS; do
        sed 's/$/\r/' "$D/$t.in" >"$BATS_TEST_TMPDIR/crlf"
        $(line_of "$t") - <"$D/$t.in" >"$BATS_TEST_TMPDIR/want" 2>/dev/null
        run --separate-stderr bash -c "$(line_of "$t") - <'$BATS_TEST_TMPDIR/crlf' | cmp - '$BATS_TEST_TMPDIR/want'"
        [ "$status" = 0 ] || fails "$t" "CR LF changes the result"
        [ "$t" = render ] || [ "$(grep -c 'CRLF' <<<"$stderr")" = 1 ] || fails "$t" "one warning of CR LF"
    done
}

@test "a last line without newline is read" {
    for t in $TOOLS; do
        head -c -1 "$D/$t.in" >"$BATS_TEST_TMPDIR/cut"
        $(line_of "$t") - <"$D/$t.in" >"$BATS_TEST_TMPDIR/want" 2>/dev/null
        run --separate-stderr bash -c "$(line_of "$t") - <'$BATS_TEST_TMPDIR/cut' | cmp - '$BATS_TEST_TMPDIR/want'"
        [ "$status" = 0 ] || fails "$t" "no last newline"
    done
}

@test "a full disk is status 2 and one line" {
    for t in $TOOLS; do
        run --separate-stderr bash -c "$(line_of "$t") -q '$D/$t.in' >/dev/full"
        [ "$status" = 2 ] && one_line && [[ $stderr == *"No space left"* ]] || fails "$t" "/dev/full"
    done
    for t in $TOOLS; do
        run --separate-stderr bash -c "$t --help >/dev/full"
        [ "$status" = 2 ] && one_line || fails "$t" "--help to /dev/full"
    done
}

@test "a closed reader ends a tool silently" {
    for t in $TOOLS; do
        run --separate-stderr bash -c "set -o pipefail; $(line_of "$t") -q '$D/$t.in' | true"
        { [ "$status" = 141 ] || [ "$status" = 0 ]; } && [ -z "$stderr" ] || fails "$t" "closed reader"
    done
}

@test "a closed stdout is status 2" {
    for t in $TOOLS; do
        run --separate-stderr bash -c "$(line_of "$t") -q '$D/$t.in' >&-"
        [ "$status" = 2 ] && one_line || fails "$t" "closed stdout"
    done
}

@test "a malformed row is status 2 and names file and line, never its content" {
    for t in ledger2passes goodput warmcrop tailguard plateau; do
        # a row cut to two cells, at its line
        awk -F'\t' -v OFS='\t' '/^(r[0-9]|[0-9])/ && !done { print $1, "SECRET"; done = 1; next } { print }' "$D/$t.in" >"$BATS_TEST_TMPDIR/bad"
        line=$(grep -n SECRET "$BATS_TEST_TMPDIR/bad" | cut -d: -f1)
        run --separate-stderr $(line_of "$t") "$BATS_TEST_TMPDIR/bad"
        [ "$status" = 2 ] && one_line && [[ $stderr == "$t: $BATS_TEST_TMPDIR/bad:$line: "* ]] && [[ $stderr != *SECRET* ]] || fails "$t" "malformed row"
        # a number that is none
        sed -E 's/^(r00|0)\t0\t1\t/\1\t0\t1\t/; s/\t(1000000000)\t/\tSECRET\t/' "$D/$t.in" >"$BATS_TEST_TMPDIR/bad"
        run --separate-stderr $(line_of "$t") "$BATS_TEST_TMPDIR/bad"
        [ "$status" = 2 ] && [[ $stderr == *"$BATS_TEST_TMPDIR/bad:"* ]] && [[ $stderr != *SECRET* ]] || fails "$t" "not a number"
    done
    run --separate-stderr ev2ledger <(cat "$D/ev2ledger.in"; echo '{"event_type":"SECRET')
    [ "$status" = 0 ] && [[ $stderr == *":77: "* ]] && [[ $stderr != *SECRET* ]] || fails ev2ledger "malformed line"
    run --separate-stderr ev2ledger --strict <(cat "$D/ev2ledger.in"; echo '{"event_type":"SECRET')
    [ "$status" = 2 ] || fails ev2ledger "--strict"
    run --separate-stderr render <(echo '{"kind":"SECRET')
    [ "$status" = 2 ] && [[ $stderr != *SECRET* ]] || fails render "malformed report"
}

@test "NUL bytes are an error or a malformed line, never a crash" {
    for t in $TOOLS; do
        { head -n 4 "$D/$t.in"; printf 'a\0b\tc\n'; tail -n +5 "$D/$t.in"; } >"$BATS_TEST_TMPDIR/nul"
        run --separate-stderr $(line_of "$t") "$BATS_TEST_TMPDIR/nul"
        [ "$status" = 2 ] || { [ "$t" = ev2ledger ] && [ "$status" = 0 ]; } || fails "$t" "NUL bytes"
    done
}

@test "another kind of stream is refused by name" {
    for t in ledger2passes goodput; do
        run --separate-stderr $(line_of "$t") "$D/plateau.in"
        [ "$status" = 2 ] && one_line && [[ $stderr == *passes* ]] || fails "$t" "passes instead of a ledger"
    done
    for t in warmcrop tailguard plateau; do
        run --separate-stderr "$t" "$D/goodput.in"
        [ "$status" = 2 ] && one_line && [[ $stderr == *ledger* ]] || fails "$t" "a ledger instead of passes"
    done
}

@test "unknown columns pass through unchanged" {
    for t in warmcrop tailguard "goodput -g ttft:60 -a"; do
        name=${t%% *}
        awk -F'\t' -v OFS='\t' '/^#/ { print; next } { print $0, (seen++ ? "x\\u0007 \"y" : "my column") }' "$D/$name.in" >"$BATS_TEST_TMPDIR/more"
        run --separate-stderr bash -c "$t '$BATS_TEST_TMPDIR/more' -o ndjson | tail -n 2 | head -n 1 | jq -r '.\"my column\"'"
        [ "$status" = 0 ] && [ "$output" = 'x\u0007 "y' ] || fails "$t" "unknown column, as NDJSON"
        run --separate-stderr bash -c "$t '$BATS_TEST_TMPDIR/more' -o ndjson | $t -o tsv | $t -o ndjson | tail -n 2 | head -n 1 | jq -r '.\"my column\"'"
        [ "$status" = 0 ] && [ "$output" = 'x\u0007 "y' ] || fails "$t" "unknown column, there and back"
    done
}

@test "TSV and NDJSON carry the same" {
    for t in ev2ledger "ledger2passes -n 4" warmcrop tailguard "goodput -g ttft:60 -a" plateau "goodput -g ttft:60"; do
        name=${t%% *}
        $t "$D/$name.in" -o tsv >"$BATS_TEST_TMPDIR/a.tsv" 2>/dev/null
        $t "$D/$name.in" -o ndjson >"$BATS_TEST_TMPDIR/a.ndjson" 2>/dev/null
        case $name in
        ev2ledger) next="goodput -g ttft:60,tpot:25 -a" ;;
        ledger2passes) next=warmcrop ;;
        warmcrop) next=tailguard ;;
        tailguard) next=plateau ;;
        goodput) [[ $t == *-a ]] && next="ledger2passes -n 4" || next="render -f json" ;;
        plateau) next="render -f json" ;;
        esac
        $next "$BATS_TEST_TMPDIR/a.tsv" -o ndjson >"$BATS_TEST_TMPDIR/1" 2>/dev/null || fails "$t" "$next does not read its TSV"
        $next "$BATS_TEST_TMPDIR/a.ndjson" -o ndjson >"$BATS_TEST_TMPDIR/2" 2>/dev/null || fails "$t" "$next does not read its NDJSON"
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2" || fails "$t" "NDJSON and TSV differ"
    done
}

@test "the same input gives the same bytes" {
    for t in $TOOLS; do
        $(line_of "$t") - <"$D/$t.in" >"$BATS_TEST_TMPDIR/1" 2>/dev/null
        (TZ=Asia/Tokyo LC_ALL=C.UTF-8 $(line_of "$t") -t 1 - <"$D/$t.in" 2>/dev/null) >"$BATS_TEST_TMPDIR/2"
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2" || fails "$t" "two runs differ"
    done
}

@test "-H leaves the lines that begin with # out, and the rest as it was" {
    for t in ev2ledger ledger2passes warmcrop tailguard; do
        $(line_of "$t") "$D/$t.in" 2>/dev/null | grep -v '^#' >"$BATS_TEST_TMPDIR/want"
        $(line_of "$t") -H "$D/$t.in" 2>/dev/null | cmp - "$BATS_TEST_TMPDIR/want" || fails "$t" "-H"
    done
}

@test "a stream cut at any byte ends in a result or in status 2, and is called partial" {
    for t in $TOOLS; do
        size=$(stat -c %s "$D/$t.in")
        step=$((size / 200 + 1))
        for ((i = 1; i < size - 1; i += step * $(every 5))); do
            head -c "$i" "$D/$t.in" >"$BATS_TEST_TMPDIR/cut"
            status=0
            $(line_of "$t") -q "$BATS_TEST_TMPDIR/cut" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
            [ "$status" = 0 ] || { [ "$status" = 2 ] && [ -s "$BATS_TEST_TMPDIR/err" ]; } || fails "$t" "cut at byte $i"
        done
    done
    for t in warmcrop tailguard plateau; do
        head -n -2 "$D/$t.in" >"$BATS_TEST_TMPDIR/cut"
        $(line_of "$t") -o ndjson -q "$BATS_TEST_TMPDIR/cut" | grep -q '"partial":true' || fails "$t" "not called partial"
    done
}

@test "a small log cut at any byte conserves its requests" {
    head -n 9 "$D/ev2ledger.in" >"$BATS_TEST_TMPDIR/log"
    size=$(stat -c %s "$BATS_TEST_TMPDIR/log")
    for ((i = 1; i <= size; i += $(every 7))); do
        head -c "$i" "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/cut"
        status=0
        ev2ledger -q "$BATS_TEST_TMPDIR/cut" >"$BATS_TEST_TMPDIR/out" 2>/dev/null || status=$?
        if [ "$status" = 2 ]; then continue; fi
        [ "$status" = 0 ] || fails ev2ledger "cut at byte $i"
        ids=$(grep -c '"sample.issued".*}$' "$BATS_TEST_TMPDIR/cut" || true)
        rows=$(grep -c '^r[0-9]' "$BATS_TEST_TMPDIR/out" || true)
        [ "$ids" = "$rows" ] || fails ev2ledger "cut at byte $i: $ids issued, $rows rows"
    done
}
