// Tests threads that end, stall or answer wrongly while they check a batch with invalid scripts: the batch is never
// reported as valid, and none of it enters the script cache.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { VERIFY_MESSAGE_VERSION, type VerifyJobResult, type VerifyShareResult } from '../../../src/jobs/verify.js';
import type { CheckRange } from '../../../src/jobs/verify-plan.js';
import { CachedVerifier } from '../../../src/parallel/cached-verifier.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { PooledVerifier } from '../../../src/parallel/pooled-verifier.js';
import { ScriptCache } from '../../../src/parallel/script-cache.js';
import { type TxJob, VerifierFaultError, type VerifyBatch, type VerifyResult } from '../../../src/parallel/verifier.js';
import { BatchAnswers } from '../../../src/parallel/verify-batch.js';
import { nightly } from '../../framework/depth.js';
import { fc } from '../../framework/fast-check.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { signedSpend } from '../../framework/signed-spends.js';
import { CONSENSUS } from './verifier-suite.js';

const crypto = createNativeCrypto();

/**
 * Makes transactions with one input each, so that checks have the numbers of transactions. The ones listed in `broken`
 * are invalid.
 */
const batchWith = (broken: readonly number[]): TxJob[] =>
  Array.from({ length: 120 }, (_, i) =>
    signedSpend('p2wpkh', { serial: i, inputs: 1, breakInput: broken.includes(i) ? 0 : undefined }, crypto),
  );

const TWO_BROKEN = batchWith([77, 110]);
const GOOD = batchWith([]);

interface Mishap {
  readonly how: string;
  readonly from?: number;
  readonly times?: number;
  readonly threads: number;
}

