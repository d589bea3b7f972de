// What all ways of acceptance share: the steps over one workspace, the coins they need, the change of the pool at the
// end. Synchronous: a caller that waits in between asks afterwards whether the pool or the tip has moved.
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
   * Whether transactions of disconnected blocks are on their way back, and the end of that: only they may change the
   * pool until then.
   */
  returning(): boolean;
  settled(): Promise<void>;
  /** Whether blocks come as they are found, so that waiting times mean something. */
  blocksAreCurrent(): boolean;
}

/** Core 0.21's order: first what needs no coins, */
export const WITHOUT_COINS: readonly Step[] = [checkAlone, checkFinal, checkConflicts];
/** then what does, */
const WITH_COINS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee, checkChainLimits, checkOwnConflicts, checkMaxFeeRate];
/**
 * and what concerns those that would have to go, or stay beside it. Clusters have no limit unless an option sets
 * one.
 */
const AGAINST_RIVALS: readonly Step[] = [checkReplacement, checkClusterLimits, checkDiagram];

/** The same in the order of newer releases, which look at rivals before they ask what it spends. */
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

  /** The surroundings as they are now. */
  context(): AcceptContext {
    const { pool, eviction, chain } = this.deps;
    const { tip } = chain;
    // The same for all of a tip: flags of the next block are looked up in the states of deployments.
    if (this.#context?.tip !== tip) {
      this.#context = { pool, eviction, options: this.options, tip, coins: chain.coins, nextFlags: chain.nextBlockFlags() };
    }
    return this.#context;
  }

  /** The first fault. */
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

  /** Asked later: whether pool or tip moved since this call. */
  watchForChanges(): () => boolean {
    const { pool, chain } = this.deps;
    const { tip } = chain;
    const { sequence, counter } = pool;
    return () => chain.tip !== tip || pool.sequence !== sequence || pool.counter !== counter;
  }

  /** Outpoints that neither the pool, its package nor the coins in memory can answer for. */
  unknownCoins(work: Workspace): readonly Uint8Array[] {
    const { pool, chain } = this.deps;
    if (hasCoins(work, chain.tip)) return NONE;
    const { tx, accept } = work;
    let wanted: Uint8Array[] | undefined;
    for (let i = 0; i < tx.inputCount; i++) {
      const at = tx.outpointAt(i);
      // Mostly it is known by now, and the coins answer before anything has to be made of the outpoint.
      if (chain.coins.isKnown(tx.buffer, at) || pool.find(tx.buffer, at) !== NO_ROW) continue;
      if (accept.earlier !== undefined && accept.earlier.size > 0 && accept.earlier.has(hashKey(tx.prevHash(i)))) continue;
      (wanted ??= []).push(tx.outpoint(i));
    }
    return wanted ?? NONE;
  }

  /** Into the pool, instead of what it replaces. @returns its row */
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
    // As Core, before the pool is trimmed: what pays for others says nothing about waiting times, nor did what replaces
    // others before release 27.
    const { bypassLimits, inPackage } = work.accept;
    const alone = inPackage === undefined && !pool.links.hasParents(row);
    const telling = (work.conflicts.size === 0 || this.options.policy.fullRbf) && bypassLimits !== true && alone;
    guard.run('fee estimator', () => fees.enter(pool.entry(row), telling && this.deps.blocksAreCurrent()));
    return row;
  }
}
