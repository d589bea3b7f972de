// Memory of a mempool of 100,000 transactions, beside their own bytes. One run per process: a heap that has grown once tells nothing.
//
//   node build/bench/mempool-memory.js [--json]      TXS=n
import { fork } from 'node:child_process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { buildTx } from '../src/consensus/tx/build-tx.js';
import { parseTx } from '../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { silentLogger } from '../src/log/logger.js';
import { Mempool } from '../src/mempool/mempool.js';
import { ModelNode } from '../test/framework/model-chain.js';
import { pseudoRandom } from '../test/framework/pseudo-random.js';
import { runBench } from './harness/bench.js';

const TXS = Number(process.env.TXS ?? 100_000);
const ROUNDS = 3;
const BYTES_PER_ENTRY = 300;
const FACTOR = 1.5;

interface Measured {
  readonly rssBytes: number;
  readonly txBytes: number;
}

/** Fills a pool and reports; runs in a child. */
async function measure(): Promise<Measured> {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as () => void;
  const crypto = createNativeCrypto();
  const random = pseudoRandom(1);
  const below = (n: number): number => Math.floor(random() * n);
  const coin = { value: 1_000_000, script: Uint8Array.of(0, 20, ...new Uint8Array(20)), height: 1, coinbase: false };
  let tip: ModelNode | null = null;
  for (let height = 0; height < 20; height++) tip = new ModelNode(tip, height, 1_600_000_000 + height, [], 0, crypto);
  const chain = {
    tip: tip as ModelNode,
    coins: { prefetch: async () => {}, isKnown: () => true, get: () => coin },
    nextBlockFlags: () => 0,
  };
  const passed = { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, checked: 1, jobs: 1, cpuMs: 0 };
  const verifier = { size: 1, verifyTxs: async () => passed, canAcceptWork: () => true, stats: () => ({}) as never, close: async () => {} };
  const clock = { nowSeconds: () => 1_600_000_000, nowMs: () => 0, monotonicMs: () => performance.now() };
  const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, () => below(256));
  const output = (value: number) => ({ value, script: Uint8Array.of(0, 20, ...bytes(20)) });
  /** A payment like most: inputs with a signature and a key each, to someone and back. */
  const payment = (parent: Uint8Array | null): Uint8Array => {
    const inputs = Array.from({ length: parent === null && below(4) === 0 ? 2 : 1 }, () => ({
      prevHash: parent ?? bytes(32),
      prevIndex: 0,
      scriptSig: new Uint8Array(0),
      sequence: 0xfffffffd,
      witness: [bytes(71), bytes(33)],
    }));
    const total = (parent === null ? 1_000_000 * inputs.length : 500_000) - 1_000 - below(20_000);
    const first = parent === null ? 500_000 : 200_000;
    return buildTx({ version: 2, inputs, outputs: [output(first), output(total - first)], locktime: 0 });
  };
  const fill = async (count: number): Promise<{ pool: Mempool; txBytes: number }> => {
    const pool = new Mempool({ maxUsageBytes: 1e9 }, { chain, verifier, clock, log: silentLogger });
    let txBytes = 0;
    let parent: Uint8Array | null = null;
    for (let i = 0; i < count; i++) {
      // Every fifth transaction spends the one before it.
      const tx = parseTx(payment(i % 5 === 4 ? parent : null), crypto);
      const { reject } = await pool.accept(tx);
      if (reject !== null) throw new Error(`refused: ${reject.reason} ${reject.debug}`);
      txBytes += tx.totalSize;
      pool.addUnbroadcast(tx.txid);
      parent = new Uint8Array(tx.txid);
    }
    return { pool, txBytes };
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // Code is compiled and the young generation has its size before the measurement: a node has both without a mempool.
  await fill(10_000);
  await settle();
  const before = process.memoryUsage().rss;
  const { pool, txBytes } = await fill(TXS);
  await settle();
  const { rss } = process.memoryUsage();
  if (process.env.DETAIL) console.error(pool.size, process.memoryUsage(), txBytes);
  return { rssBytes: rss - before, txBytes };
}

function inChild(): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), { env: { ...process.env, MEASURE: '1' } });
    child.once('message', (message) => resolve(message as Measured));
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
}

if (process.send !== undefined && process.env.MEASURE === '1') {
  process.send(await measure());
  process.disconnect();
} else {
  await runBench({
    name: 'mempool/entry',
    protects: 'how large a mempool fits beside the coins cache, and what the garbage collector has to walk',
    run: async () => {
      const runs: Measured[] = [];
      for (let i = 0; i < ROUNDS; i++) runs.push(await inChild());
      const limit = (run: Measured): number => FACTOR * run.txBytes + BYTES_PER_ENTRY * TXS;
      return {
        cases: [
          {
            name: `${TXS} transactions`,
            unit: 'MB',
            better: 'lower',
            samples: runs.map(({ rssBytes }) => rssBytes / 1e6),
            limit: { name: `${FACTOR} x their bytes + ${BYTES_PER_ENTRY} each`, samples: runs.map((run) => limit(run) / 1e6) },
            goal: { text: 'at most the limit', reached: (_, ratio) => ratio !== null && ratio <= 1 },
          },
          {
            name: 'beyond the transactions’ own bytes',
            unit: 'bytes each',
            better: 'lower',
            samples: runs.map(({ rssBytes, txBytes }) => (rssBytes - txBytes) / TXS),
          },
        ],
      };
    },
  });
}
