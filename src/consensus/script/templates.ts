// Recognises P2PKH, and the output scripts to which consensus gives a meaning (P2SH, witness programs), by their bytes.

import { OP } from './opcodes.js';

/**
 * Returns whether a script is exactly OP_HASH160 <20> OP_EQUAL (BIP-0016).
 * @param script may be part of a larger array, from `at` to `end`
 */
export function isPayToScriptHash(script: Uint8Array, at = 0, end: number = script.length): boolean {
  return end - at === 23 && script[at] === OP.OP_HASH160 && script[at + 1] === 20 && script[at + 22] === OP.OP_EQUAL;
}

/** Returns whether a script is exactly OP_0 <20>: the witness program of one key (BIP-0141). */
export function isPayToWitnessPublicKeyHash(script: Uint8Array): boolean {
  return script.length === 22 && script[0] === OP.OP_0 && script[1] === 20;
}

/** Returns whether a script is exactly OP_DUP OP_HASH160 <20> OP_EQUALVERIFY OP_CHECKSIG. */
export function isPayToPublicKeyHash(script: Uint8Array): boolean {
  return (
    script.length === 25 &&
    script[0] === OP.OP_DUP &&
    script[1] === OP.OP_HASH160 &&
    script[2] === 20 &&
    script[23] === OP.OP_EQUALVERIFY &&
    script[24] === OP.OP_CHECKSIG
  );
}

/**
 * Returns the version of a witness program (BIP-0141); -1 for any other script. The program is the script from byte 2
 * on.
 * @param script may be part of a larger array, from `at` to `end`
 */
export function witnessVersion(script: Uint8Array, at = 0, end: number = script.length): number {
  const size = end - at;
  if (size < 4 || size > 42 || script[at + 1] + 2 !== size) return -1;
  const first = script[at];
  if (first === OP.OP_0) return 0;
  return first >= OP.OP_1 && first <= OP.OP_16 ? first - OP.OP_1 + 1 : -1;
}

/**
 * Returns whether a witness program is pay-to-anchor: version 1 with the two bytes 4e73. Anyone can spend such an
 * output without a witness.
 */
export function isPayToAnchor(version: number, program: Uint8Array): boolean {
  return version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73;
}

/** Returns the P2PKH script that is verified for a version 0 program of 20 bytes (BIP-0143). */
export function publicKeyHashScript(hash: Uint8Array): Uint8Array {
  const script = new Uint8Array(25);
  script[0] = OP.OP_DUP;
  script[1] = OP.OP_HASH160;
  script[2] = 20;
  script.set(hash, 3);
  script[23] = OP.OP_EQUALVERIFY;
  script[24] = OP.OP_CHECKSIG;
  return script;
}
