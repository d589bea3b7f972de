// Unspent outputs (coins), as consensus rules see them, and the interface for looking them up.

import { MAX_SCRIPT_SIZE } from './limits.js';
import type { TxView } from './tx/tx-view.js';

/** An unspent output. */
export interface Coin {
  /** Value in satoshis. */
  value: number;
  /** The output script. */
  script: Uint8Array;
  /** Height of its block. */
  height: number;
  /** True if it is an output of a coinbase. */
  coinbase: boolean;
}

/** Finds unspent outputs. */
export interface CoinView {
  /**
   * Returns a coin.
   * @param outpoint 36 bytes: txid in internal order, output index little-endian
   * @returns undefined if it is spent or never existed
   * @returns undefined when spent or never there
   */
  get(outpoint: Uint8Array): Coin | undefined;
  /** Returns the coin of the outpoint at bytes[at], for views that need no outpoint array. */
  getAt?(bytes: Uint8Array, at: number): Coin | undefined;
}

const OP_RETURN = 0x6a;

/** Returns isUnspendable for an output's script, without creating a view. */
export function isUnspendableOutput(tx: TxView, output: number): boolean {
  const length = tx.outputScriptLength(output);
  return (length > 0 && tx.buffer[tx.outputScriptAt(output)] === OP_RETURN) || length > MAX_SCRIPT_SIZE;
}

/**
 * Returns whether this script can never be spent, so its output never becomes a coin: it starts with OP_RETURN, or is
 * too long.
 */
export function isUnspendable(script: Uint8Array): boolean {
  return (script.length > 0 && script[0] === OP_RETURN) || script.length > MAX_SCRIPT_SIZE;
}
