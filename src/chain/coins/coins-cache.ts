// Coins cache: a write-back cache over the database, outside V8's heap, bounded by -dbcache. The semantics are those of
// Core's CCoinsViewCache (src/coins.h), with reads split in two: `prefetch` reads missing coins asynchronously, `get`
// and `spend` answer immediately. coin-table.ts stores the coins, this file decides which ones stay in memory.
//
// Invariants:
// - If an outpoint is not in memory, the database has its current state.
// - A coin that is created and spent between two flushes is never written to the database. It is a "fresh" entry: the
// database has no row for it.
// - Entries that were drained into a batch stay in memory until markClean or markFailed, so no read sees the older
// state of the database.
// - A change of many coins is made in slices. After `stageChanges` only `add` and `spend` see it, `showStaged` makes it
// visible at once, and `finishingSteps` cleans up in slices. So a reader sees the coins either before or after the
// change.
// - A deferred change counts as made: every query applies it first.
// - Only `evict` drops entries. If an eviction happened while a prefetch was reading, the prefetch reads again, because
// dropped entries may have changed after the read began.

import { ByteWriter } from '../../consensus/bytes/writer.js';
import { type Coin, type CoinView, isUnspendable } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { writeCoin } from '../../storage/codec/coin.js';
import type { CoinSpace } from '../../storage/layout.js';
import type { Store } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import { MAX_CELL_BYTES } from './cell-arena.js';
import { CoinCopies } from './coin-copies.js';
import { CoinTable, MAX_DATA_BYTES } from './coin-table.js';
import type { CoinsCacheStats } from './coins-cache-stats.js';
import { DirtyCoins } from './dirty-coins.js';
import { LIST } from './entry-list.js';
import { ReadGate } from './read-gate.js';

export interface CoinsCacheOptions {
  /**
   * Budget in bytes that `evict` tries to meet. Changed entries are never evicted, so the caller must flush them when
   * they grow.
   */
  readonly budgetBytes: number;
}

/** Number of entries whose marks are removed between two checks of the clock. */
const FINISH_SLICE = 1_024;
/** Number of entries evicted between two checks of the clock: about one millisecond. */
const EVICT_SLICE = 2_000;

/** Options of `add`. */
interface AddOptions {
  readonly possibleOverwrite?: boolean;
}

/** Write-back cache of coins. */
export class CoinsCache implements CoinView {
  /** Budget in bytes that `evict` tries to meet. */
  budgetBytes: number;
  /** Coins that differ from the database. */
  readonly dirty: DirtyCoins;
  readonly #store: Store;
  #space: CoinSpace;
  readonly #table = new CoinTable();
  readonly #counts = { hits: 0, misses: 0, evictions: 0 };
  #pendingPrefetches = 0;
  readonly #gate: ReadGate;
  #evictionEpoch = 0;
  /** Steps of a deferred change. They run before coins are next read, written or counted. */
  #deferred: Iterable<void> | null = null;
  readonly #copies = new CoinCopies();
  /** Buffer for the encoding of the coin that is being added. */
  readonly #writer = new ByteWriter(MAX_CELL_BYTES);

  /** @param deps.gate closed while another writer changes coins in the database */
  constructor(options: CoinsCacheOptions, deps: { store: Store; space: CoinSpace; gate?: ReadGate }) {
    this.budgetBytes = options.budgetBytes;
    this.#store = deps.store;
    this.#space = deps.space;
    this.#gate = deps.gate ?? new ReadGate();
    this.dirty = new DirtyCoins({
      table: this.#table,
      space: () => this.#space,
      catchUp: () => this.#catchUp(),
      finishOrRefuse: () => this.#finishOrRefuse(),
    });
  }

  /**
   * Switches to another set of coins and drops all entries. All changes must have been written before. Also called for
   * the same set, after another writer has changed its coins in the database.
   */
  switchSpace(space: CoinSpace): void {
    this.#finishOrRefuse();
    if (this.dirty.entries > 0) throw new Error('coins that are not written would be lost');
    this.#space = space;
    this.#table.clear();
    this.#evictionEpoch++;
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
    this.#pendingPrefetches++;
    try {
      while (missing.length > 0) {
        const epoch = this.#evictionEpoch;
        const wanted = missing;
        const values = await this.#gate.run(() => this.#store.getMany(this.#space.keysOf(wanted)));
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
      const ref = table.find(outpoint, 0);
      if (ref === 0) missing.push(outpoint);
      else table.touch(ref);
    }
    return missing;
  }

  #insertRead(outpoints: readonly Uint8Array[], values: readonly (Uint8Array | undefined)[]): void {
    this.#catchUp();
    for (let i = 0; i < outpoints.length; i++) {
      const value = values[i];
      if (value !== undefined && (value.length === 0 || value.length > MAX_DATA_BYTES)) {
        throw new StoreError('STORE_CORRUPTION', `Stored coin is damaged: ${value.length} bytes`);
      }
      this.#table.insertRead(outpoints[i], value);
    }
  }

