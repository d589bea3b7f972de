// Searches stored coins for marked scripts: the message, its result, and the function that runs on a worker thread
// (workers/verify.ts). Coins stay encoded; only the indexes of those that may match are returned.
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { readVarint, readVarintBig } from '../storage/codec/varint.js';
import { ScriptMarks } from './script-marks.js';

/** Incremented whenever a field of CoinScanJob or CoinScanResult, or the marks' layout, changes its meaning. */
export const COIN_SCAN_MESSAGE_VERSION = 1;

/** Number of special script forms of coins, which represent a script without its bytes. */
const SPECIAL_FORMS = 6;

export interface CoinScanJob {
  readonly version: typeof COIN_SCAN_MESSAGE_VERSION;
  readonly marks: SharedArrayBuffer;
  /** Encoded coins (storage/codec/coin.ts), concatenated, and the end of each. */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

export interface CoinScanResult {
  readonly version: typeof COIN_SCAN_MESSAGE_VERSION;
  /** Indexes of the coins that may match, rising. About one in some hundred million other coins is also reported. */
  readonly hits: Uint32Array;
}

/** Returns a message with encoded coins. */
export function packCoins(marks: SharedArrayBuffer, values: readonly Uint8Array[]): CoinScanJob {
  const ends = new Uint32Array(values.length);
  let end = 0;
  for (let i = 0; i < values.length; i++) ends[i] = end += values[i].length;
  const bytes = new Uint8Array(end);
  for (let i = 0; i < values.length; i++) bytes.set(values[i], i === 0 ? 0 : ends[i - 1]);
  return { version: COIN_SCAN_MESSAGE_VERSION, marks, bytes, ends };
}

/** Runs a job. A coin that cannot be decoded is reported, so that the caller decodes it and sees the error. */
export function runCoinScan(job: CoinScanJob): CoinScanResult {
  if (job.version !== COIN_SCAN_MESSAGE_VERSION)
    throw new Error(`Coin scan message version ${job.version} is not ${COIN_SCAN_MESSAGE_VERSION}`);
  const marks = new ScriptMarks(job.marks);
  const { bytes, ends } = job;
  const hits: number[] = [];
  for (let i = 0; i < ends.length; i++) if (mayBeMeant(marks, bytes, i === 0 ? 0 : ends[i - 1], ends[i])) hits.push(i);
  return { version: COIN_SCAN_MESSAGE_VERSION, hits: Uint32Array.from(hits) };
}

function mayBeMeant(marks: ScriptMarks, bytes: Uint8Array, start: number, end: number): boolean {
  const reader = new ByteReader(bytes, start, end);
  try {
    readVarint(reader);
    readVarintBig(reader);
    const form = readVarint(reader);
    if (form < SPECIAL_FORMS) return marks.hasForm(form, bytes, reader.skip(form < 2 ? 20 : 32));
    return marks.hasScript(bytes, reader.skip(form - SPECIAL_FORMS), reader.offset);
  } catch (error) {
    if (error instanceof DecodeError) return true;
    throw error;
  }
}
