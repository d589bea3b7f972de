// Checks whether the mempool has all transactions of a list of wtxids, in an order that a block may have, and sums up
// their figures. Figures come from the rows, ids from the records, which were hashed on arrival. The caller's array is
// not retained. See docs/decisions/0021-known-blocks.md.
import type { KnownRoots, KnownTransactions } from '../chain/index.js';
import type { HeaderContext } from '../consensus/header-context.js';
import { LOCKTIME_THRESHOLD } from '../consensus/limits.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { RECORD_HEADER } from '../jobs/assemble-messages.js';
import { HashTree } from '../jobs/hash-tree.js';
import { adoptRow, idOfRow } from './entry.js';
import { sameBytes } from './open-table.js';
import { NO_ROW } from './rows.js';
import type { TxPool } from './tx-pool.js';

/** Number of lists whose hashes are cached. Jobs of one template differ only in their coinbases. */
const MOST_LISTS = 8;
const ID_BYTES = 32;

/** Figures of a list of mempool transactions in block order. Must be read immediately. */
class KnownList implements KnownTransactions {
  readonly tip: HeaderContext;
  fees = 0;
  sigopCost = 0;
  totalSize = 0;
  strippedSize = 0;
  hasWitness = false;
  lockHeight = 0;
  lockTime = 0;
  readonly #pool: TxPool;
  readonly #rows: Int32Array;
  readonly #rootsOf: (rows: Int32Array) => KnownRoots;

  /** @param rows of different transactions, parents before children */
  constructor(pool: TxPool, rows: Int32Array, tip: HeaderContext, rootsOf: (rows: Int32Array) => KnownRoots) {
    this.#pool = pool;
    this.#rows = rows;
    this.#rootsOf = rootsOf;
    this.tip = tip;
    const { fee, sigopCost, length, weight, lockTime } = pool.rows;
    for (const row of rows) {
      this.fees += fee[row];
      this.sigopCost += sigopCost[row];
      this.totalSize += length[row];
      // Weight is three times the stripped size plus the total size.
      this.strippedSize += (weight[row] - length[row]) / 3;
      if (pool.rows.hasWitness(row)) this.hasWitness = true;
      const lock = lockTime[row];
      if (lock < LOCKTIME_THRESHOLD) this.lockHeight = Math.max(this.lockHeight, lock);
      else this.lockTime = Math.max(this.lockTime, lock);
    }
  }

  get count(): number {
    return this.#rows.length;
  }

  roots(): KnownRoots {
    return this.#rootsOf(this.#rows);
  }

  *txs(): IterableIterator<TxView> {
    for (const row of this.#rows) {
      const tx = this.#pool.records.tx(row);
      adoptRow(this.#pool.records, row, tx);
      yield tx;
    }
  }
}

/**
 * Sets ids and facts of a transaction if the mempool has one with identical bytes. Comparing the bytes avoids hashing
 * the transaction.
 */
export function recognise(pool: TxPool, tx: TxView): void {
  const row = tx.inputCount === 0 ? NO_ROW : pool.records.spender(tx.buffer, tx.outpointAt(0));
  if (row === NO_ROW || pool.rows.length[row] !== tx.totalSize) return;
  const from = pool.rows.offset[row] + RECORD_HEADER;
  if (sameBytes(pool.records.arena.bytesOf(row), from, tx.buffer, tx.start, tx.totalSize)) adoptRow(pool.records, row, tx);
}

export class KnownLists {
  readonly #pool: TxPool;
  /** Cached lists by the serials of their rows, least recently used first. */
  readonly #lists: { readonly serials: Uint32Array; readonly roots: KnownRoots }[] = [];
  /** Hash trees of the list that was hashed last. */
  #trees: { readonly txids: HashTree; readonly wtxids: HashTree; serials: Uint32Array } | null = null;
  /** Position of each row in the current list, counted from #base + 1. A smaller value belongs to an earlier list. */
  #places = new Float64Array(0);
  #base = 0;

  constructor(pool: TxPool) {
    this.#pool = pool;
  }

  /**
   * @param wtxids 32 bytes each, internal order, one after the other
   * @returns null if one is not in the mempool, occurs twice, or precedes one of its parents
   */
  of(wtxids: Uint8Array, tip: HeaderContext): KnownTransactions | null {
    const { rows, links } = this.#pool;
    const count = wtxids.length / ID_BYTES;
    if (this.#places.length < rows.capacity) this.#places = new Float64Array(rows.capacity);
    const places = this.#places;
    const base = this.#base;
    this.#base += count;
    const found = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const row = this.#pool.records.findWitness(wtxids, i * ID_BYTES);
      if (row === NO_ROW || places[row] > base) return null;
      if (links.hasParents(row)) for (const parent of links.parents(row)) if (places[parent] <= base) return null;
      places[row] = base + i + 1;
      found[i] = row;
    }
    return new KnownList(this.#pool, found, tip, (list) => this.#rootsOf(list));
  }

  /**
   * Returns the hashes of a list, from the cache if possible. Hashing is most of the work, and several blocks with
   * different coinbases use the same list.
   */
  #rootsOf(list: Int32Array): KnownRoots {
    const { serial } = this.#pool.rows;
    const serials = Uint32Array.from(list, (row) => serial[row]);
    const lists = this.#lists;
    const at = lists.findIndex(
      (known) => commonPrefix(known.serials, serials) === serials.length && known.serials.length === serials.length,
    );
    const known = at < 0 ? { serials, roots: this.#hash(list, serials) } : lists.splice(at, 1)[0];
    lists.push(known);
    if (lists.length > MOST_LISTS) lists.shift();
    return known.roots;
  }

  /** Hashes a list. The common beginning with the previous list is not hashed again. */
  #hash(list: Int32Array, serials: Uint32Array): KnownRoots {
    if (list.length === 0) return { branch: [], witnessRoot: new Uint8Array(ID_BYTES) };
    this.#trees ??= { txids: new HashTree(this.#pool.records.hashes), wtxids: new HashTree(this.#pool.records.hashes), serials: NONE };
    const { txids, wtxids } = this.#trees;
    // The first leaf belongs to the coinbase.
    const from = commonPrefix(this.#trees.serials, serials) + 1;
    this.#trees.serials = NONE;
    txids.update(list.length + 1, from, (i) => idOfRow(this.#pool.records, list[i - 1], 0));
    wtxids.update(list.length + 1, from, (i) => idOfRow(this.#pool.records, list[i - 1], 32));
    this.#trees.serials = serials;
    return { branch: txids.firstBranch, witnessRoot: wtxids.root };
  }
}

const NONE = new Uint32Array(0);

/** Returns the length of the common prefix of two lists. */
function commonPrefix(a: Uint32Array, b: Uint32Array): number {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a[i] === b[i]) i++;
  return i;
}
