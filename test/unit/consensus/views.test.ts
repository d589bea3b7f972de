// Tests transactions, headers and blocks that are read at their position in a larger buffer. Everything that a view
// returns must equal the values that a simple encoder wrote, also at sizes where a length takes more bytes and where
// the table of offsets grows.

import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { parseHeader } from '../../../src/consensus/block/header-view.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { hex, unhex } from '../../framework/hex.js';

const hashes = createPureHashes();
const SEED = 20261125;

const sha256d = (bytes: Uint8Array): string => {
  const once = createHash('sha256').update(bytes).digest();
  return createHash('sha256').update(once).digest('hex');
};
const u32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0);
  return out;
};
const size = (value: number): Buffer => {
  if (value < 253) return Buffer.of(value);
  if (value < 65_536) return Buffer.of(253, value & 255, value >> 8);
  return Buffer.concat([Buffer.of(254), u32(value)]);
};
const sized = (bytes: Uint8Array): Buffer => Buffer.concat([size(bytes.length), bytes]);

interface PlainInput {
  readonly prevHash: Uint8Array;
  readonly prevIndex: number;
  readonly script: Uint8Array;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}
interface PlainOutput {
  readonly value: bigint;
  readonly script: Uint8Array;
}
interface PlainTx {
  readonly version: number;
  readonly inputs: readonly PlainInput[];
  readonly outputs: readonly PlainOutput[];
  readonly locktime: number;
}

const outpointOf = ({ prevHash, prevIndex }: PlainInput): Buffer => Buffer.concat([prevHash, u32(prevIndex)]);
const outputBytes = ({ value, script }: PlainOutput): Buffer => {
  const out = Buffer.alloc(8);
  out.writeBigInt64LE(value);
  return Buffer.concat([out, sized(script)]);
};

interface Encoded {
  readonly legacy: Buffer;
  readonly whole: Buffer;
  readonly hasWitness: boolean;
}

/** Encodes a transaction in both forms: without and with witness. */
function encodeAnew(tx: PlainTx): Encoded {
  const hasWitness = tx.inputs.some(({ witness }) => witness.length > 0);
  const inputs = tx.inputs.map((input) => Buffer.concat([outpointOf(input), sized(input.script), u32(input.sequence)]));
  const lists = Buffer.concat([size(inputs.length), ...inputs, size(tx.outputs.length), ...tx.outputs.map(outputBytes)]);
  const legacy = Buffer.concat([u32(tx.version), lists, u32(tx.locktime)]);
  const stacks = tx.inputs.flatMap(({ witness }) => [size(witness.length), ...witness.map(sized)]);
  const whole = hasWitness ? Buffer.concat([u32(tx.version), Buffer.of(0, 1), lists, ...stacks, u32(tx.locktime)]) : legacy;
  return { legacy, whole, hasWitness };
}
const encodings = new WeakMap<PlainTx, Encoded>();
const encode = (tx: PlainTx): Encoded => {
  const encoded = encodings.get(tx) ?? encodeAnew(tx);
  encodings.set(tx, encoded);
  return encoded;
};

/** Returns everything that a view should show, computed from plain values. */
function shown(tx: PlainTx, at: number): object {
  const { legacy, whole, hasWitness } = encode(tx);
  const weight = legacy.length * 3 + whole.length;
  const isNull = tx.inputs.map(({ prevHash, prevIndex }) => prevIndex === 2 ** 32 - 1 && prevHash.every((byte) => byte === 0));
  // Outpoints start after version, marker, count and the inputs before them.
  let place = at + 4 + (hasWitness ? 2 : 0) + size(tx.inputs.length).length;
  const places = tx.inputs.map(({ script }) => {
    place += 36 + sized(script).length + 4;
    return place - (36 + sized(script).length + 4);
  });
  return {
    start: at,
    end: at + whole.length,
    bytes: hex(whole),
    stripped: hex(legacy),
    sizes: [whole.length, legacy.length, weight, Math.ceil(weight / 4)],
    ids: [sha256d(legacy), sha256d(whole), sha256d(legacy)],
    counts: [tx.inputs.length, tx.outputs.length],
    marks: [hasWitness, tx.inputs.length === 1 && isNull[0] === true],
    version: tx.version,
    locktime: tx.locktime,
    inputs: tx.inputs.map((input, i) => ({
      place: places[i],
      outpoint: hex(outpointOf(input)),
      prevHash: hex(input.prevHash),
      prevIndex: input.prevIndex,
      script: [hex(input.script), input.script.length],
      sequence: input.sequence,
      isNull: isNull[i],
      witness: input.witness.map(hex),
      witnessCount: input.witness.length,
      sum: input.witness.reduce((sum, { length }) => sum + length * length + 1, 0),
    })),
    outputs: tx.outputs.map((output) => ({
      values: [Number(output.value), output.value],
      script: [hex(output.script), output.script.length],
      bytes: hex(outputBytes(output)),
    })),
    outputsSerialized: hex(Buffer.concat(tx.outputs.map(outputBytes))),
    facts: null,
  };
}

