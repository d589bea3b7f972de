// Tests readers, writers, hex and compact sizes: round trips, and all inputs that are too short or not canonical.

import t from 'tap';
import { compactSizeLength, encodeCompactSize, parseCompactSize } from '../../../src/consensus/bytes/compact-size.js';
import {
  compareBytes,
  equalBytes,
  fromHex,
  hashFromHex,
  hashKey,
  hashToHex,
  isHex,
  isZero,
  toHex,
} from '../../../src/consensus/bytes/hex.js';
import { KeyTable } from '../../../src/consensus/bytes/key-table.js';
import { ByteReader, DecodeError } from '../../../src/consensus/bytes/reader.js';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import { fc } from '../../framework/fast-check.js';

const SEED = 20240814;
fc.configureGlobal({ seed: SEED, numRuns: 300 });

t.test('converts bytes and hashes to hex and back, and rejects malformed hex', async (t) => {
  t.equal(toHex(Uint8Array.of(0, 1, 0xab, 0xff)), '0001abff');
  t.same(fromHex('0001ABff'), Uint8Array.of(0, 1, 0xab, 0xff));
  t.same(fromHex(''), new Uint8Array(0));
  for (const bad of ['0', 'zz', '0g', 'g0', '00 0', '\u0130\u0130', '-1']) t.throws(() => fromHex(bad), DecodeError, bad);
  t.same(['', '0', '00', 'aB', 'xx', '0x00', '\u0660\u0660'].map(isHex), [false, false, true, true, false, false, false]);
  t.equal(hashToHex(Uint8Array.from({ length: 32 }, (_, i) => i)).slice(0, 6), '1f1e1d');
  t.throws(() => hashFromHex('00'), DecodeError);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40_000 }), (bytes) => {
      t.equal(toHex(bytes), Buffer.from(bytes).toString('hex'));
      return equalBytes(fromHex(toHex(bytes)), bytes);
    }),
    { numRuns: 50 },
  );
  fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (h) => equalBytes(hashFromHex(hashToHex(h)), h)));
});

t.test('converts hex longer than one internal chunk', async (t) => {
  for (const length of [4_095, 4_096, 4_097, 8_192, 20_001]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) ^ (i >> 8));
    t.equal(toHex(bytes), Buffer.from(bytes).toString('hex'), `${length} bytes`);
    t.ok(equalBytes(fromHex(toHex(bytes)), bytes));
  }
});

t.test('makes keys with one character per byte, for hashes and other lengths', async (t) => {
  for (let length = 30; length <= 37; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => 255 - i);
    t.equal(hashKey(bytes), Buffer.from(bytes).toString('latin1'), `${length} bytes`);
  }
});

t.test('compares bytes as Buffer.compare does', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
      const order = Math.sign(Buffer.compare(a, b));
      return Math.sign(compareBytes(a, b)) === order && equalBytes(a, b) === (order === 0) && (hashKey(a) === hashKey(b)) === (order === 0);
    }),
  );
  t.ok(isZero(new Uint8Array(5)));
  t.notOk(isZero(Uint8Array.of(0, 0, 1)));
});

t.test('writes and reads integers, and rejects truncated ones', async (t) => {
  const bytes = new ByteWriter(1)
    .u8(0xfe)
    .u16(0xfedc)
    .u32(0xfedcba98)
    .i32(-2)
    .u64(2 ** 53 - 1)
    .u64(-1n)
    .finish();
  t.equal(toHex(bytes), 'fedcfe98badcfefeffffffffffffffffff1f00ffffffffffffffff');
  const reader = new ByteReader(bytes);
  t.equal(reader.u8(), 0xfe);
  t.equal(reader.u16(), 0xfedc);
  t.equal(reader.u32(), 0xfedcba98);
  t.equal(reader.i32(), -2);
  t.equal(reader.u64(), 2 ** 53 - 1);
  t.equal(reader.i64big(), -1n);
  t.equal(reader.remaining, 0);
  t.throws(() => reader.u8(), DecodeError);
  t.throws(() => new ByteReader(fromHex('0000000000002000')).u64(), DecodeError, '2^53 is not safe');
  t.throws(() => new ByteReader(new Uint8Array(4), 5), DecodeError);
  t.throws(() => new ByteReader(new Uint8Array(4), 0, 5), DecodeError);
  for (const [name, size] of [
    ['u16', 2],
    ['u32', 4],
    ['i32', 4],
    ['u64', 8],
    ['i64big', 8],
    ['hash', 32],
  ] as const) {
    t.throws(() => new ByteReader(new Uint8Array(size - 1))[name](), DecodeError, `${name} of too few bytes`);
  }
});

