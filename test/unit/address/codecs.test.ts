// Base58, Bech32 and key texts: round trips, models, and what must be refused.

import t from 'tap';
import { decodeBase58, decodeBase58Check, encodeBase58, encodeBase58Check } from '../../../src/address/base58.js';
import { bytesToSymbols, decodeBech32, encodeBech32, symbolsToBytes } from '../../../src/address/bech32.js';
import { decodeWif, encodeWif } from '../../../src/address/wif.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';

const hashes = createPureHashes();
const MAIN = { base58: { p2pkh: 0, p2sh: 5, wif: 128 }, bech32Hrp: 'bc' };
const TEST = { base58: { p2pkh: 111, p2sh: 196, wif: 239 }, bech32Hrp: 'tb' };

const decoded = (text: string, limit = 100): string | null => {
  const bytes = decodeBase58(text, limit);
  return bytes === null ? null : hex(bytes);
};

/** Base58 by long division of one large number. */
function naiveBase58(bytes: Uint8Array): string {
  let n = bytes.length === 0 ? 0n : BigInt(`0x${hex(bytes)}`);
  let text = '';
  for (; n > 0n; n /= 58n) text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[Number(n % 58n)] + text;
  for (let i = 0; i < bytes.length && bytes[i] === 0; i++) text = `1${text}`;
  return text;
}

t.test('Base58 round-trips like long division and rejects bad characters and text above the limit', async (t) => {
  fc.assert(
    fc.property(fc.nat(3), fc.uint8Array({ maxLength: 60 }), (zeros, tail) => {
      const bytes = Uint8Array.from([...new Uint8Array(zeros), ...tail]);
      const text = encodeBase58(bytes);
      if (text !== naiveBase58(bytes) || decoded(text) !== hex(bytes)) return false;
      // The limit is exact.
      return decoded(text, bytes.length) === hex(bytes) && (bytes.length === 0 || decoded(text, bytes.length - 1) === null);
    }),
  );
  t.equal(decoded(' \t\n\v\f\r2g \n'), '61', 'white space around is ignored');
  t.equal(decoded('2 g'), null, 'but not within');
  for (const bad of ['0', 'O', 'I', 'l', '2g!', '2g\u00e9', '\u{1f600}', '2g\0']) t.equal(decoded(bad), null, JSON.stringify(bad));
  t.equal(decoded('1'.repeat(1_000_000), 25), null);
  t.equal(decoded('z'.repeat(10_000_000), 100), null, 'long texts are refused by their length');
});

t.test('Base58Check rejects text with a changed character or a payload above the limit', async (t) => {
  const text = encodeBase58Check(unhex('00751e76e8199196d454941c45d1b3a323f1433bd6'), hashes);
  t.equal(text, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH');
  t.equal(hex(decodeBase58Check(text, 21, hashes) as Uint8Array), '00751e76e8199196d454941c45d1b3a323f1433bd6');
  t.equal(decodeBase58Check(text, 20, hashes), null);
  t.equal(decodeBase58Check('', 21, hashes), null);
  for (let i = 0; i < text.length; i++) {
    const changed = `${text.slice(0, i)}${text[i] === '2' ? '3' : '2'}${text.slice(i + 1)}`;
    t.equal(decodeBase58Check(changed, 21, hashes), null, changed);
  }
});

t.test('Bech32 round-trips in both cases and detects up to four changed characters', async (t) => {
  const hrp = fc.stringMatching(/^[a-z]{1,10}$/);
  const symbols = fc.uint8Array({ max: 31, maxLength: 60 });
  fc.assert(
    fc.property(hrp, symbols, fc.constantFrom('bech32' as const, 'bech32m' as const), (hrp, symbols, encoding) => {
      const text = encodeBech32(hrp, symbols, encoding);
      for (const form of [text, text.toUpperCase()]) {
        const back = decodeBech32(form);
        if (back?.hrp !== hrp || back.encoding !== encoding || hex(back.symbols) !== hex(symbols)) return false;
      }
      return true;
    }),
  );
  // Up to four changed characters are always found.
  fc.assert(
    fc.property(symbols, fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 4 }), fc.nat(30), (symbols, places, by) => {
      const text = encodeBech32('bc', symbols, 'bech32');
      const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
      const chars = [...text];
      for (const place of places) {
        const at = 3 + (place % (text.length - 3));
        chars[at] = charset[(charset.indexOf(text[at]) + 1 + by) % 32];
      }
      return decodeBech32(chars.join(''))?.encoding !== 'bech32';
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const back = symbolsToBytes(bytesToSymbols(bytes));
      return back !== null && hex(back) === hex(bytes);
    }),
  );
  t.equal(symbolsToBytes(Uint8Array.of(1, 2, 3)), null, 'fifteen bits: a whole symbol left over');
  t.equal(symbolsToBytes(Uint8Array.of(0, 1)), null, 'filled with ones');
  const good = encodeBech32('bc', Uint8Array.of(1, 2), 'bech32');
  for (const bad of [
    '',
    '1',
    'bc',
    good.slice(0, -1),
    `B${good.slice(1)}`,
    `${good} `,
    good.replace('1', ''),
    `\u00e9${good}`,
    `${'a'.repeat(84)}1${good.slice(3)}`,
  ]) {
    t.equal(decodeBech32(bad), null, JSON.stringify(bad));
  }
});

t.test('WIF round-trips private keys and rejects keys out of range or of another network', async (t) => {
  const key = unhex(`${'00'.repeat(31)}01`);
  t.equal(encodeWif({ key, compressed: true }, MAIN), 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn');
  t.equal(encodeWif({ key, compressed: false }, MAIN), '5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf');
  fc.assert(
    fc.property(fc.uint8Array({ min: 1, minLength: 32, maxLength: 32 }), fc.boolean(), (bytes, compressed) => {
      const key = bytes.map((byte, i) => (i === 0 ? byte & 0x7f : byte));
      const text = encodeWif({ key, compressed }, TEST);
      const back = decodeWif(text, TEST);
      return back !== null && hex(back.key) === hex(key) && back.compressed === compressed && decodeWif(text, MAIN) === null;
    }),
    { numRuns: 50 },
  );
  const wif = (payload: string): string => encodeBase58Check(unhex(`80${payload}`), hashes);
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  t.equal(decodeWif(wif('00'.repeat(32)), MAIN), null, 'zero');
  t.equal(decodeWif(wif(order), MAIN), null, 'the group order');
  t.not(decodeWif(wif(order.replace(/41$/, '40')), MAIN), null, 'one less');
  t.equal(decodeWif(wif(`${'11'.repeat(32)}02`), MAIN), null, 'another mark');
  t.equal(decodeWif(wif('11'.repeat(31)), MAIN), null, 'too short');
  t.equal(decodeWif('', MAIN), null);
});
