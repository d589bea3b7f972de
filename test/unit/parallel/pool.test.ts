// Tests the worker pool when threads end, jobs throw, or no thread can start; and the nonce search that runs in the
// pool.
import t from 'tap';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Grinder } from '../../../src/parallel/grinder.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { StopFlag } from '../../../src/parallel/stop-flag.js';

const CRASHING = new URL('./crashing-worker.js', import.meta.url).href;
const deaths = (count: number): Int32Array => {
  const word = new Int32Array(new SharedArrayBuffer(4));
  word[0] = count;
  return word;
};

t.test('runs a job once more when its thread dies', async (t) => {
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const pool = new WorkPool({ threads: 2, filename: CRASHING }, { log });
  t.teardown(() => pool.close());
  for (const how of ['exit', 'throw'] as const) {
    t.equal(await pool.run('block', 'verify', { lives: deaths(1), how, answer: how }), how);
  }
  t.equal(pool.retries, 2);
  t.match(warnings, [/exited with code/, /thrown by the job/], 'the operator hears of it');
  const neighbours = Array.from({ length: 12 }, (_, i) => pool.run('scan', 'verify', { lives: deaths(0), how: 'none', answer: `n${i}` }));
  const dying = pool.run('block', 'verify', { lives: deaths(1), how: 'exit', answer: 'risen' });
  t.equal(await dying, 'risen');
  t.same(
    await Promise.all(neighbours),
    Array.from({ length: 12 }, (_, i) => `n${i}`),
    'its neighbours are answered',
  );
});

t.test('rejects a job that kills its thread twice, and runs later jobs', async (t) => {
  const pool = new WorkPool({ threads: 1, filename: CRASHING });
  t.teardown(() => pool.close());
  await t.rejects(pool.run('block', 'verify', { lives: deaths(5), how: 'exit', answer: '' }));
  await t.rejects(pool.run('block', 'verify', { lives: deaths(5), how: 'throw', answer: '' }), { message: 'thrown by the job' });
  t.equal(await pool.run('block', 'verify', { lives: deaths(0), how: 'none', answer: 'alive' }), 'alive');
  t.equal(pool.running + pool.queued, 0);
});

t.test('completes other jobs while some kill their thread every time', async (t) => {
  const pool = new WorkPool({ threads: 1, filename: CRASHING });
  t.teardown(() => pool.close());
  const killers = [1, 2, 3].map(() => pool.run('block', 'verify', { lives: deaths(100), how: 'exit', answer: '' }));
  const innocent = Array.from({ length: 9 }, (_, i) => pool.run('block', 'verify', { lives: deaths(0), how: 'none', answer: `n${i}` }));
  for (const killer of killers) await t.rejects(killer);
  t.same(
    await Promise.all(innocent),
    Array.from({ length: 9 }, (_, i) => `n${i}`),
  );
});

t.test('rejects calls when the threads of the pool cannot start', async (t) => {
  const pool = new WorkPool({ threads: 2, filename: new URL('./no-such-worker.js', import.meta.url).href });
  t.teardown(() => pool.close());
  await t.rejects(pool.start());
  await t.rejects(pool.run('block', 'verify', null));
});

t.test('Grinder finds the first nonce that meets the target, and stops on request', async (t) => {
  const pool = new WorkPool({ threads: 2 });
  t.teardown(() => pool.close());
  const hashes = createNativeHashes();
  const grinder = new Grinder(pool, hashes);
  const header = new Uint8Array(80).fill(9);
  const asNumber = (nonce: number): bigint => {
    const copy = header.slice();
    new DataView(copy.buffer).setUint32(76, nonce, true);
    return BigInt(`0x${Buffer.from(hashes.sha256d(copy)).reverse().toString('hex')}`);
  };
  // The model: finds the first nonce from `start` on whose hash is at most the target.
  const naive = (target: bigint, start: number, tries: number): number | null => {
    for (let nonce = start; nonce < start + tries; nonce++) if (asNumber(nonce) <= target) return nonce;
    return null;
  };
  for (const bits of [1, 4, 8, 12]) {
    const target = (1n << BigInt(256 - bits)) - 1n;
    for (const startNonce of [0, 777]) {
      const expected = naive(target, startNonce, 20_000);
      const result = await grinder.grind(header, target, { startNonce, maxTries: 20_000 });
      t.equal(result.nonce, expected, `${bits} bits from ${startNonce}`);
      if (expected !== null) t.equal(result.tries, expected - startNonce + 1);
    }
  }
  const hash = asNumber(5);
  t.match(await grinder.grind(header, hash, { startNonce: 5, maxTries: 1 }), { nonce: 5, tries: 1 }, 'equal to the target is enough');
  t.match(await grinder.grind(header, hash - 1n, { startNonce: 5, maxTries: 1 }), { nonce: null, tries: 1 });
  t.match(await grinder.grind(header, 0n, { maxTries: 0 }), { nonce: null, tries: 0 });
  t.match(
    await grinder.grind(header, 0n, { startNonce: 0xfffffff0, maxTries: 1_000 }),
    { nonce: null, tries: 16 },
    'nonces end at 32 bits',
  );

  const stop = new StopFlag();
  const endless = grinder.grind(header, 0n, { maxTries: 0xffffffff, stop });
  stop.raise();
  t.equal((await endless).nonce, null, 'a stop ends the search');
});
