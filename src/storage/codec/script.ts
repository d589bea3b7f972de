// Core's script compression (src/compressor.cpp), used in coins and undo data:
//
//   varint 0, 20 bytes    pay to public key hash        varint 2, 3, 32 bytes   pay to compressed key (02, 03)
//   varint 1, 20 bytes    pay to script hash            varint 4, 5, 32 bytes   pay to uncompressed key: x and the parity of y
//   varint n + 6, n bytes anything else, as it is
//
// Forms 4 and 5 are read, because Core's files have them, but never written. adit writes such scripts in the raw form,
// which every reader supports. This avoids a square root modulo p each time that such a coin is read.

import { type ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { type ByteWriter, copyBytes } from '../../consensus/bytes/writer.js';
import { bytesOfNumber, curveY, FIELD_P, numberOfBytes } from '../../crypto/secp-field.js';
import { readVarint, writeVarint } from './varint.js';

/** Number of special forms. It is added to the length of raw scripts. */
export const SPECIAL_FORMS = 6;
/**
 * Longest stored script in bytes. When Core reads a longer one, it replaces it by a lone OP_RETURN, because it cannot
 * be spent.
 */
const MAX_SCRIPT_BYTES = 10_000;

const OP_RETURN = 0x6a;
const OP_DUP = 0x76;
const OP_HASH160 = 0xa9;
const OP_EQUAL = 0x87;
const OP_EQUALVERIFY = 0x88;
const OP_CHECKSIG = 0xac;

/**
 * Writes a script in compressed form.
 * @param bytes buffer with the script at `at`
 */
export function writeScript(writer: ByteWriter, bytes: Uint8Array, at: number, length: number): void {
  if (
    length === 25 &&
    bytes[at] === OP_DUP &&
    bytes[at + 1] === OP_HASH160 &&
    bytes[at + 2] === 20 &&
    bytes[at + 23] === OP_EQUALVERIFY &&
    bytes[at + 24] === OP_CHECKSIG
  ) {
    writer.u8(0).piece(bytes, at + 3, 20);
  } else if (length === 23 && bytes[at] === OP_HASH160 && bytes[at + 1] === 20 && bytes[at + 22] === OP_EQUAL) {
    writer.u8(1).piece(bytes, at + 2, 20);
  } else if (length === 35 && bytes[at] === 33 && bytes[at + 34] === OP_CHECKSIG && (bytes[at + 1] === 2 || bytes[at + 1] === 3)) {
    writer.piece(bytes, at + 1, 33);
  } else {
    writeVarint(writer, length + SPECIAL_FORMS);
    writer.piece(bytes, at, length);
  }
}

/**
 * Reads a compressed script.
 * @returns a new array
 * @throws DecodeError
 */
export function readScript(reader: ByteReader): Uint8Array {
  const form = readVarint(reader);
  if (form === 4 || form === 5) return uncompressedKeyScript(reader.bytes(32), form === 5);
  const length = scriptLength(form);
  const at = reader.skip(storedLength(form));
  if (length > MAX_SCRIPT_BYTES) return Uint8Array.of(OP_RETURN);
  const script = new Uint8Array(length);
  unpackScript(form, reader.data, at, script, 0);
  return script;
}

/** Returns whether a form is one of those that scriptLength and unpackScript support. */
export function isPlainForm(form: number): boolean {
  return form !== 4 && form !== 5 && form <= MAX_SCRIPT_BYTES + SPECIAL_FORMS;
}

/** Returns the number of bytes stored after a plain form. */
export function storedLength(form: number): number {
  return form < 2 ? 20 : form < SPECIAL_FORMS ? 32 : form - SPECIAL_FORMS;
}

/** Returns the length of the decompressed script. */
export function scriptLength(form: number): number {
  return form === 0 ? 25 : form === 1 ? 23 : form < SPECIAL_FORMS ? 35 : form - SPECIAL_FORMS;
}

/**
 * Writes the decompressed script into `into`: scriptLength bytes at `to`.
 * @param at offset of the stored bytes in `bytes`
 */
export function unpackScript(form: number, bytes: Uint8Array, at: number, into: Uint8Array, to: number): void {
  if (form === 0) {
    into[to] = OP_DUP;
    into[to + 1] = OP_HASH160;
    into[to + 2] = 20;
    copyBytes(bytes, at, into, to + 3, 20);
    into[to + 23] = OP_EQUALVERIFY;
    into[to + 24] = OP_CHECKSIG;
  } else if (form === 1) {
    into[to] = OP_HASH160;
    into[to + 1] = 20;
    copyBytes(bytes, at, into, to + 2, 20);
    into[to + 22] = OP_EQUAL;
  } else if (form < SPECIAL_FORMS) {
    into[to] = 33;
    into[to + 1] = form;
    copyBytes(bytes, at, into, to + 2, 32);
    into[to + 34] = OP_CHECKSIG;
  } else {
    copyBytes(bytes, at, into, to, form - SPECIAL_FORMS);
  }
}

function uncompressedKeyScript(x: Uint8Array, odd: boolean): Uint8Array {
  const y = liftX(x, odd);
  if (y === null) throw new DecodeError('compressed script holds no point of the curve');
  const script = new Uint8Array(67);
  script[0] = 65;
  script[1] = 4;
  script.set(x, 2);
  script.set(y, 34);
  script[66] = OP_CHECKSIG;
  return script;
}

/**
 * Returns the y coordinate (32 bytes, big-endian) of the secp256k1 point with this x and parity; null if there is none.
 */
function liftX(x: Uint8Array, odd: boolean): Uint8Array | null {
  const number = numberOfBytes(x);
  const y = number < FIELD_P ? curveY(number) : null;
  if (y === null) return null;
  return bytesOfNumber(((y & 1n) === 1n) === odd ? y : FIELD_P - y);
}
