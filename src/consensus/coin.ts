// Unspent outputs (coins), as consensus rules see them, and the interface for looking them up.

import { MAX_SCRIPT_SIZE } from './limits.js';
import type { TxView } from './tx/tx-view.js';

/** An unspent output. */
export interface Coin {
  /** Value in satoshis. */
  value: number;
  /** The output script. */
  script: Uint8Array;
  /** Height of the block that created the output. */
  height: number;
  /** True if the output belongs to a coinbase. */
  coinbase: boolean;
}

/** Finds unspent outputs. */
export interface CoinView {
  /**
   * Returns the coin of an outpoint.
   * @param outpoint 36 bytes: txid in internal order, output index little-endian
   * @returns undefined if the coin is spent or never existed
   */
  get(outpoint: Uint8Array): Coin | undefined;
  /**
   * Returns the coin of the outpoint at bytes[at]. Optional, for views that can look up a coin without an array for the
   * outpoint.
   */
  getAt?(bytes: Uint8Array, at: number): Coin | undefined;
}

const OP_RETURN = 0x6a;

/** Same as isUnspendable, for the script of an output, without creating a view. */
export function isUnspendableOutput(tx: TxView, output: number): boolean {
  const length = tx.outputScriptLength(output);
  return (length > 0 && tx.buffer[tx.outputScriptAt(output)] === OP_RETURN) || length > MAX_SCRIPT_SIZE;
}

/**
 * Returns whether a script can never be spent because it starts with OP_RETURN or is too long. Such an output never
 * becomes a coin.
 */
export function isUnspendable(script: Uint8Array): boolean {
  return (script.length > 0 && script[0] === OP_RETURN) || script.length > MAX_SCRIPT_SIZE;
}
