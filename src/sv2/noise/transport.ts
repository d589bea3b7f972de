// Encrypted frames (specification, 4.6). The header of 6 bytes is encrypted alone, as 22 bytes. The payload follows in
// pieces of at most 65,519 bytes, each with a tag of 16. An empty payload adds nothing.
import { AEAD_TAG_BYTES } from '../../crypto/aead.js';
import { encodeFrameHeader, FRAME_HEADER_BYTES } from '../codec/frame.js';
import type { CipherState } from './cipher-state.js';

export const SEALED_HEADER_BYTES = FRAME_HEADER_BYTES + AEAD_TAG_BYTES;
const LARGEST_SEALED = 65_535;
const LARGEST_PIECE = LARGEST_SEALED - AEAD_TAG_BYTES;

/** Returns the encrypted size of a payload of that length. */
export function sealedLength(length: number): number {
  return length + AEAD_TAG_BYTES * Math.ceil(length / LARGEST_PIECE);
}

/** Encrypts a frame. @param payload less than 2^24 bytes */
export function sealFrame(cipher: CipherState, extension: number, type: number, payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(SEALED_HEADER_BYTES + sealedLength(payload.length));
  cipher.seal(encodeFrameHeader(extension, type, payload.length), out, 0);
  let at = SEALED_HEADER_BYTES;
  for (let from = 0; from < payload.length; from += LARGEST_PIECE) {
    const piece = payload.subarray(from, from + LARGEST_PIECE);
    cipher.seal(piece, out, at);
    at += piece.length + AEAD_TAG_BYTES;
  }
  return out;
}

/** Decrypts a payload. @param sealed sealedLength(length) bytes @returns null if a piece was changed */
export function openPayload(cipher: CipherState, sealed: Uint8Array, length: number): Uint8Array | null {
  const payload = new Uint8Array(length);
  let at = 0;
  for (let from = 0; from < sealed.length; from += LARGEST_SEALED) {
    const piece = cipher.open(sealed.subarray(from, from + LARGEST_SEALED));
    if (piece === null) return null;
    payload.set(piece, at);
    at += piece.length;
  }
  return payload;
}
