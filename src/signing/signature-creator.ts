// Makes the signatures of one input: with the keys of a provider, or dummy signatures, to learn a size. Core:
// script/sign.cpp MutableTransactionSignatureCreator, DummySignatureCreator.

import { TxSignatureChecker } from '../consensus/script/checker.js';
import { isCompressedKey } from '../consensus/script/encoding.js';
import { SigVersion, TaprootContext } from '../consensus/script/sig-version.js';
import { SIGHASH_ALL, SIGHASH_DEFAULT } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { taptweakHash } from '../consensus/script/taproot.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { idsOfXOnly, type SigningProvider } from './signing-provider.js';
import { type SigningTx, UNKNOWN_AMOUNT } from './signing-tx.js';
import type { SolvingTools } from './solving-tools.js';

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const SCALAR = 32;

/** Encodes a signature. @param compact 64 bytes, r then s @param hashType last byte */
export function encodeSignature(compact: Uint8Array, hashType: number): Uint8Array {
  const r = firstByte(compact, 0);
  const s = firstByte(compact, SCALAR);
  // If the first byte has its top bit set, a leading zero keeps the number positive.
  const rSize = SCALAR - r + (compact[r] >> 7);
  const sSize = 2 * SCALAR - s + (compact[s] >> 7);
  const out = new Uint8Array(7 + rSize + sSize);
  out[0] = SEQUENCE;
  out[1] = 4 + rSize + sSize;
  out[2] = INTEGER;
  out[3] = rSize;
  for (let from = SCALAR, to = 4 + rSize; from > r; ) out[--to] = compact[--from];
  out[4 + rSize] = INTEGER;
  out[5 + rSize] = sSize;
  for (let from = 2 * SCALAR, to = 6 + rSize + sSize; from > s; ) out[--to] = compact[--from];
  out[6 + rSize + sSize] = hashType;
  return out;
}

/**
 * Returns the offset of the first byte of a 32-byte number without leading zeros; for zero, the offset of the last
 * byte.
 */
function firstByte(compact: Uint8Array, at: number): number {
  let first = at;
  while (first < at + SCALAR - 1 && compact[first] === 0) first++;
  return first;
}

/** Auxiliary randomness (BIP-0340). With zeros, as in Core, the same input always gets the same signature. */
const NO_AUX_RAND = new Uint8Array(32);

/** Input to sign, with the keys and the signer. */
export interface InputSigning {
  readonly input: number;
  readonly output: SpentOutput;
  readonly provider: SigningProvider;
  /** Sighash type, one byte. DEFAULT means ALL except in taproot. */
  readonly hashType: number;
  readonly signer: Signer;
}

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
      // The hash commits to every amount. If the amount of another input is unknown, the signature would be invalid, so
      // make none. If the amount of this input is unknown, sign: signInput() then reports the missing amount, as for
      // version 0.
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

/** Returns a checker for lock times in the script of an input. */
export function locksOf({ tx, spent, crypto, sighash }: SigningTx, input: number): TxSignatureChecker {
  return new TxSignatureChecker(tx, input, spent, crypto, sighash);
}

/** Dummy DER signature of the usual size: r and s of 32 bytes, sighash type ALL. */
const DUMMY_ECDSA = encodeSignature(new Uint8Array(64).fill(1), SIGHASH_ALL);
const DUMMY_SCHNORR = new Uint8Array(64);

/** Returns tools that sign everything with dummy signatures of the right size. */
export function dummyTools(provider: SolvingTools['provider'], hashes: SolvingTools['hashes']): SolvingTools {
  return {
    provider,
    hashes,
    locks: { checkLockTime: () => true, checkSequence: () => true },
    create: () => DUMMY_ECDSA,
    createSchnorr: () => DUMMY_SCHNORR,
  };
}
