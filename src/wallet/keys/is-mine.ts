// Decides whether a script belongs to a legacy wallet, as Core 0.21's IsMineInner: at most three nested scripts, one
// lookup each. Also decides whether a script is solvable, that is, whether only signatures are missing (Core:
// IsSolvable, CanProvide). Pure: LegacyStores is an interface.

import type { Hashes } from '../../crypto/crypto.js';
import type { SolvedScript } from '../../policy/script-type.js';
import { solve } from '../../policy/script-type.js';
import type { SigningProvider } from '../../signing/index.js';
import { OWNERSHIP, type Ownership } from './ownership.js';

/** Result for an invalid script. The script is then not the wallet's, whatever its other parts say. */
const INVALID = 3;
type MineResult = Ownership | typeof INVALID;

/** Position of a script: output script, redeem script or witness script. */
export const PLACE = { TOP: 0, P2SH: 1, WITNESS: 2 } as const;
type Place = (typeof PLACE)[keyof typeof PLACE];

/** Lookups of the decision. Ids are HASH160. */
export interface LegacyStores {
  hasSecret(id: Uint8Array): boolean;
  /** Returns a public key. The store has the public key of every private key. */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  script(id: Uint8Array): Uint8Array | undefined;
  hasScript(id: Uint8Array): boolean;
  isWatched(script: Uint8Array): boolean;
}

const max = (a: MineResult, b: MineResult): MineResult => (a > b ? a : b);
const COMPRESSED = 33;

function evaluate(script: Uint8Array, place: Place, stores: LegacyStores, hashes: Hashes, recurse: boolean): MineResult {
  let result: MineResult = OWNERSHIP.NO;
  const solved = solve(script);
  const { type, solutions } = solved;
  switch (type) {
    case 'pubkey':
      if (place === PLACE.WITNESS && solutions[0].length !== COMPRESSED) return INVALID;
      if (stores.hasSecret(hashes.hash160(solutions[0]))) result = OWNERSHIP.SPENDABLE;
      break;
    case 'pubkeyhash':
      result = heldKey(solutions[0], place, stores);
      break;
    case 'witness_v0_keyhash': {
      if (place === PLACE.WITNESS) return INVALID;
      // Shortcut: same result as evaluating the P2PKH script of this hash, in half the time. Most outputs of most
      // wallets are P2WPKH.
      let held = heldKey(solutions[0], PLACE.WITNESS, stores);
      if (held === OWNERSHIP.NO && stores.isWatched(payToKeyHash(solutions[0]))) held = OWNERSHIP.WATCH;
      // Check this last, because it computes a hash, and most scripts in blocks are foreign.
      if (held !== OWNERSHIP.NO && (place !== PLACE.TOP || stores.hasScript(hashes.hash160(script)))) result = held;
      break;
    }
    case 'scripthash': {
      if (place !== PLACE.TOP) return INVALID;
      if (!stores.hasScript(solutions[0])) break;
      result = recurse ? evaluate(stores.script(solutions[0])!, PLACE.P2SH, stores, hashes, recurse) : OWNERSHIP.SPENDABLE;
      break;
    }
    case 'witness_v0_scripthash': {
      if (place === PLACE.WITNESS) return INVALID;
      const id = hashes.ripemd160(solutions[0]);
      if (!stores.hasScript(id)) break;
      if (place === PLACE.TOP && !stores.hasScript(hashes.hash160(script))) break;
      result = recurse ? evaluate(stores.script(id)!, PLACE.WITNESS, stores, hashes, recurse) : OWNERSHIP.SPENDABLE;
      break;
    }
    case 'multisig':
      if (place === PLACE.TOP) break;
      if (place === PLACE.WITNESS && keysOf(solved).some((key) => key.length !== COMPRESSED)) return INVALID;
      if (keysOf(solved).every((key) => stores.hasSecret(hashes.hash160(key)))) result = OWNERSHIP.SPENDABLE;
      break;
    default:
      break;
  }
  if (result === INVALID) return INVALID;
  return result === OWNERSHIP.NO && stores.isWatched(script) ? max(result, OWNERSHIP.WATCH) : result;
}

/** Evaluates P2PKH. In a witness, an uncompressed key makes the script invalid. */
function heldKey(id: Uint8Array, place: Place, stores: LegacyStores): MineResult {
  if (place === PLACE.WITNESS) {
    const key = stores.publicKey(id);
    if (key === undefined) return OWNERSHIP.NO;
    if (key.length !== COMPRESSED) return INVALID;
  }
  return stores.hasSecret(id) ? OWNERSHIP.SPENDABLE : OWNERSHIP.NO;
}

