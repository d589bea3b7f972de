// Takes a transaction through all steps of acceptance. Coins and scripts are gathered asynchronously; the checks and the change of the
// pool run in one synchronous piece, so that two acceptances never see each other half done.
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Clock } from '../../lib/clock.js';
import type { Verifier } from '../../parallel/verifier.js';
import { policyReject } from '../../policy/reject.js';
import { MempoolEntry } from '../entry.js';
import type { Eviction } from '../eviction.js';
import type { MempoolOptions } from '../options.js';
import type { MempoolChain } from '../source.js';
import type { TxPool } from '../tx-pool.js';
import { checkChainLimits, checkOwnConflicts } from './chain-limits.js';
import { checkAlone, checkConflicts, checkFinal, checkInputs, checkSizeAndFee, findCoins, ownOutpoints } from './pre-checks.js';
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
  /** The entry when it was kept. */
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
}

/** Core 0.21's order. */
const BEFORE_SCRIPTS: readonly Step[] = [
  checkAlone,
  checkFinal,
  checkConflicts,
  findCoins,
  checkInputs,
  checkSizeAndFee,
  checkChainLimits,
  checkOwnConflicts,
  checkReplacement,
];

export class Acceptor {
  readonly #options: MempoolOptions;
  readonly #deps: AcceptorDeps;

  constructor(options: MempoolOptions, deps: AcceptorDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  async accept(tx: TxView, options: AcceptOptions = {}): Promise<AcceptResult> {
    const { pool, chain, verifier } = this.#deps;
    for (;;) {
      const tip = await this.#gather(tx);
      const sequence = pool.sequence;
      const counter = pool.counter;
      const work = new Workspace(tx, options);
      const fault = this.#check(work);
      if (fault !== null) return outcome(work, fault);
      const scriptFault = await checkScripts(work, verifier, chain.nextBlockFlags());
      if (scriptFault !== null) return outcome(work, scriptFault);
      // Unless something moved meanwhile, the checks still stand; otherwise they are cheap now, the scripts being remembered.
      const moved = chain.tip !== tip || pool.sequence !== sequence || pool.counter !== counter;
      if (moved) {
        if (chain.tip !== tip || !this.#coinsKnown(tx)) continue;
        const again = new Workspace(tx, options);
        const lateFault = this.#check(again);
        if (lateFault !== null) return outcome(again, lateFault);
        return this.#finish(again);
      }
      return this.#finish(work);
    }
  }

  /** Makes every coin the checks may ask for known. @returns the tip they belong to */
  async #gather(tx: TxView): Promise<MempoolChain['tip']> {
    const { pool, chain } = this.#deps;
    for (;;) {
      const { tip, coins } = chain;
      const wanted: Uint8Array[] = [];
      for (let i = 0; i < tx.inputCount; i++) {
        if (pool.get(tx.prevHash(i)) === undefined && !coins.isKnown(tx.outpoint(i))) wanted.push(tx.outpoint(i));
      }
      if (wanted.length > 0) {
        await coins.prefetch(wanted);
        if (chain.tip !== tip || !this.#coinsKnown(tx)) continue;
      }
      if (!this.#missesInput(tx)) return tip;
      // Perhaps it is in a block already: its own outputs tell.
      const own = ownOutpoints(tx).filter((outpoint) => !coins.isKnown(outpoint));
      if (own.length === 0) return tip;
      await coins.prefetch(own);
      if (chain.tip === tip && this.#coinsKnown(tx)) return tip;
    }
  }

  #coinsKnown(tx: TxView): boolean {
    const { pool, chain } = this.#deps;
    for (let i = 0; i < tx.inputCount; i++) {
      if (pool.get(tx.prevHash(i)) === undefined && !chain.coins.isKnown(tx.outpoint(i))) return false;
    }
    return true;
  }

  #missesInput(tx: TxView): boolean {
    const { pool, chain } = this.#deps;
    for (let i = 0; i < tx.inputCount; i++) {
      if (pool.get(tx.prevHash(i)) === undefined && chain.coins.get(tx.outpoint(i)) === undefined) return true;
    }
    return false;
  }

  #check(work: Workspace): Reject | null {
    const { pool, eviction, chain } = this.#deps;
    const context: AcceptContext = {
      pool,
      eviction,
      options: this.#options,
      tip: chain.tip,
      coins: chain.coins,
      nextFlags: chain.nextBlockFlags(),
    };
    for (const step of BEFORE_SCRIPTS) {
      const fault = step(work, context);
      if (fault !== null) return fault;
    }
    return null;
  }

  #finish(work: Workspace): AcceptResult {
    const { pool, eviction, chain, clock } = this.#deps;
    if (work.accept.testOnly === true) return outcome(work, null);
    if (work.accept.maxFeeSats !== undefined && work.fee > work.accept.maxFeeSats) return outcome(work, null);
    pool.remove(work.replaced, 'replaced');
    const entry = new MempoolEntry({
      tx: work.tx,
      fee: work.fee,
      time: clock.nowSeconds(),
      height: chain.tip.height,
      sigopCost: work.sigopCost,
      size: work.size,
      spendsCoinbase: work.spendsCoinbase,
      hasSequenceLock: work.hasSequenceLock,
    });
    pool.add(entry);
    if (work.accept.bypassLimits !== true) {
      eviction.limit();
      if (!pool.has(entry)) return outcome(work, policyReject('mempool-policy', 'mempool full'));
    }
    return { ...outcome(work, null), entry };
  }
}

function outcome(work: Workspace, reject: Reject | null): AcceptResult {
  return { reject, fee: work.fee, vsize: work.tx.vsize, entry: null, replaced: work.replaced.size };
}
