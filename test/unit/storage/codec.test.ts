// Codecs of coins, undo data and index rows: Core's own values, round trips, and damaged input.

import t from 'tap';
import { ByteReader, DecodeError } from '../../../src/consensus/bytes/reader.js';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { sigopsOf } from '../../../src/consensus/script/sigops.js';
import {
  compressAmount,
  decodeCoin,
  decompressAmount,
  encodeCoin,
  StoredCoin,
  storedCoin,
  withPlainScript,
} from '../../../src/storage/codec/coin.js';
import { decodeIndexRow, encodeIndexRow } from '../../../src/storage/codec/index-row.js';
import { decodeUndo, encodeUndo } from '../../../src/storage/codec/undo.js';
import { readVarint, readVarintBig, writeVarint } from '../../../src/storage/codec/varint.js';
import * as layout from '../../../src/storage/layout.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';

function varint(value: number | bigint): string {
  const writer = new ByteWriter();
  writeVarint(writer, value);
  return hex(writer.finish());
}

t.test('encodes and decodes varints as their definition says', async (t) => {
  const cases: [number | bigint, string][] = [
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '8000'],
    [255, '807f'],
    [256, '8100'],
    [16383, 'fe7f'],
    [16384, 'ff00'],
    [16511, 'ff7f'],
    [65535, '82fe7f'],
    [0x7fffffff, '86fefefe7f'],
    [0x80000000, '86fefeff00'],
    [0xffffffff, '8efefefe7f'],
    [0xffff_ffff_ffff_ffffn, '80fefefefefefefefe7f'],
  ];
  for (const [value, text] of cases) {
    t.equal(varint(value), text, String(value));
    t.equal(readVarintBig(new ByteReader(unhex(text))), BigInt(value));
    if (typeof value === 'number') t.equal(readVarint(new ByteReader(unhex(text))), value);
  }
  for (const bad of ['', '80', 'ffffffffffffffffffffff00', '81fefefefefefefefe7f']) {
    t.throws(() => readVarintBig(new ByteReader(unhex(bad))), DecodeError, bad);
    t.throws(() => readVarint(new ByteReader(unhex(bad))), DecodeError, bad);
  }
  t.throws(() => readVarint(new ByteReader(unhex('80fefefefefefefefe7f'))), DecodeError, 'beyond 2^53');
  t.throws(() => readVarint(new ByteReader(unhex('8000')), 127), DecodeError, 'beyond the given maximum');
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      const reader = new ByteReader(unhex(varint(value)));
      return readVarint(reader) === value && reader.remaining === 0;
    }),
  );
  fc.assert(fc.property(fc.bigInt(0n, 0xffff_ffff_ffff_ffffn), (value) => readVarintBig(new ByteReader(unhex(varint(value)))) === value));
});

t.test("compresses the amounts of Core's own test, and decompresses every amount", async (t) => {
  const CENT = 1_000_000;
  const COIN = 100_000_000;
  const pairs: [number, number][] = [
    [0, 0x0],
    [1, 0x1],
    [CENT, 0x7],
    [COIN, 0x9],
    [50 * COIN, 0x32],
    [21_000_000 * COIN, 0x1406f40],
  ];
  for (const [amount, compressed] of pairs) {
    t.equal(Number(compressAmount(amount)), compressed, String(amount));
    t.equal(decompressAmount(compressed), amount);
  }
  const same = (amount: number): boolean =>
    decompressAmount(compressAmount(amount)) === amount && decompressAmount(BigInt(compressAmount(amount))) === amount;
  for (let i = 1; i <= 100_000; i++) if (!same(i)) t.fail(`amount ${i}`);
  for (let i = 1; i <= 10_000; i++) if (!same(i * CENT) || !same(i * 50 * COIN)) t.fail(`round amount ${i}`);
  fc.assert(fc.property(fc.maxSafeNat(), same));
  fc.assert(fc.property(fc.integer({ min: 899_999_999_990_000, max: 900_000_000_010_000 }), same));
  t.equal(decompressAmount(0xffff_ffff_ffff_ffffn), null, 'nothing above 2^53 passes');
  t.equal(typeof compressAmount(2_099_999_999_999_999), 'bigint', 'does not fit a number');
});

