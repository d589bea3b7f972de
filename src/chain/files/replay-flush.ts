// Repairs coins after a crash in the middle of a flush in several batches. Writes every coin that changed between the
// two blocks of the marker again, in block order. The last write of a coin determines its state, whatever the crash
// left. Repeating the repair changes nothing.

import type { BlockView } from '../../consensus/block/block-view.js';
import { type Coin, isUnspendable } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { encodeCoin } from '../../storage/codec/coin.js';
import { type CoinSpace, decodeFlushMarker } from '../../storage/layout.js';
import type { BatchOp, Store } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import { OutpointOf } from '../connect/coins-overlay.js';
import type { BlockIndex } from '../tree/block-index.js';
import { type HeaderNode, lastCommonAncestor } from '../tree/header-node.js';
import type { BlockStorage } from './block-storage.js';

/** Dependencies of the repair. */
export interface ReplayDeps {
  readonly store: Store;
  readonly space: CoinSpace;
  readonly index: BlockIndex;
  readonly blocks: BlockStorage;
  readonly log: { info(message: string): void };
}

/** Finishes an interrupted flush if the database has its marker. */
export async function replayFlush({ store, space, index, blocks, log }: ReplayDeps): Promise<void> {
  const value = await store.get(space.flushMarkerKey);
  if (value === undefined) return;
  const marker = decodeFlushMarker(value);
  const from = marker === null ? undefined : index.get(marker.from);
  const to = marker === null ? undefined : index.get(marker.to);
  if (from === undefined || to === undefined) throw new StoreError('STORE_CORRUPTION', 'The flush marker refers to unknown blocks');
  log.info(`Replaying blocks: coins were being written from height ${from.height} to ${to.height}`);
  const fork = lastCommonAncestor(from, to);
  for (let node: HeaderNode = from; node !== fork; node = node.prev as HeaderNode) {
    await store.batch(rollbackOps(space, await blocks.read(node), await blocks.readUndo(node)));
    await yieldToLoop();
  }
  for (let height = fork.height + 1; height <= to.height; height++) {
    await store.batch(rollforwardOps(space, await blocks.read(to.ancestor(height) as HeaderNode), height));
    await yieldToLoop();
  }
  const end: BatchOp[] = [
    { type: 'put', key: space.tipKey, value: to.hash },
    { type: 'del', key: space.flushMarkerKey },
  ];
  await store.batch(end, { sync: true });
}

function rollbackOps(space: CoinSpace, block: BlockView, spent: readonly (readonly Coin[])[]): BatchOp[] {
  const ops: BatchOp[] = [];
  for (let t = block.txs.length - 1; t >= 0; t--) {
    const tx = block.txs[t] as TxView;
    for (let o = 0; o < tx.outputCount; o++) ops.push({ type: 'del', key: space.key(new OutpointOf().set(tx.txid, o)) });
    const coins = t === 0 ? [] : (spent[t - 1] ?? []);
    for (let i = 0; i < coins.length; i++) ops.push({ type: 'put', key: space.key(tx.outpoint(i)), value: encodeCoin(coins[i] as Coin) });
  }
  return ops;
}

function rollforwardOps(space: CoinSpace, block: BlockView, height: number): BatchOp[] {
  const ops: BatchOp[] = [];
  for (let t = 0; t < block.txs.length; t++) {
    const tx = block.txs[t] as TxView;
    for (let i = 0; t > 0 && i < tx.inputCount; i++) ops.push({ type: 'del', key: space.key(tx.outpoint(i)) });
    for (let o = 0; o < tx.outputCount; o++) {
      const script = tx.outputScript(o);
      if (isUnspendable(script)) continue;
      const coin = { value: tx.outputValue(o), script, height, coinbase: t === 0 };
      ops.push({ type: 'put', key: space.key(new OutpointOf().set(tx.txid, o)), value: encodeCoin(coin) });
    }
  }
  return ops;
}
