// The coins that the chain works on: a write-back cache over the store, off the V8 heap, bounded by -dbcache. Semantics
// as Core's CCoinsViewCache (src/coins.h), with reads split in two: `prefetch` reads what is missing ahead of time,
// `get` and `spend` answer at once.
//
// Long, because every method keeps all of what holds between calls:
// - An outpoint that is not in memory stands in the store as it should be read.
// - A coin that is created and spent between two flushes never reaches the store (a "fresh" entry has no row there).
// - What was drained for a batch stays in memory until markClean or markFailed, so a read can't see the store's older state.
// - A change of many coins is made in turns: after `stage` only add and spend see it, and `show` makes it visible at
//   once; `finishing` then does the rest in turns. So a reader sees the coins before or after a change.
// - A change that was deferred counts as made: whatever is asked of the coins makes it first.
// - While the cache holds all coins, an outpoint that is not in memory has no coin in the store either.
// - Only `evict` forgets. A prefetch whose reading was overtaken by an evict reads again, because what was forgotten may have changed
//   after the read began.

import { ByteWriter, copyBytes } from '../../consensus/bytes/writer.js';
import { type Coin, type CoinView, isUnspendable } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { decodeCoin, writeCoin } from '../../storage/codec/coin.js';
import { COIN_KEY_BYTES, type CoinSpace } from '../../storage/layout.js';
import type { Store } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import type { WriteBatch } from '../../storage/write-batch.js';
import { CellArena, MAX_CELL_BYTES } from './cell-arena.js';
import { CoinCopies, type ReadCoin } from './coin-copies.js';
import type { CoinsCacheStats } from './coins-cache-stats.js';
import { ENTRY_HEAD_BYTES, EntryLists, GENERATION_MASK, LIST, MARK, OUTPOINT_OFFSET } from './entry-list.js';
import { OutpointTable } from './outpoint-table.js';

export interface CoinsCacheOptions {
  /** Memory that evict aims at, in bytes. Dirty entries are never dropped, so the caller flushes when they grow. */
  readonly budgetBytes: number;
}

const MAX_DATA_BYTES = MAX_CELL_BYTES - ENTRY_HEAD_BYTES;
const NO_COIN = new Uint8Array(0);
/** Marked entries that are finished between two looks at the clock. */
const FINISH_SLICE = 1_024;
/** Entries forgotten between two looks at the clock: a millisecond. */
const EVICT_SLICE = 2_000;

/** How to add a coin. */
interface AddOptions {
  readonly possibleOverwrite?: boolean;
}

/** A change of many coins that is made in turns. */
interface Stage {
  /** Every entry with a mark, once. */
  readonly refs: number[];
  /** Coins, as stored, of marked entries whose cell still has the coin from before, or is too small. */
  readonly replaced: Map<number, Uint8Array>;
  shown: boolean;
  /** Entries finished so far. */
  finished: number;
}

/** Write-back cache of coins. */
export class CoinsCache implements CoinView {
  /** Memory that evict aims at, in bytes. */
  budgetBytes: number;
  readonly #store: Store;
  #space: CoinSpace;
  #entries = new EntryLists();
  #table = this.#emptyTable();
  readonly #counts = { hits: 0, misses: 0, evictions: 0, freshSpends: 0 };
  #pendingPrefetches = 0;
  /** Raised by every evict; entries remember when they were last touched. */
  #generation = 0;
  #evictionEpoch = 0;
  #staged: Stage | null = null;
  #holdsAll = false;
  #deferred: Iterable<void> | null = null;
  readonly #copies = new CoinCopies();
  /** Holds the coin that is being added. */
  readonly #writer = new ByteWriter(MAX_CELL_BYTES);

  constructor(options: CoinsCacheOptions, deps: { store: Store; space: CoinSpace }) {
    this.budgetBytes = options.budgetBytes;
    this.#store = deps.store;
    this.#space = deps.space;
  }

