// Blocks and undo data by node of the header tree: positions in the files, checks that the right bytes came back, and a
// few parsed blocks kept.

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
 * Parsed blocks kept near the tip: enough for a usual reorganisation and for the calls that ask about the newest block.
 * With two, V8 lets its heap grow less, and collects more often while a known block becomes new work.
 */
const RECENT_BLOCKS = 6;
/** Blocks above this size are not kept, in bytes. */
const MAX_RECENT_BLOCK_BYTES = 4_000_000;

/** Blocks that came and wait for their turn are kept parsed up to so many bytes and blocks; the rest is read back. */
const ARRIVED_BYTES = 32 << 20;
const ARRIVED_BLOCKS = 1_024;

/** A block that was connected lately, with the coins that it spent. */
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

  /** Per transaction after the coinbase. */
  get spent(): Coin[][] {
    return this.#spent ?? decodeUndo(this.undoData());
  }

  /**
   * The same, encoded: the files have it, and near the tip a rollback row. From the first time on only these bytes stay:
   * V8's collector goes over objects again and again.
   */
  undoData(): Uint8Array {
    this.#undo ??= encodeUndo(this.#spent as Coin[][]);
    this.#spent = null;
    return this.#undo;
  }
}

export class BlockStorage {
  /** Stored blocks that wait to be connected, by node. */
  readonly #waiting = new Map<HeaderNode, BlockView>();
  #waitingBytes = 0;
  /** Lately connected blocks, oldest first; also the only source of undo data until it is written. */
  readonly #recent = new Map<HeaderNode, RecentBlock>();
  readonly #hashes: Hashes;

  constructor(
    readonly files: BlockFiles,
    hashes: Hashes,
  ) {
    this.#hashes = hashes;
  }

  /** Appends a block's bytes; resolves once the kernel has them. */
  append(block: BlockView): Promise<BlockPosition> {
    return this.files.appendBlock(block.bytes);
  }

  /** The same of several blocks, which costs little more than one. */
  appendAll(blocks: readonly BlockView[]): Promise<BlockPosition[]> {
    return this.files.appendBlocks(blocks.map(({ bytes }) => bytes));
  }

