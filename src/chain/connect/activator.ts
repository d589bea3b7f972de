// Changes the tip: towards the best known branch, or down to the parent of an invalidated block. Each change is
// prepared first. Then its coins are changed in slices, invisibly for readers. In one tick the coins become visible,
// the tip changes, and the listeners are called. Writing follows.

import { type Reject, rejectText } from '../../consensus/state.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { ChainEvents } from '../chain-events.js';
import { ChainFault } from '../chain-fault.js';
import type { ConnectedBlock, TipChange } from '../events.js';
import type { Persister } from '../files/persister.js';
import { compareCandidates } from '../tree/candidates.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { tipLine } from '../tree/tip-log.js';
import { CoinsOverlay } from './coins-overlay.js';
import {
  changeCoins,
  isBeyondPruned,
  isQuick,
  moveTip,
  prepareDisconnect,
  prepareStep,
  type Step,
  type SuppliedBlock,
} from './reorganize.js';
import type { ChainWorkspace } from './workspace.js';

/** Number of blocks that invalidateblock disconnects per tip change. Listeners and clients see the tips in between. */
const INVALIDATE_STEP = 100;

/** Called with the verdict on a stored block; null: valid. */
type JudgedListener = (node: HeaderNode, reject: Reject | null) => void;

/** Counts for /metrics. */
export interface ActivatorCounts {
  connected: number;
  disconnected: number;
  rejected: number;
  reorganizations: number;
}

/** State of the last tip change. */
interface LastChange {
  /** False until persister.afterStep was called. */
  written: boolean;
  /** True if listeners expect another tip change immediately. */
  moreFollows: boolean;
  /**
   * True if the change disconnected blocks for an operator. The next change of the same call waits until the mempool has
   * processed it.
   */
  byOperator: boolean;
}

export class Activator {
  #last: LastChange = { written: true, moreFollows: false, byOperator: false };
  readonly counts: ActivatorCounts = { connected: 0, disconnected: 0, rejected: 0, reorganizations: 0 };
  readonly #ws: ChainWorkspace;
  readonly #events: ChainEvents;
  readonly #persister: Persister;
  readonly #assumed: () => HeaderNode | undefined;
  readonly #eager: () => boolean;
  readonly #suspended: () => boolean;

  /**
   * @param assumed returns the assumed-valid block, once its header is known
   * @param eager returns whether changes are written immediately (near the tip) or collected (initial download)
   * @param suspended returns whether the download engine connects blocks, so that `activate` must not
   */
  constructor(
    ws: ChainWorkspace,
    events: ChainEvents,
    persister: Persister,
    assumed: () => HeaderNode | undefined,
    eager: () => boolean,
    suspended: () => boolean,
  ) {
    this.#ws = ws;
    this.#events = events;
    this.#persister = persister;
    this.#assumed = assumed;
    this.#eager = eager;
    this.#suspended = suspended;
  }

