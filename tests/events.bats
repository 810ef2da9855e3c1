#!/usr/bin/env bats
# The scanner of event logs: its fast path against the full parser, and the ways a log can be cut into reads.

load lib

setup_file() { cat "$ROOT"/tests/cases/ev2ledger/*/in.jsonl >"$BATS_FILE_TMPDIR/log.jsonl"; }

setup() { D=$BATS_FILE_TMPDIR; }

@test "the fast path of ARM finds what the full parser finds" {
    command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || skip "no ARM here (make deps-arm)"
    # shellcheck disable=SC2046
    aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -DFUZZ_MAIN -O2 -static $(printf -- "-I%s " "$ROOT"/lib/*/) -I"$ROOT/tests/fuzz" \
        $(make -s -C "$ROOT" print-fuzz-wrap) -o "$D/arm_fuzz" "$ROOT"/tests/fuzz/{events_fuzz,fuzz}.c \
        $(for m in event usual events hash jtok jstring buf die num in out; do ls "$ROOT"/lib/*/$m.c; done)
    run qemu-aarch64 "$D/arm_fuzz" -l 50 "$D/log.jsonl"
    echo "$output"
    [ "$status" = 0 ]
    [ "$output" = "$(fuzz events -l 50 "$D/log.jsonl")" ]
}

@test "the fast path finds what the full parser finds, on every case and on damaged copies" {
    run fuzz events -l 100 "$D/log.jsonl"
    [ "$status" = 0 ]
    # the comparison means something only if each kind of line was there in numbers
    read -r _ _ _ _ lines _ fast _ _ _ _ malformed _ <<<"${output//,/}"
    [ "$lines" -gt 50000 ] && [ "$fast" -gt 2000 ] && [ "$malformed" -gt 10000 ]
}

@test "the usual shapes take the fast path" {
    cat >"$BATS_TEST_TMPDIR/usual" <<'LOG'
{"event_type":"sample.issued","timestamp_ns":1769000000123456789,"sample_uuid":"f57ea470a0bea28e9b439624f7d33c18","conversation_id":"","turn":null,"data":["PromptData","a \"prompt\"\n\u00e9 中",null,null,null]}
{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"a","conversation_id":"c","turn":3,"data":["PromptData",null,[79,203,140],null]}
{"event_type":"sample.recv_first","timestamp_ns":-1,"sample_uuid":"a","conversation_id":"","turn":null,"data":null}
{"event_type":"recv_non_first","timestamp_ns":1,"sample_uuid":"a"}
{"event_type":"sample.complete","timestamp_ns":1,"sample_uuid":"a","data":["TextModelOutput",["first"," rest"],null,null],"finish_reason":"stop","worker_id":3,"output_tokens":5,"x":"y"}
{"event_type":"sample.complete","timestamp_ns":1,"sample_uuid":"a","data":["TextModelOutput","answer",["first","rest"]]}
LOG
    run fuzz events 0 "$BATS_TEST_TMPDIR/usual"
    [ "$output" = "1 inputs, 1 accepted, 7 lines, 6 by the fast path, 1 malformed" ] # the seventh is the nothing after the last newline
}

@test "a usual line with a token too few, too many or in another's place is what the full parser says of it" {
    python3 - "$BATS_TEST_TMPDIR/tokens" <<'PY'
import re, sys
usual = [
    '{"event_type":"sample.issued","timestamp_ns":17690000001,"sample_uuid":"a","conversation_id":"","turn":null,"data":["PromptData","p",[1,2],null]}',
    '{"event_type":"sample.recv_first","timestamp_ns":17690000002,"sample_uuid":"a","conversation_id":"","turn":null,"data":null}',
    '{"event_type":"sample.recv_first","timestamp_ns":17690000002,"sample_uuid":"a","foo":1}',
    '{"event_type":"sample.complete","timestamp_ns":17690000003,"sample_uuid":"a","turn":2,"data":["TextModelOutput",["x","y"],"z",null],"output_tokens":5}',
]
with open(sys.argv[1], "w") as out:
    for line in usual:
        token = re.findall(r'"[^"]*"|[-\d]+|\w+|.', line)
        for i in range(len(token)):
            put = lambda t: out.write("".join(t) + "\n")
            put(token[:i] + token[i + 1:])
            put(token[:i] + token[i:i + 1] + token[i:])
            for k in range(i):
                put(token[:k] + [token[i]] + token[k + 1:i] + [token[k]] + token[i + 1:])
                put(token[:k] + token[i:]) # a stretch cut out
            for other in usual: # the tail of another line, so that what one line left is used by the next
                put([line]); put(token[:i] + re.findall(r'"[^"]*"|[-\d]+|\w+|.', other)[i:])
PY
    run fuzz events 0 "$BATS_TEST_TMPDIR/tokens"
    echo "$output"
    [ "$status" = 0 ]
    read -r _ _ _ _ lines _ fast _ _ _ _ malformed _ <<<"${output//,/}"
    [ "$lines" -gt 4000 ] && [ "$fast" -gt 500 ] && [ "$malformed" -gt 3000 ]
}

@test "a log says the same however it is cut into reads" {
    python3 "$ROOT/tests/oracle/join_oracle.py" --random 5 100 >"$BATS_TEST_TMPDIR/log"
    grep -av 'session' "$ROOT/tests/cases/ev2ledger/malformed/in.jsonl" >>"$BATS_TEST_TMPDIR/log"
    ev2ledger -q "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/whole"
    for size in 1 7 64 4096 100000; do
        dd if="$BATS_TEST_TMPDIR/log" bs="$size" status=none | ev2ledger -q >"$BATS_TEST_TMPDIR/cut"
        cmp "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/cut"
    done
}

@test "lines longer than a block are read" {
    {
        printf '{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"a","data":["PromptData","'
        head -c 5000000 /dev/zero | tr '\0' 'x'
        printf '"]}\n{"event_type":"sample.complete","timestamp_ns":2,"sample_uuid":"a","data":["TextModelOutput",["'
        head -c 3000000 /dev/zero | tr '\0' 'y'
        printf '\\u00zz"]]}\n{"event_type":"session.ended","timestamp_ns":3}\n'
    } >"$BATS_TEST_TMPDIR/long"
    run --separate-stderr ev2ledger -H "$BATS_TEST_TMPDIR/long"
    [ "$status" = 0 ]
    at=$(($(grep -abo u00zz "$BATS_TEST_TMPDIR/long" | cut -d: -f1) - 1))
    [ "$stderr" = "ev2ledger: $BATS_TEST_TMPDIR/long:2: byte $at: bad escape in string" ] || { echo "$stderr"; false; }
    [[ ${lines[1]} == a$'\t'0$'\t'1$'\t'unfinished* ]]
}

# Lines end just before, on and just behind every multiple of 2^18 bytes, some are longer than that, and some are malformed.
boundaries() {
    python3 - "$1" <<'END'
import sys
log, size, n = open(sys.argv[1], "w"), 0, 0
def put(length, end="\n"):
    """a line of so many bytes before its end"""
    global size, n
    n += 1
    line = '{"event_type":"issued","timestamp_ns":%d,"sample_uuid":"r%d","x":"' % (n * 1000, n)
    line += "x" * (length - len(line) - 2) + ('"}' if n % 97 else '"')
    size += log.write(line + end)
for k in range(1, 24):
    at = k * (1 << 18) + k % 5 - 2 # of the newline
    while size < at and at - size > 3000 and k not in (7, 8, 9, 16, 17):
        put(900 + n % 700, "\r\n" if k > 20 else "\n")
    if k not in (7, 8, 16):
        put(at - size)
log.write('{"event_type":"session.ended","timestamp_ns":%d}' % (n * 1000))
END
}

@test "a line of a file is read once, wherever ranges and threads part it" {
    boundaries "$BATS_TEST_TMPDIR/log"
    ends=$(LC_ALL=C awk '{ size += length + 1; n += (size + 1) % 262144 < 5 } END { print n }' "$BATS_TEST_TMPDIR/log")
    [ "$ends" = 20 ] # the log is as it should be
    cat "$BATS_TEST_TMPDIR/log" | ev2ledger >"$BATS_TEST_TMPDIR/want" 2>"$BATS_TEST_TMPDIR/said"
    grep -q malformed "$BATS_TEST_TMPDIR/want"
    for threads in 1 2 3 4; do
        ev2ledger -t "$threads" "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/got" 2>"$BATS_TEST_TMPDIR/err"
        cmp "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
        diff <(sed "s/stdin/log/" "$BATS_TEST_TMPDIR/said") <(sed "s|$BATS_TEST_TMPDIR/log|log|" "$BATS_TEST_TMPDIR/err")
        # from where another has read to, and to the end for who comes next
        tail -n +2 "$BATS_TEST_TMPDIR/log" | ev2ledger -q >"$BATS_TEST_TMPDIR/rest"
        { read -r _; ev2ledger -q -t "$threads" | cmp "$BATS_TEST_TMPDIR/rest"; [ "$(wc -c)" = 0 ]; } <"$BATS_TEST_TMPDIR/log"
    done
}

@test "a log cut at any byte loses no whole line and says that it is cut" {
    log=$ROOT/tests/cases/ev2ledger/error_then_complete/in.jsonl
    size=$(wc -c <"$log")
    for ((n = size - 400; n < size - 1; n += $(every 7))); do
        head -c "$n" "$log" >"$BATS_TEST_TMPDIR/cut"
        run --separate-stderr ev2ledger -q "$BATS_TEST_TMPDIR/cut"
        [ "$status" = 0 ]
        [[ $output == *'"truncated":true'* ]]
        whole=$(head -c "$n" "$log" | wc -l)
        [[ $output == *"\"events\":$whole,"* ]] || [[ $output == *"\"events\":$((whole + 1)),"* && $output == *'"malformed":0,'* ]]
    done
}

@test "the table of ids says of each what a list says" {
    run "$BUILD/ids_check"
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c '^ok ' <<<"$output")" = 5 ]
}
