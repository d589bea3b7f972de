// A transaction with its spent outputs, for signing and merging.
import { SighashCache } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';

/** Value of an output whose amount is unknown: MAX_MONEY, in satoshis. */
export const UNKNOWN_AMOUNT = 2_100_000_000_000_000;

/** Transaction with its spent outputs, for one signing or merging call. */
export interface SigningTx {
  readonly tx: TxView;
  /** Output that each input spends; null if unknown. */
  readonly spent: readonly (SpentOutput | null)[];
  /** Sighash cache for this transaction and these outputs. */
  readonly sighash: SighashCache;
  readonly crypto: Crypto;
}

export function signingTx(tx: TxView, spent: readonly (SpentOutput | null)[], crypto: Crypto): SigningTx {
  return { tx, spent, sighash: new SighashCache(tx, crypto, spent), crypto };
}
