// What the law needs to know about an unspent output, and how it asks for one. Chain, mempool and templates implement
// CoinView.

import { MAX_SCRIPT_SIZE } from './limits.js';
import type { TxView } from './tx/tx-view.js';

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
  /**
   * @param outpoint 36 bytes: txid in internal order, index little-endian.
   * @returns undefined when spent or never there
   */
  get(outpoint: Uint8Array): Coin | undefined;
  /** The same for the outpoint at bytes[at], from a view that can do without one of its own. */
  getAt?(bytes: Uint8Array, at: number): Coin | undefined;
}

const OP_RETURN = 0x6a;

/** isUnspendable of an output's script, without a view of it. */
export function isUnspendableOutput(tx: TxView, output: number): boolean {
  const length = tx.outputScriptLength(output);
  return (length > 0 && tx.buffer[tx.outputScriptAt(output)] === OP_RETURN) || length > MAX_SCRIPT_SIZE;
}

/** Whether no one can ever spend this script, so that its output never becomes a coin: OP_RETURN first, or too long. */
export function isUnspendable(script: Uint8Array): boolean {
  return (script.length > 0 && script[0] === OP_RETURN) || script.length > MAX_SCRIPT_SIZE;
}
