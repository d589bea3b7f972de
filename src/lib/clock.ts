// Where time comes from. Everything that needs a clock gets one of these; tests and setmocktime move it.

/** A source of time. */
export interface Clock {
  /** Seconds since 1970, mockable: what blocks, policy and templates see. */
  nowSeconds(): number;
  /** Milliseconds since 1970 of the machine's own clock, never mocked: for logs. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start, never going back: for deadlines and measuring. */
  monotonicMs(): number;
}
