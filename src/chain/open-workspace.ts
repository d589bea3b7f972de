// Start-up: header tree, block files, genesis, an interrupted flush, the tip that the coins stand at.

import { parseBlock } from '../consensus/block/block-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { blockProof } from '../consensus/rules/bits.js';
import { VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { BlockPosition } from '../storage/block-records.js';
import { blockIndexKey, TIP_KEY } from '../storage/layout.js';
import { RECORD_HEAD_BYTES } from '../storage/record-file.js';
import { StoreError } from '../storage/store-error.js';
import { ActiveChain } from './active-chain.js';
import { BlockIndex } from './block-index.js';
import { BlockStorage } from './block-storage.js';
import { ChainFault } from './chain-fault.js';
import { CoinsCache } from './coins/coins-cache.js';
import { loadIndex } from './load-index.js';
import { forgetLost, recountUndo, rollBackLost } from './lost-tail.js';
import { type ChainDeps, type ChainOptions, defaultChainOptions } from './options.js';
import { rowOp } from './persister.js';
import { loadPruned } from './pruner.js';
import { replayFlush } from './replay-flush.js';
import type { ChainWorkspace } from './workspace.js';

/** Everything the chain works on, with coins and tip consistent. @throws StoreError, ChainFault */
export async function openWorkspace(given: Partial<ChainOptions>, deps: ChainDeps): Promise<ChainWorkspace> {
  const options: ChainOptions = { ...defaultChainOptions, ...given };
  const { params, store, crypto, clock, log, verifier, stopping, observe } = deps;
  const active = new ActiveChain();
  const index = new BlockIndex(active);
  // Before the rows are judged by this network's rules, under which those of another are damage.
  if ((await store.get(TIP_KEY)) !== undefined && (await store.get(blockIndexKey(params.genesisHash))) === undefined) {
    throw new ChainFault('Incorrect or no genesis block found. Wrong datadir for network?', undefined);
  }
  const { rows, lastKnown, lastKnownUndo, storedBackwards } = await loadIndex(store, index, params.powLimit);
  const files = await deps.openFiles({ lastKnown, lastKnownUndo, knownBackwards: storedBackwards });
  const blocks = new BlockStorage(files, crypto);
  const ws: ChainWorkspace = {
    params,
    options,
    crypto,
    clock,
    log,
    verifier,
    store,
    blocks,
    index,
    active,
    leftRollbacks: 0,
    coins: new CoinsCache({ budgetBytes: options.coinsCacheBytes }, { store }),
    versionBits: new VersionBitsCache(),
    stopping: () => stopping?.aborted === true,
    observe: observe ?? (() => undefined),
  };
  try {
    if (rows === 0) await createGenesis(ws);
    await loadPruned(ws);
    for (const file of index.lastHeights.keys()) {
      if (!files.hasFile(file))
        throw new StoreError('STORE_CORRUPTION', `The block index names blocks in file ${file}, which is not there`);
    }
    await replayFlush({ store, index, blocks, log });
    const tipHash = await store.get(TIP_KEY);
    const tip = tipHash === undefined ? undefined : index.get(tipHash);
    if (tip === undefined) throw new ChainFault('The coins stand at a block that the index does not know', undefined);
    active.setTip(await rollBackLost(ws, tip));
    if ((await forgetLost(ws)) || active.tip !== tip) recountUndo(ws, lastKnownUndo);
    index.finishLoad();
    return ws;
  } catch (error) {
    await files.close().catch(() => undefined);
    throw error;
  }
}

/** The first block of a new data folder. Its output can never be spent, so the coins begin empty. */
async function createGenesis(ws: ChainWorkspace): Promise<void> {
  const block = parseBlock(ws.params.genesis, ws.crypto);
  const at = (await storedGenesis(ws)) ?? (await ws.blocks.append(block));
  const node = ws.index.addHeader(block.header.bytes, block.hash, null, blockProof(block.header.bits));
  ws.index.receivedTransactions(node, block.txs.length, at.file, at.pos);
  ws.index.dirty.delete(node);
  // Whatever else a loss of power takes, the chain goes back to this one.
  await ws.blocks.files.sync();
  await ws.store.batch([rowOp(node), { type: 'put', key: TIP_KEY, value: node.hash }]);
}

/**
 * Where the first block lies in files that were there before the database: at the very beginning, as every node writes
 * it.
 */
async function storedGenesis(ws: ChainWorkspace): Promise<BlockPosition | null> {
  const at = { file: 0, pos: RECORD_HEAD_BYTES };
  try {
    return equalBytes(await ws.blocks.files.readBlock(at), ws.params.genesis) ? at : null;
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'STORE_NOT_FOUND' || error.code === 'STORE_CORRUPTION')) return null;
    throw error;
  }
}