  #emptyTable(): OutpointTable {
    return new OutpointTable((ref, bytes, at) => this.#entries.hasOutpoint(ref, bytes, at));
  }

  /** Goes over to another set of coins: everything is forgotten. All changes must have been written before. */
  switchSpace(space: CoinSpace): void {
    this.#finishOrRefuse();
    if (this.dirtyEntries > 0) throw new Error('coins that are not written would be lost');
    this.#space = space;
    this.#holdsAll = false;
    this.#entries = new EntryLists();
    this.#table = this.#emptyTable();
    this.#evictionEpoch++;
  }

  /** Looks whether the store has coins: before the first change, and behind the last that is made past this cache. */
  async open(): Promise<void> {
    const cursor = this.#store.cursor({ ...this.#space.coins, limit: 1 });
    try {
      this.#holdsAll = (await cursor.next(1)).length === 0;
    } finally {
      await cursor.close();
    }
  }

  /**
   * Whether an outpoint that is not in memory has no coin: from an empty store on, until a coin is forgotten. Nothing
   * is read from the store meanwhile.
   */
  get holdsAll(): boolean {
    return this.#holdsAll;
  }

  /**
   * Makes every outpoint known, as a coin or as absent; afterwards get and spend may be called for it, at least until
   * the second evict from now. Throws StoreError.
   * @param outpoints 36 bytes each: txid in internal order, vout LE32; duplicates are fine
   */
  async prefetch(outpoints: readonly Uint8Array[]): Promise<void> {
    let missing = this.#touchKnown(outpoints);
    this.#counts.hits += outpoints.length - missing.length;
    this.#counts.misses += missing.length;
    if (missing.length === 0) return;
    if (this.#holdsAll) {
      this.#insertRead(missing, []);
      return;
    }
    this.#pendingPrefetches++;
    try {
      while (missing.length > 0) {
        const epoch = this.#evictionEpoch;
        const values = await this.#store.getMany(this.#space.keysOf(missing));
        if (epoch === this.#evictionEpoch) {
          this.#insertRead(missing, values);
          return;
        }
        // What was in memory may be forgotten as well.
        missing = this.#touchKnown(outpoints);
      }
    } finally {
      this.#pendingPrefetches--;
    }
  }

