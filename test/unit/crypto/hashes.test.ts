// Native and pure hashes: published test values, agreement with each other, and the promise of fresh plain arrays.

import t from 'tap';
import type { Hashes } from '../../../src/crypto/crypto.js';
import { loadDirectHashes } from '../../../src/crypto/native/direct-hashes.js';
import { createNodeHashes } from '../../../src/crypto/native/hashes.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { sipHash24, sipKey } from '../../../src/crypto/siphash.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

const implementations: [string, Hashes][] = [
  ['node', createNodeHashes()],
  ['pure', createPureHashes()],
];
const direct = loadDirectHashes(createNodeHashes());
if (direct === null) t.comment('direct: this node exports no OpenSSL functions, not tested');
else implementations.push(['direct', direct]);

for (const [name, hashes] of implementations) {
  t.test(`${name}: computes the published values for "abc" and the empty string`, async (t) => {
    const abc = ascii('abc');
    t.equal(hex(hashes.sha256(abc)), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    t.equal(hex(hashes.sha256d(abc)), '4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358');
    t.equal(hex(hashes.sha1(abc)), 'a9993e364706816aba3e25717850c26c9cd0d89d');
    t.equal(hex(hashes.ripemd160(abc)), '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc');
    t.equal(hex(hashes.hash160(abc)), 'bb1be98c142444d7a56aa3981c3942a978e4dc33');
    t.equal(hex(hashes.ripemd160(new Uint8Array(0))), '9c1185a5c5e9fc54612808977ee8f548b2258d31');
    t.equal(hex(hashes.sha1(new Uint8Array(0))), 'da39a3ee5e6b4b0d3255bfef95601890afd80709');
  });

  t.test(`${name}: computes BIP-0340 tagged hashes however the message is split`, async (t) => {
    const tag = hashes.sha256(ascii('TapTweak'));
    for (const size of [0, 1, 31, 64, 1_000, 2_000, 5_000]) {
      const message = new Uint8Array(size).fill(7);
      const whole = new Uint8Array([...tag, ...tag, ...message]);
      const expected = hex(hashes.sha256(whole));
      t.equal(hex(hashes.taggedHash('TapTweak', message)), expected, `${size} bytes`);
      t.equal(
        hex(hashes.taggedHash('TapTweak', message.subarray(0, size >> 1), message.subarray(size >> 1))),
        expected,
        `${size} bytes in two`,
      );
    }
  });

  t.test(`${name}: returns plain arrays that later calls do not overwrite`, async (t) => {
    const data = ascii('x');
    const first = hashes.sha256(data);
    hashes.sha256(ascii('y'));
    t.equal(Object.getPrototypeOf(first), Uint8Array.prototype, 'no Buffer: its slice() would share memory');
    t.equal(hex(first), hex(hashes.sha256(data)), 'not overwritten by the next call');
    t.equal(Object.getPrototypeOf(hashes.taggedHash('t', data)), Uint8Array.prototype);
    t.equal(Object.getPrototypeOf(hashes.sha256Stream().update(data).digest()), Uint8Array.prototype);
  });

  t.test(`${name}: hashes shared memory like a copy of it`, async (t) => {
    for (const size of [80, 9_000]) {
      const shared = new Uint8Array(new SharedArrayBuffer(size + 20), 5, size).fill(3);
      const copy = new Uint8Array(shared);
      t.equal(hex(hashes.sha256d(shared)), hex(hashes.sha256d(copy)));
      t.equal(hex(hashes.hash160(shared)), hex(hashes.hash160(copy)));
      t.equal(hex(hashes.sha1(shared)), hex(hashes.sha1(copy)));
      t.equal(hex(hashes.sha256Stream().update(shared).digest()), hex(hashes.sha256(copy)));
      t.equal(hex(hashes.taggedHash('t', shared)), hex(hashes.taggedHash('t', copy)));
    }
  });
}

const pure = createPureHashes();
for (const [name, hashes] of implementations) {
  if (name === 'pure') continue;
  t.test(`${name} and pure agree on random input`, async () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: 'grapheme-ascii' }),
        (a, b, tag) => {
          const same = (name: string, x: Uint8Array, y: Uint8Array): void => {
            if (hex(x) !== hex(y)) throw new Error(`${name} differs`);
          };
          same('sha256', hashes.sha256(a), pure.sha256(a));
          same('sha256d', hashes.sha256d(a), pure.sha256d(a));
          same('sha1', hashes.sha1(a), pure.sha1(a));
          same('ripemd160', hashes.ripemd160(a), pure.ripemd160(a));
          same('hash160', hashes.hash160(a), pure.hash160(a));
          same('stream', hashes.sha256Stream().update(a).update(b).digest(), pure.sha256Stream().update(a).update(b).digest());
          same('tagged', hashes.taggedHash(tag, a, b), pure.taggedHash(tag, a, b));
        },
      ),
      { numRuns: 200 },
    );
  });
}