async function poolWith(t: Test, { how, from = -1, times = 1, threads }: Mishap): Promise<{ pool: WorkPool; mishaps: () => number }> {
  const dir = mkdtempSync(join(tmpdir(), 'adit-lost-'));
  process.env.ADIT_TEST_MISHAP = new URLSearchParams({ how, from: String(from), times: String(times), dir }).toString();
  const pool = new WorkPool({ threads, filename: new URL('./losing-worker.js', import.meta.url).href });
  await pool.start();
  t.teardown(async () => {
    await pool.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { pool, mishaps: () => readdirSync(dir).length };
}

const cached = (pool: WorkPool) => new CachedVerifier(new PooledVerifier(pool), new ScriptCache(1 << 20, 1));

for (const threads of [1, 2]) {
  const tried = new Set<string>();
  for (const mishap of [
    { how: 'afterFailure' },
    { how: 'afterFailure', times: 2 },
    { how: 'beforeWork', from: 0 },
    { how: 'beforeWork', from: 77 },
    { how: 'beforeWork', from: 60 },
    { how: 'afterWork', from: 0 },
    { how: 'afterWork', from: 77 },
    { how: 'afterWork', from: 78 },
    { how: 'stalls', from: 77 },
    { how: 'wrongAnswer' },
    { how: 'skipsWork', from: 77 },
    { how: 'skipsWork', from: 3 },
  ]) {
    // On one thread, only nightly runs try a mishap at more than one place.
    if (threads === 1 && !nightly && tried.has(mishap.how)) continue;
    tried.add(mishap.how);
    t.test(
      `finds the failing script: ${threads} threads, ${mishap.how} from ${mishap.from ?? 'the failure'}, ${mishap.times ?? 1} times`,
      async (t) => {
        const txs = TWO_BROKEN;
        const { pool, mishaps } = await poolWith(t, { ...mishap, threads });
        const verifier = cached(pool);
        const batch: VerifyBatch = { txs, flags: CONSENSUS, klass: 'block' };
        const outcome = await Promise.resolve(verifier.verifyTxs(batch)).catch((error: unknown) => error);
        t.equal(mishaps(), mishap.times ?? 1, 'it happened');
        if (outcome instanceof Error) t.type(outcome, VerifierFaultError, 'no verdict');
        else t.match(outcome, { ok: false, failedTx: 77, failedInput: 0, stopped: false });
        t.ok((mishap.times ?? 1) > 1 || !(outcome instanceof Error), 'one mishap is got over');
        t.equal(verifier.cache.has((txs[77] as TxJob).tx.wtxid, CONSENSUS), false);
        t.equal(verifier.cache.has((txs[0] as TxJob).tx.wtxid, CONSENSUS), false, 'nothing of a batch that failed');
        t.match(await verifier.verifyTxs(batch), { ok: false, failedTx: 77 }, 'asked again');
        t.match(await verifier.verifyTxs({ ...batch, txs: GOOD }), { ok: true, checked: 120 }, 'the threads go on');
      },
    );
  }
}

t.test('finds the lowest failure when the share that had it dies and another finds a higher one', async (t) => {
  for (const from of [0, 20, 60, 100]) {
    const { pool, mishaps } = await poolWith(t, { how: 'beforeWork', from, threads: 1 });
    const verifier = cached(pool);
    const txs = batchWith([from, 119]);
    t.match(await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' }), { ok: false, failedTx: from, stopped: false });
    t.equal(mishaps(), 1);
  }
});

/**
 * A batch of checks of which some fail. Jobs run in some order over a shared division of the batch, and their results
 * are lost, duplicated or exchanged.
 */
t.test('never returns valid despite a failure, or another failure than the lowest', (t) => {
  const range = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 });
  const events = fc.array(fc.tuple(fc.nat(7), fc.constantFrom('answers', 'is lost', 'answers twice', 'answers for the next')), {
    maxLength: 24,
  });
  fc.assert(
    fc.property(range, fc.array(fc.nat(40), { maxLength: 4 }), events, (sizes, failing, story) => {
      const ranges: CheckRange[] = [];
      for (const size of sizes) ranges.push({ first: ranges.at(-1)?.end ?? 0, end: (ranges.at(-1)?.end ?? 0) + size });
      const total = ranges.at(-1)?.end as number;
      const bad = new Set(failing.filter((check) => check < total));
      const answers = new BatchAnswers(ranges, 5);
      let cut = Number.POSITIVE_INFINITY;
      const run = (at: number): VerifyJobResult => {
        const { first, end } = ranges[at] as CheckRange;
        let checked = 0;
        let failedCheck = -1;
        for (let check = first; check < end && check < cut; check++) {
          checked++;
          if (!bad.has(check)) continue;
          cut = failedCheck = check;
          break;
        }
        const failed = failedCheck >= 0;
        const [failedTx, scriptError] = failed ? [failedCheck, 2] : [-1, 0];
        return {
          version: VERIFY_MESSAGE_VERSION,
          serial: 5,
          first,
          end,
          failedCheck,
          failedTx,
          failedInput: failed ? 0 : -1,
          scriptError,
          checked,
          stopped: false,
          startMs: 0,
          endMs: 0,
        };
      };
      for (const [which, what] of story) {
        const at = which % ranges.length;
        const result = run(at);
        if (what === 'answers' || what === 'answers twice') answers.add(at, result);
        if (what === 'answers twice') answers.add(at, result);
        if (what === 'answers for the next') answers.add((at + 1) % ranges.length, ranges.length > 1 ? result : { ...result, serial: 4 });
      }
      let verdict: VerifyResult | null = null;
      try {
        verdict = answers.verdict();
      } catch (error) {
        if (!(error instanceof VerifierFaultError)) throw error;
      }
      if (verdict === null) return answers.open >= 0;
      return verdict.ok ? bad.size === 0 && verdict.checked === total : verdict.failedTx === Math.min(...bad);
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

t.test("counts a share's reply only for the ranges it names and for the current batch", (t) => {
  const ranges: CheckRange[] = [0, 10, 20].map((first) => ({ first, end: first + 10 }));
  const share: VerifyShareResult = {
    version: VERIFY_MESSAGE_VERSION,
    serial: 9,
    passed: [0, 2],
    lastRange: -1,
    last: null,
    startMs: 1,
    endMs: 3,
  };
  const part = {
    version: VERIFY_MESSAGE_VERSION,
    serial: 9,
    first: 10,
    end: 20,
    failedTx: -1,
    failedInput: -1,
    stopped: false,
    startMs: 1,
    endMs: 2,
  } as const;
  const cut: VerifyJobResult = { ...part, failedCheck: -1, scriptError: 0, checked: 4 };
  const failed: VerifyJobResult = { ...part, failedCheck: 13, failedTx: 13, failedInput: 0, scriptError: 2, checked: 4 };
  const after = (...shares: Partial<VerifyShareResult>[]): BatchAnswers => {
    const answers = new BatchAnswers(ranges, 9);
    for (const one of shares) answers.addShare({ ...share, ...one });
    return answers;
  };
  t.equal(after().open, 0);
  t.equal(after({}).open, 1);
  t.throws(() => after({}).verdict(), VerifierFaultError);
  t.throws(() => after({}, {}).verdict(), VerifierFaultError, 'said twice');
  t.match(after({}, { passed: [1] }).verdict(), { ok: true, checked: 30, cpuMs: 4 });
  t.equal(after({ passed: [0, 1, 2], serial: 8 }).open, 0, 'another batch');
  t.equal(after({ passed: [0, 3, -1, 1.5, 2] }).open, 1, 'no such ranges');
  t.equal(after({ lastRange: 1, last: cut }).open, 1, 'cut short by a failure that no answer tells of');
  t.match(after({ lastRange: 1, last: failed }).verdict(), { ok: false, failedTx: 13 });
  t.equal(after({ passed: [0], lastRange: 2, last: failed }).open, 1, 'the answer to another range');
  t.equal(after({ lastRange: 3, last: failed }).open, 1);
  t.match(after({ passed: [], lastRange: 1, last: { ...cut, stopped: true } }).verdict(), { ok: false, stopped: true, failedTx: -1 });
  t.end();
});

t.test('ignores a reply that does not fit its job', (t) => {
  const right: VerifyJobResult = {
    version: VERIFY_MESSAGE_VERSION,
    serial: 9,
    first: 10,
    end: 20,
    failedCheck: -1,
    failedTx: -1,
    failedInput: -1,
    scriptError: 0,
    checked: 10,
    stopped: false,
    startMs: 0,
    endMs: 0,
  };
  const openAfter = (change: Partial<VerifyJobResult>): number => {
    const answers = new BatchAnswers([{ first: 10, end: 20 }], 9);
    answers.add(0, { ...right, ...change });
    return answers.open;
  };
  t.equal(openAfter({}), -1);
  const wrong: Partial<VerifyJobResult>[] = [
    { serial: 8 },
    { first: 9 },
    { end: 21 },
    { checked: 9 },
    { checked: 11 },
    { checked: -1 },
    { checked: Number.NaN },
    { scriptError: 2 },
    { failedCheck: 12, scriptError: 2 },
    { failedCheck: 9, checked: 0, scriptError: 2 },
    { failedCheck: 19, scriptError: 0 },
  ];
  for (const change of wrong) t.equal(openAfter(change), 0, JSON.stringify(change));
  t.end();
});

t.test('rejects and does not cache a valid verdict that skipped checks', async (t) => {
  class Hasty extends InlineVerifier {
    override async verifyTxs(batch: VerifyBatch): Promise<VerifyResult> {
      return { ...(await super.verifyTxs(batch)), ok: true, checked: 119 };
    }
  }
  const verifier = new CachedVerifier(new Hasty(crypto), new ScriptCache(1 << 20, 1));
  const txs = GOOD;
  await t.rejects(Promise.resolve(verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' })), VerifierFaultError);
  t.equal(verifier.cache.has((txs[0] as TxJob).tx.wtxid, CONSENSUS), false);
});
