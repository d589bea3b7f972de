// Reads stored blocks and their undo data.

import type { BlockView } from '../consensus/block/block-view.js';
import type { Coin } from '../consensus/coin.js';
import type { BlockFiles } from '../storage/block-files.js';
import type { BlockPosition } from '../storage/block-records.js';
import { worthStoring } from './connect/accept.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { Pruner } from './files/pruner.js';
import type { PruneSettings } from './files/pruning.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

export class BlockReader {
  readonly #ws: ChainWorkspace;
  readonly #pruner: Pruner;

  constructor(ws: ChainWorkspace, pruner: Pruner) {
    this.#ws = ws;
    this.#pruner = pruner;
  }

  /** Returns whether the node would store this block if a peer sent it without a request (Core's AcceptBlock). */
  storesUnrequested(node: HeaderNode): boolean {
    return worthStoring(this.#ws, node);
  }
  /** Returns whether the block's bytes are stored. */
  hasBlock(node: HeaderNode): boolean {
    return node.has(NodeStatus.HAVE_DATA);
  }
  /** Returns whether the block was stored once and then pruned. */
  isPruned(node: HeaderNode): boolean {
    return this.#ws.index.isPruned(node);
  }
  /** True once any block was pruned. */
  get havePruned(): boolean {
    return this.#ws.index.havePruned;
  }
  /** Settings of -prune; null if blocks are never pruned. */
  get pruneSettings(): PruneSettings | null {
    return this.#ws.options.prune;
  }
  /** Lowest block from which all blocks up to the tip are stored. */
  get lowestStored(): HeaderNode {
    return this.#pruner.lowestStored();
  }
  /** Invalid block with the most work; null if none is known. */
  get bestInvalid(): HeaderNode | null {
    return this.#ws.index.bestInvalid;
  }
  /** @throws StoreError */
  readBlock(node: HeaderNode): Promise<BlockView> {
    return this.#ws.blocks.read(node);
  }
  /** Returns a recently connected block from memory; undefined if the block must be read from its file. */
  recentBlock(node: HeaderNode): BlockView | undefined {
    return this.#ws.blocks.recentBlock(node)?.block;
  }
  /**
   * Reads a block's bytes as stored.
   * @throws StoreError
   */
  readBlockBytes(node: HeaderNode): Promise<Uint8Array> {
    return this.#ws.blocks.readBytes(node);
  }
  /**
   * Reads a part of a stored block.
   * @param at position of the block in the block files
   * @param offset bytes from the start of the block
   * @throws StoreError
   */
  readBlockPart(at: BlockPosition, offset: number, length: number): Promise<Uint8Array> {
    return this.#ws.blocks.files.readPart(at, offset, length);
  }
  /**
   * Reads the coins that a connected block spent: one list per transaction after the coinbase, one coin per input.
   * Empty for genesis.
   * @throws StoreError
   */
  readUndo(node: HeaderNode): Promise<Coin[][]> {
    return this.#ws.blocks.readUndo(node);
  }
  /**
   * Returns the positions of a connected block and its undo data in the files. Null if the block is not stored, or
   * while one of the two is only in memory.
   */
  placeOf(node: HeaderNode): { file: number; pos: number; undoPos: number } | null {
    if (!node.has(NodeStatus.HAVE_DATA) || (node.prev !== null && !node.has(NodeStatus.HAVE_UNDO))) return null;
    return { file: node.file, pos: node.blockPos, undoPos: node.prev === null ? -1 : node.undoPos };
  }
  /**
   * Returns the position of a block's undo data in the rev file of its number, or its bytes in base64 while they are
   * only in memory; null if there is none.
   */
  undoPlace(node: HeaderNode): number | string | null {
    if (node.has(NodeStatus.HAVE_UNDO)) return node.undoPos;
    const undo = this.#ws.blocks.recentBlock(node)?.undoData();
    return undo === undefined ? null : Buffer.from(undo.buffer, undo.byteOffset, undo.length).toString('base64');
  }
  /** Returns the position of a block's bytes in the files; null if the block is not stored. */
  blockPlace(node: HeaderNode): BlockPosition | null {
    return node.has(NodeStatus.HAVE_DATA) ? { file: node.file, pos: node.blockPos } : null;
  }
  /** Folder and format of the block files, for threads that read the files without the chain. */
  get blockFolder(): BlockFiles['folder'] {
    return this.#ws.blocks.files.folder;
  }
  /** Returns the bytes of all block and undo files. */
  sizeOnDisk(): number {
    return this.#ws.blocks.files.sizeOnDisk;
  }
}
