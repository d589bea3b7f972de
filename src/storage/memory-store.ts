// A Store in memory, for tests and for chains that need not persist. Order, consistency of cursors, and errors after
// close are those of a RocksStore.

import { type Batch, type BatchOptions, iterateCursor, type Store, type StoreCursor, type StoreEntry, type StoreRange } from './store.js';
import { StoreError } from './store-error.js';
import { useUp } from './write-batch.js';

// Latin-1 strings compare by code unit, that is in the order of their bytes.
const toText = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Number of entries per chunk by default. */
const DEFAULT_CHUNK = 1000;

class MemoryCursor implements StoreCursor {
  #at = 0;
  #closed = false;
  readonly #store: MemoryStore;
  readonly #entries: StoreEntry[];

  constructor(store: MemoryStore, entries: StoreEntry[]) {
    this.#store = store;
    this.#entries = entries;
  }

  async next(max: number = DEFAULT_CHUNK): Promise<StoreEntry[]> {
    if (this.#closed) throw new StoreError('STORE_CLOSED', 'The cursor is closed');
    this.#store.assertOpen('read a range');
    const chunk = this.#entries.slice(this.#at, this.#at + max);
    this.#at += chunk.length;
    return chunk.map(([key, value]) => [key.slice(), value.slice()]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#entries.length = 0;
  }
}

/**
 * An ordered map with the Store interface. Values are copied in and out, so the store and the caller share no memory.
 */
export class MemoryStore implements Store {
  readonly engine = 'memory';
  readonly #rows = new Map<string, StoreEntry>();
  /** Sorted keys; null if keys were added or deleted since. */
  #order: string[] | null = null;
  #closed = false;

  get size(): number {
    return this.#rows.size;
  }

  assertOpen(doing: string): void {
    if (this.#closed) throw new StoreError('STORE_CLOSED', `Cannot ${doing}: the store is closed`);
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return (await this.getMany([key]))[0];
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    this.assertOpen('read keys');
    return keys.map((key) => this.#rows.get(toText(key))?.[1].slice());
  }

  async batch(ops: Batch, _options: BatchOptions = {}): Promise<void> {
    this.assertOpen('write a batch');
    for (const op of ops) {
      const text = toText(op.key);
      if (op.type === 'put') {
        if (!this.#rows.has(text)) this.#order = null;
        this.#rows.set(text, [op.key.slice(), op.value.slice()]);
      } else if (this.#rows.delete(text)) {
        this.#order = null;
      }
    }
    useUp(ops);
  }

  async clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    this.assertOpen('remove a range');
    const [from, to] = [toText(gte), toText(lt)];
    for (const text of [...this.#rows.keys()]) if (text >= from && text < to) this.#rows.delete(text);
    this.#order = null;
  }

  cursor(range: StoreRange = {}): StoreCursor {
    this.assertOpen('open a cursor');
    this.#order ??= [...this.#rows.keys()].sort((a, b) => (a < b ? -1 : 1));
    const order = this.#order;
    const first = range.gte === undefined ? 0 : lowerBound(order, toText(range.gte));
    const end = range.lt === undefined ? order.length : Math.max(first, lowerBound(order, toText(range.lt)));
    const texts = order.slice(first, end);
    if (range.reverse === true) texts.reverse();
    if (range.limit !== undefined) texts.length = Math.min(texts.length, Math.max(0, range.limit));
    // Rows are replaced and never modified, so references to the current rows are a snapshot.
    return new MemoryCursor(
      this,
      texts.map((text) => this.#rows.get(text) as StoreEntry),
    );
  }

  iterate(range: StoreRange = {}): AsyncIterable<StoreEntry> {
    return iterateCursor(() => this.cursor(range));
  }

  async approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number> {
    this.assertOpen('estimate a size');
    const [from, to] = [toText(gte), toText(lt)];
    let bytes = 0;
    for (const [text, row] of this.#rows) if (text >= from && text < to) bytes += row[0].length + row[1].length;
    return bytes;
  }

  memoryBytes(): number {
    let bytes = 0;
    for (const [key, value] of this.#rows.values()) bytes += key.length + value.length;
    return bytes;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** Returns the index of the first text that is not below `bound`. */
function lowerBound(order: readonly string[], bound: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