const scriptArbitrary = fc.oneof(
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((h) => unhex(`76a914${hex(h)}88ac`)),
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((h) => unhex(`a914${hex(h)}87`)),
  fc.tuple(fc.constantFrom('02', '03', '04'), fc.uint8Array({ minLength: 32, maxLength: 32 })).map(([p, x]) => unhex(`21${p}${hex(x)}ac`)),
  fc.uint8Array({ minLength: 64, maxLength: 64 }).map((xy) => unhex(`4104${hex(xy)}ac`)),
  fc.uint8Array({ maxLength: 200 }),
);
const coinArbitrary: fc.Arbitrary<Coin> = fc.record({
  value: fc.oneof(
    fc.integer({ min: 0, max: 2_100_000_000_000_000 }),
    fc.nat(1000).map((n) => n * 1e8),
  ),
  script: scriptArbitrary,
  height: fc.oneof(fc.nat(1000), fc.nat(0x7fff_ffff)),
  coinbase: fc.boolean(),
});
const plain = (coin: Coin): object => ({ ...coin, script: hex(coin.script) });

t.test('encodes and decodes coins as Core writes them', async (t) => {
  // The two rows of Core's ccoins_serialization test.
  const p2pkh = unhex('76a914816115944e077fe7c803cfa57f29b36bf87c1d3588ac');
  t.equal(
    hex(encodeCoin({ value: 60_000_000_000, script: p2pkh, height: 203_998, coinbase: false })),
    '97f23c835800816115944e077fe7c803cfa57f29b36bf87c1d35',
  );
  t.equal(
    hex(
      encodeCoin({
        value: 110_397,
        script: unhex('76a9148c988f1a4a4de2161e0f50aac7f17e7f9555caa488ac'),
        height: 120_891,
        coinbase: true,
      }),
    ),
    '8ddf77bbd123008c988f1a4a4de2161e0f50aac7f17e7f9555caa4',
  );
  const back = decodeCoin(unhex('8ddf77bbd123008c988f1a4a4de2161e0f50aac7f17e7f9555caa4'));
  t.same(plain(back), { value: 110_397, script: '76a9148c988f1a4a4de2161e0f50aac7f17e7f9555caa488ac', height: 120_891, coinbase: true });
  fc.assert(
    fc.property(coinArbitrary, (coin) => JSON.stringify(plain(decodeCoin(encodeCoin(coin)))) === JSON.stringify(plain(coin))),
    { numRuns: 500 },
  );
  const framed = unhex('ffff020906ffff');
  t.same(plain(decodeCoin(framed, 2, 5)), { value: 100_000_000, script: '', height: 1, coinbase: false }, 'bytes in a larger buffer');
});

t.test('encodes standard scripts in their special forms, and all others raw', async (t) => {
  const form = (script: string): string => hex(encodeCoin({ value: 0, script: unhex(script), height: 0, coinbase: false })).slice(4);
  const x = 'ab'.repeat(32);
  t.equal(form(`76a914${'11'.repeat(20)}88ac`), `00${'11'.repeat(20)}`);
  t.equal(form(`a914${'22'.repeat(20)}87`), `01${'22'.repeat(20)}`);
  t.equal(form(`2102${x}ac`), `02${x}`);
  t.equal(form(`2103${x}ac`), `03${x}`);
  t.equal(form(`2104${x}ac`), `292104${x}ac`, 'not a compressed key: raw');
  t.equal(form(`76a914${'11'.repeat(20)}88ad`), `1f76a914${'11'.repeat(20)}88ad`);
  t.equal(form(''), '06');
  // The generator point, which Core would write as form 4 (its y is even) and we write raw.
  const gx = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const gy = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
  t.equal(form(`4104${gx}${gy}ac`), `494104${gx}${gy}ac`);
  t.equal(hex(decodeCoin(unhex(`000004${gx}`)).script), `4104${gx}${gy}ac`);
  t.equal(hex(withPlainScript(unhex(`86ef97d5790904${gx}`))), `86ef97d57909494104${gx}${gy}ac`, 'behind longer varints');
  for (const plain of [`000000${'04'.repeat(20)}`, `000002${x}`, `0000494104${gx}${gy}ac`, '000006', '0004', ''])
    t.equal(hex(withPlainScript(unhex(plain))), plain, 'any other row is not changed');
  const oddY = (0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn - BigInt(`0x${gy}`)).toString(16).padStart(64, '0');
  t.equal(hex(decodeCoin(unhex(`000005${gx}`)).script), `4104${gx}${oddY}ac`);
  t.throws(() => decodeCoin(unhex(`000004${'00'.repeat(31)}05`)), { code: 'STORE_CORRUPTION' }, 'x = 5 is on no point');
  t.throws(() => decodeCoin(unhex(`000004${'ff'.repeat(32)}`)), { code: 'STORE_CORRUPTION' }, 'x above p');
  const long = new Uint8Array(10_001).fill(0x51);
  t.equal(
    hex(decodeCoin(encodeCoin({ value: 1, script: long, height: 1, coinbase: false })).script),
    '6a',
    'too long to be spent: read as OP_RETURN',
  );
});

