// Makes the signatures of one input: with the keys of a provider, or for looks alone, to learn a size. Core:
// script/sign.cpp MutableTransactionSignatureCreator, DummySignatureCreator.

import { TxSignatureChecker } from '../consensus/script/checker.js';
import { isCompressedKey } from '../consensus/script/encoding.js';
import { SigVersion, TaprootContext } from '../consensus/script/sig-version.js';
import { SIGHASH_ALL, SIGHASH_DEFAULT } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { taptweakHash } from '../consensus/script/taproot.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { encodeSignature } from './der-encode.js';
import { idsOfXOnly, type SigningProvider } from './signing-provider.js';
import { type SigningTx, UNKNOWN_AMOUNT } from './signing-tx.js';
import type { SolvingTools } from './solving-tools.js';

/** BIP-0340's default: the same signature every time, as Core makes it. */
const NO_AUX_RAND = new Uint8Array(32);

/** Whose keys sign what. */
export interface InputSigning {
  readonly input: number;
  readonly output: SpentOutput;
  readonly provider: SigningProvider;
  /** One byte; DEFAULT means ALL where there is no DEFAULT. */
  readonly hashType: number;
  readonly signer: Signer;
}

/** Tools that sign an input. */
export function signingTools(signing: SigningTx, { input, output, provider, hashType, signer }: InputSigning): SolvingTools {
  const { sighash, crypto } = signing;
  const ecdsaType = hashType === SIGHASH_DEFAULT ? SIGHASH_ALL : hashType;
  return {
    provider,
    hashes: crypto,
    locks: locksOf(signing, input),
    create: (keyId, publicKey, scriptCode, sigVersion) => {
      const segwit = sigVersion === SigVersion.WITNESS_V0;
      if (segwit && !isCompressedKey(publicKey)) return null;
      const secret = provider.secret(keyId);
      if (!secret) return null;
      const hash = segwit ? sighash.segwitV0(input, scriptCode, output.value, ecdsaType) : sighash.legacy(input, scriptCode, ecdsaType);
      const compact = signer.signLowR(secret, hash);
      secret.fill(0);
      return compact && encodeSignature(compact, ecdsaType);
    },
    createSchnorr: (publicKey, leafHash, tweak) => {
      const [even, odd] = idsOfXOnly(publicKey, crypto);
      const id = provider.hasSecret(even) ? even : odd;
      if (!provider.hasSecret(id)) return null;
      // The hash commits to every amount: with one that was made up, the signature would be of another transaction.
      // Where it is the input's own, signInput() refuses the signature, as those of version 0, and says what is missing.
      if (output.value !== UNKNOWN_AMOUNT && signing.spent.some((spent) => spent?.value === UNKNOWN_AMOUNT)) return null;
      const context = new TaprootContext();
      context.tapleafHash = leafHash;
      const hash = sighash.taproot(input, hashType, context, leafHash !== null);
      const secret = hash && provider.secret(id);
      if (!hash || !secret) return null;
      const tweakHash = tweak && taptweakHash(publicKey, tweak.merkleRoot, crypto);
      const signature = signer.signSchnorr(secret, hash, tweakHash, NO_AUX_RAND);
      secret.fill(0);
      return signature && (hashType === SIGHASH_DEFAULT ? signature : Uint8Array.of(...signature, hashType));
    },
  };
}

/** Locks of the transaction as an input's scripts see them. */
export function locksOf({ tx, spent, crypto, sighash }: SigningTx, input: number): TxSignatureChecker {
  return new TxSignatureChecker(tx, input, spent, crypto, sighash);
}

/** A signature of the usual size in the right form, of nothing: r and s of 32 bytes, the type ALL. */
const DUMMY_ECDSA = encodeSignature(new Uint8Array(64).fill(1), SIGHASH_ALL);
const DUMMY_SCHNORR = new Uint8Array(64);

/** Tools that sign everything with signatures of the right size. */
export function dummyTools(provider: SolvingTools['provider'], hashes: SolvingTools['hashes']): SolvingTools {
  return {
    provider,
    hashes,
    locks: { checkLockTime: () => true, checkSequence: () => true },
    create: () => DUMMY_ECDSA,
    createSchnorr: () => DUMMY_SCHNORR,
  };
}
