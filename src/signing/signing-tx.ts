// A transaction with what it spends, as signing and merging look at it.
import { SighashCache } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';

/** Value of an output whose amount is unknown: the most there can be, in satoshis. */
export const UNKNOWN_AMOUNT = 2_100_000_000_000_000;

/** A transaction with what it spends, for one signing or merging call. */
export interface SigningTx {
  readonly tx: TxView;
  /** Per input; null where the output is not known. */
  readonly spent: readonly (SpentOutput | null)[];
  /** Made for this transaction and these outputs. */
  readonly sighash: SighashCache;
  readonly crypto: Crypto;
}

export function signingTx(tx: TxView, spent: readonly (SpentOutput | null)[], crypto: Crypto): SigningTx {
  return { tx, spent, sighash: new SighashCache(tx, crypto, spent), crypto };
}
