// Script verification on the calling thread, in slices that yield to the event loop: for tests and tools. The pooled
// verifier is tested against it.

import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Crypto } from '../../src/crypto/crypto.js';
import { slabSize, stopSlab, writeSlab } from '../../src/jobs/slab.js';
import { SlabPool } from '../../src/jobs/slab-pool.js';
import { createVerifyRunner, VERIFY_MESSAGE_VERSION, type VerifyJob, type VerifyJobResult } from '../../src/jobs/verify.js';
import { jobBudgetUs, planRanges } from '../../src/jobs/verify-plan.js';
import {
  type Verifier,
  VerifierBusyError,
  type VerifierStats,
  type VerifyBatch,
  type VerifyClass,
  type VerifyResult,
} from '../../src/parallel/verifier.js';
import { BatchAnswers, nextBatchSerial } from '../../src/parallel/verify-batch.js';

/** Maximum number of batches that may wait. */
const MAX_QUEUED = 4_096;

interface Counts {
  block: number;
  proposal: number;
  transaction: number;
  scan: number;
}

/** Verifier without threads. Jobs of several batches interleave as the event loop runs them, without classes. */
export class InlineVerifier implements Verifier {
  readonly size = 1;
  readonly #run: (job: VerifyJob) => VerifyJobResult;
  readonly #slabs = new SlabPool();
  readonly #maxQueued: number;
  readonly #jobs: Counts = { block: 0, proposal: 0, transaction: 0, scan: 0 };
  readonly #refused: Counts = { block: 0, proposal: 0, transaction: 0, scan: 0 };
  #open = 0;
  #inputs = 0;
  #cpuMs = 0;

  constructor(crypto: Crypto, maxQueued: number = MAX_QUEUED) {
    this.#run = createVerifyRunner(crypto, () => performance.timeOrigin + performance.now()).run;
    this.#maxQueued = maxQueued;
  }

  canAcceptWork(klass: VerifyClass): boolean {
    return klass === 'block' || this.#open < this.#maxQueued;
  }

  async verifyTxs(batch: VerifyBatch): Promise<VerifyResult> {
    if (!this.canAcceptWork(batch.klass)) {
      this.#refused[batch.klass]++;
      throw new VerifierBusyError(batch.klass);
    }
    const slab = this.#slabs.acquire(slabSize(batch.txs));
    let forgetStop: (() => void) | undefined;
    this.#open++;
    try {
      const ranges = planRanges(batch.txs, jobBudgetUs(batch.txs, 1));
      const answers = new BatchAnswers(ranges, nextBatchSerial());
      writeSlab(slab, batch.txs, batch.flags, answers.serial);
      forgetStop = batch.stop?.onRaise(() => stopSlab(slab));
      for (const [i, { first, end }] of ranges.entries()) {
        await nextTurn();
        this.#jobs[batch.klass]++;
        answers.add(i, this.#run({ version: VERIFY_MESSAGE_VERSION, slab, first, end }));
      }
      const result = answers.verdict();
      this.#inputs += result.checked;
      this.#cpuMs += result.cpuMs;
      return result;
    } finally {
      forgetStop?.();
      this.#slabs.release(slab);
      this.#open--;
    }
  }

  stats(): VerifierStats {
    return {
      jobs: this.#jobs,
      refused: this.#refused,
      inputs: this.#inputs,
      cpuMs: this.#cpuMs,
      queued: this.#open,
      running: 0,
      retries: 0,
      cacheBytes: 0,
      cacheHits: 0,
      cacheMisses: 0,
      slabBytes: this.#slabs.bytes,
    };
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }
}
