// Manages the snapshot of the chain and the history below it (Core's ActivateSnapshot and MaybeValidateSnapshot): makes
// the coins of a file the chain's coins in one step, continues the former chain in the background as the history, and
// finishes the validation.

import { hashToHex } from '../../consensus/bytes/hex.js';
import type { AssumedCoins } from '../../consensus/params/chain-params.js';
import { coinSetsOp } from '../../storage/codec/coin-sets.js';
import type { CoinSpace } from '../../storage/layout.js';
import type { ChainEvents } from '../chain-events.js';
import { ChainFault } from '../chain-fault.js';
import type { Changes } from '../changes.js';
import type { Activator } from '../connect/activator.js';
import { historyOf } from '../connect/open-workspace.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { DownloadEngine } from '../download/download-engine.js';
import type { Persister } from '../files/persister.js';
import type { Pruner } from '../files/pruner.js';
import { compareCandidates } from '../tree/candidates.js';
import type { HeaderNode } from '../tree/header-node.js';
import { History } from './history.js';
import { assumedCoinsOf, clearOther, loadCoins } from './load-snapshot.js';
import { SnapshotError, type SnapshotFile, type SnapshotHead } from './snapshot-file.js';

export interface SnapshotDeps {
  readonly changes: Changes;
  readonly events: ChainEvents;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
  readonly engine: DownloadEngine;
  /** Returns the assumed-valid block, once its header is known. */
  readonly assumedValid: () => HeaderNode | undefined;
}

export class SnapshotChain {
  readonly #ws: ChainWorkspace;
  readonly #deps: SnapshotDeps;
  #loading = false;
  #history: History | null = null;
  #base: HeaderNode | null = null;

  /**
   * Creates the manager.
   * @param ws workspace of the chain. Once a snapshot is loaded, it has the coins of the snapshot
   */
  constructor(ws: ChainWorkspace, deps: SnapshotDeps) {
    this.#ws = ws;
    this.#deps = deps;
  }

  /** Validation of the blocks below a snapshot; null if there is none or it has finished. */
  get history(): History | null {
    return this.#history;
  }

  /** Snapshot block, if a snapshot was loaded in this run or was in use when the run began. */
  get base(): HeaderNode | null {
    return this.#base;
  }

