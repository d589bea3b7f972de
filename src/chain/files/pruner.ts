// Prunes old blocks and their undo data, in whole files (-prune). The process may die at any point of this order: first
// write everything that the coins depend on; then write and sync index rows that mark the blocks as pruned and the
// files for deletion; then delete the files, on other threads. The next start continues where the process died.

import { SerialQueue } from '../../lib/serial-queue.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { fileOfPrunedFileKey, PREFIX, PRUNED_FLAG_KEY, prefixRange, prunedFileKey } from '../../storage/layout.js';
import type { BatchOp } from '../../storage/store.js';
import type { ChainEvents } from '../chain-events.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from '../tree/header-node.js';
import { rowOp } from './persister.js';
import { filesAboveTarget, filesUpTo, lastPrunable, type PrunableFile, type PruneSettings } from './pruning.js';

/** Number of headers scanned, and rows written, between two yields. */
const SCAN_SLICE = 20_000;
const ROW_SLICE = 2_000;
/** Number of files deleted between two checks of whether the node stops. */
const REMOVED_TOGETHER = 8;
const MIB = 1 << 20;

/**
 * Function of an index or wallet. Returns the lowest height of the blocks that it has yet to read; infinite for none.
 */
export type PruneGuard = () => number;

export class Pruner {
  readonly #guards = new Set<PruneGuard>();
  /** Deletions in progress. */
  readonly #removals = new SerialQueue();
  /** Cached lowest stored block, valid while `version` equals the tree's storedVersion. */
  #lowest: { node: HeaderNode; version: number } | null = null;
  readonly #ws: ChainWorkspace;
  readonly #events: Pick<ChainEvents, 'pruned'>;
  readonly #flush: () => Promise<void>;
  readonly #isInitialDownload: () => boolean;

  /**
   * Creates a pruner.
   * @param flush writes all coins and everything that they depend on
   */
  constructor(ws: ChainWorkspace, events: Pick<ChainEvents, 'pruned'>, flush: () => Promise<void>, isInitialDownload: () => boolean) {
    this.#ws = ws;
    this.#events = events;
    this.#flush = flush;
    this.#isInitialDownload = isInitialDownload;
  }

