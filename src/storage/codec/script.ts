// Core's script compression (src/compressor.cpp), used in coins and undo data:
//
//   varint 0, 20 bytes    pay to public key hash        varint 2, 3, 32 bytes   pay to compressed key (02, 03)
//   varint 1, 20 bytes    pay to script hash            varint 4, 5, 32 bytes   pay to uncompressed key: x and the parity of y
//   varint n + 6, n bytes anything else, as it is
//
// Forms 4 and 5 are read (Core's files have them) and never written: what we write in their place, the raw form, every
// reader knows, and it spares a square root modulo p for each such coin that is read back.

import { type ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { type ByteWriter, copyFew } from '../../consensus/bytes/writer.js';
import { bytesOfNumber, curveY, FIELD_P, numberOfBytes } from '../../crypto/secp-field.js';
import { readVarint, writeVarint } from './varint.js';

/** Number of special forms, added to the length of raw scripts. */
const SPECIAL_FORMS = 6;
/** Longest script that is kept; Core reads longer ones as a lone OP_RETURN, since they can't be spent. */
const MAX_SCRIPT_BYTES = 10_000;

/** Up to these, copying one by one is quicker. */
const FEW_BYTES = 64;

const OP_RETURN = 0x6a;
const OP_DUP = 0x76;
const OP_HASH160 = 0xa9;
const OP_EQUAL = 0x87;
const OP_EQUALVERIFY = 0x88;
const OP_CHECKSIG = 0xac;

/** @param bytes have the script from `at` on */
export function writeScript(writer: ByteWriter, bytes: Uint8Array, at: number, length: number): void {
  if (
    length === 25 &&
    bytes[at] === OP_DUP &&
    bytes[at + 1] === OP_HASH160 &&
    bytes[at + 2] === 20 &&
    bytes[at + 23] === OP_EQUALVERIFY &&
    bytes[at + 24] === OP_CHECKSIG
  ) {
    writer.u8(0).few(bytes, at + 3, 20);
  } else if (length === 23 && bytes[at] === OP_HASH160 && bytes[at + 1] === 20 && bytes[at + 22] === OP_EQUAL) {
    writer.u8(1).few(bytes, at + 2, 20);
  } else if (length === 35 && bytes[at] === 33 && bytes[at + 34] === OP_CHECKSIG && (bytes[at + 1] === 2 || bytes[at + 1] === 3)) {
    writer.few(bytes, at + 1, 33);
  } else {
    writeVarint(writer, length + SPECIAL_FORMS);
    if (length <= FEW_BYTES) writer.few(bytes, at, length);
    else writer.bytes(bytes.subarray(at, at + length));
  }
}

/** @returns a fresh array. Throws DecodeError. */
export function readScript(reader: ByteReader): Uint8Array {
  const form = readVarint(reader);
  switch (form) {
    case 0: {
      const script = new Uint8Array(25);
      script[0] = OP_DUP;
      script[1] = OP_HASH160;
      script[2] = 20;
      copyFew(reader.data, reader.skip(20), script, 3, 20);
      script[23] = OP_EQUALVERIFY;
      script[24] = OP_CHECKSIG;
      return script;
    }
    case 1: {
      const script = new Uint8Array(23);
      script[0] = OP_HASH160;
      script[1] = 20;
      copyFew(reader.data, reader.skip(20), script, 2, 20);
      script[22] = OP_EQUAL;
      return script;
    }
    case 2:
    case 3: {
      const script = new Uint8Array(35);
      script[0] = 33;
      script[1] = form;
      copyFew(reader.data, reader.skip(32), script, 2, 32);
      script[34] = OP_CHECKSIG;
      return script;
    }
    case 4:
    case 5: {
      const x = reader.bytes(32);
      const y = liftX(x, form === 5);
      if (y === null) throw new DecodeError('compressed script holds no point of the curve');
      const script = new Uint8Array(67);
      script[0] = 65;
      script[1] = 4;
      script.set(x, 2);
      script.set(y, 34);
      script[66] = OP_CHECKSIG;
      return script;
    }
    default: {
      const length = form - SPECIAL_FORMS;
      const at = reader.skip(length);
      if (length > MAX_SCRIPT_BYTES) return Uint8Array.of(OP_RETURN);
      if (length > FEW_BYTES) return reader.data.slice(at, at + length);
      const script = new Uint8Array(length);
      copyFew(reader.data, at, script, 0, length);
      return script;
    }
  }
}

/** The y coordinate (32 bytes, big-endian) of the secp256k1 point with this x and parity, null when there is none. */
function liftX(x: Uint8Array, odd: boolean): Uint8Array | null {
  const number = numberOfBytes(x);
  const y = number < FIELD_P ? curveY(number) : null;
  if (y === null) return null;
  return bytesOfNumber(((y & 1n) === 1n) === odd ? y : FIELD_P - y);
}
