// Builds header and block bytes from values.

import { ByteWriter } from '../bytes/writer.js';

/** A header's values. */
export interface HeaderFields {
  version: number;
  /** 32 bytes, internal order. */
  prevHash: Uint8Array;
  /** 32 bytes, internal order. */
  merkleRoot: Uint8Array;
  /** Seconds since 1970. */
  time: number;
  bits: number;
  nonce: number;
}

/** Returns the 80 bytes of a header. */
export function buildHeader(fields: HeaderFields): Uint8Array {
  return new ByteWriter(80)
    .i32(fields.version)
    .bytes(fields.prevHash)
    .bytes(fields.merkleRoot)
    .u32(fields.time)
    .u32(fields.bits)
    .u32(fields.nonce)
    .finish();
}

/**
 * Joins header and transactions.
 * @param header 80 bytes
 * @param txs encodings in block order
 */
export function buildBlock(header: Uint8Array, txs: readonly Uint8Array[]): Uint8Array {
  let size = header.length + 9;
  for (const tx of txs) size += tx.length;
  const out = new ByteWriter(size).bytes(header).compactSize(txs.length);
  for (const tx of txs) out.bytes(tx);
  return out.finish();
}
