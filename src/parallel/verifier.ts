// Interface of script verification. Implemented by PooledVerifier (worker threads) and, in tests, InlineVerifier (same thread);
// CachedVerifier wraps either.

import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { StopFlag } from './stop-flag.js';

/** Classes of work by priority, highest first. */
export const VERIFY_CLASSES = ['block', 'proposal', 'transaction', 'scan'] as const;
export type VerifyClass = (typeof VERIFY_CLASSES)[number];

/** A transaction to verify. */
export interface TxJob {
  readonly tx: TxView;
  /** The output spent by each input, in input order; as many as the transaction has inputs. */
  readonly spent: readonly SpentOutput[];
  /** Verify only this input (to find the error under other flags); all inputs if absent. Not cached. */
  readonly onlyInput?: number;
}

export interface VerifyBatch {
  /** In block order, without the coinbase. */
  readonly txs: readonly TxJob[];
  /** SCRIPT_VERIFY_* bits. */
  readonly flags: number;
  readonly klass: VerifyClass;
  /** Raise it to stop the batch early; the result is then `stopped`. */
  readonly stop?: StopFlag;
}

/** Verdict on a batch. A failed script is a result; only faults (a thread that dies repeatedly) reject the promise. */
export interface VerifyResult {
  /** True if every script ran and passed. */
  readonly ok: boolean;
  /** Index in `txs` of the lowest failing transaction; -1 if none failed. */
  readonly failedTx: number;
  /** Index of the lowest failing input of that transaction; -1 if none failed. */
  readonly failedInput: number;
  /** ScriptError code of that input; 0 if none failed. */
  readonly scriptError: number;
  /** True if the caller stopped the batch: neither valid nor invalid. */
  readonly stopped: boolean;
  /** Number of inputs that were checked; fewer than all after a failure, a stop, or a cache hit. */
  readonly checked: number;
  readonly jobs: number;
  /** Time of all threads together in ms. */
  readonly cpuMs: number;
}

/** Result for a batch whose transactions all passed before. */
export const PASSED_BEFORE: VerifyResult = {
  ok: true,
  failedTx: -1,
  failedInput: -1,
  scriptError: 0,
  stopped: false,
  checked: 0,
  jobs: 0,
  cpuMs: 0,
};

export interface Verifier {
  /** Number of script threads, as -par counts them. With 1 the caller uses the sequential wording of errors. */
  readonly size: number;
  /**
   * Verifies all scripts of a batch. Reports the lowest failing (transaction, input), whatever the number of threads.
   * Returns the result without a promise if all transactions passed before.
   */
  verifyTxs(batch: VerifyBatch): VerifyResult | Promise<VerifyResult>;
  /** Returns true if a batch of this class would be accepted now; blocks always are. */
  canAcceptWork(klass: VerifyClass): boolean;
  stats(): VerifierStats;
  close(): Promise<void>;
}

/** Counters since the start, and current gauges, for /metrics. */
export interface VerifierStats {
  readonly jobs: Readonly<Record<VerifyClass, number>>;
  readonly refused: Readonly<Record<VerifyClass, number>>;
  readonly inputs: number;
  readonly cpuMs: number;
  /** Number of waiting and of running jobs. */
  readonly queued: number;
  readonly running: number;
  /** Number of jobs that ran again after their thread died. */
  readonly retries: number;
  readonly cacheBytes: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly slabBytes: number;
}

/** The queue of this class is full, so the batch was not verified. The caller tells its client, or retries for a peer. */
export class VerifierBusyError extends Error {
  readonly code = 'ADIT_VERIFIER_BUSY';

  constructor(klass: VerifyClass) {
    super(`The verification queue for class ${klass} is full`);
    this.name = 'VerifierBusyError';
  }
}

/** A job failed twice for another reason than its scripts, such as a dead thread or lack of memory. The batch has no verdict. */
export class VerifierFaultError extends Error {
  readonly code = 'ADIT_VERIFIER_FAULT';

  constructor(cause: unknown) {
    super('A verification thread failed twice on the same job', { cause });
    this.name = 'VerifierFaultError';
  }
}
