// Records a payment of the wallet's own and hands it in. The record comes first: a payment that is refused now may be
// taken later. Core 0.21: CWallet::CommitTransaction, CWalletTx::SubmitMemoryPoolAndRelay.

import type { TxView } from '../../consensus/tx/tx-view.js';
import { TX_STATE, UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { areStillUnspent } from './available-coins.js';
import { COINS_SPENT_MEANWHILE, createTransaction, MAX_TRIES } from './create-transaction.js';
import type { Payment, PaymentError, PaymentRequest, SpendTools } from './payment.js';
import { logOf } from './payment.js';

/** What goes with a payment's record. */
export interface Recording {
  /**
   * Asked when nothing comes between it and the record, which may have waited for other work: whether the payment
   * stands still.
   */
  readonly stands: () => boolean;
  /** Changes that belong to it, in the same batch. */
  readonly alsoWrite?: (batch: WalletBatch) => void;
}

/**
 * Makes a signed payment and records it; when its coins go while the record waits, others are chosen. To be called in
 * the spend line.
 */
export async function payAndRecord(
  wallet: Wallet,
  request: PaymentRequest,
  values: ReadonlyMap<string, string>,
  tools: SpendTools,
  yieldFirst?: () => unknown,
): Promise<Payment | PaymentError> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const made = await createTransaction(wallet, request, tools, yieldFirst);
    if ('error' in made) return made;
    const stands = (): boolean => areStillUnspent(wallet, made.chosen);
    if ((await commitTransaction(wallet, made.tx, values, tools, { stands })) !== false) return made;
  }
  return COINS_SPENT_MEANWHILE;
}

/**
 * @param values comment, to, replaces_txid
 * @returns false: it does not stand, nothing was recorded; otherwise why it is not in the mempool, null when it is
 */
export async function commitTransaction(
  wallet: Wallet,
  tx: TxView,
  values: ReadonlyMap<string, string>,
  tools: SpendTools,
  { stands, alsoWrite: also }: Recording,
): Promise<string | null | false> {
  const recorded = await wallet.change((batch) => {
    if (!stands()) return false;
    wallet.ledger.putRecord(tx, UNCONFIRMED_PLACE, batch, values);
    also?.(batch);
    return true;
    // On the disk before the node or the client gets the payment: else a loss of power could lead to a second payment.
  });
  if (!recorded) return false;
  if (!wallet.parts.options.walletBroadcast) return null;
  const refusal = await submit(wallet, tx, tools, true);
  if (refusal !== null) logOf(wallet, tools, `CommitTransaction(): Transaction cannot be broadcast immediately, ${refusal}`);
  return refusal;
}

/** Offers a transaction of the wallet to the mempool; null when it is there. @param relay tell the peers */
export async function submit(wallet: Wallet, tx: TxView, { client, options }: SpendTools, relay: boolean): Promise<string | null> {
  const row = wallet.ledger.txs.find(tx.txid);
  if (row < 0 || wallet.ledger.txs.state(row) !== TX_STATE.UNCONFIRMED) return 'not waiting';
  let refusal: string | null;
  try {
    refusal = await client.broadcast(tx.bytes, options.maxFeeSats, relay);
  } catch (error) {
    // A busy verifier, say. The record stands and is handed in again later: told of a failure, the caller would pay
    // twice.
    refusal = error instanceof Error ? error.message : String(error);
  }
  client.sync();
  await wallet.applyPendingEvents();
  return refusal;
}
