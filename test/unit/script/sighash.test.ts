// The signature hashes against a slow model, over random transactions and hash types; and their odd cases.

import t from 'tap';
import { TaprootContext } from '../../../src/consensus/script/sig-version.js';
import {
  SIGHASH_ALL,
  SIGHASH_ANYONECANPAY,
  SIGHASH_DEFAULT,
  SIGHASH_NONE,
  SIGHASH_SINGLE,
  SighashCache,
} from '../../../src/consensus/script/sighash.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';
import { type NaiveTx, naiveLegacy, naiveSegwit, naiveTaproot } from '../../framework/naive-sighash.js';

const crypto = createNativeCrypto();
const SEED = 20261121;

const EMPTY = new Uint8Array(0);
const build = (tx: NaiveTx): TxView =>
  parseTx(buildTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, scriptSig: EMPTY })) }), crypto, { exact: true });

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const value = fc.integer({ min: 0, max: 2_100_000_000_000_000 });
// No ab: the model does not drop code separators. No pushes: a truncated one has rules of its own, tested below.
const plainScript = fc.uint8Array({ min: 0x51, max: 0xaa, maxLength: 300 });
const output = fc.record({ value, script: plainScript });
const arbitraryTx = fc.record({
  version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  inputs: fc.array(fc.record({ prevHash: fc.uint8Array({ minLength: 32, maxLength: 32 }), prevIndex: u32, sequence: u32 }), {
    minLength: 1,
    maxLength: 5,
  }),
  outputs: fc.array(output, { minLength: 1, maxLength: 5 }),
  locktime: u32,
});
const hashType = fc.oneof(fc.constantFrom(0, 1, 2, 3, 0x81, 0x82, 0x83), fc.integer({ min: 0, max: 255 }));

t.test('computes all three signature hashes as a slow model does', async (t) => {
  fc.assert(
    fc.property(
      arbitraryTx,
      fc.array(output, { minLength: 5, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(4), hashType, plainScript, fc.boolean()), { minLength: 1, maxLength: 8 }),
      fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: undefined }),
      (tx, outputs, asks, leafHash) => {
        const spent = outputs.slice(0, tx.inputs.length);
        // One cache for all questions: answers must not depend on what was asked before.
        const cache = new SighashCache(build(tx), asks.length % 2 === 0 ? crypto : createPureHashes(), spent);
        const context = new TaprootContext();
        if (leafHash !== undefined) context.tapleafHash = leafHash;
        for (const [at, type, script, again] of asks) {
          const i = at % tx.inputs.length;
          for (let k = 0; k < (again ? 2 : 1); k++) {
            if (hex(cache.legacy(i, script, type)) !== hex(naiveLegacy(tx, i, script, type))) return false;
            if (hex(cache.segwitV0(i, script, spent[i].value, type)) !== hex(naiveSegwit(tx, i, script, spent[i].value, type)))
              return false;
            const got = cache.taproot(i, type, context, leafHash !== undefined);
            const wanted = naiveTaproot(tx, i, spent, type, leafHash === undefined ? {} : { leafHash });
            if ((got === null ? null : hex(got)) !== (wanted === null ? null : hex(wanted))) return false;
          }
        }
        return true;
      },
    ),
    { seed: SEED, numRuns: 400 },
  );
  t.pass(`seed ${SEED}`);
});

const TX: NaiveTx = {
  version: 2,
  inputs: [0, 1, 2].map((n) => ({ prevHash: new Uint8Array(32).fill(n + 1), prevIndex: n, sequence: 0xfffffffe - n })),
  outputs: [
    { value: 1000, script: unhex('51') },
    { value: 2000, script: unhex('52') },
  ],
  locktime: 7,
};
const SPENT = [0, 1, 2].map((n) => ({ value: 5000 + n, script: unhex(`5${n}`) }));

t.test('computes legacy signature hashes of unusual inputs, separators and truncated pushes', async (t) => {
  const cache = new SighashCache(build(TX), crypto);
  const one = `01${'00'.repeat(31)}`;
  t.equal(hex(cache.legacy(2, unhex('ac'), 3)), one, 'SINGLE without its output');
  t.equal(hex(cache.legacy(2, unhex('ac'), 0x83)), one);
  for (const index of [3, 9]) t.equal(hex(cache.legacy(index, unhex('ac'), 1)), one, 'no such input');
  t.equal(hex(cache.legacy(0, unhex('abacab51ab'), 1)), hex(naiveLegacy(TX, 0, unhex('ac51'), 1)), 'code separators are dropped');
  t.equal(hex(cache.legacy(0, unhex('02abab'), 1)), hex(naiveLegacy(TX, 0, unhex('02abab'), 1)), 'but not from data');
  // A truncated push ends what is hashed, right behind the part of it that could be read; the size written is still the
  // whole script's.
  t.equal(hex(cache.legacy(0, unhex('ac05aabb'), 1)), hex(naiveLegacy(TX, 0, unhex('ac05'), 1, 4)));
  t.equal(hex(cache.legacy(0, unhex('abac4d0500aabb'), 2)), hex(naiveLegacy(TX, 0, unhex('ac4d0500'), 2, 6)));
  t.not(hex(cache.legacy(0, unhex('ac'), 0x41)), hex(cache.legacy(0, unhex('ac'), 1)), 'every bit of the type is hashed');
});

