// Brings a loaded wallet to the chain's tip. Records of blocks that left the chain become unconfirmed. Then the blocks
// after the fork are scanned.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { TimeSlice } from '../../lib/time-slice.js';
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
 * Number of blocks between two tips up to which only the coinbases that Ledger.setTip checks can change their category.
 * For larger distances, all coins are classified again.
 */
const MAX_INCREMENTAL_BLOCKS = 500;
/** Number of blocks and transactions between two writes. */
const ROWS_PER_BATCH = 500;

/** Returns the newest block of a locator that is in the best chain; the genesis block for an empty locator. */
export async function forkOf(locator: Uint8Array, client: NodeClient): Promise<BlockFacts> {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at + HASH <= locator.length; at += HASH) hashes.push(locator.slice(at, at + HASH));
  for (;;) {
    const newest = (await client.heights(hashes)).findIndex((height) => height >= 0);
    if (newest < 0) return client.genesis;
    const found = await client.block(hashes[newest]);
    // The block may have left the chain between the two queries.
    if (found?.inChain) return found.block;
  }
}

/** Returns whether a wallet belongs to another network. Every locator ends with the genesis block. */
export const isOfOtherChain = (locator: Uint8Array, { genesis }: Pick<NodeClient, 'genesis'>): boolean =>
  locator.length >= HASH && !equalBytes(locator.subarray(-HASH), genesis.hash);

/** Moves the tip of a loaded wallet back to the last of its blocks that is in the best chain. */
export async function rollBack(wallet: Wallet, locator: Uint8Array, client: NodeClient): Promise<void> {
  const { ledger } = wallet;
  const { txs } = ledger;
  const fork = await forkOf(locator, client);
  wallet.position.moveTo(fork);
  // Tables loaded from an image were computed at an older tip. Recompute only the coins whose category may have changed
  // since then.
  const far = !ledger.isClassified || Math.abs(ledger.tipHeight - fork.height) > MAX_INCREMENTAL_BLOCKS;
  if (far) ledger.tipHeight = fork.height;
  const staleBlocks = new Set<string>();
  const hashes = Array.from(txs.blockHashes(), (hash) => hash.slice());
  for (const [i, height] of (await client.heights(hashes)).entries()) {
    if (height < 0 || height > fork.height) staleBlocks.add(hashKey(hashes[i]));
  }
  const batch = new WalletBatch();
  const slice = new TimeSlice();
  const moved: number[] = [];
  if (staleBlocks.size > 0) {
    for (const row of txs.rows()) {
      if (slice.over) await slice.next();
      const state = txs.state(row);
      if (state !== TX_STATE.CONFIRMED && state !== TX_STATE.CONFLICTED) continue;
      if (!staleBlocks.has(hashKey(txs.blockHash(row)))) continue;
      const before = txs.place(row);
      if (txs.view(row) === undefined) {
        const view = await wallet.reader.readOne(row);
        if (view) txs.setView(row, view);
      }
      txs.setPlace(row, UNCONFIRMED_PLACE);
      txs.write(row, before, null, batch);
      moved.push(row);
    }
  }
  ledger.setTip(fork.height);
  // Blocks of the new branch that the wallet already scanned are not scanned again. Their transactions may conflict
  // with those that have just become unconfirmed.
  ledger.markAllConflicted(batch);
  for (const row of moved) if (txs.isCoinbase(row) && wallet.parts.options.laterRecords) ledger.abandonTransaction(row, batch);
  if (far || moved.some((row) => txs.view(row) === undefined)) ledger.classifyAllCoins();
  else for (const row of moved) ledger.classifyTx(txs.view(row)!);
  await wallet.commit(batch);
}

/** Returns the error for a wallet whose missing blocks (between its tip and the chain's tip) were partly pruned. */
export const beyondPruned = (): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    'Wallet loading failed. Prune: last wallet synchronisation goes beyond pruned data. You need to -reindex (download the whole blockchain again in case of pruned node)',
  );

/**
 * Returns the error for a wallet that needs blocks below a coins snapshot which are not downloaded yet.
 * @param height first height from which all blocks are stored
 */
const beyondSnapshot = (height: number): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    `Wallet loading failed. Error loading wallet. Wallet requires blocks to be downloaded, and software does not currently support loading wallets while blocks are being downloaded out of order when using assumeutxo snapshots. Wallet should be able to load successfully after node sync reaches height ${height}`,
  );

/**
 * Scans the blocks between the wallet's tip and the chain's tip.
 * @returns false if `stopping` ended the scan
 * @throws WalletError
 */
export async function catchUp(wallet: Wallet, deps: ScanDeps, stopping: () => boolean): Promise<boolean> {
  const { client } = deps;
  const slice = new TimeSlice();
  while (!sameBlock(wallet.tip, client.tip)) {
    if (stopping()) return false;
    // The chain may reorganise while blocks are read.
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
    // As in Core, the wallet's own last block must be stored as well.
    if (historyMissing && lowest > tip.height) throw beyondSnapshot(lowest);
    const batch = new WalletBatch();
    let pending = 0;
    for await (const { node, candidates, again } of scanInPipeline(wallet, first, () => client.tip.height, deps)) {
      // The chain was reorganised. The outer loop finds the fork.
      if (stopping() || !follows(node, wallet.tip!) || !client.contains(node)) break;
      const { crypto, options } = wallet.parts;
      connectBlock(wallet, node);
      pending++;
      for (let found: typeof candidates | undefined = candidates; found !== undefined; found = await again()) {
        if (found === null) throw new Error(`Block ${node.height} cannot be read, but the wallet has not scanned it yet`);
        // A repeated scan returns only transactions for scripts that the first scan did not search for.
        const transactions = found;
        const record = (): void =>
          recordBlock(wallet, node, parsed(transactions, crypto), batch, scannedPlace(options), transactions === candidates);
        while (!withKeys(wallet, record)) await slice.next();
        pending += found.length;
      }
      if (slice.over) await slice.next();
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

/** Returns whether a block is the direct successor of another block. */
const follows = ({ prevHash }: BlockFacts, { hash }: BlockFacts): boolean => prevHash !== null && equalBytes(prevHash, hash);

/** Sets and writes the wallet's locator after its tip was changed by a scan. (Events bring a locator, scans do not.) */
export async function updateLocator(wallet: Wallet, client: NodeQueries, batch: WalletBatch): Promise<void> {
  wallet.position.setLocator(await client.locator(wallet.tip!.hash));
  wallet.position.writeLocator(batch);
}

/**
 * Skips blocks that are older than the oldest key, less the tolerance for clocks. If no block is that young, the clock
 * may have been fast when the key was made. Then every block is scanned, as in Core.
 */
async function skipOldBlocks(wallet: Wallet, client: NodeClient): Promise<void> {
  const { birthSeconds } = wallet.keys;
  const first = await client.firstBlockSince(birthSeconds - TIMESTAMP_WINDOW);
  // A wallet without keys has nothing to find.
  const last = first === null ? (birthSeconds === Number.POSITIVE_INFINITY ? client.tip : null) : await blockBefore(first, client);
  if (last === null || last.height <= wallet.tip!.height) return;
  wallet.position.moveTo(last);
  wallet.ledger.setTip(last.height);
}

/** Returns the block before another; null for the genesis block. */
export const blockBefore = async ({ prevHash }: BlockFacts, client: NodeQueries): Promise<BlockFacts | null> =>
  prevHash === null ? null : ((await client.block(prevHash))?.block ?? null);
