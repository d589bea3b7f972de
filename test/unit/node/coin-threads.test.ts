// Coin jobs on threads of their own, over a real database: what they read while blocks come in, and what remains after
// a thread that ends at any point.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { hurry } from '../../../src/lib/thread-priority.js';
import type { FromCoinThread } from '../../../src/node/coin-thread.js';
import { CoinThreads } from '../../../src/node/coin-threads.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { type CoinJob, createJobWords, JOB_WORD } from '../../../src/rpc/reads/coin-job.js';
import { openStore } from '../../../src/storage/open-store.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { crypto, openFixture } from '../../framework/chain-fixture.js';
import { until } from '../../framework/until.js';

const STATS: CoinJob = { kind: 'stats', hashType: 'muhash' };
const SCAN: CoinJob = { kind: 'scan', objects: `["raw(${Buffer.from(ANYONE).toString('hex')})"]`, secrets: null };

async function open(t: Test, options: { readonly idleMs?: number } = {}) {
  const path = mkdtempSync(join(tmpdir(), 'adit-coins-'));
  const store = await openStore({ path, engine: 'nxtedition-rocksdb' });
  const fixture = await openFixture({ store });
  const { chain } = fixture;
  const lines: string[] = [];
  const events: { onThread(thread: Worker): void } = { onThread: () => {} };
  const jobs = new CoinThreads({
    coins: chain.coins,
    lend: (work) => store.lend(work),
    render: {
      compat: COMPATS.default,
      params: chain.view.params,
      hashes: crypto,
      descriptors: { params: chain.view.params, hashes: crypto, keys: createKeyMath(), language: 'master' },
    },
    log: (line) => lines.push(line),
    ...options,
    onThread: (thread) => events.onThread(thread),
  });
  let ended = false;
  const end = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    await fixture.end();
    await store.close();
    rmSync(path, { recursive: true, force: true });
  };
  t.teardown(end);
  const submit = async (...blocks: readonly BuiltBlock[]): Promise<void> => {
    for (const { bytes } of blocks) await chain.commands.submitBlock(bytes);
  };
  const run = async (job: CoinJob, words = createJobWords()) => JSON.parse(Buffer.concat(await jobs.run(job, words)).toString());
  return { fixture, chain, store, lines, events, jobs, submit, run, end };
}

/** A chain whose last block has more coins than a thread reads at once. */
const wide = (): BuiltBlock[] => {
  const blocks = buildChain(GENESIS, 3);
  return [...blocks, buildBlock(blocks[2]!, { outs: Array.from({ length: 2_000 }, () => ({ value: 0, script: ANYONE })) })];
};

