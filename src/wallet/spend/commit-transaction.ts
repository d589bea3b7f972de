// Records a payment of the wallet, then submits it. The record comes first, because a payment that the mempool refuses
// now may be accepted later. Core 0.21: CWallet::CommitTransaction, CWalletTx::SubmitMemoryPoolAndRelay.

import type { TxView } from '../../consensus/tx/tx-view.js';
import { TX_STATE, UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { areStillUnspent } from './available-coins.js';
import { COINS_SPENT_MEANWHILE, createTransaction, MAX_TRIES } from './create-transaction.js';
import type { Payment, PaymentError, PaymentRequest, SpendTools } from './payment.js';
import { logOf } from './payment.js';

/** Condition for recording a payment, and changes to write with its record. */
export interface Recording {
  /**
   * Returns whether the payment is still valid. Called immediately before recording. Other work may have changed the
   * coins since the payment was signed.
   */
  readonly isStillValid: () => boolean;
  /** Writes further changes into the same batch. */
  readonly alsoWrite?: (batch: WalletBatch) => void;
}

/**
 * Makes a signed payment and records it. If other work spends the chosen coins before the payment is recorded, makes
 * the payment again with other coins. Call this in the payment queue.
 */
export async function payAndRecord(
  wallet: Wallet,
  request: PaymentRequest,
  values: ReadonlyMap<string, string>,
  tools: SpendTools,
): Promise<Payment | PaymentError> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const made = await createTransaction(wallet, request, tools);
    if ('error' in made) return made;
    const stands = (): boolean => areStillUnspent(wallet, made.chosen);
    if ((await commitTransaction(wallet, made.tx, values, tools, { isStillValid: stands })) !== false) return made;
  }
  return COINS_SPENT_MEANWHILE;
}

/**
 * Records and submits a transaction.
 * @param values comment, to, replaces_txid
 * @returns false if the payment is no longer valid, so that nothing was recorded; otherwise the mempool's reject
 *   reason, or null if it accepted the transaction
 */
export async function commitTransaction(
  wallet: Wallet,
  tx: TxView,
  values: ReadonlyMap<string, string>,
  tools: SpendTools,
  { isStillValid: stands, alsoWrite: also }: Recording,
): Promise<string | null | false> {
  const recorded = await wallet.change((batch) => {
    if (!stands()) return false;
    wallet.ledger.putRecord(tx, UNCONFIRMED_PLACE, batch, values);
    also?.(batch);
    return true;
    // Sync the record to disk before the node or the client gets the payment. Otherwise a power loss could lead to a
    // second payment.
  });
  if (!recorded) return false;
  if (!wallet.parts.options.walletBroadcast) return null;
  const refusal = await submit(wallet, tx, tools, true);
  if (refusal !== null) logOf(wallet, tools, `CommitTransaction(): Transaction cannot be broadcast immediately, ${refusal}`);
  return refusal;
}

/**
 * Submits a transaction of the wallet to the mempool.
 * @param relay whether to announce it to peers
 * @returns why it was not accepted; null if it is in the mempool
 */
export async function submit(wallet: Wallet, tx: TxView, { client, options }: SpendTools, relay: boolean): Promise<string | null> {
  const row = wallet.ledger.txs.find(tx.txid);
  if (row < 0 || wallet.ledger.txs.state(row) !== TX_STATE.UNCONFIRMED) return 'not waiting';
  let refusal: string | null;
  try {
    refusal = await client.broadcast(tx.bytes, options.maxFeeSats, relay);
  } catch (error) {
    // The submission failed, for example because a verifier is busy. The record stays and is submitted again later, so
    // report no error: the caller would pay twice.
    refusal = error instanceof Error ? error.message : String(error);
  }
  client.sync();
  await wallet.events.applyPending();
  return refusal;
}
