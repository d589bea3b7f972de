// Queries of the interpreter about the transaction whose script runs. TxSignatureChecker answers them for a real input.
// DetachedChecker answers every query with failure, for scripts that run without a transaction.

import type { Crypto } from '../../crypto/crypto.js';
import type { TxView } from '../tx/tx-view.js';
import { parseLaxDer } from './der.js';
import { isValidPublicKeySize } from './encoding.js';
import { ScriptError } from './script-error.js';
import { SigVersion, type SigVersionCode, type TaprootContext } from './sig-version.js';
import { SIGHASH_DEFAULT, type SighashCache } from './sighash.js';
import type { SpentOutput } from './spent-output.js';

/** Queries of a script about its transaction. */
export interface SignatureChecker {
  /** Hash functions and curve checks of this thread. */
  readonly crypto: Crypto;
  /**
   * Checks an ECDSA signature.
   * @param signature lax DER followed by the hash type byte
   * @param publicKey any length
   * @param scriptCode the executed script from the last code separator on
   */
  checkEcdsa(signature: Uint8Array, publicKey: Uint8Array, scriptCode: Uint8Array, sigVersion: SigVersionCode): boolean;
  /**
   * Checks a Schnorr signature.
   * @param signature 64 bytes, or 65 with a hash type; other sizes are an error
   * @param publicKey x-only, 32 bytes
   * @returns a ScriptError code; 0 if the signature is valid
   */
  checkSchnorr(signature: Uint8Array, publicKey: Uint8Array, sigVersion: SigVersionCode, taproot: TaprootContext): number;
  /**
   * Checks OP_CHECKLOCKTIMEVERIFY (BIP-0065).
   * @param lockTime not negative, below 2^39
   */
  checkLockTime(lockTime: number): boolean;
  /**
   * Checks OP_CHECKSEQUENCEVERIFY (BIP-0112).
   * @param sequence not negative, below 2^39
   */
  checkSequence(sequence: number): boolean;
}

// Lock times below this number are heights, others are times in seconds.
const LOCKTIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;
// BIP-0068: bit 31 disables the relative lock, bit 22 selects time, the low 16 bits are the value.
const SEQUENCE_DISABLE = 0x80000000;
const SEQUENCE_TYPE = 1 << 22;
const SEQUENCE_MASK = SEQUENCE_TYPE | 0xffff;

/** Checks signatures and locks of one input of a transaction. */
export class TxSignatureChecker implements SignatureChecker {
  readonly crypto: Crypto;
  readonly #tx: TxView;
  readonly #inputIndex: number;
  readonly #value: number;
  readonly #cache: SighashCache;

  /**
   * Creates a checker for one input.
   * @param spent outputs spent by the transaction, in input order; the checker reads only the value of this input's
   *   output
   * @param cache made for the same transaction; for taproot signatures it must have the spent outputs
   */
  constructor(tx: TxView, inputIndex: number, spent: readonly (SpentOutput | null)[], crypto: Crypto, cache: SighashCache) {
    this.#tx = tx;
    this.#inputIndex = inputIndex;
    this.#value = spent[inputIndex]?.value ?? -1;
    this.crypto = crypto;
    this.#cache = cache;
  }

  checkEcdsa(signature: Uint8Array, publicKey: Uint8Array, scriptCode: Uint8Array, sigVersion: SigVersionCode): boolean {
    if (signature.length === 0 || !isValidPublicKeySize(publicKey)) return false;
    const hashType = signature[signature.length - 1];
    const compact = parseLaxDer(signature, signature.length - 1);
    if (compact === null) return false;
    let hash: Uint8Array;
    if (sigVersion === SigVersion.WITNESS_V0) {
      // The hash of a segwit signature commits to the amount. It is unknown, so no signature can be checked.
      if (this.#value < 0) return false;
      hash = this.#cache.segwitV0(this.#inputIndex, scriptCode, this.#value, hashType);
    } else {
      hash = this.#cache.legacy(this.#inputIndex, scriptCode, hashType);
    }
    return this.crypto.ecdsaVerify(compact, publicKey, hash);
  }

  checkSchnorr(signature: Uint8Array, publicKey: Uint8Array, sigVersion: SigVersionCode, taproot: TaprootContext): number {
    if (signature.length !== 64 && signature.length !== 65) return ScriptError.SCHNORR_SIG_SIZE;
    let hashType = SIGHASH_DEFAULT;
    let bare = signature;
    if (signature.length === 65) {
      hashType = signature[64];
      // SIGHASH_DEFAULT is encoded by omitting the byte, so an explicit byte with this value is an error.
      if (hashType === SIGHASH_DEFAULT) return ScriptError.SCHNORR_SIG_HASHTYPE;
      bare = signature.subarray(0, 64);
    }
    const tapscript = sigVersion === SigVersion.TAPSCRIPT;
    const hash = this.#cache.taproot(this.#inputIndex, hashType, taproot, tapscript);
    if (hash === null) return ScriptError.SCHNORR_SIG_HASHTYPE;
    return this.crypto.schnorrVerify(bare, publicKey, hash) ? ScriptError.OK : ScriptError.SCHNORR_SIG;
  }

  checkLockTime(lockTime: number): boolean {
    const own = this.#tx.locktime;
    if (own < LOCKTIME_THRESHOLD !== lockTime < LOCKTIME_THRESHOLD) return false;
    if (lockTime > own) return false;
    // If the input were final, the transaction's lock time would not apply, and the script could not rely on it.
    return this.#tx.sequence(this.#inputIndex) !== SEQUENCE_FINAL;
  }

  checkSequence(sequence: number): boolean {
    const own = this.#tx.sequence(this.#inputIndex);
    if (this.#tx.version >>> 0 < 2) return false;
    if ((own & SEQUENCE_DISABLE) !== 0) return false;
    const ownMasked = own & SEQUENCE_MASK;
    const wanted = sequence & SEQUENCE_MASK;
    if (ownMasked < SEQUENCE_TYPE !== wanted < SEQUENCE_TYPE) return false;
    return wanted <= ownMasked;
  }
}

/** Checker for scripts without a transaction. Hashes are computed; every check of a signature or lock fails. */
export class DetachedChecker implements SignatureChecker {
  readonly crypto: Crypto;

  constructor(crypto: Crypto) {
    this.crypto = crypto;
  }

  checkEcdsa(): boolean {
    return false;
  }

  checkSchnorr(): number {
    return ScriptError.SCHNORR_SIG;
  }

  checkLockTime(): boolean {
    return false;
  }

  checkSequence(): boolean {
    return false;
  }
}