t.test('reads the coins of the tip at the start of a job, whatever happens to the chain meanwhile', async (t) => {
  for (const job of [STATS, SCAN]) {
    const { chain, events, submit, run, fixture, end } = await open(t);
    const blocks = wide();
    await submit(...blocks);
    const before = await run(job);
    t.match(before, { height: 4, bestblock: blocks[3]!.hashHex, txouts: 3 + 2_001 });
    if (job === SCAN) {
      t.equal(before.unspents.length, before.txouts);
      t.match(before.unspents[0], { blockhash: /^[0-9a-f]{64}$/, desc: /^raw\(51\)#/ });
    }
    // Blocks come, and then the old tip is replaced, as soon as the thread has its coins.
    const next = buildBlock(blocks[3]!);
    const rival = buildChain(blocks[2]!, 4, { tag: 5 });
    let changed: Promise<unknown> | null = null;
    events.onThread = (thread) =>
      thread.on('message', ({ kind }: FromCoinThread) => {
        if (kind === 'pinned') changed ??= submit(next, ...rival);
      });
    t.same({ ...(await run(job)), disk_size: 0 }, { ...before, disk_size: 0 });
    t.not(changed, null);
    await changed;
    t.equal(chain.view.tip.hashHex, rival[3]!.hashHex);
    t.match(await run(job), { height: 7, bestblock: rival[3]!.hashHex, txouts: 7 });
    t.same(fixture.faults, []);
    await end();
  }
});

t.test('survives a thread that ends at any point of a job', async (t) => {
  const { chain, events, submit, run, lines, fixture } = await open(t);
  const blocks = wide();
  await submit(...blocks);
  let tip = blocks[3]!;
  for (const point of ['loaded', 'coins', 'pinned', 'diskSize', 'hashes'] as const) {
    events.onThread = (thread) =>
      thread.prependListener('message', ({ kind }: FromCoinThread) => {
        if (kind === point) void thread.terminate();
      });
    await t.rejects(run(point === 'hashes' ? SCAN : STATS), { code: -1, message: 'Internal error' }, point);
    t.match(lines.pop(), /^The thread of a job over all coins has ended: /);
    tip = buildBlock(tip);
    await submit(tip);
    t.equal(chain.view.tip.hashHex, tip.hashHex, `blocks are connected after a death at "${point}"`);
  }
  events.onThread = () => {};
  t.match(await run(STATS), { height: chain.view.tip.height });
  t.same(fixture.faults, []);
});

t.test('stops a job at once, and closes the database only after it', async (t) => {
  const { events, submit, run, end, fixture } = await open(t);
  await submit(...wide());
  const stopAt = (wanted: FromCoinThread['kind'], words: ReturnType<typeof createJobWords>): void => {
    events.onThread = (thread) =>
      thread.prependListener('message', ({ kind }: FromCoinThread) => {
        if (kind === wanted) Atomics.store(words, JOB_WORD.STOP, 1);
      });
  };
  const words = createJobWords();
  stopAt('coins', words);
  await t.rejects(run(STATS, words), { code: -9, message: 'Shutting down' });
  const scan = createJobWords();
  stopAt('coins', scan);
  t.match(await run(SCAN, scan), { success: false, txouts: 0, unspents: [], height: 4 });
  const last = createJobWords();
  stopAt('coins', last);
  const running = t.rejects(run(STATS, last), { code: -9 });
  await until('the job is stopped', () => Atomics.load(last, JOB_WORD.STOP) !== 0);
  await end();
  await running;
  t.same(fixture.faults, []);
});

// A thread that may not raise its priority again is not kept. The process of this test lowers its own by one step then.
const mayRaise = process.platform !== 'linux' || getPriority() === 19 || (hurry(-1) && hurry(1));
const skip = !mayRaise && 'the system does not allow threads to raise their priority';

t.test('keeps one thread for the next job', { skip }, async (t) => {
  const { events, submit, run, lines } = await open(t);
  await submit(...wide());
  const threads: Worker[] = [];
  events.onThread = (thread) => threads.push(thread);
  const scanned = await run(SCAN);
  const counted = await run(STATS);
  t.same(await run(SCAN), scanned);
  t.equal(new Set(threads).size, 1, 'jobs one after the other share a thread');

  const both = await Promise.all([run(STATS), run(SCAN)]);
  t.same(both, [{ ...counted, disk_size: both[0].disk_size }, scanned]);
  t.equal(new Set(threads).size, 2, 'jobs at once do not');

  await Promise.all(threads.map((thread) => thread.terminate()));
  t.same(await run(SCAN), scanned);
  t.equal(new Set(threads).size, 3, 'a thread that ended between two jobs is replaced');
  t.same(lines, []);
});

t.test('ends an idle thread', { skip }, async (t) => {
  const { events, submit, run, lines } = await open(t, { idleMs: 1 });
  await submit(...buildChain(GENESIS, 1));
  const exits: Promise<unknown>[] = [];
  events.onThread = (thread) => exits.push(once(thread, 'exit'));
  for (let i = 0; i < 2; i++) t.match(await run(SCAN), { success: true });
  t.equal(exits.length, 2);
  // An idle thread does not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  t.teardown(() => clearInterval(alive));
  await Promise.all(exits);
  t.match(await run(SCAN), { success: true });
  t.same(lines, []);
});
