// Key pools of a legacy wallet in the order in which keys are given out: receiving keys, change keys, and "pre-split"
// keys from before the wallet had separate change keys. Indices only increase. Keys are rows of the key table; the
// pools store index and time of each key in columns, because an import may add a million keys. Core: CKeyPool and its
// three sets.
import { be64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { grown } from '../tables/byte-table.js';
import type { KeyTable } from './key-table.js';

/** Unused key that waits in a pool. */
export interface PoolEntry {
  readonly index: number;
  /** HASH160 of the public key. */
  readonly id: Uint8Array;
  readonly internal: boolean;
  readonly preSplit: boolean;
}

/** Pool that a key is in. */
const QUEUE = { EXTERNAL: 1, INTERNAL: 2, PRE_SPLIT: 3, PRE_SPLIT_INTERNAL: 4 } as const;
type QueueKind = (typeof QUEUE)[keyof typeof QUEUE];
const NO_QUEUE = 0;
/** A queue removes its dropped entries from memory when it has this many. */
const MAX_DROPPED = 1000;

/** Queue of entries in the order of their indices. Entries are dropped at the front. */
class Queue {
  #indices = new Float64Array(32);
  #times = new Float64Array(32);
  #rows = new Int32Array(32);
  #head = 0;
  #end = 0;

  get size(): number {
    return this.#end - this.#head;
  }
  /** Position of the first entry. Entries are at `head` to `end` - 1. */
  get head(): number {
    return this.#head;
  }
  get end(): number {
    return this.#end;
  }
  indexAt(place: number): number {
    return this.#indices[place];
  }
  /** Returns the time of an entry, seconds. */
  timeAt(place: number): number {
    return this.#times[place];
  }
  /** Returns the row of the key table. */
  rowAt(place: number): number {
    return this.#rows[place];
  }
  push(index: number, time: number, row: number): void {
    const place = this.#end++;
    this.#indices = grown(this.#indices, place);
    this.#times = grown(this.#times, place);
    this.#rows = grown(this.#rows, place);
    this.#indices[place] = index;
    this.#times[place] = time;
    this.#rows[place] = row;
  }
  /** Drops the first entry. */
  dropFirst(): void {
    this.#head++;
    if (this.#head <= MAX_DROPPED || this.#head * 2 <= this.#end) return;
    for (const column of [this.#indices, this.#times, this.#rows]) column.copyWithin(0, this.#head, this.#end);
    this.#end -= this.#head;
    this.#head = 0;
  }
}

const poolKey = (index: number): Uint8Array => walletKey(WALLET_PREFIX.pool, be64(index));

export class KeyPool {
  #external = new Queue();
  #internal = new Queue();
  #preSplit = new Queue();
  /** For each row of the key table: index and pool of its key. */
  #indices = new Float64Array(32);
  #kinds = new Uint8Array(32);
  #lastIndex = 0;
  readonly #keys: KeyTable;

  constructor(keys: KeyTable) {
    this.#keys = keys;
  }

  get externalSize(): number {
    return this.#external.size;
  }
  get internalSize(): number {
    return this.#internal.size;
  }
  get preSplitSize(): number {
    return this.#preSplit.size;
  }
  /** Returns the entries of all pools, as one object per entry. */
  entries(): PoolEntry[] {
    return [this.#external, this.#internal, this.#preSplit].flatMap((queue) =>
      Array.from({ length: queue.size }, (_, i) => this.#entry(queue.rowAt(queue.head + i))),
    );
  }
  find(id: Uint8Array): PoolEntry | undefined {
    const row = this.#keys.find(id);
    return row < 0 || this.#kindOf(row) === NO_QUEUE ? undefined : this.#entry(row);
  }
  /** Returns the time of a pool's oldest entry; `now` if the pool is empty. */
  oldest(which: 'external' | 'internal' | 'preSplit', now: number): number {
    const queue = which === 'external' ? this.#external : which === 'internal' ? this.#internal : this.#preSplit;
    return queue.size > 0 ? queue.timeAt(queue.head) : now;
  }

  /** Adds a key to the end of a pool. @param id HASH160 of a public key in the key table */
  add(id: Uint8Array, internal: boolean, time: number, batch: WalletBatch): void {
    const row = this.#keys.find(id);
    const index = ++this.#lastIndex;
    this.#insert(row, index, time, internal ? QUEUE.INTERNAL : QUEUE.EXTERNAL);
    this.#write(row, time, batch);
  }

  /**
   * Adds an entry of another wallet's pool. Call this for the entries in the order in which their keys are given out.
   * @param id HASH160 of a public key in the key table
   */
  restoreEntry(
    id: Uint8Array,
    { time, internal, preSplit }: { time: number; internal: boolean; preSplit: boolean },
    batch: WalletBatch,
  ): void {
    const row = this.#keys.find(id);
    const kinds = preSplit ? [QUEUE.PRE_SPLIT, QUEUE.PRE_SPLIT_INTERNAL] : [QUEUE.EXTERNAL, QUEUE.INTERNAL];
    this.#insert(row, ++this.#lastIndex, time, kinds[internal ? 1 : 0] as QueueKind);
    this.#write(row, time, batch);
  }

  /** Removes the key that would be given out next from its pool. */
  takeKey(internal: boolean, batch: WalletBatch): PoolEntry | undefined {
    const queue = this.#preSplit.size > 0 ? this.#preSplit : internal ? this.#internal : this.#external;
    return queue.size > 0 ? this.#shift(queue, batch) : undefined;
  }

  /**
   * Removes an entry and all entries before it in its pool, because a transaction pays its key.
   * @returns the removed entries
   */
  removeUpTo({ index, internal, preSplit }: PoolEntry, batch: WalletBatch): PoolEntry[] {
    const queue = preSplit ? this.#preSplit : internal ? this.#internal : this.#external;
    const removed: PoolEntry[] = [];
    while (queue.size > 0 && queue.indexAt(queue.head) <= index) removed.push(this.#shift(queue, batch));
    return removed;
  }

  /** Empties every pool. */
  clear(batch: WalletBatch): void {
    for (const queue of [this.#external, this.#internal, this.#preSplit]) {
      for (let place = queue.head; place < queue.end; place++) {
        batch.del(poolKey(queue.indexAt(place)));
        this.#kinds[queue.rowAt(place)] = NO_QUEUE;
      }
    }
    this.#external = new Queue();
    this.#internal = new Queue();
    this.#preSplit = new Queue();
  }

  /** Moves all receiving keys to the pre-split pool, when an old wallet gets separate change keys. */
  markPreSplit(batch: WalletBatch): void {
    const queue = this.#external;
    this.#external = new Queue();
    for (let place = queue.head; place < queue.end; place++) {
      const row = queue.rowAt(place);
      this.#insert(row, queue.indexAt(place), queue.timeAt(place), QUEUE.PRE_SPLIT);
      this.#write(row, queue.timeAt(place), batch);
    }
  }

  /**
   * Loads a row. The caller loads the key table first, then these rows in the order of their database keys.
   * @returns false if the key is not in the table
   */
  load(key: Uint8Array, value: Uint8Array): boolean {
    const [time, id, internal, preSplit] = unpackRow(value);
    const index = Number(new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(1));
    this.#lastIndex = Math.max(this.#lastIndex, index);
    const row = this.#keys.find(bytesOf(id));
    if (row < 0) return false;
    const split = internal === true ? QUEUE.PRE_SPLIT_INTERNAL : QUEUE.PRE_SPLIT;
    this.#insert(row, index, Number(time), preSplit === true ? split : internal === true ? QUEUE.INTERNAL : QUEUE.EXTERNAL);
    return true;
  }
  /** Highest index ever used. The wallet's record stores it, because used keys leave no row. */
  get lastIndex(): number {
    return this.#lastIndex;
  }
  set lastIndex(index: number) {
    this.#lastIndex = Math.max(this.#lastIndex, index);
  }

  #kindOf(row: number): number {
    return this.#kinds[row] ?? NO_QUEUE;
  }
  #entry(row: number, index = this.#indices[row]): PoolEntry {
    const kind = this.#kindOf(row);
    return {
      index,
      id: this.#keys.id(row),
      internal: kind === QUEUE.INTERNAL || kind === QUEUE.PRE_SPLIT_INTERNAL,
      preSplit: kind === QUEUE.PRE_SPLIT || kind === QUEUE.PRE_SPLIT_INTERNAL,
    };
  }
  #insert(row: number, index: number, time: number, kind: QueueKind): void {
    const queue = kind === QUEUE.EXTERNAL ? this.#external : kind === QUEUE.INTERNAL ? this.#internal : this.#preSplit;
    queue.push(index, time, row);
    this.#indices = grown(this.#indices, row);
    this.#kinds = grown(this.#kinds, row);
    this.#indices[row] = index;
    this.#kinds[row] = kind;
  }
  #write(row: number, time: number, batch: WalletBatch): void {
    const { index, id, internal, preSplit } = this.#entry(row);
    batch.put(poolKey(index), packRow([time, id, internal, preSplit]));
  }
  #shift(queue: Queue, batch: WalletBatch): PoolEntry {
    const row = queue.rowAt(queue.head);
    const entry = this.#entry(row, queue.indexAt(queue.head));
    queue.dropFirst();
    if (this.#indices[row] === entry.index) this.#kinds[row] = NO_QUEUE;
    batch.del(poolKey(entry.index));
    return entry;
  }
}
