// The file of fee estimates: how old it may be, and that a disabled estimator leaves it alone.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Logger, silentLogger } from '../../../src/log/logger.js';
import { FeeEstimator } from '../../../src/mempool/fees/fee-estimator.js';
import { PoolFiles } from '../../../src/mempool/persist/pool-files.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function bench(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'adit-fees-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (line: string) => void warnings.push(line) };
  const clock = { nowSeconds: () => NOW_MS / 1000, nowMs: () => NOW_MS, monotonicMs: () => 0 };
  return { dir, file: join(dir, 'fee_estimates.dat'), warnings, files: new PoolFiles({ dir, hashes: crypto, clock, log }) };
}

/** Makes an estimator that has seen a block, so that a loaded copy differs from a new one. */
function seen(): FeeEstimator {
  const fees = new FeeEstimator();
  fees.block(77, []);
  return fees;
}

t.test('reads fee estimates up to 60 full hours after they were written', async (t) => {
  const { file, files, warnings } = bench(t);
  await files.saveFees(seen());
  const loadedAt = async (ageMs: number, maxHours?: number): Promise<number> => {
    utimesSync(file, 0, (NOW_MS - ageMs) / 1000);
    return (await files.loadFees(maxHours)).history.bestHeight;
  };
  t.equal(await loadedAt(0, 60), 77);
  t.equal(await loadedAt(61 * HOUR_MS - 1_000, 60), 77);
  t.same(warnings, []);
  t.equal(await loadedAt(61 * HOUR_MS, 60), 0);
  t.same(warnings, [`Fee estimation file ${file} too old (age=61 > 60 hours) and will not be used to avoid serving stale estimates.`]);
  t.equal(await loadedAt(60 * 24 * HOUR_MS), 77, 'of any age when nothing is said');
  t.equal(warnings.length, 1);
});

t.test('replaces the whole file at each save, and leaves no other file', async (t) => {
  const { dir, file, files } = bench(t);
  await Promise.all([files.saveFees(new FeeEstimator()), files.saveFees(seen())]);
  t.same(readdirSync(dir), ['fee_estimates.dat']);
  t.equal((await files.loadFees()).history.bestHeight, 77, 'the later one counts');
  const before = readFileSync(file);
  await files.saveFees(new FeeEstimator(false));
  t.same(readFileSync(file), before, 'a disabled estimator writes nothing');
});

t.test('writes no file of fee estimates when the estimator is disabled', async (t) => {
  const { file, files } = bench(t);
  const { pool } = createPool({ policy: NO_POLICY });
  await files.close(Object.assign(pool, { fees: new FeeEstimator(false) }), false);
  t.notOk(existsSync(file));
});
