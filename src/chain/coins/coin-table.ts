// Coins in memory by outpoint: the entries with their encoded coins, and the marks of a staged change. The policy of the
// cache (what is read, evicted and written) is in coins-cache.ts.
//
// A staged change is made in slices. Until `show`, only `add`, `spend` and `remove` see it. Cells do not move before
// `finish`, and readers find the old coins by the marks. `show` takes constant time and makes the change visible at
// once. `finish` then removes the marks, and readers see no difference.

import { copyBytes } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { COIN_KEY_BYTES, type CoinSpace } from '../../storage/layout.js';
import type { WriteBatch } from '../../storage/write-batch.js';
import { CellArena, MAX_CELL_BYTES } from './cell-arena.js';
import type { ReadCoin } from './coin-copies.js';
import { ENTRY_HEAD_BYTES, EntryLists, GENERATION_MASK, LIST, type ListId, MARK, OUTPOINT_OFFSET } from './entry-list.js';
import { OutpointTable } from './outpoint-table.js';

/** Largest size of an encoded coin in bytes. */
export const MAX_DATA_BYTES = MAX_CELL_BYTES - ENTRY_HEAD_BYTES;
const NO_COIN = new Uint8Array(0);

/** State of a staged change. */
type Stage =
  /** There is no staged change. */
  | { readonly kind: 'none' }
  /** The change is being made. Readers do not see it. */
  | ({ readonly kind: 'hidden' } & MarkedEntries)
  /** Readers see the change. The marks of the first `finished` entries have been removed. */
  | ({ readonly kind: 'shown'; finished: number } & MarkedEntries);

interface MarkedEntries {
  /** References of all marked entries. */
  readonly refs: number[];
  /** New encoded coins of marked entries whose cell is too small, or must still hold the old coin for readers. */
  readonly replaced: Map<number, Uint8Array>;
}

const NO_STAGE: Stage = { kind: 'none' };

export class CoinTable {
  #entries = new EntryLists();
  #outpoints = this.#noOutpoints();
  #stage: Stage = NO_STAGE;
  /** Incremented by each eviction. Entries store the generation in which they were last used. */
  #generation = 0;
  #freshSpends = 0;

  #noOutpoints(): OutpointTable {
    return new OutpointTable((ref, bytes, at) => this.#entries.hasOutpoint(ref, bytes, at));
  }

  /** Drops all entries. */
  clear(): void {
    this.#entries = new EntryLists();
    this.#outpoints = this.#noOutpoints();
    this.#stage = NO_STAGE;
  }

  /** Number of entries. */
  get size(): number {
    return this.#outpoints.size;
  }

  /** Bytes of all entries and of the hash table. */
  get usedBytes(): number {
    return this.#entries.arena.usedBytes + this.#outpoints.allocatedBytes;
  }

  get allocatedBytes(): number {
    return this.#entries.arena.allocatedBytes + this.#outpoints.allocatedBytes;
  }

  /** Number of coins that were created and spent between two flushes. */
  get freshSpends(): number {
    return this.#freshSpends;
  }

  /** Returns the number of entries on a list. */
  count(list: ListId): number {
    return this.#entries.count(list);
  }

  /** Returns the bytes of the entries on a list. */
  bytesOn(list: ListId): number {
    return this.#entries.bytesOn(list);
  }

  /** Returns the entry of the outpoint at bytes[at]; 0 if it is not in memory. */
  find(bytes: Uint8Array, at: number): number {
    return this.#outpoints.find(this.#outpoints.hash(bytes, at), bytes, at);
  }

