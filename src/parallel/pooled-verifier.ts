// Script verification on worker threads: one shared slab per batch, small jobs on it, one verdict.

import { slabSize, stopSlab, writeSlab } from '../jobs/slab.js';
import { SlabPool } from '../jobs/slab-pool.js';
import {
  VERIFY_MESSAGE_VERSION,
  type VerifyJob,
  type VerifyJobResult,
  type VerifyShareJob,
  type VerifyShareResult,
} from '../jobs/verify.js';
import { estimateTxUs, jobBudgetUs, MAX_JOB_US, MAX_SHARE_US, planRanges, planShares, type Shares } from '../jobs/verify-plan.js';
import { PoolClosedError, type WorkPool } from './pool.js';
import {
  type Verifier,
  VerifierBusyError,
  VerifierFaultError,
  type VerifierStats,
  type VerifyBatch,
  type VerifyClass,
  type VerifyResult,
} from './verifier.js';
import { BatchAnswers, nextBatchSerial } from './verify-batch.js';
import { VerifyBundler } from './verify-bundle.js';

/** Returns true for one transaction that cannot be stopped and is small enough to share a job. */
function isSingle({ txs, klass, stop }: VerifyBatch): boolean {
  return klass === 'transaction' && txs.length === 1 && stop === undefined && estimateTxUs(txs[0]) <= MAX_SINGLE_US;
}

/** Returns the error of a batch whose job failed. */
function asFault(reason: unknown): PoolClosedError | VerifierFaultError {
  return reason instanceof PoolClosedError ? reason : new VerifierFaultError(reason);
}

/** Larger transactions are spread over the threads instead. */
const MAX_SINGLE_US = 1_000;

/** Verifier on a WorkPool, which other users share: closing the verifier does not close the pool. */
export class PooledVerifier implements Verifier {
  readonly size: number;
  readonly #pool: WorkPool;
  readonly #slabs = new SlabPool();
  readonly #bundler: VerifyBundler;
  #inputs = 0;
  #cpuMs = 0;

  constructor(pool: WorkPool) {
    this.#pool = pool;
    this.#bundler = new VerifyBundler(pool, this.#slabs);
    this.size = pool.size;
  }

  canAcceptWork(klass: VerifyClass): boolean {
    // Transactions wait in bundles, which the pool counts as one job each.
    if (klass === 'transaction' && this.#bundler.waiting >= this.#pool.maxQueued) return false;
    return this.#pool.canAcceptWork(klass);
  }

  async verifyTxs(batch: VerifyBatch): Promise<VerifyResult> {
    if (!this.canAcceptWork(batch.klass)) {
      this.#pool.countRefusal(batch.klass);
      throw new VerifierBusyError(batch.klass);
    }
    const result = isSingle(batch) ? await this.#verifySingle(batch) : await this.#verifyBatch(batch);
    this.#inputs += result.checked;
    this.#cpuMs += result.cpuMs;
    return result;
  }

  async #verifySingle(batch: VerifyBatch): Promise<VerifyResult> {
    try {
      return await this.#bundler.verify(batch.txs[0], batch.flags);
    } catch (error) {
      if (error instanceof PoolClosedError || error instanceof RangeError) throw error;
      // A transaction of the bundle made threads die. Verify each transaction alone, so that only this one fails.
      return this.#verifyBatch(batch);
    }
  }

  async #verifyBatch(batch: VerifyBatch): Promise<VerifyResult> {
    // A batch of several unconfirmed transactions is not cut finely: the other transactions keep every thread busy.
    const whole = batch.klass === 'transaction' && batch.txs.length > 1;
    const budgetUs = whole ? MAX_JOB_US : jobBudgetUs(batch.txs, this.size);
    const ranges = planRanges(batch.txs, budgetUs);
    const shares = planShares(ranges.length, budgetUs, batch.klass === 'block' ? MAX_SHARE_US : MAX_JOB_US, this.size);
    const slab = this.#slabs.acquire(slabSize(batch.txs, ranges.length));
    const serial = nextBatchSerial();
    const answers = new BatchAnswers(ranges, serial);
    let forgetStop: (() => void) | undefined;
    try {
      writeSlab(slab, batch.txs, batch.flags, serial, ranges);
      forgetStop = batch.stop?.onRaise(() => stopSlab(slab));
      await this.#runShares(batch.klass, slab, answers, shares);
      await this.#runRest(batch.klass, slab, answers);
    } finally {
      forgetStop?.();
      this.#slabs.release(slab);
    }
    return answers.verdict();
  }

  async #runShares(klass: VerifyClass, slab: SharedArrayBuffer, answers: BatchAnswers, { count, most }: Shares): Promise<void> {
    const job: VerifyShareJob = { version: VERIFY_MESSAGE_VERSION, slab, most };
    const shares = Array.from({ length: count }, () => this.#pool.run<VerifyShareResult>(klass, 'verifyShare', job));
    // Every share must have ended before the slab is reused: a thread may still read it after another share failed.
    for (const outcome of await Promise.allSettled(shares)) {
      if (outcome.status === 'rejected') throw asFault(outcome.reason);
      answers.addShare(outcome.value);
    }
  }

  /**
   * Runs the ranges that are still open. If a thread died, its answer is lost, but not the ranges that it took or the
   * failure that it recorded in the slab. Runs one range after another, because a failure makes later ranges unnecessary.
   */
  async #runRest(klass: VerifyClass, slab: SharedArrayBuffer, answers: BatchAnswers): Promise<void> {
    let last = -1;
    for (let open = answers.open; open > last; open = answers.open) {
      last = open;
      const { first, end } = answers.ranges[open];
      const job: VerifyJob = { version: VERIFY_MESSAGE_VERSION, slab, first, end, all: true };
      const result = this.#pool.run<VerifyJobResult>(klass, 'verify', job);
      answers.add(open, await result.catch((reason: unknown) => Promise.reject(asFault(reason))));
    }
  }

  stats(): VerifierStats {
    return {
      jobs: this.#pool.posted,
      refused: this.#pool.refused,
      inputs: this.#inputs,
      cpuMs: this.#cpuMs,
      queued: this.#pool.queued + this.#bundler.waiting,
      running: this.#pool.running,
      retries: this.#pool.retries,
      cacheBytes: 0,
      cacheHits: 0,
      cacheMisses: 0,
      slabBytes: this.#slabs.bytes,
    };
  }

  async close(): Promise<void> {
    // The pool belongs to its creator, which closes it.
  }
}
