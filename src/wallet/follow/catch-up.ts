// Brings a wallet that was just loaded to the chain's tip: records of blocks that left the chain become unconfirmed,
// then the blocks after the fork are looked through.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { Slicer } from '../../lib/slicer.js';
import { TX_STATE, UNCONFIRMED_PLACE } from '../coins/tx-table.js';
import { WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import { type BlockFacts, type NodeClient, type NodeQueries, sameBlock, TIMESTAMP_WINDOW } from '../node-client.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { scannedPlace } from '../wallet-state.js';
import { connectBlock, recordBlock, withKeys } from './record-block.js';
import { parsed, type ScanDeps, scanInPipeline } from './scan-pipeline.js';

const HASH = 32;
/**
 * Blocks between two tips after which every coin is judged anew: within it, coinbases that may change are known
 * (Ledger.setTip).
 */
const MAX_INCREMENTAL_BLOCKS = 500;
/** Blocks and transactions between two writes. */
const ROWS_PER_BATCH = 500;

/** The newest block of a locator that is in the best chain; genesis without one. */
export async function forkOf(locator: Uint8Array, client: NodeClient): Promise<BlockFacts> {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at + HASH <= locator.length; at += HASH) hashes.push(locator.slice(at, at + HASH));
  for (;;) {
    const newest = (await client.heights(hashes)).findIndex((height) => height >= 0);
    if (newest < 0) return client.genesis;
    const found = await client.block(hashes[newest]);
    // It may have left the chain between the two questions.
    if (found?.inChain) return found.block;
  }
}

/** Whether a wallet was left on another network: every locator ends with genesis. */
export const isOfOtherChain = (locator: Uint8Array, { genesis }: Pick<NodeClient, 'genesis'>): boolean =>
  locator.length >= HASH && !equalBytes(locator.subarray(-HASH), genesis.hash);

/** Puts a loaded wallet at the last block that it and the chain share. */
export async function rollBack(wallet: Wallet, locator: Uint8Array, client: NodeClient): Promise<void> {
  const { ledger } = wallet;
  const { txs } = ledger;
  const fork = await forkOf(locator, client);
  wallet.tip = fork;
  // Tables that came from an image know what every coin counted as at another tip; only what differs is looked at.
  const far = !ledger.isClassified || Math.abs(ledger.tipHeight - fork.height) > MAX_INCREMENTAL_BLOCKS;
  if (far) ledger.tipHeight = fork.height;
  const staleBlocks = new Set<string>();
  const hashes = Array.from(txs.blockHashes(), (hash) => hash.slice());
  for (const [i, height] of (await client.heights(hashes)).entries()) {
    if (height < 0 || height > fork.height) staleBlocks.add(hashKey(hashes[i]));
  }
  const batch = new WalletBatch();
  const slicer = new Slicer();
  const moved: number[] = [];
  if (staleBlocks.size > 0) {
    for (const row of txs.rows()) {
      if (slicer.due) await slicer.pause();
      const state = txs.state(row);
      if (state !== TX_STATE.CONFIRMED && state !== TX_STATE.CONFLICTED) continue;
      if (!staleBlocks.has(hashKey(txs.blockHash(row)))) continue;
      const before = txs.place(row);
      if (txs.view(row) === undefined) {
        const view = await wallet.transaction(row);
        if (view) txs.setView(row, view);
      }
      txs.setPlace(row, UNCONFIRMED_PLACE);
      txs.write(row, before, null, batch);
      moved.push(row);
    }
  }
  ledger.setTip(fork.height);
  // Blocks that joined instead of those that left may hold the rivals of what waits again; they are not read a second
  // time.
  await ledger.markAllConflicted(batch);
  for (const row of moved) if (txs.isCoinbase(row) && wallet.parts.options.laterRecords) ledger.abandonTransaction(row, batch);
  if (far || moved.some((row) => txs.view(row) === undefined)) await ledger.classifyAllCoins();
  else for (const row of moved) ledger.classifyTx(txs.view(row)!);
  await wallet.commit(batch);
}

/** The blocks between the wallet's tip and the chain's are not all stored any more. */
export const beyondPruned = (): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    'Wallet loading failed. Prune: last wallet synchronisation goes beyond pruned data. You need to -reindex (download the whole blockchain again in case of pruned node)',
  );

