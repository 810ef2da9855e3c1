#!/usr/bin/env bats
# Counting tokens natively: against the official implementations (their counts of a small tokenizer are kept here, the
# large ones are fetched where there is a registry), hand-written splitters against their regular expressions, files that
# are refused.

load lib

setup() {
    T=$BATS_TEST_TMPDIR
    K=$ROOT/tests/tokens
    C=$BUILD/tokens_check
}

@test "hand-written splitters cut as their regular expressions do" {
    python3 "$K/texts.py" 11 3000 >"$T/texts"
    run "$C" split <"$T/texts"
    [ "$status" = 0 ]
    [ "$output" = "3000 texts, 7 splitters, no difference" ]
}

@test "a tokenizer.json counts as in the official implementation" {
    "$C" count "$K/small.json" <"$K/small.texts" >"$T/got"
    diff <(cut -f1 "$K/small.counts") "$T/got"
}

@test "a rank file counts as in the official implementation, and says how it was split" {
    "$C" count "$K/small.tiktoken" <"$K/small.texts" >"$T/got" 2>"$T/err"
    diff <(cut -f2 "$K/small.counts") "$T/got"
    said="tokens_check: $K/small.tiktoken: 768 ranks are no encoding that is known: text is split as by cl100k_base"
    [ "$(cat "$T/err")" = "$said" ]
}

@test "the small tokenizer is what its trainer makes" {
    diff "$K/small.json" <(python3 "$K/train.py" 768)
    diff "$K/small.tiktoken" <(python3 "$K/train.py" 768 --ranks)
}

@test "handles that share a file count alike" {
    "$C" threads "$K/small.json" <"$K/small.texts" >"$T/got"
    diff <(cut -f1 "$K/small.counts") "$T/got"
}

# Both ways of writing merges, and members in any order.
@test "the form of the file means nothing" {
    jq -S -c '.model.merges |= map(split(" "))' "$K/small.json" >"$T/t.json"
    "$C" count "$T/t.json" <"$K/small.texts" >"$T/got"
    diff <(cut -f1 "$K/small.counts") "$T/got"
    jq -c 'def turn: to_entries | reverse | from_entries; turn | .model |= turn' "$K/small.json" >"$T/t.json"
    "$C" count "$T/t.json" <"$K/small.texts" >"$T/got"
    diff <(cut -f1 "$K/small.counts") "$T/got"
}

@test "special tokens in the text count one each, and none is added" {
    printf '%s\n' '"<|end|>"' '"a<|end|>b"' '"<|end|><|end|>"' '""' '" \n<pad>\t "' '"a word"' '"a words"' '"<|end"' \
        >"$T/texts"
    run "$C" count "$K/small.json" <"$T/texts" # as in the official implementation
    [ "${lines[*]}" = "1 3 2 0 1 3 2 4" ]
}

@test "bytes that are no UTF-8 count as U+FFFD, and end nothing" {
    printf '%b\n' 'a\xffb' 'a\xef\xbf\xbdb' '\xe2\x82' '\xef\xbf\xbd\xef\xbf\xbd' '\xed\xa0\x80' \
        '\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' >"$T/bytes"
    run "$C" raw "$K/small.json" <"$T/bytes"
    [ "$status" = 0 ] && [ "${#lines[@]}" = 6 ]
    [ "${lines[0]}" = "${lines[1]}" ] && [ "${lines[2]}" = "${lines[3]}" ] && [ "${lines[4]}" = "${lines[5]}" ]
    python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(3).randbytes(300000))' >"$T/bytes"
    run "$C" raw "$K/small.json" <"$T/bytes"
    [ "$status" = 0 ] && [ "${#lines[@]}" -gt 1000 ]
}

# What jq makes of the small tokenizer is refused with these words.
refused() {
    jq -c "$1" "$K/small.json" >"$T/t.json"
    run --separate-stderr "$C" count "$T/t.json" </dev/null
    [ "$status" = 2 ] && [ "$stderr" = "tokens_check: $T/t.json: $2 is not supported; count with --tokens-cmd" ] ||
        { echo "$1: $status: $stderr"; return 1; }
}

