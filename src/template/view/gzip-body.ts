// Makes a gzip member whose large middle part is compressed once per template and whose head and tail are made for each
// reply: a stored block, the deflated middle up to a byte boundary, a stored final block, and a checksum combined from
// the parts' (RFC 1951, RFC 1952). A reply then takes microseconds instead of the compression of megabytes.

import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** The middle part, which can be used in any member. */
export interface DeflatedPart {
  /** Deflate blocks that end on a byte boundary, none of them the final one. */
  readonly bytes: Uint8Array;
  /** CRC-32 and length of the plain bytes. */
  readonly crc: number;
  readonly length: number;
}

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const STORED_MAX = 0xffff;
const POLYNOMIAL = 0xedb88320;
// Fastest level: hex digits shrink to about half at any level.
const LEVEL = 1;

/** Returns a·b modulo the polynomial. Bits are reflected: the highest bit is x^0. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b;
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
  return product >>> 0;
}

/**
 * Returns the CRC-32 of two concatenated texts. The first CRC is multiplied by x^(8n), for the second text's n bytes,
 * by repeated squaring.
 */
export function combineCrc(first: number, second: number, secondLength: number): number {
  let shift = 0x80000000;
  let square = 0x00800000;
  for (let n = secondLength; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) shift = multiply(shift, square);
    square = multiply(square, square);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** Compresses on a thread of libuv's pool. */
export async function deflatePart(plain: Uint8Array): Promise<DeflatedPart> {
  const pieces: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const deflate = createDeflateRaw({ level: LEVEL });
    deflate.on('error', reject);
    deflate.on('data', (piece: Buffer) => pieces.push(piece));
    deflate.write(plain);
    // The sync marker ends the blocks at a byte boundary, without a final block.
    deflate.flush(constants.Z_SYNC_FLUSH, () => {
      deflate.destroy();
      resolve();
    });
  });
  return { bytes: Buffer.concat(pieces), crc: crc32(plain), length: plain.length };
}

/** Returns a whole member around a compressed middle, in three parts. Head and tail are at most 65535 bytes each. */
export function gzipAround(head: Uint8Array, middle: DeflatedPart, tail: Uint8Array): readonly Uint8Array[] {
  const crc = combineCrc(combineCrc(crc32(head), middle.crc, middle.length), crc32(tail), tail.length);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE((head.length + middle.length + tail.length) >>> 0, 4);
  return [Buffer.concat([HEADER, stored(head, false)]), middle.bytes, Buffer.concat([stored(tail, true), trailer])];
}

function stored(bytes: Uint8Array, final: boolean): Buffer {
  if (bytes.length > STORED_MAX) throw new RangeError('a stored block holds 65535 bytes');
  const block = Buffer.alloc(5 + bytes.length);
  block[0] = final ? 1 : 0;
  block.writeUInt16LE(bytes.length, 1);
  block.writeUInt16LE(~bytes.length & 0xffff, 3);
  block.set(bytes, 5);
  return block;
}
