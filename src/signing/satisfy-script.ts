// Satisfies miniscript without a template of its own (BIP-0379): locks, hashes, thresholds. For witness scripts and
// leaves. Core: script/sign.cpp Satisfier.
import type { Fragment, MiniscriptContext } from '../address/miniscript/fragment.js';
import { decodeMiniscript } from '../address/miniscript/from-script.js';
import { satisfyMiniscript } from '../address/miniscript/satisfy.js';
import type { SolvingTools } from './solving-tools.js';

/** Source of signatures and keys. */
export interface ScriptKeys {
  /** Returns a signature. @param publicKey as in the script: 33 bytes, in tapscript x-only */
  signature(publicKey: Uint8Array): Uint8Array | null;
  /** Returns the key with this HASH160, as the script hashes it. */
  keyOfHash(hash: Uint8Array): Uint8Array | null;
}

/**
 * Returns the witness without the script, bottom first; null if the script is not miniscript or cannot be satisfied.
 */
export function satisfyScript(
  script: Uint8Array,
  context: MiniscriptContext,
  { locks, preimage }: SolvingTools,
  keys: ScriptKeys,
): Uint8Array[] | null {
  const decoded = decodeMiniscript(script, context, (hash) => keys.keyOfHash(hash));
  if (decoded === null) return null;
  return satisfyMiniscript(decoded.tree, context, {
    signature: (place) => keys.signature(decoded.keys[place]) ?? undefined,
    publicKey: (place) => decoded.keys[place],
    preimage: (fragment: Fragment, hash: Uint8Array) => preimage?.(fragment, hash),
    isOlder: (k) => locks?.checkSequence(k) ?? false,
    isAfter: (k) => locks?.checkLockTime(k) ?? false,
  });
}
