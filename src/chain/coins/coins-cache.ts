import type { BatchOp, Store } from '../../storage/store.js';
import type { StoredCoin } from '../../storage/codec/coin.js';
export interface CoinsCacheOptions { readonly budgetBytes: number }
export interface CoinsCacheStats { readonly entries: number; readonly dirtyEntries: number; readonly usedBytes: number; readonly allocatedBytes: number; readonly hits: number; readonly misses: number; readonly evictions: number; readonly freshSpends: number }
export class CoinsCache {
  constructor(_options: CoinsCacheOptions, _deps: { store: Store }) {}
  /** Makes every outpoint (36 bytes) known: afterwards get/spend on it may be called. Reads misses from the store. */
  prefetch(_outpoints: readonly Uint8Array[]): Promise<void> { throw new Error('later'); }
  /** True while a prefetch is reading. */
  get hasPendingPrefetch(): boolean { return false; }
  /** Whether get may be called (coin or known absence in memory). */
  isKnown(_outpoint: Uint8Array): boolean { throw new Error('later'); }
  /** undefined: no such coin. Throws a programming error when neither cached nor prefetched. */
  get(_outpoint: Uint8Array): StoredCoin | undefined { throw new Error('later'); }
  /** Unspendable scripts (OP_RETURN, > 10,000 bytes) are ignored, as Core does. possibleOverwrite: for coinbases before BIP34 and for undo. */
  add(_outpoint: Uint8Array, _coin: StoredCoin, _options?: { possibleOverwrite?: boolean }): void { throw new Error('later'); }
  /** Removes and returns the coin; undefined when there is none. */
  spend(_outpoint: Uint8Array): StoredCoin | undefined { throw new Error('later'); }
  /** Operations for at most `limit` dirty entries; call until empty. They stay cached until markClean / markFailed. */
  drainDirty(_limit: number): BatchOp[] { throw new Error('later'); }
  /** Everything drained so far is in the store. */
  markClean(): void { throw new Error('later'); }
  /** The batch failed: everything drained is dirty again. */
  markFailed(): void { throw new Error('later'); }
  get dirtyEntries(): number { throw new Error('later'); }
  /** Bytes of dirty entries. */
  get dirtyBytes(): number { throw new Error('later'); }
  get usedBytes(): number { throw new Error('later'); }
  get budgetBytes(): number { throw new Error('later'); }
  /** Drops the oldest clean entries while usedBytes > budgetBytes (at most maxEntries). Call once per block, between state transitions. What was prefetched since the call before last stays. */
  evict(_maxEntries?: number): number { throw new Error('later'); }
  stats(): CoinsCacheStats { throw new Error('later'); }
}
