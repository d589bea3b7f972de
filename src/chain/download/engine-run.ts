// One run of the download engine (src/engine): offers blocks to it in order of height, stores the blocks that it has
// connected, and writes their coins at checkpoints. Between two checkpoints the chain's tip and its coins do not change.
// So whatever fails, the run only has to be dropped: the chain stands at the last checkpoint, and the ordinary code goes on
// from there. See docs/decisions/0084-download-engine.md.

import { MAX_BLOCK_WEIGHT } from '../../consensus/limits.js';
import {
  type ChangedCoins,
  type EngineBlock,
  EngineFailure,
  type EngineFigures,
  type EngineOptions,
  type FinishedBlock,
  type RefusedBlock,
} from '../../engine/engine.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { withPlainScript } from '../../storage/codec/coin.js';
import { StoreError } from '../../storage/store-error.js';
import { WriteBatch } from '../../storage/write-batch.js';
import type { Changes } from '../changes.js';
import type { Activator } from '../connect/activator.js';
import { scriptsReason } from '../connect/scripts-needed.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { Persister } from '../files/persister.js';
import type { Pruner } from '../files/pruner.js';
import { replayFlush } from '../files/replay-flush.js';
import type { BlockEngine, StartEngine } from '../options.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { engineBlock, mayConnect } from './engine-block.js';
import { HeldBlocks } from './held-blocks.js';

/** Time in milliseconds between two checkpoints. A crash costs at most the work since the last one. */
const CHECKPOINT_MS = 2 * 60 * 1000;
/** Time in milliseconds without a block to connect after which a checkpoint is written. */
const IDLE_MS = 1_000;
/** Least ratio of the time between two checkpoints for want of blocks to the duration of a checkpoint. */
const MIN_RATIO = 10;
const TICK_MS = 250;
/**
 * Time in milliseconds without the next block after which the run ends. A peer may have sent headers without having
 * their blocks. The ordinary code then connects the best branch whose blocks are here.
 */
const STARVED_MS = 10 * 60 * 1000;
/** Part of a shard's memory at which the older coins are dropped, so that the blocks in work do not exceed its bound. */
const FULL = 0.8;
/** Most blocks and bytes stored in one change, so that other changes of the chain run in between. */
const GROUP_BLOCKS = 64;
const GROUP_BYTES = 16 << 20;
/**
 * Largest size of a block with its undo data that leaves its slot before it is stored. Such blocks are stored together, because
 * a write costs more than their bytes do.
 */
const SMALL_BYTES = 64 << 10;
/** Longest time in milliseconds that small blocks wait for others. */
const SMALL_WAIT_MS = 25;
/** Number of blocks above the last stored one that leave their slots. Others fill the slots, so that no more are offered. */
const MAX_COPIED = 2 * GROUP_BLOCKS;
/** Growth of the files in bytes between two checkpoints with -prune, because files are pruned below the tip only. */
const PRUNED_GROWTH = 64 << 20;

/** State of a run. */
type State =
  /** The threads start. */
  | 'starting'
  /** Blocks are offered and stored. */
  | 'running'
  /** No block is offered until a checkpoint is written. */
  | 'pausing'
  /** No block is offered any more. The run ends with a checkpoint. */
  | 'ending'
  | 'ended';

/** Reason for the end of a run. */
export interface RunEnd {
  /** Error of the engine; null if the run ended with a checkpoint. */
  readonly failure: Error | null;
  /** Height of the block that the engine could not connect or read, or that did not arrive; 0 for none. */
  readonly failedHeight: number;
  /** True if the engine must not start again: its memory is too small, or threads and memory cannot be had. */
  readonly final: boolean;
}

export interface RunDeps {
  readonly start: StartEngine;
  readonly threads: number;
  readonly memoryBytes: number;
  /** Height of the last block to connect (-stopatheight); infinite for none. */
  readonly stopHeight: number;
  /** Number of blocks ahead below which a run ends when the next one is missing. */
  readonly leastBlocks: number;
  readonly changes: Changes;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
  /** Writes index rows if many are unwritten. */
  writeSomeRows(): Promise<void>;
  /** Returns the assumed-valid block. */
  assumedValid(): HeaderNode | undefined;
  /** Called when blocks were stored, and when the next one is missing. */
  moved(): void;
  /** Called once, when the run has ended. */
  ended(end: RunEnd): void;
}

