// The transactions of a template: the location of each in shared memory. Locations are written once and never reused
// while they are referenced, so they stay valid after the mempool has changed.
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER } from '../jobs/assemble-messages.js';
import type { CandidateRecords } from './source.js';

export class ChosenRecords {
  /** Number of transactions without the coinbase, in block order. */
  readonly length: number;
  /** Segments by number; only those that a transaction of this list references. */
  readonly #segments: Uint8Array[] = [];
  readonly #segmentOf: Int32Array;
  readonly #offsets: Int32Array;
  readonly #lengths: Int32Array;
  /** Serial of each transaction. The same transaction has another serial if it enters the mempool again. */
  readonly #serials: Uint32Array;
  readonly #hashes: Hashes | null;

  /** @param rows rows of candidates, or of held records */
  constructor(records: CandidateRecords | null, rows: Int32Array) {
    this.length = rows.length;
    this.#segmentOf = new Int32Array(rows.length);
    this.#offsets = new Int32Array(rows.length);
    this.#lengths = new Int32Array(rows.length);
    this.#serials = new Uint32Array(rows.length);
    this.#hashes = records === null || rows.length === 0 ? null : records.hashes;
    if (records === null) return;
    // Destructured once, because this loop runs on the node thread for each template.
    const { segment, offset, length, serial } = records.rows;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      this.#segmentOf[i] = segment[row];
      this.#segments[segment[row]] ??= records.arena.bytesOf(row);
      this.#offsets[i] = offset[row] + RECORD_HEADER;
      this.#lengths[i] = length[row];
      this.#serials[i] = serial[row];
    }
  }

  /** Returns copies of the transactions, parsed. */
  txs(): TxView[] {
    return Array.from({ length: this.length }, (_, i) => {
      const from = this.#offsets[i];
      return parseTx(this.#segments[this.#segmentOf[i]].slice(from, from + this.#lengths[i]), this.#hashes as Hashes);
    });
  }

  /** Returns the index of a transaction by its serial; -1 if the list does not contain it. */
  positionOfSerial(serial: number): number {
    return this.#serials.indexOf(serial);
  }

  /** Returns the index by txid (internal order), also for a transaction that has left the mempool. Searches all records. */
  positionOf(txid: Uint8Array): number {
    for (let i = 0; i < this.length; i++) {
      const from = this.#offsets[i] - RECORD_HEADER;
      const segment = this.#segments[this.#segmentOf[i]];
      let same = 0;
      while (same < 32 && segment[from + same] === txid[same]) same++;
      if (same === 32) return i;
    }
    return -1;
  }

  /** Locations for another thread: segment, first byte and length of each transaction, without its ids. */
  get places(): {
    readonly segments: readonly (Uint8Array | undefined)[];
    readonly segmentOf: Int32Array;
    readonly offsets: Int32Array;
    readonly lengths: Int32Array;
  } {
    return { segments: this.#segments, segmentOf: this.#segmentOf, offsets: this.#offsets, lengths: this.#lengths };
  }

  /** Returns true if both lists have the same transactions in the same order. */
  equals(other: ChosenRecords): boolean {
    if (this.length !== other.length) return false;
    for (let i = 0; i < this.length; i++) if (this.#serials[i] !== other.#serials[i]) return false;
    return true;
  }
}

/** No transactions. */
export const NO_RECORDS = new ChosenRecords(null, new Int32Array(0));