/** Returns the P2PKH script: OP_DUP OP_HASH160 <hash> OP_EQUALVERIFY OP_CHECKSIG. */
export function payToKeyHash(id: Uint8Array): Uint8Array {
  const script = new Uint8Array(25);
  script[0] = 0x76;
  script[1] = 0xa9;
  script[2] = 20;
  script.set(id, 3);
  script[23] = 0x88;
  script[24] = 0xac;
  return script;
}

/** Returns the public keys of a multisig script, in the order of the script. */
export function keysOf(multisig: SolvedScript): readonly Uint8Array[] {
  return multisig.solutions.slice(1, -1);
}

/** Returns the ownership of a script. */
export function legacyIsMine(script: Uint8Array, stores: LegacyStores, hashes: Hashes): Ownership {
  const verdict = evaluate(script, PLACE.TOP, stores, hashes, true);
  return verdict === INVALID ? OWNERSHIP.NO : verdict;
}

/**
 * Returns whether the wallet knows something about signing a script: the script is the wallet's, or one of the wallet's
 * keys could sign a part of it. Core: CanProvide.
 */
export function legacyCanProvide(script: Uint8Array, stores: LegacyStores & SigningProvider, hashes: Hashes): boolean {
  const verdict = evaluate(script, PLACE.TOP, stores, hashes, false);
  if (verdict === OWNERSHIP.SPENDABLE || verdict === OWNERSHIP.WATCH) return true;
  const dummy = dummySign(script, PLACE.TOP, stores, hashes);
  return dummy.keys.some((id) => stores.hasSecret(id));
}

interface DummySignatures {
  /** HASH160 of each key whose signature the input would have. */
  readonly keys: readonly Uint8Array[];
  /** True if an input with these signatures would be valid under the standard script flags. */
  readonly valid: boolean;
}

const NOTHING: DummySignatures = { keys: [], valid: false };

/** Evaluates which input a signer could make if it had signatures for every key. */
function dummySign(script: Uint8Array, place: Place, provider: SigningProvider, hashes: Hashes): DummySignatures {
  const solved = solve(script);
  const { type, solutions } = solved;
  const usable = (key: Uint8Array): boolean =>
    key.length === COMPRESSED ? key[0] === 2 || key[0] === 3 : place !== PLACE.WITNESS && key[0] === 4;
  switch (type) {
    case 'pubkey':
      return { keys: [hashes.hash160(solutions[0])], valid: usable(solutions[0]) };
    case 'pubkeyhash': {
      const key = provider.publicKey(solutions[0]);
      return key ? { keys: [solutions[0]], valid: usable(key) } : NOTHING;
    }
    case 'multisig': {
      const keys = keysOf(solved);
      const needed = solutions[0][0];
      // Core's dummy signer signs with every key, although the script needs only the first `needed` signatures. The
      // interpreter starts with the last key, so the last `needed` keys decide whether the input is valid.
      return { keys: keys.map((key) => hashes.hash160(key)), valid: keys.slice(-needed).every(usable) };
    }
    case 'scripthash': {
      const inner = place === PLACE.TOP ? provider.script(solutions[0]) : undefined;
      return inner ? dummySign(inner, PLACE.P2SH, provider, hashes) : NOTHING;
    }
    case 'witness_v0_keyhash':
      return place === PLACE.WITNESS ? NOTHING : dummySign(payToKeyHash(solutions[0]), PLACE.WITNESS, provider, hashes);
    case 'witness_v0_scripthash': {
      const inner = place === PLACE.WITNESS ? undefined : provider.script(hashes.ripemd160(solutions[0]));
      return inner ? dummySign(inner, PLACE.WITNESS, provider, hashes) : NOTHING;
    }
    default:
      return NOTHING;
  }
}

/** Returns whether the provider knows everything that spending a script needs, except private keys. */
export function isSolvable(script: Uint8Array, provider: SigningProvider, hashes: Hashes): boolean {
  return dummySign(script, PLACE.TOP, provider, hashes).valid;
}

/** Returns HASH160 of every key in a script, including inner scripts that the provider knows. */
export function keysInScript(script: Uint8Array, provider: Pick<SigningProvider, 'script' | 'publicKey'>, hashes: Hashes): Uint8Array[] {
  const solved = solve(script);
  const { type, solutions } = solved;
  const inside = (inner: Uint8Array | undefined): Uint8Array[] => (inner ? keysInScript(inner, provider, hashes) : []);
  switch (type) {
    case 'pubkey':
      return [hashes.hash160(solutions[0])];
    case 'pubkeyhash':
    case 'witness_v0_keyhash':
      return [new Uint8Array(solutions[0])];
    case 'multisig':
      return keysOf(solved).map((key) => hashes.hash160(key));
    case 'scripthash':
      return inside(provider.script(solutions[0]));
    case 'witness_v0_scripthash':
      return inside(provider.script(hashes.ripemd160(solutions[0])));
    default:
      return [];
  }
}
