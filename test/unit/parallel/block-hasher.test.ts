// Tests ids and roots that are made on threads: they equal those that the block would compute itself, whatever is known
// before and whichever thread fails.

import t from 'tap';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import { blockMerkleRoot, witnessMerkleRoot } from '../../../src/consensus/block/merkle.js';
import { toHex } from '../../../src/consensus/bytes/hex.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { type HashJob, runHashJob } from '../../../src/jobs/hash-txs.js';
import { PooledBlockHasher } from '../../../src/parallel/block-hasher.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { fc } from '../../framework/fast-check.js';
import { compactSize, serializeTx, type Tx } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const crypto = createNativeCrypto();
const HEADER = Buffer.alloc(80);

/**
 * Makes a random transaction. One in ten has no witness, and one in a hundred is too long for the buffer in which short
 * ones are joined.
 */
function makeTx(random: () => number): Tx {
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const witness = random() < 0.1 ? [] : [bytes(72), bytes(33)];
  const script = Buffer.alloc(random() < 0.01 ? 70_000 : Math.floor(random() * 60), 7);
  const ins = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({ txid: bytes(32), index: 1, script, witness }));
  return { version: 2, ins, outs: [{ value: 1, script: bytes(22) }], locktime: Math.floor(random() * 1_000) };
}

const bytesOf = (txs: readonly Tx[]): Buffer => Buffer.concat([HEADER, compactSize(txs.length), ...txs.map((tx) => serializeTx(tx))]);
const view = (bytes: Buffer): BlockView => parseBlock(new Uint8Array(bytes), crypto);

/** Returns ids and roots as text. */
function figures(block: BlockView): unknown {
  const root = ({ root, mutated }: { root: Uint8Array; mutated: boolean }): string => `${toHex(root)} ${mutated}`;
  return {
    ids: block.txs.map((tx) => `${toHex(tx.txid)} ${toHex(tx.wtxid)}`),
    roots: [root(blockMerkleRoot(block)), root(witnessMerkleRoot(block))],
  };
}

/** Runs jobs on this thread. @param fails returns true for the jobs that must fail; they are counted from 0 */
function inlinePool(size: number, fails: (job: number) => boolean = () => false) {
  let jobs = 0;
  return {
    size,
    run: async <T>(_klass: string, name: string, message: unknown): Promise<T> => {
      if (name !== 'hashTxs') throw new Error(name);
      if (fails(jobs++)) throw new Error('the thread died');
      return runHashJob(message as HashJob, crypto) as T;
    },
  };
}

t.test('hashes blocks of any size on any number of threads like the inline code', async (t) => {
  const cases = fc.record({
    seed: fc.nat(),
    count: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 60, max: 70 }), fc.integer({ min: 1, max: 400 })),
    size: fc.integer({ min: 1, max: 9 }),
    /** A list whose tail is repeated can have the same root as the list without the repetition. */
    repeated: fc.integer({ min: 0, max: 3 }),
    known: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  let mutations = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ seed, count, size, repeated, known }) => {
      const random = pseudoRandom(seed);
      const txs = Array.from({ length: count }, () => makeTx(random));
      const tail = 2 ** repeated;
      if (repeated > 0 && count >= tail && count % tail === 0) txs.push(...txs.slice(count - tail));
      const bytes = bytesOf(txs);
      const expected = figures(view(bytes));
      const block = view(bytes);
      for (const tx of block.txs) if (random() < known) void (random() < 0.5 ? tx.txid : tx.txid && tx.wtxid);
      t.equal(await new PooledBlockHasher(inlinePool(size)).hash(block), true);
      t.ok(block.txs.every((tx: TxView) => tx.identified) && block.roots !== null);
      t.same(figures(block), expected);
      if (block.roots?.txids.mutated) mutations++;
    }),
    { numRuns: 150 },
  );
  t.ok(mutations > 0, 'some repeat their tail');
});

t.test('reports a mutated merkle root when equal hashes meet above the thread ranges', async (t) => {
  const random = pseudoRandom(2);
  const half = Array.from({ length: 128 }, () => makeTx(random));
  const bytes = bytesOf([...half, ...half]);
  const block = view(bytes);
  t.equal(await new PooledBlockHasher(inlinePool(4)).hash(block), true);
  t.equal(block.roots?.txids.mutated, true);
  t.same(figures(block), figures(view(bytes)));
});

t.test('returns false after a thread died, and the block computes its own hashes', async (t) => {
  const random = pseudoRandom(3);
  const bytes = bytesOf(Array.from({ length: 300 }, () => makeTx(random)));
  const expected = figures(view(bytes));
  for (let failing = 0; failing < 3; failing++) {
    const block = view(bytes);
    t.equal(await new PooledBlockHasher(inlinePool(4, (job) => job === failing)).hash(block), false);
    t.equal(block.roots, null);
    t.same(figures(block), expected);
  }
});

t.test('hashes one block at a time, even after a failure, and reuses buffers', async (t) => {
  const random = pseudoRandom(4);
  const blocks = [80, 10, 30].map((count) => view(bytesOf(Array.from({ length: count }, () => makeTx(random)))));
  const inner = inlinePool(1, (job) => job === 0);
  const buffers = new Set<SharedArrayBuffer>();
  let running = 0;
  const hasher = new PooledBlockHasher({
    size: 1,
    run: async <T>(klass: string, name: string, message: unknown): Promise<T> => {
      t.equal(running++, 0);
      buffers.add((message as HashJob).buffer);
      await new Promise(setImmediate);
      return inner.run<T>(klass, name, message).finally(() => running--);
    },
  });
  t.same(await Promise.all(blocks.map((block) => hasher.hash(block))), [false, true, true]);
  t.equal(buffers.size, 3, 'the first is left to the thread that failed, the second is too small');
  buffers.clear();
  t.same(await Promise.all([...blocks].reverse().map((block) => hasher.hash(view(Buffer.from(block.bytes))))), [true, true, true]);
  t.equal(buffers.size, 2, 'the third asks for more');
});

t.test('returns false when a buffer cannot be allocated, and hashes the next block', async (t) => {
  const random = pseudoRandom(6);
  const [first, second] = [view(bytesOf([makeTx(random)])), view(bytesOf(Array.from({ length: 20 }, () => makeTx(random))))];
  const hasher = new PooledBlockHasher(inlinePool(1));
  const { SharedArrayBuffer: real } = globalThis;
  t.teardown(() => {
    globalThis.SharedArrayBuffer = real;
  });
  let buffers = 0;
  globalThis.SharedArrayBuffer = new Proxy(real, {
    construct: (target, args) => {
      if (++buffers === 2) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(target, args) as object;
    },
  });
  t.same(await Promise.all([first, second, second].map((block) => hasher.hash(block))), [true, false, true]);
});

t.test('hashes blocks on real threads, and returns false when the pool is closed', async (t) => {
  const pool = new WorkPool({ threads: 3 });
  t.teardown(() => pool.close());
  const hasher = new PooledBlockHasher(pool);
  const random = pseudoRandom(5);
  const all = [1, 65, 700].map((count) => bytesOf(Array.from({ length: count }, () => makeTx(random))));
  const blocks = all.map(view);
  t.same(await Promise.all(blocks.map((block) => hasher.hash(block))), [true, true, true]);
  for (const [i, block] of blocks.entries()) t.same(figures(block), figures(view(all[i] as Buffer)));
  await pool.close();
  const late = view(all[0] as Buffer);
  t.equal(await hasher.hash(late), false, 'a closed pool');
});
