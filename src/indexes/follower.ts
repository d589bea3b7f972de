// Keeps an index in step with the active chain, in the background: from the index's position to the tip, then block by
// block, also through reorganisations. Rows and the new position are written as one batch, so the next start continues
// at that position, even after a crash. Core's counterpart: index/base.cpp.

import { type Chain, ChainFault, type HeaderNode, lastCommonAncestor } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import type { Coin } from '../consensus/coin.js';
import type { Clock } from '../lib/clock.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { durationText, ProgressMeter, percentText } from '../lib/progress.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Logger } from '../log/logger.js';
import { indexStateKey, type PrefixRange } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';

/** An index: computes the rows for a block. Work of more than a few milliseconds must be done in slices. */
export interface IndexKind {
  /** Name in getindexinfo. */
  readonly name: string;
  /** Range of the index's rows. All of them are deleted if the index must be built again. */
  readonly rows: PrefixRange;
  /** True if the index needs the coins that a block spent. */
  readonly needsUndo: boolean;
  /**
   * Restores the state that was saved with the last batch; null at the beginning.
   * @returns false if the state is invalid; the index is then built again
   */
  restore(state: Uint8Array | null): boolean;
  /** Returns the state after the last connected block, in the form that `restore` reads. */
  state(): Uint8Array;
  connect(node: HeaderNode, block: BlockView, spent: readonly (readonly Coin[])[]): Promise<BatchOp[]>;
  /** Returns the writes that take back the rows of a disconnected block. Absent if such rows may stay. */
  disconnect?(node: HeaderNode, block: BlockView, spent: readonly (readonly Coin[])[]): Promise<BatchOp[]>;
}

export interface FollowerDeps {
  readonly chain: Pick<Chain, 'view' | 'blocks' | 'commands'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Guard that counts and logs failures of the index. */
  readonly guard: ListenerGuard;
  /** Called when the storage has failed or the index cannot start. The node should stop then. */
  readonly onFault: (error: Error) => void;
}

/** Number of operations from which a batch is written. Also see BATCH_BYTES and BATCH_MS. */
const BATCH_OPS = 4_000;
/** Number of bytes from which a batch is written. */
const BATCH_BYTES = 1 << 20;
/** Age in milliseconds from which a batch is written. A crash costs at most so much work. */
const BATCH_MS = 2_000;
/** Time in milliseconds between a failure and the next attempt, unless the tip changes earlier. */
const RETRY_MS = 10_000;
/** Interval between progress lines in milliseconds. */
const REPORT_MS = 10_000;

export class IndexFollower {
  /** Last block that the index has processed; null before genesis. */
  #at: HeaderNode | null = null;
  /** Last block whose rows are written. */
  #written: HeaderNode | null = null;
  #caughtUp = false;
  #stopping = false;
  #wake: () => void = () => {};
  #running: Promise<void> | null = null;
  #waiters: (() => void)[] = [];
  #ops: BatchOp[] = [];
  #opsBytes = 0;
  #openedMs = 0;
  #failed = false;
  readonly #deps: FollowerDeps;

  constructor(
    readonly kind: IndexKind,
    deps: FollowerDeps,
  ) {
    this.#deps = deps;
  }

  get name(): string {
    return this.kind.name;
  }
  /** True if the index has reached the tip since the node started. */
  get synced(): boolean {
    return this.#caughtUp;
  }
  /** Height of the last block whose rows are written; 0 at the beginning. */
  get height(): number {
    return this.#written?.height ?? 0;
  }

  /** Lowest height whose block the index has yet to read. Pruning keeps blocks from this height on. */
  get neededFrom(): number {
    return this.#written === null ? 0 : this.#written.height + 1;
  }

  /** Starts to follow the chain in the background. */
  start(): void {
    this.#running = this.#run();
  }

  /** Called after a tip change, or when the history below a snapshot has advanced. */
  notifyTipChanged(): void {
    this.#wake();
  }

  /** Stops after the current block, and writes the finished work. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running;
  }

  /** True if waitUntilSynced() has nothing to wait for. */
  get settled(): boolean {
    return !this.#caughtUp || this.#failed || this.#stopping || this.#coversTip(this.#written);
  }

  /**
   * Waits until the index has all blocks of the current chain (Core's BlockUntilSyncedToCurrentChain).
   * @returns false, immediately, while the index is still being built
   */
  async waitUntilSynced(): Promise<boolean> {
    if (!this.#caughtUp || this.#failed || this.#stopping) return false;
    while (!this.#coversTip(this.#written)) {
      if (this.#failed || this.#stopping || !this.#caughtUp) return false;
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        this.#wake();
      });
    }
    return true;
  }

  /**
   * Returns whether a block is the tip or a descendant of it. After an operator has disconnected blocks, the index is
   * above the tip. It may stay there until other blocks are connected.
   */
  #coversTip(node: HeaderNode | null): boolean {
    return node?.descendsFrom(this.#deps.chain.view.validTip) === true;
  }

  async #run(): Promise<void> {
    try {
      await this.#load();
      this.#refusePruned();
      while (!(await this.#attempt())) await this.#load();
    } catch (error) {
      this.#failed = true;
      const fault = error instanceof Error ? error : new Error(String(error));
      this.#deps.log.error(`${this.kind.name}: ${fault.message}`);
      if (!this.#stopping) this.#deps.onFault(fault);
    } finally {
      this.#release();
    }
  }

  /**
   * Follows the chain until the node stops. After a failure outside the storage, discards unwritten work and waits
   * until the next attempt is due.
   * @returns false after such a failure; the caller then continues from the last written block
   */
  async #attempt(): Promise<boolean> {
    try {
      await this.#followChain();
      return true;
    } catch (error) {
      if (error instanceof StoreError || error instanceof ChainFault || this.#stopping) throw error;
      this.#deps.guard.failed(this.kind.name, error);
    }
    this.#ops = [];
    this.#opsBytes = 0;
    this.#at = null;
    this.#caughtUp = false;
    this.#release();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, RETRY_MS).unref();
    });
    clearTimeout(timer);
    return this.#stopping;
  }

