// A foreign block of 4,000 inputs from its bytes to the reply: parse, check, store, fetch coins, verify, apply. Once
// with transactions never seen and coins on disk, once with everything known from the mempool. What miners wait for
// after every block.
//
//   node build/bench/connect-block.js [--json]      THREADS=n script threads, KIND=p2wpkh for one kind alone

import { mkdtempSync, rmSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain } from '../src/chain/chain.js';
import { NodeStatus } from '../src/chain/tree/header-node.js';
import { chainParams } from '../src/consensus/params/networks.js';
import { SighashCache } from '../src/consensus/script/sighash.js';
import { parseTx } from '../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { silentLogger } from '../src/log/logger.js';
import { CachedVerifier } from '../src/parallel/cached-verifier.js';
import { WorkPool } from '../src/parallel/pool.js';
import { PooledVerifier } from '../src/parallel/pooled-verifier.js';
import { ScriptCache } from '../src/parallel/script-cache.js';
import type { Verifier } from '../src/parallel/verifier.js';
import { BlockFiles } from '../src/storage/block-files.js';
import { openStore } from '../src/storage/open-store.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../test/framework/chain-builder.js';
import { type TestKey, testKey, testTaggedHash } from '../test/framework/keys.js';
import { type Out, serializeTx, type Tx, txid } from '../test/framework/messages.js';
import { INPUT_VALUE, SPEND_KINDS, type SpendKind, scriptFor, unlock } from '../test/framework/signed-spends.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { CURVE_ROW, type CurveJob } from './harness/curve-job.js';
import { percentile } from './harness/samples.js';

const INPUTS = 4_000;
const INPUTS_PER_TX = 2;
const WARMUP = 3;
const ROUNDS = 12;
/** Core master: 27 to 29 us an input where the raw checks took 19 on the same machine. */
const GOAL_RATIO = 1.45;
const threads = Number(process.env.THREADS ?? os.availableParallelism());
const kinds = SPEND_KINDS.filter((kind) => (process.env.KIND ?? kind) === kind);

const crypto = createNativeCrypto();
const keys = Array.from({ length: 64 }, (_, i) => testKey(i));
const keyOf = (i: number): TestKey => keys[i % keys.length]!;

/** Coins to spend: one transaction with an output for every input of the block. */
function fund(kind: SpendKind, from: BuiltBlock): { funding: Tx; fees: number } {
  const outs: Out[] = Array.from({ length: INPUTS }, (_, i) => ({ value: INPUT_VALUE, script: scriptFor(kind, keyOf(i), crypto) }));
  const coin = reward(from);
  return { funding: spend([coin], outs), fees: coin.value - INPUTS * INPUT_VALUE };
}

function signedTxs(kind: SpendKind, funding: Tx): Tx[] {
  const id = txid(funding);
  const txs: Tx[] = [];
  for (let first = 0; first < INPUTS; first += INPUTS_PER_TX) {
    const indexes = Array.from({ length: INPUTS_PER_TX }, (_, k) => first + k);
    const tx: Tx = spend(
      indexes.map((index) => ({ txid: id, index, value: INPUT_VALUE })),
      [{ value: INPUT_VALUE * INPUTS_PER_TX - 1_000, script: ANYONE }],
    );
    const spent = indexes.map((index) => ({ value: INPUT_VALUE, script: funding.outs[index]!.script as Uint8Array }));
    const sighashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), crypto), crypto, spent);
    tx.ins.forEach((input, k) => {
      const { scriptSig, witness } = unlock(kind, keyOf(indexes[k]!), k, sighashes, crypto);
      input.script = scriptSig;
      input.witness = witness;
    });
    txs.push(tx);
  }
  return txs;
}

/** Durations by phase, of the rounds that count. */
class Phases {
  private readonly sums = new Map<string, number[]>();
  readonly observe = (name: string, seconds: number): void => {
    const list = this.sums.get(name) ?? [];
    list.push((seconds * 1e6) / INPUTS);
    this.sums.set(name, list);
  };
  clear(): void {
    this.sums.clear();
  }
  toString(): string {
    const show = ([name, list]: [string, number[]]) => `${name.replace('connect_', '')} ${percentile(list, 0.5).toFixed(2)}`;
    return [...this.sums].map(show).join(', ');
  }
}

async function bareChecks(pool: WorkPool, rows: SharedArrayBuffer, schnorr: boolean): Promise<void> {
  const share = (i: number): CurveJob => {
    const first = Math.floor((INPUTS * i) / threads);
    return { rows, first, count: Math.floor((INPUTS * (i + 1)) / threads) - first, schnorr };
  };
  await Promise.all(Array.from({ length: threads }, (_, i) => pool.run<number>('block', 'check', share(i))));
}

function curveRows(schnorr: boolean): SharedArrayBuffer {
  const rows = new SharedArrayBuffer(INPUTS * CURVE_ROW);
  const bytes = new Uint8Array(rows);
  for (let i = 0; i < INPUTS; i++) {
    const key = keyOf(i);
    const message = testTaggedHash(`bench ${i}`);
    bytes.set(schnorr ? key.signSchnorr(message) : key.signEcdsa(message), i * CURVE_ROW);
    bytes.set(message, i * CURVE_ROW + 64);
    bytes.set(schnorr ? key.xonly : key.publicKey, i * CURVE_ROW + 96);
  }
  return rows;
}