for (const [name, hashes] of implementations) {
  t.test(`${name}: follows a branch of a hash tree to its root`, async () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 })),
        (leaf, branch) => {
          let wanted: Uint8Array = leaf;
          for (const sibling of branch) wanted = pure.sha256d(new Uint8Array([...wanted, ...sibling]));
          const root = leaf.slice();
          hashes.sha256dPath(root, new Uint32Array(new Uint8Array(branch.flatMap((one) => [...one])).buffer));
          if (hex(root) !== hex(wanted)) throw new Error('they differ');
        },
      ),
    );
  });
}

for (const [name, hashes] of implementations) {
  t.test(`${name}: hashes pairs as one by one, at any offset and in place`, async () => {
    const layout = fc.record({
      count: fc.nat(9),
      at: fc.nat(70),
      toAt: fc.nat(70),
      bytes: fc.uint8Array({ minLength: 720, maxLength: 720 }),
    });
    fc.assert(
      fc.property(layout, ({ count, at, toAt, bytes }) => {
        const each = (i: number): Uint8Array => pure.sha256d(bytes.subarray(at + i * 64, at + i * 64 + 64));
        const check = (to: Uint8Array, before: Uint8Array, from: number): void => {
          const wanted = before.slice();
          for (let i = 0; i < count; i++) wanted.set(each(i), from + i * 32);
          if (hex(to) !== hex(wanted)) throw new Error('they differ');
        };
        const elsewhere = new Uint8Array(400).fill(7);
        hashes.sha256dPairs(bytes, at, count, elsewhere, toAt);
        check(elsewhere, new Uint8Array(400).fill(7), toAt);
        const inPlace = bytes.slice();
        hashes.sha256dPairs(inPlace, at, count, inPlace, at);
        check(inPlace, bytes, at);
      }),
      { numRuns: 200 },
    );
  });
}

for (const [name, hashes] of implementations) {
  t.test(`${name}: hashes joined pieces as a whole`, async () => {
    const layout = fc.record({
      bytes: fc.uint8Array({ minLength: 6_000, maxLength: 6_000 }),
      pieces: fc.array(fc.tuple(fc.nat(6_000), fc.nat(5_000)), { maxLength: 4 }),
      toAt: fc.nat(70),
    });
    fc.assert(
      fc.property(layout, ({ bytes, pieces, toAt }) => {
        const ranges = pieces.map(([start, length]) => [start, Math.min(bytes.length, start + length)] as const);
        const joined = Uint8Array.from(ranges.flatMap(([start, end]) => [...bytes.subarray(start, end)]));
        const wanted = new Uint8Array(110).fill(7);
        wanted.set(pure.sha256d(joined), toAt);
        const to = new Uint8Array(110).fill(7);
        hashes.sha256dPieces(bytes, Int32Array.from(ranges.flat()), ranges.length, to, toAt);
        if (hex(to) !== hex(wanted)) throw new Error('they differ');
      }),
      { numRuns: 200 },
    );
  });
}

t.test(
  'rejects direct hashes that disagree with the reference',
  { skip: direct === null && 'no direct hashes in this Node.js' },
  async (t) => {
    const wrong = { ...createNodeHashes(), ripemd160: (data: Uint8Array) => createNodeHashes().sha1(data) };
    t.equal(loadDirectHashes(wrong), null);
  },
);

t.test(
  'allows direct streams and one-shot hashes to be interleaved',
  { skip: direct === null && 'no direct hashes in this Node.js' },
  async (t) => {
    const { sha256, sha256d, sha256Stream, taggedHash } = direct as Hashes;
    const [a, b] = [sha256Stream(), sha256Stream()];
    a.update(ascii('ab'));
    sha256d(ascii('noise'));
    b.update(ascii('x'));
    taggedHash('tag', ascii('noise'));
    a.update(ascii('c'));
    b.update(new Uint8Array(9_000));
    t.equal(hex(a.digest()), hex(sha256(ascii('abc'))));
    t.equal(hex(b.digest()), hex(sha256(Uint8Array.from([...ascii('x'), ...new Uint8Array(9_000)]))));
  },
);

t.test('computes the published values of SipHash-2-4', async (t) => {
  const key = sipKey(Uint8Array.from({ length: 16 }, (_, i) => i));
  const text = (length: number): string => {
    const [low, high] = sipHash24(
      key,
      Uint8Array.from({ length }, (_, i) => i),
    );
    return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
  };
  t.equal(text(0), '726fdb47dd0e0e31');
  t.equal(text(1), '74f839c593dc67fd');
  t.equal(text(15), 'a129ca6149be45e5');
});