  /** Marks an entry as used in this generation. */
  touch(ref: number): void {
    const entries = this.#entries;
    if (entries.generation(ref) === this.#generation) return;
    entries.touch(ref, this.#generation);
    const list = entries.listOf(ref);
    // Only the lists of clean and absent entries are in the order of use, because entries are evicted from them.
    if (list === LIST.clean || list === LIST.absent) entries.move(ref, list, false);
  }

  /** Adds what the database has at an outpoint. An entry that is in memory already is newer, and stays. */
  insertRead(outpoint: Uint8Array, value: Uint8Array | undefined): void {
    const hash = this.#outpoints.hash(outpoint, 0);
    if (this.#outpoints.find(hash, outpoint, 0) !== 0) return;
    const list = value === undefined ? LIST.absent : LIST.clean;
    this.#outpoints.insert(hash, this.#entries.create(outpoint, value ?? NO_COIN, value?.length ?? 0, list, false, this.#generation));
  }

  /** Returns the coin of an entry as readers see it. */
  coin(ref: number, read: ReadCoin = decodeCoin): Coin | undefined {
    const mark = this.#entries.mark(ref);
    if (mark === MARK.none) return this.#coinInCell(ref, read);
    if (this.#stage.kind === 'shown') return this.#coinAfter(ref, this.#stage, read);
    return mark === MARK.coming ? undefined : this.#coinInCell(ref, read);
  }

  /** Returns the coin of a marked entry as it is after the staged change. */
  #coinAfter(ref: number, { replaced }: MarkedEntries, read: ReadCoin): Coin | undefined {
    const data = replaced.get(ref);
    if (data !== undefined) return read(data, 0, data.length);
    return this.#entries.mark(ref) === MARK.coming ? this.#coinInCell(ref, read) : undefined;
  }

  #coinInCell(ref: number, read: ReadCoin): Coin | undefined {
    const length = this.#entries.dataLength(ref);
    if (length === 0) return undefined;
    const start = CellArena.offsetOf(ref) + ENTRY_HEAD_BYTES;
    return read(this.#entries.arena.bytesOf(ref), start, start + length);
  }

  /** Returns the hash of an entry's outpoint. */
  #hashOf(ref: number): number {
    return this.#outpoints.hash(this.#entries.arena.bytesOf(ref), CellArena.offsetOf(ref) + OUTPOINT_OFFSET);
  }

  // -- changes

  /** True while a staged change is not shown. */
  get isStaging(): boolean {
    return this.#stage.kind === 'hidden';
  }

  /** True while the marks of a shown change are not removed. */
  get isShown(): boolean {
    return this.#stage.kind === 'shown';
  }

  /** Begins a staged change. */
  stage(): void {
    this.#stage = { kind: 'hidden', refs: [], replaced: new Map() };
  }

  /** Makes the staged change visible. */
  show(): void {
    if (this.#stage.kind === 'hidden') this.#stage = { ...this.#stage, kind: 'shown', finished: 0 };
  }

  /**
   * Removes the marks of a shown change.
   * @param slice number of entries per step
   */
  *finish(slice: number): Generator<void, void> {
    const stage = this.#stage;
    if (stage.kind !== 'shown') return;
    while (stage.finished < stage.refs.length) {
      this.#finishSome(stage, slice);
      yield;
    }
    // Another call may have finished this change and begun another one.
    if (this.#stage === stage) this.#stage = NO_STAGE;
  }

  #finishSome(stage: Extract<Stage, { kind: 'shown' }>, most: number): void {
    const entries = this.#entries;
    const { refs, replaced, finished } = stage;
    const end = Math.min(refs.length, finished + most);
    for (let i = finished; i < end; i++) {
      const ref = refs[i];
      const leaving = entries.mark(ref) === MARK.leaving;
      entries.setMark(ref, MARK.none);
      const data = replaced.get(ref);
      if (data !== undefined) this.#setCoin(ref, data, data.length);
      else if (leaving || entries.dataLength(ref) === 0) this.#clearCoin(ref);
    }
    stage.finished = end;
  }

  /**
   * Adds a coin, within the staged change if there is one.
   * @param data buffer with the encoded coin at its start
   * @param possibleOverwrite see CoinsCache.add
   */
  add(outpoint: Uint8Array, data: Uint8Array, length: number, possibleOverwrite: boolean): void {
    const entries = this.#entries;
    const outpoints = this.#outpoints;
    const stage = this.#stage;
    const hash = outpoints.hash(outpoint, 0);
    const ref = outpoints.find(hash, outpoint, 0);
    if (ref === 0) {
      const created = entries.create(outpoint, data, length, LIST.dirty, !possibleOverwrite, this.#generation);
      outpoints.insert(hash, created);
      if (stage.kind === 'hidden') this.#mark(stage, created, MARK.coming);
      return;
    }
    if (!possibleOverwrite && this.#isUnspent(ref)) {
      throw new Error('a new coin must not replace an unspent one: the caller has checked BIP-0030');
    }
    if (stage.kind === 'hidden') this.#setCoinStaged(stage, ref, data, length);
    else this.#setCoin(ref, data, length);
  }

  /** Returns the coin of an entry as `add`, `spend` and `remove` see it, and removes it. */
  spend(ref: number): Coin | undefined {
    const stage = this.#stage;
    const staged = stage.kind === 'hidden' && this.#entries.mark(ref) !== MARK.none;
    const coin = staged ? this.#coinAfter(ref, stage, decodeCoin) : this.#coinInCell(ref, decodeCoin);
    this.remove(ref);
    return coin;
  }

  /** Removes the coin of an entry, if there is one. */
  remove(ref: number): void {
    if (!this.#isUnspent(ref)) return;
    const stage = this.#stage;
    if (stage.kind !== 'hidden') this.#clearCoin(ref);
    else if (this.#entries.mark(ref) === MARK.none) this.#mark(stage, ref, MARK.leaving);
    else if (!stage.replaced.delete(ref)) this.#entries.clearData(ref);
  }

  /** Returns whether the entry has a coin, as seen by the staged change. */
  #isUnspent(ref: number): boolean {
    const inCell = this.#entries.dataLength(ref) !== 0;
    const mark = this.#entries.mark(ref);
    if (this.#stage.kind !== 'hidden' || mark === MARK.none) return inCell;
    return this.#stage.replaced.has(ref) || (mark === MARK.coming && inCell);
  }

  /**
   * Sets the coin of an existing entry.
   * @param data buffer with the encoded coin at its start
   */
  #setCoin(ref: number, data: Uint8Array, length: number): void {
    this.#makeDirty(ref);
    const placed = this.#entries.setData(ref, data, length);
    if (placed !== ref) this.#outpoints.replace(this.#hashOf(placed), ref, placed);
  }

  /**
   * Sets the coin of an entry within a staged change. Until the change is shown, cells do not move and readers still
   * find the old coin.
   */
  #setCoinStaged(stage: MarkedEntries, ref: number, data: Uint8Array, length: number): void {
    const entries = this.#entries;
    if (entries.mark(ref) === MARK.none) {
      const coming = entries.dataLength(ref) === 0;
      if (coming) this.#makeDirty(ref);
      this.#mark(stage, ref, coming ? MARK.coming : MARK.leaving);
    }
    if (entries.mark(ref) === MARK.coming && entries.fits(ref, length)) {
      entries.setData(ref, data, length);
      stage.replaced.delete(ref);
    } else {
      // A coin that this change added earlier at the outpoint is dropped, whatever happens to the new coin.
      if (entries.mark(ref) === MARK.coming) entries.clearData(ref);
      stage.replaced.set(ref, data.slice(0, length));
    }
  }

  #mark(stage: MarkedEntries, ref: number, mark: typeof MARK.leaving | typeof MARK.coming): void {
    this.#entries.setMark(ref, mark);
    stage.refs.push(ref);
  }

  /**
   * Moves an entry to the list of changed entries. An entry that was fresh, or known to be absent from the database, is
   * fresh afterwards. An entry that has a database row, or that is being written, is not fresh.
   */
  #makeDirty(ref: number): void {
    const entries = this.#entries;
    const list = entries.listOf(ref);
    entries.move(ref, LIST.dirty, list === LIST.absent || (list === LIST.dirty && entries.isFresh(ref)));
    entries.touch(ref, this.#generation);
  }

  #clearCoin(ref: number): void {
    const entries = this.#entries;
    const fresh = entries.listOf(ref) === LIST.dirty && entries.isFresh(ref);
    if (fresh) this.#freshSpends++;
    entries.clearData(ref);
    entries.move(ref, fresh ? LIST.absent : LIST.dirty, false);
    entries.touch(ref, this.#generation);
  }

  // -- writing and eviction

  /**
   * Adds writes to a batch for at most `limit` changed entries, oldest first, and moves the entries to the flushing
   * list.
   * @returns number of writes added
   */
  drain(limit: number, batch: WriteBatch, space: CoinSpace): number {
    const entries = this.#entries;
    let total = 0;
    let count = 0;
    for (let ref = entries.first(LIST.dirty); ref !== 0 && count < limit; ref = entries.next(ref), count++) {
      total += COIN_KEY_BYTES + entries.dataLength(ref);
    }
    batch.reserve(count, total);
    for (let left = count; left > 0; left--) {
      const ref = entries.first(LIST.dirty);
      const page = entries.arena.bytesOf(ref);
      const cellAt = CellArena.offsetOf(ref);
      const length = entries.dataLength(ref);
      const keyAt = batch.reserveOperation(COIN_KEY_BYTES, length === 0 ? -1 : length);
      space.writeKey(batch.bytes, keyAt, page, cellAt + OUTPOINT_OFFSET);
      copyBytes(page, cellAt + ENTRY_HEAD_BYTES, batch.bytes, keyAt + COIN_KEY_BYTES, length);
      entries.move(ref, LIST.flushing, false);
    }
    return count;
  }

  /** Ends the flush of all drained entries. @param written false: writing failed, and the entries count as unwritten again */
  endFlush(written: boolean): void {
    const entries = this.#entries;
    for (let ref = entries.first(LIST.flushing); ref !== 0; ref = entries.first(LIST.flushing)) {
      const list = entries.dataLength(ref) === 0 ? LIST.absent : LIST.clean;
      entries.move(ref, written ? list : LIST.dirty, false);
    }
  }

  /** Begins a new generation: entries that are not used in this one or the previous one may be evicted. */
  nextGeneration(): void {
    this.#generation = (this.#generation + 1) & GENERATION_MASK;
  }

  /** Evicts the entry of a list that was used least recently. @returns false if none may be evicted */
  evictFirst(list: typeof LIST.absent | typeof LIST.clean): boolean {
    const entries = this.#entries;
    const ref = entries.first(list);
    if (ref === 0 || ((this.#generation - entries.generation(ref)) & GENERATION_MASK) < 2) return false;
    this.#outpoints.remove(this.#hashOf(ref), ref);
    entries.destroy(ref);
    return true;
  }
}
