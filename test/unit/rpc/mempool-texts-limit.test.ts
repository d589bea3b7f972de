// Tests the limit on texts about the mempool that are written at once while the mempool changes between calls.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { TxPool } from '../../../src/mempool/tx-pool.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { runTextJob, type TextJob } from '../../../src/rpc/node/mempool-text.js';
import { MempoolTexts } from '../../../src/rpc/node/mempool-texts.js';
import { crypto } from '../../framework/pool-under-test.js';

function add(pool: TxPool, i: number): void {
  const input = { prevHash: new Uint8Array(32).fill(1), prevIndex: i, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [] };
  const tx = parseTx(buildTx({ version: 2, inputs: [input], outputs: [{ value: i, script: new Uint8Array(30) }], locktime: 0 }), crypto);
  pool.add({ tx, fee: 1, time: 1, height: 1, sigopCost: 0, size: tx.vsize, spendsCoinbase: false, locks: null });
}

t.test('copies the tables for two texts at a time, and answers waiting calls with the newest state', async (t) => {
  const pool = new TxPool(1 << 16);
  for (let i = 0; i < 200; i++) add(pool, i);
  const jobs: (() => void)[] = [];
  let most = 0;
  const post = (job: unknown): Promise<never> =>
    new Promise((resolve) => {
      jobs.push(() => resolve(runTextJob(job as TextJob) as never));
      most = Math.max(most, jobs.length);
    });
  const threads = { runNamed: (_name: string, job: unknown) => post(job) };
  const source = { size: 200, sequence: 1, tables: pool };
  const texts = new MempoolTexts(source, threads, { compat: COMPATS.default, bip125: false, byChunks: false });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const counts: Promise<number>[] = [];
  for (let i = 0; i < 20; i++) {
    add(pool, 200 + i);
    counts.push(Promise.resolve(texts.whole('ids')).then(({ text }) => (JSON.parse(text) as string[]).length));
    await settle();
  }
  let made = 0;
  while (jobs.length > 0) {
    made++;
    jobs.shift()?.();
    await settle();
  }
  t.ok(most <= 2, `${most} copies at once`);
  t.ok(made <= 4, `${made} texts for 20 calls`);
  const got = await Promise.all(counts);
  t.ok(
    got.every((count, i) => count > 200 + i),
    'each reply has the transactions that were added before its call',
  );
  t.equal(got[19], 220);
});
