// BIP-0125 signalling.
import type { TxView } from '../consensus/tx/tx-view.js';

/** Largest sequence number that signals replaceability. */
export const MAX_REPLACEABLE_SEQUENCE = 0xfffffffd;

/**
 * Returns whether an input of the transaction itself signals replaceability. Unconfirmed ancestors are not considered.
 */
export function signalsReplacement(tx: TxView): boolean {
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) <= MAX_REPLACEABLE_SEQUENCE) return true;
  return false;
}
