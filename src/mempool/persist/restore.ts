// Restores a saved mempool: fee deltas first, then each transaction through acceptance with its saved time of entry,
// like Core's LoadMempool. Scripts of the next transactions run while one is accepted.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { VerifierBusyError } from '../../parallel/verifier.js';
import type { Mempool } from '../mempool.js';
import type { SavedPart, SavedTx } from './mempool-file.js';

/** Number of transactions announced together. */
const STEP = 128;

export interface RestoreResult {
  readonly restored: number;
  readonly failed: number;
  readonly expired: number;
  /** Number of transactions that were in the mempool before they were restored. */
  readonly alreadyThere: number;
}

export interface RestoreOptions {
  readonly nowSeconds: number;
  readonly expirySeconds: number;
  /** Aborts the restoration. Transactions restored so far stay in the mempool. */
  readonly stopping: AbortSignal;
  /** Use the current time as time of entry, not the time in the file. */
  readonly currentTime?: boolean;
  /** False: ignore the file's fee deltas. */
  readonly feeDeltas?: boolean;
  /** False: ignore the file's list of unbroadcast transactions. */
  readonly unbroadcast?: boolean;
}

/** Accepts all parts of a file in order. Rejects if the file is broken, or if storage or the verifier failed. */
export async function restorePool(mempool: Mempool, parts: Iterable<SavedPart>, options: RestoreOptions): Promise<RestoreResult> {
  const result = { restored: 0, failed: 0, expired: 0, alreadyThere: 0 };
  const turns = new TimeSlice('chain');
  const { currentTime = false, feeDeltas = true, unbroadcast = true } = options;
  const offer = async ({ tx, time: saved, delta }: SavedTx): Promise<void> => {
    if (turns.over) await turns.next();
    const time = currentTime ? options.nowSeconds : saved;
    if (delta !== 0 && feeDeltas) mempool.prioritise(tx.txid, delta);
    if (time <= options.nowSeconds - options.expirySeconds) {
      result.expired++;
      return;
    }
    const { entry } = await accept(mempool, tx, time);
    if (entry !== null) result.restored++;
    else if (mempool.has(tx.txid)) result.alreadyThere++;
    else result.failed++;
  };
  const offerAll = async (saved: readonly SavedTx[]): Promise<void> => {
    await mempool.prefetchTransactions(saved.map(({ tx }) => tx));
    for (const one of saved) {
      if (options.stopping.aborted) return;
      await offer(one);
    }
  };
  const waiting: SavedTx[] = [];
  for (const part of parts) {
    if (options.stopping.aborted) break;
    if (part.kind === 'tx') {
      waiting.push(part);
      if (waiting.length >= STEP) await offerAll(waiting.splice(0));
    } else if (part.kind !== 'count') {
      await offerAll(waiting.splice(0));
      if (part.kind === 'unbroadcast') {
        if (unbroadcast) mempool.addUnbroadcast(part.txid);
      } else if (feeDeltas) mempool.prioritise(part.txid, part.delta);
    }
  }
  await offerAll(waiting);
  return result;
}

/** Accepts a transaction, waiting if the verifier's queue is full. */
async function accept(mempool: Mempool, tx: TxView, time: number) {
  for (;;) {
    try {
      return await mempool.accept(tx, { time });
    } catch (error) {
      if (!(error instanceof VerifierBusyError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
