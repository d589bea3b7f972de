// The source of time. Everything that needs the time receives a Clock; tests and setmocktime change it.

/** A source of time. */
export interface Clock {
  /** Seconds since 1970, possibly mocked. Used for blocks, policy, and templates. */
  nowSeconds(): number;
  /** Milliseconds since 1970 from the machine's clock, never mocked. Used for logs. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start. Never goes back. Used for deadlines and durations. */
  monotonicMs(): number;
}
