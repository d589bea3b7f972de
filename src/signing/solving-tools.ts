// Who answers while an input is solved: keys and scripts, the maker of signatures, and the transaction's locks. Made by
// signature-creator.ts.
import type { Fragment } from '../address/miniscript/fragment.js';
import type { SigVersionCode } from '../consensus/script/sig-version.js';
import type { Hashes } from '../crypto/crypto.js';
import type { SigningProvider } from './signing-provider.js';

/** Makes the signature of one input by one key; null when the key is not there or may not sign. */
export type CreateSignature = (
  keyId: Uint8Array,
  publicKey: Uint8Array,
  scriptCode: Uint8Array,
  sigVersion: SigVersionCode,
) => Uint8Array | null;

/**
 * The same for taproot.
 * @param publicKey x-only @param leafHash null on the key path
 * @param tweak the merkle root (null without a tree) that the key is tweaked with first; null for the key as it is
 */
export type CreateSchnorrSignature = (
  publicKey: Uint8Array,
  leafHash: Uint8Array | null,
  tweak: { readonly merkleRoot: Uint8Array | null } | null,
) => Uint8Array | null;

/** Whether the input's transaction satisfies locks of a script. */
export interface Locks {
  checkLockTime(lockTime: number): boolean;
  checkSequence(sequence: number): boolean;
}

/** What solving works with. */
export interface SolvingTools {
  readonly provider: Pick<SigningProvider, 'script' | 'publicKey'> & Partial<Pick<SigningProvider, 'origin' | 'taproot'>>;
  readonly create: CreateSignature;
  readonly hashes: Hashes;
  /** Without it taproot outputs are solved from signatures that are there. */
  readonly createSchnorr?: CreateSchnorrSignature;
  /** Without it scripts with locks are not solved. */
  readonly locks?: Locks;
  /** What hashes to what a script wants, 32 bytes. */
  readonly preimage?: (fragment: Fragment, hash: Uint8Array) => Uint8Array | undefined;
  /**
   * For PSBTs, which keep partial signatures and tell signers about keys: sign multisig with all keys at hand, and note
   * where keys come from. A transaction shows no more than it needs.
   */
  readonly everyKey?: boolean;
}
