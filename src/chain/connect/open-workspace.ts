// Opens the chain's state at start: block tree, block files, genesis block, an interrupted flush, and the tip of the
// coins.

import { parseBlock } from '../../consensus/block/block-view.js';
import { equalBytes, hashToHex } from '../../consensus/bytes/hex.js';
import { blockProof } from '../../consensus/rules/bits.js';
import { VersionBitsCache } from '../../consensus/rules/versionbits.js';
import { ListenerGuard } from '../../lib/listener-guard.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { decodeCoinSets } from '../../storage/codec/coin-sets.js';
import { blockIndexKey, COIN_SETS_KEY, type CoinSpace, otherCoins } from '../../storage/layout.js';
import { RECORD_HEAD_BYTES } from '../../storage/record-file.js';
import { StoreError } from '../../storage/store-error.js';
import { ChainFault } from '../chain-fault.js';
import { CoinsCache } from '../coins/coins-cache.js';
import { ReadGate } from '../coins/read-gate.js';
import { BlockStorage } from '../files/block-storage.js';
import { forgetLost, recountUndo, rollBackLost } from '../files/lost-tail.js';
import { rowOp } from '../files/persister.js';
import { loadPruned } from '../files/pruner.js';
import { replayFlush } from '../files/replay-flush.js';
import { type ChainDeps, type ChainOptions, defaultChainOptions } from '../options.js';
import { assumedCoinsOf, clearOther } from '../snapshot/load-snapshot.js';
import { ActiveChain } from '../tree/active-chain.js';
import { BlockIndex } from '../tree/block-index.js';
import { loadIndex } from '../tree/load-index.js';
import { ScriptsLog } from './scripts-log.js';
import type { ChainWorkspace } from './workspace.js';

/** State of an opened chain. */
export interface OpenedWorkspace {
  readonly ws: ChainWorkspace;
  /** Chain and coins below a snapshot that is not validated yet; null for none. */
  readonly history: ChainWorkspace | null;
}

/**
 * Opens the workspace, with coins and tips in agreement.
 * @throws StoreError, ChainFault
 */
export async function openWorkspace(given: Partial<ChainOptions>, deps: ChainDeps): Promise<OpenedWorkspace> {
  const options: ChainOptions = { ...defaultChainOptions, ...given };
  const { params, store, crypto, clock, log, verifier, blockHasher, stopping, observe } = deps;
  const guard = deps.guard ?? new ListenerGuard(log);
  const active = new ActiveChain();
  const index = new BlockIndex(active);
  // Check the genesis block before the other rows: rows of another network would look like damage.
  const sets = decodeCoinSets(await store.get(COIN_SETS_KEY));
  const space = sets.active;
  if ((await store.get(space.tipKey)) !== undefined && (await store.get(blockIndexKey(params.genesisHash))) === undefined) {
    throw new ChainFault('Incorrect or no genesis block found. Wrong datadir for network?', undefined);
  }
  if (sets.other === 'rubbish') await clearOther({ store, space });
  if (sets.other === 'history') {
    const assumed = assumedCoinsOf(deps, sets.base);
    if (assumed === undefined) {
      throw new ChainFault(`Assumeutxo data not found for the given blockhash '${hashToHex(sets.base)}'.`, undefined);
    }
    index.loadAssumed(sets.base, assumed.chainTxCount);
  }
  const { rows, lastKnown, lastKnownUndo, storedBackwards } = await loadIndex(store, index, params.powLimit);
  const files = await deps.openFiles({ lastKnown, lastKnownUndo, knownBackwards: storedBackwards });
  const blocks = new BlockStorage(files, crypto);
  const gate = new ReadGate();
  const ws: ChainWorkspace = {
    params,
    options,
    crypto,
    clock,
    log,
    guard,
    verifier,
    blockHasher,
    store,
    space,
    blocks,
    index,
    active,
    leftRollbacks: 0,
    coins: new CoinsCache({ budgetBytes: options.coinsCacheBytes }, { store, space, gate }),
    coinsGate: gate,
    versionBits: new VersionBitsCache(),
    isHistory: false,
    scriptsLog: new ScriptsLog(log),
    stopping: () => stopping?.aborted === true,
    observe: observe ?? (() => undefined),
  };
  try {
    if (rows === 0) await createGenesis(ws);
    await loadPruned(ws);
    for (const file of index.lastHeights.keys()) {
      if (!files.hasFile(file))
        throw new StoreError('STORE_CORRUPTION', `The block index refers to blocks in file ${file}, which does not exist`);
    }
    if (sets.other === 'history' && index.assumed === null) {
      throw new StoreError('STORE_CORRUPTION', 'The block index lacks the block of the snapshot');
    }
    const history = index.assumed === null ? null : historyOf(ws, otherCoins(space));
    let moved = await standAtCoins(ws);
    if (history !== null) moved = (await standAtCoins(history)) || moved;
    if ((await forgetLost(ws, history?.active ?? null)) || moved) recountUndo(ws, lastKnownUndo);
    index.finishLoad();
    return { ws, history };
  } catch (error) {
    await files.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Returns a workspace with the same store, files and tree, but another active chain and another set of coins. The two
 * coins caches share the memory budget.
 * @param space set of coins at a block below the snapshot block, or on another branch
 */
export function historyOf(ws: ChainWorkspace, space: CoinSpace): ChainWorkspace {
  const budgetBytes = Math.floor(ws.options.coinsCacheBytes / 2);
  ws.coins.budgetBytes = ws.options.coinsCacheBytes - budgetBytes;
  const coins = new CoinsCache({ budgetBytes }, { store: ws.store, space });
  return { ...ws, space, coins, active: new ActiveChain(), leftRollbacks: 0, isHistory: true };
}

/**
 * Sets the tip to the block of the coins, after repairs.
 * @returns whether that block differs from the one at which the coins were last written
 */
async function standAtCoins(ws: ChainWorkspace): Promise<boolean> {
  const { store, space, index, blocks, log } = ws;
  await replayFlush({ store, space, index, blocks, log });
  const tipHash = await store.get(space.tipKey);
  const tip = tipHash === undefined ? undefined : index.get(tipHash);
  if (tip === undefined)
    throw new ChainFault('The last block of the coins database is not in the block index. Start with -reindex to rebuild both', undefined);
  ws.active.setTip(await rollBackLost(ws, tip));
  // The two repairs before this wrote coins without the cache.
  return ws.active.tip !== tip;
}

/** Stores the genesis block in a new data folder. Its output can never be spent, so there are no coins. */
async function createGenesis(ws: ChainWorkspace): Promise<void> {
  const block = parseBlock(ws.params.genesis, ws.crypto);
  const at = (await storedGenesis(ws)) ?? (await ws.blocks.append(block));
  const node = ws.index.addHeader(block.header.bytes, block.hash, null, blockProof(block.header.bits));
  ws.index.receivedTransactions(node, block.txs.length, at.file, at.pos);
  ws.index.dirty.delete(node);
  // Sync, so that the chain can return to the genesis block after any power failure.
  await ws.blocks.files.sync();
  await ws.store.batch([rowOp(node), { type: 'put', key: ws.space.tipKey, value: node.hash }], { alone: true });
}

/**
 * Returns the position of the genesis block in existing block files; null if it is not there. Every node writes it at
 * the very beginning.
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
