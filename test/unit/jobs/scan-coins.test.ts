// Coins picked by their scripts: against plain comparison, over every form in which coins store scripts, and over
// damage.
import t from 'tap';
import { coinMayMatch } from '../../../src/jobs/scan-coins.js';
import { ScriptMarks } from '../../../src/jobs/script-marks.js';
import { encodeCoin } from '../../../src/storage/codec/coin.js';
import { testKey } from '../../framework/keys.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const hitsOf = (scripts: readonly Uint8Array[], coins: readonly Uint8Array[]): number[] => {
  const marks = ScriptMarks.create(scripts.length, 7);
  for (const one of scripts) marks.addScript(one);
  return coins.flatMap((coin, i) => (coinMayMatch(marks, coin) ? [i] : []));
};
const random = pseudoRandom(3);
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(random() * 256));
const script = (i: number): Uint8Array => {
  switch (i % 7) {
    case 0:
      return Uint8Array.of(0x76, 0xa9, 20, ...bytes(20), 0x88, 0xac);
    case 1:
      return Uint8Array.of(0xa9, 20, ...bytes(20), 0x87);
    case 2:
      return Uint8Array.of(33, ...testKey(i + 1).publicKey, 0xac);
    case 3:
      return Uint8Array.of(65, 4, ...bytes(64), 0xac);
    case 4:
      return Uint8Array.of(0, 20, ...bytes(20));
    case 5:
      return Uint8Array.of(0x51, 32, ...bytes(32));
    default:
      return bytes(Math.floor(random() * 300));
  }
};

t.test('finds the coins of marked scripts, and no others', async (t) => {
  const scripts = Array.from({ length: 700 }, (_, i) => script(i));
  const values = scripts.map((one, i) => encodeCoin({ script: one, value: i * 100_000_007, height: i * 900, coinbase: i % 3 === 0 }));
  const wanted = Array.from({ length: 60 }, () => Math.floor(random() * scripts.length));
  const hits = hitsOf(
    wanted.map((i) => scripts[i]!),
    values,
  );
  // Scripts of no bytes are equal.
  const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
  const expected = scripts.flatMap((one, i) => (wanted.some((w) => equal(scripts[w]!, one)) ? [i] : []));
  t.same(hits, expected);
  t.same(hitsOf([], values), [], 'no scripts');
});

t.test('reports a damaged coin as a hit', async (t) => {
  const good = encodeCoin({ script: script(0), value: 1, height: 1, coinbase: false });
  t.same(hitsOf([], [good, good.slice(0, 10), new Uint8Array(0), good]), [1, 2]);
});
