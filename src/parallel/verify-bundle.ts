// Packs single transactions that wait for a thread into one job. While every thread is busy, transactions from
// different peers share a slab and a message, because posting a job costs the node thread as much as checking half an
// input. If a thread is idle, a transaction is posted at once and alone.

import { assertPaired, slabSize, writeSlab } from '../jobs/slab.js';
import type { SlabPool } from '../jobs/slab-pool.js';
import { VERIFY_MESSAGE_VERSION, type VerifyEachJob, type VerifyEachResult } from '../jobs/verify.js';
import { estimateTxUs } from '../jobs/verify-plan.js';
import { PoolClosedError, type WorkPool } from './pool.js';
import type { TxJob, VerifyResult } from './verifier.js';
import { nextBatchSerial } from './verify-batch.js';

/** Estimated time at which a bundle is full: half a job's limit, because all its transactions wait for the last one. */
const FULL_US = 2_500;

interface Member {
  readonly job: TxJob;
  resolve(result: VerifyResult): void;
  reject(reason: unknown): void;
}

/** A job in the pool's queue that may still grow, until a thread takes it. */
interface Bundle {
  readonly flags: number;
  readonly members: Member[];
  estimateUs: number;
  message: VerifyEachJob | null;
  /** The batch's number in its slab, once that is written. */
  serial: number;
}

/** Bundles of class "transaction", one growing at a time. */
export class VerifyBundler {
  /** Number of transactions in bundles that no thread has taken yet. */
  waiting = 0;
  readonly #pool: WorkPool;
  readonly #slabs: SlabPool;
  #growing: Bundle | null = null;

  constructor(pool: WorkPool, slabs: SlabPool) {
    this.#pool = pool;
    this.#slabs = slabs;
  }

  /**
   * Returns the verdict on one transaction. Rejects if the bundle failed for another reason than scripts; the caller
   * may then verify it alone.
   */
  verify(job: TxJob, flags: number): Promise<VerifyResult> {
    assertPaired(job);
    return new Promise((resolve, reject) => {
      const bundle = this.#bundleFor(job, flags);
      bundle.members.push({ job, resolve, reject });
      bundle.estimateUs += estimateTxUs(job);
      this.waiting++;
      // Post the bundle with its first member: an idle thread takes it immediately.
      if (bundle.members.length === 1) this.#post(bundle);
    });
  }

  #bundleFor(job: TxJob, flags: number): Bundle {
    const growing = this.#growing;
    if (growing !== null && growing.flags === flags && growing.estimateUs + estimateTxUs(job) <= FULL_US) return growing;
    this.#growing = { flags, members: [], estimateUs: 0, message: null, serial: -1 };
    return this.#growing;
  }

  #post(bundle: Bundle): void {
    this.#pool
      .runLate<VerifyEachResult>('transaction', 'verifyEach', () => this.#seal(bundle))
      .then(
        (result) => {
          this.#release(bundle);
          if (!answers(result, bundle)) {
            for (const member of bundle.members) member.reject(new Error('The answer to a bundle belongs to another'));
            return;
          }
          bundle.members.forEach((member, i) => {
            member.resolve(memberResult(result, i, bundle.members.length, member.job));
          });
        },
        (reason: unknown) => {
          if (this.#growing === bundle) this.#growing = null;
          if (bundle.message === null) this.waiting -= bundle.members.length;
          // After the pool is closed, threads may still read the slab. It is then left to the garbage collector.
          if (!(reason instanceof PoolClosedError)) this.#release(bundle);
          for (const member of bundle.members) member.reject(reason);
        },
      );
  }

  /** Closes the bundle and writes its slab. Returns the same message when the job runs again after its thread died. */
  #seal(bundle: Bundle): VerifyEachJob {
    if (bundle.message !== null) return bundle.message;
    if (this.#growing === bundle) this.#growing = null;
    const txs = bundle.members.map((member) => member.job);
    const slab = this.#slabs.acquire(slabSize(txs));
    bundle.serial = nextBatchSerial();
    writeSlab(slab, txs, bundle.flags, bundle.serial);
    this.waiting -= txs.length;
    bundle.message = { version: VERIFY_MESSAGE_VERSION, slab };
    return bundle.message;
  }

  #release(bundle: Bundle): void {
    if (bundle.message !== null) this.#slabs.release(bundle.message.slab);
  }
}

/** Returns true if a result belongs to this bundle and has a verdict for each member. */
function answers({ serial, scriptErrors, failedInputs }: VerifyEachResult, bundle: Bundle): boolean {
  const count = bundle.members.length;
  return serial === bundle.serial && scriptErrors.length === count && failedInputs.length === count;
}

/** Returns the result of one member: its own verdict, and its share of the thread's time. */
function memberResult(result: VerifyEachResult, i: number, count: number, { tx, onlyInput }: TxJob): VerifyResult {
  const ok = result.scriptErrors[i] === 0;
  const whole = onlyInput === undefined ? tx.inputCount : 1;
  return {
    ok,
    failedTx: ok ? -1 : 0,
    failedInput: result.failedInputs[i],
    scriptError: result.scriptErrors[i],
    stopped: false,
    checked: ok || onlyInput !== undefined ? whole : result.failedInputs[i] + 1,
    jobs: 1,
    cpuMs: (result.endMs - result.startMs) / count,
  };
}