  get #settings(): PruneSettings | null {
    return this.#ws.options.prune;
  }

  /**
   * Registers a guard. Blocks from the guard's height on are not pruned.
   * @returns function that removes the guard
   */
  addGuard(guard: PruneGuard): () => void {
    this.#guards.add(guard);
    return () => this.#guards.delete(guard);
  }

  /** Returns whether files have grown since the last call, so that pruning may be necessary. */
  takeGrowth(): boolean {
    return this.#settings !== null && Number.isFinite(this.#settings.targetBytes) && this.#ws.blocks.files.takeGrowth();
  }

  /** Prunes if the files are larger than the target. When it resolves, the index rows are on the disk. */
  async pruneToTarget(): Promise<void> {
    const ws = this.#ws;
    const settings = this.#settings;
    const { files } = ws.blocks;
    const height = ws.active.height;
    if (settings === null || !Number.isFinite(settings.targetBytes) || height <= settings.afterHeight) return;
    const { targetBytes } = settings;
    const lastHeight = this.#lastHeight();
    const limits = {
      usage: files.sizeOnDisk,
      targetBytes,
      bufferBytes: files.chunkBytes,
      downloading: this.#isInitialDownload(),
      lastHeight,
    };
    const chosen = filesAboveTarget(this.#candidates(), limits);
    if (chosen.length > 0) await this.#prune(chosen);
    const actual = files.sizeOnDisk;
    ws.log.debug(
      'prune',
      `Prune: target=${Math.floor(targetBytes / MIB)}MiB actual=${Math.floor(actual / MIB)}MiB diff=${Math.trunc((targetBytes - actual) / MIB)}MiB max_prune_height=${lastHeight} removed ${chosen.length} blk/rev pairs`,
    );
  }

  /**
   * Prunes all files whose blocks are at or below a height, as far as the guards and the minimum of 288 blocks permit.
   */
  async pruneUpTo(height: number): Promise<void> {
    const lastHeight = Math.min(height, this.#lastHeight());
    const chosen = filesUpTo(this.#candidates(), lastHeight);
    if (chosen.length > 0) await this.#prune(chosen);
    this.#ws.log.info(`Prune (Manual): prune_height=${lastHeight} removed ${chosen.length} blk/rev pairs`);
  }

  /** Resolves when all pruned files are deleted. */
  waitForRemovals(): Promise<void> {
    return this.#removals.idle();
  }

  #lastHeight(): number {
    let needed = Number.POSITIVE_INFINITY;
    for (const guard of this.#guards) needed = Math.min(needed, guard());
    return lastPrunable(this.#ws.active.height, needed);
  }

  /** Returns finished files that contain blocks of the index. */
  #candidates(): PrunableFile[] {
    const { index, blocks } = this.#ws;
    const list: PrunableFile[] = [];
    for (const { file, bytes } of blocks.files.finished()) {
      const lastHeight = index.lastHeights.get(file);
      if (lastHeight !== undefined) list.push({ file, bytes, lastHeight });
    }
    return list;
  }

  async #prune(files: readonly number[]): Promise<void> {
    const { index, store } = this.#ws;
    // Flush first, so that no start needs a pruned block to repair the coins.
    await this.#flush();
    if (!index.havePruned) {
      await store.batch([{ type: 'put', key: PRUNED_FLAG_KEY, value: new Uint8Array(0) }]);
      index.havePruned = true;
    }
    const nodes = await this.#nodesIn(new Set(files));
    const giveUp = files.map((file): BatchOp => ({ type: 'put', key: prunedFileKey(file), value: new Uint8Array(0) }));
    let at = 0;
    do {
      const some = nodes.slice(at, at + ROW_SLICE);
      at += ROW_SLICE;
      for (const node of some) index.prune(node);
      this.#events.pruned.call();
      // The last batch also marks the files for deletion, and it is synced: all rows must be on the disk before files
      // are deleted.
      const last = at >= nodes.length;
      await store.batch([...some.map(rowOp), ...(last ? giveUp : [])], { sync: last });
      await yieldToLoop();
    } while (at < nodes.length);
    for (const file of files) index.lastHeights.delete(file);
    await this.#removeSoon(files);
  }

  /** Continues deletions of an earlier run. Called at start, before the files are searched for blocks. */
  async finishRemovals(): Promise<void> {
    const { index, store } = this.#ws;
    if (!index.havePruned) return;
    const files: number[] = [];
    for await (const [key] of store.iterate(prefixRange(PREFIX.prunedFile))) {
      const file = fileOfPrunedFileKey(key);
      // Never delete a file that contains blocks of the index.
      if (file !== null && !index.lastHeights.has(file)) files.push(file);
    }
    await this.#removeSoon(files);
  }

  /** Deletes files in the background. Resolves when the files no longer count in sizeOnDisk. */
  async #removeSoon(files: readonly number[]): Promise<void> {
    if (files.length === 0) return;
    await this.#ws.blocks.files.giveUp(files);
    void this.#removals.run(() => removeFiles(this.#ws, files));
  }

  async #nodesIn(files: ReadonlySet<number>): Promise<HeaderNode[]> {
    const found: HeaderNode[] = [];
    let seen = 0;
    for (const node of this.#ws.index.all()) {
      if (files.has(node.file)) found.push(node);
      if (++seen % SCAN_SLICE === 0) await yieldToLoop();
    }
    return found;
  }

  /** Returns the lowest block from which all blocks up to the tip are stored. */
  lowestStored(): HeaderNode {
    const { index, active } = this.#ws;
    const tip = active.tip as HeaderNode;
    // A chain that has just started from a snapshot has no stored blocks. Return its tip.
    if (!tip.hasData) return tip;
    if (this.#lowest === null || this.#lowest.version !== index.storedVersion || !active.contains(this.#lowest.node)) {
      let node = tip;
      while (node.prev?.hasData) node = node.prev;
      this.#lowest = { node, version: index.storedVersion };
    }
    return this.#lowest.node;
  }
}

/**
 * Deletes files. Files that could not be deleted, or that remain because the node stops, are deleted at the next start.
 */
async function removeFiles({ blocks, store, log, stopping }: ChainWorkspace, files: readonly number[]): Promise<void> {
  try {
    for (let at = 0; at < files.length && !stopping(); at += REMOVED_TOGETHER) {
      const some = files.slice(at, at + REMOVED_TOGETHER);
      await blocks.files.remove(some);
      for (const file of some) log.info(`Prune: UnlinkPrunedFiles deleted blk/rev (${String(file).padStart(5, '0')})`);
      await store.batch(some.map((file): BatchOp => ({ type: 'del', key: prunedFileKey(file) })));
    }
  } catch (error) {
    log.warn(`Pruned block files could not be removed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Called at start: reads whether blocks were ever pruned. */
export async function loadPruned({ index, store, log }: ChainWorkspace): Promise<void> {
  index.havePruned = (await store.get(PRUNED_FLAG_KEY)) !== undefined;
  if (index.havePruned) log.info('LoadBlockIndexDB(): Block files have previously been pruned');
}
