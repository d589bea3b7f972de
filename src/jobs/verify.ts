// Verifies a range of inputs from a shared slab: the message, its result, and the function that worker threads and the
// inline verifier run.

import { SighashCache } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { verifyTxInput } from '../consensus/script/verify-input.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { SlabView } from './slab.js';

/** Incremented whenever a field of VerifyJob or VerifyJobResult, or the slab's layout, changes its meaning. */
export const VERIFY_MESSAGE_VERSION = 4;

/** Checks `first` to `end` - 1 of the batch in the slab, as numbered in jobs/slab.ts. */
export interface VerifyJob {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  readonly slab: SharedArrayBuffer;
  readonly first: number;
  readonly end: number;
  /**
   * Run every check up to the first failure, even above a failure that is recorded in the slab, because the message
   * about the recorded failure may have been lost.
   */
  readonly all?: boolean;
}

export interface VerifyJobResult {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  /** Identifies the request: the batch's number in its slab, and the job's range. */
  readonly serial: number;
  readonly first: number;
  readonly end: number;
  /** The lowest failing check; -1 if no check that ran failed. */
  readonly failedCheck: number;
  /** Location of that check: transaction of the batch, and input of the transaction; -1 without a failure. */
  readonly failedTx: number;
  readonly failedInput: number;
  /** ScriptError code of that check; 0 without a failure. */
  readonly scriptError: number;
  /** Number of checks that ran; smaller than the range after a failure elsewhere or a stop. */
  readonly checked: number;
  readonly stopped: boolean;
  /** Milliseconds since 1970 with fractions, on the thread that ran the job. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * A thread's share of a batch: ranges of the slab that no other share has taken, one after another. A batch then needs
 * few messages, and its threads end at about the same time.
 */
export interface VerifyShareJob {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  readonly slab: SharedArrayBuffer;
  /** Maximum number of ranges that this share takes. */
  readonly most: number;
}

export interface VerifyShareResult {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  /** The batch's number in its slab. */
  readonly serial: number;
  /** Indexes of the ranges whose checks all ran and passed. */
  readonly passed: readonly number[];
  /** The range at which the share ended early, and its result; -1 and null if there is none. */
  readonly lastRange: number;
  readonly last: VerifyJobResult | null;
  /** Milliseconds since 1970 with fractions. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Last transaction, retained because a large one is spread over many jobs that need its parse, coins and sighash parts. */
interface OpenTx {
  readonly serial: number;
  readonly index: number;
  readonly tx: TxView;
  readonly spent: readonly SpentOutput[];
  readonly sighashes: SighashCache;
}

/** Verifies every transaction of the slab separately: unrelated transactions that share one message. */
export interface VerifyEachJob {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  readonly slab: SharedArrayBuffer;
}

export interface VerifyEachResult {
  readonly version: typeof VERIFY_MESSAGE_VERSION;
  /** The batch's number in its slab. */
  readonly serial: number;
  /** Per transaction: the ScriptError code of its first failing input, 0 if all passed, and the index of that input. */
  readonly scriptErrors: Int32Array;
  readonly failedInputs: Int32Array;
  readonly startMs: number;
  readonly endMs: number;
}

/** Run functions of a worker thread. */
export interface VerifyRunner {
  run(job: VerifyJob): VerifyJobResult;
  runShare(job: VerifyShareJob): VerifyShareResult;
  runEach(job: VerifyEachJob): VerifyEachResult;
}

/** Rejects messages of another version, which would otherwise be misread without an error. */
function assertVersion({ version }: { readonly version: number }): void {
  if (version !== VERIFY_MESSAGE_VERSION) throw new Error(`Verify message version ${version} is not ${VERIFY_MESSAGE_VERSION}`);
}

/**
 * Returns the function that works on a share.
 * @param run function that runs a range
 */
export function createShareRunner(
  run: (job: VerifyJob) => VerifyJobResult,
  nowMs: () => number,
): (job: VerifyShareJob) => VerifyShareResult {
  return (job) => {
    assertVersion(job);
    const startMs = nowMs();
    const slab = new SlabView(job.slab);
    const passed: number[] = [];
    let lastRange = -1;
    let last: VerifyJobResult | null = null;
    for (let left = job.most; left > 0 && last === null; left--) {
      const range = slab.takeRange();
      if (range < 0) break;
      const [first, end] = [slab.rangeStart(range), slab.rangeStart(range + 1)];
      const result = run({ version: VERIFY_MESSAGE_VERSION, slab: job.slab, first, end });
      if (result.first === first && result.checked === end - first && result.failedCheck < 0 && !result.stopped) {
        passed.push(range);
        continue;
      }
      // Ranges are taken in order, so after a failure, here or elsewhere, none of the remaining ones is needed.
      [lastRange, last] = [range, result];
    }
    return { version: VERIFY_MESSAGE_VERSION, serial: slab.serial, passed, lastRange, last, startMs, endMs: nowMs() };
  };
}

/** Returns this thread's functions. They are synchronous, because an idle pool thread runs no timers and no promises. */
export function createVerifyRunner(crypto: Crypto, nowMs: () => number): VerifyRunner {
  let open: OpenTx | null = null;

  const openTx = (slab: SlabView, index: number): OpenTx => {
    if (open !== null && open.serial === slab.serial && open.index === index) return open;
    const tx = parseTx(slab.txBytes(index), crypto, { exact: true });
    const spent = slab.spentOutputs(index);
    open = { serial: slab.serial, index, tx, spent, sighashes: new SighashCache(tx, crypto, spent) };
    return open;
  };

  const verifyCheck = (slab: SlabView, index: number, check: number): number => {
    const current = openTx(slab, index);
    const input = slab.inputOfCheck(index, check);
    slab.countCheck();
    return verifyTxInput(current.tx, input, current.spent, slab.flags, crypto, current.sighashes);
  };

  const run = (job: VerifyJob): VerifyJobResult => {
    assertVersion(job);
    const startMs = nowMs();
    const slab = new SlabView(job.slab);
    let checked = 0;
    let failedCheck = -1;
    let failedTx = -1;
    let failedInput = -1;
    let scriptError = 0;
    let index = job.first < job.end ? slab.txOfCheck(job.first) : 0;
    for (let check = job.first; check < job.end && (job.all === true ? !slab.stopped : slab.matters(check)); check++) {
      while (check >= slab.firstCheck(index + 1)) index++;
      scriptError = verifyCheck(slab, index, check);
      checked++;
      if (scriptError === 0) continue;
      slab.lowerCut(check);
      failedCheck = check;
      failedTx = index;
      failedInput = slab.inputOfCheck(index, check);
      break;
    }
    return {
      version: VERIFY_MESSAGE_VERSION,
      serial: slab.serial,
      first: job.first,
      end: job.end,
      failedCheck,
      failedTx,
      failedInput,
      scriptError,
      checked,
      stopped: slab.stopped,
      startMs,
      endMs: nowMs(),
    };
  };

  const runEach = (job: VerifyEachJob): VerifyEachResult => {
    assertVersion(job);
    const startMs = nowMs();
    const slab = new SlabView(job.slab);
    const scriptErrors = new Int32Array(slab.txCount);
    const failedInputs = new Int32Array(slab.txCount).fill(-1);
    for (let index = 0; index < slab.txCount; index++) {
      for (let check = slab.firstCheck(index); check < slab.firstCheck(index + 1); check++) {
        const code = verifyCheck(slab, index, check);
        if (code === 0) continue;
        scriptErrors[index] = code;
        failedInputs[index] = slab.inputOfCheck(index, check);
        break;
      }
    }
    return { version: VERIFY_MESSAGE_VERSION, serial: slab.serial, scriptErrors, failedInputs, startMs, endMs: nowMs() };
  };

  return { run, runShare: createShareRunner(run, nowMs), runEach };
}
