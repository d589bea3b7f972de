// The transactions that a template is made of, for as long as the template is wanted: where each lies in shared memory.
// Ranges there are written once and never again, so they stay true when the mempool has long moved on. Used by
// assembly.ts, the service and pinned templates.
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER } from '../jobs/assemble-messages.js';
import type { CandidateRecords } from './source.js';

export class ChosenRecords {
  /** In block order, without the coinbase. */
  readonly length: number;
  /** By number; only those that are named below. */
  readonly #segments: Uint8Array[] = [];
  readonly #segmentOf: Int32Array;
  readonly #offsets: Int32Array;
  readonly #lengths: Int32Array;
  /** Which transaction of the set it was: the same again has another number. */
  readonly #serials: Uint32Array;
  readonly #hashes: Hashes | null;

  /** @param rows that are in the set or held now */
  constructor(records: CandidateRecords | null, rows: Int32Array) {
    this.length = rows.length;
    this.#segmentOf = new Int32Array(rows.length);
    this.#offsets = new Int32Array(rows.length);
    this.#lengths = new Int32Array(rows.length);
    this.#serials = new Uint32Array(rows.length);
    this.#hashes = records === null || rows.length === 0 ? null : records.hashes;
    if (records === null) return;
    // On the node thread, for each template: the columns are taken out of the loop.
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

  /** The transactions, copied and read. */
  txs(): TxView[] {
    return Array.from({ length: this.length }, (_, i) => {
      const from = this.#offsets[i];
      return parseTx(this.#segments[this.#segmentOf[i]].slice(from, from + this.#lengths[i]), this.#hashes as Hashes);
    });
  }

  /** The place of a transaction of the set, from 0; -1 when it is none of these. */
  positionOfSerial(serial: number): number {
    return this.#serials.indexOf(serial);
  }

  /** The same by txid (internal order), also for one that has left the set since: a walk over all records. */
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

  /** Where they lie, for another thread: each without its ids, by number of the segment, first byte and length. */
  get places(): {
    readonly segments: readonly (Uint8Array | undefined)[];
    readonly segmentOf: Int32Array;
    readonly offsets: Int32Array;
    readonly lengths: Int32Array;
  } {
    return { segments: this.#segments, segmentOf: this.#segmentOf, offsets: this.#offsets, lengths: this.#lengths };
  }

  /** The same transactions in the same order. */
  equals(other: ChosenRecords): boolean {
    if (this.length !== other.length) return false;
    for (let i = 0; i < this.length; i++) if (this.#serials[i] !== other.#serials[i]) return false;
    return true;
  }
}

/** No transactions. */
export const NO_RECORDS = new ChosenRecords(null, new Int32Array(0));
