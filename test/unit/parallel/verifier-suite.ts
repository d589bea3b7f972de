// Tests that every implementation of Verifier must pass.

import t from 'tap';
import { ScriptError } from '../../../src/consensus/script/script-error.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { StopFlag } from '../../../src/parallel/stop-flag.js';
import type { TxJob, Verifier } from '../../../src/parallel/verifier.js';
import { SPEND_KINDS, signedSpend } from '../../framework/signed-spends.js';

/** P2SH, DERSIG, NULLDUMMY, CLTV, CSV, WITNESS, TAPROOT, written out so that a changed constant is noticed. */
export const CONSENSUS = (1 << 0) | (1 << 2) | (1 << 4) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 17);
const P2SH_ONLY = 1;
const hashes = createNativeHashes();

/** Makes transactions of all kinds in rotation, with one to three inputs. */
export function mixedTxs(count: number, from = 0): TxJob[] {
  return Array.from({ length: count }, (_, i) => signedSpend(SPEND_KINDS[i % 3], { serial: from + i, inputs: 1 + (i % 3) }, hashes));
}

function countJobs(verifier: Verifier): number {
  const { jobs } = verifier.stats();
  return jobs.block + jobs.proposal + jobs.transaction + jobs.scan;
}

/** Runs the suite on verifiers made by `make`; each is closed afterwards. */
export function verifierSuite(name: string, make: () => Verifier): void {
  t.test(`${name}: accepts every kind of spend`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const txs = mixedTxs(30);
    const result = await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' });
    t.match(result, { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, checked: 60 });
    t.ok(result.jobs >= 1 && result.cpuMs > 0);
    t.match(await verifier.verifyTxs({ txs: [], flags: CONSENSUS, klass: 'block' }), { ok: true, checked: 0, jobs: 0 });
  });

  t.test(`${name}: names the failing input and the error`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const expected = { p2pkh: ScriptError.EVAL_FALSE, p2wpkh: ScriptError.EVAL_FALSE, p2tr: ScriptError.SCHNORR_SIG };
    for (const kind of SPEND_KINDS) {
      const broken = signedSpend(kind, { serial: 500, inputs: 4, breakInput: 2 }, hashes);
      const txs = [...mixedTxs(3), broken, ...mixedTxs(2, 10)];
      const result = await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'proposal' });
      t.match(result, { ok: false, failedTx: 3, failedInput: 2, scriptError: expected[kind], stopped: false }, kind);
    }
  });

  t.test(`${name}: reports the lowest of several failures`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const txs = mixedTxs(200);
    for (const at of [190, 120, 61]) txs[at] = signedSpend('p2wpkh', { serial: at, inputs: 2, breakInput: 1 }, hashes);
    for (let round = 0; round < 3; round++) {
      t.match(await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' }), { ok: false, failedTx: 61, failedInput: 1 });
    }
  });

  t.test(`${name}: splits a transaction that is larger than one job`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    for (const kind of SPEND_KINDS) {
      const whole = signedSpend(kind, { serial: 700, inputs: 300 }, hashes);
      const good = await verifier.verifyTxs({ txs: [whole], flags: CONSENSUS, klass: 'block' });
      t.match(good, { ok: true, checked: 300 }, kind);
      t.ok(good.jobs > 1, 'its inputs were spread');
      const broken = signedSpend(kind, { serial: 700, inputs: 300, breakInput: 271 }, hashes);
      const result = await verifier.verifyTxs({ txs: [...mixedTxs(2), broken], flags: CONSENSUS, klass: 'block' });
      t.match(result, { ok: false, failedTx: 2, failedInput: 271 }, kind);
    }
  });

  t.test(`${name}: verifies under the given flags, and one input alone if asked`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const { tx, spent } = signedSpend('p2wpkh', { serial: 900, inputs: 3, breakInput: 1 }, hashes);
    t.match(await verifier.verifyTxs({ txs: [{ tx, spent }], flags: CONSENSUS, klass: 'transaction' }), { ok: false, failedInput: 1 });
    t.match(await verifier.verifyTxs({ txs: [{ tx, spent }], flags: P2SH_ONLY, klass: 'transaction' }), { ok: true }, 'no witness rules');
    for (const [onlyInput, ok] of [
      [0, true],
      [1, false],
      [2, true],
    ] as const) {
      const txs = [...mixedTxs(1), { tx, spent, onlyInput }, ...mixedTxs(1, 5)];
      const result = await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block' });
      t.match(result, ok ? { ok, checked: 1 + 1 + 1 } : { ok, failedTx: 1, failedInput: 1 }, `input ${onlyInput}`);
    }
  });

  t.test(`${name}: rejects signatures for other amounts, except legacy ones`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    for (const kind of SPEND_KINDS) {
      const { tx, spent } = signedSpend(kind, { serial: 950, inputs: 2 }, hashes);
      const cheaper = spent.map((output, i) => (i === 1 ? { ...output, value: output.value - 1 } : output));
      const result = await verifier.verifyTxs({ txs: [{ tx, spent: cheaper }], flags: CONSENSUS, klass: 'block' });
      // BIP-0143 signs the amount of its own input, BIP-0341 all amounts, the legacy hash none.
      if (kind === 'p2pkh') t.ok(result.ok, kind);
      else t.match(result, { ok: false, failedInput: kind === 'p2tr' ? 0 : 1 }, kind);
    }
  });

  t.test(`${name}: ends a batch without a verdict when it is stopped`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const early = new StopFlag();
    early.raise();
    const txs = mixedTxs(300);
    const none = await verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block', stop: early });
    t.match(none, { ok: false, stopped: true, failedTx: -1, checked: 0 });
    const late = new StopFlag();
    const running = verifier.verifyTxs({ txs, flags: CONSENSUS, klass: 'block', stop: late });
    late.raise();
    const cut = await running;
    t.match(cut, { ok: false, stopped: true, failedTx: -1, scriptError: 0 });
    t.ok(cut.checked < 600, 'not all inputs were checked');
    t.match(
      await verifier.verifyTxs({ txs: mixedTxs(3), flags: CONSENSUS, klass: 'block' }),
      { ok: true },
      'the next batch is whole again',
    );
  });

  t.test(`${name}: keeps the results of concurrent batches apart`, async (t) => {
    const verifier = make();
    t.teardown(() => verifier.close());
    const classes = ['scan', 'transaction', 'proposal', 'block'] as const;
    // A pool counts the jobs of all its users.
    const jobsBefore = countJobs(verifier);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const breakInput = i % 5 === 0 ? 0 : undefined;
        const txs = [signedSpend(SPEND_KINDS[i % 3], { serial: 2_000 + i, inputs: 2, breakInput }, hashes)];
        return verifier.verifyTxs({ txs, flags: CONSENSUS, klass: classes[i % 4] });
      }),
    );
    t.same(
      outcomes.map((outcome) => outcome.ok),
      Array.from({ length: 40 }, (_, i) => i % 5 !== 0),
    );
    const stats = verifier.stats();
    t.equal(stats.queued + stats.running, 0, 'nothing is left behind');
    const jobs = countJobs(verifier) - jobsBefore;
    t.ok(jobs >= 31 && jobs <= 40, `${jobs} jobs: only transactions may share one`);
  });
}
