// Tests threads of the pool and of the assembler that end while they load, end during a job, answer twice or never:
// each job gets a result or an error, and the threads are replaced.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { AssembleRequest } from '../../../src/jobs/assemble-messages.js';
import { SlabView, slabSize, writeSlab } from '../../../src/jobs/slab.js';
import { VERIFY_MESSAGE_VERSION } from '../../../src/jobs/verify.js';
import { threadsLoaded } from '../../../src/lib/loading-threads.js';
import type { Every } from '../../../src/lib/watchdog.js';
import type { Assembler } from '../../../src/parallel/assembler.js';
import { PooledAssembler } from '../../../src/parallel/assembler-pooled.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { until } from '../../framework/until.js';
import type { Unruly } from './unruly-worker.js';

const filename = new URL('./unruly-worker.js', import.meta.url).href;

function folder(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'adit-unruly-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  process.env.ADIT_TEST_UNRULY = dir;
  const sign = join(dir, 'exits');
  return {
    break: () => writeFileSync(sign, ''),
    mend: () => rmSync(sign),
    stalls: () => existsSync(join(dir, 'stalls')),
    goesOn: () => rmSync(join(dir, 'stalls')),
    loaded: () => readdirSync(dir).filter((name) => name.startsWith('loaded')).length,
  };
}

/** Both kinds of threads, with the same interface. */
const kinds: [string, (threads: number, every?: Every) => { ask(how: Unruly): Promise<unknown>; close(): Promise<void> }][] = [
  [
    'the pool',
    (threads, every) => {
      const pool = new WorkPool({ threads, filename, ...(every && { every }) });
      return { ask: (how) => pool.run('block', 'verify', how), close: () => pool.close() };
    },
  ],
  [
    'the assembler',
    (_threads, every) => {
      const assembler = new PooledAssembler({ filename, ...(every && { every }) });
      return { ask: (how) => assembler.assemble(how as unknown as AssembleRequest), close: () => assembler.close() };
    },
  ],
];

for (const [name, open] of kinds) {
  t.test(`${name}: rejects jobs while threads end during loading, and recovers later`, async (t) => {
    const disk = folder(t);
    const threads = open(2);
    t.teardown(() => threads.close());
    disk.break();
    for (let i = 0; i < 3; i++) await t.rejects(threads.ask('answers'));
    disk.mend();
    // A thread that was started before the repair may still end.
    t.equal(await threads.ask('answers').catch(() => threads.ask('answers')), 'answers');
  });

  t.test(`${name}: rejects jobs while ended threads cannot be replaced, and recovers later`, async (t) => {
    const disk = folder(t);
    const threads = open(2);
    t.teardown(() => threads.close());
    t.equal(await threads.ask('answers'), 'answers');
    disk.break();
    await t.rejects(threads.ask('exits'));
    await t.rejects(threads.ask('exits'));
    await t.rejects(threads.ask('answers'));
    disk.mend();
    t.equal(await threads.ask('answers').catch(() => threads.ask('answers')), 'answers');
  });

  t.test(`${name}: resolves one job when a reply arrives twice`, async (t) => {
    folder(t);
    const threads = open(1);
    t.teardown(() => threads.close());
    t.same(await Promise.all((['answers twice', 'answers', 'answers'] as const).map((how) => threads.ask(how))), [
      'answers twice',
      'answers',
      'answers',
    ]);
  });

  t.test(`${name}: lets a replacement thread load before it is closed`, async (t) => {
    const disk = folder(t);
    const threads = open(1);
    t.equal(await threads.ask('answers'), 'answers');
    const dying = t.rejects(threads.ask('exits'));
    await Promise.all([dying, threads.close()]);
    t.equal(disk.loaded(), 2);
    await threadsLoaded();
  });

  t.test(`${name}: ends a thread that does not respond, and runs the waiting jobs`, async (t) => {
    const disk = folder(t);
    let look = (): void => {};
    let timers = 0;
    const threads = open(1, (run) => {
      look = run;
      timers++;
      return () => timers--;
    });
    t.equal(await threads.ask('answers'), 'answers');
    const stalled = threads.ask('stalls').catch((error: Error) => error);
    const behind = threads.ask('answers').catch(() => threads.ask('answers'));
    // A job of the pool is tried a second time.
    for (let life = name === 'the pool' ? 2 : 1; life > 0; life--) {
      await until('it stalls', () => disk.stalls());
      disk.goesOn();
      for (let i = 0; i < 11; i++) look();
      // The job has not exceeded its time limit yet.
      t.equal(disk.loaded(), name === 'the pool' ? 3 - life : 1);
      look();
    }
    t.type(await stalled, Error);
    t.equal(await behind, 'answers');
    t.equal(timers, 1);
    await threads.close();
    t.equal(timers, 0);
  });
}