  /**
   * Incremented by each evict that dropped an entry. While the number stays the same, outpoints that were prefetched
   * remain in memory.
   */
  get evictionEpoch(): number {
    return this.#evictionEpoch;
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
    return this.#table.coin(this.#knownEntry(outpoint, at));
  }

  /**
   * Like `get`, but returns the coin in encoded form (see StoredCoin), for callers that pass the coin on without
   * decoding it.
   */
  getAt(bytes: Uint8Array, at: number): Coin | undefined {
    return this.#table.coin(this.#knownEntry(bytes, at), this.#copies.read);
  }

  /**
   * Like `getAt`, and marks the entry as used, like `prefetch`. Returns null if the outpoint is not in memory and must
   * be prefetched.
   */
  lookUp(bytes: Uint8Array, at: number): Coin | undefined | null {
    const ref = this.#find(bytes, at);
    if (ref === 0) return null;
    this.#table.touch(ref);
    this.#counts.hits++;
    return this.#table.coin(ref, this.#copies.read);
  }

  /**
   * Like `getAt`, but returns undefined if the outpoint is not in memory. Marks the entry as used, so it survives the
   * next evict.
   */
  touchIfKnown(outpoint: Uint8Array, at: number): Coin | undefined {
    const ref = this.#find(outpoint, at);
    if (ref === 0) return undefined;
    this.#table.touch(ref);
    return this.#table.coin(ref, this.#copies.read);
  }

  /** Returns the entry of an outpoint; 0 if it is not in memory. */
  #find(outpoint: Uint8Array, at = 0): number {
    this.#catchUp();
    return this.#table.find(outpoint, at);
  }

  #knownEntry(outpoint: Uint8Array, at = 0): number {
    const ref = this.#find(outpoint, at);
    if (ref === 0) throw new Error('coins must be prefetched before they are asked for: reading the store here would have to wait');
    return ref;
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
    this.#finishShown();
    this.#table.add(outpoint, memory, size, options.possibleOverwrite === true);
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

  /** Applies a deferred change, and finishes a staged change that is already shown. */
  #finishShown(): void {
    this.#catchUp();
    if (this.#table.isShown) for (const _ of this.#table.finish(FINISH_SLICE));
  }

  /**
   * Spends a coin: removes and returns it. Returns undefined if there is no coin. The outpoint must have been
   * prefetched, as for `get`.
   */
  spend(outpoint: Uint8Array): Coin | undefined {
    this.#finishShown();
    return this.#table.spend(this.#knownEntry(outpoint));
  }

  /** Like `spend`, for callers that already have the coin. The coin is not decoded. */
  remove(bytes: Uint8Array, at: number): void {
    this.#finishShown();
    this.#table.remove(this.#knownEntry(bytes, at));
  }

  /** Begins a staged change. Readers do not see it until showStaged. */
  stageChanges(): void {
    this.#finishOrRefuse();
    this.#table.stage();
  }

  /** Makes the staged change visible at once. Takes constant time; finishingSteps removes the marks later. */
  showStaged(): void {
    this.#table.show();
  }

  /**
   * Removes the marks of a shown change. Readers see no difference. If steps remain, the next change, evict or drain
   * runs them first.
   * @param slice number of entries per step
   */
  *finishingSteps(slice = FINISH_SLICE): Generator<void, void> {
    this.#catchUp();
    yield* this.#table.finish(slice);
  }

  #finishOrRefuse(): void {
    this.#finishShown();
    if (this.#table.isStaging)
      throw new Error('a change of the coins is under way: no other may begin, and what it holds must not be written or forgotten');
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
    this.#table.nextGeneration();
    return this.#evictSome(maxEntries);
  }

  /** Evicts in time slices until usedBytes is within the budget or no more entries may be evicted. */
  async evictAll(): Promise<void> {
    const turns = new TimeSlice('chain');
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

  #evictFrom(list: typeof LIST.absent | typeof LIST.clean, maxEntries: number): number {
    let evicted = 0;
    while (evicted < maxEntries && this.usedBytes > this.budgetBytes && this.#table.evictFirst(list)) {
      evicted++;
    }
    return evicted;
  }

  /** Bytes of all entries and of the hash table. */
  get usedBytes(): number {
    return this.#table.usedBytes;
  }

  /** Figures of the entries in memory. A deferred change is not included. */
  stats(): CoinsCacheStats {
    const { size, usedBytes, allocatedBytes, freshSpends } = this.#table;
    return {
      entries: size,
      dirtyEntries: this.dirty.entriesNow,
      usedBytes,
      allocatedBytes,
      freshSpends,
      pendingPrefetches: this.#pendingPrefetches,
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
