// BIP-0054: no transaction, coinbases included, has exactly the size of two hashes, which in a merkle tree could be
// taken for an inner node.
import type { Verdict } from '../../state.js';
import type { TxView } from '../../tx/tx-view.js';
import { reject } from '../reject.js';

/** Bytes without witness. */
const INNER_NODE_BYTES = 64;

/** For each transaction of a block. */
export function checkTransactionSize(tx: TxView): Verdict {
  return tx.strippedSize === INNER_NODE_BYTES ? reject('consensus', 'bad-txns-size', 'transaction of 64 bytes without witness') : null;
}
