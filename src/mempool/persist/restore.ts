// Puts a saved pool back: prioritisations first, then each transaction through acceptance at its old time of entry, as
// Core's LoadMempool. Scripts of the next ones run while one has its turn.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { VerifierBusyError } from '../../parallel/verifier.js';
import type { Mempool } from '../mempool.js';
import type { SavedPart, SavedTx } from './mempool-file.js';

/** Transactions announced in one go. */
const STEP = 128;

export interface RestoreResult {
  readonly restored: number;
  readonly failed: number;
  readonly expired: number;
  /** They had come by another way before. */
  readonly alreadyThere: number;
}

export interface RestoreOptions {
  readonly nowSeconds: number;
  readonly expirySeconds: number;
  /** Ends it early; what was restored stays. */
  readonly stopping: AbortSignal;
  /** Transactions come now, not when the file says. */
  readonly currentTime?: boolean;
  /** False: fee deltas of the file do not count. */
  readonly feeDeltas?: boolean;
  /** False: nor does what it says no peer asked for. */
  readonly unbroadcast?: boolean;
}

/** Offers every part in order. Rejects when the parts do (a broken file) or with a fault of store or verifier. */
export async function restorePool(mempool: Mempool, parts: Iterable<SavedPart>, options: RestoreOptions): Promise<RestoreResult> {
  const result = { restored: 0, failed: 0, expired: 0, alreadyThere: 0 };
  const turns = new TimeSlice();
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

/** A full queue is waited for: others are being served meanwhile. */
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
