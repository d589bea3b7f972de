// Measures reads and writes of coins in a database that is much larger than its caches: 10,000,000 random coins, whose
// files are removed from the page cache before each round. Reads the 5,000 inputs of a block, and writes batches with
// the changes of blocks. Figures: wall time, and processor time of the calling thread, which is the node thread in
// adit.
//
//   node build/bench/cold-coins.js [--json]      COINS=n for another number; UV_THREADPOOL_SIZE counts

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeCoin } from '../src/storage/codec/coin.js';
import { FIRST_COINS, OUTPOINT_BYTES } from '../src/storage/layout.js';
import { openStore } from '../src/storage/open-store.js';
import type { BatchOp, Store } from '../src/storage/store.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { forgetFiles } from './harness/page-cache.js';
import { nodeThreadMilliseconds } from './harness/process-figures.js';

const wanted = Number(process.env.COINS ?? 10_000_000);
const FILL_BATCH = 4_000;
const READ = 5_000;
const ROUNDS = 9;
/** Number of changed coins of one block, and of one flush of the coins cache. */
const BATCHES = [8_000, 200_000];
const COMPACTION_MS = 5_000;

/** Fills in an id of 32 bytes that is computed from a number and looks random. */
function fillId(bytes: Uint8Array, number: number): void {
  for (let at = 0; at < 32; at += 4) {
    let word = Math.imul(number + 1, 0x9e3779b1) + Math.imul(at + 1, 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    word ^= word >>> 15;
    for (let i = 0; i < 4; i++) bytes[at + i] = word >>> (8 * i);
  }
}

const outpoint = new Uint8Array(OUTPOINT_BYTES);

function coinKey(number: number): Uint8Array {
  fillId(outpoint, number);
  return FIRST_COINS.key(outpoint);
}

/** Returns the write of a coin that pays to a random key hash. */
function putCoin(number: number): BatchOp {
  const script = new Uint8Array(34);
  fillId(script, -number);
  script.copyWithin(2, 0, 20);
  script.set([0, 20]);
  const coin = { value: 10_000 + (number % 1_000_003), script: script.slice(0, 22), height: 800_000, coinbase: false };
  return { type: 'put', key: coinKey(number), value: encodeCoin(coin) };
}

async function fill(store: Store): Promise<void> {
  for (let done = 0; done < wanted; done += FILL_BATCH) {
    await store.batch(Array.from({ length: Math.min(FILL_BATCH, wanted - done) }, (_, i) => putCoin(done + i)));
    if (done % 1_000_000 < FILL_BATCH) process.stderr.write(`${(done / 1e6).toFixed(0)} million coins written\n`);
  }
}

interface Timed {
  readonly wallMs: number;
  readonly threadMs: number;
}

async function timed(work: () => Promise<void>): Promise<Timed> {
  const thread = nodeThreadMilliseconds(process.pid).main;
  const begin = performance.now();
  await work();
  return { wallMs: performance.now() - begin, threadMs: nodeThreadMilliseconds(process.pid).main - thread };
}

function cases(name: string, operations: number, rounds: readonly Timed[]): BenchCase[] {
  const samples = (of: (round: Timed) => number): number[] => rounds.map((round) => (of(round) * 1000) / operations);
  return [
    { name: `${name}: until it is done`, unit: 'us each', better: 'lower', samples: samples(({ wallMs }) => wallMs) },
    { name: `${name}: processor time of the thread`, unit: 'us each', better: 'lower', samples: samples(({ threadMs }) => threadMs) },
  ];
}

async function measure(dir: string): Promise<BenchCase[]> {
  const store = await openStore({ path: dir, writeThread: true });
  try {
    await fill(store);
    await sleep(COMPACTION_MS);
    const results: BenchCase[] = [];
    const reads: Timed[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      forgetFiles(dir, '.sst');
      const keys = Array.from({ length: READ }, () => coinKey(Math.floor(Math.random() * wanted)));
      reads.push(
        await timed(async () => {
          if ((await store.getMany(keys)).includes(undefined)) throw new Error('a coin is missing');
        }),
      );
    }
    results.push(...cases(`read ${READ} coins`, READ, reads));
    for (const size of BATCHES) {
      const writes: Timed[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const first = wanted + round * size;
        const ops = Array.from(
          { length: size },
          (_, i): BatchOp => (i % 2 === 0 ? putCoin(first + i) : { type: 'del', key: coinKey(first - i) }),
        );
        writes.push(await timed(() => store.batch(ops)));
      }
      results.push(...cases(`write ${size} changes`, size, writes));
    }
    return results;
  } finally {
    await store.close();
  }
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-cold-'));
await runBench({
  name: 'storage/cold-coins',
  protects: `how long a block waits for coins that no cache has, of ${wanted.toLocaleString('en-US')}, and what writing them costs the node thread`,
  run: async () => ({ cases: await measure(dir), notes: [`threads that read: ${process.env.UV_THREADPOOL_SIZE ?? 4}`] }),
}).finally(() => fs.rmSync(dir, { recursive: true, force: true }));
