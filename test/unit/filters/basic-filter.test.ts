// BIP-0158's basic filters: the official vectors, matching, and damaged filters.

import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { parseCompactSize } from '../../../src/consensus/bytes/compact-size.js';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { BasicFilterBuilder, filterHash, filterHeader, filterKey } from '../../../src/filters/basic-filter.js';
import { GcsBuilder, matchesAny } from '../../../src/filters/gcs.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';
import { rowSuite } from '../../framework/vector-suite.js';

const hashes = createNativeCrypto();
const reversed = (text: string): Uint8Array => unhex(text).reverse();

interface Row {
  height: number;
  blockHash: string;
  block: string;
  prevOutputScripts: string[];
  previousFilterHeader: string;
  filter: string;
  filterHeader: string;
}

rowSuite<Row>('blockfilters/bip158_testnet.json', 'filters and headers', (row) => {
  const block = parseBlock(unhex(row.block), hashes);
  if (hex(block.hash.slice().reverse()) !== row.blockHash) return 'another block';
  const builder = new BasicFilterBuilder(block.hash);
  const paid: Uint8Array[] = [];
  for (const tx of block.txs) for (let o = 0; o < tx.outputCount; o++) paid.push(tx.outputScript(o));
  for (const script of paid) builder.output(script);
  for (const script of row.prevOutputScripts) builder.spent(unhex(script));
  const filter = builder.finish();
  if (hex(filter) !== row.filter) return `filter ${hex(filter)}`;
  const header = filterHeader(filterHash(filter, hashes), reversed(row.previousFilterHeader), hashes);
  if (hex(header.reverse()) !== row.filterHeader) return 'header';
  for (const script of [...paid.filter((one) => one.length > 0 && one[0] !== 0x6a), ...row.prevOutputScripts.map(unhex)]) {
    if (script.length > 0 && !matchesAny(filter, filterKey(block.hash), [script])) return `does not match ${hex(script)}`;
  }
  return null;
});

t.test('matches every element, rarely others, and counts duplicates once', async (t) => {
  let chance = 0;
  let asked = 0;
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 60 }),
      fc.array(fc.uint8Array({ minLength: 41, maxLength: 60 }), { minLength: 1, maxLength: 20 }),
      (keyBytes, members, strangers) => {
        const key = filterKey(keyBytes);
        const builder = new GcsBuilder(key);
        for (const member of [...members, ...members]) builder.add(member);
        const filter = builder.finish();
        if (Number(parseCompactSize(filter).value) !== new Set(members.map(hex)).size) return false;
        for (const stranger of strangers) {
          asked++;
          if (matchesAny(filter, key, [stranger])) chance++;
        }
        return members.every((member) => matchesAny(filter, key, [...strangers, member]));
      },
    ),
    { numRuns: 200 },
  );
  t.ok(chance <= asked / 100, `${chance} of ${asked} by chance`);
});

t.test('encodes 30,000 elements in the expected size with few false positives', async (t) => {
  const key = filterKey(new Uint8Array(16).fill(9));
  const builder = new GcsBuilder(key);
  const script = (n: number): Uint8Array => Uint8Array.of(1, n, n >> 8, n >> 16);
  for (let i = 0; i < 30_000; i++) builder.add(script(i));
  const filter = builder.finish();
  t.equal(Number(parseCompactSize(filter).value), 30_000);
  // Some 21.5 bits an element: P bits and the short unary parts.
  t.ok(filter.length > 30_000 * 2.5 && filter.length < 30_000 * 2.9, `${filter.length} bytes`);
  for (const i of [0, 1, 15_000, 29_999]) t.ok(matchesAny(filter, key, [script(i)]));
  let foreign = 0;
  for (let i = 100_000; i < 100_400; i++) if (matchesAny(filter, key, [script(i)])) foreign++;
  t.ok(foreign <= 1);
});

t.test('rejects damaged filters', async (t) => {
  const key = filterKey(new Uint8Array(16));
  const any = [Uint8Array.of(1)];
  t.throws(() => matchesAny(new Uint8Array(0), key, any), DecodeError);
  t.throws(() => matchesAny(unhex('feffffffff'), key, any), DecodeError, 'a count without elements');
  t.throws(() => matchesAny(unhex('02ffffffffffff'), key, any), DecodeError, 'ones without end');
  t.throws(() => matchesAny(unhex('019dfca8ff00'), key, any), DecodeError, 'bytes left over');
  t.equal(matchesAny(unhex('00'), key, any), false);
});
