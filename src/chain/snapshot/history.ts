// The blocks below a snapshot: they are downloaded and connected in the background, on coins of their own, until these
// stand at the snapshot's block. Then the hash over them says whether the snapshot told the truth (Core's historical
// chainstate and MaybeValidateSnapshot). Blocks are judged by the same functions as those of the active chain.

import type { BlockView } from '../../consensus/block/block-view.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { AssumedCoins } from '../../consensus/params/chain-params.js';
import { durationText, ProgressMeter, percentText } from '../../lib/progress.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { ChainFault } from '../chain-fault.js';
import { hashCoins } from '../coins/coins-stats.js';
import { BlockPrefetcher } from '../connect/block-prefetcher.js';
import { changeCoins, moveTip, prepareStep } from '../connect/reorganize.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import { Persister } from '../files/persister.js';
import { type HeaderNode, lastCommonAncestor, NodeStatus } from '../tree/header-node.js';
import { reporter } from './load-snapshot.js';

/** Milliseconds that a turn keeps the chain to itself; one block may take longer. */
const SLICE_MS = 50;
/** Milliseconds between two lines of the log. */
const REPORT_MS = 30_000;

export interface HistoryDeps {
  /** Runs a change of the chain in its turn. */
  change(job: () => Promise<void>): Promise<void>;
  /** Other changes wait. */
  crowded(): boolean;
  /** The assumed-valid block, once its header is known. */
  assumedValid(): HeaderNode | undefined;
  /** The history moved. */
  moved(): void;
  /** A block of it was connected. */
  connected(block: BlockView): void;
  /** The coins at the base are those of the snapshot. Runs in a turn of the chain. */
  validated(): Promise<void>;
  /** They are not, or a block below is invalid: the snapshot must not be used any more. Runs in a turn of the chain. */
  refuted(): Promise<void>;
  failed(error: unknown): void;
}

export class History {
  readonly ws: ChainWorkspace;
  readonly persister: Persister;
  /** The snapshot's block. */
  readonly base: HeaderNode;
  readonly #expected: AssumedCoins;
  readonly #prefetcher: BlockPrefetcher;
  readonly #deps: HistoryDeps;
  readonly #meter: ProgressMeter;
  #running = false;
  /** Its end, however it came, is known. */
  #over = false;

  /** @param ws whose chain and coins are those of the history */
  constructor(ws: ChainWorkspace, base: HeaderNode, expected: AssumedCoins, deps: HistoryDeps) {
    this.ws = ws;
    this.base = base;
    this.#expected = expected;
    this.#deps = deps;
    this.persister = new Persister(ws, this.tip);
    this.#prefetcher = new BlockPrefetcher(ws);
    this.#meter = new ProgressMeter(() => ws.clock.monotonicMs(), this.tip.height, REPORT_MS);
  }

  /** The last block that was connected. */
  get tip(): HeaderNode {
    return this.ws.active.tip as HeaderNode;
  }

  /** Memory for its coins. */
  get coinsCacheBytes(): number {
    return this.ws.coins.budgetBytes;
  }

  /** The last block of it that leads to the base. */
  get from(): HeaderNode {
    return lastCommonAncestor(this.tip, this.base);
  }

  /** Whether a block has yet to be connected here. */
  wants(node: HeaderNode): boolean {
    return !this.#over && node.height > this.from.height && this.base.descendsFrom(node);
  }

  /** Connects what is stored, in turns, or looks at the coins when the base is reached; nothing when that goes on. */
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

  /** The next block towards the base when it can be looked at; null while its bytes are missing. */
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
    const { ws, base } = this;
    if (next.failed) return this.#finishHistory(() => this.#deps.refuted());
    const assumed = this.#deps.assumedValid();
    this.#prefetcher.prefetchBlocks(base, assumed);
    const step = await prepareStep(ws, next, null, assumed, this.#prefetcher);
    if (step.unreadable !== null) {
      const { node, error } = step.unreadable;
      ws.log.warn(`Stored block ${node.hashHex} cannot be read and will be fetched again: ${error.message}`);
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
    await new TimeSlice().run(changeCoins(ws, step));
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

  /** The base is reached: nothing changes these coins any more, so they are hashed while the chain goes on. */
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
    await this.close();
    await notify();
  }

  /** Ends what is prepared ahead. */
  close(): Promise<void> {
    return this.#prefetcher.close();
  }
}
