// Coins cache: a write-back cache over the database, outside V8's heap, bounded by -dbcache. The semantics are those of
// Core's CCoinsViewCache (src/coins.h), with reads split in two: `prefetch` reads missing coins asynchronously, `get`
// and `spend` answer immediately.
//
// The file is long because every method maintains these invariants:
// - If an outpoint is not in memory, the database has its current state.
// - A coin that is created and spent between two flushes is never written to the database. It is a "fresh" entry: the
// database has no row for it.
// - Entries that were drained into a batch stay in memory until markClean or markFailed, so no read sees the older
// state of the database.
// - A change of many coins is made in slices. After `stageChanges` only `add` and `spend` see it, `showStaged` makes it
// visible at once, and `finishingSteps` cleans up in slices. So a reader sees the coins either before or after the
// change.
// - A deferred change counts as made: every query applies it first.
// - While `holdsAll` is true, an outpoint that is not in memory has no coin in the database either.
// - Only `evict` drops entries. If an eviction happened while a prefetch was reading, the prefetch reads again, because
// dropped entries may have changed after the read began.

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
  /**
   * Budget in bytes that `evict` tries to meet. Changed entries are never evicted, so the caller must flush them when
   * they grow.
   */
  readonly budgetBytes: number;
}

const MAX_DATA_BYTES = MAX_CELL_BYTES - ENTRY_HEAD_BYTES;
const NO_COIN = new Uint8Array(0);
/** Number of entries whose marks are removed between two checks of the clock. */
const FINISH_SLICE = 1_024;
/** Number of entries evicted between two checks of the clock: about one millisecond. */
const EVICT_SLICE = 2_000;

/** Options of `add`. */
interface AddOptions {
  readonly possibleOverwrite?: boolean;
}

/** State of a staged change, which changes coins in slices before readers see the result. */
interface Stage {
  /** References of all marked entries. */
  readonly refs: number[];
  /** New encoded coins of marked entries whose cell is too small, or must still hold the old coin for readers. */
  readonly replaced: Map<number, Uint8Array>;
  shown: boolean;
  /** Number of entries whose marks have been removed. */
  finished: number;
}

/** Write-back cache of coins. */
export class CoinsCache implements CoinView {
  /** Budget in bytes that `evict` tries to meet. */
  budgetBytes: number;
  readonly #store: Store;
  #space: CoinSpace;
  #entries = new EntryLists();
  #table = this.#emptyTable();
  readonly #counts = { hits: 0, misses: 0, evictions: 0, freshSpends: 0 };
  #pendingPrefetches = 0;
  /** Incremented by each evict. Entries store the generation in which they were last used. */
  #generation = 0;
  #evictionEpoch = 0;
  #staged: Stage | null = null;
  #holdsAll = false;
  #deferred: Iterable<void> | null = null;
  readonly #copies = new CoinCopies();
  /** Buffer for the encoding of the coin that is being added. */
  readonly #writer = new ByteWriter(MAX_CELL_BYTES);

  constructor(options: CoinsCacheOptions, deps: { store: Store; space: CoinSpace }) {
    this.budgetBytes = options.budgetBytes;
    this.#store = deps.store;
    this.#space = deps.space;
  }

  #emptyTable(): OutpointTable {
    return new OutpointTable((ref, bytes, at) => this.#entries.hasOutpoint(ref, bytes, at));
  }

  /** Switches to another set of coins and drops all entries. All changes must have been written before. */
  switchSpace(space: CoinSpace): void {
    this.#finishOrRefuse();
    if (this.dirtyEntries > 0) throw new Error('coins that are not written would be lost');
    this.#space = space;
    this.#holdsAll = false;
    this.#entries = new EntryLists();
    this.#table = this.#emptyTable();
    this.#evictionEpoch++;
  }

  /**
   * Checks whether the database has coins of this set. Must be called after the last write that bypasses the cache,
   * and before the first change.
   */
  async open(): Promise<void> {
    const cursor = this.#store.cursor({ ...this.#space.coins, limit: 1 });
    try {
      this.#holdsAll = (await cursor.next(1)).length === 0;
    } finally {
      await cursor.close();
    }
  }

  /**
   * True if every coin is in memory: from an empty database until the first eviction of a coin. While true, the
   * database is not read.
   */
  get holdsAll(): boolean {
    return this.#holdsAll;
  }

  /**
   * Loads the given outpoints. Afterwards `get` and `spend` may be called for them, until `evict` was called twice.
   * @param outpoints 36 bytes each: txid in internal order, vout LE32; duplicates are fine
   * @throws StoreError
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
        // Check all outpoints again, because entries that were in memory may have been evicted during the read.
        missing = this.#touchKnown(outpoints);
      }
    } finally {
      this.#pendingPrefetches--;
    }
  }

  /** Marks entries in memory as used now, and returns the outpoints that are not in memory. */
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
    // Only the lists of clean and absent entries are in the order of use, because entries are evicted from them.
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
      // Another call loaded the outpoint during the read. The entry in memory is newer.
      if (table.find(hash, outpoint, 0) !== 0) continue;
      const list = value === undefined ? LIST.absent : LIST.clean;
      table.insert(hash, entries.create(outpoint, value ?? NO_COIN, value?.length ?? 0, list, false, this.#generation));
    }
  }

