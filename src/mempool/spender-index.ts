// Who spends an outpoint: open addressing over places in the entries' own bytes, since a map with a text for every outpoint takes more room
// than the transactions themselves. Keys are compared with the bytes in the arena. Used by tx-pool.ts.
//
// A row is an entry and the position of the outpoint in its transaction. The hash is salted, so that nobody can make outpoints that
// meet in one place.
import { randomBytes } from 'node:crypto';
import { readU32 } from '../consensus/bytes/reader.js';
import type { MempoolEntry } from './entry.js';

const OUTPOINT_BYTES = 36;
const FIRST_ROWS = 64;
/** Rows in use at most, before the table doubles. */
const LOAD = 0.6;

export class SpenderIndex {
  readonly #salt = new Uint32Array(new Uint8Array(randomBytes(8)).buffer);
  #entries: (MempoolEntry | undefined)[] = new Array<MempoolEntry | undefined>(FIRST_ROWS).fill(undefined);
  #positions = new Int32Array(FIRST_ROWS);
  #mask = FIRST_ROWS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param key 36 bytes at `at` */
  get(key: Uint8Array, at = 0): MempoolEntry | undefined {
    return this.#entries[this.#find(key, at)];
  }

  /** The entry's bytes are in the arena; the outpoint stands at this position of its transaction. Replaces who spent it before. */
  set(entry: MempoolEntry, position: number): void {
    if (this.#size + 1 > this.#entries.length * LOAD) this.#grow();
    const row = this.#find(entry.segment.bytes, entry.offset + position);
    if (this.#entries[row] === undefined) this.#size++;
    this.#entries[row] = entry;
    this.#positions[row] = position;
  }

  /** Forgets an outpoint if it is this entry that spends it. */
  delete(entry: MempoolEntry, position: number): void {
    let hole = this.#find(entry.segment.bytes, entry.offset + position);
    if (this.#entries[hole] !== entry) return;
    this.#size--;
    // Rows behind the hole that belong before it move up, so that no search ends too early.
    for (let row = (hole + 1) & this.#mask; ; row = (row + 1) & this.#mask) {
      const other = this.#entries[row];
      if (other === undefined) break;
      const home = this.#home(other.segment.bytes, other.offset + this.#positions[row]);
      if (((row - home) & this.#mask) < ((row - hole) & this.#mask)) continue;
      this.#entries[hole] = other;
      this.#positions[hole] = this.#positions[row];
      hole = row;
    }
    this.#entries[hole] = undefined;
  }

  #home(key: Uint8Array, at: number): number {
    let hash = Math.imul(readU32(key, at) ^ this.#salt[0], 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ readU32(key, at + 8) ^ this.#salt[1], 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ readU32(key, at + 32), 0xc2b2ae3d);
    return (hash ^ (hash >>> 16)) & this.#mask;
  }

  /** The row of an outpoint, or the empty one where it would stand. */
  #find(key: Uint8Array, at: number): number {
    for (let row = this.#home(key, at); ; row = (row + 1) & this.#mask) {
      const entry = this.#entries[row];
      if (entry === undefined) return row;
      if (sameOutpoint(entry.segment.bytes, entry.offset + this.#positions[row], key, at)) return row;
    }
  }

  #grow(): void {
    const [entries, positions] = [this.#entries, this.#positions];
    const rows = entries.length * 2;
    this.#entries = new Array<MempoolEntry | undefined>(rows).fill(undefined);
    this.#positions = new Int32Array(rows);
    this.#mask = rows - 1;
    this.#size = 0;
    entries.forEach((entry, row) => {
      if (entry !== undefined) this.set(entry, positions[row]);
    });
  }
}

function sameOutpoint(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): boolean {
  for (let i = 0; i < OUTPOINT_BYTES; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