  /** Marks what is in memory as used now and returns the rest. */
  #touchKnown(outpoints: readonly Uint8Array[]): Uint8Array[] {
    this.#catchUp();
    const table = this.#table;
    const missing: Uint8Array[] = [];
    for (const outpoint of outpoints) {
      const ref = table.find(table.hash(outpoint, 0), outpoint, 0);
      if (ref === 0) missing.push(outpoint);
      else this.#touch(ref);
    }
    return missing;
  }

  #touch(ref: number): void {
    const entries = this.#entries;
    if (entries.generation(ref) === this.#generation) return;
    entries.touch(ref, this.#generation);
    const list = entries.listOf(ref);
    // The two lists that evict eats from stay in the order of use.
    if (list === LIST.clean || list === LIST.absent) entries.move(ref, list, false);
  }

  #insertRead(outpoints: readonly Uint8Array[], values: readonly (Uint8Array | undefined)[]): void {
    this.#catchUp();
    const entries = this.#entries;
    const table = this.#table;
    for (let i = 0; i < outpoints.length; i++) {
      const outpoint = outpoints[i];
      const value = values[i];
      if (value !== undefined && (value.length === 0 || value.length > MAX_DATA_BYTES)) {
        throw new StoreError('STORE_CORRUPTION', `Stored coin is damaged: ${value.length} bytes`);
      }
      const hash = table.hash(outpoint, 0);
      // Became known meanwhile: what is in memory is newer.
      if (table.find(hash, outpoint, 0) !== 0) continue;
      const list = value === undefined ? LIST.absent : LIST.clean;
      table.insert(hash, entries.create(outpoint, value ?? NO_COIN, value?.length ?? 0, list, false, this.#generation));
    }
  }

  /**
   * Raised by every evict that forgot something: while it stays the same, what a prefetch made known needs no other
   * prefetch.
   */
  get evictionEpoch(): number {
    return this.#evictionEpoch;
  }

  /** Whether a prefetch is waiting for the store. */
  get hasPendingPrefetch(): boolean {
    return this.#pendingPrefetches > 0;
  }

  /** Whether get and spend may be called for an outpoint, 36 bytes at `at`. */
  isKnown(outpoint: Uint8Array, at = 0): boolean {
    return this.#find(outpoint, at) !== 0;
  }

  /**
   * The coin, a fresh object; undefined when there is none. The outpoint must have been prefetched, added or spent
   * before.
   * @param outpoint 36 bytes at `at`
   */
  get(outpoint: Uint8Array, at = 0): Coin | undefined {
    return this.#coinOf(this.#knownEntry(outpoint, at));
  }

  /** get, for those who mostly pass coins on: see StoredCoin. */
  getAt(bytes: Uint8Array, at: number): Coin | undefined {
    return this.#coinOf(this.#knownEntry(bytes, at), this.#copies.read);
  }

  /** get, for an outpoint that may not be known: undefined then as well. */
  getIfKnown(outpoint: Uint8Array, at = 0): Coin | undefined {
    const ref = this.#find(outpoint, at);
    return ref === 0 ? undefined : this.#coinOf(ref);
  }

  /** getAt, and what prefetch does besides for an outpoint in memory. Null: it is to be prefetched. */
  lookUp(bytes: Uint8Array, at: number): Coin | undefined | null {
    const ref = this.#find(bytes, at);
    if (ref === 0) return null;
    this.#touch(ref);
    this.#counts.hits++;
    return this.#coinOf(ref, this.#copies.read);
  }

  /**
   * getAt, undefined too when it is not in memory; marks it as used now: it survives the next evict, like what was
   * prefetched.
   */
  touchIfKnown(outpoint: Uint8Array, at: number): Coin | undefined {
    const ref = this.#find(outpoint, at);
    if (ref === 0) return undefined;
    this.#touch(ref);
    return this.#coinOf(ref, this.#copies.read);
  }

  /** Its entry, 0 when it is not known. */
  #find(outpoint: Uint8Array, at = 0): number {
    this.#catchUp();
    return this.#table.find(this.#table.hash(outpoint, at), outpoint, at);
  }

  /** Of an entry's outpoint. */
  #hashOf(ref: number): number {
    return this.#table.hash(this.#entries.arena.bytesOf(ref), CellArena.offsetOf(ref) + OUTPOINT_OFFSET);
  }

  #knownEntry(outpoint: Uint8Array, at = 0): number {
    const ref = this.#find(outpoint, at);
    if (ref === 0) throw new Error('coins must be prefetched before they are asked for: reading the store here would have to wait');
    return ref;
  }

  #coinOf(ref: number, read: ReadCoin = decodeCoin): Coin | undefined {
    const mark = this.#entries.mark(ref);
    if (mark !== MARK.none && this.#staged !== null) {
      if (this.#staged.shown) return this.#coinAfter(ref, this.#staged, read);
      return mark === MARK.coming ? undefined : this.#coinInCell(ref, read);
    }
    return this.#coinInCell(ref, read);
  }

  /** The coin of a marked entry once the change is visible. */
  #coinAfter(ref: number, { replaced }: Stage, read: ReadCoin = decodeCoin): Coin | undefined {
    const data = replaced.get(ref);
    if (data !== undefined) return read(data, 0, data.length);
    return this.#entries.mark(ref) === MARK.coming ? this.#coinInCell(ref, read) : undefined;
  }

  #coinInCell(ref: number, read: ReadCoin = decodeCoin): Coin | undefined {
    const length = this.#entries.dataLength(ref);
    if (length === 0) return undefined;
    const start = CellArena.offsetOf(ref) + ENTRY_HEAD_BYTES;
    return read(this.#entries.arena.bytesOf(ref), start, start + length);
  }

  /**
   * Adds a coin. Coins that nobody can spend (OP_RETURN, scripts over 10,000 bytes) are not kept, as in Core.
   * @param options possibleOverwrite: a coin may be there already, known or not. Needed for coinbases that BIP-0030
   * exempts, and when undoing
   *   a block without having prefetched what it spent. Without it, an outpoint that isn't in memory counts as absent from the store; in a
   *   change that is not shown yet it counts as absent either way.
   */
  add(outpoint: Uint8Array, coin: Coin, options: AddOptions = {}): void {
    if (isUnspendable(coin.script)) return;
    // A change that was deferred uses the same writer.
    this.#catchUp();
    const writer = this.#writer.restart();
    writeCoin(writer, coin, coin.script);
    this.#add(outpoint, writer, options);
  }

  /** The same of an output of a transaction, which can be spent. */
  addOutput(outpoint: Uint8Array, tx: TxView, output: number, height: number, coinbase: boolean, options: AddOptions = {}): void {
    this.#catchUp();
    const writer = this.#writer.restart();
    const coin = { value: tx.outputValue(output), height, coinbase };
    writeCoin(writer, coin, tx.buffer, tx.outputScriptAt(output), tx.outputScriptLength(output));
    this.#add(outpoint, writer, options);
  }

  #add(outpoint: Uint8Array, { memory, size }: ByteWriter, options: AddOptions): void {
    const entries = this.#entries;
    const table = this.#table;
    const stage = this.#openStage();
    const possibleOverwrite = options.possibleOverwrite === true;
    const hash = table.hash(outpoint, 0);
    const ref = table.find(hash, outpoint, 0);
    if (ref === 0) {
      const created = entries.create(outpoint, memory, size, LIST.dirty, !possibleOverwrite, this.#generation);
      table.insert(hash, created);
      if (stage !== null) this.#mark(stage, created, MARK.coming);
      return;
    }
    if (!possibleOverwrite && this.#isUnspent(stage, ref)) {
      throw new Error('a new coin must not replace an unspent one: the caller has checked BIP-0030');
    }
    if (stage === null) this.#setCoin(ref, memory, size);
    else this.#setCoinStaged(stage, ref, memory, size);
  }

  /** Gives a known entry another coin, or its first. @param data has it at its front */
  #setCoin(ref: number, data: Uint8Array, length: number): void {
    const entries = this.#entries;
    const table = this.#table;
    this.#makeDirty(ref);
    const placed = entries.setData(ref, data, length);
    if (placed !== ref) table.replace(this.#hashOf(placed), ref, placed);
  }

  /** Fresh stays fresh, and known absence makes fresh; a row, or one on its way to the store, does not. */
  #makeDirty(ref: number): void {
    const entries = this.#entries;
    const list = entries.listOf(ref);
    entries.move(ref, LIST.dirty, list === LIST.absent || (list === LIST.dirty && entries.isFresh(ref)));
    entries.touch(ref, this.#generation);
  }

  /** The same for when the change is shown. Cells stay where they are until then, and so do coins from before. */
  #setCoinStaged(stage: Stage, ref: number, data: Uint8Array, length: number): void {
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
      // What the change itself put there before is gone, also when this coin goes again.
      if (entries.mark(ref) === MARK.coming) entries.clearData(ref);
      stage.replaced.set(ref, data.slice(0, length));
    }
  }

  #mark(stage: Stage, ref: number, mark: typeof MARK.leaving | typeof MARK.coming): void {
    this.#entries.setMark(ref, mark);
    stage.refs.push(ref);
  }

  /**
   * Leaves a change of few coins for when they are next asked for, written or counted, so that nobody waits for it before.
   * Should it fail, so does everything that is asked from then on.
   * @param change by add and spend
   */
  deferChange(change: Iterable<void>): void {
    this.#finishOrRefuse();
    this.#deferred = change;
  }

  /** Makes a change that was deferred. */
  #catchUp(): void {
    if (this.#deferred !== null) this.#makeDeferred(this.#deferred);
  }

  #makeDeferred(change: Iterable<void>): void {
    // Its own steps ask for coins.
    this.#deferred = null;
    try {
      for (const _ of change);
    } catch (error) {
      this.#deferred = failing(error);
      throw error;
    }
  }

  /** Whether add and spend are staged. What was deferred, or is shown already, is finished first. */
  #openStage(): Stage | null {
    this.#catchUp();
    if (this.#staged?.shown) this.#finish();
    return this.#staged;
  }

  /** Removes and returns the coin; undefined when there is none. The outpoint must be known, as for get. */
  spend(outpoint: Uint8Array): Coin | undefined {
    const stage = this.#openStage();
    const ref = this.#knownEntry(outpoint);
    const coin = stage === null || this.#entries.mark(ref) === MARK.none ? this.#coinInCell(ref) : this.#coinAfter(ref, stage);
    this.#remove(stage, ref);
    return coin;
  }

  /** spend, for a caller that has the coin already: it is not decoded. */
  remove(bytes: Uint8Array, at: number): void {
    const stage = this.#openStage();
    this.#remove(stage, this.#knownEntry(bytes, at));
  }

  #remove(stage: Stage | null, ref: number): void {
    if (!this.#isUnspent(stage, ref)) return;
    if (stage === null) this.#clearCoin(ref);
    else if (this.#entries.mark(ref) === MARK.none) this.#mark(stage, ref, MARK.leaving);
    else if (!stage.replaced.delete(ref)) this.#entries.clearData(ref);
  }

  /** Whether there is a coin, as those see it that make the change. */
  #isUnspent(stage: Stage | null, ref: number): boolean {
    const inCell = this.#entries.dataLength(ref) !== 0;
    const mark = this.#entries.mark(ref);
    if (stage === null || mark === MARK.none) return inCell;
    return stage.replaced.has(ref) || (mark === MARK.coming && inCell);
  }

  #clearCoin(ref: number): void {
    const entries = this.#entries;
    const fresh = entries.listOf(ref) === LIST.dirty && entries.isFresh(ref);
    if (fresh) this.#counts.freshSpends++;
    entries.clearData(ref);
    entries.move(ref, fresh ? LIST.absent : LIST.dirty, false);
    entries.touch(ref, this.#generation);
  }

  /** From here on changes are made unseen, until they are shown. */
  stageChanges(): void {
    this.#finishOrRefuse();
    this.#staged = { refs: [], replaced: new Map(), shown: false, finished: 0 };
  }

  /** Everything that was changed since stage becomes visible, at once. Costs nothing; the work is left to finishing. */
  showStaged(): void {
    if (this.#staged !== null) this.#staged.shown = true;
  }

  /**
   * Makes entries as they are shown; readers see no difference. Changes, evict and drainDirty do what is left of it
   * first.
   * @param slice entries between two stops
   */
  *finishingSteps(slice = FINISH_SLICE): Generator<void, void> {
    this.#catchUp();
    const stage = this.#staged;
    if (stage === null || !stage.shown) return;
    while (stage.finished < stage.refs.length) {
      this.#finishSome(stage, slice);
      yield;
    }
    // Another call may have been quicker, and another change begun.
    if (this.#staged === stage) this.#staged = null;
  }

  #finish(): void {
    for (const _ of this.finishingSteps());
  }

  #finishSome(stage: Stage, most: number): void {
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
   * Adds to a batch the writes for at most `limit` entries that differ from the store, oldest first. They stay in memory
   * as "being flushed" until markClean or markFailed; an entry that changes meanwhile is dirty once more.
   * @returns how many were added
   */
  drainDirty(limit: number, batch: WriteBatch): number {
    const entries = this.#entries;
    this.#finishOrRefuse();
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
      this.#space.writeKey(batch.bytes, keyAt, page, cellAt + OUTPOINT_OFFSET);
      copyBytes(page, cellAt + ENTRY_HEAD_BYTES, batch.bytes, keyAt + COIN_KEY_BYTES, length);
      entries.move(ref, LIST.flushing, false);
    }
    return count;
  }

  /** The store has everything that was drained so far. */
  markClean(): void {
    const entries = this.#entries;
    for (let ref = entries.first(LIST.flushing); ref !== 0; ref = entries.first(LIST.flushing)) {
      entries.move(ref, entries.dataLength(ref) === 0 ? LIST.absent : LIST.clean, false);
    }
  }

  /** The batch failed: everything drained and not yet marked clean is dirty again. */
  markFailed(): void {
    const entries = this.#entries;
    for (let ref = entries.first(LIST.flushing); ref !== 0; ref = entries.first(LIST.flushing)) entries.move(ref, LIST.dirty, false);
  }

  /**
   * Forgets clean entries, longest unused first, while usedBytes exceeds the budget. What was touched since the
   * previous call stays, so a prefetch survives one evict. Call it between state transitions: after each block, and
   * when over the budget in quiet times.
   * @param maxEntries bound of the work, some 0.5 us an entry
   * @returns entries forgotten
   */
  evict(maxEntries = 20_000): number {
    this.#finishOrRefuse();
    this.#generation = (this.#generation + 1) & GENERATION_MASK;
    return this.#evictSome(maxEntries);
  }

  /** The same until usedBytes is within the budget, or nothing more may go, in turns. */
  async evictAll(): Promise<void> {
    const turns = new TimeSlice();
    for (let evicted = this.evict(EVICT_SLICE); evicted === EVICT_SLICE; evicted = this.#evictSome(EVICT_SLICE)) {
      if (turns.over) await turns.next();
    }
  }

  #evictSome(maxEntries: number): number {
    let evicted = this.#evictFrom(LIST.absent, maxEntries);
    evicted += this.#evictFrom(LIST.clean, maxEntries - evicted);
    if (evicted > 0) this.#evictionEpoch++;
    this.#counts.evictions += evicted;
    return evicted;
  }

  #finishOrRefuse(): void {
    if (this.#openStage() !== null)
      throw new Error('a change of the coins is under way: no other may begin, and what it holds must not be written or forgotten');
  }

  #evictFrom(list: typeof LIST.absent | typeof LIST.clean, maxEntries: number): number {
    const entries = this.#entries;
    const table = this.#table;
    let evicted = 0;
    while (evicted < maxEntries && this.usedBytes > this.budgetBytes) {
      const ref = entries.first(list);
      if (ref === 0 || ((this.#generation - entries.generation(ref)) & GENERATION_MASK) < 2) break;
      table.remove(this.#hashOf(ref), ref);
      entries.destroy(ref);
      if (list === LIST.clean) this.#holdsAll = false;
      evicted++;
    }
    return evicted;
  }

  /** Entries that differ from the store, those on their way there included. */
  get dirtyEntries(): number {
    this.#catchUp();
    return this.#dirtyCount;
  }

  get #dirtyCount(): number {
    return this.#entries.count(LIST.dirty) + this.#entries.count(LIST.flushing);
  }

  /** Bytes of these entries. */
  get dirtyBytes(): number {
    this.#catchUp();
    return this.#entries.bytesOn(LIST.dirty) + this.#entries.bytesOn(LIST.flushing);
  }

  /** Bytes of all entries and of the table that finds them. */
  get usedBytes(): number {
    return this.#entries.arena.usedBytes + this.#table.allocatedBytes;
  }

  /** What is in memory; a change that was deferred is not. */
  stats(): CoinsCacheStats {
    return {
      entries: this.#table.size,
      dirtyEntries: this.#dirtyCount,
      usedBytes: this.usedBytes,
      allocatedBytes: this.#entries.arena.allocatedBytes + this.#table.allocatedBytes,
      ...this.#counts,
    };
  }
}

/** Fails in the same way each time. */
function failing(error: unknown): Iterable<void> {
  return {
    [Symbol.iterator]: () => {
      throw error;
    },
  };
}
