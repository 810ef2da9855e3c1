#!/usr/bin/env python3
"""texts.py SEED N [TOKENIZER]: N texts to be counted, each a JSON string on a line; the same seed, the same texts.

Prose of many scripts, code, emoji, combining marks, digits, white space of every kind, line ends, any character that
Unicode 14 knows, and special tokens, those of the tokenizer.json among them, whole and cut."""
import json
import random
import sys
import unicodedata

WORDS = (
    "the of and to in a is that it was for on are with as his they at be this from have or by one had not but what all "
    "were when we there can an your which their said if do will each about how up out them then she many some so these "
    "would other into has more her two like him see time could no make than first been its who now people my made over "
    "did down only way find use may water long little very after words called just where most know ThisIsCamelCase "
    "HTTPServer iPhone XMLHttpRequest snake_case_name kebab-case-name McDonald's naïve café Zürich façade Ærøskøbing "
    "tokenization internationalization antidisestablishmentarianism supercalifragilisticexpialidocious"
).split()
SCRIPTS = [
    "这是一个关于语言模型的测试文本。我们希望它能够正确地计数。",
    "吾輩は猫である。名前はまだ無い。カタカナとひらがな、ﾊﾝｶｸ。",
    "안녕하세요 세계! 한국어 문장입니다. 각각 \u1100\u1161\u11a8",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω τὴν ψυχοφθόρα βδελυγμία. ΣΊΣΥΦΟΣ",
    "مرحبا بالعالم، هذا نصٌّ عربيٌّ مُشَكَّلٌ ١٢٣٤٥",
    "שלום עולם, זהו טקסט בְּעִבְרִית",
    "नमस्ते दुनिया, यह हिन्दी का पाठ है। क्षत्रिय १२३४",
    "ওহে বিশ্ব বাংলা পাঠ্য ড়",
    "வணக்கம் உலகம் தமிழ்",
    "สวัสดีชาวโลกนี่คือข้อความภาษาไทย",
    "Xin chào thế giới, tiếng Việt có nhiều dấu", "გამარჯობა მსოფლიო",
    "Բարեւ աշխարհ", "ሰላም ልዑል", "မင်္ဂလာပါကမ္ဘာ",
    "ជំរាបសួរពិភពលោក", "𱍐𮯱 𞓐Ɤꟍ 𐵂𐵩",
    "ǅungla ǈ ǲ İstanbul ıI ßẞ ﬁne ﬀ ſhort", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꮳꮃꭹ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕊𝕔𝕣𝕚𝕡𝕥 𝟙𝟚𝟛", "𐐨𐐲𐑉𐐲 𐐀𐐁",
    "①②③ Ⅷ ½ ²³ ㊷ 〇一二三",
]
CODE = [
    "def f(x):\n    return [i ** 2 for i in range(x) if i % 2 == 0]\n",
    "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n", "SELECT * FROM t WHERE id='x' AND n >= 10;",
    "<div class=\"a b\">&nbsp;</div>\r\n", "#include <stdio.h>\n\n\nint main(void)\n{\n}\n",
    "https://example.org/a/b?c=d&e=%20f#g", "{\"key\": [1, 2.5e-10, null, true]}", "x != y && !(z || w) -> {}; // ok",
    "$\\frac{a}{b}$ \\begin{align}", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```python\nprint('hi')\n```",
    "C:\\Users\\me\\file.txt", "user.name@mail.example.com", "/usr/lib/x86_64//a", "$_[0]=~s/^\\s+//;",
    "!important;--x:#fff", "@dataclass", "...!!!???", "-----=====*****", "a\tb\t\tc",
]
EMOJI = [
    "😀", "👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇫🇷🇯🇵", "👍🏽",
    "☺️", "❤️‍🔥", "1️⃣", "🫠", "🧑🏿‍🚀", "⌚", "〰️", "🩷🫨", "🪿🫎 🫩",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]
