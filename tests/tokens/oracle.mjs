// oracle.mjs TOKENIZER < TEXTS: the number of tokens of each text (a JSON string a line), a line each, as the official
// implementation counts: npm @anush008/tokenizers, or for a tiktoken encoding's name npm tiktoken.  With --time, the
// bytes and seconds of counting alone go to stderr.  Run where both are installed.
import fs from 'fs';
import { createRequire } from 'module';
const require = createRequire(process.cwd() + '/');

const [file, option] = process.argv.slice(2);
const texts = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
let count;
if (file.endsWith('.json')) {
    const tokenizer = require('@anush008/tokenizers').Tokenizer.fromFile(file);
    count = async (text) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getLength();
} else {
    const encoding = require('tiktoken').get_encoding(file);
    count = async (text) => encoding.encode(text, 'all').length;
}
const start = process.cpuUsage();
const counts = [];
for (const text of texts) counts.push(await count(text));
const spent = process.cpuUsage(start);
fs.writeFileSync(1, counts.join('\n') + '\n');
if (option === '--time') {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0), s = (spent.user + spent.system) / 1e6;
    console.error(`${bytes} bytes, ${s.toFixed(6)} s, ${(bytes / s / 1e6).toFixed(2)} MB/s`);
}
