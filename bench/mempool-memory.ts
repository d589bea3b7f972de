// Measures the memory of a mempool of 100,000 transactions in addition to their own bytes. One run per process, because
// a heap that has grown once shows nothing.
//
//   node build/bench/mempool-memory.js [--json]      TXS=n
import { fork } from 'node:child_process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { runBench } from './harness/bench.js';
import { createBenchPool, fillPool, Payments } from './harness/bench-pool.js';

const TXS = Number(process.env.TXS ?? 100_000);
const ROUNDS = 3;
const BYTES_PER_ENTRY = 300;
const FACTOR = 1.5;
/** V8's young generation has its full size from the beginning, as in a node that has worked for a while. */
const YOUNG_GENERATION = '--min-semi-space-size=16';

interface Measured {
  readonly rssBytes: number;
  readonly txBytes: number;
}

/** Fills a mempool and reports its memory. Runs in a child process. */
async function measure(): Promise<Measured> {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as () => void;
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // Fill another mempool first, so that V8 has compiled the code.
  await fillPool(createBenchPool(), new Payments(2), 10_000);
  await settle();
  const before = process.memoryUsage().rss;
  const pool = createBenchPool();
  const txBytes = await fillPool(pool, new Payments(1), TXS);
  await settle();
  const { rss } = process.memoryUsage();
  if (process.env.DETAIL) console.error(pool.size, process.memoryUsage(), txBytes);
  return { rssBytes: rss - before, txBytes };
}

function inChild(): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), { env: { ...process.env, MEASURE: '1' }, execArgv: [YOUNG_GENERATION] });
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
