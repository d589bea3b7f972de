// A block header as a view of its 80 bytes.
//
//   0 version int32 | 4 previous hash | 36 merkle root | 68 time | 72 bits | 76 nonce   (little-endian)

import type { Hashes } from '../../crypto/crypto.js';
import { DecodeError, readU32 } from '../bytes/reader.js';
import type { BlockHash } from '../ids.js';

/** Bytes of a header. */
export const HEADER_SIZE = 80;

/**
 * Parses the 80 bytes at `offset`. Trailing bytes are ignored.
 * @throws DecodeError if there are fewer than 80 bytes
 */
export function parseHeader(bytes: Uint8Array, hashes: Hashes, offset = 0): HeaderView {
  if (offset < 0 || bytes.length - offset < HEADER_SIZE) throw new DecodeError('a header has 80 bytes');
  return new HeaderView(bytes.subarray(offset, offset + HEADER_SIZE), hashes);
}

/** A parsed header. The hash is computed when it is first needed. */
export class HeaderView {
  /** Exactly 80 bytes. */
  readonly bytes: Uint8Array;
  readonly #hashes: Hashes;
  #hashCache: Uint8Array | undefined = undefined;

  /** Only parseHeader creates views; it checks the length. */
  constructor(bytes: Uint8Array, hashes: Hashes) {
    this.bytes = bytes;
    this.#hashes = hashes;
  }

  /** Signed 32-bit. */
  get version(): number {
    return readU32(this.bytes, 0) | 0;
  }

  get prevHash(): BlockHash {
    return this.bytes.subarray(4, 36);
  }

  get merkleRoot(): Uint8Array {
    return this.bytes.subarray(36, 68);
  }

  /** Seconds since 1970. */
  get time(): number {
    return readU32(this.bytes, 68);
  }

  /** Target in compact form. */
  get bits(): number {
    return readU32(this.bytes, 72);
  }

  get nonce(): number {
    return readU32(this.bytes, 76);
  }

  /** Double SHA-256, internal order. */
  get hash(): BlockHash {
    this.#hashCache ??= this.#hashes.sha256d(this.bytes);
    return this.#hashCache;
  }
}