@test "what would count otherwise is refused by name" {
    refused '.model = {type: "Unigram", vocab: [["a", -1]], unk_id: 0}' "model Unigram"
    refused '.model.type = "WordPiece"' "model WordPiece"
    refused '.model.type = "WordLevel"' "model WordLevel"
    refused '.model.byte_fallback = true' "model BPE with byte_fallback (SentencePiece)"
    refused '.model.continuing_subword_prefix = "##"' "model BPE with continuing_subword_prefix"
    refused '.model.end_of_word_suffix = "</w>"' "model BPE with end_of_word_suffix"
    refused '.pre_tokenizer = {type: "Metaspace"}' "pre-tokenizer Metaspace"
    refused '.pre_tokenizer.pretokenizers[0].type = "BertPreTokenizer"' "pre-tokenizer BertPreTokenizer"
    refused '.pre_tokenizer = null' "model BPE without ByteLevel"
    refused '.pre_tokenizer.pretokenizers += [{type: "ByteLevel"}]' "a second pre-tokenizer ByteLevel"
    refused '.pre_tokenizer.pretokenizers[1].behavior = "Other"' "pre-tokenizer behavior Other"
    refused '.normalizer = {type: "Lowercase"}' "normalizer Lowercase"
    refused '.normalizer = {type: "Sequence", normalizers: [{type: "NFC"}, {type: "NFD"}]}' \
        "a sequence of normalizers with NFD"
    refused '.pre_tokenizer.pretokenizers[1].pattern = {}' "pre-tokenizer Split without a pattern"
    jq -c '.pre_tokenizer.pretokenizers[1].pattern.Regex = "[a-z[0-9]]"' "$K/small.json" >"$T/t.json"
    run "$C" count "$T/t.json" </dev/null
    [ "$status" = 2 ]
    [[ $output == *"regular expression"*"a class within a class; count with --tokens-cmd" ]]
}

@test "files that are no tokenizer are refused, wherever they end" {
    for n in 1 2 50 700 5000 12000 16000; do
        head -c "$n" "$K/small.json" >"$T/t.json"
        run "$C" count "$T/t.json" </dev/null
        [ "$status" = 2 ] || { echo "$n bytes: $status"; return 1; }
    done
    for text in '' '{}' '[]' '{"model":1}' '{"model":{"type":"BPE","vocab":{}}}' 'IQ== 0 1' 'IQ= 0' 'IQ== x' \
        $'IQ== 0\nIQ== 1'; do
        printf '%s' "$text" >"$T/t"
        run --separate-stderr "$C" count "$T/t" </dev/null
        [ "$status" = 2 ] && [[ $stderr == "tokens_check: $T/t:"* ]] || { echo "$text: $status $stderr"; return 1; }
    done
    run "$C" count "$T" </dev/null
    [ "$status" = 2 ]
}

@test "damaged files and any text do no harm" {
    run fuzz tokens 80 "$K/small.json" "$K/small.tiktoken"
    [ "$status" = 0 ]
    # both ways out were taken
    read -r inputs _ _ _ tokenizers _ <<<"${output//,/}"
    [ "$inputs" = 324 ] && [ "$tokenizers" -gt 5 ] && [ "$tokenizers" -lt 150 ]
}

@test "ev2ledger --tokenizer counts the reply, and what came after its first chunk" {
    reply() {
        printf '{"event_type":"sample.complete","timestamp_ns":%d,"sample_uuid":"%s","data":["TextModelOutput",%s]%s}\n' "$@"
    }
    for id in a b c d; do
        printf '{"event_type":"sample.issued","timestamp_ns":1000,"sample_uuid":"%s","data":["PromptData","x"]}\n' $id
        printf '{"event_type":"sample.recv_first","timestamp_ns":2000,"sample_uuid":"%s"}\n' $id
    done >"$T/log"
    {
        reply 3000 a '["the first"," and the rest of it"]'
        reply 3000 b '"it was so",["they said"," that this is it"]'
        reply 3000 c '"all of it at once"'
        reply 3000 d '["the first"," and the rest of it"]' ',"output_tokens":77'
    } >>"$T/log"
    printf '%s\n' '"the first and the rest of it"' '" and the rest of it"' '"they said that this is itit was so"' \
        '" that this is itit was so"' '"all of it at once"' >"$T/texts"
    mapfile -t n < <("$C" count "$K/small.json" <"$T/texts")
    ev2ledger -q --tokenizer "$K/small.json" "$T/log" >"$T/out"
    table() {
        grep -v '^#' "$1" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $at["request"], $at["output_tokens"], $at["tail_tokens"] }'
    }
    run table "$T/out"
    [ "${lines[0]}" = "a ${n[0]} ${n[1]}" ]
    [ "${lines[1]}" = "b ${n[2]} ${n[3]}" ]
    [ "${lines[2]}" = "c ${n[4]} $((n[4] - 1))" ]
    [ "${lines[3]}" = "d 77 76" ]
    [ "${n[0]}" -gt "${n[1]}" ] && [ "${n[1]}" -gt 1 ]
    ev2ledger -q --tokenizer "$K/small.json" --tokens none "$T/log" >"$T/out"
    run table "$T/out"
    [ "${lines[0]}" = "a  " ]
}

@test "large tokenizers count as in their official implementations" {
    run timeout 500 bash "$K/oracle.sh" 1000
    [ "$status" != 77 ] || skip "${lines[-1]}"
    echo "$output"
    [ "$status" = 0 ]
    [ "$(grep -c 'texts, 0 differences$' <<<"$output")" = 9 ]
}

@test "a sample of replies moves the mean and the median of TPOT by less than a hundredth" {
    run bash "$ROOT/tests/tokens/sample.sh" 2000
    echo "$output"
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 8 ]
    awk -F '\t' 'NR > 1 && $1 >= 50 && ($2 != $1 * 2 || $4 < -1 || $4 > 1 || $6 < -1 || $6 > 1) { exit 1 }' <<<"$output"
}