/** Opens a chain whose tip holds the coins, and a way to hand in the block again and again. */
async function prepare(kind: SpendKind, verifier: Verifier, observe: Phases['observe'], dir: string) {
  const trunk = buildChain(GENESIS, 101);
  // As on main, where history makes the look-ups of BIP-0030 needless.
  const params = { ...chainParams('regtest'), bip34Height: 1, bip34Hash: new Uint8Array(trunk[0]!.hash) };
  const store = await openStore({ path: join(dir, 'db') });
  const clock = { nowSeconds: () => 1_900_000_000, nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const chain = await Chain.open(
    { maxTipAge: 1_000_000_000 },
    {
      params,
      store,
      openFiles: (known) => BlockFiles.open({ dir: join(dir, 'blocks'), magic: params.magic, ...known }, { hashes: crypto }),
      verifier,
      crypto,
      clock,
      log: silentLogger,
      observe,
    },
  );
  const { funding, fees } = fund(kind, trunk[0]!);
  const base = buildBlock(trunk[100]!, { txs: [funding], fees });
  for (const block of [...trunk, base]) await chain.submitBlock(new Uint8Array(block.bytes));
  const txs = signedTxs(kind, funding);
  let tag = 0;
  const round = async (coinsInMemory: boolean): Promise<number> => {
    const bytes = new Uint8Array(buildBlock(base, { txs, fees: (INPUTS / INPUTS_PER_TX) * 1_000, tag: ++tag }).bytes);
    await chain.flush();
    if (!coinsInMemory) forgetCoins(chain);
    const begin = performance.now();
    const outcome = await chain.submitBlock(bytes);
    const taken = performance.now() - begin;
    if (outcome.kind !== 'accepted' || !outcome.node?.has(NodeStatus.SCRIPTS_VALID)) throw new Error(`the block was ${outcome.kind}`);
    await chain.invalidateBlock(outcome.node);
    return (taken * 1_000) / INPUTS;
  };
  const close = async () => {
    await chain.close();
    await store.close();
  };
  return { round, close };
}

/** Drops clean coins, so that the next block reads them from the store again. (The budget is fixed outside benches.) */
function forgetCoins({ coins }: Chain): void {
  const budget = coins.budgetBytes;
  Object.defineProperty(coins, 'budgetBytes', { value: 0, configurable: true, writable: true });
  // What was touched lately stays for one more call.
  for (let i = 0; i < 3; i++) coins.evict(1_000_000);
  Object.defineProperty(coins, 'budgetBytes', { value: budget, configurable: true, writable: true });
}

await runBench({
  name: 'chain/connect/connect-block',
  protects: `time from the last byte of a block of ${INPUTS} inputs to the reply and to work on top of it`,
  run: async () => {
    const pool = new WorkPool({ threads });
    const barePool = new WorkPool({ threads, filename: new URL('./harness/curve-limit.js', import.meta.url).href });
    await Promise.all([pool.start(), barePool.start()]);
    const cases: BenchCase[] = [];
    const notes = [`${threads} script threads, ECDSA by ${crypto.backend.ecdsa}, Schnorr by ${crypto.backend.schnorr}`];
    for (const kind of kinds) {
      const rows = curveRows(kind === 'p2tr');
      for (const seen of [false, true]) {
        const dir = mkdtempSync(join(tmpdir(), 'adit-bench-'));
        const phases = new Phases();
        const pooled = new PooledVerifier(pool);
        const verifier = seen ? new CachedVerifier(pooled, new ScriptCache(32 << 20, 1)) : pooled;
        const { round, close } = await prepare(kind, verifier, phases.observe, dir);
        const samples: number[] = [];
        const bare: number[] = [];
        for (let i = 0; i < WARMUP + ROUNDS; i++) {
          const time = await round(seen);
          const begin = performance.now();
          if (!seen) await bareChecks(barePool, rows, kind === 'p2tr');
          if (i === WARMUP - 1) phases.clear();
          if (i < WARMUP) continue;
          samples.push(time);
          bare.push(((performance.now() - begin) * 1_000) / INPUTS);
        }
        await close();
        rmSync(dir, { recursive: true, force: true });
        notes.push(`${kind} ${seen ? 'seen' : 'unseen'}, us per input and phase: ${phases}`);
        cases.push({
          name: `${kind}, ${seen ? 'transactions and coins known' : 'never seen, coins on disk'}`,
          unit: 'us per input',
          better: 'lower',
          samples,
          ...(seen
            ? {}
            : {
                limit: { name: `${INPUTS} curve checks, ${threads} threads`, samples: bare },
                goal: {
                  text: `at most ${GOAL_RATIO} x the limit`,
                  reached: (_: number, ratio: number | null) => ratio !== null && ratio <= GOAL_RATIO,
                },
              }),
        });
      }
    }
    await Promise.all([pool.close(), barePool.close()]);
    return { cases, notes };
  },
});
