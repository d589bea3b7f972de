// Signature hashes of one transaction. Values that all inputs share (the legacy frame, the BIP-0143 parts, the BIP-0341
// parts) are computed once, when first needed. Each thread has its own cache for a transaction.

import type { Hashes } from '../../crypto/crypto.js';
import { equalBytes } from '../bytes/hex.js';
import { copyBytes, writeU32 } from '../bytes/writer.js';
import type { TxView } from '../tx/tx-view.js';
import { preimageBuffer, writeCompactSize, writeI64 } from './preimage.js';
import type { TaprootContext } from './sig-version.js';
import { LegacySighash } from './sighash-legacy.js';
import { SighashParts } from './sighash-parts.js';
import { TaprootSighash } from './sighash-taproot.js';
import type { SpentOutput } from './spent-output.js';

// BIP-0143: the signature hash of version 0 witness programs.
//
//   version 4 | hashPrevouts 32 | hashSequence 32 | outpoint 36 | script code with size | amount 8 | sequence 4 |
//   hashOutputs 32 | locktime 4 | hash type 4                                            then SHA-256 twice

const ANYONECANPAY = 0x80;
const BASE_MASK = 0x1f;
const NONE = 2;
const SINGLE = 3;
// Size of everything except the script code and its size, plus the largest size field.
const FIXED_SIZE = 156 + 5;

/** BIP-0143 hashes of one transaction. */
class SegwitSighash {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #parts: SighashParts;

  constructor(tx: TxView, hashes: Hashes, parts: SighashParts) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#parts = parts;
  }

  hash(inputIndex: number, scriptCode: Uint8Array, value: number, hashType: number): Uint8Array {
    const tx = this.#tx;
    const parts = this.#parts;
    const base = hashType & BASE_MASK;
    const onlyOwnInput = (hashType & ANYONECANPAY) !== 0;
    const allOutputs = base !== NONE && base !== SINGLE;
    // Compute this hash before the shared buffer is filled, because the computation may overwrite the buffer.
    let outputsHash: Uint8Array | null = null;
    if (allOutputs) outputsHash = parts.hashOutputs;
    else if (base === SINGLE && inputIndex < tx.outputCount) outputsHash = this.#hashes.sha256d(tx.outputBytes(inputIndex));

    const out = preimageBuffer(FIXED_SIZE + scriptCode.length);
    writeU32(out, 0, tx.version);
    if (onlyOwnInput) out.fill(0, 4, 36);
    else out.set(parts.hashPrevouts, 4);
    if (onlyOwnInput || !allOutputs) out.fill(0, 36, 68);
    else out.set(parts.hashSequence, 36);
    copyBytes(tx.buffer, tx.outpointAt(inputIndex), out, 68, 36);
    let at = writeCompactSize(out, 104, scriptCode.length);
    out.set(scriptCode, at);
    at += scriptCode.length;
    writeI64(out, at, value);
    writeU32(out, at + 8, tx.sequence(inputIndex));
    at += 12;
    if (outputsHash === null) out.fill(0, at, at + 32);
    else out.set(outputsHash, at);
    writeU32(out, at + 32, tx.locktime);
    writeU32(out, at + 36, hashType);
    return this.#hashes.sha256d(out.subarray(0, at + 40));
  }
}

/** Taproot only: the same as ALL, encoded by omitting the hash type byte. */
export const SIGHASH_DEFAULT = 0;
export const SIGHASH_ALL = 1;
export const SIGHASH_NONE = 2;
export const SIGHASH_SINGLE = 3;
/** Added to one of the types above: the signature covers only this input. */
export const SIGHASH_ANYONECANPAY = 0x80;

/**
 * Signature hashes of one transaction's inputs. Callers must not change returned arrays, because later calls may return
 * the same arrays.
 */
export class SighashCache {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #spent: readonly (SpentOutput | null)[] | null;
  // Each part is created when first needed, because most transactions use only one kind of hash.
  #parts: SighashParts | null = null;
  #legacyHashes: LegacySighash | null = null;
  #segwitHashes: SegwitSighash | null = null;
  #taprootHashes: TaprootSighash | null = null;
  // Last result. CHECKMULTISIG needs the same hash for each key that it tries. A signer needs a hash twice: to sign and
  // to check the signature.
  #lastScript: Uint8Array | null = null;
  #lastKey = -1;
  #lastValue = 0;
  #lastHash: Uint8Array | null = null;

  /**
   * Creates a cache.
   * @param tx must not change while the cache is used
   * @param spent outputs spent by all inputs, in order. If any is unknown (null, or a null entry), taproot hashes are
   *   not available
   */
  constructor(tx: TxView, hashes: Hashes, spent: readonly (SpentOutput | null)[] | null = null) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#spent = spent;
  }

  /**
   * Returns the original signature hash. For SIGHASH_SINGLE without a matching output, the hash is the number 1 (01 and
   * 31 zero bytes).
   * @param scriptCode script code; its OP_CODESEPARATORs are removed before hashing
   * @param hashType signed or unsigned 32 bits; all of it is hashed, the low byte selects the type
   */
  legacy(inputIndex: number, scriptCode: Uint8Array, hashType: number): Uint8Array {
    const key = inputIndex * 0x200 + hashType;
    // Cache only results for hash types of one byte, which give unambiguous keys. Other types only occur in test
    // vectors.
    const legacy = (this.#legacyHashes ??= new LegacySighash(this.#tx, this.#hashes));
    if (hashType < 0 || hashType > 0xff) return legacy.hash(inputIndex, scriptCode, hashType);
    return this.#last(scriptCode, key, 0) ?? this.#remember(scriptCode, key, 0, legacy.hash(inputIndex, scriptCode, hashType));
  }

  /**
   * Returns the signature hash of BIP-0143.
   * @param value satoshis of the spent output
   * @param hashType one byte
   */
  segwitV0(inputIndex: number, scriptCode: Uint8Array, value: number, hashType: number): Uint8Array {
    const key = inputIndex * 0x200 + 0x100 + hashType;
    const last = this.#last(scriptCode, key, value);
    if (last !== null) return last;
    this.#segwitHashes ??= new SegwitSighash(this.#tx, this.#hashes, this.#sharedParts());
    return this.#remember(scriptCode, key, value, this.#segwitHashes.hash(inputIndex, scriptCode, value, hashType));
  }

  /**
   * Returns the signature hash of BIP-0341 and, for a tapscript, BIP-0342.
   * @returns null for an undefined hash type, SINGLE without a matching output, or unknown spent outputs
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
