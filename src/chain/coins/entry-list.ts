// The coins cache's entries as cells, and the four lists. Every entry is on exactly one of the lists.
//
// Cell:  word 0   data length, 14 bits | list, 2 bits | fresh, 1 bit | mark, 2 bits | generation of the last touch, 13 bits
//        word 1   previous entry of the list    word 2   next entry
//        12..48   outpoint: txid, 32; vout, LE32
//        48..     the coin as in the store (storage/codec/coin.ts); length 0: no coin
//
// Words are in the machine's byte order, because they never leave the process.

import { copyBytes } from '../../consensus/bytes/writer.js';
import { CellArena } from './cell-arena.js';

/** Lists of entries. */
export const LIST = {
  /** The coin is the same as in the database. */
  clean: 0,
  /** The entry differs from the database. */
  dirty: 1,
  /** The entry was drained into a batch that is not confirmed yet. */
  flushing: 2,
  /** There is no coin, neither in the cache nor in the database. */
  absent: 3,
} as const;

/** Effect of a staged change on an entry. */
export const MARK = {
  none: 0,
  /** There was a coin before the change. Afterwards there is none, or another one. */
  leaving: 1,
  /** There was no coin before the change. Afterwards there is one, unless the change also spends it. */
  coming: 2,
} as const;

/** One of MARK. */
export type Mark = (typeof MARK)[keyof typeof MARK];

/** One of LIST. */
export type ListId = (typeof LIST)[keyof typeof LIST];

/** Size in bytes of the fields before the coin. */
export const ENTRY_HEAD_BYTES = 48;
/** Bytes reserved for a coin in a cell without one. A lookup that finds no coin is often followed by adding one. */
const EMPTY_DATA_BYTES = 48;
/** Offset of the outpoint in a cell. */
export const OUTPOINT_OFFSET = 12;
const KEY_BYTES = 36;

const LENGTH_MASK = 0x3fff;
const LIST_SHIFT = 14;
const FRESH_BIT = 1 << 16;
const MARK_SHIFT = 17;
const MARK_BITS = 3 << MARK_SHIFT;
const GENERATION_SHIFT = 19;
/** Generations count modulo 2^13. */
export const GENERATION_MASK = 0x1fff;

/** Entries in an arena, linked into lists, oldest first. */
export class EntryLists {
  readonly arena = new CellArena();
  readonly #heads = new Uint32Array(4);
  readonly #tails = new Uint32Array(4);
  readonly #counts = [0, 0, 0, 0];
  readonly #bytes = [0, 0, 0, 0];

  /** Returns the oldest entry of a list, 0 for none. */
  first(list: ListId): number {
    return this.#heads[list];
  }

  /** Returns the next entry of the same list, 0 for none. */
  next(ref: number): number {
    return this.arena.wordsOf(ref)[(CellArena.offsetOf(ref) >> 2) + 2];
  }

  count(list: ListId): number {
    return this.#counts[list];
  }

  /** Returns the bytes of the cells on a list. */
  bytesOn(list: ListId): number {
    return this.#bytes[list];
  }

  /**
   * Creates an entry at the end of a list.
   * @param outpoint 36 bytes
   * @param data buffer with the encoded coin at its start
   * @param length bytes of the encoded coin, 0 for none
   */
  create(outpoint: Uint8Array, data: Uint8Array, length: number, list: ListId, fresh: boolean, generation: number): number {
    const ref = this.arena.allocate(ENTRY_HEAD_BYTES + (length === 0 ? EMPTY_DATA_BYTES : length));
    const offset = CellArena.offsetOf(ref);
    const bytes = this.arena.bytesOf(ref);
    copyBytes(outpoint, 0, bytes, offset + OUTPOINT_OFFSET, KEY_BYTES);
    copyBytes(data, 0, bytes, offset + ENTRY_HEAD_BYTES, length);
    this.arena.wordsOf(ref)[offset >> 2] = length | (fresh ? FRESH_BIT : 0) | (generation << GENERATION_SHIFT);
    this.#link(ref, list);
    return ref;
  }

  /** Returns whether a coin of this length fits into the entry's cell. */
  fits(ref: number, length: number): boolean {
    return ENTRY_HEAD_BYTES + length <= this.arena.sizeOf(ref);
  }

