// Context-free rules of a transaction.

import { hashKey } from '../bytes/hex.js';
import { MAX_BLOCK_WEIGHT, MAX_MONEY, WITNESS_SCALE_FACTOR } from '../limits.js';
import type { Verdict } from '../state.js';
import type { TxView } from '../tx/tx-view.js';
import { reject } from './reject.js';

const MIN_COINBASE_SCRIPT = 2;
const MAX_COINBASE_SCRIPT = 100;
const OUTPOINT_BYTES = 36;
/** Number of inputs up to which comparing all pairs is faster than collecting keys in a set. */
const FEW_INPUTS = 8;

/** Runs the context-free rules in Core's order. */
export function checkTransaction(tx: TxView): Verdict {
  if (tx.inputCount === 0) return reject('consensus', 'bad-txns-vin-empty');
  if (tx.outputCount === 0) return reject('consensus', 'bad-txns-vout-empty');
  // Only the size without witnesses is limited here. The block's weight limits witnesses.
  if (tx.strippedSize * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT) return reject('consensus', 'bad-txns-oversize');
  let total = 0;
  for (let i = 0; i < tx.outputCount; i++) {
    const value = tx.outputValue(i);
    if (value < 0) return reject('consensus', 'bad-txns-vout-negative');
    if (value > MAX_MONEY) return reject('consensus', 'bad-txns-vout-toolarge');
    total += value;
    if (total > MAX_MONEY) return reject('consensus', 'bad-txns-txouttotal-toolarge');
  }
  if (spendsTwice(tx)) return reject('consensus', 'bad-txns-inputs-duplicate');
  if (tx.isCoinbase) {
    const length = tx.scriptSig(0).length;
    if (length < MIN_COINBASE_SCRIPT || length > MAX_COINBASE_SCRIPT) return reject('consensus', 'bad-cb-length');
    return null;
  }
  for (let i = 0; i < tx.inputCount; i++) {
    if (tx.isNullOutpoint(i)) return reject('consensus', 'bad-txns-prevout-null');
  }
  return null;
}

/** Returns whether an outpoint occurs more than once among the inputs (CVE-2018-17144). */
function spendsTwice(tx: TxView): boolean {
  if (tx.inputCount <= FEW_INPUTS) return repeatsAmongFew(tx);
  const seen = new Set<string>();
  for (let i = 0; i < tx.inputCount; i++) seen.add(hashKey(tx.outpoint(i)));
  return seen.size !== tx.inputCount;
}

function repeatsAmongFew(tx: TxView): boolean {
  const { buffer } = tx;
  for (let i = 1; i < tx.inputCount; i++) {
    for (let k = 0; k < i; k++) {
      const a = tx.outpointAt(i);
      const b = tx.outpointAt(k);
      let same = 0;
      while (same < OUTPOINT_BYTES && buffer[a + same] === buffer[b + same]) same++;
      if (same === OUTPOINT_BYTES) return true;
    }
  }
  return false;
}

/** Returns the sum of the outputs in satoshis. The transaction must have passed checkTransaction. */
export function outputTotal(tx: TxView): number {
  let total = 0;
  for (let i = 0; i < tx.outputCount; i++) total += tx.outputValue(i);
  return total;
}