  /**
   * Makes the best valid stored branch the active one. When it returns, the last change is applied and announced but
   * not written: call writeTipChanges after the caller has its answer.
   * @param supplied a block whose bytes were just checked and stored; never a copy of a block that was stored before
   * @param enough checked between tip changes; true ends the activation
   * @param onJudged called with the verdict on each block that was connected or failed to connect
   */
  async activate(supplied: SuppliedBlock | null = null, enough?: () => boolean, onJudged?: JudgedListener): Promise<void> {
    if (this.#suspended()) return;
    const { index, active } = this.#ws;
    for (;;) {
      const target = index.findMostWork();
      const isBest = target === undefined || target === active.tip;
      if (isBest) this.#announceNoMore();
      if (isBest || this.#ws.stopping() || enough?.() === true) {
        this.#last.byOperator = false;
        break;
      }
      await this.#beforeMove();
      const begin = this.#ws.clock.monotonicMs();
      const step = await prepareStep(this.#ws, target, supplied, this.#assumed());
      if (step.unreadable !== null) this.#forgetBlockData(step.unreadable.node, step.unreadable.error);
      this.#judge(step, onJudged);
      if (!this.#worthApplying(step)) continue;
      await this.#apply(step, !this.#eager() && step.failed === null && step.unreadable === null ? { target } : {});
      this.#ws.observe('connect_total', (this.#ws.clock.monotonicMs() - begin) / 1000);
    }
  }

  /**
   * Prepares the next tip change. In a call of an operator, waits for the mempool between two steps, because Core makes
   * its mempool fit each tip on the way down. Blocks of peers never wait for the mempool: senders of transactions could
   * delay them.
   */
  async #beforeMove(): Promise<void> {
    if (this.#last.byOperator) await this.#events.followersSettled();
    this.#last.byOperator = false;
    await this.writeTipChanges();
  }

  #announceNoMore(): void {
    if (!this.#last.moreFollows) return;
    this.#last.moreFollows = false;
    this.#events.noMoreFollows.call();
  }

  /** True if the last tip changes are not written yet. */
  get hasUnwrittenChanges(): boolean {
    return !this.#last.written;
  }

  /** True if each change is written immediately, because the initial download is over. */
  get nearTip(): boolean {
    return this.#eager();
  }

  /** Writes the last tip changes. */
  async writeTipChanges(): Promise<void> {
    if (this.#last.written) return;
    const begin = this.#ws.clock.monotonicMs();
    await this.#persister.afterStep(this.#eager());
    this.#last.written = true;
    this.#ws.observe('connect_persist', (this.#ws.clock.monotonicMs() - begin) / 1000);
  }

  /**
   * Returns whether a prepared step is to be applied. A step with a failed or unreadable block is applied only if its
   * last valid block is better than the current tip.
   */
  #worthApplying(step: Step): boolean {
    const last = step.connected[step.connected.length - 1];
    if (step.failed === null && step.unreadable === null) return step.connected.length + step.disconnected.length > 0;
    return last !== undefined && compareCandidates(last.node, this.#ws.active.tip as HeaderNode) > 0;
  }

  /** Records the verdicts of a prepared step, and calls the listeners of verdicts. */
  #judge(step: Step, onJudged?: JudgedListener): void {
    const { index, log, options } = this.#ws;
    for (const { node, block } of step.connected) {
      index.raise(node, NodeStatus.SCRIPTS_VALID);
      onJudged?.(node, null);
      this.#events.checked.call(node.hash, block, null);
    }
    if (step.failed === null) return;
    const { node, block, reject } = step.failed;
    onJudged?.(node, reject);
    this.counts.rejected++;
    log.warn(`Block validation error: ${rejectText(reject)} (block ${node.hashHex} at height ${node.height})`);
    if (reject.category !== 'mutated') {
      index.markFailed(node);
      index.noteInvalidChain(node, options.failedBranches);
    } else {
      throw new ChainFault(`Block ${node.hashHex} changed after it was checked`, undefined);
    }
    this.#events.checked.call(node.hash, block, reject);
  }

  #forgetBlockData(node: HeaderNode, error: Error): void {
    this.#ws.log.warn(`Stored block ${node.hashHex} cannot be read and will be downloaded again: ${error.message}`);
    this.#ws.index.forgetData(node);
  }

  /**
   * Applies a step: coins, tip, candidates, listeners. From moveTip on, everything is synchronous.
   * @param settings.onLeft called for each disconnected block, before the listeners
   */
  async #apply(
    step: Step,
    { target, onLeft, ...mark }: { invalidatedBefore?: number; target?: HeaderNode; onLeft?: (node: HeaderNode) => void } = {},
  ): Promise<void> {
    const { active, index, clock, coins } = this.#ws;
    const begin = clock.monotonicMs();
    const changing = this.#changing(step);
    // A small change is deferred until coins are next read. By then miners have new work, and the sender of the block
    // has its answer. A larger change is made now, in slices, and stays invisible until showStaged.
    const quick = isQuick(step, this.#eager());
    if (!quick) {
      coins.stageChanges();
      await new TimeSlice('chain').run(changing);
    }
    moveTip(this.#ws, step);
    if (quick) coins.deferChange(changing);
    else coins.showStaged();
    this.#last = { written: false, moreFollows: false, byOperator: onLeft !== undefined };
    const tip = active.tip as HeaderNode;
    if (onLeft !== undefined) {
      for (const { node } of step.disconnected) onLeft(node);
      // While an operator disconnects blocks, the next target is the best candidate: further down, or on another
      // branch.
      target = index.candidates.best;
    }
    if (step.connected.length > 0) index.candidates.pruneBelow(tip);
    this.#persister.noteConnected(step.connected);
    this.counts.connected += step.connected.length;
    this.counts.disconnected += step.disconnected.length;
    if (step.disconnected.length > 0 && step.connected.length > 0) this.counts.reorganizations++;
    const moreFollows = target !== undefined && target !== tip && (step.connected.length === 0 || target.ancestor(tip.height) === tip);
    this.#last.moreFollows = moreFollows;
    const change: TipChange = { connected: step.connected, disconnected: step.disconnected, moreFollows, ...mark };
    const fault = this.#events.announceTip(tip, change);
    this.#ws.observe('connect_apply', (clock.monotonicMs() - begin) / 1000);
    // In the initial download, thousands of these lines would not help the operator, so only debug logs show them.
    if (this.#eager()) this.#ws.log.info(tipLine(this.#ws, tip));
    else if (this.#ws.log.shows('validation')) this.#ws.log.debug('validation', tipLine(this.#ws, tip));
    if (fault !== null) throw fault;
  }

  /** Changes the coins of a step, yielding regularly. */
  *#changing(step: Step): Generator<void, void> {
    const { clock, observe } = this.#ws;
    const begin = clock.monotonicMs();
    yield* changeCoins(this.#ws, step);
    observe('connect_coins', (clock.monotonicMs() - begin) / 1000);
  }

  /**
   * Moves the tip over blocks whose coins the download engine has written to the database, and announces the jump.
   * @param more true if further blocks are known besides the stored ones
   */
  jumpTo(tip: HeaderNode, more: boolean): void {
    const { active, coins, index, space, log } = this.#ws;
    const jumpedFrom = active.tip as HeaderNode;
    coins.switchSpace(space);
    active.setTip(tip);
    index.candidates.pruneBelow(tip);
    this.counts.connected += tip.height - jumpedFrom.height;
    const moreFollows = more || (index.findMostWork() ?? tip) !== tip;
    this.#last = { written: true, moreFollows, byOperator: false };
    const fault = this.#events.announceTip(tip, { connected: [], disconnected: [], moreFollows, jumpedFrom });
    log.info(tipLine(this.#ws, tip));
    if (fault !== null) throw fault;
  }

  /**
   * Disconnects blocks from the tip down to a block, which becomes the tip.
   * @param onLeft called for each disconnected block, before the listeners
   * @returns false if it stopped above that block, because the blocks in between were pruned or the node stops
   */
  async disconnectTo(target: HeaderNode, onLeft: (node: HeaderNode) => void): Promise<boolean> {
    const { active } = this.#ws;
    let invalidatedBefore = 0;
    while (active.tip !== target && !this.#ws.stopping()) {
      await this.#beforeMove();
      const disconnected: ConnectedBlock[] = [];
      const overlay = new CoinsOverlay(this.#ws.coins);
      for (let node = active.tip as HeaderNode; node !== target && disconnected.length < INVALIDATE_STEP; node = node.prev as HeaderNode) {
        if (isBeyondPruned(this.#ws, node)) break;
        disconnected.push(await prepareDisconnect(this.#ws, node, overlay));
      }
      if (disconnected.length === 0) return false;
      await this.#apply({ disconnected, connected: [], failed: null, unreadable: null }, { invalidatedBefore, onLeft });
      invalidatedBefore += disconnected.length;
    }
    return active.tip === target;
  }
}
