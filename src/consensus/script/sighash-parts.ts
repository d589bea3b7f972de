// Hashes over all inputs or outputs of a transaction that BIP-0143 and BIP-0341 have in common: BIP-0341 uses the single
// SHA-256, BIP-0143 hashes that once more. Each is computed when first asked for.

import type { Hashes } from '../../crypto/crypto.js';
import { writeU32 } from '../bytes/writer.js';
import { compactSizeLength } from '../bytes/compact-size.js';
import type { TxView } from '../tx/tx-view.js';
import type { SpentOutput } from './spent-output.js';
import { writeCompactSize, writeI64 } from './preimage.js';

/** Lazily computed shared parts of one transaction's signature hashes. */
export class SighashParts {
  readonly #tx: TxView;
  readonly #hashes: Hashes;
  readonly #spent: readonly (SpentOutput | null)[] | null;
  #prevouts: Uint8Array | null = null;
  #sequences: Uint8Array | null = null;
  #outputs: Uint8Array | null = null;
  #amounts: Uint8Array | null = null;
  #scripts: Uint8Array | null = null;
  #prevouts2: Uint8Array | null = null;
  #sequences2: Uint8Array | null = null;
  #outputs2: Uint8Array | null = null;
  #spentKnown: boolean | null = null;

  constructor(tx: TxView, hashes: Hashes, spent: readonly (SpentOutput | null)[] | null) {
    this.#tx = tx;
    this.#hashes = hashes;
    this.#spent = spent;
  }

  /** SHA-256 of all outpoints. */
  get prevouts(): Uint8Array {
    if (this.#prevouts !== null) return this.#prevouts;
    const count = this.#tx.inputCount;
    if (count === 1) return (this.#prevouts = this.#hashes.sha256(this.#tx.outpoint(0)));
    const joined = new Uint8Array(36 * count);
    for (let i = 0; i < count; i++) joined.set(this.#tx.outpoint(i), i * 36);
    return (this.#prevouts = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all sequence numbers. */
  get sequences(): Uint8Array {
    if (this.#sequences !== null) return this.#sequences;
    const count = this.#tx.inputCount;
    const joined = new Uint8Array(4 * count);
    for (let i = 0; i < count; i++) writeU32(joined, i * 4, this.#tx.sequence(i));
    return (this.#sequences = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all outputs as encoded. */
  get outputs(): Uint8Array {
    return (this.#outputs ??= this.#hashes.sha256(this.#tx.outputsSerialized));
  }

  /** SHA-256 of all spent amounts; only when `spentKnown`. */
  get amounts(): Uint8Array {
    if (this.#amounts !== null) return this.#amounts;
    const spent = this.#knownSpent();
    const joined = new Uint8Array(8 * spent.length);
    for (let i = 0; i < spent.length; i++) writeI64(joined, i * 8, spent[i].value);
    return (this.#amounts = this.#hashes.sha256(joined));
  }

  /** SHA-256 of all spent scripts with their sizes; only when `spentKnown`. */
  get scripts(): Uint8Array {
    if (this.#scripts !== null) return this.#scripts;
    const spent = this.#knownSpent();
    let size = 0;
    for (const { script } of spent) size += compactSizeLength(script.length) + script.length;
    const joined = new Uint8Array(size);
    let at = 0;
    for (const { script } of spent) {
      at = writeCompactSize(joined, at, script.length);
      joined.set(script, at);
      at += script.length;
    }
    return (this.#scripts = this.#hashes.sha256(joined));
  }

  /** Whether every input's spent output was given. */
  get spentKnown(): boolean {
    this.#spentKnown ??=
      this.#spent !== null &&
      this.#spent.length === this.#tx.inputCount &&
      this.#spent.every((output) => output !== null && output !== undefined);
    return this.#spentKnown;
  }

  /** BIP-0143 hashPrevouts. */
  get hashPrevouts(): Uint8Array {
    return (this.#prevouts2 ??= this.#hashes.sha256(this.prevouts));
  }

  /** BIP-0143 hashSequence. */
  get hashSequence(): Uint8Array {
    return (this.#sequences2 ??= this.#hashes.sha256(this.sequences));
  }

  /** BIP-0143 hashOutputs. */
  get hashOutputs(): Uint8Array {
    return (this.#outputs2 ??= this.#hashes.sha256(this.outputs));
  }

  #knownSpent(): readonly SpentOutput[] {
    // Guarded by spentKnown in the only caller, sighash-taproot.ts.
    return (this.#spent ?? []) as readonly SpentOutput[];
  }
}