t.test('hashes a large transaction in parts to the same result', async (t) => {
  const large: NaiveTx = { ...TX, outputs: Array.from({ length: 200 }, (_, i) => ({ value: i, script: new Uint8Array(200).fill(0x51) })) };
  const cache = new SighashCache(build(large), crypto);
  const code = new Uint8Array(70000).fill(0x52);
  t.equal(hex(cache.legacy(1, unhex('ac05aabb'), 1)), hex(naiveLegacy(large, 1, unhex('ac05'), 1, 4)), 'a truncated push');
  const small = new SighashCache(build(TX), crypto);
  for (const type of [1, 2, 3, 0x81]) {
    t.equal(hex(small.legacy(1, code, type)), hex(naiveLegacy(TX, 1, code, type)), `${type}, a large script alone`);
    for (const script of [unhex('ac'), code.subarray(0, 300), code]) {
      t.equal(hex(cache.legacy(1, script, type)), hex(naiveLegacy(large, 1, script, type)), `${type}, ${script.length}`);
      t.equal(hex(cache.segwitV0(1, script, 9, type)), hex(naiveSegwit(large, 1, script, 9, type)), `${type}, ${script.length}`);
    }
  }
});

const many = (inputs: number, outputs: number): NaiveTx => ({
  version: 2,
  inputs: Array.from({ length: inputs }, (_, i) => ({ prevHash: new Uint8Array(32).fill(i), prevIndex: i, sequence: i * 3 })),
  outputs: Array.from({ length: outputs }, (_, i) => ({ value: i, script: new Uint8Array(i % 3).fill(0x51) })),
  locktime: 7,
});

t.test('hashes counts of three bytes in every kind of signature hash', async (t) => {
  const code = unhex('ac');
  // The last two: single hashes over more bytes than the memory that is shared holds, of outpoints and of scripts.
  for (const [inputs, outputs, scriptBytes] of [
    [252, 252, 1],
    [253, 253, 1],
    [1, 254, 1],
    [254, 1, 1],
    [1_821, 1, 1],
    [9, 1, 9_000],
  ] as const) {
    const tx = many(inputs, outputs);
    const spent = tx.inputs.map((_, i) => ({ value: 2 ** 33 + i, script: new Uint8Array(scriptBytes).fill(i) }));
    const cache = new SighashCache(build(tx), crypto, spent);
    for (const i of new Set([0, inputs - 1])) {
      for (const type of [1, 2, 3, 0x81, 0x82, 0x83]) {
        const name = `input ${i} of ${inputs}, ${outputs} outputs, type ${type}`;
        t.equal(hex(cache.legacy(i, code, type)), hex(naiveLegacy(tx, i, code, type)), name);
        t.equal(hex(cache.segwitV0(i, code, 9, type)), hex(naiveSegwit(tx, i, code, 9, type)), name);
        const taproot = cache.taproot(i, type, new TaprootContext(), false);
        t.equal(taproot && hex(taproot), naiveTaproot(tx, i, spent, type)?.toString('hex') ?? null, name);
      }
    }
  }
});

t.test('hashes output counts of three and five bytes in the legacy signature hash', async (t) => {
  for (const outputs of [65_535, 65_536]) {
    const tx = many(1, outputs);
    const cache = new SighashCache(build(tx), crypto);
    t.equal(hex(cache.legacy(0, unhex('ac'), 0x81)), hex(naiveLegacy(tx, 0, unhex('ac'), 0x81)), `${outputs}`);
  }
});

t.test('reuses the last signature hash only for the same arguments', async (t) => {
  const cache = new SighashCache(build(TX), crypto);
  const code = unhex('ac');
  for (const amount of [1, 2, 1]) t.equal(hex(cache.segwitV0(0, code, amount, 1)), hex(naiveSegwit(TX, 0, code, amount, 1)));
  for (const type of [1, 2, 1]) t.equal(hex(cache.legacy(0, code, type)), hex(naiveLegacy(TX, 0, code, type)));
  for (const index of [1, 2, 1]) t.equal(hex(cache.segwitV0(index, code, 1, 1)), hex(naiveSegwit(TX, index, code, 1, 1)));
  t.equal(hex(cache.legacy(1, code, 1)), hex(naiveLegacy(TX, 1, code, 1)));
  for (const type of [1, 2, 0x80, 0x81, 0xff]) {
    cache.segwitV0(0, code, 0, type);
    for (const legacy of [type, 0x100 - type]) t.equal(hex(cache.legacy(0, code, legacy)), hex(naiveLegacy(TX, 0, code, legacy)));
  }
});

