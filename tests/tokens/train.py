#!/usr/bin/env python3
"""train.py SIZE: a small tokenizer.json of that many tokens, trained on the words and texts of texts.py, on stdout.
With --ranks the same merges as a tiktoken rank file."""
import base64
import collections
import json
import sys

import texts

STEPS = [
    {"type": "Digits", "individual_digits": True},
    {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)| ?[\\w\\p{M}]+|[^\\w\\s]{1,4}+"}, "behavior": "Isolated",
     "invert": False},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
]
ADDED = [
    ("<|end|>", {"special": True}),
    ("<think>", {}),
    ("Å", {"normalized": True}),
    ("<pad>", {"lstrip": True, "rstrip": True}),
    ("word", {"single_word": True}),
]


def alphabet():
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain}, **{b: chr(0x100 + i) for i, b in enumerate(others)}}


def train(size):
    count = collections.Counter()
    for i, w in enumerate(texts.WORDS):
        count[(" " + w).encode()] += 1 + 200 // (i + 1)
        count[w.encode()] += 1
    for t in texts.SCRIPTS + texts.CODE:
        for w in t.split(" "):
            count[w.encode()] += 2
    words = [[[bytes([b]) for b in w], n] for w, n in sorted(count.items())]
    merges = []
    while 256 + len(merges) < size:
        pairs = collections.Counter()
        for w, n in words:
            for pair in zip(w, w[1:]):
                pairs[pair] += n
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        for entry in words:
            w, out, i = entry[0], [], 0
            while i < len(w):
                joined = tuple(w[i:i + 2]) == best
                out.append(w[i] + w[i + 1] if joined else w[i])
                i += 2 if joined else 1
            entry[0] = out
    return merges


def main():
    merges = train(int(sys.argv[1]))
    if sys.argv[2:] == ["--ranks"]:
        tokens = dict.fromkeys([bytes([b]) for b in range(256)] + [a + b for a, b in merges])
        for rank, token in enumerate(tokens):
            print(base64.b64encode(token).decode(), rank)
        return
    letter = alphabet()
    spell = lambda token: "".join(letter[b] for b in token)
    vocab = {}
    for token in [letter[b] for b in range(256)] + [spell(a + b) for a, b in merges]:
        vocab.setdefault(token, len(vocab))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    added = [{"id": len(vocab) + i, "content": c, **flags, **f} for i, (c, f) in enumerate(ADDED)]
    print(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": STEPS}, "post_processor": None, "decoder": None,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocab, "merges": [f"{spell(a)} {spell(b)}" for a, b in merges]},
    }, ensure_ascii=False, indent=0))


main()
