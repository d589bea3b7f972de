// Wrong symbols of Bech32 are found where they were made: any one or two, whichever checksum the text has.

import t from 'tap';
import { decodeBech32, encodeBech32 } from '../../../src/address/bech32.js';
import { locateBech32Errors } from '../../../src/address/bech32-errors.js';
import { fc } from '../../framework/fast-check.js';

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const other = (c: string, by: number): string => CHARSET[(CHARSET.indexOf(c) + by) % 32];

t.test('locates one or two wrong symbols in Bech32 and Bech32m text', async (t) => {
  const cases = fc.record({
    encoding: fc.constantFrom('bech32' as const, 'bech32m' as const),
    symbols: fc.uint8Array({ min: 0, max: 31, minLength: 1, maxLength: 60 }),
    at: fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 2 }),
    by: fc.integer({ min: 1, max: 31 }),
  });
  fc.assert(
    fc.property(cases, ({ encoding, symbols, at, by }) => {
      const text = encodeBech32('bc', symbols, encoding);
      const places = [...new Set(at.map((place) => 3 + (place % (text.length - 3))))].sort((a, b) => a - b);
      const wrong = [...text].map((c, i) => (places.includes(i) ? other(c, by) : c)).join('');
      if (decodeBech32(wrong) !== null) return true;
      const { error, locations } = locateBech32Errors(wrong);
      // Two errors of one checksum may look like one or two of the other.
      if (error === (encoding === 'bech32' ? 'Invalid Bech32 checksum' : 'Invalid Bech32m checksum')) {
        return JSON.stringify(locations) === JSON.stringify(places);
      }
      return places.length === 2;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('names the mistake and its position in Bech32 text that fails for another reason', async (t) => {
  const mistakes: [string, string, number[]][] = [
    ['bcrt1', 'Invalid separator position', [4]],
    ['bcrtqw508d6qejxtdg4y5r3zarvary0c5xw7k', 'Missing separator', []],
    ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt08O', 'Invalid character or mixed case', [43]],
    ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygb080', 'Invalid Base 32 character', [40]],
    [`bc1${'q'.repeat(89)}`, 'Bech32 string too long', [90, 91]],
    ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kyqqqqq', 'Invalid checksum', []],
  ];
  for (const [text, error, locations] of mistakes) t.same(locateBech32Errors(text), { error, locations }, text);
  t.equal(locateBech32Errors(`bc1${'q'.repeat(1_000_000)}`).locations.length, 1000);
});