  /**
   * Incremented by each evict that dropped an entry. While the number stays the same, outpoints that were prefetched
   * remain in memory.
   */
  get evictionEpoch(): number {
    return this.#evictionEpoch;
  }

  /** True while a prefetch waits for the database. */
  get hasPendingPrefetch(): boolean {
    return this.#pendingPrefetches > 0;
  }

  /**
   * Returns whether `get` and `spend` may be called for an outpoint without another prefetch.
   * @param at offset of the outpoint's 36 bytes
   */
  isKnown(outpoint: Uint8Array, at = 0): boolean {
    return this.#find(outpoint, at) !== 0;
  }

  /**
   * Returns the coin as a new object; undefined if there is none. The outpoint must have been prefetched, added or
   * spent before.
   * @param outpoint 36 bytes at `at`
   */
  get(outpoint: Uint8Array, at = 0): Coin | undefined {
    return this.#coinOf(this.#knownEntry(outpoint, at));
  }

  /**
   * Like `get`, but returns the coin in encoded form (see StoredCoin), for callers that pass the coin on without
   * decoding it.
   */
  getAt(bytes: Uint8Array, at: number): Coin | undefined {
    return this.#coinOf(this.#knownEntry(bytes, at), this.#copies.read);
  }

  /** Like `get`, but also returns undefined if the outpoint is not in memory. */
  getIfKnown(outpoint: Uint8Array, at = 0): Coin | undefined {
    const ref = this.#find(outpoint, at);
    return ref === 0 ? undefined : this.#coinOf(ref);
  }

  /**
   * Like `getAt`, and marks the entry as used, like `prefetch`. Returns null if the outpoint is not in memory and must
   * be prefetched.
   */
  lookUp(bytes: Uint8Array, at: number): Coin | undefined | null {
    const ref = this.#find(bytes, at);
    if (ref === 0) return null;
    this.#touch(ref);
    this.#counts.hits++;
    return this.#coinOf(ref, this.#copies.read);
  }

  /**
   * Like `getAt`, but returns undefined if the outpoint is not in memory. Marks the entry as used, so it survives the
   * next evict.
   */
  touchIfKnown(outpoint: Uint8Array, at: number): Coin | undefined {
    const ref = this.#find(outpoint, at);
    if (ref === 0) return undefined;
    this.#touch(ref);
    return this.#coinOf(ref, this.#copies.read);
  }

