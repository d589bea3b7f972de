// What the law needs to know about an unspent output, and how it asks for one. Chain, mempool and templates implement CoinView.

/** An unspent output. */
export interface Coin {
  /** Satoshi. */
  value: number;
  /** The output script. */
  script: Uint8Array;
  /** Height of the block that holds it. */
  height: number;
  /** Whether it is an output of a coinbase. */
  coinbase: boolean;
}

/** Finds unspent outputs. */
export interface CoinView {
  /** @param outpoint 36 bytes: txid in internal order, index little-endian. @returns undefined when spent or never there */
  get(outpoint: Uint8Array): Coin | undefined;
}