MARKS = [
    "e\u0301", "a\u0323\u0302", "a\u0302\u0323", "\u0301", "q\u0307\u0323", "\u212b", "\u2126", "\u0958", "\u0344",
    "n\u0303o", "\u1e9b\u0323", "\ufb1d", "o\u031b\u0301", "Ω\u0345", "か\u3099", "\u0340",
]
SPACES = [
    " ", "  ", "   ", "\n", "\r\n", "\n\n", "\r", "\t", "\t\t", " \n", "\n ", "  \n  ", "\u00a0", "\u3000", "\u2028",
    "\u0085", "\u200b", "\u180e", "\x0b", "\x0c", "\x1c", " " * 17, "\n" * 9, "\u2003 ", "\ufeff", "\u1680",
]
ENDINGS = [
    "'s", "'S", "'t", "'T", "'re", "'RE", "'rE", "'ve", "'m", "'ll", "'LL", "'Ll", "'d", "'D", "’s", "'\u017f",
    "'x", "'", "''", "'l", "'r", " 's", "'sn", "n't",
]
SPECIALS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "<|eot_id|>",
    "<|begin_of_text|>", "<|channel|>", "<|endofprompt|>", "<｜User｜>", "<｜begin▁of▁sentence｜>",
    "<|fim_prefix|>", "<|", "|>", "<", "<|end", "<s>", "</s>", "<META>",
]
KNOWN = [c for c in range(0x40000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
KNOWN += [*range(0xE0100, 0xE01F0, 7), 0xE0001, 0xF0000, 0x10FFFD]
BASE64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=-_"


def known(rng):
    low = rng.random()
    return chr(rng.choice(KNOWN[:800] if low < 0.2 else KNOWN[:12000] if low < 0.6 else KNOWN))


def part(rng, specials):
    kind = rng.randrange(16)
    if kind < 4:
        words = rng.choices(WORDS, k=rng.randint(1, 8))
        words = [w.upper() if rng.random() < 0.05 else w.title() if rng.random() < 0.1 else w for w in words]
        return " ".join(words) + rng.choice(["", "", ".", ", ", "! ", rng.choice(ENDINGS)])
    if kind == 4:
        s = rng.choice(SCRIPTS)
        at = rng.randrange(len(s))
        return s[at:at + rng.randint(1, 30)]
    if kind == 5:
        return rng.choice(CODE)
    if kind == 6:
        return "".join(rng.choices(EMOJI, k=rng.randint(1, 4)))
    if kind == 7:
        return rng.choice(["a", "", " "]) + "".join(rng.choices(MARKS, k=rng.randint(1, 3)))
    if kind == 8:
        digits = rng.choices("0123456789", k=rng.choice([1, 2, 3, 4, 5, 10, 37]))
        return "".join(digits) + rng.choice(["", ".", ",", "٣٤", "²"])
    if kind == 9:
        return "".join(rng.choices(SPACES, k=rng.randint(1, 4)))
    if kind == 10:
        return rng.choice(WORDS) + rng.choice(ENDINGS)
    if kind == 11:
        return rng.choice(["", " ", "  ", "\n", "a"]) + rng.choice(specials) + rng.choice(["", " ", "  ", "\n", "b"])
    if kind == 12:
        return "".join(known(rng) for _ in range(rng.randint(1, 12)))
    if kind == 13:
        few = [known(rng), "a", "A", " ", "'", "s", "1", "\n", "_", "/", "\u0301", "中"]
        return "".join(rng.choices(few, k=rng.randint(2, 12)))
    if kind == 14:
        return "".join(rng.choices(BASE64, k=rng.randint(3, 60)))
    return rng.choice([rng.choice(WORDS), "ab", "=", "-", "中", "ا"]) * rng.choice([2, 3, 20, 70])


def main():
    rng = random.Random(int(sys.argv[1]))
    specials = SPECIALS
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as f:
            own = [t["content"] for t in json.load(f)["added_tokens"]]
        specials = SPECIALS + own[:40] + own[-40:]
    for _ in range(int(sys.argv[2])):
        parts = range(rng.choice([1, 1, 2, 3, 5, 8, 20]))
        text = "".join(rng.choice(["", " ", " "]) + part(rng, specials) for _ in parts)
        print(json.dumps(text, ensure_ascii=rng.random() < 0.1))


if __name__ == "__main__":
    main()