/** Returns what the view shows. */
function received(tx: TxView): object {
  return {
    start: tx.start,
    end: tx.end,
    bytes: hex(tx.bytes),
    stripped: hex(tx.stripped()),
    sizes: [tx.totalSize, tx.strippedSize, tx.weight, tx.vsize],
    // Read the first id again: the bytes that computing the other id left in shared memory must not affect it.
    ids: [hex(tx.txid), hex(tx.wtxid), hex(tx.txid)],
    counts: [tx.inputCount, tx.outputCount],
    marks: [tx.hasWitness, tx.isCoinbase],
    version: tx.version,
    locktime: tx.locktime,
    inputs: Array.from({ length: tx.inputCount }, (_, i) => ({
      place: tx.outpointAt(i),
      outpoint: hex(tx.outpoint(i)),
      prevHash: hex(tx.prevHash(i)),
      prevIndex: tx.prevIndex(i),
      script: [hex(tx.scriptSig(i)), tx.scriptSigLength(i)],
      sequence: tx.sequence(i),
      isNull: tx.isNullOutpoint(i),
      witness: tx.witness(i).map(hex),
      witnessCount: tx.witnessCount(i),
      sum: tx.sumOfWitness(i, (length) => length * length + 1),
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({
      values: [tx.outputValue(i), tx.outputValueBig(i)],
      script: [hex(tx.outputScript(i)), tx.outputScriptLength(i)],
      bytes: hex(tx.outputBytes(i)),
    })),
    outputsSerialized: hex(tx.outputsSerialized),
    facts: tx.facts,
  };
}

const word = fc.oneof(fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
// Lengths close to those where the compact size takes three bytes, and a few others.
const bytes = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(252, 253, 254, 600).map((length) => new Uint8Array(length).fill(0x51)) },
);
const prevHash = fc.oneof(fc.constant(new Uint8Array(32)), fc.uint8Array({ minLength: 32, maxLength: 32 }));
const witness = fc.oneof(fc.constant([]), fc.array(bytes, { maxLength: 4 }));
// A value above 2^53 is rounded as Number() rounds it.
const value = fc.oneof(fc.bigInt(0n, 21n * 10n ** 14n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));
const plainTx: fc.Arbitrary<PlainTx> = fc.record({
  version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  inputs: fc.array(fc.record({ prevHash, prevIndex: word, script: bytes, sequence: word, witness }), { minLength: 1, maxLength: 4 }),
  outputs: fc.array(fc.record({ value, script: bytes }), { maxLength: 4 }),
  locktime: word,
});

/** A transaction with many inputs and outputs, which all differ. */
const manyInputs = (inputs: number, outputs: number, witnesses: boolean): PlainTx => ({
  version: 2,
  inputs: Array.from({ length: inputs }, (_, i) => ({
    prevHash: new Uint8Array(32).fill(i),
    prevIndex: i,
    script: new Uint8Array(i % 3).fill(i),
    sequence: i * 7,
    witness: witnesses && i % 2 === 1 ? [Uint8Array.of(i), new Uint8Array(i % 5)] : [],
  })),
  outputs: Array.from({ length: outputs }, (_, i) => ({ value: BigInt(i), script: new Uint8Array(i % 4).fill(i) })),
  locktime: 9,
});
const long = (length: number): Uint8Array => new Uint8Array(length).fill(0x6a);
const LARGE: readonly PlainTx[] = [
  manyInputs(252, 253, true),
  manyInputs(253, 252, false),
  // These need more positions than the memory that single transactions share. An input needs 4, an output 2.
  manyInputs(257, 0, true),
  manyInputs(1, 600, false),
  {
    ...manyInputs(2, 1, true),
    outputs: [65_535, 65_536].map((length) => ({ value: 1n, script: long(length) })),
    inputs: manyInputs(2, 0, true).inputs.map((input, i) => ({ ...input, script: long(65_535 + i), witness: [long(65_536), long(i)] })),
  },
];

t.test('reads a transaction inside a larger buffer as it was encoded, also after others were read', async (t) => {
  const check = (txs: readonly PlainTx[], before: number, after: number): void => {
    const placed = txs.map((tx) => {
      const buffer = Buffer.concat([Buffer.alloc(before, 0xee), encode(tx).whole, Buffer.alloc(after, 0xee)]);
      return { tx, view: parseTx(new Uint8Array(buffer), hashes, { offset: before }) };
    });
    for (const { tx, view } of placed) deepStrictEqual(received(view), shown(tx, before));
  };
  fc.assert(
    fc.property(fc.array(plainTx, { minLength: 1, maxLength: 3 }), fc.nat(5), fc.nat(5), (txs, before, after) => {
      check(txs, before, after);
      return true;
    }),
    { seed: SEED, numRuns: 60 },
  );
  check(LARGE, 3, 2);
  t.pass(`seed ${SEED}`);
});

t.test('returns the original bytes of a transaction without witness, else a stable stripped copy', async (t) => {
  const bare = parseTx(new Uint8Array(Buffer.concat([Buffer.of(0xee), encode(manyInputs(2, 2, false)).whole])), hashes, { offset: 1 });
  t.equal(bare.stripped().buffer, bare.buffer.buffer);
  const tx = manyInputs(2, 2, true);
  const view = parseTx(new Uint8Array(encode(tx).whole), hashes);
  const stripped = view.stripped();
  // Ids are computed from bytes that are joined in shared memory.
  t.equal(hex(view.txid), sha256d(encode(tx).legacy));
  t.equal(hex(parseTx(new Uint8Array(encode(manyInputs(4, 4, true)).whole), hashes).txid), sha256d(encode(manyInputs(4, 4, true)).legacy));
  t.equal(hex(stripped), hex(encode(tx).legacy));
});

t.test('reads the six fields and the hash of a header at any offset', async (t) => {
  const field = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const fields = fc.record({
    version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    prevHash: field,
    root: field,
    numbers: fc.tuple(word, word, word),
  });
  fc.assert(
    fc.property(fields, fc.option(fc.nat(5), { nil: undefined }), fc.nat(5), ({ version, prevHash, root, numbers }, before, after) => {
      const bytes = Buffer.concat([u32(version), prevHash, root, ...numbers.map(u32)]);
      const buffer = Buffer.concat([Buffer.alloc(before ?? 0, 0xee), bytes, Buffer.alloc(after, 0xee)]);
      const header = parseHeader(buffer, hashes, ...(before === undefined ? [] : [before]));
      deepStrictEqual(
        [header.bytes, header.prevHash, header.merkleRoot, header.hash].map(hex),
        [bytes, prevHash, root].map(hex).concat(sha256d(bytes)),
      );
      deepStrictEqual([header.version, header.time, header.bits, header.nonce], [version, ...numbers]);
    }),
    { seed: SEED, numRuns: 50 },
  );
  const short = { name: 'DecodeError', message: 'a header has 80 bytes' };
  for (const [length, offset] of [
    [79, 0],
    [81, 2],
    [100, -1],
  ] as const) {
    t.throws(() => parseHeader(new Uint8Array(length), hashes, offset), short, `${length} bytes, from ${offset}`);
  }
});

const HEADER = unhex(`02000000${'aa'.repeat(32)}${'bb'.repeat(32)}01000000ffff7f2007000000`);
const blockOf = (txs: readonly Uint8Array[], count = txs.length): Buffer => Buffer.concat([HEADER, size(count), ...txs]);

t.test('reads a block inside a larger buffer as it was encoded', async (t) => {
  const check = (txs: readonly PlainTx[], before: number, after: number): void => {
    const bytes = blockOf(txs.map((tx) => encode(tx).whole));
    const buffer = Buffer.concat([Buffer.alloc(before, 0xee), bytes, Buffer.alloc(after, 0xee)]);
    const block = parseBlock(new Uint8Array(buffer), hashes, { offset: before });
    const strippedSize = blockOf(txs.map((tx) => encode(tx).legacy)).length;
    let at = before + 80 + size(txs.length).length;
    const expected = txs.map((tx) => {
      at += encode(tx).whole.length;
      return shown(tx, at - encode(tx).whole.length);
    });
    const { totalSize, weight } = block;
    deepStrictEqual([hex(block.bytes), hex(block.header.bytes), hex(block.hash)], [hex(bytes), hex(HEADER), sha256d(HEADER)]);
    deepStrictEqual([totalSize, block.strippedSize, weight], [bytes.length, strippedSize, strippedSize * 3 + bytes.length]);
    deepStrictEqual(block.txs.map(received), expected);
  };
  fc.assert(
    fc.property(fc.array(plainTx, { maxLength: 4 }), fc.nat(5), fc.nat(5), (txs, before, after) => {
      check(txs, before, after);
      return true;
    }),
    { seed: SEED, numRuns: 30 },
  );
  check(LARGE, 1, 1);
  // 253 transactions: their count takes three bytes, also in the stripped size.
  const many = new Array<PlainTx>(253).fill(manyInputs(1, 1, false));
  for (const count of [252, 253]) check(many.slice(0, count), 0, 0);
  t.pass(`seed ${SEED}`);
});

t.test('ignores bytes after a block unless it must be exact, and rejects impossible counts', async (t) => {
  // The shortest transaction: version, two empty lists, locktime.
  const least = unhex('01000000000000000000');
  const parse = (bytes: Uint8Array, exact: boolean): number => parseBlock(bytes, hashes, { exact }).txs.length;
  const three = blockOf([least, least, least]);
  t.same([parse(three, true), parse(three, false)], [3, 3]);
  const more = Buffer.concat([three, Buffer.of(0)]);
  t.equal(parse(more, false), 3);
  t.throws(() => parse(more, true), { name: 'DecodeError', message: 'bytes after the block' });
  t.throws(() => parse(blockOf([least, least, least], 4), false), { name: 'DecodeError', message: 'more transactions than bytes' });
  // One byte is missing. The check of the count detects it before any transaction is read.
  t.throws(() => parse(three.subarray(0, -1), false), { name: 'DecodeError', message: 'more transactions than bytes' });
  for (const cut of [0, 79, 80]) t.throws(() => parse(three.subarray(0, cut), false), { name: 'DecodeError' }, `${cut} bytes`);
  t.throws(() => parseBlock(three, hashes, { offset: -1 }), { name: 'DecodeError' });
  t.throws(() => parseBlock(three, hashes, { offset: three.length + 1 }), { name: 'DecodeError' });
});

t.test('returns adopted ids and facts until the block forgets its checks', async (t) => {
  const [txid, wtxid] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const facts = { fee: 1, sigopCost: 2, flags: 3 };
  const block = parseBlock(blockOf([encode(manyInputs(2, 1, true)).whole, encode(manyInputs(1, 1, false)).whole]), hashes);
  t.same([block.checked, block.merkleChecked, block.witnessChecked], [false, false, false], 'nothing counts as checked');
  for (const tx of block.txs) {
    t.equal(tx.facts, null, 'nothing is known of what was read');
    tx.adopt(txid, wtxid, facts);
    t.same([tx.txid, tx.facts], [txid, facts]);
  }
  t.same(
    block.txs.map((tx) => tx.wtxid),
    [wtxid, txid],
    'without witness both ids are the same',
  );
  block.checked = true;
  block.merkleChecked = true;
  block.witnessChecked = true;
  block.forgetChecks();
  t.same([block.checked, block.merkleChecked, block.witnessChecked], [false, false, false]);
  t.same(
    block.txs.map((tx) => tx.facts),
    [null, null],
  );
});
