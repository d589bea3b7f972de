// Writes the chain's state to the database. Near the tip each change is one batch: coins, undo positions, tip. In the
// initial block download, changed coins collect in memory and are written in several batches. A marker "flushing A to
// B" is written before the first batch and removed after the last. A start that finds the marker replays the blocks
// from A to B (replay-flush.ts).

import { TimeSlice, yieldToLoop } from '../../lib/time-slice.js';
import { encodeIndexRow } from '../../storage/codec/index-row.js';
import { encodeRollback } from '../../storage/codec/rollback.js';
import { blockIndexKey, encodeFlushMarker, ROLLBACK_ROWS } from '../../storage/layout.js';
import type { Batch, BatchOp } from '../../storage/store.js';
import { WriteBatch } from '../../storage/write-batch.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ConnectedBlock } from '../events.js';
import type { HeaderNode } from '../tree/header-node.js';
import type { RecentBlock } from './block-storage.js';

/** Number of index rows in one batch. */
const ROW_CHUNK = 2_000;
/**
 * Limits in blocks and coins for undo data that is collected in the initial download before it is written. A separate
 * write for each small block would cost more than the data itself.
 */
const UNDO_BLOCKS = 64;
const UNDO_COINS = 10_000;
/**
 * Number of blocks that may be connected near the tip between two fsyncs of the block files. It is small enough that
 * their rollback rows do not overwrite each other.
 */
const MAX_UNSYNCED = ROLLBACK_ROWS / 2;
/** Longest time in milliseconds between flushes in the initial download, so that a crash costs little work. */
const MAX_FLUSH_INTERVAL_MS = 10 * 60 * 1000;

export class Persister {
  /** Connected blocks whose undo data is not written yet. */
  #unwritten: RecentBlock[] = [];
  #unwrittenCoins = 0;
  #lastFlushMs: number;
  /**
   * Number of blocks connected since the block files were synced, in this run or earlier ones. Each of them has a
   * rollback row.
   */
  #unsynced: number;
  /** Write of index rows that is in progress. If it fails, no later write happens. */
  #rows: Promise<void> = Promise.resolve();
  readonly #ws: ChainWorkspace;
  #storedTip: HeaderNode;

  /** @param storedTip block of the coins in the database */
  constructor(ws: ChainWorkspace, storedTip: HeaderNode) {
    this.#ws = ws;
    this.#storedTip = storedTip;
    this.#lastFlushMs = ws.clock.monotonicMs();
    this.#unsynced = ws.leftRollbacks;
  }

  /**
   * Called after the chain switched to another set of coins, or after writeCoinsOf.
   * @param tip block of these coins in the database
   */
  movedTo(tip: HeaderNode): void {
    this.#storedTip = tip;
  }

  /** Records blocks that were just connected and whose undo data is to be written. BlockStorage has it in memory. */
  noteConnected(blocks: readonly ConnectedBlock[]): void {
    for (const { node, spent } of blocks) {
      this.#unwritten.push(this.#ws.blocks.recentBlock(node) as RecentBlock);
      for (const coins of spent) this.#unwrittenCoins += coins.length;
    }
  }

