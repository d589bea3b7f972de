// Records a payment of the wallet's own and hands it in. The record comes first: a payment that is refused now may be taken later.
// Core 0.21: CWallet::CommitTransaction, CWalletTx::SubmitMemoryPoolAndRelay.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { NOWHERE, TX_STATE } from '../coins/tx-table.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import type { SpendTools } from './create-transaction.js';

/**
 * @param values comment, to, replaces_txid @param also changes that belong to it, in the same batch
 * @returns why it is not in the mempool, null when it is
 */
export async function commitTransaction(
  wallet: Wallet,
  tx: TxView,
  values: ReadonlyMap<string, string>,
  tools: SpendTools,
  also?: (batch: WalletBatch) => void,
): Promise<string | null> {
  await wallet.change((batch) => {
    wallet.ledger.put(tx, NOWHERE, batch, values);
    also?.(batch);
    // On the disk before anybody hears of the payment: a record lost with the machine's power would have it paid twice.
  }, true);
  if (!wallet.parts.options.walletBroadcast) return null;
  const refusal = await submit(wallet, tx, tools, true);
  if (refusal !== null) logOf(wallet, tools, `CommitTransaction(): Transaction cannot be broadcast immediately, ${refusal}`);
  return refusal;
}

/** Offers a transaction of the wallet to the mempool; null when it is there. @param relay tell the peers */
export async function submit(wallet: Wallet, tx: TxView, { node, options }: SpendTools, relay: boolean): Promise<string | null> {
  const row = wallet.ledger.txs.find(tx.txid);
  if (row < 0 || wallet.ledger.txs.state(row) !== TX_STATE.UNCONFIRMED) return 'not waiting';
  let refusal: string | null;
  try {
    refusal = await node.broadcast(tx, options.maxFeeSats, relay);
  } catch (error) {
    // A busy verifier, say. The record stands and is handed in again later: told of a failure, the caller would pay twice.
    refusal = error instanceof Error ? error.message : String(error);
  }
  await wallet.caughtUp();
  return refusal;
}

/** A line for the operator that names the wallet, as Core's do. */
export function logOf(wallet: Wallet, { node }: Pick<SpendTools, 'node'>, line: string): void {
  node.log(`[${wallet.name === '' ? 'default wallet' : wallet.name}] ${line}`);
}
