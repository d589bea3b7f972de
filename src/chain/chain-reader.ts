// Queries about the chain. Queries change nothing, and the disk is all that they wait for.

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
  /**
   * Coins at the tip. Call `prefetch`, then `get` without an await in between. Only the chain may change these coins.
   */
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
  /**
   * Last block up to which this node validated everything itself. Differs from the tip only while the chain stands on a
   * snapshot whose history is not validated yet.
   */
  get validTip(): HeaderNode {
    return this.tip;
  }
  get bestHeader(): HeaderNode {
    return this.ws.index.bestHeader;
  }

  /**
   * Minimum chain work: -minimumchainwork, or the value of the network. The node does not accept a chain with less work
   * as that of the network.
   */
  get minimumChainWork(): bigint {
    return minimumChainWork(this.ws);
  }

  /**
   * Returns the node of a block.
   * @param hash 32 bytes in internal order, or 64 digits of display hex
   */
  node(hash: Uint8Array | string): HeaderNode | undefined {
    return this.ws.index.get(typeof hash === 'string' ? hashFromHex(hash) : hash);
  }
  /** Returns the block of the active chain at a height. */
  atHeight(height: number): HeaderNode | undefined {
    return this.ws.active.at(height);
  }
  contains(node: HeaderNode): boolean {
    return this.ws.active.contains(node);
  }
  /** Returns the next block of the active chain after one of its blocks. */
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
  /** Returns the ends of all branches and the tip, highest first. */
  tips(): HeaderNode[] {
    return [...new Set([this.tip, ...this.ws.index.ends])].sort((a, b) => b.height - a.height);
  }
  /** Estimates which part of the network's transactions is verified up to a block, 0 to 1. */
  verificationProgress(node: HeaderNode): number {
    return verificationProgress(node, this.bestHeader.height, this.params, this.ws.clock.nowSeconds());
  }
  /** Budget of the coins cache in bytes (-dbcache). */
  get coinsCacheBytes(): number {
    return this.ws.coins.budgetBytes;
  }
  /** Returns the script flags of the block after the tip. */
  nextBlockFlags(): number {
    return blockScriptFlags(this.tip, null, this.params, this.ws.versionBits);
  }

  /** Returns the state of a block hash in the words of BIP-0022. submitblock and proposals check it first. */
  known(hash: Uint8Array): KnownBlock {
    const node = this.ws.index.get(hash);
    if (node === undefined) return 'unknown';
    if (node.failed) return 'duplicate-invalid';
    // A valid block whose bytes were lost in a power failure is inconclusive, so that it can be received again.
    const there = node.hasData || this.isPruned(node);
    return there && node.has(NodeStatus.SCRIPTS_VALID) ? 'duplicate' : 'duplicate-inconclusive';
  }

  /**
   * Returns the block with the witness reserved value of BIP-0141. If segwit applies and the coinbase lacks this value,
   * returns a copy of the block with 32 zero bytes there.
   */
  withWitnessReserved(block: BlockView): BlockView {
    const prev = this.ws.index.get(block.header.prevHash);
    if (prev === undefined || prev.height + 1 < this.params.segwitHeight) return block;
    return withReservedValue(block);
  }

  /** Returns whether the node would store this block if a peer sent it without a request (Core's AcceptBlock). */
  storesUnrequested(node: HeaderNode): boolean {
    return worthStoring(this.ws, node);
  }
  /** Returns whether the block's bytes are stored. */
  hasBlock(node: HeaderNode): boolean {
    return node.has(NodeStatus.HAVE_DATA);
  }
  /** Returns whether the block was stored once and then pruned. */
  isPruned(node: HeaderNode): boolean {
    return this.ws.index.isPruned(node);
  }
  /** True once any block was pruned. */
  get havePruned(): boolean {
    return this.ws.index.havePruned;
  }
  /** Settings of -prune; null if blocks are never pruned. */
  get pruneSettings(): PruneSettings | null {
    return this.ws.options.prune;
  }
  /** @throws StoreError */
  readBlock(node: HeaderNode): Promise<BlockView> {
    return this.ws.blocks.read(node);
  }
  /** Returns a recently connected block from memory; undefined if the block must be read from its file. */
  recentBlock(node: HeaderNode): BlockView | undefined {
    return this.ws.blocks.recentBlock(node)?.block;
  }
  /**
   * Reads a block's bytes as stored.
   * @throws StoreError
   */
  readBlockBytes(node: HeaderNode): Promise<Uint8Array> {
    return this.ws.blocks.readBytes(node);
  }
  /**
   * Reads a part of a stored block.
   * @param at position of the block in the block files
   * @param offset bytes from the start of the block
   * @throws StoreError
   */
  readBlockPart(at: BlockPosition, offset: number, length: number): Promise<Uint8Array> {
    return this.ws.blocks.files.readPart(at, offset, length);
  }
  /** Returns whether undo data of the block is stored or in memory, so that readUndo can return it. */
  hasUndo(node: HeaderNode): boolean {
    return node.has(NodeStatus.HAVE_UNDO) || this.ws.blocks.isRecent(node);
  }
  /**
   * Reads the coins that a connected block spent: one list per transaction after the coinbase, one coin per input.
   * Empty for genesis.
   * @throws StoreError
   */
  readUndo(node: HeaderNode): Promise<Coin[][]> {
    return this.ws.blocks.readUndo(node);
  }
  /**
   * Returns the positions of a connected block and its undo data in the files. Null if the block is not stored, or
   * while one of the two is only in memory.
   */
  placeOf(node: HeaderNode): { file: number; pos: number; undoPos: number } | null {
    if (!node.has(NodeStatus.HAVE_DATA) || (node.prev !== null && !node.has(NodeStatus.HAVE_UNDO))) return null;
    return { file: node.file, pos: node.blockPos, undoPos: node.prev === null ? -1 : node.undoPos };
  }
  /** Returns the position of a block's bytes in the files; null if the block is not stored. */
  blockPlace(node: HeaderNode): BlockPosition | null {
    return node.has(NodeStatus.HAVE_DATA) ? { file: node.file, pos: node.blockPos } : null;
  }
  /** Folder and format of the block files, for threads that read the files without the chain. */
  get blockFolder(): BlockFiles['folder'] {
    return this.ws.blocks.files.folder;
  }
  /** Returns the bytes of all block and undo files. */
  sizeOnDisk(): number {
    return this.ws.blocks.files.sizeOnDisk;
  }
}
