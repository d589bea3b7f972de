// Messages between bare-checks.ts and its threads.

/** `count` checks laid out one after another in shared memory, CURVE_ROW bytes each. */
export interface CurveJob {
  readonly rows: SharedArrayBuffer;
  readonly first: number;
  readonly count: number;
  readonly schnorr: boolean;
}

/** Signature 64, message 32, public key 33 (ECDSA) or 32 (Schnorr). */
export const CURVE_ROW = 129;
