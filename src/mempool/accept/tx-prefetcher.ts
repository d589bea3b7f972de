// Runs scripts before their transactions are accepted. Callers that know which transactions come next (RPC batches,
// messages of a peer, a saved mempool) announce them. The verifier checks them in groups, and acceptance finds the
// results. The prefetcher accepts and rejects nothing. A script result depends only on the transaction and the outputs
// that it spends, and an outpoint always names the same output, so the result stays valid. See
// docs/decisions/0018-verify-announced-transactions-in-groups.md.
import { hashKey } from '../../consensus/bytes/hex.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { PASSED_BEFORE, type VerifyResult } from '../../parallel/verifier.js';
import { NO_ROW } from '../rows.js';
import type { Judge } from './judge.js';
import { checkAlone, checkInputs, checkSizeAndFee, findCoins } from './pre-checks.js';
import { type Step, Workspace } from './workspace.js';

/**
 * Number of transactions in one job of the verifier. Starting a job costs the node thread as much as ten acceptances. A
 * job of this many payments takes no longer than the verifier's longest other jobs.
 */
const GROUP = 64;

const ALONE: readonly Step[] = [checkAlone];
const COIN_STEPS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee];

interface PrefetchItem {
  readonly work: Workspace;
  readonly known: PrefetchedTx;
}

/** Prefetched state of a transaction. */
export class PrefetchedTx {
  /** Promise that resolves when the result is available or will not come; null after that. Never rejects. */
  pending: Promise<void> | null = null;
  /** Script result under the standard flags; null if the scripts did not run. */
  verdict: VerifyResult | null = null;
  /** Workspace after the checks before the scripts; null if one of these checks failed. */
  judged: Workspace['ahead'] = null;

  /** @param judge checks of the mempool for which the transaction was prefetched */
  constructor(readonly judge: Judge) {}
}

/**
 * Returns the script result of a transaction, or a promise if the scripts are still running. Null means that the result
 * is unknown.
 */
export const verdictOf = (known: PrefetchedTx): VerifyResult | null | Promise<VerifyResult | null> =>
  known.pending === null ? known.verdict : awaited(known);

/** Waits for coins, then for scripts. */
async function awaited(known: PrefetchedTx): Promise<VerifyResult | null> {
  while (known.pending !== null) await known.pending;
  return known.verdict;
}

export class TxPrefetcher {
  readonly #judge: Judge;
  constructor(judge: Judge) {
    this.#judge = judge;
  }

  /**
   * Announces transactions that will be accepted soon, in this order. Later transactions may spend outputs of earlier
   * ones. If a transaction fails a check before its scripts, its scripts do not run. Resolves when all scripts are at
   * the verifier.
   */
  async prefetchTransactions(txs: readonly TxView[]): Promise<void> {
    const { pool, chain } = this.#judge.deps;
    const earlier = new Map<string, TxView>();
    const options = { earlier };
    const fresh: PrefetchItem[] = [];
    const wanted: Uint8Array[] = [];
    for (const tx of txs) {
      const key = hashKey(tx.txid);
      if (this.prefetched(tx) !== undefined || earlier.has(key) || pool.records.find(tx.txid) !== NO_ROW) continue;
      const work = new Workspace(tx, options);
      if (this.#judge.check(work, ALONE) !== null) continue;
      for (const outpoint of this.#judge.unknownCoins(work)) wanted.push(outpoint);
      earlier.set(key, tx);
      const known = new PrefetchedTx(this.#judge);
      // Store the result in the object that will be accepted. If acceptance never happens, both are garbage-collected
      // together.
      tx.prefetched = known;
      fresh.push({ work, known });
    }
    if (wanted.length > 0) {
      const found = chain.coins.prefetch(wanted);
      const pending = found.then(undefined, () => {});
      for (const { known } of fresh) known.pending = pending;
      try {
        await found;
      } finally {
        for (const { known } of fresh) known.pending = null;
      }
    }
    // True while all coins of the following transactions are known: no coin was missing, and no parent was dropped.
    let allKnown = wanted.length === 0;
    const ready = fresh.filter(({ work, known }) => {
      const runs = (allKnown || this.#judge.unknownCoins(work).length === 0) && this.#runs(work, known);
      // Drop the transaction as a parent, so that the scripts of its children do not run either.
      if (!runs) {
        earlier.delete(hashKey(work.tx.txid));
        allKnown = false;
      }
      return runs;
    });
    for (let at = 0; at < ready.length; at += GROUP) this.#verify(ready.slice(at, at + GROUP));
  }

  /** Returns the prefetched state of a transaction; undefined if it was not announced. */
  prefetched(tx: TxView): PrefetchedTx | undefined {
    const { prefetched: foreseen } = tx;
    return foreseen instanceof PrefetchedTx && foreseen.judge === this.#judge ? foreseen : undefined;
  }

  /**
   * Returns whether the transaction passes all checks before its scripts. The coins of all its inputs must be known.
   */
  #runs(work: Workspace, known: PrefetchedTx): boolean {
    if (this.#judge.check(work, COIN_STEPS) !== null) return false;
    known.judged = { work, tip: this.#judge.deps.chain.tip };
    return true;
  }

  #verify(group: readonly PrefetchItem[]): void {
    // If the verifier is busy or broken, skip the group. Acceptance runs the scripts itself and reports the problem.
    if (!this.#judge.deps.verifier.canAcceptWork('transaction')) return;
    const pending = this.#run(group).catch(() => {
      for (const { known } of group) known.pending = null;
    });
    for (const { known } of group) known.pending = pending;
  }

  async #run(group: readonly PrefetchItem[]): Promise<void> {
    const { verifier } = this.#judge.deps;
    const txs = group.map(({ work }) => work);
    const result = await verifier.verifyTxs({ txs, flags: STANDARD_SCRIPT_FLAGS, klass: 'transaction' });
    for (const { known } of group) known.pending = null;
    if (result.ok) for (const { known } of group) known.verdict = result;
    else if (result.failedTx >= 0) {
      // failedTx is the first failure: earlier transactions passed, later ones are unknown, and more of them may fail.
      // Their scripts run during their own acceptance, one transaction at a time for each peer. So no peer can put a
      // hundred slow transactions before those of other peers.
      for (const { known } of group.slice(0, result.failedTx)) known.verdict = PASSED_BEFORE;
      group[result.failedTx].known.verdict = { ...result, failedTx: 0 };
    }
  }
}
