// Builds parts of scripts: pushes and numbers, as Core's script class writes them.

import { encodeNumber } from './number.js';
import { OP } from './opcodes.js';

/**
 * Returns a push of the data with an opcode that states its size. Unlike in a minimal push, single bytes never become
 * OP_1 to OP_16 or OP_1NEGATE.
 */
export function plainPush(data: Uint8Array): Uint8Array {
  const length = data.length;
  const head =
    length < OP.OP_PUSHDATA1
      ? [length]
      : length <= 0xff
        ? [OP.OP_PUSHDATA1, length]
        : length <= 0xffff
          ? [OP.OP_PUSHDATA2, length & 0xff, length >>> 8]
          : [OP.OP_PUSHDATA4, length & 0xff, (length >>> 8) & 0xff, (length >>> 16) & 0xff, length >>> 24];
  const push = new Uint8Array(head.length + length);
  push.set(head);
  push.set(data, head.length);
  return push;
}

/** Returns the shortest push of the data (BIP-0062 rule 3): single bytes 1 to 16 and 81 become opcodes. */
export function minimalPush(data: Uint8Array): Uint8Array {
  if (data.length === 1) {
    const byte = data[0];
    if (byte >= 1 && byte <= 16) return Uint8Array.of(OP.OP_1 + byte - 1);
    if (byte === 0x81) return Uint8Array.of(OP.OP_1NEGATE);
  }
  return plainPush(data);
}

/**
 * Returns a push of an integer: OP_0, OP_1NEGATE, OP_1 to OP_16, or a script number. The height of BIP-0034 has this
 * form.
 */
export function pushNumber(value: number): Uint8Array {
  if (value === 0) return Uint8Array.of(OP.OP_0);
  if (value === -1 || (value >= 1 && value <= 16)) return Uint8Array.of(OP.OP_RESERVED + value);
  return plainPush(encodeNumber(value));
}

/** Joins opcodes (numbers) and encoded parts to one script. */
export function joinScript(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += typeof part === 'number' ? 1 : part.length;
  const script = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'number') {
      script[at++] = part;
    } else {
      script.set(part, at);
      at += part.length;
    }
  }
  return script;
}

/** Returns OP_HASH160 <20> OP_EQUAL (BIP-0016). @param hash HASH160 of the redeem script */
export function scriptHashScript(hash: Uint8Array): Uint8Array {
  return joinScript(OP.OP_HASH160, plainPush(hash), OP.OP_EQUAL);
}

/** Returns the script of a witness program (BIP-0141). @param version 0 to 16 @param program 2 to 40 bytes */
export function witnessProgramScript(version: number, program: Uint8Array): Uint8Array {
  // Build the script in one array instead of joining four, because wallets build many.
  const script = new Uint8Array(2 + program.length);
  script[0] = version === 0 ? OP.OP_0 : OP.OP_RESERVED + version;
  script[1] = program.length;
  script.set(program, 2);
  return script;
}
