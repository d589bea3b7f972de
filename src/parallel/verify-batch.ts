// What both verifiers do alike with a batch: number it, and make one verdict of the answers to its jobs. A check counts
// as run only when the answer at hand says so; an answer that is missing, or belongs to another job, is never "valid".

import type { VerifyJobResult, VerifyShareResult } from '../jobs/verify.js';
import type { CheckRange } from '../jobs/verify-plan.js';
import { VerifierFaultError, type VerifyResult } from './verifier.js';

let lastSerial = 0;

/** A number that no batch of the last two thousand million had, for jobs/slab.ts. */
export function nextBatchSerial(): number {
  lastSerial = (lastSerial + 1) & 0x7fffffff;
  return lastSerial;
}

/** Whether an answer belongs to this batch and range, and makes sense by itself. */
function fits(result: VerifyJobResult, { first, end }: CheckRange, serial: number): boolean {
  const { checked, failedCheck, scriptError } = result;
  if (result.serial !== serial || result.first !== first || result.end !== end) return false;
  if (!(checked >= 0 && checked <= end - first)) return false;
  // A job ends with the check that failed.
  return failedCheck === -1 ? scriptError === 0 : failedCheck === first + checked - 1 && checked > 0 && scriptError !== 0;
}

/** The answers to a batch's jobs, as they come in, range by range. */
export class BatchAnswers {
  /** Checks that ran, in the order of the ranges; none where no answer came that fits. */
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

  /** Takes the answer to the job of a range; a second one counts in place of the first. */
  add(range: number, result: VerifyJobResult): void {
    this.#cpuMs += result.endMs - result.startMs;
    this.#takeAnswer(range, result);
  }

  /** Takes the answer to a share of the batch. */
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
   * The first range with checks that did not run though no check before them is known to fail; -1 when there is none. A
   * job leaves such when another told the slab of a failure and died before it answered.
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
   * The verdict: the lowest failure of all, whatever the timing.
   * @throws VerifierFaultError when checks are missing that could change it
   */
  verdict(): VerifyResult {
    const rest = { checked: this.#checked, jobs: this.ranges.length, cpuMs: this.#cpuMs };
    // A stop may have hidden a lower failure, so the one at hand is not told.
    if (this.#stopped) return { ok: false, failedTx: -1, failedInput: -1, scriptError: 0, stopped: true, ...rest };
    if (this.open >= 0) throw new VerifierFaultError(new Error('The answers to a batch leave checks open'));
    const lowest = this.#lowest;
    if (lowest === null) return { ok: true, failedTx: -1, failedInput: -1, scriptError: 0, stopped: false, ...rest };
    const { failedTx, failedInput, scriptError } = lowest;
    return { ok: false, failedTx, failedInput, scriptError, stopped: false, ...rest };
  }
}
