// What a block does to a wallet, from any source: events, the catching up of a wallet that was just loaded, and scans
// of past blocks.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import type { BlockFacts } from '../node-client.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { placeIn, type WalletState } from '../wallet-state.js';

/**
 * Runs work that records transactions.
 * @returns false: payments used up more keys than it made. It is to be run again after a turn for others, until when the
 * same transactions may pay keys that are not there yet
 */
export function withKeys({ keys }: WalletState, work: () => void): boolean {
  keys.needsMoreKeys = false;
  work();
  return !keys.needsMoreKeys;
}

/**
 * Records what a block holds for a wallet.
 * @param found its transactions that may concern the wallet, in order, with their places
 * @param placed where records of them are
 * @param update false: known ones are left alone
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
    ledger.sync(tx, placed(node, position), batch, update);
    ledger.leftMempool(tx.txid);
  }
}

/** A block joined the chain on top of the wallet's tip. The caller writes the locator. */
export function connectBlock(wallet: WalletState, node: BlockFacts): void {
  wallet.tip = node;
  wallet.ledger.setTip(node.height);
}

/** The wallet's tip left the chain: one before it is the tip. The caller writes the locator. */
export function disconnectBlock(wallet: WalletState, before: BlockFacts, txs: readonly TxView[], batch: WalletBatch): void {
  connectBlock(wallet, before);
  wallet.disconnects++;
  for (const tx of txs) wallet.ledger.sync(tx, UNCONFIRMED_PLACE, batch);
}
