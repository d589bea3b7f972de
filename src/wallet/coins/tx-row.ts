// A transaction's record as bytes: a fixed part that loads without making objects, then what the user said about it.
// Numbers are little-endian.
//
//    0 state, 1   1 flags, 1 (8: the wtxid is there)   2 outputs, 4   6 height, 4   10 position in the block, 4 (-1 outside)   14 time of the block, 4
//   18 received, double   26 smart time, double   34 order of arrival, double   42 hash of the block, 32 (zeros outside)
//   74 wtxid, 32; absent in records of earlier versions
//   behind it names and values, msgpack; absent when there are none
import { be64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, type RowValue, unpackRow } from '../storage/rows.js';

export interface TxRow {
  state: number;
  flags: number;
  outputs: number;
  height: number;
  position: number;
  blockTime: number;
  received: number;
  smart: number;
  order: number;
}

/** Key of a transaction's bytes: by arrival, so that what happened together is read together. */
export const bytesKeyOf = (order: number): Uint8Array => walletKey(WALLET_PREFIX.txBytes, be64(order));

const HASH_AT = 42;
const FIXED = 74;
const HASH = 32;
const HAS_WTXID = 8;

const valuesAt = (flags: number): number => ((flags & HAS_WTXID) === 0 ? FIXED : FIXED + HASH);

const scratch = new Uint8Array(FIXED);
const view = new DataView(scratch.buffer);

/** @param block 32 bytes @param wtxid undefined where it is not known */
export function encodeTxRow(
  row: TxRow,
  block: Uint8Array,
  wtxid: Uint8Array | undefined,
  values: ReadonlyMap<string, string> | undefined,
): Uint8Array {
  const fields: RowValue = values && values.size > 0 ? [...values].flat() : null;
  const tail = fields ? packRow(fields) : new Uint8Array(0);
  const flags = wtxid ? row.flags | HAS_WTXID : row.flags;
  const bytes = new Uint8Array(valuesAt(flags) + tail.length);
  const out = new DataView(bytes.buffer);
  bytes[0] = row.state;
  bytes[1] = flags;
  out.setUint32(2, row.outputs, true);
  out.setInt32(6, row.height, true);
  out.setInt32(10, row.position, true);
  out.setUint32(14, row.blockTime, true);
  out.setFloat64(18, row.received, true);
  out.setFloat64(26, row.smart, true);
  out.setFloat64(34, row.order, true);
  bytes.set(block, HASH_AT);
  if (wtxid) bytes.set(wtxid, FIXED);
  bytes.set(tail, valuesAt(flags));
  return bytes;
}

/**
 * Reads the fixed part into `row`.
 * @returns the block's hash, a view that the next call overwrites; null for a record that is too short
 */
export function decodeTxRow(bytes: Uint8Array, row: TxRow): Uint8Array | null {
  if (bytes.length < FIXED || bytes.length < valuesAt(bytes[1])) return null;
  scratch.set(bytes.subarray(0, FIXED));
  row.state = scratch[0];
  row.flags = scratch[1] & ~HAS_WTXID;
  row.outputs = view.getUint32(2, true);
  row.height = view.getInt32(6, true);
  row.position = view.getInt32(10, true);
  row.blockTime = view.getUint32(14, true);
  row.received = view.getFloat64(18, true);
  row.smart = view.getFloat64(26, true);
  row.order = view.getFloat64(34, true);
  return scratch.subarray(HASH_AT, FIXED);
}

/** The wtxid of a record that is long enough, a view; null where it does not say. */
export const wtxidIn = (bytes: Uint8Array): Uint8Array | null =>
  (bytes[1] & HAS_WTXID) === 0 ? null : bytes.subarray(FIXED, FIXED + HASH);

/** What the user said, as name and value pairs. */
export function decodeTxValues(bytes: Uint8Array): [name: string, value: string][] {
  const at = valuesAt(bytes[1]);
  if (bytes.length <= at) return [];
  const fields = unpackRow(bytes.subarray(at));
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) pairs.push([String(fields[i]), String(fields[i + 1])]);
  return pairs;
}
