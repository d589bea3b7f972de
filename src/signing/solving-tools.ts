// Dependencies of solving an input: keys and scripts, the signature function, and the transaction's locks.
import type { Fragment } from '../address/miniscript/fragment.js';
import type { SigVersionCode } from '../consensus/script/sig-version.js';
import type { Hashes } from '../crypto/crypto.js';
import type { SigningProvider } from './signing-provider.js';

/** Makes the signature of one input with one key; null if the key is missing or may not sign. */
export type CreateSignature = (
  keyId: Uint8Array,
  publicKey: Uint8Array,
  scriptCode: Uint8Array,
  sigVersion: SigVersionCode,
) => Uint8Array | null;

/**
 * Makes a taproot signature.
 * @param publicKey x-only
 * @param leafHash null on the key path
 * @param tweak merkle root (null without a tree) by which the key is tweaked first; null: no tweak
 */
export type CreateSchnorrSignature = (
  publicKey: Uint8Array,
  leafHash: Uint8Array | null,
  tweak: { readonly merkleRoot: Uint8Array | null } | null,
) => Uint8Array | null;

/** Checks locks of a script against the input's transaction. */
export interface Locks {
  checkLockTime(lockTime: number): boolean;
  checkSequence(sequence: number): boolean;
}

/** Sources of keys, scripts and signatures for producing a scriptSig and witness. */
export interface SolvingTools {
  readonly provider: Pick<SigningProvider, 'script' | 'publicKey'> & Partial<Pick<SigningProvider, 'origin' | 'taproot'>>;
  readonly create: CreateSignature;
  readonly hashes: Hashes;
  /** Makes taproot signatures; absent: only existing signatures are used. */
  readonly createSchnorr?: CreateSchnorrSignature;
  /** Checks locks; absent: scripts with locks are not solved. */
  readonly locks?: Locks;
  /** Returns the preimage of a hash in a script, 32 bytes. */
  readonly preimage?: (fragment: Fragment, hash: Uint8Array) => Uint8Array | undefined;
  /**
   * For PSBTs, which contain partial signatures and key origins: sign multisig with all available keys, and record key
   * origins. Absent for transactions, which must not contain more than necessary.
   */
  readonly everyKey?: boolean;
}
