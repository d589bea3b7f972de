// What may be asked of the chain at any moment, without waiting for anything but the disk.

import type { BlockView } from '../consensus/block/block-view.js';
import { hashFromHex } from '../consensus/bytes/hex.js';
import type { Coin } from '../consensus/coin.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { blockScriptFlags } from '../consensus/rules/block-script-flags.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { BlockFiles } from '../storage/block-files.js';
import type { BlockPosition } from '../storage/block-records.js';
import type { CoinsCache } from './coins/coins-cache.js';
import { worthStoring } from './connect/accept.js';
import type { BlockState, KnownBlock } from './connect/outcome.js';
import { withReservedValue } from './connect/witness-reserved.js';
import { type ChainWorkspace, minimumChainWork } from './connect/workspace.js';
import type { PruneSettings } from './files/pruning.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';
import { verificationProgress } from './tree/verification-progress.js';

export class ChainReader {
  constructor(protected readonly ws: ChainWorkspace) {}

  get params(): ChainParams {
    return this.ws.params;
  }
  /** The coins at the tip: prefetch, then get, without an await between. Only the chain changes them. */
  get coins(): CoinsCache {
    return this.ws.coins;
  }
  /** Deployment states by branch, shared by all readers of this tree. */
  get versionBits(): VersionBitsCache {
    return this.ws.versionBits;
  }
  get tip(): HeaderNode {
    return this.ws.active.tip as HeaderNode;
  }
  get genesis(): HeaderNode {
    return this.ws.active.at(0) as HeaderNode;
  }
  /** The last block up to which everything was validated here: the tip, but for a chain that stands on a snapshot. */
  get validTip(): HeaderNode {
    return this.tip;
  }
  get bestHeader(): HeaderNode {
    return this.ws.index.bestHeader;
  }

  /** Work below which no chain is taken for the network's (-minimumchainwork, or the network's own). */
  get minimumChainWork(): bigint {
    return minimumChainWork(this.ws);
  }

  /** @param hash 32 bytes internal order, or 64 digits of display hex */
  node(hash: Uint8Array | string): HeaderNode | undefined {
    return this.ws.index.get(typeof hash === 'string' ? hashFromHex(hash) : hash);
  }
  /** Block of the active chain. */
  atHeight(height: number): HeaderNode | undefined {
    return this.ws.active.at(height);
  }
  /** Whether the block is in the active chain. */
  contains(node: HeaderNode): boolean {
    return this.ws.active.contains(node);
  }
  /** Next block of the active chain after one of its blocks. */
  next(node: HeaderNode): HeaderNode | undefined {
    return this.ws.active.next(node);
  }
  blockState(node: HeaderNode): BlockState {
    return {
      failed: node.failed,
      hasData: node.has(NodeStatus.HAVE_DATA),
      hasUndo: node.has(NodeStatus.HAVE_UNDO),
      valid: !node.failed && node.has(NodeStatus.SCRIPTS_VALID),
    };
  }
  /** Ends of all branches and the tip, highest first. */
  tips(): HeaderNode[] {
    return [...new Set([this.tip, ...this.ws.index.ends])].sort((a, b) => b.height - a.height);
  }
  /** Part of the network's history up to a block, 0 to 1. */
  verificationProgress(node: HeaderNode): number {
    return verificationProgress(node, this.bestHeader.height, this.params, this.ws.clock.nowSeconds());
  }
  /** Memory for coins, and for the caches of their database. */
  get coinsCacheBytes(): number {
    return this.ws.coins.budgetBytes;
  }
  /** Script flags of the block after the tip. */
  nextBlockFlags(): number {
    return blockScriptFlags(this.tip, null, this.params, this.ws.versionBits);
  }

  /** What submitblock and proposals look up first. */
  known(hash: Uint8Array): KnownBlock {
    const node = this.ws.index.get(hash);
    if (node === undefined) return 'unknown';
    if (node.failed) return 'duplicate-invalid';
    // One that a loss of power took from the files was valid, and has to come again.
    const there = node.hasData || this.isPruned(node);
    return there && node.has(NodeStatus.SCRIPTS_VALID) ? 'duplicate' : 'duplicate-inconclusive';
  }

  /**
   * The block itself, or with a 32-zero-byte coinbase witness added where a miner left it out and segwit asks for one.
   */
  withWitnessReserved(block: BlockView): BlockView {
    const prev = this.ws.index.get(block.header.prevHash);
    if (prev === undefined || prev.height + 1 < this.params.segwitHeight) return block;
    return withReservedValue(block);
  }

  /** Whether a block that is not here would be stored though nobody asked for it. */
  storesUnrequested(node: HeaderNode): boolean {
    return worthStoring(this.ws, node);
  }
  /** Whether the block's bytes are stored. */
  hasBlock(node: HeaderNode): boolean {
    return node.has(NodeStatus.HAVE_DATA);
  }
  /** Whether the block was stored once and removed for want of room. */
  isPruned(node: HeaderNode): boolean {
    return this.ws.index.isPruned(node);
  }
  /** Whether blocks were ever removed for want of room. */
  get havePruned(): boolean {
    return this.ws.index.havePruned;
  }
  /** How old blocks are removed, null when they never are (-prune). */
  get pruneSettings(): PruneSettings | null {
    return this.ws.options.prune;
  }
  /** @throws StoreError */
  readBlock(node: HeaderNode): Promise<BlockView> {
    return this.ws.blocks.read(node);
  }
  /** A block that was connected lately, which needs no reading. */
  recentBlock(node: HeaderNode): BlockView | undefined {
    return this.ws.blocks.recentBlock(node)?.block;
  }
  /** The bytes as stored, unparsed. @throws StoreError */
  readBlockBytes(node: HeaderNode): Promise<Uint8Array> {
    return this.ws.blocks.readBytes(node);
  }
  /** Part of a stored block, by its place in the files. @throws StoreError */
  readBlockPart(at: BlockPosition, offset: number, length: number): Promise<Uint8Array> {
    return this.ws.blocks.files.readPart(at, offset, length);
  }
  /** Whether readUndo has something to read. */
  hasUndo(node: HeaderNode): boolean {
    return node.has(NodeStatus.HAVE_UNDO) || this.ws.blocks.isRecent(node);
  }
  /**
   * Coins spent by a connected block: per transaction after the coinbase, per input. Empty for genesis.
   * @throws StoreError
   */
  readUndo(node: HeaderNode): Promise<Coin[][]> {
    return this.ws.blocks.readUndo(node);
  }
  /**
   * Where a connected block and its undo data lie in the files; null while part of it is only in memory, or not stored
   * at all.
   */
  placeOf(node: HeaderNode): { file: number; pos: number; undoPos: number } | null {
    if (!node.has(NodeStatus.HAVE_DATA) || (node.prev !== null && !node.has(NodeStatus.HAVE_UNDO))) return null;
    return { file: node.file, pos: node.blockPos, undoPos: node.prev === null ? -1 : node.undoPos };
  }
  /** Where a block's bytes lie, null while it is not stored. */
  blockPlace(node: HeaderNode): BlockPosition | null {
    return node.has(NodeStatus.HAVE_DATA) ? { file: node.file, pos: node.blockPos } : null;
  }
  /** The folder of those files, for threads that read them by themselves. */
  get blockFolder(): BlockFiles['folder'] {
    return this.ws.blocks.files.folder;
  }
  /** Bytes of block and undo files. */
  sizeOnDisk(): number {
    return this.ws.blocks.files.sizeOnDisk;
  }
}
