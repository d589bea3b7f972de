import type { Store } from '../../storage/store.js';
import type { StoredCoin } from '../../storage/codec/coin.js';
export interface CoinRow { readonly outpoint: Uint8Array; readonly coin: StoredCoin }
export class CoinsDb {
  constructor(_store: Store) {}
  readCoin(_outpoint: Uint8Array): Promise<StoredCoin | undefined> { throw new Error('later'); }
  /** All coins in key order, in chunks, of one consistent view opened now. */
  chunks(_size?: number): AsyncGenerator<CoinRow[], void, undefined> { throw new Error('later'); }
  /** Hash of the block the coins stand at. */
  bestBlock(): Promise<Uint8Array | undefined> { throw new Error('later'); }
}
