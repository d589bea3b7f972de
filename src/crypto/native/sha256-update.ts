// SHA-256 by address: runs the compression function of the OpenSSL inside the Node process over messages that lie padded
// in memory. A call takes three numbers and copies nothing.

import { koffi } from './koffi.js';

/** Bytes of a context: eight words of state in the machine's byte order; the rest must be zeros. */
export const SHA256_CONTEXT_BYTES = 128;

/** The function, and addresses for it. */
export interface Sha256Update {
  /** Updates the state at address `context` with `length` bytes at address `message`, whole blocks of 64. */
  update(context: number, message: number, length: number): number;
  /** Returns the address of the first byte. The memory must never move. */
  addressOf(bytes: Uint8Array): number;
}

const BLOCK_BYTES = 64;
const INITIAL = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
/** State after the padded message 'abc' (FIPS 180-4). */
const AFTER_ABC = [0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad];

/** Returns the function; null if the process exports none or it gives a wrong result. */
export function loadSha256Update(): Sha256Update | null {
  try {
    const library = koffi().load(null);
    const native: Sha256Update = {
      update: library.func('SHA256_Update', 'int', ['size_t', 'size_t', 'size_t']),
      addressOf: (bytes) => Number(koffi().address(bytes)),
    };
    return isRight(native) ? native : null;
  } catch {
    return null;
  }
}

/** Hashes 'abc', and compares two blocks in one call with two calls of one block. */
function isRight({ update, addressOf }: Sha256Update): boolean {
  const memory = new Uint8Array(new SharedArrayBuffer(SHA256_CONTEXT_BYTES + 2 * BLOCK_BYTES));
  const words = new Uint32Array(memory.buffer);
  const base = addressOf(memory);
  const message = base + SHA256_CONTEXT_BYTES;
  const begin = (): void => {
    memory.fill(0, 0, SHA256_CONTEXT_BYTES);
    words.set(INITIAL);
  };
  const state = (): number[] => [...words.subarray(0, INITIAL.length)];
  memory.set([0x61, 0x62, 0x63, 0x80], SHA256_CONTEXT_BYTES);
  memory[SHA256_CONTEXT_BYTES + BLOCK_BYTES - 1] = 24;
  begin();
  update(base, message, BLOCK_BYTES);
  if (!AFTER_ABC.every((word, i) => words[i] === word)) return false;
  update(base, message + BLOCK_BYTES, BLOCK_BYTES);
  const separate = state();
  begin();
  update(base, message, 2 * BLOCK_BYTES);
  return state().every((word, i) => word === separate[i]);
}
