// Batches of sendrawtransaction and testmempoolaccept: while an entry has its turn, the transactions of later entries
// are read and their scripts run on the verifier's threads. Verdicts are given one by one and in order, as without it.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';
import type { BatchPrefetch } from '../dispatch.js';
import type { RequestEntry, RequestList } from '../wire/request.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import { decodeTx } from './raw-tx.js';

/** Transactions read in one go: a millisecond or two of this thread, a few jobs for the threads. */
const STEP = 128;
/** Entries that are under way beyond the one whose turn it is. */
const REACH = 3 * STEP;

/** The first entries say what kind of batch it is; it may have millions. */
const TELLING = 64;

/** Hex of the transaction that an entry offers, undefined when it offers none. */
function offeredText({ method, params }: RequestEntry): string | undefined {
  let first: JsonValue | undefined;
  if (method === 'sendrawtransaction') first = params instanceof JsonObject ? params.get('hexstring') : params[0];
  else if (method === 'testmempoolaccept') {
    const list = params instanceof JsonObject ? params.get('rawtxs') : params[0];
    if (Array.isArray(list) && list.length === 1) first = list[0];
  }
  return typeof first === 'string' ? first : undefined;
}

/** An entry that was read before its turn, and the transaction that it offers. */
interface ReadEntry {
  readonly entry: RequestEntry;
  readonly text: string | undefined;
  readonly tx: TxView | null;
}

/** What dispatch keeps beside a batch that offers transactions. */
export class TxBatchPrefetch implements BatchPrefetch {
  readonly #ctx: NodeContext;
  readonly #entries: RequestList;
  /** By index, from the one whose turn it is to those that are under way. */
  readonly #read = new Map<number, ReadEntry>();
  #current: ReadEntry | undefined;
  #next = 0;

  constructor(ctx: NodeContext, entries: RequestList) {
    this.#ctx = ctx;
    this.#entries = entries;
  }

  reached(index: number): RequestEntry {
    if (this.#next < this.#entries.length && this.#next <= index + REACH - STEP) this.#readOn();
    const current = this.#read.get(index) as ReadEntry;
    this.#read.delete(index);
    this.#current = current;
    return current.entry;
  }

  #readOn(): void {
    const end = Math.min(this.#entries.length, this.#next + STEP);
    const txs: TxView[] = [];
    for (; this.#next < end; this.#next++) {
      const entry = this.#entries.at(this.#next) as RequestEntry;
      const text = offeredText(entry);
      const tx = text === undefined ? null : decodeTx(this.#ctx, text);
      this.#read.set(this.#next, { entry, text, tx });
      if (tx !== null) txs.push(tx);
    }
    // A store that fails here fails again when the transaction has its turn, and is reported there.
    if (txs.length > 0) this.#ctx.mempool.prefetchTransactions(txs).catch(() => {});
  }

  /** The transaction of the entry whose turn it is, if this is its text; given once. */
  takeTx(text: string): TxView | undefined {
    const current = this.#current;
    if (current?.text !== text) return undefined;
    this.#current = undefined;
    return current.tx ?? undefined;
  }
}

/** For the dispatcher. */
export function prefetchTxBatch(ctx: NodeContext, entries: RequestList): BatchPrefetch | null {
  let offers = 0;
  for (let i = 0; i < entries.length && i < TELLING; i++) {
    if (offeredText(entries.at(i) as RequestEntry) !== undefined && ++offers > 1) return new TxBatchPrefetch(ctx, entries);
  }
  return null;
}