  /**
   * Keeps a block that was just stored until it is connected, if there is room.
   * @param height of the tip: what lies below waits in vain
   */
  addWaiting(node: HeaderNode, block: BlockView, height: number): void {
    this.#dropWaiting(node);
    if (this.#waitingBytes + block.totalSize > ARRIVED_BYTES || this.#waiting.size >= ARRIVED_BLOCKS) {
      for (const old of this.#waiting.keys()) if (old.height <= height) this.#dropWaiting(old);
      if (this.#waitingBytes + block.totalSize > ARRIVED_BYTES || this.#waiting.size >= ARRIVED_BLOCKS) return;
    }
    this.#waiting.set(node, block);
    this.#waitingBytes += block.totalSize;
  }

  /** A block that waits, as it was parsed on arrival. */
  waitingBlock(node: HeaderNode): BlockView | undefined {
    return this.#waiting.get(node);
  }

  /** How many blocks wait, and their bytes. */
  get waitingFigures(): { readonly blocks: number; readonly bytes: number } {
    return { blocks: this.#waiting.size, bytes: this.#waitingBytes };
  }

  #dropWaiting(node: HeaderNode): void {
    const block = this.#waiting.get(node);
    if (block !== undefined && this.#waiting.delete(node)) this.#waitingBytes -= block.totalSize;
  }

  /** Keeps a connected block in memory. */
  addRecent(connected: ConnectedBlock): void {
    this.#dropWaiting(connected.node);
    this.#recent.delete(connected.node);
    this.#recent.set(connected.node, new RecentBlock(connected));
  }

  /** A block that was connected lately. */
  recentBlock(node: HeaderNode): RecentBlock | undefined {
    return this.#recent.get(node);
  }

  /** Whether the block was connected lately, so that reading it needs no file. */
  isRecent(node: HeaderNode): boolean {
    return this.#recent.has(node);
  }

  /** Forgets what need not be kept: the lowest beyond a few, but nothing whose undo data is not written yet. */
  trimRecent(): void {
    // Lowest first: blocks of a history that is validated in the background do not push out those near the tip.
    const byHeight = [...this.#recent].sort(([a], [b]) => a.height - b.height);
    for (const [node, { block }] of byHeight) {
      const written = node.has(NodeStatus.HAVE_UNDO);
      if (written && (this.#recent.size > RECENT_BLOCKS || block.totalSize > MAX_RECENT_BLOCK_BYTES)) this.#recent.delete(node);
    }
  }

  /** The bytes of a stored block. @throws StoreError */
  async readBytes(node: HeaderNode): Promise<Uint8Array> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.block.bytes;
    if (!node.has(NodeStatus.HAVE_DATA)) throw new StoreError('STORE_NOT_FOUND', `Block ${node.hashHex} is not stored`);
    const bytes = await this.files.readBlock({ file: node.file, pos: node.blockPos });
    if (bytes.length < 80 || !equalBytes(bytes.subarray(0, 80), node.headerBytes)) {
      throw new StoreError('STORE_CORRUPTION', `Another block lies where ${node.hashHex} should be`);
    }
    return bytes;
  }

  /** A stored block, parsed. @throws StoreError */
  async read(node: HeaderNode): Promise<BlockView> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.block;
    const bytes = await this.readBytes(node);
    try {
      return parseBlock(bytes, this.#hashes);
    } catch (error) {
      if (error instanceof DecodeError) throw new StoreError('STORE_CORRUPTION', `Block ${node.hashHex} does not parse`, error);
      throw error;
    }
  }

  /** Coins a connected block spent, per transaction after the coinbase. @throws StoreError */
  async readUndo(node: HeaderNode): Promise<Coin[][]> {
    const recent = this.#recent.get(node);
    if (recent !== undefined) return recent.spent;
    if (node.prev === null) return [];
    if (!node.has(NodeStatus.HAVE_UNDO)) throw new StoreError('STORE_NOT_FOUND', `No undo data for block ${node.hashHex}`);
    const bytes = await this.files.readUndo({ file: node.file, pos: node.undoPos }, node.prevHash);
    return decodeUndo(bytes) as Coin[][];
  }

  /** Whether the file holds this undo data: a block that was connected before may have lost it since. */
  async #hasUndo(node: HeaderNode, undo: Uint8Array): Promise<boolean> {
    if (!node.has(NodeStatus.HAVE_UNDO)) return false;
    try {
      return equalBytes(await this.files.readUndo({ file: node.file, pos: node.undoPos }, node.prevHash), undo);
    } catch (error) {
      if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) return false;
      throw error;
    }
  }

  /** Writes undo data of connected blocks, unless it is there already. */
  async writeUndo(connected: readonly RecentBlock[]): Promise<void> {
    const open: { node: HeaderNode; undo: Uint8Array }[] = [];
    for (const recent of connected) {
      const { node } = recent;
      if (node.prev === null) continue;
      const undo = recent.undoData();
      if (!(await this.#hasUndo(node, undo))) open.push({ node, undo });
    }
    for (let first = 0; first < open.length; ) {
      // Those of one file go in one write.
      const { file } = (open[first] as { node: HeaderNode }).node;
      let end = first + 1;
      while (end < open.length && open[end]?.node.file === file) end++;
      const group = open.slice(first, end);
      const positions = await this.files.appendUndo(
        file,
        group.map(({ node, undo }) => ({ undo, prevHash: node.prevHash })),
      );
      for (const [i, { node }] of group.entries()) {
        node.undoPos = positions[i] as number;
        node.status |= NodeStatus.HAVE_UNDO;
      }
      first = end;
    }
  }
}
