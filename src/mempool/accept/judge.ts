// Shared parts of all kinds of acceptance: the steps over a workspace, the coins that they need, and the change of the
// mempool. All of it is synchronous. A caller that awaits between two calls must check afterwards whether the mempool
// or the tip has changed.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Reject } from '../../consensus/state.js';
import type { Clock } from '../../lib/clock.js';
import type { ListenerGuard } from '../../lib/listener-guard.js';
import type { Verifier } from '../../parallel/verifier.js';
import type { Eviction } from '../eviction.js';
import type { FeeEstimator } from '../fees/fee-estimator.js';
import type { MempoolOptions } from '../options.js';
import { NO_ROW } from '../rows.js';
import type { MempoolChain } from '../source.js';
import type { TxPool } from '../tx-pool.js';
import { checkChainLimits, checkOwnConflicts } from './chain-limits.js';
import { checkClusterLimits } from './cluster-limits.js';
import { checkDiagram } from './diagram-replacement.js';
import { checkDustSpent } from './ephemeral-dust.js';
import {
  checkAlone,
  checkConflicts,
  checkFinal,
  checkInputs,
  checkMaxFeeRate,
  checkSizeAndFee,
  findCoins,
  hasCoins,
} from './pre-checks.js';
import { checkReplacement } from './replacement.js';
import { checkTruc } from './truc.js';
import type { AcceptContext, Step, Workspace } from './workspace.js';

export interface JudgeDeps {
  readonly pool: TxPool;
  readonly eviction: Eviction;
  readonly chain: MempoolChain;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly fees: FeeEstimator;
  readonly guard: ListenerGuard;
  /**
   * Returns whether transactions of disconnected blocks are returning. Until `settled` resolves, only they may change
   * the mempool.
   */
  returning(): boolean;
  settled(): Promise<void>;
  /** Returns whether blocks arrive when they are mined, so that waiting times are meaningful. */
  blocksAreCurrent(): boolean;
}

/** Steps in the order of Core 0.21. The steps of this list need no coins and run first. */
export const WITHOUT_COINS: readonly Step[] = [checkAlone, checkFinal, checkConflicts];
/** Steps in the order of Core 0.21. The steps of this list need the coins and run second. */
const WITH_COINS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee, checkChainLimits, checkOwnConflicts, checkMaxFeeRate];
/**
 * Steps of Core 0.21 about conflicts and clusters. The steps of this list run last. Clusters have no limit unless an
 * option sets one.
 */
const AGAINST_RIVALS: readonly Step[] = [checkReplacement, checkClusterLimits, checkDiagram];

/** Steps of newer Core releases in their order: conflicts are checked before spent transactions. */
const NEW_WITH_COINS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee, checkTruc, checkChainLimits];
const NEW_AGAINST_RIVALS: readonly Step[] = [
  checkReplacement,
  checkClusterLimits,
  checkDiagram,
  checkOwnConflicts,
  checkMaxFeeRate,
  checkDustSpent,
];

const NONE: readonly Uint8Array[] = [];

export class Judge {
  readonly options: MempoolOptions;
  readonly withCoins: readonly Step[];
  readonly againstRivals: readonly Step[];
  readonly deps: JudgeDeps;
  #context: AcceptContext | null = null;

  constructor(options: MempoolOptions, deps: JudgeDeps) {
    this.options = options;
    const { clusters } = options.policy;
    this.withCoins = clusters ? NEW_WITH_COINS : WITH_COINS;
    this.againstRivals = clusters ? NEW_AGAINST_RIVALS : AGAINST_RIVALS;
    this.deps = deps;
  }

  /** Returns the context at the current tip. */
  context(): AcceptContext {
    const { pool, eviction, chain } = this.deps;
    const { tip } = chain;
    // Compute the context once per tip, because the flags of the next block need the states of deployments.
    if (this.#context?.tip !== tip) {
      this.#context = { pool, eviction, options: this.options, tip, coins: chain.coins, nextFlags: chain.nextBlockFlags() };
    }
    return this.#context;
  }

  /** Runs steps and returns the first reject; null if all pass. */
  check(work: Workspace, ...lists: (readonly Step[])[]): Reject | null {
    const { returning } = work.accept;
    const context = returning === undefined ? this.context() : { ...this.context(), tip: returning.tip };
    for (const steps of lists) {
      for (const step of steps) {
        const fault = step(work, context);
        if (fault !== null) return fault;
      }
    }
    return null;
  }

  /** Returns a function that tells whether the mempool or the tip has changed since this call. */
  watchForChanges(): () => boolean {
    const { pool, chain } = this.deps;
    const { tip } = chain;
    const { sequence, counter } = pool;
    return () => chain.tip !== tip || pool.sequence !== sequence || pool.counter !== counter;
  }

  /** Returns the outpoints of inputs that are neither in the mempool, nor in the package, nor in the coins cache. */
  unknownCoins(work: Workspace): readonly Uint8Array[] {
    const { pool, chain } = this.deps;
    if (hasCoins(work, chain.tip)) return NONE;
    const { tx, accept } = work;
    let wanted: Uint8Array[] | undefined;
    for (let i = 0; i < tx.inputCount; i++) {
      const at = tx.outpointAt(i);
      // Usually the coin is in the cache. Checking the cache by offset avoids an array for the outpoint.
      if (chain.coins.isKnown(tx.buffer, at) || pool.records.find(tx.buffer, at) !== NO_ROW) continue;
      if (accept.earlier !== undefined && accept.earlier.size > 0 && accept.earlier.has(hashKey(tx.prevHash(i)))) continue;
      (wanted ??= []).push(tx.outpoint(i));
    }
    return wanted ?? NONE;
  }

  /**
   * Adds the transaction to the mempool and removes the transactions that it replaces.
   * @returns the row of the new transaction
   */
  addToPool(work: Workspace): number {
    const { pool, chain, clock, fees, guard } = this.deps;
    if (work.replaced.size > 0) pool.remove(work.replaced, 'replaced');
    const row = pool.add({
      tx: work.tx,
      fee: work.fee,
      time: work.accept.time ?? clock.nowSeconds(),
      height: (work.accept.returning?.tip ?? chain.tip).height,
      sigopCost: work.sigopCost,
      size: work.size,
      spendsCoinbase: work.spendsCoinbase,
      locks: work.locks,
      returned: work.accept.returning !== undefined,
    });
    // The estimator is notified before the mempool is trimmed, as in Core. Transactions that pay for others, and before
    // release 27 replacements, are excluded: their waiting times do not reflect their own fee rate.
    const { bypassLimits, inPackage } = work.accept;
    const alone = inPackage === undefined && !pool.links.hasParents(row);
    const telling = (work.conflicts.size === 0 || this.options.policy.fullRbf) && bypassLimits !== true && alone;
    guard.run('fee estimator', () => fees.enter(pool.records.entry(row), telling && this.deps.blocksAreCurrent()));
    return row;
  }
}