t.test('assembler: a stalled task of the second mempool does not fail tasks of the first', async (t) => {
  const disk = folder(t);
  let look = (): void => {};
  const every: Every = (run) => {
    look = run;
    return () => {};
  };
  const assembler = new PooledAssembler({ filename, every });
  t.teardown(() => assembler.close());
  const beside = assembler.secondAssembler();
  const ask = (one: Assembler, how: Unruly): Promise<unknown> => one.assemble(how as unknown as AssembleRequest);
  t.equal(await ask(assembler, 'answers'), 'answers');
  const stalled = t.rejects(ask(beside, 'stalls'), /Terminating/);
  const behind = ask(assembler, 'answers');
  const late = t.rejects(ask(beside, 'answers'), { code: 'ADIT_POOL_CLOSED' });
  await until('it stalls', () => disk.stalls());
  const closed = beside.close();
  disk.goesOn();
  for (let i = 0; i < 12; i++) look();
  await Promise.all([stalled, late, closed]);
  t.equal(await behind, 'answers');
  await t.rejects(ask(beside, 'answers'), { code: 'ADIT_POOL_CLOSED' }, 'its mirror stays dropped');
  t.equal(await ask(assembler, 'answers'), 'answers');
});

t.test('assembler: closes a second mempool whose task killed the thread', async (t) => {
  const disk = folder(t);
  const assembler = new PooledAssembler({ filename });
  t.teardown(() => assembler.close());
  const beside = assembler.secondAssembler();
  const ask = (one: Assembler, how: Unruly): Promise<unknown> => one.assemble(how as unknown as AssembleRequest);
  t.equal(await ask(assembler, 'answers'), 'answers');
  await t.rejects(ask(beside, 'exits'));
  for (let i = 0; i < 3; i++) await t.rejects(ask(beside, 'exits'), { code: 'ADIT_POOL_CLOSED' });
  t.equal(await ask(assembler, 'answers'), 'answers');
  t.equal(disk.loaded(), 2);
  await beside.close();
});

t.test('allows long script checks while single checks complete, and waiting jobs do not end them', async (t) => {
  const disk = folder(t);
  let look = (): void => {};
  const every: Every = (run) => {
    look = run;
    return () => {};
  };
  const pool = new WorkPool({ threads: 1, filename, every });
  t.teardown(() => pool.close());
  const slab = new SharedArrayBuffer(slabSize([]));
  writeSlab(slab, [], 0, 1);
  const share = { version: VERIFY_MESSAGE_VERSION, slab, most: 1 };
  const working = pool.run('block', 'verifyShare', share);
  const behind = pool.run('block', 'verify', 'answers');
  await until('it works', () => disk.stalls());
  for (let i = 0; i < 30; i++) {
    // In one of ten looks, a further check has ended, which counts as progress.
    if (i % 10 === 0) new SlabView(slab).countCheck();
    look();
  }
  disk.goesOn();
  t.same(await Promise.all([working, behind]), ['has worked', 'answers']);
  t.same([pool.retries, disk.loaded()], [0, 1]);
});
