// The clock of a running node: the machine's clock, or the time that setmocktime has set. The mock time lies in memory
// that all threads share, so that a front and the node never disagree.
import type { Clock } from './clock.js';

/** Storage of the mock time in seconds; 0 while the real clock is used. */
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

  /** Sets the mock time. @param seconds since 1970; 0 returns to the real clock */
  setMockTime(seconds: number): void {
    this.#mock.set(seconds);
  }
}
