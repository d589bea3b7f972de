// What a script check needs of the coin an input spends. Coins of the chain room have these fields and more.

/** A spent output. */
export interface SpentOutput {
  /** Satoshi. */
  readonly value: number;
  /** scriptPubKey. */
  readonly script: Uint8Array;
}