t.test('rejects truncated or damaged coin rows', async (t) => {
  const good = encodeCoin({ value: 12_345, script: unhex(`a914${'22'.repeat(20)}87`), height: 500_000, coinbase: false });
  for (let n = 0; n < good.length; n++)
    t.throws(() => decodeCoin(good.slice(0, n)), { name: 'StoreError', code: 'STORE_CORRUPTION' }, `cut at ${n}`);
  t.throws(() => decodeCoin(unhex(`${hex(good)}00`)), { code: 'STORE_CORRUPTION' }, 'one byte too many');
  t.throws(() => decodeCoin(unhex('0000fefefefefefe7f')), { code: 'STORE_CORRUPTION' }, 'a script of terabytes is not allocated');
  t.throws(() => encodeCoin({ value: -1, script: good, height: 1, coinbase: false }), RangeError);
  t.throws(() => encodeCoin({ value: 1.5, script: good, height: 1, coinbase: false }), RangeError);
});

t.test('passes stored coins on unchanged, without decoding their scripts', async (t) => {
  const check = (row: Uint8Array, coin: Coin): void => {
    const framed = unhex(`ffff${hex(row)}ff`);
    const stored = storedCoin(framed, 2, 2 + row.length);
    const { value, height, coinbase, script } = stored;
    t.same({ value, height, coinbase, script: hex(script) }, plain(coin));
    t.same(encodeUndo([[stored]]), encodeUndo([[coin]]));
    if (!(stored instanceof StoredCoin)) return;
    t.equal(stored.scriptLength, coin.script.length);
    t.equal(stored.sigops, sigopsOf(coin.script));
    const copied = new Uint8Array(coin.script.length + 2).fill(0xee);
    stored.copyScript(copied, 1);
    t.equal(hex(copied), `ee${hex(coin.script)}ee`);
  };
  fc.assert(
    fc.property(coinArbitrary, (coin) => check(encodeCoin(coin), coin)),
    { numRuns: 300 },
  );
  // Forms that are not written, and scripts that are not kept.
  const gx = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  for (const row of [`000004${gx}`, `000005${gx}`].map(unhex)) check(row, decodeCoin(row));
  const long = encodeCoin({ value: 1, script: new Uint8Array(10_001).fill(0x51), height: 1, coinbase: false });
  t.equal(hex(storedCoin(long, 0, long.length).script), '6a');
  for (const script of ['0014', '0020', '5120', '0018'].map((head) => `${head}${'ab'.repeat(Number.parseInt(head.slice(2), 16))}`)) {
    const coin = { value: 1, script: unhex(script), height: 1, coinbase: false };
    check(encodeCoin(coin), coin);
  }
  const good = encodeCoin({ value: 12_345, script: unhex(`a914${'22'.repeat(20)}87`), height: 500_000, coinbase: false });
  for (let n = 0; n < good.length; n++) t.throws(() => storedCoin(good, 0, n), { code: 'STORE_CORRUPTION' }, `cut at ${n}`);
  const longer = unhex(`${hex(good)}00`);
  t.throws(() => storedCoin(longer, 0, longer.length), { code: 'STORE_CORRUPTION' }, 'one byte too many');
  const x5 = unhex(`000004${'00'.repeat(31)}05`);
  t.throws(() => storedCoin(x5, 0, x5.length), { code: 'STORE_CORRUPTION' }, 'x = 5 is on no point');
});

