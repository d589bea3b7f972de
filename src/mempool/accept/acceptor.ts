// Takes a transaction through all steps of acceptance. Coins and scripts are gathered asynchronously; the checks and
// the change of the pool run in one synchronous piece, so that two acceptances never see each other half done.
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { VerifierBusyError, type VerifyResult } from '../../parallel/verifier.js';
import { policyReject } from '../../policy/reject.js';
import type { MempoolEntry } from '../entry.js';
import { NO_ROW } from '../rows.js';
import { type Judge, WITHOUT_COINS } from './judge.js';
import { checkScripts } from './script-checks.js';
import { TxPrefetcher, verdictOf } from './tx-prefetcher.js';
import { type AcceptOptions, Workspace } from './workspace.js';

/** What came of a transaction. */
export interface AcceptResult {
  readonly reject: Reject | null;
  /** Base fee in satoshis, when its inputs were found. */
  readonly fee: number;
  /** With what prioritisetransaction added. */
  readonly modifiedFee: number;
  /** BIP-0141 virtual size. */
  readonly vsize: number;
  /** Sigop-adjusted virtual size, when it came to that. */
  readonly size: number;
  /** The entry when it was kept; to be read at once. */
  readonly entry: MempoolEntry | null;
  /** Txids of entries it pushed out (or would). */
  readonly replaced: readonly Uint8Array[];
}

/** Whether an acceptance ended without a verdict since too many scripts wait: it may be tried again. */
export const isBusy = (error: unknown): boolean => error instanceof VerifierBusyError;

export class Acceptor {
  readonly #judge: Judge;
  readonly #prefetcher: TxPrefetcher;

  constructor(judge: Judge) {
    this.#judge = judge;
    this.#prefetcher = new TxPrefetcher(judge);
  }

  /** These will be offered soon, in this order: their scripts run meanwhile. */
  prefetchTransactions(txs: readonly TxView[]): Promise<void> {
    return this.#prefetcher.prefetchTransactions(txs);
  }

  /** A promise only where something has to be waited for: coins, scripts, a reorganisation. */
  accept(tx: TxView, options: AcceptOptions = {}): AcceptResult | Promise<AcceptResult> {
    const known = this.#prefetcher.prefetched(tx);
    const verdict = known === undefined ? null : verdictOf(known);
    if (verdict instanceof Promise || !this.#mayChange(options)) return this.#acceptLater(tx, options, verdict);
    const judge = this.#judge;
    const work = new Workspace(tx, options);
    // What was judged ahead was so with the coins of another tip.
    if (options.returning === undefined) work.ahead = known?.judged ?? null;
    // Nothing is read from the store for a transaction that is wrong by itself.
    const earlyFault = judge.check(work, WITHOUT_COINS);
    if (earlyFault !== null) return this.#outcome(work, earlyFault);
    const wanted = judge.unknownCoins(work);
    if (wanted.length > 0) return judge.deps.chain.coins.prefetch(wanted).then(() => this.accept(tx, options));
    const fault = judge.check(work, judge.withCoins, judge.againstRivals);
    if (fault !== null) return this.#outcome(work, fault);
    return verdict?.ok === true ? this.#finish(work) : this.#withScripts(work, verdict);
  }

  /** The reorganisation's own transactions come back by `bypassLimits`; all others wait until they have. */
  #mayChange({ bypassLimits }: AcceptOptions): boolean {
    return bypassLimits === true || !this.#judge.deps.returning();
  }

  async #acceptLater(tx: TxView, options: AcceptOptions, verdict: unknown): Promise<AcceptResult> {
    await verdict;
    while (!this.#mayChange(options)) await this.#judge.deps.settled();
    return this.accept(tx, options);
  }

  /** @param verdict one that was asked for before */
  async #withScripts(work: Workspace, verdict: VerifyResult | null): Promise<AcceptResult> {
    const judge = this.#judge;
    const { tx, accept: options } = work;
    const moved = judge.watchForChanges();
    const { detailed } = judge.options.policy;
    const scriptFault = await checkScripts(work, judge.deps.verifier, { ahead: verdict, detailed });
    if (scriptFault !== null) return this.#outcome(work, scriptFault);
    if (!this.#mayChange(options)) return this.accept(tx, options);
    if (!moved()) return this.#finish(work);
    // Something moved while the scripts ran. What they proved stands for good, since an outpoint never changes what
    // it holds; all else is checked again, which needs no waiting unless coins were forgotten with the old tip.
    const again = new Workspace(tx, options);
    if (judge.unknownCoins(again).length > 0) return this.accept(tx, options);
    const lateFault = judge.check(again, WITHOUT_COINS, judge.withCoins, judge.againstRivals);
    return lateFault === null ? this.#finish(again) : this.#outcome(again, lateFault);
  }

  #finish(work: Workspace): AcceptResult {
    const { pool, eviction } = this.#judge.deps;
    const { testOnly, maxFeeSats, bypassLimits, inPackage } = work.accept;
    // Before the pool changes.
    const replaced = work.replaced.size === 0 ? NOTHING : Array.from(work.replaced, (row) => pool.entry(row).txid);
    if (testOnly === true || (maxFeeSats !== undefined && work.fee > maxFeeSats)) return outcome(work, null, null, replaced);
    const entry = pool.entry(this.#judge.addToPool(work));
    if (bypassLimits !== true && inPackage === undefined && eviction.limit() > 0 && pool.find(work.tx.txid) === NO_ROW) {
      return outcome(work, policyReject('reconsiderable', 'mempool full'), null, replaced);
    }
    return outcome(work, null, entry, replaced);
  }

  /** A verdict may come when what it was to replace has left by itself. */
  #outcome(work: Workspace, reject: Reject): AcceptResult {
    return outcome(work, reject, null, NOTHING);
  }
}

const NOTHING: readonly Uint8Array[] = [];

function outcome(work: Workspace, reject: Reject | null, entry: MempoolEntry | null, replaced: readonly Uint8Array[]): AcceptResult {
  const { tx, fee, modifiedFee, size } = work;
  return { reject, fee, modifiedFee, vsize: tx.vsize, size, entry, replaced };
}
