// Removes old blocks and their undo data, by whole files (-prune). In an order that a process may die at any point of:
// everything the coins are made from is written, then the index says that the blocks are gone and that the files have
// to go, on the disk, and only then do they go, on other threads. A start finishes what is left of that.

import { SerialQueue } from '../../lib/serial-queue.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { fileOfPrunedFileKey, PREFIX, PRUNED_FLAG_KEY, prefixRange, prunedFileKey } from '../../storage/layout.js';
import type { BatchOp } from '../../storage/store.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from '../tree/header-node.js';
import { rowOp } from './persister.js';
import { filesAboveTarget, filesUpTo, lastPrunable, type PrunableFile, type PruneSettings } from './pruning.js';

/** Headers looked at, and rows written, before others get a turn. */
const SCAN_SLICE = 20_000;
const ROW_SLICE = 2_000;
/** Files removed between two looks whether the node stops. */
const REMOVED_TOGETHER = 8;
const MIB = 1 << 20;

/** The lowest height whose block its owner still has to read; infinite for none. */
export type PruneGuard = () => number;

export class Pruner {
  readonly #guards = new Set<PruneGuard>();
  /** Removals under way. */
  readonly #removals = new SerialQueue();
  /** The walk down from the tip that found the lowest stored block, as long as nothing below changed. */
  #lowest: { node: HeaderNode; version: number } | null = null;
  readonly #ws: ChainWorkspace;
  readonly #flush: () => Promise<void>;
  readonly #isInitialDownload: () => boolean;

  /** @param flush writes all coins, with what they are made from */
  constructor(ws: ChainWorkspace, flush: () => Promise<void>, isInitialDownload: () => boolean) {
    this.#ws = ws;
    this.#flush = flush;
    this.#isInitialDownload = isInitialDownload;
  }

  get #settings(): PruneSettings | null {
    return this.#ws.options.prune;
  }

  /** Blocks from this height on stay, as long as the guard says so. @returns how to take it away */
  addGuard(guard: PruneGuard): () => void {
    this.#guards.add(guard);
    return () => this.#guards.delete(guard);
  }

  /** Whether files grew since the last look, so that it may be time to prune. */
  takeGrowth(): boolean {
    return this.#settings !== null && Number.isFinite(this.#settings.targetBytes) && this.#ws.blocks.files.takeGrowth();
  }

  /**
   * Prunes when the files take more room than they may. What was written about them is on the disk when this resolves.
   */
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

  /** Prunes all files whose blocks lie at a height or below it, as far as that is allowed. */
  async pruneUpTo(height: number): Promise<void> {
    const lastHeight = Math.min(height, this.#lastHeight());
    const chosen = filesUpTo(this.#candidates(), lastHeight);
    if (chosen.length > 0) await this.#prune(chosen);
    this.#ws.log.info(`Prune (Manual): prune_height=${lastHeight} removed ${chosen.length} blk/rev pairs`);
  }

  /** Resolves once files that were given up are gone. */
  waitForRemovals(): Promise<void> {
    return this.#removals.idle();
  }

  #lastHeight(): number {
    let needed = Number.POSITIVE_INFINITY;
    for (const guard of this.#guards) needed = Math.min(needed, guard());
    return lastPrunable(this.#ws.active.height, needed);
  }

  /** Finished files that the index knows blocks of. */
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
    // A start must never need a removed block to bring the coins to where they stand.
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
      // The files are given up with the last of their rows, and the disk knows all of it before it is asked to remove
      // them.
      const last = at >= nodes.length;
      await store.batch([...some.map(rowOp), ...(last ? giveUp : [])], { sync: last });
      await yieldToLoop();
    } while (at < nodes.length);
    for (const file of files) index.lastHeights.delete(file);
    await this.#removeSoon(files);
  }

  /**
   * Start-up, before blocks are looked for in the files: goes on with what an earlier run gave up and could not remove
   * any more.
   */
  async finishRemovals(): Promise<void> {
    const { index, store } = this.#ws;
    if (!index.havePruned) return;
    const files: number[] = [];
    for await (const [key] of store.iterate(prefixRange(PREFIX.prunedFile))) {
      const file = fileOfPrunedFileKey(key);
      // Never one that the index knows blocks of.
      if (file !== null && !index.lastHeights.has(file)) files.push(file);
    }
    await this.#removeSoon(files);
  }

  /** Removes files that were given up, in the background. Resolves once they don't count any more. */
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

  /** The lowest block from which on all are stored, up to the tip. */
  lowestStored(): HeaderNode {
    const { index, active } = this.#ws;
    const tip = active.tip as HeaderNode;
    // Nothing is stored of a chain that has just begun with a snapshot.
    if (!tip.hasData) return tip;
    if (this.#lowest === null || this.#lowest.version !== index.storedVersion || !active.contains(this.#lowest.node)) {
      let node = tip;
      while (node.prev?.hasData) node = node.prev;
      this.#lowest = { node, version: index.storedVersion };
    }
    return this.#lowest.node;
  }
}

/** What fails, or a stop leaves undone, is done at the next start. */
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

/** Start-up: reads whether blocks were ever pruned. */
export async function loadPruned({ index, store, log }: ChainWorkspace): Promise<void> {
  index.havePruned = (await store.get(PRUNED_FLAG_KEY)) !== undefined;
  if (index.havePruned) log.info('LoadBlockIndexDB(): Block files have previously been pruned');
}