export class EngineRun {
  /** Blocks in memory that are not stored yet. */
  readonly held: HeldBlocks;
  #state: State = 'starting';
  #engine: BlockEngine | null = null;
  /** Last block that was offered; last block that the engine has connected; last of these that is stored. */
  #offered: HeaderNode;
  #collected: HeaderNode;
  #stored: HeaderNode;
  /** Blocks that the engine has connected and that are not stored yet, lowest first. */
  #finished: { readonly node: HeaderNode; readonly block: FinishedBlock }[] = [];
  /** Last block whose slot is free again. All blocks of #finished up to it are small and copied. */
  #released: HeaderNode;
  #smallTimer: NodeJS.Timeout | undefined;
  #feeding = false;
  /** Memory into which stored blocks are read, and the block that it has. New memory for each would start collections. */
  #memory: Uint8Array | null = null;
  #read: { readonly node: HeaderNode; readonly bytes: Uint8Array } | null = null;
  #storeQueued = false;
  /** True if the stored bytes of the next block cannot be read. */
  #isUnreadable = false;
  /** Time since which the next block is missing; null while it is not. */
  #starvedSinceMs: number | null = null;
  #checkpointMs: number;
  /** Duration of the last checkpoint. */
  #checkpointTookMs = 0;
  #bytesAtCheckpoint: number;
  /** Best header at the last search for a block. */
  #best: HeaderNode;
  /** Resolvers of #drained. */
  #waiters: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #ws: ChainWorkspace;
  readonly #deps: RunDeps;

