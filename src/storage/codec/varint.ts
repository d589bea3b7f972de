// Variable-length numbers of Core's databases and undo files (not the compact size of messages): base 128, most
// significant group first. A set high bit means that more groups follow. Each continuation adds one, so every number
// has exactly one encoding.

import { type ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { ByteWriter } from '../../consensus/bytes/writer.js';

const SAFE_BEFORE_SHIFT = Math.floor(Number.MAX_SAFE_INTEGER / 128);

/** Reads a number up to 2^53 - 1. Throws DecodeError for larger ones. */
export function readVarint(reader: ByteReader, max: number = Number.MAX_SAFE_INTEGER): number {
  let value = 0;
  for (;;) {
    if (value > SAFE_BEFORE_SHIFT) throw new DecodeError('varint too large');
    const byte = reader.u8();
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) break;
    value++;
  }
  if (value > max) throw new DecodeError('varint too large');
  return value;
}

/** Reads a number up to 2^64 - 1. */
export function readVarintBig(reader: ByteReader): bigint {
  let value = 0n;
  for (;;) {
    const byte = reader.u8();
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (value > 0xffff_ffff_ffff_ffffn) throw new DecodeError('varint too large');
    if ((byte & 0x80) === 0) return value;
    value++;
  }
}

/** Groups of the number that is being encoded, least significant first. Ten groups are enough for 64 bits. */
const groups = new Uint8Array(10);

/**
 * Writes a number.
 * @param value a non-negative safe integer, or a bigint below 2^64
 */
export function writeVarint(writer: ByteWriter, value: number | bigint): void {
  let count = 0;
  if (typeof value === 'number' && value < 0x8000_0000) {
    let n = value;
    for (;;) {
      groups[count] = (n & 0x7f) | (count > 0 ? 0x80 : 0);
      if (n <= 0x7f) break;
      n = (n >>> 7) - 1;
      count++;
    }
  } else {
    let n = BigInt(value);
    for (;;) {
      groups[count] = Number(n & 0x7fn) | (count > 0 ? 0x80 : 0);
      if (n <= 0x7fn) break;
      n = (n >> 7n) - 1n;
      count++;
    }
  }
  for (; count >= 0; count--) writer.u8(groups[count]);
}
