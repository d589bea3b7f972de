// Prefetches in batches of sendrawtransaction and testmempoolaccept: while an entry runs, the transactions of later
// entries are parsed, and their scripts run on the verify pool. Each entry has the same outcome as without prefetching, and
// entries still run one by one in order.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';
import type { BatchPrefetch } from '../dispatch.js';
import type { RequestBody, RequestEntry } from '../wire/request.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import { decodeTx } from './raw-tx.js';

/** Transactions that are parsed at once: one or two milliseconds of this thread, a few jobs for the pool. */
const STEP = 128;
/** Entries that may be prefetched beyond the current one. */
const REACH = 3 * STEP;

/** Number of first entries that decide whether a batch is worth prefetching. A batch may have millions of entries. */
const TELLING = 64;

/** Returns the hex of the transaction that an entry offers; undefined if it offers none. */
function offeredText({ method, params }: RequestEntry): string | undefined {
  let first: JsonValue | undefined;
  if (method === 'sendrawtransaction') first = params instanceof JsonObject ? params.get('hexstring') : params[0];
  else if (method === 'testmempoolaccept') {
    const list = params instanceof JsonObject ? params.get('rawtxs') : params[0];
    if (Array.isArray(list) && list.length === 1) first = list[0];
  }
  return typeof first === 'string' ? first : undefined;
}

/** An entry that was parsed early, and the transaction that it offers. */
interface ReadEntry {
  readonly entry: RequestEntry;
  readonly text: string | undefined;
  readonly tx: TxView | null;
}

export class TxBatchPrefetch implements BatchPrefetch {
  readonly #ctx: NodeContext;
  readonly #entries: RequestBody;
  /** Parsed entries by index, from the current one on. */
  readonly #read = new Map<number, ReadEntry>();
  #current: ReadEntry | undefined;
  #next = 0;

  constructor(ctx: NodeContext, entries: RequestBody) {
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
      const entry = this.#entries.at(this.#next);
      const text = offeredText(entry);
      const tx = text === undefined ? null : decodeTx(this.#ctx, text);
      this.#read.set(this.#next, { entry, text, tx });
      if (tx !== null) txs.push(tx);
    }
    // A failing database fails again when the entry runs, and is reported there.
    if (txs.length > 0) this.#ctx.mempool.prefetchTransactions(txs).catch(() => {});
  }

  /** Returns the transaction of the current entry if `text` is its hex. Returns it only once. */
  takeTx(text: string): TxView | undefined {
    const current = this.#current;
    if (current?.text !== text) return undefined;
    this.#current = undefined;
    return current.tx ?? undefined;
  }
}

/** Returns a prefetch for a batch whose first entries offer at least two transactions, else null. */
export function prefetchTxBatch(ctx: NodeContext, entries: RequestBody): BatchPrefetch | null {
  let offers = 0;
  for (let i = 0; i < entries.length && i < TELLING; i++) {
    if (offeredText(entries.at(i)) !== undefined && ++offers > 1) return new TxBatchPrefetch(ctx, entries);
  }
  return null;
}
