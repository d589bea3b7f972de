// The contract of script verification. Two implementations stand behind it, InlineVerifier (same thread) and
// PooledVerifier (worker threads), and CachedVerifier wraps either.

import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { StopFlag } from './stop-flag.js';

/** Who waits for the answer; earlier in this list goes first. */
export const VERIFY_CLASSES = ['block', 'proposal', 'transaction', 'scan'] as const;
export type VerifyClass = (typeof VERIFY_CLASSES)[number];

/** One whole transaction to check. */
export interface TxJob {
  readonly tx: TxView;
  /** The output spent by each input, in input order; as many as the transaction has inputs. */
  readonly spent: readonly SpentOutput[];
  /** Check this input alone (naming a failure anew under other flags); all inputs when absent. Never cached. */
  readonly onlyInput?: number;
}

export interface VerifyBatch {
  /** In block order; a coinbase doesn't belong here. */
  readonly txs: readonly TxJob[];
  /** SCRIPT_VERIFY_* bits. */
  readonly flags: number;
  readonly klass: VerifyClass;
  /** Raise it to end the batch early; the result then says `stopped`. */
  readonly stop?: StopFlag;
  /**
   * Part of a long run of blocks: throughput counts, no caller waits for this batch alone, and its transactions are not
   * verified again.
   */
  readonly bulk?: boolean;
}

/** The verdict on a batch. A broken script is a value; only faults (a thread that keeps dying) reject the promise. */
export interface VerifyResult {
  /** Every script ran and passed. */
  readonly ok: boolean;
  /** Index into `txs` of the lowest failing transaction, -1 when none failed. */
  readonly failedTx: number;
  /** Its lowest failing input, -1 when none failed. */
  readonly failedInput: number;
  /** ScriptError code of that input, 0 when none failed. */
  readonly scriptError: number;
  /** Ended by the caller's stop flag: neither valid nor invalid. */
  readonly stopped: boolean;
  /** Inputs checked (fewer than there are after a failure, a stop, or a cache hit). */
  readonly checked: number;
  /** Jobs the batch was cut into. */
  readonly jobs: number;
  /** Thread time spent, summed over threads, in ms. */
  readonly cpuMs: number;
}

/** What passed in another batch. */
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
  /** Script threads, as -par counts them. With 1 the caller uses the sequential wording of errors. */
  readonly size: number;
  /**
   * Checks all scripts of a batch. The lowest failing (transaction, input) is reported, whatever the number of threads.
   */
  verifyTxs(batch: VerifyBatch): Promise<VerifyResult>;
  /** Whether a batch of this class would be taken now; blocks always are. */
  canAcceptWork(klass: VerifyClass): boolean;
  stats(): VerifierStats;
  close(): Promise<void>;
}

/** Counters since the start and gauges of now, for /metrics. */
export interface VerifierStats {
  readonly jobs: Readonly<Record<VerifyClass, number>>;
  readonly refused: Readonly<Record<VerifyClass, number>>;
  readonly inputs: number;
  readonly cpuMs: number;
  /** Jobs waiting and running. */
  readonly queued: number;
  readonly running: number;
  /** Jobs that ran again after their thread died. */
  readonly retries: number;
  readonly cacheBytes: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly slabBytes: number;
}

/** The queue of this class is full; the caller answers its client or peer with "try later". */
export class VerifierBusyError extends Error {
  readonly code = 'ADIT_VERIFIER_BUSY';

  constructor(klass: VerifyClass) {
    super(`The verification queue for class ${klass} is full`);
    this.name = 'VerifierBusyError';
  }
}

/** A job failed for another reason than its scripts, twice: a dead thread, memory. The batch has no verdict. */
export class VerifierFaultError extends Error {
  readonly code = 'ADIT_VERIFIER_FAULT';

  constructor(cause: unknown) {
    super('A verification thread failed twice on the same job', { cause });
    this.name = 'VerifierFaultError';
  }
}
