// Decides when the download engine (src/engine) connects blocks: while it runs, the ordinary code stores blocks and does
// not move the tip. The run itself is in engine-run.ts.

import type { ChainEvents } from '../chain-events.js';
import type { Changes } from '../changes.js';
import type { Activator } from '../connect/activator.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { Persister } from '../files/persister.js';
import type { Pruner } from '../files/pruner.js';
import type { StartEngine } from '../options.js';
import type { HeaderNode } from '../tree/header-node.js';
import { mayConnect } from './engine-block.js';
import { EngineRun, type RunEnd } from './engine-run.js';

/** Least memory for the coins of one thread. */
const LEAST_THREAD_BYTES = 32 << 20;
/** Number of failures, without a completed run in between, after which the engine is not started again. */
const MAX_FAILURES = 3;
export interface DownloadEngineDeps {
  /** Starts the engine's threads; undefined: there is no engine. */
  readonly start: StartEngine | undefined;
  readonly changes: Changes;
  readonly events: ChainEvents;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
  /** Returns the assumed-valid block, once its header is known. */
  assumedValid(): HeaderNode | undefined;
  isInitialBlockDownload(): boolean;
  writeSomeRows(): Promise<void>;
  /** Starts to connect stored blocks in time slices. */
  resumeConnecting(): void;
}

/** Figures of a running engine. */
export interface EngineProgress {
  /** Height of the last block that is connected and stored. */
  readonly height: number;
  readonly coins: number;
  readonly bytes: number;
  readonly checkpointAgeSeconds: number;
}

export class DownloadEngine {
  #run: EngineRun | null = null;
  #starting: Promise<void> | null = null;
  /** True if the engine must not start any more. */
  #off: boolean;
  #failures = 0;
  /** Height of the block that the engine could not connect, or that did not arrive. The engine starts again above it. */
  #failedHeight = 0;
  /** Resolvers of #moved. */
  #waiters: (() => void)[] = [];
  readonly #ws: ChainWorkspace;
  readonly #deps: DownloadEngineDeps;

  constructor(ws: ChainWorkspace, deps: DownloadEngineDeps) {
    this.#ws = ws;
    this.#deps = deps;
    this.#off = deps.start === undefined || ws.options.engine === null;
  }

  /** True while the engine connects blocks. The tip moves only by its checkpoints then. */
  get running(): boolean {
    return this.#run !== null;
  }

  /** True if the engine is running and waits for a block that is not stored. */
  get idle(): boolean {
    return this.#run?.idle === true;
  }

  /** Last block that is connected: by the engine if it is running, otherwise the tip. */
  get reached(): HeaderNode {
    return this.#run?.reached ?? (this.#ws.active.tip as HeaderNode);
  }

  /** Figures of the engine; null while it is not running. */
  get progress(): EngineProgress | null {
    const run = this.#run;
    return run && { height: run.reached.height, ...run.figures, checkpointAgeSeconds: run.checkpointAgeMs / 1000 };
  }

