// Limits the calls that a front has in progress on other threads, and their bytes.
import type { FrontCounters } from './front-counters.js';

/** Maximum number of calls in progress at once, and the maximum of their bytes. */
export interface LinkBounds {
  readonly calls: number;
  readonly bytes: number;
}

/** Amounts that a call uses of the quota. */
export interface CallSize {
  readonly sizeBytes: number;
  /** True if the call counts against the limit on calls. Methods that may wait for a long time do not count. */
  readonly counted: boolean;
}

/** The quota of a front, shared by its links. */
export class CallQuota {
  readonly #bounds: LinkBounds;
  readonly #counters: FrontCounters;
  #calls = 0;
  #bytes = 0;

  constructor(bounds: LinkBounds, counters: FrontCounters) {
    this.#bounds = bounds;
    this.#counters = counters;
  }

  /**
   * Reserves capacity for a call.
   * @param submission a block or header: may use as many bytes again as all other calls
   * @returns false if the quota is used up
   */
  reserveCall({ sizeBytes, counted }: CallSize, submission: boolean): boolean {
    const { calls, bytes } = this.#bounds;
    const full = (counted && this.#calls >= calls) || this.#bytes + sizeBytes > bytes;
    if (full && (!submission || this.#bytes + sizeBytes > 2 * bytes)) return false;
    this.#add({ sizeBytes, counted }, 1);
    return true;
  }

  releaseCall(size: CallSize): void {
    this.#add(size, -1);
  }

  #add({ sizeBytes, counted }: CallSize, sign: 1 | -1): void {
    if (counted) this.#calls += sign;
    this.#bytes += sign * sizeBytes;
    this.#counters.add('callsOnNode', sign);
    this.#counters.add('callBytesOnNode', sign * sizeBytes);
  }
}
