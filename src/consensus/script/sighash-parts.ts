// Hashes over all inputs or outputs of a transaction that BIP-0143 and BIP-0341 share. BIP-0341 uses the single
// SHA-256; BIP-0143 hashes that result once more. Each hash is computed when first needed.

import type { Hashes } from '../../crypto/crypto.js';
import { compactSizeLength } from '../bytes/compact-size.js';
import { copyBytes, writeU32 } from '../bytes/writer.js';
import type { TxView } from '../tx/tx-view.js';
import { writeCompactSize, writeI64 } from './preimage.js';
import type { SpentOutput } from './spent-output.js';

/** Size in bytes up to which the shared buffer is used. Larger results get an array of their own. */
const SHARED_SIZE = 1 << 16;
const sharedBuffer = new Uint8Array(SHARED_SIZE);

/** Returns an array of exactly `size` bytes with undefined content, valid until the next call. */
function joinBuffer(size: number): Uint8Array {
  return size <= SHARED_SIZE ? sharedBuffer.subarray(0, size) : new Uint8Array(size);
}

/** Lazily computed shared parts of one transaction's signature hashes. */
export class SighashParts {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #spent: readonly (SpentOutput | null)[] | null;
  #prevoutsSingle: Uint8Array | null = null;
  #sequencesSingle: Uint8Array | null = null;
  #outputsSingle: Uint8Array | null = null;
  #amountsSingle: Uint8Array | null = null;
  #scriptsSingle: Uint8Array | null = null;
  #prevoutsDouble: Uint8Array | null = null;
  #sequencesDouble: Uint8Array | null = null;
  #outputsDouble: Uint8Array | null = null;
  #spentComplete: boolean | null = null;

  constructor(tx: TxView, hashes: Hashes, spent: readonly (SpentOutput | null)[] | null) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#spent = spent;
  }

  /** SHA-256 of all outpoints. */
  get prevouts(): Uint8Array {
    if (this.#prevoutsSingle !== null) return this.#prevoutsSingle;
    const tx = this.#tx;
    const count = tx.inputCount;
    const joined = joinBuffer(36 * count);
    for (let i = 0; i < count; i++) copyBytes(tx.buffer, tx.outpointAt(i), joined, i * 36, 36);
    return (this.#prevoutsSingle = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all sequence numbers. */
  get sequences(): Uint8Array {
    if (this.#sequencesSingle !== null) return this.#sequencesSingle;
    const count = this.#tx.inputCount;
    const joined = joinBuffer(4 * count);
    for (let i = 0; i < count; i++) writeU32(joined, i * 4, this.#tx.sequence(i));
    return (this.#sequencesSingle = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all outputs as encoded. */
  get outputs(): Uint8Array {
    return (this.#outputsSingle ??= this.#hashes.sha256(this.#tx.outputsSerialized));
  }

  /** SHA-256 of all spent amounts. Must only be read if `spentKnown`. */
  get amounts(): Uint8Array {
    if (this.#amountsSingle !== null) return this.#amountsSingle;
    const spent = this.#knownSpent();
    const joined = joinBuffer(8 * spent.length);
    for (let i = 0; i < spent.length; i++) writeI64(joined, i * 8, spent[i].value);
    return (this.#amountsSingle = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all spent scripts with their sizes. Must only be read if `spentKnown`. */
  get scripts(): Uint8Array {
    if (this.#scriptsSingle !== null) return this.#scriptsSingle;
    const spent = this.#knownSpent();
    let size = 0;
    for (const { script } of spent) size += compactSizeLength(script.length) + script.length;
    const joined = joinBuffer(size);
    let at = 0;
    for (const { script } of spent) {
      at = writeCompactSize(joined, at, script.length);
      joined.set(script, at);
      at += script.length;
    }
    return (this.#scriptsSingle = this.#hashes.sha256(joined));
  }

  /** True if the spent outputs of all inputs are known. */
  get spentKnown(): boolean {
    this.#spentComplete ??=
      this.#spent !== null &&
      this.#spent.length === this.#tx.inputCount &&
      this.#spent.every((output) => output !== null && output !== undefined);
    return this.#spentComplete;
  }

  /** BIP-0143 hashPrevouts. */
  get hashPrevouts(): Uint8Array {
    return (this.#prevoutsDouble ??= this.#hashes.sha256(this.prevouts));
  }

  /** BIP-0143 hashSequence. */
  get hashSequence(): Uint8Array {
    return (this.#sequencesDouble ??= this.#hashes.sha256(this.sequences));
  }

  /** BIP-0143 hashOutputs. */
  get hashOutputs(): Uint8Array {
    return (this.#outputsDouble ??= this.#hashes.sha256(this.outputs));
  }

  #knownSpent(): readonly SpentOutput[] {
    // The only caller, sighash-taproot.ts, has checked spentKnown, so all spent outputs are there.
    return (this.#spent ?? []) as readonly SpentOutput[];
  }
}
