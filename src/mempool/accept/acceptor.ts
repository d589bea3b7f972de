// Runs all steps of acceptance for a transaction. Coins and script results are collected asynchronously. The checks and
// the change of the mempool run in one synchronous piece, so no acceptance sees a half-finished change of another one.
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

/** Result of an acceptance. */
export interface AcceptResult {
  readonly reject: Reject | null;
  /** Base fee in satoshis; 0 if not all inputs were found. */
  readonly fee: number;
  /** Base fee plus the delta of prioritisetransaction, in satoshis. */
  readonly modifiedFee: number;
  /** BIP-0141 virtual size. */
  readonly vsize: number;
  /** Sigop-adjusted virtual size; 0 if acceptance failed before it was computed. */
  readonly size: number;
  /** The new entry, if it was added. Must be read immediately. */
  readonly entry: MempoolEntry | null;
  /** Txids of replaced transactions, or of those it would replace. */
  readonly replaced: readonly Uint8Array[];
}

/** Returns whether an acceptance failed because too many scripts are queued, so it may be repeated. */
export const isBusy = (error: unknown): boolean => error instanceof VerifierBusyError;

export class Acceptor {
  readonly #judge: Judge;
  readonly #prefetcher: TxPrefetcher;

  constructor(judge: Judge) {
    this.#judge = judge;
    this.#prefetcher = new TxPrefetcher(judge);
  }

  /** Announces transactions that the caller will pass to `accept` next, in this order, so that their scripts run early. */
  prefetchTransactions(txs: readonly TxView[]): Promise<void> {
    return this.#prefetcher.prefetchTransactions(txs);
  }

  /**
   * Accepts a transaction. Returns a promise only if it has to wait for coins, scripts, or the end of a reorganisation.
   */
  accept(tx: TxView, options: AcceptOptions = {}): AcceptResult | Promise<AcceptResult> {
    const known = this.#prefetcher.prefetched(tx);
    const verdict = known === undefined ? null : verdictOf(known);
    if (verdict instanceof Promise || !this.#mayChange(options)) return this.#acceptLater(tx, options, verdict);
    const judge = this.#judge;
    const work = new Workspace(tx, options);
    // A returning transaction is checked on another tip than the current one, so do not use its prefetched checks: they
    // used the coins of the current tip.
    if (options.returning === undefined) work.ahead = known?.judged ?? null;
    // Run the checks that need no coins first, so that no coins are read for an invalid transaction.
    const earlyFault = judge.check(work, WITHOUT_COINS);
    if (earlyFault !== null) return this.#outcome(work, earlyFault);
    const wanted = judge.unknownCoins(work);
    if (wanted.length > 0) return judge.deps.chain.coins.prefetch(wanted).then(() => this.accept(tx, options));
    const fault = judge.check(work, judge.withCoins, judge.againstRivals);
    if (fault !== null) return this.#outcome(work, fault);
    return verdict?.ok === true ? this.#finish(work) : this.#withScripts(work, verdict);
  }

  /**
   * Returns whether these options allow a change of the mempool now. While transactions of disconnected blocks return,
   * only those transactions (`bypassLimits`) may change it.
   */
  #mayChange({ bypassLimits }: AcceptOptions): boolean {
    return bypassLimits === true || !this.#judge.deps.returning();
  }

  async #acceptLater(tx: TxView, options: AcceptOptions, verdict: unknown): Promise<AcceptResult> {
    await verdict;
    while (!this.#mayChange(options)) await this.#judge.deps.settled();
    return this.accept(tx, options);
  }

  /** @param verdict script result obtained earlier; null for none */
  #withScripts(work: Workspace, verdict: VerifyResult | null): AcceptResult | Promise<AcceptResult> {
    const judge = this.#judge;
    const { detailed } = judge.options.policy;
    const fault = checkScripts(work, judge.deps.verifier, { ahead: verdict, detailed });
    return fault === null ? this.#finish(work) : this.#afterScripts(work, judge.watchForChanges(), fault);
  }

  /** @param moved returns whether the mempool or the tip has changed since the other checks */
  async #afterScripts(work: Workspace, moved: () => boolean, fault: Reject | Promise<Reject | null>): Promise<AcceptResult> {
    const judge = this.#judge;
    const { tx, accept: options } = work;
    const scriptFault = await fault;
    if (scriptFault !== null) return this.#outcome(work, scriptFault);
    if (!this.#mayChange(options)) return this.accept(tx, options);
    if (!moved()) return this.#finish(work);
    // The mempool or the tip changed while the scripts ran. Script results stay valid, because an outpoint always names
    // the same output. Repeat all other checks, synchronously unless coins were evicted from the cache.
    const again = new Workspace(tx, options);
    if (judge.unknownCoins(again).length > 0) return this.accept(tx, options);
    const lateFault = judge.check(again, WITHOUT_COINS, judge.withCoins, judge.againstRivals);
    return lateFault === null ? this.#finish(again) : this.#outcome(again, lateFault);
  }

  #finish(work: Workspace): AcceptResult {
    const { pool, eviction } = this.#judge.deps;
    const { testOnly, maxFeeSats, bypassLimits, inPackage } = work.accept;
    // Read the txids before the mempool changes.
    const replaced = work.replaced.size === 0 ? NOTHING : Array.from(work.replaced, (row) => pool.records.entry(row).txid);
    if (testOnly === true || (maxFeeSats !== undefined && work.fee > maxFeeSats)) return outcome(work, null, null, replaced);
    const entry = pool.records.entry(this.#judge.addToPool(work));
    if (bypassLimits !== true && inPackage === undefined && eviction.limit() > 0 && pool.records.find(work.tx.txid) === NO_ROW) {
      return outcome(work, policyReject('reconsiderable', 'mempool full'), null, replaced);
    }
    return outcome(work, null, entry, replaced);
  }

  /** Returns the result of a rejected transaction. Its list of replaced transactions is empty. */
  #outcome(work: Workspace, reject: Reject): AcceptResult {
    return outcome(work, reject, null, NOTHING);
  }
}

const NOTHING: readonly Uint8Array[] = [];

function outcome(work: Workspace, reject: Reject | null, entry: MempoolEntry | null, replaced: readonly Uint8Array[]): AcceptResult {
  const { tx, fee, modifiedFee, size } = work;
  return { reject, fee, modifiedFee, vsize: tx.vsize, size, entry, replaced };
}