  /** See ChainCommands.loadSnapshot. */
  async load(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderNode> {
    const { changes } = this.#deps;
    changes.refuseAfterFault();
    const expected = this.#refuse(head, poolSize);
    const base = this.#ws.index.get(head.base) as HeaderNode;
    if (compareCandidates(this.#ws.active.tip as HeaderNode, base) >= 0) {
      throw new SnapshotError('coins', 'Work does not exceed active chainstate.');
    }
    this.#loading = true;
    try {
      const space = await changes.readConcurrently(() => loadCoins(this.#ws, file, head, expected));
      return await this.#activate(space, head, expected, poolSize);
    } finally {
      this.#loading = false;
    }
  }

  /**
   * Makes the checks that need no coins. A failed check throws with Core's message.
   * @returns the network's data about these coins
   * @throws SnapshotError
   */
  #refuse(head: SnapshotHead, poolSize: () => number): AssumedCoins {
    const { index, params } = this.#ws;
    const refuse = (why: string): never => {
      throw new SnapshotError('use', why);
    };
    if (this.#base !== null) refuse("Can't activate a snapshot-based chainstate more than once");
    if (this.#loading) refuse('Another snapshot is being loaded');
    const hex = hashToHex(head.base);
    const expected = assumedCoinsOf(this.#ws, head.base);
    if (expected === undefined) {
      const heights = params.assumedCoins.map(({ height }) => height).join(', ');
      return refuse(
        `assumeutxo block hash in snapshot metadata not recognized (hash: ${hex}). The following snapshot heights are available: ${heights}`,
      );
    }
    const base = index.get(head.base);
    if (base === undefined) {
      return refuse(
        `The base block header (${hex}) must appear in the headers chain. Make sure all headers are syncing, and call loadtxoutset again`,
      );
    }
    if (base.failed) refuse(`The base block header (${hex}) is part of an invalid chain`);
    if (!index.bestHeader.descendsFrom(base)) {
      refuse(
        'A forked headers-chain with more work than the chain with the snapshot base block header exists. Please proceed to sync without AssumeUtxo.',
      );
    }
    if (poolSize() > 0) refuse("Can't activate a snapshot when mempool not empty");
    return expected;
  }

  async #activate(space: CoinSpace, head: SnapshotHead, expected: AssumedCoins, poolSize: () => number): Promise<HeaderNode> {
    const ws = this.#ws;
    const { changes, activator, persister } = this.#deps;
    const base = ws.index.get(head.base) as HeaderNode;
    // Check the conditions again. If one has changed while the coins were read, the snapshot is refused; this is not a
    // fault.
    const refused = await changes.change<SnapshotError | null>(async (reply) => {
      await this.#deps.engine.endInQueue();
      await activator.writeTipChanges();
      await persister.flush();
      await persister.syncAll();
      const late = this.#lateRefusal(base, poolSize);
      if (late !== null) {
        await clearOther(ws);
        return reply(late);
      }
      // Switch in the same tick as the last check of the mempool. If the process dies before the write below, the next
      // start is as if no snapshot had been loaded.
      this.#standOn(space, base, expected);
      await ws.store.batch(
        [{ type: 'put', key: space.tipKey, value: base.hash }, coinSetsOp({ active: space, other: 'history', base: base.hash })],
        { sync: true },
      );
      await activator.activate();
      await persister.writeRows();
      reply(null);
    });
    if (refused !== null) throw refused;
    this.#history?.resumeConnecting();
    return base;
  }

  #lateRefusal(base: HeaderNode, poolSize: () => number): SnapshotError | null {
    if (compareCandidates(this.#ws.active.tip as HeaderNode, base) >= 0) {
      return new SnapshotError('use', 'work does not exceed active chainstate');
    }
    if (base.failed) return new SnapshotError('use', `The base block header (${base.hashHex}) is part of an invalid chain`);
    if (poolSize() > 0) return new SnapshotError('use', "Can't activate a snapshot when mempool not empty");
    return null;
  }

  /** Makes the snapshot block the tip, and the former chain the history, in one tick. */
  #standOn(space: CoinSpace, base: HeaderNode, { chainTxCount }: AssumedCoins): void {
    const ws = this.#ws;
    const { events, persister } = this.#deps;
    const history = historyOf(ws, ws.space);
    history.active.setTip(ws.active.tip as HeaderNode);
    ws.space = space;
    ws.coins.switchSpace(space);
    ws.active.setTip(base);
    ws.index.assume(base, chainTxCount);
    persister.movedTo(base);
    this.beginHistory(history);
    ws.log.info(`[snapshot] successfully activated snapshot ${base.hashHex}`);
    const fault = events.announceTip(base, { connected: [], disconnected: [] });
    if (fault !== null) throw fault;
  }

  /**
   * Starts the validation below a snapshot.
   * @param ws workspace of the history
   */
  beginHistory(ws: ChainWorkspace): void {
    const { changes, events, activator, pruner, assumedValid } = this.#deps;
    const base = this.#ws.index.assumed as HeaderNode;
    const expected = assumedCoinsOf(ws, base.hash) as AssumedCoins;
    this.#base = base;
    const release = pruner.addGuard(() => (this.#history === null ? Number.POSITIVE_INFINITY : this.#history.tip.height));
    this.#history = new History(ws, base, expected, {
      change: (job) =>
        changes.changeWhole(async () => {
          await activator.writeTipChanges();
          await job();
        }),
      crowded: () => changes.crowded,
      assumedValid,
      moved: () => events.history.call(),
      connected: (block) => events.checked.call(block.hash, block, null),
      validated: async () => {
        release();
        await this.#finishValidation();
      },
      refuted: () => this.#discardSnapshot(ws),
      failed: (error) => changes.reportFailure(error),
    });
  }

  /**
   * Called when the coins made from the blocks equal those of the snapshot. Afterwards the chain is like one without a
   * snapshot.
   */
  async #finishValidation(): Promise<void> {
    const ws = this.#ws;
    const { activator, persister } = this.#deps;
    await persister.flush();
    await this.#history?.persister.flush();
    await ws.store.batch([coinSetsOp({ active: ws.space, other: 'rubbish' })], { sync: true });
    this.#history = null;
    ws.coins.budgetBytes = ws.options.coinsCacheBytes;
    ws.index.endAssumed();
    ws.log.info(`[snapshot] snapshot beginning at ${this.#base?.hashHex} has been fully validated`);
    await activator.activate();
    this.#deps.events.history.call();
    await clearOther(ws);
  }

  /**
   * Called when the snapshot was wrong. The node stops, and the next start uses only the chain made from the blocks.
   * @throws ChainFault with Core's message
   */
  async #discardSnapshot(history: ChainWorkspace): Promise<void> {
    const ws = this.#ws;
    const { height } = history.active;
    await this.#history?.persister.flush();
    await ws.store.batch([coinSetsOp({ active: history.space, other: 'rubbish' })], { sync: true });
    throw new ChainFault(refutedText(ws.active.height, height), undefined);
  }
}

/**
 * Returns Core's message for a wrong snapshot.
 * @param height height of the tip on the snapshot
 * @param left height of the tip of the chain made from blocks only
 */
function refutedText(height: number, left: number): string {
  return (
    'adit failed to validate the -assumeutxo snapshot state. This indicates a hardware problem, or a bug in the software, or a bad software modification that allowed an invalid snapshot to be loaded. ' +
    `As a result of this, the node will shut down and stop using any state that was built on the snapshot, resetting the chain height from ${height} to ${left}. ` +
    `On the next restart, the node will resume syncing from ${left} without using any snapshot data. ` +
    'Please report this incident, including how you obtained the snapshot.'
  );
}
