// Builds addresses of m-of-n scripts for createmultisig and addmultisigaddress (Core: rpc/util.cpp,
// AddAndGetMultisigDestination).
import { scriptHashScript, witnessProgramScript } from '../consensus/script/build-script.js';
import type { Hashes } from '../crypto/crypto.js';
import { multisigScript } from './descriptor/key-nodes.js';

/** Types of address that can pay to a multisig script. */
export const SCRIPT_ADDRESS_TYPES = ['legacy', 'p2sh-segwit', 'bech32'] as const;
export type ScriptAddressType = (typeof SCRIPT_ADDRESS_TYPES)[number];

/** Output script of an address, and the scripts behind it. */
export interface MultisigOutput {
  /** The m-of-n script. */
  readonly script: Uint8Array;
  /**
   * Output script P2WSH for `script`, also used as redeem script of p2sh-segwit addresses; null for legacy addresses.
   */
  readonly witnessProgram: Uint8Array | null;
  readonly outputScript: Uint8Array;
}

/**
 * Largest number of keys, up to release 0.21 and later; and largest redeem script, bytes. Core 0.21 applies the script
 * limit to witness scripts too.
 */
const MAX_KEYS = { old: 16, later: 20 } as const;
const MAX_SCRIPT = 520;
const COMPRESSED_SIZE = 33;

/**
 * Builds the scripts. With an uncompressed key, the result is always a legacy address.
 * @param later rules since release 22: more keys, and witness scripts of any size
 * @returns Core's message if the script or address is impossible
 */
export function buildMultisig(
  required: number,
  keys: readonly Uint8Array[],
  type: ScriptAddressType,
  hashes: Hashes,
  later = false,
): MultisigOutput | { readonly error: string } {
  if (required < 1) return { error: 'a multisignature address must require at least one key to redeem' };
  if (keys.length < required) {
    return { error: `not enough keys supplied (got ${keys.length} keys, but need at least ${required} to redeem)` };
  }
  const most = later ? MAX_KEYS.later : MAX_KEYS.old;
  if (keys.length > most) {
    return { error: `Number of keys involved in the multisignature address creation > ${most}\nReduce the number` };
  }
  const script = multisigScript(required, keys);
  const isLegacy = type === 'legacy' || keys.some((key) => key.length !== COMPRESSED_SIZE);
  if (script.length > MAX_SCRIPT && (isLegacy || !later)) {
    return { error: `redeemScript exceeds size limit: ${script.length} > ${MAX_SCRIPT}` };
  }
  if (isLegacy) {
    return { script, witnessProgram: null, outputScript: scriptHashScript(hashes.hash160(script)) };
  }
  const witnessProgram = witnessProgramScript(0, hashes.sha256(script));
  const outputScript = type === 'bech32' ? witnessProgram : scriptHashScript(hashes.hash160(witnessProgram));
  return { script, witnessProgram, outputScript };
}
