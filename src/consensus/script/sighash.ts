// Signature hashes of one transaction. What all inputs share is computed once, when first asked: the legacy frame, the
// BIP-0143 parts and the BIP-0341 parts. One cache per transaction and thread; used by TxSignatureChecker and by
// signing.

import type { Hashes } from '../../crypto/crypto.js';
import { equalBytes } from '../bytes/hex.js';
import type { TxView } from '../tx/tx-view.js';
import type { TaprootContext } from './sig-version.js';
import { LegacySighash } from './sighash-legacy.js';
import { SighashParts } from './sighash-parts.js';
import { SegwitSighash } from './sighash-segwit.js';
import { TaprootSighash } from './sighash-taproot.js';
import type { SpentOutput } from './spent-output.js';

/** Taproot only: like ALL, with no byte behind the signature. */
export const SIGHASH_DEFAULT = 0;
export const SIGHASH_ALL = 1;
export const SIGHASH_NONE = 2;
export const SIGHASH_SINGLE = 3;
/** Added to one of the above: sign no input but the own. */
export const SIGHASH_ANYONECANPAY = 0x80;

/**
 * Signature hashes of one transaction's inputs. The arrays handed out may be handed out again: callers do not write to
 * them.
 */
export class SighashCache {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #spent: readonly (SpentOutput | null)[] | null;
  // Most transactions use one kind of hash only: each is made when first asked for.
  #parts: SighashParts | null = null;
  #legacyHashes: LegacySighash | null = null;
  #segwitHashes: SegwitSighash | null = null;
  #taprootHashes: TaprootSighash | null = null;
  // CHECKMULTISIG asks for the same hash once per key it tries, a signer once to sign and once to check: the last answer
  // is kept.
  #lastScript: Uint8Array | null = null;
  #lastKey = -1;
  #lastValue = 0;
  #lastHash: Uint8Array | null = null;

  /**
   * @param tx stays unchanged while the cache lives
   * @param spent outputs spent by all inputs, in order; without them (null, or an entry null) taproot hashes do not
   * exist
   */
  constructor(tx: TxView, hashes: Hashes, spent: readonly (SpentOutput | null)[] | null = null) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#spent = spent;
  }

  /**
   * The original signature hash. For SIGHASH_SINGLE without a matching output it is the number 1 (01 and 31 zero
   * bytes).
   * @param scriptCode with its OP_CODESEPARATORs, which are left out of the hash
   * @param hashType signed or unsigned 32 bits; hashed whole, interpreted by its low byte
   */
  legacy(inputIndex: number, scriptCode: Uint8Array, hashType: number): Uint8Array {
    const key = inputIndex * 0x200 + hashType;
    // Only plain bytes make unambiguous keys; other hash types come from vectors alone.
    const legacy = (this.#legacyHashes ??= new LegacySighash(this.#tx, this.#hashes));
    if (hashType < 0 || hashType > 0xff) return legacy.hash(inputIndex, scriptCode, hashType);
    return this.#last(scriptCode, key, 0) ?? this.#remember(scriptCode, key, 0, legacy.hash(inputIndex, scriptCode, hashType));
  }

  /** BIP-0143. @param value satoshi of the spent output @param hashType one byte */
  segwitV0(inputIndex: number, scriptCode: Uint8Array, value: number, hashType: number): Uint8Array {
    const key = inputIndex * 0x200 + 0x100 + hashType;
    const last = this.#last(scriptCode, key, value);
    if (last !== null) return last;
    this.#segwitHashes ??= new SegwitSighash(this.#tx, this.#hashes, this.#sharedParts());
    return this.#remember(scriptCode, key, value, this.#segwitHashes.hash(inputIndex, scriptCode, value, hashType));
  }

  /**
   * BIP-0341 and, for a tapscript, BIP-0342.
   * @returns null for an undefined hash type, SINGLE without its output, or unknown spent outputs
   */
  taproot(inputIndex: number, hashType: number, context: TaprootContext, tapscript: boolean): Uint8Array | null {
    this.#taprootHashes ??= new TaprootSighash(this.#tx, this.#hashes, this.#sharedParts(), this.#spent);
    return this.#taprootHashes.hash(inputIndex, hashType, context, tapscript);
  }

  #sharedParts(): SighashParts {
    return (this.#parts ??= new SighashParts(this.#tx, this.#hashes, this.#spent));
  }

  #last(scriptCode: Uint8Array, key: number, value: number): Uint8Array | null {
    if (this.#lastKey !== key || this.#lastValue !== value || this.#lastScript === null) return null;
    return this.#lastScript === scriptCode || equalBytes(this.#lastScript, scriptCode) ? this.#lastHash : null;
  }

  #remember(scriptCode: Uint8Array, key: number, value: number, hash: Uint8Array): Uint8Array {
    this.#lastScript = scriptCode;
    this.#lastKey = key;
    this.#lastValue = value;
    this.#lastHash = hash;
    return hash;
  }
}