/** Those below a snapshot are not all here yet. @param height from which on they are */
const beyondSnapshot = (height: number): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    `Wallet loading failed. Error loading wallet. Wallet requires blocks to be downloaded, and software does not currently support loading wallets while blocks are being downloaded out of order when using assumeutxo snapshots. Wallet should be able to load successfully after node sync reaches height ${height}`,
  );

/**
 * Reads the blocks between the wallet's tip and the chain's.
 * @returns false when it was told to stop
 * @throws WalletError
 */
export async function catchUp(wallet: Wallet, deps: ScanDeps, stopping: () => boolean): Promise<boolean> {
  const { client } = deps;
  const slicer = new Slicer();
  while (!sameBlock(wallet.tip, client.tip)) {
    if (stopping()) return false;
    // The chain may turn elsewhere while blocks are read.
    if (!client.contains(wallet.tip!)) {
      await rollBack(wallet, await client.locator(wallet.tip!.hash), client);
      continue;
    }
    await skipOldBlocks(wallet, client);
    const tip = wallet.tip!;
    const [first] = await client.blocks(tip.height + 1, 1);
    if (first === undefined || !follows(first, tip)) continue;
    const { havePruned, historyMissing, lowest } = await client.stored();
    if (havePruned && lowest > first.height) throw beyondPruned();
    // As Core looks: also the wallet's own last block has to be here.
    if (historyMissing && lowest > tip.height) throw beyondSnapshot(lowest);
    const batch = new WalletBatch();
    let pending = 0;
    for await (const { node, candidates, again } of scanInPipeline(wallet, first, () => client.tip.height, deps)) {
      // Turned elsewhere: the loop above finds the fork.
      if (stopping() || !follows(node, wallet.tip!) || !client.contains(node)) break;
      const { crypto, options } = wallet.parts;
      connectBlock(wallet, node);
      pending++;
      for (let found: typeof candidates | undefined = candidates; found !== undefined; found = await again()) {
        if (found === null) throw new Error(`block ${node.height} cannot be read, and the wallet does not know it yet`);
        // A second look is for what the first one left out.
        const transactions = found;
        const record = (): void =>
          recordBlock(wallet, node, parsed(transactions, crypto), batch, scannedPlace(options), transactions === candidates);
        while (!withKeys(wallet, record)) await slicer.pause();
        pending += found.length;
      }
      if (slicer.due) await slicer.pause();
      if (pending < ROWS_PER_BATCH && !sameBlock(node, client.tip)) continue;
      await updateLocator(wallet, client, batch);
      await wallet.commit(batch);
      batch.clear();
      pending = 0;
    }
    await updateLocator(wallet, client, batch);
    await wallet.commit(batch);
  }
  return true;
}

/** Whether a block comes right after another. */
const follows = ({ prevHash }: BlockFacts, { hash }: BlockFacts): boolean => prevHash !== null && equalBytes(prevHash, hash);

/** Writes the locator of a tip that no event brought. */
export async function updateLocator(wallet: Wallet, client: NodeQueries, batch: WalletBatch): Promise<void> {
  wallet.locator = await client.locator(wallet.tip!.hash);
  wallet.writeLocator(batch);
}

/**
 * Nothing older than the oldest key, less what clocks may be off, can matter. When no block is as young as that, the
 * clock that gave the key its time may have run ahead: every block is read, as in Core.
 */
async function skipOldBlocks(wallet: Wallet, client: NodeClient): Promise<void> {
  const { birthSeconds } = wallet.keys;
  const first = await client.firstBlockSince(birthSeconds - TIMESTAMP_WINDOW);
  // Without any key no block can matter.
  const last = first === null ? (birthSeconds === Number.POSITIVE_INFINITY ? client.tip : null) : await blockBefore(first, client);
  if (last === null || last.height <= wallet.tip!.height) return;
  wallet.tip = last;
  wallet.ledger.setTip(last.height);
}

/** The block before another; null before genesis. */
export const blockBefore = async ({ prevHash }: BlockFacts, client: NodeQueries): Promise<BlockFacts | null> =>
  prevHash === null ? null : ((await client.block(prevHash))?.block ?? null);