  #release(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  /** Loads the index's position: row 'I' | name has the hash of the last block, then the state of the index. */
  async #load(): Promise<void> {
    const { chain, store, log } = this.#deps;
    const row = await store.get(indexStateKey(this.kind.name));
    if (row !== undefined) {
      const node = row.length < 32 ? undefined : chain.view.node(row.subarray(0, 32));
      if (node !== undefined && this.kind.restore(row.subarray(32))) {
        this.#at = this.#written = node;
        return;
      }
      log.warn(`The last block of ${this.kind.name} is not in the block index. Building ${this.kind.name} again from the genesis block.`);
      await this.#wipe();
    }
    if (!this.kind.restore(null)) throw new Error(`${this.kind.name} could not be initialized`);
  }

  /** Throws if blocks that the index has yet to read were pruned while the index was disabled. */
  #refusePruned(): void {
    const { chain } = this.#deps;
    if (!chain.blocks.havePruned || this.#coversTip(this.#at)) return;
    const from = this.#at === null ? 0 : lastCommonAncestor(this.#at, chain.view.validTip).height + 1;
    if (chain.blocks.lowestStored.height <= from) return;
    throw new Error(
      `${this.kind.name} best block of the index goes beyond pruned data. Please disable the index or reindex (which will download the whole blockchain again)`,
    );
  }

  async #wipe(): Promise<void> {
    const { store } = this.#deps;
    await store.batch([{ type: 'del', key: indexStateKey(this.kind.name) }]);
    await store.clear(this.kind.rows.gte, this.kind.rows.lt);
  }

  async #followChain(): Promise<void> {
    const { chain, log, clock } = this.#deps;
    let meter: ProgressMeter | null = null;
    const slice = new TimeSlice();
    while (!this.#stopping) {
      const at = this.#at;
      // Promise that the next event (tip change, stop) resolves.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#coversTip(at)) {
        await this.#write();
        if (!this.#caughtUp) log.info(`${this.kind.name} is enabled at height ${this.height}`);
        this.#caughtUp = true;
        this.#release();
        if (this.#coversTip(this.#at)) await woken;
        continue;
      }
      if (at !== null && !chain.view.validTip.descendsFrom(at)) {
        await this.#rewind(at);
        continue;
      }
      const next = at === null ? chain.view.genesis : chain.view.validTip.ancestor(at.height + 1);
      if (next === null) continue;
      await this.#advance(next);
      if (slice.over) await slice.next();
      meter ??= new ProgressMeter(() => clock.monotonicMs(), at?.height ?? 0, REPORT_MS);
      if (!this.#caughtUp && meter.shouldReport()) this.#report(meter, next.height);
    }
    await this.#write();
  }

  #report(meter: ProgressMeter, height: number): void {
    const goal = this.#deps.chain.view.validTip.height;
    const left = durationText(meter.secondsLeft(height, goal));
    this.#deps.log.info(
      `Building ${this.kind.name}: height ${height} of ${goal} (${percentText(height, goal)}), ${meter.rate(height).toFixed(0)} blocks/s, ${left} left`,
    );
  }

  async #advance(node: HeaderNode): Promise<void> {
    const { chain } = this.#deps;
    const block = await chain.blocks.readBlock(node);
    const spent = this.kind.needsUndo ? await chain.blocks.readUndo(node) : [];
    this.#addOperations(await this.kind.connect(node, block, spent));
    this.#at = node;
    await this.#writeWhenDue();
  }

  async #rewind(from: HeaderNode): Promise<void> {
    const { chain } = this.#deps;
    // Write first: rows after the fork build on the rows of the last block that both branches share.
    await this.#write();
    const fork = lastCommonAncestor(from, chain.view.validTip);
    for (let node = from; node !== fork && !this.#stopping; node = node.prev as HeaderNode) {
      // The block's bytes can be read, because rows of a block are written only after its bytes were synced.
      if (this.kind.disconnect !== undefined) {
        const block = await chain.blocks.readBlock(node);
        this.#addOperations(await this.kind.disconnect(node, block, this.kind.needsUndo ? await chain.blocks.readUndo(node) : []));
      }
      this.#at = node.prev;
      await this.#writeWhenDue();
    }
  }

  #addOperations(ops: readonly BatchOp[]): void {
    if (this.#ops.length === 0) this.#openedMs = this.#deps.clock.monotonicMs();
    for (const op of ops) {
      this.#ops.push(op);
      this.#opsBytes += op.key.length + (op.type === 'put' ? op.value.length : 0);
    }
  }

  async #writeWhenDue(): Promise<void> {
    const old = this.#deps.clock.monotonicMs() - this.#openedMs > BATCH_MS;
    if (old || this.#ops.length >= BATCH_OPS || this.#opsBytes >= BATCH_BYTES) await this.#write();
  }

  async #write(): Promise<void> {
    const at = this.#at;
    if (at === null || at === this.#written) return;
    const hash = at.hash;
    const state = this.kind.state();
    const value = new Uint8Array(32 + state.length);
    value.set(hash);
    value.set(state, 32);
    const ops = this.#ops;
    this.#ops = [];
    this.#opsBytes = 0;
    ops.push({ type: 'put', key: indexStateKey(this.kind.name), value });
    // The next start must find the last block of the index, and the data for disconnecting that block.
    await this.#deps.chain.commands.recorded(at);
    await this.#deps.store.batch(ops);
    this.#written = at;
  }
}
