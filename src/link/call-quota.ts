// Bounds of the calls that a front has under way, on whatever threads they run. Used by front-link.ts.
import type { FrontCounters } from './front-counters.js';

/** The most that may be under way. */
export interface LinkBounds {
  readonly calls: number;
  readonly bytes: number;
}

/** What a call takes of the room. */
export interface CallSize {
  readonly sizeBytes: number;
  /** Whether it counts against the bound on calls: those that may wait for long do not. */
  readonly counted: boolean;
}

/** One per front, shared by its links. */
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
   * Takes room for a call.
   * @param submission is worth more than the bound: one of the ordinary size still passes
   * @returns false when too much is under way
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
