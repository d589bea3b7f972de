// BIP-0054: a transaction, also a coinbase, must not have exactly the size of two hashes, because it could be mistaken
// for an inner node of a merkle tree.
import type { Verdict } from '../../state.js';
import type { TxView } from '../../tx/tx-view.js';
import { reject } from '../reject.js';

/** Forbidden size in bytes, without witness. */
const INNER_NODE_BYTES = 64;

export function checkTransactionSize(tx: TxView): Verdict {
  return tx.strippedSize === INNER_NODE_BYTES ? reject('consensus', 'bad-txns-size', 'transaction of 64 bytes without witness') : null;
}
