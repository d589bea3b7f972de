// Encodes the record of a transaction: a fixed part that loads without creating objects, then values from the user.
// Numbers are little-endian.
//
//    0 state, 1   1 flags, 1 (8: has the wtxid)   2 outputs, 4   6 height, 4   10 position in the block, 4 (-1 outside)   14 time of the block, 4
//   18 received, double   26 smart time, double   34 order of arrival, double   42 hash of the block, 32 (zeros outside)
//   74 wtxid, 32; absent in records of earlier versions
//   then names and values, msgpack; absent if there are none
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

/**
 * Returns the key of a transaction's bytes. Keys are in order of arrival, so transactions that arrived together are
 * read together.
 */
export const bytesKeyOf = (order: number): Uint8Array => walletKey(WALLET_PREFIX.txBytes, be64(order));

const HASH_AT = 42;
const FIXED = 74;
const HASH = 32;
const HAS_WTXID = 8;

const valuesAt = (flags: number): number => ((flags & HAS_WTXID) === 0 ? FIXED : FIXED + HASH);

const scratch = new Uint8Array(FIXED);
const view = new DataView(scratch.buffer);

/** Encodes a record. @param block block hash, 32 bytes @param wtxid undefined if unknown */
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
 * Decodes the fixed part into `row`.
 * @returns the block hash, a view that the next call overwrites; null if the record is too short
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

/** Returns the wtxid of a record that is long enough, as a view; null if the record has none. */
export const wtxidIn = (bytes: Uint8Array): Uint8Array | null =>
  (bytes[1] & HAS_WTXID) === 0 ? null : bytes.subarray(FIXED, FIXED + HASH);

/** Returns the values from the user, as pairs of name and value. */
export function decodeTxValues(bytes: Uint8Array): [name: string, value: string][] {
  const at = valuesAt(bytes[1]);
  if (bytes.length <= at) return [];
  const fields = unpackRow(bytes.subarray(at));
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) pairs.push([String(fields[i]), String(fields[i + 1])]);
  return pairs;
}
