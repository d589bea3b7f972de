// Brings the chain's state into the store. Near the tip every change is one batch: coins, undo positions, tip. During
// initial download coins gather in memory and go out in chunks between a marker "flushing A to B" and its removal; a
// start that finds the marker replays those blocks (see replay-flush.ts).

import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { encodeIndexRow } from '../../storage/codec/index-row.js';
import { encodeRollback } from '../../storage/codec/rollback.js';
import { blockIndexKey, encodeFlushMarker, ROLLBACK_ROWS } from '../../storage/layout.js';
import type { BatchOp } from '../../storage/store.js';
import { WriteBatch } from '../../storage/write-batch.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ConnectedBlock } from '../events.js';
import type { HeaderNode } from '../tree/header-node.js';
import type { RecentBlock } from './block-storage.js';

/** Index rows in one batch on their own. */
const ROW_CHUNK = 2_000;
/**
 * Undo data is gathered in initial download, up to so many blocks and coins: a write of its own for each small block
 * costs more than its bytes.
 */
const UNDO_BLOCKS = 64;
const UNDO_COINS = 10_000;
/**
 * Blocks that may be connected near the tip between two fsyncs of block files: their rollback rows must not overwrite
 * each other.
 */
const MAX_UNSYNCED = ROLLBACK_ROWS / 2;
/** Milliseconds between flushes during initial download at most, so that a crash costs little work. */
const MAX_FLUSH_INTERVAL_MS = 10 * 60 * 1000;

export class Persister {
  /** Connected blocks whose undo data is not in the files yet. */
  #unwritten: RecentBlock[] = [];
  #unwrittenCoins = 0;
  #lastFlushMs: number;
  /** Blocks connected since block files were synced, in this run or those before it, each with a rollback row. */
  #unsynced: number;
  /** Rows on their way to the store, which no later write follows when they fail. */
  #rows: Promise<void> = Promise.resolve();
  readonly #ws: ChainWorkspace;
  #storedTip: HeaderNode;

  /** @param storedTip block that the coins in the store stand at */
  constructor(ws: ChainWorkspace, storedTip: HeaderNode) {
    this.#ws = ws;
    this.#storedTip = storedTip;
    this.#lastFlushMs = ws.clock.monotonicMs();
    this.#unsynced = ws.leftRollbacks;
  }

  /** The coins are another set now, which the store has as they stand at this block. */
  movedTo(tip: HeaderNode): void {
    this.#storedTip = tip;
  }

  /** Takes note of blocks just connected, which are kept. */
  noteConnected(blocks: readonly ConnectedBlock[]): void {
    for (const { node, spent } of blocks) {
      this.#unwritten.push(this.#ws.blocks.recentBlock(node) as RecentBlock);
      for (const coins of spent) this.#unwrittenCoins += coins.length;
    }
  }

  /** Whether the store knows everything. */
  get isClean(): boolean {
    return this.#storedTip === this.#ws.active.tip && this.#ws.index.dirty.size === 0 && this.#ws.coins.dirtyEntries === 0;
  }

