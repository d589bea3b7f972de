// Runs scripts before their transactions are accepted. Callers that know which transactions come next (RPC batches,
// messages of a peer, a saved mempool) announce them. The verifier checks groups, and acceptance finds the results.
// Nothing is decided here. A result depends only on the transaction and the outputs that it spends, and an outpoint
// always names the same output, so the result stays true. See
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
 * Number of transactions in one job of the verifier. A job costs this thread as much as ten acceptances. With so many
 * payments it is no longer than the longest job.
 */
const GROUP = 64;

const ALONE: readonly Step[] = [checkAlone];
const COIN_STEPS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee];

/** A transaction that is prefetched. */
interface PrefetchItem {
  readonly work: Workspace;
  readonly known: PrefetchedTx;
}

/** Prefetched state of a transaction. */
export class PrefetchedTx {
  /** Resolves when the result is available or will not come; null from then on. Never rejects. */
  pending: Promise<void> | null = null;
  /** Script result under the standard flags; null if the scripts did not run. */
  verdict: VerifyResult | null = null;
  /** Workspace after the other checks; null if one of them failed. */
  judged: Workspace['ahead'] = null;

  /** @param judge checks of the mempool that prefetched it */
  constructor(readonly judge: Judge) {}
}

/** Returns the script result of a transaction, waiting for it if it is pending. Null: unknown. */
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
   * Announces transactions that will be accepted soon, in this order; later ones may spend earlier ones. Scripts of
   * transactions that would be refused earlier do not run. Resolves when the scripts are at the verifier.
   */
  async prefetchTransactions(txs: readonly TxView[]): Promise<void> {
    const { pool, chain } = this.#judge.deps;
    const earlier = new Map<string, TxView>();
    const options = { earlier };
    const fresh: PrefetchItem[] = [];
    const wanted: Uint8Array[] = [];
    for (const tx of txs) {
      const key = hashKey(tx.txid);
      if (this.prefetched(tx) !== undefined || earlier.has(key) || pool.find(tx.txid) !== NO_ROW) continue;
      const work = new Workspace(tx, options);
      if (this.#judge.check(work, ALONE) !== null) continue;
      for (const outpoint of this.#judge.unknownCoins(work)) wanted.push(outpoint);
      earlier.set(key, tx);
      const known = new PrefetchedTx(this.#judge);
      // Store it in the object that will be accepted. It disappears with the object if that never happens.
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
    // No coin was missing, and no parent was dropped since.
    let allKnown = wanted.length === 0;
    const ready = fresh.filter(({ work, known }) => {
      const runs = (allKnown || this.#judge.unknownCoins(work).length === 0) && this.#runs(work, known);
      // Transactions that spend it do not run either.
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

  /** Returns whether the transaction passes all checks before its scripts. All its coins must be known. */
  #runs(work: Workspace, known: PrefetchedTx): boolean {
    if (this.#judge.check(work, COIN_STEPS) !== null) return false;
    known.judged = { work, tip: this.#judge.deps.chain.tip };
    return true;
  }

  #verify(group: readonly PrefetchItem[]): void {
    // If the verifier is busy or broken, acceptance tries again and reports it.
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
      // The lowest failure: transactions before it passed, those after it are unknown. If one fails, more may fail.
      // They run during their own acceptance, one at a time for each peer, so that no peer can put a hundred slow ones
      // before the transactions of others.
      for (const { known } of group.slice(0, result.failedTx)) known.verdict = PASSED_BEFORE;
      group[result.failedTx].known.verdict = { ...result, failedTx: 0 };
    }
  }
}