  constructor(ws: ChainWorkspace, deps: RunDeps) {
    this.#ws = ws;
    this.#deps = deps;
    this.#offered = this.#collected = this.#released = this.#stored = ws.active.tip as HeaderNode;
    this.#best = ws.index.bestHeader;
    this.#checkpointMs = ws.clock.monotonicMs();
    this.#bytesAtCheckpoint = ws.blocks.files.sizeOnDisk;
    this.held = new HeldBlocks(() => this.#starvedSinceMs !== null);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Last block that is connected and stored. Its coins may not be written yet. */
  get reached(): HeaderNode {
    return this.#stored;
  }

  /** True while the next block is missing and all others are stored. */
  get idle(): boolean {
    return this.#starvedSinceMs !== null && this.#stored === this.#offered;
  }

  /** Milliseconds since the last checkpoint. */
  get checkpointAgeMs(): number {
    return this.#ws.clock.monotonicMs() - this.#checkpointMs;
  }

  /** Coins in the engine and their bytes. */
  get figures(): Pick<EngineFigures, 'coins' | 'bytes' | 'fullness' | 'read'> {
    return this.#engine?.figures() ?? { coins: 0, bytes: 0, fullness: 0, read: 0 };
  }

  /**
   * Starts the threads, and begins to connect blocks.
   * @param complete true if the database has no coins
   */
  async begin(complete: boolean): Promise<void> {
    try {
      const options = await this.#options(complete);
      const engine = await this.#deps.start(options);
      this.#engine = engine;
      if (this.ended) {
        await engine.close();
        return;
      }
      this.#state = 'running';
      void this.#collect(engine);
      this.wake();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #options(complete: boolean): Promise<EngineOptions> {
    const { threads, memoryBytes } = this.#deps;
    const firstHeight = this.#stored.height + 1;
    const medianTimes = new Uint32Array(firstHeight);
    const turns = new TimeSlice('chain');
    for (let node: HeaderNode | null = this.#stored; node !== null; node = node.prev) {
      medianTimes[node.height] = node.medianTimePast();
      if (turns.over) await turns.next();
    }
    const { space, store } = this.#ws;
    const coinPrefix = space.coins.gte[0] as number;
    const readCoins: EngineOptions['readCoins'] = async (keys) => (await store.getMany(keys)).map((coin) => coin && withPlainScript(coin));
    return { threads, memoryBytes, firstHeight, medianTimes, coinPrefix, complete, readCoins };
  }

  get #isFull(): boolean {
    return this.figures.fullness > FULL;
  }

  /**
   * Holds the bytes of a block until the block is connected and stored.
   * @returns resolves with false if the run gives the bytes back: the ordinary code must take them. Null if the run does
   *   not take them at all
   */
  takeBytes(node: HeaderNode, bytes: Uint8Array, sender: object): Promise<boolean> | null {
    if (this.#state === 'ending' || this.ended || node.height <= this.#offered.height || node.has(NodeStatus.HAVE_DATA)) return null;
    if (node.height > this.#deps.stopHeight || !mayConnect(this.#ws, node)) return null;
    // The run would hold a block of another branch until its end.
    if (this.#ws.index.bestHeader.ancestor(node.height) !== node) return null;
    const ended = this.held.hold(node, bytes, sender);
    if (ended !== null) this.wake();
    return ended;
  }

  /** Called when a block may have become available. */
  wake(): void {
    if (this.#state === 'running' && !this.#feeding) void this.#feed();
  }

  /** Offers blocks until one is missing or no slot is free. */
  async #feed(): Promise<void> {
    const engine = this.#engine as BlockEngine;
    this.#feeding = true;
    try {
      while (this.#state === 'running') {
        const node = this.#next();
        if (node === null) {
          this.#endSoon();
          break;
        }
        const here = this.held.bytesOf(node) ?? (node.hasData ? this.#storedBytes(node) : null);
        if (here === null) {
          this.#starvedSinceMs ??= this.#ws.clock.monotonicMs();
          this.held.releaseWaiters();
          if (this.idle) this.#deps.moved();
          break;
        }
        this.#starvedSinceMs = null;
        const bytes = here instanceof Promise ? await here : here;
        // A block below this one was refused meanwhile.
        if (node.prev !== this.#offered) continue;
        if (this.#state !== 'running' || !engine.offer(this.#factsOf(node), bytes)) break;
        this.#offered = node;
      }
    } catch (error) {
      if (error instanceof StoreError) {
        // The ordinary code finds out what is wrong with the block.
        this.#isUnreadable = true;
        this.#endSoon();
      } else this.#fail(error);
    } finally {
      this.#feeding = false;
    }
  }

  #factsOf(node: HeaderNode): EngineBlock {
    return engineBlock(this.#ws, node, scriptsReason(this.#ws, node, this.#deps.assumedValid()) !== null);
  }

  /** Returns the block to offer next; null if the run has connected all that it may. */
  #next(): HeaderNode | null {
    const last = this.#offered;
    const best = this.#ws.index.bestHeader;
    // The ordinary code stores blocks of a branch that has lost.
    if (best !== this.#best && !best.descendsFrom(this.#best)) this.held.giveBackOthers(best);
    this.#best = best;
    const node = best.ancestor(last.height + 1);
    if (node === null || node.prev !== last || node.height > this.#deps.stopHeight || this.#ws.stopping()) return null;
    return mayConnect(this.#ws, node) ? node : null;
  }

  /** Returns the bytes of a stored block, valid until the next call. If no slot was free, they are here already. */
  async #storedBytes(node: HeaderNode): Promise<Uint8Array> {
    if (this.#read?.node === node) return this.#read.bytes;
    this.#read = null;
    // No block has more bytes than weight.
    this.#memory ??= new Uint8Array(MAX_BLOCK_WEIGHT);
    const bytes = await this.#ws.blocks.readBytes(node, this.#memory);
    if (!this.ended) this.#read = { node, bytes };
    return bytes;
  }

  /** Takes connected blocks from the engine until the run ends. */
  async #collect(engine: BlockEngine): Promise<void> {
    try {
      while (!this.ended) {
        const block = await engine.next();
        const node = this.#offered.ancestor(block.height) as HeaderNode;
        if ('refusal' in block) this.#giveBack(engine, node, block);
        else {
          this.#collected = node;
          this.#finished.push({ node, block: this.#freeSlotOf(engine, node, block) });
          if (this.#isStoreDue) this.#storeSoon();
          else this.#storeLater();
        }
        for (const resolve of this.#waiters.splice(0)) resolve();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Copies a small block and frees its slot, if all slots below are free. @returns the block to store */
  #freeSlotOf(engine: BlockEngine, node: HeaderNode, block: FinishedBlock): FinishedBlock {
    if (node.prev !== this.#released || node.height > this.#stored.height + MAX_COPIED) return block;
    if (block.bytes.length + block.undo.length > SMALL_BYTES) return block;
    const bytes = this.held.bytesOf(node) ?? block.bytes.slice();
    const copy = { ...block, bytes, undo: block.undo.slice(), undoChecksum: block.undoChecksum.slice() };
    engine.release(node.height);
    this.#released = node;
    this.wake();
    return copy;
  }

  /** True if connected blocks are to be stored now. The other half of the blocks in slots keeps the threads busy. */
  get #isStoreDue(): boolean {
    const [first] = this.#finished;
    if (first === undefined) return false;
    const inSlots = this.#collected.height - Math.max(this.#released.height, first.node.height - 1);
    const isHalf = inSlots > 0 && 2 * inSlots >= this.#offered.height - this.#released.height;
    return isHalf || this.#finished.length >= GROUP_BLOCKS || this.#state !== 'running';
  }

  /**
   * Lets the ordinary code judge a block that the engine refused, and the other blocks of its sender. The run waits for
   * a block of the same hash. If the ordinary code has stored the refused bytes, the engine fails.
   */
  #giveBack(engine: BlockEngine, node: HeaderNode, { height, refusal }: RefusedBlock): void {
    const why = `block ${height} is not certainly valid: code ${refusal}`;
    engine.offerAgain(height);
    this.#offered = node.prev as HeaderNode;
    if (!this.held.giveBack(node)) throw new EngineFailure(height, refusal, why);
    this.#ws.log.info(`The download engine has refused a copy of a block, and waits for another one: ${why}`);
    if (this.#state === 'running') this.wake();
    this.#storeSoon();
  }

  #storeSoon(): void {
    if (this.#storeQueued || this.ended) return;
    this.#storeQueued = true;
    clearTimeout(this.#smallTimer);
    this.#smallTimer = undefined;
    const job = async (): Promise<void> => {
      this.#storeQueued = false;
      await this.#store();
    };
    // A failure is a fault of the chain, or the chain is closing and ends the run by itself.
    this.#deps.changes.changeWhole(job).catch(() => undefined);
  }

  /** Lets small blocks wait for others. */
  #storeLater(): void {
    if (this.#storeQueued) return;
    this.#smallTimer ??= setTimeout(() => {
      this.#smallTimer = undefined;
      this.#storeSoon();
    }, SMALL_WAIT_MS);
  }

  /** Stores connected blocks, and writes a checkpoint if one is due. Runs in the queue of changes. */
  async #store(): Promise<void> {
    if (this.ended || this.#state === 'starting') return;
    await this.#storeGroup();
    if (this.#state === 'running' && this.#checkpointIsDue) this.#state = this.#isNearTip ? 'ending' : 'pausing';
    if (this.#isStoreDue) {
      this.#storeSoon();
      return;
    }
    if (this.#finished.length > 0) this.#storeLater();
    if (this.#state === 'running' || this.ended || this.#stored !== this.#offered) return;
    await this.#checkpoint();
    // Files are pruned below the tip only, so those of the last blocks could not be pruned before.
    await this.#deps.pruner.pruneToTarget();
  }

  async #storeGroup(): Promise<void> {
    const { blocks, index } = this.#ws;
    let end = 0;
    for (let bytes = 0; end < this.#finished.length && end < GROUP_BLOCKS && bytes < GROUP_BYTES; end++)
      bytes += this.#finished[end]!.block.bytes.length;
    const group = this.#finished.splice(0, end);
    if (group.length === 0) return;
    const fresh = group.filter(({ node }) => !node.has(NodeStatus.HAVE_DATA));
    const positions = fresh.length === 0 ? [] : await blocks.files.appendBlocks(fresh.map(({ block }) => block.bytes));
    for (const [i, { node, block }] of fresh.entries()) {
      let at = positions[i] as BlockPosition;
      // The file may have been pruned since the block was appended. Append the block again.
      if (!blocks.files.hasFile(at.file)) at = await blocks.files.appendBlock(block.bytes);
      if (!node.has(NodeStatus.HAVE_DATA)) index.receivedTransactions(node, block.txCount, at.file, at.pos);
    }
    await blocks.writeUndoData(group.map(({ node, block }) => ({ node, undo: block.undo, checksum: block.undoChecksum })));
    for (const { node } of group) {
      index.raise(node, NodeStatus.SCRIPTS_VALID);
      index.dirty.add(node);
      this.held.end(node, true);
      this.#stored = node;
      if (this.ended || node.height <= this.#released.height) continue;
      this.#engine?.release(node.height);
      this.#released = node;
    }
    this.wake();
    this.#deps.moved();
    await this.#deps.writeSomeRows();
  }

  get #checkpointIsDue(): boolean {
    if (this.#stored === this.#ws.active.tip) return false;
    if (this.checkpointAgeMs >= CHECKPOINT_MS || this.#isFull) return true;
    const { options, blocks } = this.#ws;
    if (options.prune !== null && blocks.files.sizeOnDisk - this.#bytesAtCheckpoint >= PRUNED_GROWTH) return true;
    if (this.#starvedSinceMs === null) return false;
    // If blocks arrive slowly, checkpoints must not take much of the time. The last one must not wait.
    if (!this.#isNearTip && this.checkpointAgeMs < MIN_RATIO * this.#checkpointTookMs) return false;
    return this.#ws.clock.monotonicMs() - this.#starvedSinceMs >= IDLE_MS;
  }

  /** True if so few blocks are ahead that the ordinary code connects them as fast. */
  get #isNearTip(): boolean {
    return this.#starvedSinceMs !== null && this.#ws.index.bestHeader.height - this.#offered.height < this.#deps.leastBlocks;
  }

  get #isStarved(): boolean {
    return this.#starvedSinceMs !== null && this.#ws.clock.monotonicMs() - this.#starvedSinceMs >= STARVED_MS;
  }

  #tick(): void {
    if (this.#state === 'running' && (this.#ws.stopping() || this.#isStarved)) this.#endSoon();
    // The block that is missing may have become invalid.
    if (this.#starvedSinceMs !== null) this.wake();
    if (this.#state === 'running' && this.#checkpointIsDue) this.#storeSoon();
  }

  #endSoon(): void {
    if (this.#state !== 'running' && this.#state !== 'pausing') return;
    this.#state = 'ending';
    this.#storeSoon();
  }

  /** Writes the coins of all stored blocks, and moves the tip to the last of them. */
  async #checkpoint(): Promise<void> {
    const ws = this.#ws;
    const { activator, persister } = this.#deps;
    const engine = this.#engine as BlockEngine;
    const to = this.#stored;
    const beginMs = ws.clock.monotonicMs();
    const wasFull = this.#isFull;
    if (to !== ws.active.tip) {
      const openGate = await ws.coinsGate.close();
      try {
        await this.#writeCoins(engine, to);
        persister.movedTo(to);
        activator.jumpTo(to, this.held.size > 0);
      } finally {
        openGate();
      }
      const { coins, read } = this.figures;
      ws.log.info(`Wrote the coins of the download engine: height ${to.height}, ${coins} coins in memory, ${read} read from the database`);
    }
    this.#checkpointMs = ws.clock.monotonicMs();
    this.#checkpointTookMs = this.#checkpointMs - beginMs;
    this.#bytesAtCheckpoint = ws.blocks.files.sizeOnDisk;
    if (this.#state === 'ending') {
      this.#end({ failure: null, failedHeight: this.#isUnreadable || this.#isStarved ? to.height + 1 : 0, final: false });
    } else if (this.#state === 'pausing') {
      if (wasFull && !(await this.#makeSpace(engine))) return;
      if (this.#state !== 'pausing') return;
      this.#state = 'running';
      this.wake();
    }
  }

  /** Drops older coins. @returns false if the run has ended */
  async #makeSpace(engine: BlockEngine): Promise<boolean> {
    await engine.evict().catch((error: unknown) => this.#fail(error));
    if (this.ended) return false;
    if (!this.#isFull) return true;
    this.#ws.log.warn('-dbcache is too small for the download engine. Other code connects the blocks.');
    this.#end({ failure: null, failedHeight: 0, final: true });
    return false;
  }

  async #writeCoins(engine: BlockEngine, to: HeaderNode): Promise<void> {
    const { persister } = this.#deps;
    try {
      await persister.writeCoinsOf(to, batchesOf(engine.changedCoins()));
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      // The database has a part of the coins, but the files have all blocks with their undo data.
      this.#fail(error);
      await replayFlush(this.#ws);
      return;
    }
    await engine.markClean().catch((error: unknown) => this.#fail(error));
  }

  /**
   * Ends the run with a checkpoint. Must be called inside the queue of changes.
   */
  async endInQueue(): Promise<void> {
    if (this.ended) return;
    if (this.#state === 'starting') {
      this.#end({ failure: null, failedHeight: 0, final: false });
      return;
    }
    this.#state = 'ending';
    while (!this.ended && this.#collected !== this.#offered) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    while (!this.ended && this.#finished.length > 0) await this.#storeGroup();
    if (!this.ended) await this.#checkpoint();
  }

  /** Drops the run: the chain stays at the last checkpoint. */
  drop(): void {
    this.#end({ failure: null, failedHeight: 0, final: false });
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    const { height = 0 } = error instanceof EngineFailure ? error : {};
    this.#end({ failure, failedHeight: height, final: this.#state === 'starting' });
  }

  #end(end: RunEnd): void {
    if (this.ended) return;
    this.#state = 'ended';
    clearInterval(this.#timer);
    clearTimeout(this.#smallTimer);
    this.#finished = [];
    this.#memory = this.#read = null;
    this.#engine?.close().catch((error: Error) => this.#ws.log.warn(`The download engine could not be closed: ${error.message}`));
    this.held.endAll();
    for (const resolve of this.#waiters.splice(0)) resolve();
    this.#deps.ended(end);
  }
}

async function* batchesOf(changed: AsyncIterable<ChangedCoins>): AsyncGenerator<WriteBatch> {
  for await (const coins of changed) yield WriteBatch.from(coins);
}
