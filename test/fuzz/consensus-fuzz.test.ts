// Random bytes and mutated valid input for the parsers and rules of the law: only DecodeError may come out of a parser,
// what parses encodes back to the same bytes, rules answer with verdicts, and no input makes anything allocate far
// beyond its own size. FUZZ_CASES and FUZZ_SEED change the amount and the start.

import t from 'tap';
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { buildBlock, buildHeader } from '../../src/consensus/block/build-block.js';
import { merkleRoot } from '../../src/consensus/block/merkle.js';
import { equalBytes } from '../../src/consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../../src/consensus/bytes/reader.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import { checkTransaction } from '../../src/consensus/rules/check-transaction.js';
import { contextualCheckBlock } from '../../src/consensus/rules/contextual-check-block.js';
import { signetTxs } from '../../src/consensus/rules/signet.js';
import { buildTx, type TxFields } from '../../src/consensus/tx/build-tx.js';
import { OffsetTable } from '../../src/consensus/tx/offset-table.js';
import { parseTxLenient } from '../../src/consensus/tx/parse-lenient.js';
import { parseTx, readTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { ModelNode } from '../framework/law-model.js';
import { mutate, Random } from '../framework/mutate.js';

const CASES = Number(process.env.FUZZ_CASES ?? 30_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20261121);
const crypto = createNativeCrypto();
t.comment(`seed ${SEED}, ${CASES} cases`);

/**
 * Rebuilds a transaction from its fields; equal to its bytes for everything that parses in the format it was read in.
 */
function rebuild(tx: TxView): Uint8Array {
  const fields: TxFields = {
    version: tx.version,
    inputs: Array.from({ length: tx.inputCount }, (_, i) => ({
      prevHash: tx.prevHash(i),
      prevIndex: tx.prevIndex(i),
      scriptSig: tx.scriptSig(i),
      sequence: tx.sequence(i),
      witness: tx.witness(i),
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  };
  return buildTx(fields);
}

/** The value, or null for a DecodeError; everything else is a bug and goes through. */
function attempt<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function randomTx(random: Random): Uint8Array {
  const some = (max: number) => random.below(max + 1);
  return buildTx({
    version: random.below(4),
    inputs: Array.from({ length: 1 + some(3) }, () => ({
      prevHash: random.below(4) === 0 ? new Uint8Array(32) : random.bytes(32),
      prevIndex: random.pick([0, 1, 0xffffffff]),
      scriptSig: random.bytes(some(80)),
      sequence: random.pick([0, 5, 0xfffffffe, 0xffffffff]),
      witness: Array.from({ length: some(2) }, () => random.bytes(some(40))),
    })),
    outputs: Array.from({ length: 1 + some(3) }, () => ({
      value: random.pick([0n, 1n, -1n, 2100000000000000n, 2n ** 63n - 1n]),
      script: random.bytes(some(60)),
    })),
    locktime: random.pick([0, 1, 0xffffffff]),
  });
}

function randomBlock(random: Random): Uint8Array {
  const commitment = Buffer.concat([
    Buffer.from('6a24aa21a9ed', 'hex'),
    random.bytes(32),
    Buffer.from('06ecc7daa2', 'hex'),
    random.bytes(2),
  ]);
  const coinbase = buildTx({
    version: 1,
    inputs: [
      {
        prevHash: new Uint8Array(32),
        prevIndex: 0xffffffff,
        scriptSig: Uint8Array.of(0x51, 0x00),
        sequence: 0,
        witness: [new Uint8Array(32)],
      },
    ],
    outputs: [
      { value: 50e8, script: Uint8Array.of(0x51) },
      { value: 0, script: commitment },
    ],
    locktime: 0,
  });
  const txs = [coinbase, ...Array.from({ length: random.below(3) }, () => randomTx(random))];
  const { root } = merkleRoot(
    txs.map((tx) => parseTx(tx, crypto).txid),
    crypto,
  );
  const fields = { version: 0x20000000, prevHash: random.bytes(32), merkleRoot: root, time: 1_700_000_000, bits: 0x207fffff };
  return buildBlock(buildHeader({ ...fields, nonce: random.below(2 ** 32) }), txs);
}

t.test('parses random transactions without an exception', async (t) => {
  const random = new Random(SEED);
  let parsed = 0;
  for (let n = 0; n < CASES / 2; n++) {
    const input = n % 8 === 0 ? random.bytes(random.below(200)) : mutate(randomTx(random), random);
    const tx = attempt(() => parseTx(input, crypto));
    if (tx !== null) {
      parsed++;
      checkTransaction(tx);
      const same = equalBytes(rebuild(tx), tx.bytes);
      // A transaction without inputs in the extended format has no other encoding of its own; it never carries a
      // witness.
      if (!same && tx.inputCount > 0) t.fail(`case ${n} does not encode back: ${Buffer.from(input).toString('hex')}`);
      if (tx.txid.length !== 32 || tx.wtxid.length !== 32 || tx.stripped().length !== tx.strippedSize) t.fail(`case ${n}: sizes`);
    }
    attempt(() => parseTxLenient(input, crypto));
  }
  t.ok(parsed > CASES / 50, `${parsed} of them parse`);
});

t.test('parses random blocks without an exception', async (t) => {
  const random = new Random(SEED + 1);
  const params = chainParams('signet');
  const regtest = chainParams('regtest');
  const parent = new ModelNode(null, 1_600_000_000, 0x207fffff, 4, new Uint8Array(32), 600);
  let parsed = 0;
  let valid = 0;
  for (let n = 0; n < CASES / 2; n++) {
    const original = randomBlock(random);
    const input = n % 8 === 0 ? original : mutate(original, random);
    const block = attempt(() => parseBlock(input, crypto));
    if (block === null) continue;
    parsed++;
    if (
      !equalBytes(
        buildBlock(
          block.header.bytes,
          block.txs.map((tx) => tx.bytes),
        ),
        block.bytes,
      )
    )
      t.fail(`case ${n} does not encode back`);
    if (block.txs.reduce((sum, tx) => sum + tx.totalSize, 0) >= block.totalSize) t.fail(`case ${n}: sizes`);
    signetTxs(block, params.signetChallenge ?? new Uint8Array(0));
    checkBlock(block, params, crypto);
    if (checkBlock(block, regtest, crypto, { checkPow: false, checkMerkle: n % 3 > 0 }) !== null) continue;
    valid++;
    contextualCheckBlock(block, parent, regtest);
  }
  t.ok(parsed > CASES / 50, `${parsed} of them parse`);
  t.ok(valid > 0, `${valid} of them reach the contextual rules`);
});

t.test('allocates nothing for a claimed size', async (t) => {
  // Counts and lengths that promise gigabytes, in a few bytes each, many times over.
  const huge = ['fdffff', 'feffffffff', 'fe00000002', 'ffffffffffffffff00', 'ff0000000001000000'];
  const inputs = huge.flatMap((size) => [
    `01000000${size}`,
    `010000000001${size}`,
    `0100000001${'11'.repeat(36)}${size}`,
    `0100000001${'11'.repeat(36)}00ffffffff${size}`,
    `0100000001${'11'.repeat(36)}00ffffffff01${'00'.repeat(8)}${size}`,
    `01000000000101${'11'.repeat(36)}00ffffffff00${size}`,
    `01000000000101${'11'.repeat(36)}00ffffffff0001${size}`,
    `${'00'.repeat(80)}${size}`,
    `${'00'.repeat(80)}010100000001${'11'.repeat(36)}${size}${'00'.repeat(40)}`,
  ]);
  const bytes = inputs.map((hex) => Uint8Array.from(Buffer.from(`${hex}${'00'.repeat(8)}`, 'hex')));
  const run = () => {
    for (const input of bytes) {
      attempt(() => parseTx(input, crypto));
      attempt(() => parseBlock(input, crypto));
    }
  };
  // Every array that is made with a length says how long it is; one honoured claim would be a million entries or more.
  let longest = 0;
  let made = 0;
  for (const name of [
    'Array',
    'ArrayBuffer',
    'Uint8Array',
    'Uint16Array',
    'Uint32Array',
    'Int32Array',
    'Float64Array',
    'BigInt64Array',
  ] as const) {
    const construct = (target: new (...args: never[]) => object, args: unknown[], of: unknown): object => {
      made++;
      for (const length of args) if (typeof length === 'number') longest = Math.max(longest, length);
      return Reflect.construct(target, args, of as typeof target);
    };
    t.intercept(globalThis, name, { value: new Proxy(globalThis[name], { construct }) });
  }
  t.intercept(Buffer, 'alloc', { value: () => t.fail('Buffer.alloc is not counted') });
  t.intercept(Buffer, 'allocUnsafe', { value: () => t.fail('Buffer.allocUnsafe is not counted') });
  run();
  t.ok(made > 0, 'the parsers do make arrays');
  t.ok(longest < 1_000, `${longest} entries`);
});

t.test('bounds the offset table by a small multiple of the input', async (t) => {
  // The densest shapes: smallest inputs, smallest outputs, smallest transactions.
  const input = { prevHash: new Uint8Array(32), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 };
  const output = { value: 0, script: new Uint8Array(0) };
  const shapes = [
    buildTx({ version: 1, inputs: Array(20_000).fill(input), outputs: [output], locktime: 0 }),
    buildTx({ version: 1, inputs: [input], outputs: Array(90_000).fill(output), locktime: 0 }),
  ];
  for (const bytes of shapes) {
    const table = new OffsetTable(32);
    readTx(new ByteReader(bytes), table, crypto, true);
    t.ok(table.data.byteLength <= 3 * bytes.length, `${table.data.byteLength} bytes for ${bytes.length}`);
    table.trim();
    t.ok(table.data.byteLength <= 1.5 * bytes.length, `${table.data.byteLength} bytes after trimming`);
  }
});