  /** Writes changed rows of the header tree: what makes an accepted header survive. */
  async writeRows(): Promise<void> {
    while (this.#ws.index.dirty.size > 0) await this.#ws.store.batch(this.#takeRows(ROW_CHUNK));
  }

  /** Begins to write the rows that have changed; afterStep waits for that, and the caller before its change is over. */
  beginRows(): void {
    if (this.#ws.index.dirty.size === 0) return;
    this.#rows = this.#ws.store.batch(this.#takeRows(Number.POSITIVE_INFINITY));
    this.#rows.catch(() => undefined);
  }
  get rowsBegun(): Promise<void> {
    return this.#rows;
  }

  /**
   * After a change of the tip: undo data of a few blocks together, coins when due.
   * @param eager near the tip: write everything at once
   */
  async afterStep(eager: boolean): Promise<void> {
    await this.#rows;
    await new TimeSlice().run(this.#ws.coins.finishingSteps());
    const flush = eager || this.#flushIsDue();
    const undo = flush || this.#unwritten.length >= UNDO_BLOCKS || this.#unwrittenCoins >= UNDO_COINS;
    if (undo) await this.writeUndo();
    // Of what waits only the bytes stay.
    else for (const recent of this.#unwritten) recent.undoData();
    if (flush) await this.#flushCoins(eager);
    this.#ws.coins.evict();
    // Blocks are kept for the sake of undo data that is not written.
    if (undo) this.#ws.blocks.trimRecent();
  }

  /** Writes everything there is. */
  async flush(): Promise<void> {
    await new TimeSlice().run(this.#ws.coins.finishingSteps());
    await this.writeUndo();
    await this.#flushCoins(false);
    await this.writeRows();
  }

  #flushIsDue(): boolean {
    const { coins, options, clock } = this.#ws;
    if (coins.dirtyBytes >= Math.min(options.flushBytes, coins.budgetBytes / 2)) return true;
    return clock.monotonicMs() - this.#lastFlushMs > MAX_FLUSH_INTERVAL_MS;
  }

  /** Writes undo data that is only in memory. */
  async writeUndo(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const some = this.#unwritten.slice(0, UNDO_BLOCKS);
      await this.#ws.blocks.writeUndo(some);
      for (const { node } of some) this.#ws.index.dirty.add(node);
      this.#unwritten.splice(0, some.length);
    }
    this.#unwrittenCoins = 0;
  }

  /** @param few whether only a few blocks were connected since the last time */
  async #flushCoins(few: boolean): Promise<void> {
    const { coins, active } = this.#ws;
    const tip = active.tip as HeaderNode;
    if (tip === this.#storedTip && coins.dirtyEntries === 0) return;
    if (coins.dirtyEntries <= this.#ws.options.atomicFlushEntries) await this.#flushAtOnce(tip, few ? this.#rollbackRows(tip) : null);
    else await this.#flushInChunks(tip);
    this.#storedTip = tip;
    this.#lastFlushMs = this.#ws.clock.monotonicMs();
  }

  /**
   * Rows that take the blocks since the last flush off the coins again. With them the coins may reach the disk before
   * the blocks do, so that no block waits for fsync.
   * @returns null when they are too many, or not at hand
   */
  #rollbackRows(tip: HeaderNode): BatchOp[] | null {
    const ops: BatchOp[] = [];
    const { blocks, space } = this.#ws;
    for (let node = tip; !this.#storedTip.descendsFrom(node); node = node.prev as HeaderNode) {
      const recent = blocks.recentBlock(node);
      if (recent === undefined || ops.length === MAX_UNSYNCED) return null;
      ops.push({ type: 'put', key: space.rollbackKey(node.height), value: encodeRollback(recent.block, recent.undoData()) });
    }
    return ops;
  }

  /**
   * Syncs the files and then the store, when all else is written: before a clean end, after marks by hand, and soon after
   * a block near the tip. Rows that were written for want of that are needless then.
   * @param alone nothing else waits for the node thread, as at a clean end
   */
  async syncAll({ alone = false } = {}): Promise<void> {
    const { blocks, store, space } = this.#ws;
    await blocks.files.sync();
    this.#unsynced = 0;
    const ops: BatchOp[] = [];
    for (let slot = 0; slot < ROLLBACK_ROWS; slot++) ops.push({ type: 'del', key: space.rollbackKey(slot) });
    await store.batch(ops, { sync: true, alone });
  }

  async #flushAtOnce(tip: HeaderNode, rollback: readonly BatchOp[] | null): Promise<void> {
    const { coins, store, blocks, space } = this.#ws;
    const { flushChunkEntries } = this.#ws.options;
    // Coins must not outlast the blocks that they are made from, unless they can be taken back.
    if (rollback === null || this.#unsynced + rollback.length > MAX_UNSYNCED) {
      await blocks.files.sync();
      this.#unsynced = 0;
    }
    this.#unsynced += rollback?.length ?? 0;
    await this.#written(async () => {
      const batch = new WriteBatch();
      batch.addAll(this.#takeRows(Number.POSITIVE_INFINITY));
      while (coins.drainDirty(flushChunkEntries, batch) === flushChunkEntries) await yieldToLoop();
      batch.put(space.tipKey, tip.hash);
      batch.addAll(rollback ?? []);
      await store.batch(batch);
    });
  }

  async #flushInChunks(tip: HeaderNode): Promise<void> {
    const { coins, store, blocks, space } = this.#ws;
    // Replaying after a crash needs these blocks and their undo data, so they must not be lost with the machine either.
    await blocks.files.sync();
    this.#unsynced = 0;
    const marker: BatchOp = { type: 'put', key: space.flushMarkerKey, value: encodeFlushMarker(this.#storedTip.hash, tip.hash) };
    await store.batch([...this.#takeRows(Number.POSITIVE_INFINITY), marker], { sync: true });
    await this.#written(async () => {
      for (;;) {
        const batch = new WriteBatch();
        if (coins.drainDirty(this.#ws.options.flushChunkEntries, batch) === 0) break;
        await store.batch(batch);
        await yieldToLoop();
      }
      const end: BatchOp[] = [
        { type: 'put', key: space.tipKey, value: tip.hash },
        { type: 'del', key: space.flushMarkerKey },
      ];
      await store.batch(end, { sync: true });
    });
  }

  /** Tells the cache how writing what it handed out went. */
  async #written(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#ws.coins.markFailed();
      throw error;
    }
    this.#ws.coins.markClean();
  }

  /** Rows of changed nodes; they count as written from here on, since a failed write ends the node. */
  #takeRows(limit: number): BatchOp[] {
    const ops: BatchOp[] = [];
    for (const node of this.#ws.index.dirty) {
      if (ops.length >= limit) break;
      ops.push(rowOp(node));
      this.#ws.index.dirty.delete(node);
    }
    return ops;
  }
}

/** The write of a node's row. */
export function rowOp(node: HeaderNode): BatchOp {
  const { headerBytes: header, height, status, txCount, file, blockPos, undoPos } = node;
  return {
    type: 'put',
    key: blockIndexKey(node.hash),
    value: encodeIndexRow({ header, height, status, txCount, file, blockPos, undoPos }),
  };
}
