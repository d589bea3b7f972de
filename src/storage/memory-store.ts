import type { BatchOp, BatchOptions, Store, StoreCursor, StoreEntry, StoreRange, StoreStats } from './store.js';
export class MemoryStore implements Store {
  readonly engine = 'memory';
  get(_key: Uint8Array): Promise<Uint8Array | undefined> { throw new Error('later'); }
  getMany(_keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> { throw new Error('later'); }
  batch(_ops: readonly BatchOp[], _options?: BatchOptions): Promise<void> { throw new Error('later'); }
  cursor(_range?: StoreRange): StoreCursor { throw new Error('later'); }
  iterate(_range?: StoreRange): AsyncIterable<StoreEntry> { throw new Error('later'); }
  approximateSize(_gte: Uint8Array, _lt: Uint8Array): Promise<number> { throw new Error('later'); }
  stats(): StoreStats { throw new Error('later'); }
  close(): Promise<void> { throw new Error('later'); }
}
