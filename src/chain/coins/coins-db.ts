// Reads coins straight from the store, past the cache. Callers: chain at start-up, gettxoutsetinfo, scans. What the cache has not flushed yet
// isn't seen here; flush first.

import type { Coin } from '../../consensus/coin.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { coinKey, outpointOfCoinKey, PREFIX, prefixRange, TIP_KEY } from '../../storage/layout.js';
import type { Store, StoreCursor } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';

/** A coin and where it was created. */
export interface CoinRow {
  /** 36 bytes: txid in internal order, vout LE32. */
  readonly outpoint: Uint8Array;
  readonly coin: Coin;
}

const HASH_BYTES = 32;

/** The coins of a store. */
export class CoinsDb {
  constructor(private readonly store: Store) {}

  /** @param outpoint 36 bytes */
  async readCoin(outpoint: Uint8Array): Promise<Coin | undefined> {
    const value = await this.store.get(coinKey(outpoint));
    return value === undefined ? undefined : decodeCoin(value);
  }

  /**
   * All coins by txid (internal order) and index, in chunks of at most `size`, of the state at the moment of this call. Loop over it to the end or
   * break; a walk that never starts keeps its view open until the store closes.
   */
  chunks(size = 1000): AsyncGenerator<CoinRow[], void, undefined> {
    return readChunks(this.store.cursor(prefixRange(PREFIX.coin)), size);
  }

  /** Bytes that the coins take on disk, roughly. */
  sizeOnDisk(): Promise<number> {
    const { gte, lt } = prefixRange(PREFIX.coin);
    return this.store.approximateSize(gte, lt);
  }

  /** Hash of the block that the coins stand at; undefined in a new store. */
  async bestBlock(): Promise<Uint8Array | undefined> {
    const hash = await this.store.get(TIP_KEY);
    if (hash !== undefined && hash.length !== HASH_BYTES)
      throw new StoreError('STORE_CORRUPTION', `Stored tip is damaged: ${hash.length} bytes`);
    return hash;
  }
}

async function* readChunks(cursor: StoreCursor, size: number): AsyncGenerator<CoinRow[], void, undefined> {
  try {
    for (;;) {
      const entries = await cursor.next(size);
      if (entries.length === 0) return;
      yield entries.map(([key, value]) => ({ outpoint: outpointOfCoinKey(key), coin: decodeCoin(value) }));
    }
  } finally {
    await cursor.close();
  }
}
