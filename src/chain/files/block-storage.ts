// Blocks and undo data by node of the block tree: positions in the files, checks of the bytes that were read, and some
// parsed blocks in memory.

import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { Coin } from '../../consensus/coin.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { BlockFiles } from '../../storage/block-files.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { decodeUndo, encodeUndo } from '../../storage/codec/undo.js';
import { StoreError } from '../../storage/store-error.js';
import type { ConnectedBlock } from '../events.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';

/**
 * Number of parsed blocks kept in memory near the tip: enough for a usual reorganisation and for calls about the newest
 * block. With two, V8's heap grows less and is collected more often while a known block becomes new work.
 */
const RECENT_BLOCKS = 6;
/** Size in bytes above which a block is not kept in memory. */
const MAX_RECENT_BLOCK_BYTES = 4_000_000;

/** A recently connected block with the coins that it spent. */
export class RecentBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  #spent: Coin[][] | null;
  #undo: Uint8Array | null = null;

  constructor({ node, block, spent }: ConnectedBlock) {
    this.node = node;
    this.block = block;
    this.#spent = spent;
  }

  /** Spent coins, one list per transaction after the coinbase. */
  get spent(): Coin[][] {
    return this.#spent ?? decodeUndo(this.undoData());
  }

  /**
   * Returns the spent coins in the encoding of undo files and rollback rows. After the first call only the encoded
   * bytes stay in memory, because V8's collector would visit decoded coins again and again.
   */
  undoData(): Uint8Array {
    this.#undo ??= encodeUndo(this.#spent as Coin[][]);
    this.#spent = null;
    return this.#undo;
  }
}

/** Undo data of a block. */
export interface UndoOfBlock {
  readonly node: HeaderNode;
  readonly undo: Uint8Array;
  /** Checksum of the record if the caller has it: sha256d of the parent's hash and the undo data. */
  readonly checksum?: Uint8Array;
}

export class BlockStorage {
  /** Recently connected blocks, oldest first. Until undo data is written, it is only here. */
  readonly #recent = new Map<HeaderNode, RecentBlock>();
  readonly #hashes: Hashes;

  constructor(
    readonly files: BlockFiles,
    hashes: Hashes,
  ) {
    this.#hashes = hashes;
  }

  /** Appends a block's bytes. Resolves once the kernel has the bytes. */
  append(block: BlockView): Promise<BlockPosition> {
    return this.files.appendBlock(block.bytes);
  }

  /** Keeps a connected block in memory for a while. */
  addRecent(connected: ConnectedBlock): void {
    this.#recent.delete(connected.node);
    this.#recent.set(connected.node, new RecentBlock(connected));
  }

  /** Returns a recently connected block. */
  recentBlock(node: HeaderNode): RecentBlock | undefined {
    return this.#recent.get(node);
  }

  /** Returns whether the block is among the recently connected ones in memory. */
  isRecent(node: HeaderNode): boolean {
    return this.#recent.has(node);
  }

  /** Drops the lowest blocks above RECENT_BLOCKS, except those whose undo data is not written yet. */
  trimRecent(): void {
    // Drop the lowest first: blocks of a background history must not displace those near the tip.
    const byHeight = [...this.#recent].sort(([a], [b]) => a.height - b.height);
    for (const [node, { block }] of byHeight) {
      const written = node.has(NodeStatus.HAVE_UNDO);
      if (written && (this.#recent.size > RECENT_BLOCKS || block.totalSize > MAX_RECENT_BLOCK_BYTES)) this.#recent.delete(node);
    }
  }

  /**
   * Reads the bytes of a stored block.
   * @param memory as in BlockFiles.readBlock
   * @throws StoreError
   */
  async readBytes(node: HeaderNode, memory?: Uint8Array): Promise<Uint8Array> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.block.bytes;
    if (!node.has(NodeStatus.HAVE_DATA)) throw new StoreError('STORE_NOT_FOUND', `Block ${node.hashHex} is not stored`);
    const bytes = await this.files.readBlock({ file: node.file, pos: node.blockPos }, memory);
    if (bytes.length < 80 || !equalBytes(bytes.subarray(0, 80), node.headerBytes)) {
      throw new StoreError('STORE_CORRUPTION', `The block files have another block at the position of block ${node.hashHex}`);
    }
    return bytes;
  }

  /**
   * Reads and parses a stored block.
   * @throws StoreError
   */
  async read(node: HeaderNode): Promise<BlockView> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.block;
    const bytes = await this.readBytes(node);
    try {
      return parseBlock(bytes, this.#hashes);
    } catch (error) {
      if (error instanceof DecodeError) throw new StoreError('STORE_CORRUPTION', `Block ${node.hashHex} cannot be decoded`, error);
      throw error;
    }
  }

  /**
   * Reads the coins that a connected block spent, by transaction after the coinbase.
   * @throws StoreError
   */
  async readUndo(node: HeaderNode): Promise<Coin[][]> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.spent;
    if (node.prev === null) return [];
    if (!node.has(NodeStatus.HAVE_UNDO)) throw new StoreError('STORE_NOT_FOUND', `No undo data for block ${node.hashHex}`);
    const bytes = await this.files.readUndo({ file: node.file, pos: node.undoPos }, node.prevHash);
    return decodeUndo(bytes) as Coin[][];
  }

  /**
   * Returns whether the file has exactly this undo data. The index says so for a block that was connected before, but
   * the file may have lost it since.
   */
  async #hasUndo(node: HeaderNode, undo: Uint8Array): Promise<boolean> {
    if (!node.has(NodeStatus.HAVE_UNDO)) return false;
    try {
      return equalBytes(await this.files.readUndo({ file: node.file, pos: node.undoPos }, node.prevHash), undo);
    } catch (error) {
      if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) return false;
      throw error;
    }
  }

  /** Writes undo data of connected blocks, unless the files have it already. */
  writeUndo(connected: readonly RecentBlock[]): Promise<void> {
    return this.writeUndoData(connected.map((recent) => ({ node: recent.node, undo: recent.undoData() })));
  }

  /** Like writeUndo, for undo data in the encoding of undo files. */
  async writeUndoData(blocks: readonly UndoOfBlock[]): Promise<void> {
    const open: UndoOfBlock[] = [];
    for (const block of blocks) {
      if (block.node.prev !== null && !(await this.#hasUndo(block.node, block.undo))) open.push(block);
    }
    for (let first = 0; first < open.length; ) {
      // Write all undo data of the same file together.
      const { file } = (open[first] as UndoOfBlock).node;
      let end = first + 1;
      while (end < open.length && open[end]?.node.file === file) end++;
      const group = open.slice(first, end);
      const positions = await this.files.appendUndo(
        file,
        group.map(({ node, undo, checksum }) => ({ undo, prevHash: node.prevHash, checksum })),
      );
      for (const [i, { node }] of group.entries()) {
        node.undoPos = positions[i] as number;
        node.status |= NodeStatus.HAVE_UNDO;
      }
      first = end;
    }
  }
}
