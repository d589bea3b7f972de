// Takes a transaction through all steps of acceptance. Coins and scripts are gathered asynchronously; the checks and the change of the
// pool run in one synchronous piece, so that two acceptances never see each other half done.
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Clock } from '../../lib/clock.js';
import type { Verifier } from '../../parallel/verifier.js';
import { policyReject } from '../../policy/reject.js';
import type { MempoolEntry } from '../entry.js';
import type { Eviction } from '../eviction.js';
import type { FeeEstimator } from '../fees/fee-estimator.js';
import type { MempoolOptions } from '../options.js';
import { NO_ROW } from '../rows.js';
import type { MempoolChain } from '../source.js';
import type { TxPool } from '../tx-pool.js';
import { checkChainLimits, checkOwnConflicts } from './chain-limits.js';
import { checkClusterLimits } from './cluster-limits.js';
import { Lookahead } from './lookahead.js';
import { checkAlone, checkConflicts, checkFinal, checkInputs, checkSizeAndFee, findCoins } from './pre-checks.js';
import { checkReplacement } from './replacement.js';
import { checkScripts } from './script-checks.js';
import { type AcceptContext, type AcceptOptions, type Step, Workspace } from './workspace.js';

/** What came of a transaction. */
export interface AcceptResult {
  readonly reject: Reject | null;
  /** Base fee in satoshis, when its inputs were found. */
  readonly fee: number;
  /** BIP-0141 virtual size. */
  readonly vsize: number;
  /** The entry when it was kept; to be read at once. */
  readonly entry: MempoolEntry | null;
  /** Entries it pushed out (or would). */
  readonly replaced: number;
}

export interface AcceptorDeps {
  readonly pool: TxPool;
  readonly eviction: Eviction;
  readonly chain: MempoolChain;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly fees: FeeEstimator;
  /** Whether blocks come as they are found, so that waiting times mean something. */
  blocksAreCurrent(): boolean;
}

/** Core 0.21's order: first what needs no coins, */
const WITHOUT_COINS: readonly Step[] = [checkAlone, checkFinal, checkConflicts];
/** then what does. Clusters have no limit unless somebody asks for one. */
const WITH_COINS: readonly Step[] = [
  findCoins,
  checkInputs,
  checkSizeAndFee,
  checkChainLimits,
  checkOwnConflicts,
  checkReplacement,
  checkClusterLimits,
];

export class Acceptor {
  readonly #options: MempoolOptions;
  readonly #deps: AcceptorDeps;
  readonly #lookahead: Lookahead;

  constructor(options: MempoolOptions, deps: AcceptorDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#lookahead = new Lookahead(deps);
  }

  /** These will be offered soon, in this order: their scripts run meanwhile. */
  foresee(txs: readonly TxView[]): Promise<void> {
    return this.#lookahead.begin(txs);
  }

  async accept(tx: TxView, options: AcceptOptions = {}): Promise<AcceptResult> {
    const { pool, chain, verifier } = this.#deps;
    for (;;) {
      const work = new Workspace(tx, options);
      const { tip } = chain;
      const { sequence, counter } = pool;
      const moved = (): boolean => chain.tip !== tip || pool.sequence !== sequence || pool.counter !== counter;
      // Nothing is read from the store for a transaction that is wrong by itself.
      const earlyFault = this.#check(work, WITHOUT_COINS);
      if (earlyFault !== null) return outcome(work, earlyFault);
      const wanted = this.#unknownCoins(work);
      if (wanted.length > 0) {
        await chain.coins.prefetch(wanted);
        if (moved()) continue;
      }
      const fault = this.#check(work, WITH_COINS);
      if (fault !== null) return outcome(work, fault);
      const scriptFault = await checkScripts(work, verifier, chain.nextBlockFlags(), this.#lookahead.verdict(tx));
      if (scriptFault !== null) return outcome(work, scriptFault);
      if (!moved()) return this.#finish(work);
      // Something moved while the scripts ran. What they proved stands for good, since an outpoint never changes what it
      // holds; all else is checked again, which needs no waiting unless coins were forgotten with the old tip.
      const again = new Workspace(tx, options);
      if (this.#unknownCoins(again).length > 0) continue;
      const lateFault = this.#check(again, WITHOUT_COINS) ?? this.#check(again, WITH_COINS);
      return lateFault === null ? this.#finish(again) : outcome(again, lateFault);
    }
  }

  /** Outpoints that neither the pool nor the coins in memory can answer for. */
  #unknownCoins({ tx }: Workspace): Uint8Array[] {
    const { pool, chain } = this.#deps;
    const wanted: Uint8Array[] = [];
    for (let i = 0; i < tx.inputCount; i++) {
      if (pool.find(tx.buffer, tx.outpointAt(i)) !== NO_ROW) continue;
      const outpoint = tx.outpoint(i);
      if (!chain.coins.isKnown(outpoint)) wanted.push(outpoint);
    }
    return wanted;
  }

  #check(work: Workspace, steps: readonly Step[]): Reject | null {
    const { pool, eviction, chain } = this.#deps;
    const context: AcceptContext = {
      pool,
      eviction,
      options: this.#options,
      tip: chain.tip,
      coins: chain.coins,
      nextFlags: chain.nextBlockFlags(),
    };
    for (const step of steps) {
      const fault = step(work, context);
      if (fault !== null) return fault;
    }
    return null;
  }

  #finish(work: Workspace): AcceptResult {
    const { pool, eviction, chain, clock, fees } = this.#deps;
    if (work.accept.testOnly === true) return outcome(work, null);
    if (work.accept.maxFeeSats !== undefined && work.fee > work.accept.maxFeeSats) return outcome(work, null);
    pool.remove(work.replaced, 'replaced');
    const row = pool.add({
      tx: work.tx,
      fee: work.fee,
      time: work.accept.time ?? clock.nowSeconds(),
      height: chain.tip.height,
      sigopCost: work.sigopCost,
      size: work.size,
      spendsCoinbase: work.spendsCoinbase,
      hasSequenceLock: work.hasSequenceLock,
    });
    const entry = pool.entry(row);
    // As Core, before the pool is trimmed: what pays for others or replaces others says nothing about waiting times.
    const telling = work.conflicts.size === 0 && work.accept.bypassLimits !== true && !pool.links.hasParents(row);
    fees.enter(entry, telling && this.#deps.blocksAreCurrent());
    if (work.accept.bypassLimits !== true) {
      eviction.limit();
      if (pool.find(work.tx.txid) === NO_ROW) return outcome(work, policyReject('mempool-policy', 'mempool full'));
    }
    return { ...outcome(work, null), entry };
  }
}

function outcome(work: Workspace, reject: Reject | null): AcceptResult {
  return { reject, fee: work.fee, vsize: work.tx.vsize, entry: null, replaced: work.replaced.size };
}