  /**
   * Replaces an entry's coin.
   * @param data buffer with the encoded coin at its start
   * @returns the entry's reference, which is new if the cell was too small
   */
  setData(ref: number, data: Uint8Array, length: number): number {
    if (this.fits(ref, length)) {
      const offset = CellArena.offsetOf(ref);
      const words = this.arena.wordsOf(ref);
      words[offset >> 2] = ((words[offset >> 2] & ~LENGTH_MASK) | length) >>> 0;
      copyBytes(data, 0, this.arena.bytesOf(ref), offset + ENTRY_HEAD_BYTES, length);
      return ref;
    }
    const at = CellArena.offsetOf(ref) + OUTPOINT_OFFSET;
    const outpoint = this.arena.bytesOf(ref).slice(at, at + KEY_BYTES);
    const created = this.create(outpoint, data, length, this.listOf(ref), this.isFresh(ref), this.generation(ref));
    this.destroy(ref);
    return created;
  }

  /** Removes the coin of an entry. The cell keeps its size. */
  clearData(ref: number): void {
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    words[at] = (words[at] & ~LENGTH_MASK) >>> 0;
  }

  destroy(ref: number): void {
    this.#unlink(ref);
    this.arena.free(ref);
  }

  /** Moves an entry to the end of a list, which may be its current one. */
  move(ref: number, list: ListId, fresh: boolean): void {
    this.#unlink(ref);
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    words[at] = (fresh ? words[at] | FRESH_BIT : words[at] & ~FRESH_BIT) >>> 0;
    this.#link(ref, list);
  }

  touch(ref: number, generation: number): void {
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    words[at] = ((words[at] & ((1 << GENERATION_SHIFT) - 1)) | (generation << GENERATION_SHIFT)) >>> 0;
  }

  generation(ref: number): number {
    return this.#word(ref) >>> GENERATION_SHIFT;
  }

  isFresh(ref: number): boolean {
    return (this.#word(ref) & FRESH_BIT) !== 0;
  }

  mark(ref: number): Mark {
    return ((this.#word(ref) >>> MARK_SHIFT) & 3) as Mark;
  }

  setMark(ref: number, mark: Mark): void {
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    words[at] = ((words[at] & ~MARK_BITS) | (mark << MARK_SHIFT)) >>> 0;
  }

  listOf(ref: number): ListId {
    return ((this.#word(ref) >> LIST_SHIFT) & 3) as ListId;
  }

  /** Returns the bytes of the encoded coin, 0 for none. */
  dataLength(ref: number): number {
    return this.#word(ref) & LENGTH_MASK;
  }

  /** Returns whether the entry's outpoint equals bytes[at..at+36). */
  hasOutpoint(ref: number, bytes: Uint8Array, at: number): boolean {
    const own = this.arena.bytesOf(ref);
    const offset = CellArena.offsetOf(ref) + OUTPOINT_OFFSET;
    for (let i = 0; i < KEY_BYTES; i++) if (own[offset + i] !== bytes[at + i]) return false;
    return true;
  }

  #word(ref: number): number {
    return this.arena.wordsOf(ref)[CellArena.offsetOf(ref) >> 2];
  }

  #link(ref: number, list: ListId): void {
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    const last = this.#tails[list];
    words[at] = ((words[at] & ~(3 << LIST_SHIFT)) | (list << LIST_SHIFT)) >>> 0;
    words[at + 1] = last;
    words[at + 2] = 0;
    if (last === 0) this.#heads[list] = ref;
    else this.arena.wordsOf(last)[(CellArena.offsetOf(last) >> 2) + 2] = ref;
    this.#tails[list] = ref;
    this.#counts[list]++;
    this.#bytes[list] += this.arena.sizeOf(ref);
  }

  #unlink(ref: number): void {
    const words = this.arena.wordsOf(ref);
    const at = CellArena.offsetOf(ref) >> 2;
    const list = (words[at] >> LIST_SHIFT) & 3;
    const previous = words[at + 1];
    const next = words[at + 2];
    if (previous === 0) this.#heads[list] = next;
    else this.arena.wordsOf(previous)[(CellArena.offsetOf(previous) >> 2) + 2] = next;
    if (next === 0) this.#tails[list] = previous;
    else this.arena.wordsOf(next)[(CellArena.offsetOf(next) >> 2) + 1] = previous;
    this.#counts[list]--;
    this.#bytes[list] -= this.arena.sizeOf(ref);
  }
}
