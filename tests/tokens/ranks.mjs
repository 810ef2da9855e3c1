// ranks.mjs ENCODING: the rank file of an encoding of npm tiktoken, on stdout.  Run where it is installed.
import { createRequire } from 'module';
const require = createRequire(process.cwd() + '/');
for (const line of require(`tiktoken/encoders/${process.argv[2]}.json`).bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    tokens.forEach((token, i) => console.log(token, Number(first) + i));
}