  /**
   * Starts the engine if enough blocks are ahead that it may connect. Resolves when that is decided.
   */
  consider(): Promise<void> {
    if (this.#starting !== null || this.#lastHeight() === null) return this.#starting ?? Promise.resolve();
    this.#starting = this.#deps.changes
      .changeWhole(() => this.#start())
      .catch(() => undefined)
      .finally(() => {
        this.#starting = null;
      });
    return this.#starting;
  }

  /** Returns the height of the last block that the engine may connect; null if it must not start. */
  #lastHeight(): number | null {
    const { active, index, options } = this.#ws;
    const { changes, isInitialBlockDownload } = this.#deps;
    const settings = options.engine;
    if (this.#off || settings === null || this.#run !== null || this.#ws.stopping() || changes.refusing) return null;
    const tip = active.tip as HeaderNode;
    const best = index.bestHeader;
    const last = Math.min(best.height, settings.stopHeight);
    if (this.#failedHeight > tip.height) return null;
    const first = tip.height + settings.leastBlocks;
    if (first > last || index.assumed !== null || !isInitialBlockDownload()) return null;
    const next = best.ancestor(tip.height + 1);
    const far = best.ancestor(first);
    if (next?.prev !== tip || far === null || ![next, far].every((node) => mayConnect(this.#ws, node))) return null;
    return last;
  }

  /** Runs in the queue of changes. */
  async #start(): Promise<void> {
    const ws = this.#ws;
    const forbidden = ws.options.engine?.forbidden ?? null;
    if (forbidden !== null) {
      ws.log.info(`Blocks are connected without the download engine: ${forbidden}.`);
      this.#off = true;
      return;
    }
    const { activator, changes, persister, pruner, assumedValid, writeSomeRows, start } = this.#deps;
    await activator.writeTipChanges();
    await persister.flush();
    const cursor = ws.store.cursor(ws.space.coins);
    const isEmpty = (await cursor.next(1)).length === 0;
    await cursor.close();
    const lastHeight = this.#lastHeight();
    if (lastHeight === null) return;
    const { coinsCacheBytes } = ws.options;
    const { stopHeight, leastBlocks, threads: most } = ws.options.engine!;
    const threads = Math.min(most, Math.floor(coinsCacheBytes / LEAST_THREAD_BYTES));
    if (threads === 0) {
      ws.log.info('Blocks are connected without the download engine: -dbcache is too small.');
      this.#off = true;
      return;
    }
    const tip = ws.active.tip as HeaderNode;
    ws.log.info(`The download engine connects blocks from height ${tip.height + 1} on with ${threads} threads`);
    const run = new EngineRun(ws, {
      ...{ start: start!, threads, memoryBytes: coinsCacheBytes, stopHeight, leastBlocks },
      ...{ changes, activator, persister, pruner, assumedValid, writeSomeRows },
      moved: () => this.#callWaiters(),
      ended: (end) => this.#onEnded(end),
    });
    this.#run = run;
    // The engine holds the coins now, so free the memory of the cache.
    ws.coins.switchSpace(ws.space);
    void run.begin(isEmpty);
  }

  #onEnded({ failure, failedHeight, final }: RunEnd): void {
    const { log } = this.#ws;
    const reached = this.reached.height;
    this.#run = null;
    this.#failedHeight = failedHeight;
    if (final) this.#off = true;
    if (failure === null) {
      this.#failures = 0;
      log.info(`The download engine has ended at height ${reached}`);
    } else {
      this.#failures++;
      if (this.#failures >= MAX_FAILURES) this.#off = true;
      const { height } = this.#ws.active;
      log.warn(`The download engine has failed: ${failure.message}. Other code connects the blocks from height ${height + 1} on.`);
    }
    this.#callWaiters();
    const { activator, changes, resumeConnecting } = this.#deps;
    if (changes.refusing) return;
    // Announces that no change of the tip follows, if none does.
    changes
      .changeWhole(() => activator.activate(null, () => true))
      .then(resumeConnecting)
      .catch(() => undefined);
  }

  #callWaiters(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Resolves when the engine has connected more blocks, becomes idle, or has ended. */
  async whenMoved(): Promise<void> {
    if (this.#run !== null) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /**
   * Passes the bytes of a requested block to the engine.
   * @param sender if one of its blocks turns out to be wrong, all its later blocks are given back
   * @returns null if the ordinary code must take the block. Otherwise `stored` resolves with false if the engine gives
   *   the bytes back, and `next` when another block may be sent
   */
  takeBytes(
    node: HeaderNode,
    bytes: Uint8Array,
    sender: object,
  ): { readonly stored: Promise<boolean>; readonly next: Promise<void> | undefined } | null {
    const run = this.#run;
    const stored = run?.takeBytes(node, bytes, sender) ?? null;
    return run === null || stored === null ? null : { stored, next: run.held.whenNotFull() };
  }

  /** Called when a block was stored. */
  wake(): void {
    this.#run?.wake();
  }

  /** Ends the engine with a checkpoint. Must be called inside the queue of changes. */
  async endInQueue(): Promise<void> {
    if (this.#deps.changes.fault !== null) this.#run?.drop();
    else await this.#run?.endInQueue();
  }
}
