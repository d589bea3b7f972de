// Validates the blocks below a snapshot in the background. The blocks are downloaded and connected on their own set of
// coins up to the snapshot block. Then the hash of these coins shows whether the snapshot was right (Core's historical
// chainstate and MaybeValidateSnapshot). The same functions check these blocks and those of the active chain.

import type { BlockView } from '../../consensus/block/block-view.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { AssumedCoins } from '../../consensus/params/chain-params.js';
import { durationText, ProgressMeter, percentText } from '../../lib/progress.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { ChainFault } from '../chain-fault.js';
import { hashCoins } from '../coins/coins-stats.js';
import { changeCoins, moveTip, prepareStep } from '../connect/reorganize.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import { Persister } from '../files/persister.js';
import { type HeaderNode, lastCommonAncestor, NodeStatus } from '../tree/header-node.js';
import { reporter } from './load-snapshot.js';

/** Time slice in milliseconds. One block may take longer. */
const SLICE_MS = 50;
/** Interval between log lines in milliseconds. */
const REPORT_MS = 30_000;

export interface HistoryDeps {
  /** Queues a change of the chain. */
  change(job: () => Promise<void>): Promise<void>;
  /** Returns whether other changes are queued. */
  crowded(): boolean;
  /** Returns the assumed-valid block, once its header is known. */
  assumedValid(): HeaderNode | undefined;
  /** Called when the history has advanced. */
  moved(): void;
  /** Called when a block of the history was connected. */
  connected(block: BlockView): void;
  /** Called inside the queue when the coins at the base equal those of the snapshot. */
  validated(): Promise<void>;
  /**
   * Called inside the queue when the coins differ from those of the snapshot, or a block is invalid. The snapshot must
   * not be used any more.
   */
  refuted(): Promise<void>;
  failed(error: unknown): void;
}

export class History {
  readonly ws: ChainWorkspace;
  readonly persister: Persister;
  /** The snapshot block. */
  readonly base: HeaderNode;
  readonly #expected: AssumedCoins;
  readonly #deps: HistoryDeps;
  readonly #meter: ProgressMeter;
  #running = false;
  /** True if the validation has ended, successfully or not. */
  #over = false;

  /** @param ws workspace with the chain and coins of the history */
  constructor(ws: ChainWorkspace, base: HeaderNode, expected: AssumedCoins, deps: HistoryDeps) {
    this.ws = ws;
    this.base = base;
    this.#expected = expected;
    this.#deps = deps;
    this.persister = new Persister(ws, this.tip);
    this.#meter = new ProgressMeter(() => ws.clock.monotonicMs(), this.tip.height, REPORT_MS);
  }

  /** Last connected block. */
  get tip(): HeaderNode {
    return this.ws.active.tip as HeaderNode;
  }

  /** Budget of the history's coins cache in bytes. */
  get coinsCacheBytes(): number {
    return this.ws.coins.budgetBytes;
  }

  /** Last connected block that is an ancestor of the base. */
  get from(): HeaderNode {
    return lastCommonAncestor(this.tip, this.base);
  }

  /** Returns whether the history still has to connect this block. */
  wants(node: HeaderNode): boolean {
    return !this.#over && node.height > this.from.height && this.base.descendsFrom(node);
  }

  /**
   * Connects stored blocks in time slices, or checks the coins when the base is reached. Does nothing if this is
   * running already.
   */
  resumeConnecting(): void {
    if (this.#running || this.#over || this.ws.stopping()) return;
    if (this.#next() === null && this.tip !== this.base) return;
    this.#running = true;
    this.#run()
      .catch((error: unknown) => this.#deps.failed(error))
      .finally(() => {
        this.#running = false;
      });
  }

  async #run(): Promise<void> {
    while (this.#next() !== null && !this.#over && !this.ws.stopping()) await this.#deps.change(() => this.#connectSlice());
    if (this.tip === this.base && !this.#over && !this.ws.stopping()) await this.#checkCoinsHash();
  }

  /** Returns the next block towards the base; null while its bytes are missing. */
  #next(): HeaderNode | null {
    const next = this.base.ancestor(this.from.height + 1);
    return next !== null && (next.hasData || next.failed) ? next : null;
  }

  async #connectSlice(): Promise<void> {
    const { clock } = this.ws;
    const begin = clock.monotonicMs();
    for (let next = this.#next(); next !== null && !this.#over; next = this.#next()) {
      await this.#connect(next);
      if (this.#deps.crowded() || clock.monotonicMs() - begin >= SLICE_MS) break;
    }
    this.#report();
    this.#deps.moved();
  }

  async #connect(next: HeaderNode): Promise<void> {
    const { ws } = this;
    if (next.failed) return this.#finishHistory(() => this.#deps.refuted());
    const assumed = this.#deps.assumedValid();
    const step = await prepareStep(ws, next, null, assumed);
    if (step.unreadable !== null) {
      const { node, error } = step.unreadable;
      ws.log.warn(`Stored block ${node.hashHex} cannot be read and will be downloaded again: ${error.message}`);
      ws.index.forgetData(node);
      return;
    }
    if (step.failed !== null) {
      const { node, reject } = step.failed;
      if (reject.category === 'mutated') throw new ChainFault(`Block ${node.hashHex} changed after it was checked`, undefined);
      ws.log.warn(`Invalid block ${node.hashHex} at height ${node.height}: ${reject.reason}`);
      ws.index.markFailed(node);
      return this.#finishHistory(() => this.#deps.refuted());
    }
    for (const { node, block } of step.connected) {
      ws.index.raise(node, NodeStatus.SCRIPTS_VALID);
      this.#deps.connected(block);
    }
    ws.coins.stageChanges();
    await new TimeSlice('chain').run(changeCoins(ws, step));
    ws.coins.showStaged();
    moveTip(ws, step);
    this.persister.noteConnected(step.connected);
    await this.persister.afterStep(false);
  }

  #report(): void {
    if (!this.#meter.shouldReport()) return;
    const { height } = this.tip;
    const goal = this.base.height;
    this.ws.log.info(
      `[snapshot] validating the history: height ${height} of ${goal} (${percentText(height, goal)}), ${this.#meter.rate(height).toFixed(0)} blocks/s, ${durationText(this.#meter.secondsLeft(height, goal))} left`,
    );
  }

  /**
   * Compares the coins at the base with those of the snapshot. No further block changes the coins of the history, so
   * they are hashed while the chain may change.
   */
  async #checkCoinsHash(): Promise<void> {
    const { ws } = this;
    await this.#deps.change(() => this.persister.flush());
    ws.log.info('[snapshot] computing UTXO stats for background chainstate to validate snapshot - this could take a few minutes');
    const hash = await hashCoins(ws.store.cursor(ws.space.coins), ws.crypto, reporter(ws, null, 'coins checked'));
    if (hash === null) return;
    const actual = hashToHex(hash);
    const { coinsHash } = this.#expected;
    const same = actual === coinsHash;
    if (!same) ws.log.warn(`[snapshot] hash mismatch: actual=${actual}, expected=${coinsHash}`);
    await this.#deps.change(() => this.#finishHistory(() => (same ? this.#deps.validated() : this.#deps.refuted())));
  }

  async #finishHistory(notify: () => Promise<void>): Promise<void> {
    this.#over = true;
    await notify();
  }
}