  /** Writes changed index rows. Afterwards accepted headers survive a restart. */
  async writeRows(): Promise<void> {
    while (this.#ws.index.dirty.size > 0) await this.#ws.store.batch(this.#takeRows(ROW_CHUNK));
  }

  /**
   * Starts to write changed index rows. afterStep waits for the write; a caller without afterStep must wait before its
   * change ends.
   */
  beginRows(): void {
    if (this.#ws.index.dirty.size === 0) return;
    this.#rows = this.#ws.store.batch(this.#takeRows(Number.POSITIVE_INFINITY));
    this.#rows.catch(() => undefined);
  }
  get rowsBegun(): Promise<void> {
    return this.#rows;
  }

  /**
   * Called after a tip change. Writes undo data of several blocks together, and coins when necessary.
   * @param eager near the tip: write everything immediately
   */
  async afterStep(eager: boolean): Promise<void> {
    await this.#rows;
    await new TimeSlice('chain').run(this.#ws.coins.finishingSteps());
    const flush = eager || this.#flushIsDue();
    const undo = flush || this.#unwritten.length >= UNDO_BLOCKS || this.#unwrittenCoins >= UNDO_COINS;
    if (undo) await this.writeUndo();
    // Undo data is not written yet: keep only its encoded form in memory.
    else for (const recent of this.#unwritten) recent.undoData();
    if (flush) await this.#flushCoins(eager);
    this.#ws.coins.evict();
    // Recent blocks stay in memory while their undo data is not written.
    if (undo) this.#ws.blocks.trimRecent();
  }

  /** Writes everything that is pending: undo data, index rows, coins and the tip. */
  async flush(): Promise<void> {
    await new TimeSlice('chain').run(this.#ws.coins.finishingSteps());
    await this.writeUndo();
    await this.#flushCoins(false);
    await this.writeRows();
  }

  #flushIsDue(): boolean {
    const { coins, options, clock } = this.#ws;
    if (coins.dirty.bytes >= Math.min(options.flushBytes, coins.budgetBytes / 2)) return true;
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

  /**
   * Writes the changed coins and the tip.
   * @param few whether only a few blocks were connected since the last flush
   */
  async #flushCoins(few: boolean): Promise<void> {
    const { coins, active } = this.#ws;
    const tip = active.tip as HeaderNode;
    if (tip === this.#storedTip && coins.dirty.entries === 0) return;
    if (coins.dirty.entries <= this.#ws.options.atomicFlushEntries) await this.#flushAtOnce(tip, few ? this.#rollbackRows(tip) : null);
    else await this.#flushInChunks(tip);
    this.#storedTip = tip;
    this.#lastFlushMs = this.#ws.clock.monotonicMs();
  }

  /**
   * Returns rollback rows that can take back the blocks since the last flush. With these rows the coins may reach the
   * disk before the blocks, so no block has to wait for fsync.
   * @returns null if the blocks are too many or not in memory
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
   * Syncs the files, then the database, and deletes the rollback rows, which are not needed then. Call it when
   * everything else is written: before a clean stop, after an operator's marks, and soon after a block near the tip.
   * @param alone no other work waits for the node thread, as at a clean stop
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
    // Coins of a block must not reach the disk before the block, unless a rollback row can take them back.
    if (rollback === null || this.#unsynced + rollback.length > MAX_UNSYNCED) {
      await blocks.files.sync();
      this.#unsynced = 0;
    }
    this.#unsynced += rollback?.length ?? 0;
    await this.#written(async () => {
      const batch = new WriteBatch();
      batch.addAll(this.#takeRows(Number.POSITIVE_INFINITY));
      while (coins.dirty.drain(flushChunkEntries, batch) === flushChunkEntries) await yieldToLoop();
      batch.put(space.tipKey, tip.hash);
      batch.addAll(rollback ?? []);
      await store.batch(batch);
    });
  }

  async #flushInChunks(tip: HeaderNode): Promise<void> {
    const { coins, options } = this.#ws;
    async function* drained(): AsyncGenerator<WriteBatch> {
      for (;;) {
        const batch = new WriteBatch();
        if (coins.dirty.drain(options.flushChunkEntries, batch) === 0) return;
        yield batch;
        await yieldToLoop();
      }
    }
    await this.#beginFlush(tip);
    await this.#written(() => this.#writeBatches(tip, drained()));
  }

  /**
   * Writes coins that another writer changed by connecting blocks on top of the stored tip. The files have these blocks
   * and their undo data. If this throws, a replay (replay-flush.ts) must follow.
   * @param to last of the blocks
   * @param batches changes of coins up to that block
   */
  async writeCoinsOf(to: HeaderNode, batches: AsyncIterable<Batch>): Promise<void> {
    await this.#beginFlush(to);
    await this.#writeBatches(to, batches);
    this.#lastFlushMs = this.#ws.clock.monotonicMs();
  }

  /** Writes the marker of a flush in several batches. */
  async #beginFlush(tip: HeaderNode): Promise<void> {
    const { store, blocks, space } = this.#ws;
    // A replay after a crash reads these blocks and their undo data, so they must be on the disk before the marker.
    await blocks.files.sync();
    this.#unsynced = 0;
    const marker: BatchOp = { type: 'put', key: space.flushMarkerKey, value: encodeFlushMarker(this.#storedTip.hash, tip.hash) };
    await store.batch([...this.#takeRows(Number.POSITIVE_INFINITY), marker], { sync: true });
  }

  /** Writes the batches of a flush, then the tip, and removes the marker. */
  async #writeBatches(tip: HeaderNode, batches: AsyncIterable<Batch>): Promise<void> {
    const { store, space } = this.#ws;
    for await (const batch of batches) await store.batch(batch);
    const end: BatchOp[] = [
      { type: 'put', key: space.tipKey, value: tip.hash },
      { type: 'del', key: space.flushMarkerKey },
    ];
    await store.batch(end, { sync: true });
  }

  /** Runs a write of drained coins and reports its result to the cache. */
  async #written(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#ws.coins.dirty.markFailed();
      throw error;
    }
    this.#ws.coins.dirty.markClean();
  }

  /** Returns writes of changed index rows and marks the rows as written. If the write fails, the node stops. */
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

/** Returns the write of a node's index row. */
export function rowOp(node: HeaderNode): BatchOp {
  const { headerBytes: header, height, status, txCount, file, blockPos, undoPos } = node;
  return {
    type: 'put',
    key: blockIndexKey(node.hash),
    value: encodeIndexRow({ header, height, status, txCount, file, blockPos, undoPos }),
  };
}
