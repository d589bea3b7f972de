// What a block does to a wallet, in steps that give others a turn in between and let rows go to disk as they come, so
// that neither is one long piece of work however much of a block is the wallet's. Rows may be on disk before the
// locator says so: a wallet that was cut off takes back what names a block above its locator and reads the block again
// (rollBack in catch-up.ts). So the locator follows the rows of blocks that join and goes before those of blocks that
// leave.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Steps } from '../coins/ledger.js';
import { NOWHERE } from '../coins/tx-table.js';
import type { BlockFacts } from '../node-client.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { DEFAULT_PACE, placeIn, type WalletState } from '../wallet-state.js';

/**
 * A block joined the chain on top of the wallet's tip.
 * @param found its transactions that may concern the wallet, in order, with their places
 * @param placed where records of them are
 */
export function* connectBlock(
  wallet: WalletState,
  node: BlockFacts,
  found: Iterable<readonly [position: number, tx: TxView]>,
  batch: WalletBatch,
  placed = placeIn,
): Steps {
  const { ledger } = wallet;
  wallet.tip = node;
  ledger.setTip(node.height);
  for (const [position, tx] of found) {
    yield* ledger.syncing(tx, placed(node, position), batch);
    ledger.leftMempool(tx.txid);
    yield true;
  }
}

/** The wallet's tip left the chain: one before it is the tip. */
export function* disconnectBlock(wallet: WalletState, before: BlockFacts, txs: readonly TxView[], batch: WalletBatch): Steps {
  wallet.tip = before;
  wallet.writeLocator(batch);
  wallet.ledger.setTip(before.height);
  for (const tx of txs) {
    yield* whole(wallet.ledger.syncing(tx, NOWHERE, batch));
    yield true;
  }
}

/** Steps of a transaction in no block: nobody would make up for rows that are missing. */
export function* whole(steps: Steps<unknown>): Steps {
  for (const _ of steps) yield false;
}

/** Takes steps in turns and writes what they bring. @param rest a turn for others, when it is due */
export async function takeSteps(
  wallet: WalletState,
  steps: Steps,
  batch: WalletBatch,
  rest: () => Promise<void> | undefined,
): Promise<void> {
  const { rowsPerWrite } = wallet.parts.pace ?? DEFAULT_PACE;
  for (const writable of steps) {
    if (writable && batch.ops.length >= rowsPerWrite) {
      await wallet.commit(batch);
      batch.clear();
    }
    const pause = rest();
    if (pause) await pause;
  }
}
