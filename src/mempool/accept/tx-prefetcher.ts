// Script checks that begin before their transaction's turn: callers that know what they will offer next (batches of
// RPC, messages of a peer, a saved pool) say so, the verifier's threads get to work on groups, and acceptance finds the
// verdict ready. Nothing is decided here. A verdict depends on the transaction and on the outputs it spends alone, and
// an outpoint never changes what it holds, so it stays true whatever happens between.
import { hashKey } from '../../consensus/bytes/hex.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { PASSED_BEFORE, type VerifyResult } from '../../parallel/verifier.js';
import { NO_ROW } from '../rows.js';
import type { Judge } from './judge.js';
import { checkAlone, checkInputs, checkSizeAndFee, findCoins } from './pre-checks.js';
import { type Step, Workspace } from './workspace.js';

/**
 * Transactions that share a trip to the verifier: a trip costs this thread as much as ten acceptances. So many payments
 * are no more than the longest job.
 */
const GROUP = 64;

const ALONE: readonly Step[] = [checkAlone];
const COIN_STEPS: readonly Step[] = [findCoins, checkInputs, checkSizeAndFee];

/** One that is judged ahead. */
interface PrefetchItem {
  readonly work: Workspace;
  readonly known: PrefetchedTx;
}

/** What is known of a transaction before its turn. */
export class PrefetchedTx {
  /** Resolves when the verdict is here, or none is coming. Null from then on. Never rejects. */
  pending: Promise<void> | null = null;
  /** Under the standard flags; null when its scripts did not run. */
  verdict: VerifyResult | null = null;
  /** What was judged with it; null when that went against it. */
  judged: Workspace['ahead'] = null;

  /** @param judge of whose pool it is known */
  constructor(readonly judge: Judge) {}
}

/** What is known of a transaction's scripts; waits for it when that is to come. Null: nothing. */
export const verdictOf = (known: PrefetchedTx): VerifyResult | null | Promise<VerifyResult | null> =>
  known.pending === null ? known.verdict : awaited(known);

/** Coins may be on their way, then scripts. */
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
   * These will be offered soon, in this order; later ones may spend earlier ones. Scripts of those that would be refused
   * before they came to it do not run. Resolves when the scripts are with the verifier.
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
      // With the very object that will be offered: it goes with it if it never is.
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
    // Nothing was missing a moment ago, and none has gone since that a later one may spend.
    let allKnown = wanted.length === 0;
    const ready = fresh.filter(({ work, known }) => {
      const runs = (allKnown || this.#judge.unknownCoins(work).length === 0) && this.#runs(work, known);
      // Nor do those that spend it.
      if (!runs) {
        earlier.delete(hashKey(work.tx.txid));
        allKnown = false;
      }
      return runs;
    });
    for (let at = 0; at < ready.length; at += GROUP) this.#verify(ready.slice(at, at + GROUP));
  }

  /** What is known of a transaction, if it was announced. */
  prefetched(tx: TxView): PrefetchedTx | undefined {
    const { prefetched: foreseen } = tx;
    return foreseen instanceof PrefetchedTx && foreseen.judge === this.#judge ? foreseen : undefined;
  }

  /** Whether it would come as far as its scripts. All its coins are known. */
  #runs(work: Workspace, known: PrefetchedTx): boolean {
    if (this.#judge.check(work, COIN_STEPS) !== null) return false;
    known.judged = { work, tip: this.#judge.deps.chain.tip };
    return true;
  }

  #verify(group: readonly PrefetchItem[]): void {
    // Busy or broken: acceptance asks again and tells its caller.
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
      // The lowest failure: those before it passed, nothing is known of those after it. Where one fails more may: they
      // run in their turns, one at a time for each peer, so that none can put a hundred slow ones before the others'.
      for (const { known } of group.slice(0, result.failedTx)) known.verdict = PASSED_BEFORE;
      group[result.failedTx].known.verdict = { ...result, failedTx: 0 };
    }
  }
}
