// Format of mempool.dat: Core's version 1, so that other tools read adit's files and adit reads Core's.
//
//   version u64 = 1 | count u64 | per transaction: its bytes with witness, time of entry i64, prioritisation i64
//   prioritisations of transactions that are not in the mempool: count, then txid 32 and satoshis i64 each
//   transactions that no peer has requested yet: count, then txid 32 each (absent in files from before 0.21)
//
// Since release 28 Core writes version 2: an eight-byte key follows the version (as a list: 8, then the bytes), and all
// later bytes are XORed with the key: a byte at offset n of the file with byte n mod 8. adit reads version 2 too.
//
// The file is written in pieces and read one transaction at a time, because a full mempool has hundreds of megabytes.

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Txid } from '../../consensus/ids.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { applyXor, XOR_KEY_BYTES } from '../../storage/xor-key.js';

const VERSION = 1n;
const KEYED_VERSION = 2n;
/** Offset of the key in a file of version 2, after the byte with its length. */
const KEY_AT = 9;
/** Number of bytes XORed with the key without a pause, in one or two milliseconds. */
const KEY_PIECE_BYTES = 1 << 20;
const PIECE_BYTES = 64 << 10;

/** A transaction of a saved mempool. */
export interface SavedTx {
  readonly tx: TxView;
  /** Time of entry in seconds. */
  readonly time: number;
  /** Fee delta of prioritisetransaction in satoshis. */
  readonly delta: number;
}

export interface SavedRecord {
  readonly bytes: Uint8Array;
  readonly time: number;
  readonly delta: number;
}

/** Contents of a file; txids in internal order. */
export interface SavedPool {
  readonly count: number;
  /** `count` transactions; iterated once. */
  readonly txs: Iterable<SavedRecord>;
  readonly deltas: readonly (readonly [txid: Txid, delta: number])[];
  readonly unbroadcast: readonly Uint8Array[];
}

/** Yields the bytes of a file in pieces of moderate size. */
export function* encodePool({ count, txs, deltas, unbroadcast }: SavedPool): Generator<Uint8Array> {
  let writer = new ByteWriter();
  let size = 0;
  const i64 = (value: number): void => {
    writer.bytes(le64(BigInt(value)));
  };
  writer.bytes(le64(VERSION));
  writer.bytes(le64(BigInt(count)));
  for (const { bytes, time, delta } of txs) {
    writer.bytes(bytes);
    i64(time);
    i64(delta);
    size += bytes.length;
    if (size < PIECE_BYTES) continue;
    yield writer.finish();
    writer = new ByteWriter();
    size = 0;
  }
  writer.compactSize(deltas.length);
  for (const [txid, delta] of deltas) {
    writer.bytes(txid);
    i64(delta);
  }
  writer.compactSize(unbroadcast.length);
  for (const txid of unbroadcast) writer.bytes(txid);
  yield writer.finish();
}

/**
 * Converts a file of version 2 to version 1, in place. A file of version 1 is returned unchanged.
 * @throws DecodeError
 */
export async function plainPool(bytes: Uint8Array): Promise<Uint8Array> {
  const reader = new ByteReader(bytes);
  if (reader.i64big() !== KEYED_VERSION) return bytes;
  const key = new Uint8Array(reader.varBytes(XOR_KEY_BYTES));
  if (key.length !== XOR_KEY_BYTES) throw new DecodeError(`the XOR key has ${key.length} bytes`);
  const turns = new TimeSlice('chain');
  for (let at = KEY_AT + XOR_KEY_BYTES; at < bytes.length; at += KEY_PIECE_BYTES) {
    applyXor(bytes.subarray(at, at + KEY_PIECE_BYTES), at, key);
    if (turns.over) await turns.next();
  }
  // Write version 1 over the key: all bytes after it are as in version 1.
  bytes.set(le64(VERSION), KEY_AT);
  return bytes.subarray(KEY_AT);
}

/** Parts of a saved mempool in file order. */
export type SavedPart =
  | { readonly kind: 'count'; readonly count: number }
  | ({ readonly kind: 'tx' } & SavedTx)
  | { readonly kind: 'delta'; readonly txid: Txid; readonly delta: number }
  | { readonly kind: 'unbroadcast'; readonly txid: Txid };

/**
 * Reads a file part by part. Parts before an error are valid.
 * @throws DecodeError
 */
export function* decodePool(bytes: Uint8Array, hashes: Hashes): Generator<SavedPart> {
  const reader = new ByteReader(bytes);
  const i64 = (): number => Number(reader.i64big());
  const version = reader.i64big();
  if (version !== VERSION) throw new DecodeError(`unknown version ${version} of a saved mempool`);
  const count = i64();
  yield { kind: 'count', count };
  for (let i = 0; i < count; i++) {
    // Copy, so that a transaction in the mempool does not keep the whole file in memory.
    const { start, end } = parseTx(bytes, hashes, { offset: reader.offset });
    const tx = parseTx(new Uint8Array(bytes.subarray(start, end)), hashes, { exact: true });
    reader.skip(end - start);
    yield { kind: 'tx', tx, time: i64(), delta: i64() };
  }
  for (let left = reader.compactSize(reader.remaining); left > 0; left--) {
    yield { kind: 'delta', txid: new Uint8Array(reader.bytes(32)), delta: i64() };
  }
  if (reader.remaining === 0) return;
  for (let left = reader.compactSize(reader.remaining); left > 0; left--) {
    yield { kind: 'unbroadcast', txid: new Uint8Array(reader.bytes(32)) };
  }
}

function le64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}
