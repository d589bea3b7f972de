// Checks of the encoding of signatures and public keys, made before any curve arithmetic. The flags decide which checks
// apply.

import { hasLowS, isStrictDer } from './der.js';
import { SCRIPT_VERIFY_DERSIG, SCRIPT_VERIFY_LOW_S, SCRIPT_VERIFY_STRICTENC, SCRIPT_VERIFY_WITNESS_PUBKEYTYPE } from './flags.js';
import { ScriptError } from './script-error.js';
import { SigVersion, type SigVersionCode } from './sig-version.js';

const NEEDS_DER = SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_LOW_S | SCRIPT_VERIFY_STRICTENC;

/** Returns whether the signature's last byte is ALL, NONE or SINGLE, with or without ANYONECANPAY. */
export function isDefinedHashType(signature: Uint8Array): boolean {
  if (signature.length === 0) return false;
  const base = signature[signature.length - 1] & ~0x80;
  return base >= 1 && base <= 3;
}

/**
 * Checks a signature's encoding.
 * @param signature with hash type; an empty signature is always valid
 * @returns a ScriptError code; 0 if valid
 */
export function checkSignatureEncoding(signature: Uint8Array, flags: number): number {
  if (signature.length === 0) return ScriptError.OK;
  if ((flags & NEEDS_DER) !== 0 && !isStrictDer(signature)) return ScriptError.SIG_DER;
  if ((flags & SCRIPT_VERIFY_LOW_S) !== 0 && !hasLowS(signature)) return ScriptError.SIG_HIGH_S;
  if ((flags & SCRIPT_VERIFY_STRICTENC) !== 0 && !isDefinedHashType(signature)) return ScriptError.SIG_HASHTYPE;
  return ScriptError.OK;
}

/**
 * Checks a public key's encoding.
 * @returns a ScriptError code; 0 if valid
 */
export function checkPublicKeyEncoding(publicKey: Uint8Array, flags: number, sigVersion: SigVersionCode): number {
  if ((flags & SCRIPT_VERIFY_STRICTENC) !== 0 && !isCompressedKey(publicKey) && !isUncompressedKey(publicKey)) {
    return ScriptError.PUBKEYTYPE;
  }
  if ((flags & SCRIPT_VERIFY_WITNESS_PUBKEYTYPE) !== 0 && sigVersion === SigVersion.WITNESS_V0 && !isCompressedKey(publicKey)) {
    return ScriptError.WITNESS_PUBKEYTYPE;
  }
  return ScriptError.OK;
}

/** Returns whether a key has 33 bytes and starts with 02 or 03. */
export function isCompressedKey(publicKey: Uint8Array): boolean {
  return publicKey.length === 33 && (publicKey[0] === 2 || publicKey[0] === 3);
}

function isUncompressedKey(publicKey: Uint8Array): boolean {
  return publicKey.length === 65 && publicKey[0] === 4;
}

/** Returns whether the key's length matches its first byte: 33 for 02 and 03, 65 for 04 and the hybrid 06 and 07. */
export function isValidPublicKeySize(publicKey: Uint8Array): boolean {
  const first = publicKey[0];
  if (publicKey.length === 33) return first === 2 || first === 3;
  return publicKey.length === 65 && (first === 4 || first === 6 || first === 7);
}
