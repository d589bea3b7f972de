// Format of fee_estimates.dat, the state of the fee estimator across restarts. The format is adit's own. The checksum
// comes last, so that an incomplete file is refused as a whole.
//
//   "ADITFEES" | version u32 | best height u32 | first and last height of the data u32 u32 | buckets u32 | their ends f64 each
//   for short, medium, long: periods u32 | confirmed, failed f64 per period and bucket | count, sum of rates f64 per bucket
//   SHA-256d of everything before

import { equalBytes } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { ConfirmSums } from './confirm-stats.js';
import { FEE_BUCKETS, type FeeEstimator, HORIZONS } from './fee-estimator.js';

const MAGIC = new TextEncoder().encode('ADITFEES');
const VERSION = 1;
const CHECKSUM_BYTES = 32;
const SUMS = ['confirmed', 'failed', 'count', 'rateSum'] as const satisfies readonly (keyof ConfirmSums)[];

/** Encodes the estimator's state. */
export function encodeEstimates(fees: FeeEstimator, hashes: Hashes): Uint8Array {
  const { bestHeight, firstHeight, savedFirst, savedBest } = fees.history;
  // Write the heights of this process's data once it covers more than half as many blocks as the loaded data. Until
  // then write the heights of the loaded data.
  const own = fees.span > fees.savedSpan / 2;
  let size = MAGIC.length + 5 * 4 + FEE_BUCKETS.length * 8 + CHECKSUM_BYTES;
  for (const horizon of HORIZONS) size += 4 + SUMS.reduce((sum, name) => sum + fees.stats[horizon].sums[name].length * 8, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  let at = MAGIC.length;
  const u32 = (value: number): void => {
    view.setUint32(at, value, true);
    at += 4;
  };
  const doubles = (values: ArrayLike<number>): void => {
    for (let i = 0; i < values.length; i++, at += 8) view.setFloat64(at, values[i], true);
  };
  u32(VERSION);
  u32(bestHeight);
  u32(own ? firstHeight : savedFirst);
  u32(own ? bestHeight : savedBest);
  u32(FEE_BUCKETS.length);
  doubles(FEE_BUCKETS);
  for (const horizon of HORIZONS) {
    const { sums } = fees.stats[horizon];
    u32(sums.confirmed.length / FEE_BUCKETS.length);
    for (const name of SUMS) doubles(sums[name]);
  }
  bytes.set(hashes.sha256d(bytes.subarray(0, at)), at);
  return bytes;
}

/**
 * Reads saved data into a fresh estimator. Changes nothing if the data is invalid.
 * @throws DecodeError if encodeEstimates cannot have made the bytes
 */
export function decodeEstimates(bytes: Uint8Array, fees: FeeEstimator, hashes: Hashes): void {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < MAGIC.length || !equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) throw new DecodeError('not a file of fee estimates');
  if (!equalBytes(hashes.sha256d(bytes.subarray(0, end)), bytes.subarray(end))) throw new DecodeError('wrong checksum of fee estimates');
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  let at = MAGIC.length;
  const need = (size: number): void => {
    if (at + size > end) throw new DecodeError('fee estimates are truncated');
  };
  const u32 = (): number => {
    need(4);
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const doubles = (count: number): Float64Array => {
    need(count * 8);
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++, at += 8) {
      values[i] = view.getFloat64(at, true);
      if (!(values[i] >= 0 && values[i] < Number.POSITIVE_INFINITY)) throw new DecodeError('a fee estimate is out of range');
    }
    return values;
  };
  if (u32() !== VERSION) throw new DecodeError('unknown version of fee estimates');
  const [bestHeight, savedFirst, savedBest, buckets] = [u32(), u32(), u32(), u32()];
  if (savedFirst > savedBest || savedBest > bestHeight) throw new DecodeError('inconsistent heights of fee estimates');
  if (buckets !== FEE_BUCKETS.length || doubles(buckets).some((value, i) => value !== FEE_BUCKETS[i])) {
    throw new DecodeError('fee estimates have other fee buckets');
  }
  const loaded: Float64Array[] = [];
  for (const horizon of HORIZONS) {
    const { sums } = fees.stats[horizon];
    if (u32() * buckets !== sums.confirmed.length) throw new DecodeError('fee estimates have other periods');
    for (const name of SUMS) loaded.push(doubles(sums[name].length));
  }
  if (at !== end) throw new DecodeError('unexpected bytes after fee estimates');
  let next = 0;
  for (const horizon of HORIZONS) for (const name of SUMS) fees.stats[horizon].sums[name].set(loaded[next++]);
  Object.assign(fees.history, { bestHeight, savedFirst, savedBest });
  fees.hasData = true;
}
