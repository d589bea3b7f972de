// Applies a block to a wallet. The block may come from an event, from the catch-up of a loaded wallet, or from a scan
// of past blocks.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { BlockFacts } from '../node-client.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { placeIn, type WalletState } from '../wallet-state.js';

/**
 * Runs work that records transactions.
 * @returns false if the transactions paid the last keys of a pool and not all replacements were derived. Later
 *   transactions may pay those missing keys, so yield and then run the same work again
 */
export function withKeys({ keys }: WalletState, work: () => void): boolean {
  keys.needsMoreKeys = false;
  work();
  return !keys.needsMoreKeys;
}

/**
 * Records the transactions of a block that concern a wallet.
 * @param found transactions that may concern the wallet, in order, with their positions
 * @param placed returns the place of a transaction, from its block and position
 * @param update false: leave known transactions alone
 */
export function recordBlock(
  { ledger }: WalletState,
  node: BlockFacts,
  found: Iterable<readonly [position: number, tx: TxView]>,
  batch: WalletBatch,
  placed = placeIn,
  update = true,
): void {
  for (const [position, tx] of found) {
    ledger.syncTransaction(tx, placed(node, position), batch, update);
    ledger.setInMempool(tx, false);
  }
}

/** Moves the wallet's tip to a block that was connected on top of the tip. The caller writes the locator. */
export function connectBlock(wallet: WalletState, node: BlockFacts): void {
  wallet.position.moveTo(node);
  wallet.ledger.setTip(node.height);
}

/**
 * Moves the wallet's tip back to the previous block, because the tip was disconnected. The caller writes the locator.
 */
export function disconnectBlock(wallet: WalletState, before: BlockFacts, txs: readonly TxView[], batch: WalletBatch): void {
  wallet.position.moveBack(before);
  wallet.ledger.setTip(before.height);
  for (const tx of txs) wallet.ledger.syncTransaction(tx, UNCONFIRMED_PLACE, batch);
}
