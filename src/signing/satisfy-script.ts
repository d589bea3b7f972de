// Satisfies scripts that have no template of their own and are miniscript (BIP-0379): locks, hashes, thresholds of
// anything. For witness scripts and leaves. Core: script/sign.cpp Satisfier.
import type { Fragment, MiniscriptContext } from '../address/miniscript/fragment.js';
import { decodeMiniscript } from '../address/miniscript/from-script.js';
import { satisfyMiniscript } from '../address/miniscript/satisfy.js';
import type { SolvingTools } from './solving-tools.js';

/** Who answers for keys. */
export interface ScriptKeys {
  /** @param publicKey as the script has it: 33 bytes, in tapscript x-only */
  signature(publicKey: Uint8Array): Uint8Array | null;
  /** The key with this HASH160, as the script hashes it. */
  keyOfHash(hash: Uint8Array): Uint8Array | null;
}

/** The witness below the script, bottom first; null when the script is no miniscript or what it takes is not there. */
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