t.test('writes and reads compact sizes, and rejects truncated and non-canonical ones', async (t) => {
  const edges: [bigint, string][] = [
    [0n, '00'],
    [252n, 'fc'],
    [253n, 'fdfd00'],
    [0xffffn, 'fdffff'],
    [0x10000n, 'fe00000100'],
    [0xffffffffn, 'feffffffff'],
    [0x100000000n, 'ff0000000001000000'],
    [0xffffffffffffffffn, 'ffffffffffffffffff'],
  ];
  for (const [value, hex] of edges) {
    t.equal(toHex(encodeCompactSize(value)), hex);
    t.equal(compactSizeLength(value), hex.length / 2);
    t.same(parseCompactSize(fromHex(hex)), { value, length: hex.length / 2 });
    t.same(parseCompactSize(fromHex(`0000${hex}`), 2), { value, length: hex.length / 2 });
    for (let cut = 0; cut < hex.length; cut += 2) t.throws(() => parseCompactSize(fromHex(hex.slice(0, cut))), DecodeError);
  }
  for (const hex of ['fdfc00', 'feffff0000', 'ffffffffff00000000']) {
    t.throws(() => new ByteReader(fromHex(hex)).compactSize(2 ** 53 - 1), /non-canonical/, hex);
    t.throws(() => parseCompactSize(fromHex(hex)), /non-canonical/, hex);
  }
  t.equal(new ByteReader(fromHex('fe00000002')).compactSize(), 0x02000000);
  t.throws(() => new ByteReader(fromHex('fe01000002')).compactSize(), /too large/);
  t.throws(() => new ByteReader(fromHex('05')).compactSize(4), /too large/);
  t.throws(() => new ByteReader(fromHex('feffffff01aabb')).varBytes(), /end of data/);
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => parseCompactSize(encodeCompactSize(value)).value === value));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (data) => {
      const reader = new ByteReader(new ByteWriter().varBytes(data).finish());
      return equalBytes(reader.varBytes(), data) && reader.remaining === 0;
    }),
  );
});

t.test('numbers ids and outpoints as a map does', async (t) => {
  // Few different byte values, so that keys often agree in most bytes.
  const key = fc.array(fc.constantFrom(0, 1, 255), { minLength: 36, maxLength: 36 }).map((bytes) => Uint8Array.from(bytes));
  fc.assert(
    fc.property(
      fc.constantFrom(32, 36),
      fc.constantFrom(0, 30, 1_000),
      fc.array(fc.tuple(key, fc.boolean()), { maxLength: 300 }),
      (length, expected, steps) => {
        const table = new KeyTable(length, expected);
        const model = new Map<string, number>();
        for (const [i, [bytes, put]] of steps.entries()) {
          // Two of three steps repeat an earlier key, because random keys are rarely equal.
          const one = i % 3 === 0 ? bytes : (steps[i - (i % 3)]?.[0] as Uint8Array);
          // Put the key at some position among other bytes, as in a block.
          const at = i % 5;
          const lying = new Uint8Array(at + 40).fill(7);
          lying.set(one, at);
          const name = one.subarray(0, length).join();
          if (table.get(lying, at) !== model.get(name)) return false;
          if (!put) continue;
          // A key that is already in the table keeps its number when it is added again.
          if (table.add(lying, at, i) === model.has(name)) return false;
          if (!model.has(name)) model.set(name, i);
        }
        return steps.every(([bytes]) => table.get(bytes) === model.get(bytes.subarray(0, length).join()));
      },
    ),
  );
  for (const expected of [0, 20_000]) {
    const many = new KeyTable(32, expected);
    const keys = Array.from({ length: 20_000 }, (_, i) => Uint8Array.from({ length: 32 }, (_, k) => (k < 4 ? i >>> (8 * k) : 0)));
    for (const [i, one] of keys.entries()) many.add(one, 0, i);
    t.ok(keys.every((one, i) => many.get(one) === i));
  }
});
