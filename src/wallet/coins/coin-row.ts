// Encodes an output of the wallet as bytes: ownership, 1; value in satoshis, double, little-endian; output script.
import type { Ownership } from '../keys/ownership.js';

const SCRIPT_AT = 9;
const scratch = new Uint8Array(8);
const view = new DataView(scratch.buffer);

export function encodeCoinRow(value: number, ownership: Ownership, script: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(SCRIPT_AT + script.length);
  view.setFloat64(0, value, true);
  bytes[0] = ownership;
  bytes.set(scratch, 1);
  bytes.set(script, SCRIPT_AT);
  return bytes;
}

/** Decodes a row. @returns the script as a view; null if the row is too short */
export function decodeCoinRow(bytes: Uint8Array): { value: number; ownership: Ownership; script: Uint8Array } | null {
  if (bytes.length < SCRIPT_AT || bytes[0] > 2) return null;
  for (let i = 0; i < 8; i++) scratch[i] = bytes[1 + i];
  return { value: view.getFloat64(0, true), ownership: bytes[0] as Ownership, script: bytes.subarray(SCRIPT_AT) };
}
