// The clock of a running node: the machine's, unless setmocktime holds it. The mock time lives in memory shared by all
// threads, so that a front and the node never disagree.
import type { Clock } from './clock.js';

/** Where the mock time is kept, in seconds; 0 means the real clock counts. */
export interface MockTime {
  get(): number;
  set(seconds: number): void;
}

/** A clock that setmocktime moves. */
export class SystemClock implements Clock {
  readonly #mock: MockTime;

  constructor(mock: MockTime) {
    this.#mock = mock;
  }

  nowSeconds(): number {
    const mocked = this.#mock.get();
    return mocked !== 0 ? mocked : Math.floor(Date.now() / 1000);
  }

  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  /** @param seconds since 1970; 0 gives the real clock back */
  setMockTime(seconds: number): void {
    this.#mock.set(seconds);
  }
}