  /** Returns the entry of an outpoint; 0 if it is not in memory. */
  #find(outpoint: Uint8Array, at = 0): number {
    this.#catchUp();
    return this.#table.find(this.#table.hash(outpoint, at), outpoint, at);
  }

  /** Returns the hash of an entry's outpoint. */
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

  /** Returns the coin of a marked entry as it is after the staged change. */
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
   * Adds a coin. Unspendable coins (OP_RETURN, scripts over 10,000 bytes) are not stored, as in Core.
   * @param options.possibleOverwrite the outpoint may have a coin already, in memory or in the database. Needed for
   *   coinbases that BIP-0030 exempts, and for undoing a block whose spent coins were not prefetched. If false, an
   *   outpoint that is not in memory counts as absent from the database. Within a staged change, it counts as absent in
   *   either case.
   */
  add(outpoint: Uint8Array, coin: Coin, options: AddOptions = {}): void {
    if (isUnspendable(coin.script)) return;
    // A deferred change uses the same writer, so apply that change first.
    this.#catchUp();
    const writer = this.#writer.restart();
    writeCoin(writer, coin, coin.script);
    this.#add(outpoint, writer, options);
  }

  /** Adds an output of a transaction as a coin. The output must be spendable. */
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

  /**
   * Sets the coin of an existing entry.
   * @param data buffer with the encoded coin at its start
   */
  #setCoin(ref: number, data: Uint8Array, length: number): void {
    const entries = this.#entries;
    const table = this.#table;
    this.#makeDirty(ref);
    const placed = entries.setData(ref, data, length);
    if (placed !== ref) table.replace(this.#hashOf(placed), ref, placed);
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

  /**
   * Sets the coin of an entry within a staged change. Until the change is shown, cells do not move and readers still
   * find the old coin.
   */
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
      // A coin that this change added earlier at the outpoint is dropped, whatever happens to the new coin.
      if (entries.mark(ref) === MARK.coming) entries.clearData(ref);
      stage.replaced.set(ref, data.slice(0, length));
    }
  }

  #mark(stage: Stage, ref: number, mark: typeof MARK.leaving | typeof MARK.coming): void {
    this.#entries.setMark(ref, mark);
    stage.refs.push(ref);
  }

  /**
   * Defers a small change until coins are next read, written or counted. If the change fails then, every later query
   * fails too.
   * @param change calls `add` and `spend`
   */
  deferChange(change: Iterable<void>): void {
    this.#finishOrRefuse();
    this.#deferred = change;
  }

  /** Applies the deferred change, if any. */
  #catchUp(): void {
    if (this.#deferred !== null) this.#makeDeferred(this.#deferred);
  }

  #makeDeferred(change: Iterable<void>): void {
    // Reset the field first, because the steps of the change read coins themselves.
    this.#deferred = null;
    try {
      for (const _ of change);
    } catch (error) {
      this.#deferred = failing(error);
      throw error;
    }
  }

  /**
   * Returns the staged change that `add` and `spend` belong to; null if there is none. Applies a deferred change first,
   * and finishes a staged change that is already shown.
   */
  #openStage(): Stage | null {
    this.#catchUp();
    if (this.#staged?.shown) this.#finish();
    return this.#staged;
  }

  /**
   * Spends a coin: removes and returns it. Returns undefined if there is no coin. The outpoint must have been
   * prefetched, as for `get`.
   */
  spend(outpoint: Uint8Array): Coin | undefined {
    const stage = this.#openStage();
    const ref = this.#knownEntry(outpoint);
    const coin = stage === null || this.#entries.mark(ref) === MARK.none ? this.#coinInCell(ref) : this.#coinAfter(ref, stage);
    this.#remove(stage, ref);
    return coin;
  }

  /** Like `spend`, for callers that already have the coin. The coin is not decoded. */
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

  /** Returns whether the entry has a coin, as seen by the staged change. */
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

  /** Begins a staged change. Readers do not see it until showStaged. */
  stageChanges(): void {
    this.#finishOrRefuse();
    this.#staged = { refs: [], replaced: new Map(), shown: false, finished: 0 };
  }

  /** Makes the staged change visible at once. Takes constant time; finishingSteps removes the marks later. */
  showStaged(): void {
    if (this.#staged !== null) this.#staged.shown = true;
  }

  /**
   * Removes the marks of a shown change. Readers see no difference. If steps remain, the next change, evict or
   * drainDirty runs them first.
   * @param slice number of entries per step
   */
  *finishingSteps(slice = FINISH_SLICE): Generator<void, void> {
    this.#catchUp();
    const stage = this.#staged;
    if (stage === null || !stage.shown) return;
    while (stage.finished < stage.refs.length) {
      this.#finishSome(stage, slice);
      yield;
    }
    // Another call may have finished this change and begun another one.
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
   * Adds writes to a batch for at most `limit` entries that differ from the database, oldest first. The entries stay in
   * memory as "flushing" until markClean or markFailed. An entry that changes during the flush is dirty again.
   * @returns number of writes added
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

  /** Marks all drained entries as written to the database. */
  markClean(): void {
    const entries = this.#entries;
    for (let ref = entries.first(LIST.flushing); ref !== 0; ref = entries.first(LIST.flushing)) {
      entries.move(ref, entries.dataLength(ref) === 0 ? LIST.absent : LIST.clean, false);
    }
  }

  /** Called when writing failed: marks all drained entries as dirty again, except those that were marked clean. */
  markFailed(): void {
    const entries = this.#entries;
    for (let ref = entries.first(LIST.flushing); ref !== 0; ref = entries.first(LIST.flushing)) entries.move(ref, LIST.dirty, false);
  }

  /**
   * Evicts clean entries, least recently used first, while usedBytes exceeds the budget. Entries used since the
   * previous call stay, so a prefetched entry survives one evict. Call it between changes of the chain: after each
   * block, and while nothing else runs.
   * @param maxEntries limit of the work, about 0.5 us per entry
   * @returns number of evicted entries
   */
  evict(maxEntries = 20_000): number {
    this.#finishOrRefuse();
    this.#generation = (this.#generation + 1) & GENERATION_MASK;
    return this.#evictSome(maxEntries);
  }

  /** Evicts in time slices until usedBytes is within the budget or no more entries may be evicted. */
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

  /** Number of entries that differ from the database, including entries that are being flushed. */
  get dirtyEntries(): number {
    this.#catchUp();
    return this.#dirtyCount;
  }

  get #dirtyCount(): number {
    return this.#entries.count(LIST.dirty) + this.#entries.count(LIST.flushing);
  }

  /** Bytes of the entries that differ from the database. */
  get dirtyBytes(): number {
    this.#catchUp();
    return this.#entries.bytesOn(LIST.dirty) + this.#entries.bytesOn(LIST.flushing);
  }

  /** Bytes of all entries and of the hash table. */
  get usedBytes(): number {
    return this.#entries.arena.usedBytes + this.#table.allocatedBytes;
  }

  /** Figures of the entries in memory. A deferred change is not included. */
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

/** Returns an iterable that throws the error whenever it is iterated. */
function failing(error: unknown): Iterable<void> {
  return {
    [Symbol.iterator]: () => {
      throw error;
    },
  };
}
