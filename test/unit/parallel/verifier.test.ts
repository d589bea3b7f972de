// Runs the suite for both verifiers, with and without the cache, and then tests the features that only the pooled one
// has.

import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { CachedVerifier } from '../../../src/parallel/cached-verifier.js';
import { PoolClosedError, WorkPool } from '../../../src/parallel/pool.js';
import { PooledVerifier } from '../../../src/parallel/pooled-verifier.js';
import { ScriptCache } from '../../../src/parallel/script-cache.js';
import { VerifierBusyError } from '../../../src/parallel/verifier.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { signedSpend } from '../../framework/signed-spends.js';
import { CONSENSUS, mixedTxs, verifierSuite } from './verifier-suite.js';

const crypto = createNativeCrypto();
const pools = [1, 3].map((threads) => new WorkPool({ threads }));
t.teardown(() => Promise.all(pools.map((pool) => pool.close())));

verifierSuite('inline', () => new InlineVerifier(crypto));
for (const pool of pools) verifierSuite(`pooled, ${pool.size}`, () => new PooledVerifier(pool));

const packagesPool = new WorkPool({ threads: 2, prefer: 'packages' });
t.teardown(() => packagesPool.close());
verifierSuite('pooled, npm packages', () => new PooledVerifier(packagesPool));

t.test('start returns the crypto backend of the threads', async (t) => {
  t.same(await pools[0].start(), crypto.backend);
  t.match(await packagesPool.start(), { schnorr: /WebAssembly/ });
});

t.test('rejects jobs of a class whose queue is full, but never blocks', async (t) => {
  const pool = new WorkPool({ threads: 1, maxQueued: 3 });
  t.teardown(() => pool.close());
  const verifier = new PooledVerifier(pool);
  const txs = mixedTxs(1);
  const taken: Promise<unknown>[] = [];
  // Two jobs go to the thread, three wait.
  for (let i = 0; i < 5; i++) taken.push(verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'transaction' }));
  t.notOk(verifier.canAcceptWork('transaction'));
  t.ok(verifier.canAcceptWork('proposal'), 'each class has its own bound');
  await t.rejects(verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'transaction' }), VerifierBusyError);
  for (let i = 0; i < 8; i++) taken.push(verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' }));
  t.ok(verifier.canAcceptWork('block'));
  await Promise.all(taken);
  t.same(verifier.stats().refused, { block: 0, proposal: 0, transaction: 1, scan: 0 });
  t.ok(verifier.canAcceptWork('transaction'));
});

t.test('runs blocks before waiting jobs of other classes', async (t) => {
  const pool = new WorkPool({ threads: 1 });
  t.teardown(() => pool.close());
  const verifier = new PooledVerifier(pool);
  const order: string[] = [];
  const submit = (klass: 'block' | 'proposal' | 'transaction' | 'scan', name: string): Promise<void> =>
    verifier.verifyTxs({ txs: mixedTxs(1), flags: CONSENSUS, klass }).then(() => {
      order.push(name);
    });
  const all = [submit('scan', 'first'), submit('scan', 'second')];
  all.push(submit('scan', 'scan'), submit('transaction', 'transaction'), submit('proposal', 'proposal'), submit('block', 'block'));
  // The thread has two jobs at a time, and their answers may arrive in one event-loop tick. So only jobs that are far
  // apart have a fixed order.
  all.push(submit('scan', 'late'), submit('scan', 'later'), submit('scan', 'last'));
  await Promise.all(all);
  const place = (name: string): number => order.indexOf(name);
  for (const [before, after] of [
    ['first', 'block'],
    ['block', 'transaction'],
    ['proposal', 'scan'],
  ])
    t.ok(place(before) < place(after), `${before} before ${after}: ${order}`);
  t.ok(place('transaction') < place('later') && place('transaction') < place('last'), `a transaction overtakes scans: ${order}`);
});

t.test('bundles waiting transactions into jobs, and returns a verdict for each', async (t) => {
  const pool = new WorkPool({ threads: 1 });
  t.teardown(() => pool.close());
  const verifier = new PooledVerifier(pool);
  const spends = Array.from({ length: 60 }, (_, i) =>
    signedSpend('p2wpkh', { serial: i, inputs: 2, breakInput: i % 7 === 3 ? i % 2 : undefined }, crypto),
  );
  const flagsOf = (i: number): number => (i % 20 === 19 ? 1 : CONSENSUS);
  const results = await Promise.all(
    spends.map((job, i) =>
      verifier.verifyTxs({ txs: [i === 31 ? { ...job, onlyInput: 0 } : job], flags: flagsOf(i), klass: 'transaction' }),
    ),
  );
  results.forEach((result, i) => {
    // Under P2SH alone, witnesses are not checked. Transaction 31 is invalid at input 1, but only input 0 was to be
    // checked.
    const broken = i % 7 === 3 && flagsOf(i) === CONSENSUS && i !== 31;
    const expected = broken
      ? { ok: false, failedTx: 0, failedInput: i % 2, scriptError: 2 }
      : { ok: true, failedTx: -1, failedInput: -1, scriptError: 0 };
    t.match(result, expected, `transaction ${i}`);
  });
  t.ok(verifier.stats().jobs.transaction < 30, `${verifier.stats().jobs.transaction} jobs for 60 transactions`);
  t.equal(verifier.stats().queued, 0);
});

