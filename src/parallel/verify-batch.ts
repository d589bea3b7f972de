// Common parts of both verifiers: numbers batches, and combines the answers to a batch's jobs to one verdict. A check
// counts as run only if an answer says so. A missing answer, or one for another job, never counts as valid. See
// docs/decisions/0041-deterministic-verdicts.md.

import type { VerifyJobResult, VerifyShareResult } from '../jobs/verify.js';
import type { CheckRange } from '../jobs/verify-plan.js';
import { VerifierFaultError, type VerifyResult } from './verifier.js';

let lastSerial = 0;

/** Returns a number that none of the last two thousand million batches had, for jobs/slab.ts. */
export function nextBatchSerial(): number {
  lastSerial = (lastSerial + 1) & 0x7fffffff;
  return lastSerial;
}

/** Returns true if an answer belongs to this batch and range and is consistent. */
function fits(result: VerifyJobResult, { first, end }: CheckRange, serial: number): boolean {
  const { checked, failedCheck, scriptError } = result;
  if (result.serial !== serial || result.first !== first || result.end !== end) return false;
  if (!(checked >= 0 && checked <= end - first)) return false;
  // A job ends at the check that failed.
  return failedCheck === -1 ? scriptError === 0 : failedCheck === first + checked - 1 && checked > 0 && scriptError !== 0;
}

/** Answers to a batch's jobs, collected by range. */
export class BatchAnswers {
  /** Number of checks that ran, by range; 0 without a valid answer. */
  readonly #ran: number[];
  #lowest: VerifyJobResult | null = null;
  #stopped = false;
  #cpuMs = 0;
  #checked = 0;

  /** @param ranges all checks of the batch, in order @param serial the batch's number in its slab */
  constructor(
    readonly ranges: readonly CheckRange[],
    readonly serial: number,
  ) {
    this.#ran = ranges.map(() => 0);
  }

  /** Adds the answer for a range. A second answer replaces the first. */
  add(range: number, result: VerifyJobResult): void {
    this.#cpuMs += result.endMs - result.startMs;
    this.#takeAnswer(range, result);
  }

  /** Adds the answer for a share of the batch. */
  addShare({ serial, passed, lastRange, last, startMs, endMs }: VerifyShareResult): void {
    this.#cpuMs += endMs - startMs;
    if (serial !== this.serial) return;
    for (const range of passed) {
      const checks = this.ranges[range];
      if (checks !== undefined) this.#countRange(range, checks.end - checks.first);
    }
    if (last !== null && this.ranges[lastRange] !== undefined) this.#takeAnswer(lastRange, last);
  }

  #countRange(range: number, checked: number): void {
    this.#checked += checked - this.#ran[range];
    this.#ran[range] = checked;
  }

  #takeAnswer(range: number, result: VerifyJobResult): void {
    if (!fits(result, this.ranges[range] as CheckRange, this.serial)) return;
    this.#countRange(range, result.checked);
    if (result.stopped) this.#stopped = true;
    if (result.failedCheck >= 0 && (this.#lowest === null || result.failedCheck < this.#lowest.failedCheck)) this.#lowest = result;
  }

  /**
   * The first range with checks that did not run although no earlier check is known to fail; -1 if there is none. Such
   * ranges remain if a thread recorded a failure in the slab and died before it answered.
   */
  get open(): number {
    if (this.#stopped) return -1;
    const end = this.#lowest?.failedCheck ?? Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.ranges.length; i++) {
      const range = this.ranges[i] as CheckRange;
      if (range.first + this.#ran[i] < Math.min(range.end, end)) return i;
    }
    return -1;
  }

  /**
   * Returns the verdict: the lowest failure, whatever the timing.
   * @throws VerifierFaultError if missing checks could change it
   */
  verdict(): VerifyResult {
    const rest = { checked: this.#checked, jobs: this.ranges.length, cpuMs: this.#cpuMs };
    // A stop may have hidden a lower failure, so a known one is not reported.
    if (this.#stopped) return { ok: false, failedTx: -1, failedInput: -1, scriptError: 0, stopped: true, ...rest };
    if (this.open >= 0) throw new VerifierFaultError(new Error('The answers to a batch leave checks open'));
    const lowest = this.#lowest;
    if (lowest === null) return { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, ...rest };
    const { failedTx, failedInput, scriptError } = lowest;
    return { ok: false, failedTx, failedInput, scriptError, stopped: false, ...rest };
  }
}
