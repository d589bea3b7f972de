// The keys a legacy wallet keeps ready, in the order they are given out: receiving, change, and those of wallets from before the split.
// Indices rise for ever; a pool is a run of them in order. Core: CKeyPool and its three sets.
import { hashKey } from '../../consensus/bytes/hex.js';
import { be64, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { bytesOf, packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';

/** One key in waiting. */
export interface PoolEntry {
  readonly index: number;
  /** Seconds when it was made. */
  readonly time: number;
  /** HASH160 of the public key. */
  readonly id: Uint8Array;
  readonly internal: boolean;
  readonly preSplit: boolean;
}

/** A queue of entries in order of their indices, cut off at the front. */
class Queue {
  #items: PoolEntry[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }
  get first(): PoolEntry | undefined {
    return this.#items[this.#head];
  }
  push(entry: PoolEntry): void {
    this.#items.push(entry);
  }
  shift(): PoolEntry | undefined {
    const entry = this.#items[this.#head];
    if (entry === undefined) return undefined;
    this.#head++;
    if (this.#head > 1000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
  entries(): readonly PoolEntry[] {
    return this.#items.slice(this.#head);
  }
}

const poolKey = (index: number): Uint8Array => walletKey(WALLET_PREFIX.pool, be64(index));

export class KeyPool {
  #external = new Queue();
  #internal = new Queue();
  #preSplit = new Queue();
  readonly #byKey = new Map<string, PoolEntry>();
  #lastIndex = 0;

  get externalSize(): number {
    return this.#external.size;
  }
  get internalSize(): number {
    return this.#internal.size;
  }
  get preSplitSize(): number {
    return this.#preSplit.size;
  }
  /** Waiting entries of all pools. */
  entries(): PoolEntry[] {
    return [...this.#external.entries(), ...this.#internal.entries(), ...this.#preSplit.entries()];
  }
  find(id: Uint8Array): PoolEntry | undefined {
    return this.#byKey.get(hashKey(id));
  }
  /** When the oldest entry of a pool was made; `now` for an empty one. */
  oldest(which: 'external' | 'internal' | 'preSplit', now: number): number {
    return this.#queue(which).first?.time ?? now;
  }

  add(id: Uint8Array, internal: boolean, time: number, batch: WalletBatch): void {
    const entry: PoolEntry = { index: ++this.#lastIndex, time, id: new Uint8Array(id), internal, preSplit: false };
    this.#insert(entry);
    batch.put(poolKey(entry.index), packRow([entry.time, entry.id, entry.internal, entry.preSplit]));
  }

  /** Takes the next key to give out. */
  take(internal: boolean, batch: WalletBatch): PoolEntry | undefined {
    const queue = this.#preSplit.size > 0 ? this.#preSplit : internal ? this.#internal : this.#external;
    return this.#shift(queue, batch);
  }

  /** Removes an entry and all before it in its pool: an address of it was seen. @returns what was removed */
  removeUpTo(entry: PoolEntry, batch: WalletBatch): PoolEntry[] {
    const queue = this.#queueOf(entry);
    const removed: PoolEntry[] = [];
    while (queue.first !== undefined && queue.first.index <= entry.index) removed.push(this.#shift(queue, batch)!);
    return removed;
  }

  /** Empties every pool. */
  clear(batch: WalletBatch): void {
    for (const entry of this.entries()) batch.del(poolKey(entry.index));
    this.#external = new Queue();
    this.#internal = new Queue();
    this.#preSplit = new Queue();
    this.#byKey.clear();
  }

  /** Wallets that get an internal chain later keep their old keys apart. */
  markPreSplit(batch: WalletBatch): void {
    for (let entry = this.#external.shift(); entry; entry = this.#external.shift()) {
      const split = { ...entry, preSplit: true };
      this.#insert(split);
      batch.put(poolKey(split.index), packRow([split.time, split.id, split.internal, true]));
    }
  }

  /** Reads stored rows in the order of their keys. */
  load(key: Uint8Array, value: Uint8Array): void {
    const [time, id, internal, preSplit] = unpackRow(value);
    const index = Number(new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(1));
    this.#lastIndex = Math.max(this.#lastIndex, index);
    this.#insert({ index, time: Number(time), id: bytesOf(id), internal: internal === true, preSplit: preSplit === true });
  }
  /** The highest index ever used: kept with the wallet's record, as given keys leave no row. */
  get lastIndex(): number {
    return this.#lastIndex;
  }
  set lastIndex(index: number) {
    this.#lastIndex = Math.max(this.#lastIndex, index);
  }

  #insert(entry: PoolEntry): void {
    this.#queueOf(entry).push(entry);
    this.#byKey.set(hashKey(entry.id), entry);
  }
  #shift(queue: Queue, batch: WalletBatch): PoolEntry | undefined {
    const entry = queue.shift();
    if (entry === undefined) return undefined;
    this.#byKey.delete(hashKey(entry.id));
    batch.del(poolKey(entry.index));
    return entry;
  }
  #queueOf(entry: PoolEntry): Queue {
    return entry.preSplit ? this.#preSplit : entry.internal ? this.#internal : this.#external;
  }
  #queue(which: 'external' | 'internal' | 'preSplit'): Queue {
    return which === 'external' ? this.#external : which === 'internal' ? this.#internal : this.#preSplit;
  }
}