t.test('encodes and decodes undo data, and rejects damaged data', async (t) => {
  t.equal(hex(encodeUndo([])), '00');
  const one: Coin = { value: 50 * 1e8, script: unhex(`76a914${'11'.repeat(20)}88ac`), height: 9, coinbase: true };
  t.equal(hex(encodeUndo([[one]])), `0101130032${'00'}${'11'.repeat(20)}`, 'count, inputs, 2*9+1, version byte, amount, form 0');
  t.equal(hex(encodeUndo([[{ ...one, height: 0 }]])), `01010132${'00'}${'11'.repeat(20)}`, 'no version byte at height 0');
  t.equal(decodeUndo(unhex(`010113860032${'00'}${'11'.repeat(20)}`))[0][0].height, 9, 'an old version number is skipped');
  const undoArbitrary = fc.array(fc.array(coinArbitrary, { maxLength: 5 }), { maxLength: 8 });
  const text = (spent: readonly (readonly Coin[])[]): string => JSON.stringify(spent.map((coins) => coins.map(plain)));
  fc.assert(
    fc.property(undoArbitrary, (spent) => text(decodeUndo(encodeUndo(spent))) === text(spent)),
    { numRuns: 200 },
  );
  t.throws(() => decodeUndo(unhex('feffffff01')), { code: 'STORE_CORRUPTION' }, 'counts are checked before anything is allocated');
  t.throws(() => decodeUndo(unhex('01fd0004')), { code: 'STORE_CORRUPTION' });
  t.throws(() => decodeUndo(unhex('0000')), { code: 'STORE_CORRUPTION' });
});

t.test('encodes and decodes rows of the block index, and rejects damaged rows', async (t) => {
  const header = Uint8Array.from({ length: 80 }, (_, i) => i);
  const row = { header, height: 840_000, status: 0x9d, txCount: 3050, file: 4241, blockPos: 8, undoPos: 0 };
  t.same(decodeIndexRow(encodeIndexRow(row)), row);
  t.same(decodeIndexRow(encodeIndexRow({ ...row, file: -1 })), { ...row, file: -1, blockPos: 0, undoPos: 0 }, 'no file, no positions');
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.nat(0x7fff_fffe),
      fc.nat(),
      fc.nat(),
      (height, status, txCount, file, blockPos, undoPos) => {
        const some = { header, height, status, txCount, file, blockPos, undoPos };
        return JSON.stringify(decodeIndexRow(encodeIndexRow(some))) === JSON.stringify(some);
      },
    ),
  );
  const good = encodeIndexRow(row);
  for (let n = 0; n < good.length; n++) t.throws(() => decodeIndexRow(good.slice(0, n)), { code: 'STORE_CORRUPTION' });
  t.throws(() => decodeIndexRow(Uint8Array.of(2, ...good.slice(1))), { code: 'STORE_CORRUPTION' }, 'a version from the future');
});

t.test('builds database keys with distinct prefixes and parses them back', async (t) => {
  const txid = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
  const outpoint = Uint8Array.of(...txid, 0x04, 0x03, 0x02, 0x01);
  t.equal(hex(layout.FIRST_COINS.key(outpoint)), `43${hex(txid)}01020304`);
  t.equal(hex(layout.outpointOfCoinKey(layout.FIRST_COINS.key(outpoint))), hex(outpoint));
  t.equal(hex(layout.blockIndexKey(txid)), `62${hex(txid)}`);
  t.equal(hex(layout.hashOfBlockIndexKey(layout.blockIndexKey(txid))), hex(txid));
  t.equal(hex(layout.flagKey('txindex')), `46${Buffer.from('txindex').toString('hex')}`);
  const { gte, lt } = layout.FIRST_COINS.ofTx(txid);
  for (const vout of ['00000000', 'ffffffff']) {
    const key = Buffer.from(`43${hex(txid)}${vout}`, 'hex');
    t.ok(Buffer.compare(gte, key) <= 0 && Buffer.compare(key, lt) < 0, "every index lies in its transaction's range");
  }
  const marker = layout.encodeFlushMarker(txid, txid.toReversed());
  t.same(layout.decodeFlushMarker(marker), { from: txid, to: txid.toReversed() });
  t.equal(layout.decodeFlushMarker(marker.slice(1)), null);
  const prefixes = Object.values(layout.PREFIX);
  t.equal(new Set(prefixes).size, prefixes.length, 'no prefix twice');
});
