// Objects and options that all sessions of a thread share.
import type { Hashes } from '../../crypto/crypto.js';
import { parseU32Hex } from '../codec/hex-fields.js';
import { bytesOf } from '../codec/text.js';
import { MAX_TAG_BYTES } from '../work/coinbase.js';
import type { JobBoard } from '../work/job-board.js';
import type { Payouts } from '../work/payouts.js';

export interface SessionContext {
  readonly board: JobBoard;
  readonly payouts: Payouts;
  readonly hashes: Hashes;
  readonly options: SessionOptions;
}

/** Values of STRATUM_WORK_ROWS that sessions use. */
export interface SessionOptions {
  readonly startDifficulty: number;
  readonly leastDifficulty: number;
  readonly mostDifficulty: number;
  readonly sharesPerMinute: number;
  /** Bits of the version that miners may change. */
  readonly versionMask: number;
}

/** Reads -stratumversionmask. @throws Error */
export function parseVersionMask(text: string): number {
  const mask = parseU32Hex(text);
  // The top three bits mark a version of BIP-0009.
  if (mask === null || text.length !== 8 || mask > 0x1fffffff)
    throw new Error('-stratumversionmask: expected eight hex digits up to 1fffffff');
  return mask;
}

/** Reads -stratumtag. @throws Error */
export function parseTag(text: string): Uint8Array {
  if (text.length > MAX_TAG_BYTES || !/^[\x20-\x7e]*$/.test(text)) {
    throw new Error(`-stratumtag: expected at most ${MAX_TAG_BYTES} printable ASCII characters`);
  }
  return bytesOf(text);
}