t.test('never confuses cached signature hashes, and does not compute one twice', async (t) => {
  const tx = build(many(513, 3));
  const code = unhex('ac');
  const types = [0, 1, 0x80, 0xff];
  const questions = [0, 1, 2, 512].flatMap((index) => [
    // Types of more than a byte come from vectors alone.
    ...[...types, -1, 0x100, 0x201].map((type) => (cache: SighashCache) => cache.legacy(index, code, type)),
    ...types.map((type) => (cache: SighashCache) => cache.segwitV0(index, code, 0, type)),
  ]);
  const answers = questions.map((ask) => hex(ask(new SighashCache(tx, crypto))));
  const cache = new SighashCache(tx, crypto);
  let wrong = 0;
  for (const [i, first] of questions.entries()) {
    for (const [k, second] of questions.entries()) {
      first(cache);
      if (hex(second(cache)) !== answers[k]) t.fail(`question ${k} after question ${i}, ${++wrong}`);
    }
  }
  for (const type of types) {
    t.equal(cache.legacy(1, code, type), cache.legacy(1, Uint8Array.from(code), type), `type ${type}`);
    t.equal(cache.segwitV0(1, code, 5, type), cache.segwitV0(1, Uint8Array.from(code), 5, type), `type ${type}`);
  }
});

t.test('hashes the parts that all inputs share once', async (t) => {
  const tx = many(50, 2);
  const spent = tx.inputs.map(() => ({ value: 1, script: unhex('51') }));
  let calls = 0;
  const sha256 = (bytes: Uint8Array): Uint8Array => {
    calls++;
    return crypto.sha256(bytes);
  };
  const cache = new SighashCache(build(tx), { ...crypto, sha256 }, spent);
  for (const i of tx.inputs.keys()) {
    cache.segwitV0(i, unhex('ac'), 1, 1);
    cache.taproot(i, 1, new TaprootContext(), false);
  }
  t.equal(calls, 8, 'outpoints, sequences, outputs: once and twice over; amounts, scripts');
});

t.test('spells out the hash types, and hashes negative amounts', async (t) => {
  t.same([SIGHASH_DEFAULT, SIGHASH_ALL, SIGHASH_NONE, SIGHASH_SINGLE, SIGHASH_ANYONECANPAY], [0, 1, 2, 3, 128]);
  const cache = new SighashCache(build(TX), crypto);
  for (const amount of [-1, -(2 ** 32), -21e14]) {
    t.equal(hex(cache.segwitV0(0, unhex('ac'), amount, 1)), hex(naiveSegwit(TX, 0, unhex('ac'), amount, 1)), `${amount}`);
  }
});

t.test('taproot signature hashes commit to annex, leaf and separator, and need all spent outputs', async (t) => {
  const tx = build(TX);
  const cache = new SighashCache(tx, crypto, SPENT);
  const context = new TaprootContext();
  const annex = unhex('50aabb');
  context.annexHash = crypto.sha256(unhex('0350aabb'));
  t.equal(hex(cache.taproot(1, 0, context, false) as Uint8Array), hex(naiveTaproot(TX, 1, SPENT, 0, { annex }) as Buffer));
  context.tapleafHash = new Uint8Array(32).fill(9);
  context.codeSeparatorPos = 77;
  const more = { annex, leafHash: context.tapleafHash, codeSeparator: 77 };
  for (const type of [0, 1, 2, 3, 0x81, 0x82, 0x83]) {
    t.equal(
      hex(cache.taproot(1, type, context, true) as Uint8Array),
      hex(naiveTaproot(TX, 1, SPENT, type, more) as Buffer),
      `type ${type}`,
    );
  }
  const byKey = cache.taproot(1, 1, context, false) as Uint8Array;
  t.equal(hex(byKey), hex(naiveTaproot(TX, 1, SPENT, 1, { annex }) as Buffer), 'the leaf of another spend is none of a key');
  t.equal(cache.taproot(3, 1, context, true), null, 'no such input');
  const large = [SPENT[0], { value: 1, script: new Uint8Array(70_000).fill(0x51) }, SPENT[2]];
  t.equal(
    hex(new SighashCache(tx, crypto, large).taproot(1, 0x83, context, true) as Uint8Array),
    hex(naiveTaproot(TX, 1, large, 0x83, more) as Buffer),
    'a script larger than the memory that is shared',
  );
  for (const type of [4, 0x80, 0x84, 0xff]) t.equal(cache.taproot(1, type, context, true), null, `type ${type}`);
  t.equal(cache.taproot(2, 3, context, true), null, 'SINGLE without its output');
  for (const spent of [null, SPENT.slice(0, 2), [SPENT[0], SPENT[1], null]]) {
    t.equal(new SighashCache(tx, crypto, spent).taproot(0, 0, context, false), null);
    t.equal(new SighashCache(tx, crypto, spent).taproot(0, 0x81, context, false), null);
  }
});
