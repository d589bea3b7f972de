/** The fields of a coin as stored; structurally the same as consensus/coin.ts. */
export interface StoredCoin {
  readonly value: number;
  readonly script: Uint8Array;
  readonly height: number;
  readonly coinbase: boolean;
}
export function encodeCoin(coin: StoredCoin): Uint8Array { throw new Error(`later ${coin}`); }
/** Throws StoreError STORE_CORRUPTION. */
export function decodeCoin(bytes: Uint8Array): StoredCoin { throw new Error(`later ${bytes}`); }