t.test('verifies transactions one by one after their bundle killed the thread', async (t) => {
  const pool = new WorkPool({ threads: 1, filename: new URL('./bundle-killer.js', import.meta.url).href });
  t.teardown(() => pool.close());
  const verifier = new PooledVerifier(pool);
  const results = await Promise.all(mixedTxs(12).map((job) => verifier.verifyTxs({ txs: [job], flags: CONSENSUS, klass: 'transaction' })));
  t.ok(results.every((result) => result.ok && result.checked > 0));
  t.ok(pool.retries > 0);
  const bytes = verifier.stats().slabBytes;
  await verifier.verifyTxs({ txs: mixedTxs(1), flags: CONSENSUS, klass: 'transaction' });
  t.equal(verifier.stats().slabBytes, bytes, 'its slab came back');
});

t.test('rejects calls on a closed pool, and completes running ones', async (t) => {
  const pool = new WorkPool({ threads: 1 });
  const verifier = new PooledVerifier(pool);
  const pending = Array.from({ length: 6 }, () => verifier.verifyTxs({ txs: mixedTxs(1), flags: CONSENSUS, klass: 'block' }));
  const outcomes = Promise.allSettled(pending);
  await pool.close();
  for (const outcome of await outcomes) {
    if (outcome.status === 'rejected') t.type(outcome.reason, PoolClosedError);
    else t.ok(outcome.value.ok, 'what ran was finished');
  }
  t.notOk(verifier.canAcceptWork('block'));
  await t.rejects(pool.run('block', 'describe', null), PoolClosedError);
});

t.test('rejects batches whose coins and inputs do not match', async (t) => {
  const [job] = mixedTxs(1);
  for (const verifier of [new PooledVerifier(pools[0]), new InlineVerifier(crypto)]) {
    const bad = [
      { ...job, spent: [] },
      { ...job, spent: [...job.spent, ...job.spent] },
      { ...job, onlyInput: 1 },
      { ...job, onlyInput: -1 },
    ];
    for (const entry of bad) await t.rejects(verifier.verifyTxs({ txs: [entry], flags: CONSENSUS, klass: 'block' }), RangeError);
    t.match(await verifier.verifyTxs({ txs: [job], flags: CONSENSUS, klass: 'block' }), { ok: true });
    t.equal(verifier.stats().queued, 0);
  }
});

t.test('reuses the buffers of earlier batches', async (t) => {
  const verifier = new PooledVerifier(pools[1]);
  const txs = mixedTxs(60);
  await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' });
  const bytes = verifier.stats().slabBytes;
  for (let i = 0; i < 5; i++) await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' });
  t.equal(verifier.stats().slabBytes, bytes, 'five more batches, no new buffer');
});

t.test('skips scripts that succeeded before under the same flags, and no others', async (t) => {
  const cached = new CachedVerifier(new InlineVerifier(crypto), new ScriptCache(1 << 20, 1));
  const txs = mixedTxs(6);
  t.match(await cached.verifyTxs({ txs: txs.slice(0, 4), flags: CONSENSUS, klass: 'transaction' }), { ok: true, checked: 7 });
  t.match(await cached.verifyTxs({ txs: txs.slice(0, 4), flags: CONSENSUS, klass: 'proposal' }), { ok: true, checked: 0, jobs: 0 });
  t.match(
    await cached.verifyTxs({ txs: txs.slice(0, 4), flags: CONSENSUS | 8, klass: 'proposal' }),
    { ok: true, checked: 7 },
    'other flags',
  );
  const broken = signedSpend('p2tr', { serial: 77, breakInput: 0 }, crypto);
  const mixed = [txs[0], txs[1], broken, txs[4]];
  t.match(
    await cached.verifyTxs({ txs: mixed, flags: CONSENSUS, klass: 'proposal' }),
    { ok: false, failedTx: 2, failedInput: 0 },
    'numbered as asked',
  );
  t.match(
    await cached.verifyTxs({ txs: [broken], flags: CONSENSUS, klass: 'proposal' }),
    { ok: false, failedTx: 0 },
    'failures are not remembered',
  );
  t.match(await cached.verifyTxs({ txs: [txs[4]], flags: CONSENSUS, klass: 'proposal' }), { checked: 2 }, 'nor is their company');
  t.match(
    await cached.verifyTxs({ txs: [{ ...txs[0], onlyInput: 0 }], flags: CONSENSUS, klass: 'proposal' }),
    { checked: 1 },
    'single inputs always run',
  );
  t.equal(cached.stats().cacheHits, 4 + 2);
});

t.test('uses a cached success for fewer flags, but not for more', async (t) => {
  const cached = new CachedVerifier(new InlineVerifier(crypto), new ScriptCache(1 << 20, 1));
  const txs = mixedTxs(2);
  const strict = CONSENSUS | (1 << 3);
  await cached.verifyTxs({ txs, flags: strict, klass: 'transaction' });
  t.match(await cached.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' }), { ok: true, checked: 0 });
  const more = mixedTxs(8).slice(6);
  const { checked } = await cached.verifyTxs({ txs: more, flags: CONSENSUS, klass: 'proposal' });
  t.match(await cached.verifyTxs({ txs: more, flags: strict, klass: 'transaction' }), { ok: true, checked }, 'never the other way');
  t.ok(checked > 0);
});

t.test('uses the cache for the transactions of a block, but does not add them', async (t) => {
  const cached = new CachedVerifier(new InlineVerifier(crypto), new ScriptCache(1 << 20, 1));
  const [known, ...rest] = mixedTxs(3);
  await cached.verifyTxs({ txs: [known!], flags: CONSENSUS, klass: 'transaction' });
  const { checked } = await cached.verifyTxs({ txs: rest, flags: CONSENSUS, klass: 'block' });
  t.ok(checked > 0);
  t.match(await cached.verifyTxs({ txs: [known!, ...rest], flags: CONSENSUS, klass: 'block' }), { ok: true, checked });
});
