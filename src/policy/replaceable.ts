// BIP-0125's signal. Used by the mempool's conflict rules and by RPC's bip125-replaceable.
import type { TxView } from '../consensus/tx/tx-view.js';

/** Sequences up to this one opt in to replacement. */
export const MAX_REPLACEABLE_SEQUENCE = 0xfffffffd;

/** Whether an input of the transaction itself opts in; unconfirmed ancestors may do it for it elsewhere. */
export function signalsReplacement(tx: TxView): boolean {
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) <= MAX_REPLACEABLE_SEQUENCE) return true;
  return false;
}
