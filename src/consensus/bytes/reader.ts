// Reads numbers and views from a byte array, front to back. Checks every bound before it reads or allocates. All
// parsers use this reader. Encoding: Bitcoin's wire format, little-endian.

/**
 * Error of all parsers: the input is malformed. Messages of the reader itself are those of Core's streams, because logs
 * and some RPC errors show them.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The largest length Core accepts in a compact size that counts objects (MAX_SIZE, 32 MiB). */
export const MAX_COMPACT_SIZE = 0x02000000;

const TWO_32 = 0x1_0000_0000;

/** A cursor over bytes. Arrays that it returns are views into the same buffer, never copies. */
export class ByteReader {
  readonly data: Uint8Array;
  /** Position of the next byte to read. */
  offset: number;
  /** Position after the last readable byte. */
  readonly end: number;

  constructor(data: Uint8Array, offset = 0, end = data.length) {
    if (!(offset >= 0 && offset <= end && end <= data.length)) throw new DecodeError('range outside the data');
    this.data = data;
    this.offset = offset;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.offset;
  }

  /** Moves forward by n bytes. Returns the old position. */
  skip(n: number): number {
    const at = this.offset;
    if (n > this.end - at) throw new DecodeError('CDataStream::read(): end of data');
    this.offset = at + n;
    return at;
  }

  u8(): number {
    return this.data[this.skip(1)];
  }

  u16(): number {
    const at = this.skip(2);
    return this.data[at] | (this.data[at + 1] << 8);
  }

  u32(): number {
    return readU32(this.data, this.skip(4));
  }

  i32(): number {
    return readU32(this.data, this.skip(4)) | 0;
  }

  /** Reads an unsigned 64-bit number. Throws if it is not a safe integer. */
  u64(): number {
    const at = this.skip(8);
    const value = readU32(this.data, at + 4) * TWO_32 + readU32(this.data, at);
    if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('64-bit number too large');
    return value;
  }

  u64big(): bigint {
    const at = this.skip(8);
    return (BigInt(readU32(this.data, at + 4)) << 32n) | BigInt(readU32(this.data, at));
  }

  i64big(): bigint {
    return BigInt.asIntN(64, this.u64big());
  }

  /** Returns a view of the next n bytes. */
  bytes(n: number): Uint8Array {
    const at = this.skip(n);
    return this.data.subarray(at, at + n);
  }

  /** Returns a view of 32 bytes, internal order. */
  hash(): Uint8Array {
    return this.bytes(32);
  }

  /** Reads a canonical compact size of at most `max`. */
  compactSize(max: number = MAX_COMPACT_SIZE): number {
    const first = this.u8();
    let value = first;
    if (first === 0xfd) {
      value = this.u16();
      if (value < 0xfd) throw new DecodeError('non-canonical ReadCompactSize()');
    } else if (first === 0xfe) {
      value = this.u32();
      if (value < 0x1_0000) throw new DecodeError('non-canonical ReadCompactSize()');
    } else if (first === 0xff) {
      const at = this.skip(8);
      // The result is rounded above 2^53. It still exceeds every sensible `max`.
      value = readU32(this.data, at + 4) * TWO_32 + readU32(this.data, at);
      if (value < TWO_32) throw new DecodeError('non-canonical ReadCompactSize()');
      if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('ReadCompactSize(): size too large');
    }
    if (value > max) throw new DecodeError('ReadCompactSize(): size too large');
    return value;
  }

  /** Reads a canonical compact size over the full 64-bit range, for fields with flags or numbers instead of lengths. */
  compactSizeBig(): bigint {
    if (this.remaining > 0 && this.data[this.offset] === 0xff) {
      this.offset++;
      const value = this.u64big();
      if (value < 0x1_0000_0000n) throw new DecodeError('non-canonical ReadCompactSize()');
      return value;
    }
    return BigInt(this.compactSize(Number.MAX_SAFE_INTEGER));
  }

  /** Returns a view of a byte string that is preceded by its compact size. */
  varBytes(max: number = MAX_COMPACT_SIZE): Uint8Array {
    return this.bytes(this.compactSize(max));
  }
}

/** Reads an unsigned little-endian 32-bit number at `at`. The caller must have checked the bound. */
export function readU32(data: Uint8Array, at: number): number {
  return (data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24)) >>> 0;
}

/**
 * Reads a signed little-endian 64-bit number at `at` as a double: exact within +-2^53, otherwise rounded with sign and
 * order preserved.
 */
export function readI64(data: Uint8Array, at: number): number {
  return (readU32(data, at + 4) | 0) * TWO_32 + readU32(data, at);
}
